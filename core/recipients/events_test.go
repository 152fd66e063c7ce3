package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"causeway/core"
	"causeway/core/recipients"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var attempts []recipients.Attempt
		var told []recipients.Resolution
		var asked, stopped atomic.Int64
		cfg := configOf(countries(), answers("afriex", "", core.Errorf(core.Unavailable, "down")), slowly(&asked, &stopped, "ADA OBI", nil))
		cfg.Cache = newNameCache(cfg.Clock)
		cfg.Events = recipients.Events{
			Attempt:    func(_ context.Context, a recipients.Attempt) { attempts = append(attempts, a) },
			Resolution: func(_ context.Context, r recipients.Resolution) { told = append(told, r) },
		}
		s := open(t, cfg)
		at := time.Now()
		for _, claimed := range []core.Private{"", "Ada Obi"} {
			req := nigerian()
			req.Claimed, req.Caller, req.Key = claimed, "key_7", "7f3k9x2m4p"
			if _, err := s.Resolve(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]recipients.Attempt{
			{Provider: "afriex", Country: "NG", Channel: "bank_transfer", Outcome: recipients.Untold},
			{Provider: "slowly", Country: "NG", Channel: "bank_transfer", Outcome: recipients.Found, Latency: time.Second},
		}, attempts); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]recipients.Resolution{
			{At: at, Key: "7f3k9x2m4p", Country: "NG", Channel: "bank_transfer", Bank: "000013", Outcome: recipients.Found, Provider: "slowly", Took: time.Second},
			{At: at.Add(time.Second), Key: "7f3k9x2m4p", Country: "NG", Channel: "bank_transfer", Bank: "000013", Outcome: recipients.Found, Provider: "slowly", Cached: true, Match: core.Match},
		}, told, cmpopts.IgnoreFields(recipients.Resolution{}, "Caller", "Account")); diff != "" {
			t.Errorf("resolutions (-want +got):\n%s", diff)
		}
		if told[0].Caller != told[1].Caller || told[0].Account != told[1].Account || len(told[0].Account) != 32 || told[0].Account == told[0].Caller || told[0].Caller != s.CallerHash("key_7") {
			t.Errorf("got the hashes %q, %q and %q, %q", told[0].Caller, told[0].Account, told[1].Caller, told[1].Account)
		}
	})
	t.Run("a client that leaves", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var outcomes []recipients.Outcome
			cfg := configOf(countries(), hangs("a"))
			cfg.Events.Attempt = func(_ context.Context, a recipients.Attempt) {
				mu.Lock()
				defer mu.Unlock()
				outcomes = append(outcomes, a.Outcome)
			}
			cfg.Events.Resolution = func(_ context.Context, r recipients.Resolution) {
				mu.Lock()
				defer mu.Unlock()
				outcomes = append(outcomes, r.Outcome)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := open(t, cfg).Resolve(ctx, nigerian())
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !errors.Is(err, context.Canceled) || len(outcomes) != 2 || outcomes[0] != recipients.Abandoned || outcomes[1] != recipients.Abandoned {
				t.Errorf("got %v, %v", err, outcomes)
			}
		})
	})
	t.Run("a question with faults is none", func(t *testing.T) {
		t.Parallel()
		cfg := configOf(countries(), unasked(t))
		cfg.Events.Resolution = func(_ context.Context, r recipients.Resolution) { t.Errorf("told %+v", r) }
		if _, err := open(t, cfg).Resolve(t.Context(), recipients.Request{Country: "NG"}); core.CodeOf(err) != core.Invalid {
			t.Errorf("got %v", err)
		}
	})
	t.Run("hashes are the same under one key only", func(t *testing.T) {
		t.Parallel()
		account := func(key core.Secret, seed uint64, number core.Private) (account string) {
			cfg := configOf(countries(), answers("one", "X", nil))
			cfg.Settings.Key, cfg.Entropy = key, entropy(seed)
			cfg.Events.Resolution = func(_ context.Context, r recipients.Resolution) { account = r.Account }
			req := nigerian()
			req.AccountNumber = number
			if _, err := open(t, cfg).Resolve(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			return account
		}
		const shared = "one secret of more than 32 characters"
		if account(shared, 1, "0123456789") != account(shared, 2, "0123456789") {
			t.Error("two hashes of one account under one key")
		}
		seen := map[string]bool{account(shared, 1, "0123456789"): true, account(shared, 1, "0123456788"): true, account("", 1, "0123456789"): true, account("", 2, "0123456789"): true}
		if len(seen) != 4 {
			t.Errorf("got %v, want four hashes", seen)
		}
	})
}

