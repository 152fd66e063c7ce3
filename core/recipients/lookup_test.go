package recipients_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/recipients"
	"causeway/ports"
	_ "causeway/test/fixedseed"
)

// behavior is what a provider does with a call.
type behavior struct {
	name   string
	holder core.Private
	err    error
	act    func(ctx context.Context) // nil: respond at once
}

var (
	errDown     = core.Errorf(core.Unavailable, "down")
	errUnknown  = core.Errorf(core.NotFound, "No account")
	errClosed   = core.Errorf(core.NotFound, "Closed since May").Because(core.ClosedAccount)
	errShared   = core.Errorf(core.NotFound, "Could not be validated").Because(core.SharedNone)
	errDoubtful = core.Errorf(core.NotFound, "Could not resolve").Because(core.DoubtfulNone)
)

// behaviors are all that providers do; the first three are certain.
func behaviors() []behavior {
	return []behavior{
		{name: "found", holder: "ADA OBI"},
		{name: "unknown", err: errUnknown},
		{name: "closed", err: errClosed},
		{name: "down", err: errDown},
		{name: "throttled", err: core.Errorf(core.Unavailable, "throttled").Retry(30 * time.Second)},
		{name: "wrong key", err: core.Errorf(core.Unauthorized, "key")},
		{name: "unsupported", err: core.Errorf(core.Unsupported, "no")},
		{name: "unexpected error", err: errors.New("odd")},
		{name: "empty name", holder: " . "},
		{name: "cancels by itself", err: context.Canceled},
		{name: "hangs", err: context.DeadlineExceeded, act: func(ctx context.Context) { <-ctx.Done() }},
		{name: "panics", act: func(context.Context) { panic("a defect of account 0123456789") }},
	}
}

func (b behavior) certain() bool {
	return slices.Contains([]string{"found", "unknown", "closed"}, b.name)
}

func (b behavior) resolver(name string) resolver {
	return resolver{name: name, resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		if b.act != nil {
			b.act(ctx)
		}
		return b.holder, b.err
	}}
}

// Every combination of three providers: the first certain one decides, later ones are not called,
// the budget holds, and only certain results are cached.
func TestService_OutcomesOfProviders(t *testing.T) {
	t.Parallel()
	for _, a := range behaviors() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			for _, b := range behaviors() {
				for _, c := range behaviors() {
					synctest.Test(t, func(t *testing.T) { checkOutcome(t, a, b, c) })
				}
			}
		})
	}
}

func checkOutcome(t *testing.T, three ...behavior) {
	t.Helper()
	want := slices.IndexFunc(three, behavior.certain)
	var resolvers []ports.AccountResolver
	for i, b := range three {
		r := b.resolver(string(rune('a' + i)))
		if want >= 0 && i > want {
			r = unasked(t)
			r.name = "unasked" + string(rune('a'+i))
		}
		resolvers = append(resolvers, r)
	}
	cfg := configOf(countries(), resolvers...)
	cache := newNameCache(cfg.Clock)
	cfg.Cache = cache
	start := time.Now()
	got, err := open(t, cfg).Resolve(t.Context(), nigerian())
	if took := time.Since(start); took > budget {
		t.Errorf("%v took %s", three, took)
	}
	if want < 0 {
		e, ok := errors.AsType[*core.Error](err)
		if !ok || e.Code != core.Unavailable || e.RetryAfter <= 0 || len(cache.all()) != 0 || strings.Contains(err.Error(), "0123456789") {
			t.Errorf("%v: got %v and %d cached, want unavailable", three, err, len(cache.all()))
		}
		return
	}
	if b := three[want]; got.Holder != b.holder || core.CodeOf(err) != core.CodeOf(b.err) || len(cache.all()) != 1 {
		t.Errorf("%v: got %q, %v and %d cached", three, got.Holder.Reveal(), err, len(cache.all()))
	}
}

