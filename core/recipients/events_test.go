package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/core/recipients/guard"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	var attempts []recipients.Attempt
	var resolutions []recipients.Resolution
	cfg := configOf(countries(), answers("paystack", "", errDown), answers("afriex", "ADA OBI", nil))
	clock := &manual{}
	cfg.Clock, cfg.Cache = clock.now, newNameCache(clock.now)
	cfg.Stopwatch = func() time.Time { clock.move(time.Second); return clock.now() } // each call takes a second
	cfg.Events = recipients.Events{
		Attempt:    func(_ context.Context, a recipients.Attempt) { attempts = append(attempts, a) },
		Resolution: func(_ context.Context, r recipients.Resolution) { resolutions = append(resolutions, r) },
	}
	s := open(t, cfg)
	for _, claimed := range []core.Private{"", "Ada Obi"} {
		req := nigerian()
		req.Claimed, req.Caller, req.Key = claimed, "key_7", "7f3k9x2m4p"
		if _, err := s.Resolve(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Resolve(t.Context(), recipients.Request{Country: "NG"}); core.CodeOf(err) != core.Invalid {
		t.Errorf("got %v", err)
	}
	wantAttempts := []recipients.Attempt{
		{Provider: "paystack", Country: "NG", Channel: "bank_transfer", Outcome: recipients.CannotTell},
		{Provider: "afriex", Country: "NG", Channel: "bank_transfer", Outcome: recipients.Found},
	}
	if diff := cmp.Diff(wantAttempts, attempts, cmpopts.IgnoreFields(recipients.Attempt{}, "Latency")); diff != "" {
		t.Errorf("attempts (-want +got):\n%s", diff)
	}
	one := recipients.Resolution{
		Caller: s.CallerHash("key_7"), Key: "7f3k9x2m4p", Country: "NG", Channel: "bank_transfer", Bank: "000013",
		Outcome: recipients.Found, Provider: "afriex",
	}
	two := one
	two.Cached, two.Match = true, core.Match
	if diff := cmp.Diff([]recipients.Resolution{one, two}, resolutions, cmpopts.IgnoreFields(recipients.Resolution{}, "At", "Took", "Account")); diff != "" {
		t.Errorf("resolutions (-want +got):\n%s", diff)
	}
	if r := resolutions; r[0].Account != r[1].Account || len(r[0].Account) != 32 || r[0].Account == r[0].Caller || r[0].Took <= 0 || attempts[1].Latency <= 0 {
		t.Errorf("got %+v and %+v", r[0], attempts[1])
	}
}

// Hashes of accounts are equal for one account and secret.
func TestEvents_Hashes(t *testing.T) {
	t.Parallel()
	hash := func(secret core.Secret, seed uint64, number core.Private) (hash string) {
		cfg := configOf(countries(), answers("one", "X", nil))
		cfg.Settings.Key, cfg.Entropy = secret, entropy(seed)
		cfg.Events.Resolution = func(_ context.Context, r recipients.Resolution) { hash = r.Account }
		req := nigerian()
		req.AccountNumber = number
		if _, err := open(t, cfg).Resolve(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	const shared = "one secret of more than 32 characters"
	if hash(shared, 1, "0123456789") != hash(shared, 2, "0123456789") {
		t.Error("two hashes of one account")
	}
	seen := map[string]bool{
		hash(shared, 1, "0123456789"): true, hash(shared, 1, "0123456788"): true, hash("", 1, "0123456789"): true, hash("", 2, "0123456789"): true,
	}
	if len(seen) != 4 {
		t.Errorf("got %v, want four hashes", seen)
	}
}

func TestService_Audit(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	for name, test := range map[string]struct {
		holder core.Private
		err    error
		audit  error
		want   core.Code
	}{
		"recorded":             {holder: "ADA OBI"},
		"absence recorded":     {err: errUnknown, want: core.NotFound},
		"name not recorded":    {holder: "ADA OBI", audit: full, want: core.Unavailable},
		"absence not recorded": {err: errUnknown, audit: full, want: core.Unavailable},
		"outage, not recorded": {err: errDown, audit: full, want: core.Unavailable},
	} {
		records := 0
		cfg := configOf(countries(), answers("one", test.holder, test.err))
		cfg.Audit = func(context.Context, recipients.Resolution) error { records++; return test.audit }
		account, err := open(t, cfg).Resolve(t.Context(), nigerian())
		if core.CodeOf(err) != test.want || (err == nil) != (account.Holder != "") || records != 1 {
			t.Errorf("%s: got %q, %v and %d records", name, account.Holder.Reveal(), err, records)
		}
	}
}

// Nothing that can be printed contains a number, a name, a caller or the secret.
func TestService_PrintsNothingPrivate(t *testing.T) {
	t.Parallel()
	const number, holder, claimed, caller, secret = "0187654321", "ZUBAIRU QUINCY", "Quincy Zubairu Xerxes", "key_live_caller", "a planted secret of the operator's, long"
	leak := &url.Error{Op: "Get", URL: "https://api.example/resolve?account_number=" + number, Err: errors.New("EOF")}
	var printed []any
	show := func(v any) { printed = append(printed, v) }
	for _, mode := range []guard.Mode{guard.Block, guard.ConfirmOnly} {
		for _, r := range []resolver{
			answers("found", holder, nil), answers("unknown", "", core.Errorf(core.NotFound, "No account %s", number).With(leak)),
			answers("down", "", core.Errorf(core.Unavailable, "01-8765-4321").With(leak)), answers("odd", "", leak),
		} {
			cfg := configOf(countries(), r)
			cache := newNameCache(cfg.Clock)
			cfg.Cache, cfg.Settings.Key, cfg.Settings.Guard = cache, secret, guard.Settings{Mode: mode, Daily: 100}
			cfg.Events = recipients.Events{
				Attempt:    func(_ context.Context, a recipients.Attempt) { show(a) },
				Resolution: func(_ context.Context, r recipients.Resolution) { show(r) },
				Alarm:      func(a guard.Alarm) { show(a) },
			}
			s := open(t, cfg)
			for i := range 12 {
				req := nigerian()
				req.AccountNumber, req.Claimed, req.Caller = number, claimed, caller
				switch i {
				case 9:
					req.Claimed = core.Private(strings.Repeat(claimed, 20))
				case 10:
					req.AccountNumber = number + "9"
				case 11:
					req.BankCode, req.Country = number, number
				}
				got, err := s.Resolve(t.Context(), req)
				show(got)
				show(err)
			}
			show(s)
			show(cache.all())
		}
	}
	for _, v := range printed {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			text := fmt.Sprintf(verb, v)
			for _, planted := range []string{number, number[1:], "ZUBAIRU", "Zubairu", caller, secret} {
				if strings.Contains(text, planted) || verb == "%x" && strings.Contains(text, fmt.Sprintf("%x", planted)) {
					t.Fatalf("%q is in %s of a %T: %.500s", planted, verb, v, text)
				}
			}
		}
	}
}

// Messages for clients do not contain what providers say; the log does.
func TestService_Causes(t *testing.T) {
	t.Parallel()
	_, err := service(t, answers("paystack", "", core.Errorf(core.Unavailable, "key sk_x refused"))).Resolve(t.Context(), nigerian())
	e, _ := errors.AsType[*core.Error](err)
	if e.Message != "The account could not be looked up right now; please try again in 5 seconds" {
		t.Errorf("the message is %q", e.Message)
	}
	if !strings.Contains(err.Error(), "paystack: unavailable: key sk_x refused") {
		t.Errorf("the log says %q, want the cause", err)
	}
}
