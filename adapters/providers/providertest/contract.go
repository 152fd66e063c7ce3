package providertest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"causeway/core"
	"causeway/ports"
)

// WorkingRates checks the contract of ports.RateSource over a provider that works.
type WorkingRates struct {
	Open     func(t *testing.T) ports.RateSource
	Listed   []Quote   // at least two markets that the provider quotes, with its digits
	Unlisted core.Pair // a market that the provider does not know
	At       time.Time // of every quote: the provider's time, or the time of receipt if it gives none
}

// WorkingDirectory checks the contract of ports.BankDirectory over a provider that works.
type WorkingDirectory struct {
	Open    func(t *testing.T) ports.BankDirectory
	Codes   map[string]map[string]string // samples by country: Causeway's code and the provider's
	LeftOut map[string][]string          // by country: the provider's codes of deleted, inactive and unnamed entries
	Rows    []core.Bank                  // names, types, channels and currencies of listed entries
}

// WorkingResolver checks the contract of ports.AccountResolver over a provider that works.
type WorkingResolver struct {
	Open            func(t *testing.T) ports.AccountResolver
	Found           map[string]Holder
	Unknown, Closed core.AccountQuery            // empty for a real provider
	Doubtful        map[string]core.AccountQuery // without a clear result
}

// WorkingConfirmer checks the contract of ports.AccountConfirmer over a provider that works.
type WorkingConfirmer struct {
	Claims

	Open func(t *testing.T) ports.AccountConfirmer
}

// nameForm is the form of the name of an adapter.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func checkName(t *testing.T, name string) {
	t.Helper()
	if !nameForm.MatchString(name) {
		t.Errorf("got name %q, want lower-case letters and digits", name)
	}
}

// concurrently runs a subtest that calls f in several goroutines at once.
func concurrently(t *testing.T, f func()) {
	t.Helper()
	t.Run("concurrent use", func(*testing.T) {
		var work sync.WaitGroup
		for range 8 {
			work.Go(f)
		}
		work.Wait()
	})
}

// wantError checks the code of an error, and that its text contains none of the private texts. It
// returns the message.
func wantError(t *testing.T, err error, want core.Code, private ...string) string {
	t.Helper()
	e, ok := errors.AsType[*core.Error](err)
	if !ok || e.Code != want {
		t.Errorf("got %v, want a *core.Error with code %s", err, want)
		return ""
	}
	for _, text := range private {
		if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("error %v contains %s", err, text)
		}
	}
	return e.Message
}

// alone returns err, or an error without a code if there is also a result.
func alone(err error, result bool) error {
	if err != nil && result {
		return errors.New("got a result and an error: " + err.Error())
	}
	return err
}

// checkDeadlines checks when a call to a provider that never responds returns: after the time-out of
// the adapter, or as soon as its context ends.
func checkDeadlines(t *testing.T, timeout time.Duration, open func(t *testing.T) (call func(context.Context) error)) {
	t.Helper()
	for name, c := range map[string]struct{ deadline, cancel, want time.Duration }{
		"time-out":                 {time.Hour, time.Hour, timeout},
		"deadline":                 {attemptTimeout / 2, time.Hour, attemptTimeout / 2},
		"canceled during the call": {time.Hour, time.Second, time.Second},
		"canceled before the call": {time.Hour, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				call := open(t)
				ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
				defer cancel()
				if c.cancel == 0 {
					cancel()
				}
				defer time.AfterFunc(c.cancel, cancel).Stop()
				start := time.Now()
				err := call(ctx)
				if took := time.Since(start); took != c.want {
					t.Errorf("took %s, want %s", took, c.want)
				}
				canceled := errors.Is(ctx.Err(), context.Canceled)
				if code := core.CodeOf(err); err == nil || code == core.NotFound || !canceled && code != core.Unavailable {
					t.Errorf("got %v, want an unavailable error", err)
				}
			})
		})
	}
}

// Run tests the source.
func (w WorkingRates) Run(t *testing.T) {
	t.Helper()
	if len(w.Listed) < 2 || w.Unlisted == (core.Pair{}) || w.At.IsZero() {
		t.Fatal("the contract requires two markets in Listed, Unlisted and At")
	}
	source, listed := w.Open(t), pairs(w.Listed)
	checkName(t, source.Name())
	for name, markets := range map[string][]core.Pair{
		"listed markets": listed, "listed and unlisted markets": append([]core.Pair{w.Unlisted}, listed...),
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); w.wantListed(t, w.Open(t), markets) })
	}
	for name, markets := range map[string][]core.Pair{"no markets": nil, "unlisted market": {w.Unlisted}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := w.Open(t).Observe(t.Context(), markets); err != nil || len(got) > 0 {
				t.Errorf("got %v, %v; want no observations", got, err)
			}
		})
	}
	concurrently(t, func() { w.wantListed(t, source, listed) })
}