func TestService_DoubtfulNotFound(t *testing.T) {
	t.Parallel()
	down, found := answers("down", "", errDown), answers("found", "ADA OBI", nil)
	doubtful := func(name string) resolver { return answers(name, "", errDoubtful) }
	for name, c := range map[string]struct {
		resolvers []ports.AccountResolver
		want      core.Code
	}{
		"the only provider":       {[]ports.AccountResolver{doubtful("a")}, core.NotFound},
		"shared, only provider":   {[]ports.AccountResolver{answers("a", "", errShared)}, core.Unavailable},
		"shared, an outage after": {[]ports.AccountResolver{answers("a", "", errShared), down}, core.Unavailable},
		"shared, another agrees":  {[]ports.AccountResolver{answers("a", "", errShared), doubtful("b"), unasked(t)}, core.NotFound},
		"shared after doubtful":   {[]ports.AccountResolver{doubtful("a"), answers("b", "", errShared), unasked(t)}, core.NotFound},
		"another one finds it":    {[]ports.AccountResolver{doubtful("a"), found}, ""},
		"two agree":               {[]ports.AccountResolver{doubtful("a"), doubtful("b"), unasked(t)}, core.NotFound},
		"two around an outage":    {[]ports.AccountResolver{doubtful("a"), answers("b", "", errDown), doubtful("c")}, core.NotFound},
		"a certain one after it":  {[]ports.AccountResolver{doubtful("a"), answers("b", "", errUnknown), unasked(t)}, core.NotFound},
		"closed after it":         {[]ports.AccountResolver{doubtful("a"), answers("b", "", errClosed), unasked(t)}, core.NotFound},
		"an outage after it":      {[]ports.AccountResolver{doubtful("a"), down}, core.Unavailable},
		"an outage before it":     {[]ports.AccountResolver{answers("a", "", errDown), doubtful("b")}, core.Unavailable},
		"a provider that cannot":  {[]ports.AccountResolver{incapable(), doubtful("b")}, core.NotFound},
		"providers that disagree": {[]ports.AccountResolver{doubtful("a"), answers("b", "", errDown), found}, ""},
	} {
		s := service(t, findingOther(c.resolvers)...)
		reach(t, s)
		_, err := s.Resolve(t.Context(), nigerian())
		if core.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// findingOther makes resolvers find the account of reach.
func findingOther(resolvers []ports.AccountResolver) []ports.AccountResolver {
	out := slices.Clone(resolvers)
	for i, r := range out {
		one, _ := r.(resolver)
		resolve := one.resolve
		one.resolve = func(ctx context.Context, q core.AccountQuery) (core.Private, error) {
			if q.Number == "1111111111" {
				return "ADA OBI", nil
			}
			return resolve(ctx, q)
		}
		out[i] = one
	}
	return out
}

// reach looks up an account that exists, so that doubtful texts about the same bank count.
func reach(t *testing.T, s *recipients.Service) {
	t.Helper()
	req := nigerian()
	req.AccountNumber = "1111111111"
	if _, err := s.Resolve(t.Context(), req); err != nil {
		t.Fatal(err)
	}
}

// In an outage of a bank all providers respond with their doubtful texts, which prove nothing.
func TestService_DoubtfulDuringOutage(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	cfg := configOf(countries(), findingOther([]ports.AccountResolver{answers("a", "", errDoubtful), answers("b", "", errShared)})...)
	cfg.Clock = func() time.Time { return now }
	s := open(t, cfg)
	other := nigerian()
	other.BankCode = "100004"
	check := func(when string, req recipients.Request, want core.Code) {
		t.Helper()
		if _, err := s.Resolve(t.Context(), req); core.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %q", when, err, want)
		}
	}
	check("before an account was found", nigerian(), core.Unavailable)
	reach(t, s)
	check("after one was found", nigerian(), core.NotFound)
	check("at another bank", other, core.Unavailable)
	now = now.Add(10*time.Minute + time.Second)
	check("when that was long ago", nigerian(), core.Unavailable)
}

// incapable is a resolver that resolves nothing in Nigeria.
func incapable() resolver {
	r := answers("incapable", "X", nil)
	r.resolves = func(country string, _ core.Channel, _ core.Bank) bool { return country != "NG" }
	return r
}

// Whatever providers do, a result is what some provider said, and nothing takes longer than the
// budget.
func TestService_InventsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		calls := rapid.SliceOfN(rapid.SampledFrom(behaviors()), 3, 30).Draw(rt, "calls")
		delays := rapid.SliceOfN(rapid.IntRange(0, 3000), len(calls), len(calls)).Draw(rt, "delays in ms")
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			next, said := 0, map[core.Code]bool{}
			var resolvers []ports.AccountResolver
			for _, name := range []string{"a", "b", "c"} {
				resolvers = append(resolvers, resolver{name: name, resolves: always, resolve: func(ctx context.Context, q core.AccountQuery) (core.Private, error) {
					mu.Lock()
					i := next % len(calls)
					next++
					mu.Unlock()
					b := calls[i]
					if _, err := after(name, time.Duration(delays[i])*time.Millisecond, "", nil).resolve(ctx, q); err != nil {
						return "", err
					}
					mu.Lock()
					said[core.CodeOf(b.err)] = said[core.CodeOf(b.err)] || b.certain()
					mu.Unlock()
					return b.resolver(name).resolve(ctx, q)
				}})
			}
			s := service(t, resolvers...)
			for range 5 {
				clear(said)
				start := time.Now()
				_, err := s.Resolve(t.Context(), nigerian())
				if code := core.CodeOf(err); time.Since(start) > budget || code != core.Unavailable && !said[code] {
					t.Errorf("got %v after %s; providers said %v", err, time.Since(start), said)
				}
				synctest.Wait()
			}
		})
	})
}