func TestService_Audit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer    core.Private
		err       error
		audit     error
		wantCode  core.Code
		wantCause bool
	}{
		"recorded":                   {answer: "ADA OBI"},
		"name not recorded":          {answer: "ADA OBI", audit: errors.New("full"), wantCode: core.Unavailable, wantCause: true},
		"absence not recorded":       {err: core.Errorf(core.NotFound, "none"), audit: errors.New("full"), wantCode: core.Unavailable, wantCause: true},
		"outage, recorded or not":    {err: core.Errorf(core.Unavailable, "down"), audit: errors.New("full"), wantCode: core.Unavailable},
		"absence that was recorded ": {err: core.Errorf(core.NotFound, "none"), wantCode: core.NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := 0
			cfg := configOf(countries(), answers("one", test.answer, test.err))
			cfg.Audit = func(context.Context, recipients.Resolution) error { records++; return test.audit }
			account, err := open(t, cfg).Resolve(t.Context(), nigerian())
			if core.CodeOf(err) != test.wantCode || (err == nil) != (account.Holder.Reveal() != "") || records != 1 {
				t.Errorf("got %v, %v with %d records", account, err, records)
			}
			if test.wantCause != errors.Is(err, test.audit) && test.audit != nil {
				t.Errorf("got %v, want the failure of the audit: %t", err, test.wantCause)
			}
		})
	}
}

// What is planted comes out of nothing that can be printed, but by Reveal.
func TestNothingPrintsWhatIsPrivate(t *testing.T) {
	t.Parallel()
	const number, name, claimed, caller, key = "0187654321", "ZUBAIRU QUINCY", "Quincy Zubairu Xerxes", "key_live_caller", "a planted secret of the operator's, long"
	var printed []any
	var mu sync.Mutex
	show := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		printed = append(printed, v)
	}
	for _, m := range append(moods(), "") {
		for _, mode := range []recipients.GuardMode{recipients.GuardBlock, recipients.GuardConfirmOnly} {
			synctest.Test(t, func(t *testing.T) {
				cfg := configOf(countries(), resolver{name: "one", resolves: always, resolve: func(ctx context.Context, q core.AccountQuery) (core.Private, error) {
					if m == "" {
						return "", core.Errorf(core.NotFound, "No account %s", q.Number.Reveal()).With(errors.New("GET ?account_number=" + q.Number.Reveal()))
					}
					if m == tells {
						return name, nil
					}
					return m.answer(ctx, "one", q)
				}})
				v := newNameCache(cfg.Clock)
				cfg.Cache, cfg.Settings.Key, cfg.Settings.Guard = v, key, recipients.Default().Guard
				cfg.Settings.Guard.Mode, cfg.Settings.Guard.Capacity = mode, 30
				cfg.Events = recipients.Events{
					Attempt:    func(_ context.Context, a recipients.Attempt) { a.Stack = nil; show(a) },
					Resolution: func(_ context.Context, r recipients.Resolution) { show(r) },
					Search:     func(s recipients.Search) { show(s) },
				}
				s := open(t, cfg)
				for i := range 12 {
					req := recipients.Request{
						Currency: "NGN", Country: "NG", Channel: "bank_transfer", BankCode: []string{"058", "999992"}[i%2], AccountNumber: number, Claimed: claimed, Caller: caller,
					}
					if i == 11 {
						req.Claimed = core.Private(strings.Repeat(claimed, 20))
					}
					got, err := s.Resolve(t.Context(), req)
					show(got)
					show(err)
					req.Caller = ""
					show(req)
				}
				cfg.Cache, cfg.Events = nil, recipients.Events{}
				show(cfg.Settings)
				show(s)
				show(v.all())
			})
		}
	}
	for _, v := range printed {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			text := fmt.Sprintf(verb, v)
			for _, planted := range []string{number, number[1:], name, "ZUBAIRU", "Zubairu", caller, key} {
				if strings.Contains(text, planted) || verb == "%x" && strings.Contains(text, fmt.Sprintf("%x", planted)) {
					t.Fatalf("%q is in %s of a %T: %.500s", planted, verb, v, text)
				}
			}
		}
	}
	if len(printed) < 500 {
		t.Errorf("only %d values were looked at", len(printed))
	}
}