// wantListed checks that Observe returns exactly the listed markets with the provider's digits.
func (w WorkingRates) wantListed(t *testing.T, source ports.RateSource, markets []core.Pair) {
	t.Helper()
	given := slices.Clone(markets)
	got, err := source.Observe(t.Context(), given)
	if err != nil || len(got) != len(w.Listed) {
		t.Errorf("got %d observations, %v; want %d: %v", len(got), err, len(w.Listed), got)
	}
	if !slices.Equal(given, markets) {
		t.Errorf("Observe changed its argument from %v to %v", markets, given)
	}
	for _, want := range w.Listed {
		i := slices.IndexFunc(got, func(o core.Observation) bool { return o.Pair == want.Pair })
		if i < 0 {
			t.Errorf("%s: got no observation, want one", want.Pair)
			continue
		}
		o := got[i]
		if o.Bid.String() != want.Bid || o.Ask.String() != want.Ask {
			t.Errorf("%s: got %s and %s, want %s and %s", want.Pair, o.Bid, o.Ask, want.Bid, want.Ask)
		}
		if at := cmp.Or(want.At, w.At); !o.At.Equal(at) || o.Source != source.Name() {
			t.Errorf("%s: got %s from %q, want %s from %q", want.Pair, o.At, o.Source, at, source.Name())
		}
	}
}

// Run tests the directory.
func (w WorkingDirectory) Run(t *testing.T) {
	t.Helper()
	if len(w.Codes) == 0 {
		t.Fatal("the contract requires Codes")
	}
	directory := w.Open(t)
	checkName(t, directory.Name())
	seen := map[string]bool{}
	for _, country := range directory.Countries() {
		if len(country) != 2 || strings.ToUpper(country) != country || seen[country] {
			t.Errorf("got country %q in %v", country, directory.Countries())
		}
		seen[country] = true
		t.Run("banks of "+country, func(t *testing.T) { t.Parallel(); w.country(t, country) })
	}
	for country := range w.Codes {
		if !seen[country] {
			t.Errorf("got countries %v without %s", directory.Countries(), country)
		}
	}
	_, err := directory.Banks(t.Context(), "XX")
	wantError(t, err, core.Unsupported)
	country := slices.Sorted(maps.Keys(w.Codes))[0]
	concurrently(t, func() {
		if _, err := directory.Banks(t.Context(), country); err != nil {
			t.Error(err)
		}
	})
}

// country checks every bank of a country.
func (w WorkingDirectory) country(t *testing.T, country string) {
	t.Helper()
	directory := w.Open(t)
	banks, err := directory.Banks(t.Context(), country)
	if err != nil || len(banks) == 0 {
		t.Fatalf("got %d banks, %v", len(banks), err)
	}
	seen, codes := map[string]bool{}, map[string]string{}
	for _, b := range banks {
		own := b.Codes[directory.Name()]
		checkBank(t, country, b, own)
		entry := strings.Join([]string{b.Code, own, b.Name, string(b.Type)}, " ")
		if seen[entry] {
			t.Errorf("got %s twice", entry)
		}
		seen[entry] = true
		codes[b.Code] = own
		if slices.Contains(w.LeftOut[country], own) {
			t.Errorf("got %q (%s), want it left out", b.Name, own)
		}
	}
	for code, want := range w.Codes[country] {
		if codes[code] != want {
			t.Errorf("bank %q: got provider code %q, want %q", code, codes[code], want)
		}
	}
	for _, want := range w.Rows {
		if want.Country == country && !slices.ContainsFunc(banks, func(b core.Bank) bool {
			return b.Code == want.Code && b.Name == want.Name && b.Type == want.Type && b.Currency == want.Currency &&
				slices.Equal(b.Channels, want.Channels)
		}) {
			t.Errorf("got no bank %+v", want)
		}
	}
}

// bankTypes are the types that a bank of a directory may have.
var bankTypes = []core.BankType{
	core.CommercialBank, core.MicrofinanceBank, core.MortgageBank, core.PaymentServiceBank, core.MobileMoneyBank,
	core.OtherBank,
}

// checkBank checks that a bank is complete, and that its name and codes are trimmed and no
// placeholders.
func checkBank(t *testing.T, country string, b core.Bank, own string) {
	t.Helper()
	if b.Country != country || len(b.Currency) != 3 || len(b.Channels) == 0 || !slices.Contains(bankTypes, b.Type) {
		t.Errorf("got incomplete bank %+v", b)
	}
	if strings.Join(strings.Fields(b.Name), " ") != b.Name || strings.TrimSpace(own) != own ||
		strings.ToUpper(b.Code) != b.Code || strings.ContainsFunc(b.Code, unicode.IsSpace) {
		t.Errorf("got %+v, want a trimmed name and an upper-case code without spaces", b)
	}
	placeholders := []string{"", "null", "undefined", "none", "n/a", "nil", "bad entry"}
	for _, text := range []string{b.Name, b.Code, own} {
		if slices.Contains(placeholders, strings.ToLower(text)) {
			t.Errorf("got placeholder %q in %+v", text, b)
		}
	}
}