func TestService_Budget(t *testing.T) {
	t.Parallel()
	slow := func(name string, wait time.Duration) resolver { return after(name, wait, "ADA OBI", nil) }
	for name, c := range map[string]struct {
		resolvers []ports.AccountResolver
		took      time.Duration
		found     bool
	}{
		"one hangs":                        {[]ports.AccountResolver{hangs("a")}, budget, false},
		"one is slow":                      {[]ports.AccountResolver{slow("a", 7*time.Second)}, 7 * time.Second, true},
		"one hangs, half is left":          {[]ports.AccountResolver{hangs("a"), slow("b", 3*time.Second)}, 7 * time.Second, true},
		"two hang, a third is left":        {[]ports.AccountResolver{hangs("a"), hangs("b"), slow("c", 2*time.Second)}, budget/3*2 + 2*time.Second, true},
		"an early failure leaves more":     {[]ports.AccountResolver{after("a", time.Second, "", errDown), slow("b", 4*time.Second)}, 5 * time.Second, true},
		"the first answers after its turn": {[]ports.AccountResolver{slow("a", 5*time.Second), slow("b", 2*time.Second)}, 5 * time.Second, true},
		"all hang":                         {[]ports.AccountResolver{hangs("a"), hangs("b"), hangs("c")}, budget, false},
		"a second for each of many": {[]ports.AccountResolver{
			hangs("a"), hangs("b"), hangs("c"), hangs("d"), hangs("e"), hangs("f"), slow("g", 900*time.Millisecond), hangs("h"), hangs("i"), unasked(t),
		}, 6900 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := service(t, c.resolvers...).Resolve(t.Context(), nigerian())
				if took := time.Since(start); took != c.took || (err == nil) != c.found || !c.found && core.CodeOf(err) != core.Unavailable {
					t.Errorf("got %v after %s, want found %t after %s", err, took, c.found, c.took)
				}
			})
		})
	}
}

// after is a resolver that answers once a time has passed.
func after(name string, wait time.Duration, holder core.Private, err error) resolver {
	return resolver{name: name, resolves: always, resolve: func(ctx context.Context, _ core.AccountQuery) (core.Private, error) {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			return holder, err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
}

func TestService_RetryAfter(t *testing.T) {
	t.Parallel()
	for want, waits := range map[time.Duration][]time.Duration{
		5 * time.Second: {0, -time.Second}, 30 * time.Second: {2 * time.Second, 30 * time.Second, 0}, time.Minute: {24 * time.Hour},
	} {
		var resolvers []ports.AccountResolver
		for i, wait := range waits {
			resolvers = append(resolvers, answers(fmt.Sprint("r", i), "", errDown.Retry(wait)))
		}
		_, err := service(t, resolvers...).Resolve(t.Context(), nigerian())
		if e, ok := errors.AsType[*core.Error](err); !ok || e.RetryAfter != want {
			t.Errorf("%v: got %v, want to retry after %s", waits, err, want)
		}
	}
}

func TestService_Cancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var outcomes []recipients.Outcome
		cfg := configOf(countries(), hangs("a"), unasked(t))
		cfg.Events.Attempt = func(_ context.Context, a recipients.Attempt) { outcomes = append(outcomes, a.Outcome) }
		cfg.Events.Resolution = func(_ context.Context, r recipients.Resolution) { outcomes = append(outcomes, r.Outcome) }
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		s := open(t, cfg)
		for range 2 { // while a provider is called, and before
			if _, err := s.Resolve(ctx, nigerian()); !errors.Is(err, context.Canceled) || core.CodeOf(err) != core.Internal {
				t.Errorf("got %v, want context.Canceled as it is", err)
			}
		}
		if !slices.Equal(outcomes, []recipients.Outcome{recipients.Abandoned, recipients.Abandoned}) {
			t.Errorf("got %v", outcomes)
		}
	})
	t.Run("deadline of the client", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := service(t, hangs("a")).Resolve(ctx, nigerian()); core.CodeOf(err) != core.Unavailable {
				t.Errorf("got %v, want unavailable", err)
			}
		})
	})
}

func TestService_Panic(t *testing.T) {
	t.Parallel()
	var attempts []recipients.Attempt
	panics := behaviors()[len(behaviors())-1]
	cfg := configOf(countries(), panics.resolver("broken"), answers("sound", "ADA OBI", nil))
	cfg.Events.Attempt = func(_ context.Context, a recipients.Attempt) { attempts = append(attempts, a) }
	if got, err := open(t, cfg).Resolve(t.Context(), nigerian()); err != nil || got.Holder != "ADA OBI" {
		t.Errorf("got %q, %v", got.Holder.Reveal(), err)
	}
	if len(attempts) != 2 || attempts[0].Outcome != recipients.Panicked || !strings.Contains(string(attempts[0].Stack), "lookup_test.go") ||
		strings.Contains(string(attempts[0].Stack), "0123456789") {
		t.Errorf("got %+v", attempts)
	}
}

func TestService_NotFoundText(t *testing.T) {
	t.Parallel()
	for want, req := range map[string]recipients.Request{
		"No account with this number exists at Guaranty Trust Bank":       nigerian(),
		"No account with this number exists at M-PESA":                    {Currency: "KES", Country: "KE", Channel: "mobile_money", BankCode: "MPESA", AccountNumber: "0712345678"},
		"No account with this number exists: there is no such till":       {Currency: "KES", Country: "KE", Channel: "till", AccountNumber: "174379"},
		"No account with this number exists: there is no such pay bill":   {Currency: "KES", Country: "KE", Channel: "pay_bill", AccountNumber: "174379"},
		"No account with this number exists: there is no such wallet":     {Currency: "XOF", Country: "SN", Channel: "mobile_money", AccountNumber: "771234567"},
		"No account with this number was found at Orange Money. Numbers ": {Currency: "XOF", Country: "CI", Channel: "mobile_money", AccountNumber: "0701234567"},
	} {
		cfg := configOf(countries(), answers("a", "", errUnknown))
		cfg.Cache = newNameCache(cfg.Clock)
		s := open(t, cfg)
		for _, when := range []string{"looked up", "cached"} {
			_, err := s.Resolve(t.Context(), req)
			if e, ok := errors.AsType[*core.Error](err); !ok || e.Code != core.NotFound || !strings.HasPrefix(e.Message, want) {
				t.Errorf("%s: got %v, want %q", when, err, want)
			}
		}
	}
	_, err := service(t, answers("a", "", errClosed)).Resolve(t.Context(), nigerian())
	if e, ok := errors.AsType[*core.Error](err); !ok || e.Message != "The account is closed or dormant" {
		t.Errorf("got %v, want a closed account", err)
	}
}