// Run tests the resolver.
func (w WorkingResolver) Run(t *testing.T) {
	t.Helper()
	if len(w.Found) == 0 {
		t.Fatal("the contract requires Found")
	}
	resolver := w.Open(t)
	checkName(t, resolver.Name())
	for name, h := range w.Found {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !resolver.Resolves(h.Query.Country, h.Query.Channel, h.Query.Bank) {
				t.Error("Resolves is false, want true")
			}
			wantHolder(t, w.Open(t), h)
		})
	}
	t.Run("not found", func(t *testing.T) {
		t.Parallel()
		messages := map[string]int{}
		for _, q := range []core.AccountQuery{w.Unknown, w.Closed} {
			if q.Country != "" {
				messages[w.refused(t, q, core.NotFound)]++
			}
		}
		for message, n := range messages {
			if n > 1 || message == "" {
				t.Errorf("got message %q for %d of unknown and closed", message, n)
			}
		}
	})
	for name, q := range w.Doubtful {
		t.Run(name, func(t *testing.T) { t.Parallel(); w.refused(t, q, core.Unavailable) })
	}
	known := w.Found[slices.Sorted(maps.Keys(w.Found))[0]]
	concurrently(t, func() { wantHolder(t, resolver, known) })
}

// refused checks that a query fails and returns the message.
func (w WorkingResolver) refused(t *testing.T, q core.AccountQuery, want core.Code) string {
	t.Helper()
	name, err := w.Open(t).Resolve(t.Context(), q)
	return wantError(t, alone(err, name != ""), want, q.Number.Reveal())
}

// wantHolder checks the name of a holder, which is trimmed and has inner spaces collapsed.
func wantHolder(t *testing.T, resolver ports.AccountResolver, h Holder) {
	t.Helper()
	name, err := resolver.Resolve(t.Context(), h.Query)
	if got := name.Reveal(); err != nil || got != h.Name || got == "" || strings.Join(strings.Fields(got), " ") != got {
		t.Errorf("got %q, %v; want %q, trimmed", got, err, h.Name)
	}
}

// Run tests the confirmer.
func (c WorkingConfirmer) Run(t *testing.T) {
	t.Helper()
	if len(c.Matching) == 0 || len(c.Different) == 0 || c.Unknown.Query.Country == "" || c.Closed.Query.Country == "" {
		t.Fatal("the contract requires Matching, Different, Unknown and Closed")
	}
	confirmer := c.Open(t)
	checkName(t, confirmer.Name())
	for want, claims := range map[core.NameMatch]map[string]Claim{core.Match: c.Matching, core.NoMatch: c.Different} {
		for name, claim := range claims {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if q := claim.Query; !confirmer.Confirms(q.Country, q.Channel, q.Bank) {
					t.Error("Confirms is false, want true")
				}
				wantDecision(t, c.Open(t), claim, want)
			})
		}
	}
	t.Run("not found", func(t *testing.T) {
		t.Parallel()
		unknown := refusedClaim(t, c.Open(t), c.Unknown, core.NotFound)
		closed := refusedClaim(t, c.Open(t), c.Closed, core.NotFound)
		if unknown == closed || unknown == "" || closed == "" {
			t.Errorf("got messages %q and %q, want one each for unknown and closed", unknown, closed)
		}
	})
	for name, claim := range c.Doubtful {
		t.Run(name, func(t *testing.T) { t.Parallel(); refusedClaim(t, c.Open(t), claim, core.Unavailable) })
	}
	known := c.Matching[slices.Sorted(maps.Keys(c.Matching))[0]]
	concurrently(t, func() { wantDecision(t, confirmer, known, core.Match) })
}

func wantDecision(t *testing.T, confirmer ports.AccountConfirmer, c Claim, want core.NameMatch) {
	t.Helper()
	if got, err := confirmer.Confirm(t.Context(), c.Query, c.Holder); err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// refusedClaim checks that a claim fails and returns the message.
func refusedClaim(t *testing.T, confirmer ports.AccountConfirmer, c Claim, want core.Code) string {
	t.Helper()
	got, err := confirmer.Confirm(t.Context(), c.Query, c.Holder)
	return wantError(t, alone(err, got != ""), want, private(c)...)
}
