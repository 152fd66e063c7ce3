package porttest

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Source holds the inputs of the suite of ports.RateSource.
type Source struct {
	// Open opens a source over a working provider.
	Open func(t *testing.T) ports.RateSource
	// Listed are at least two markets that the provider quotes, with its digits.
	Listed []Quote
	// Unlisted is a market that the provider does not know.
	Unlisted core.Pair
	// At is the time of every quote: the provider's, or the time of receipt if it gives none.
	At time.Time
	// Unreadable opens a source over a provider that quotes the first listed market unreadably and the
	// second one well, by kind of failure.
	Unreadable map[string]func(t *testing.T) ports.RateSource
	// Broken opens a source over a failing provider, by kind of failure.
	Broken map[string]func(t *testing.T) ports.RateSource
	// Throttled opens a source over a provider that refuses requests for RetryAfter.
	Throttled  func(t *testing.T) ports.RateSource
	RetryAfter time.Duration
	// Hanging opens a source over a provider that never responds, in a synctest bubble.
	Hanging func(t *testing.T) ports.RateSource
	// Live marks a real provider, for which Unreadable may be missing.
	Live bool
}

// Quote is a market with the provider's digits. Bid and Ask are equal if it has no book.
type Quote struct {
	Pair     core.Pair
	Bid, Ask string
	At       time.Time // zero: Source.At
}

// RateSource checks the contract of ports.RateSource.
func RateSource(t *testing.T, s Source) {
	t.Helper()
	require(t, s.Open != nil && s.Hanging != nil && s.Throttled != nil, "Open, Hanging and Throttled")
	require(t, len(s.Listed) > 1 && s.Unlisted != core.Pair{} && !s.At.IsZero(), "two Listed, Unlisted and At")
	require(t, s.Live || len(s.Unreadable) > 0, "Unreadable")
	require(t, len(s.Broken) > 0 && s.RetryAfter > 0, "Broken and RetryAfter")

	t.Run("name", func(t *testing.T) {
		t.Parallel()
		checkName(t, s.Open(t).Name)
	})
	t.Run("listed markets", func(t *testing.T) {
		t.Parallel()
		s.wantAll(t, s.Open(t), s.pairs())
	})
	t.Run("listed and unlisted markets", func(t *testing.T) {
		t.Parallel()
		s.wantAll(t, s.Open(t), append([]core.Pair{s.Unlisted}, s.pairs()...))
	})
	t.Run("unlisted markets", s.unlisted)
	t.Run("unreadable quote", s.unreadable)
	t.Run("broken provider", s.broken)
	t.Run("throttled", s.throttled)
	t.Run("concurrent use", func(t *testing.T) {
		t.Parallel()
		source := s.Open(t)
		concurrently(func() { s.wantAll(t, source, s.pairs()) })
	})
	t.Run("canceled context", func(t *testing.T) {
		t.Parallel()
		checkCanceled(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			source := s.Hanging(t)
			return func(ctx context.Context) error {
				_, err := source.Observe(ctx, s.pairs())
				return err
			}
		})
	})
}

func (s Source) unlisted(t *testing.T) {
	t.Parallel()
	for _, markets := range [][]core.Pair{nil, {s.Unlisted}} {
		if got, err := s.Open(t).Observe(t.Context(), markets); err != nil || len(got) > 0 {
			t.Errorf("%v: got %v, %v; want no observations", markets, got, err)
		}
	}
}

func (s Source) unreadable(t *testing.T) {
	t.Parallel()
	for how, open := range s.Unreadable {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			got, err := open(t).Observe(t.Context(), s.pairs()[:2])
			if err != nil || len(got) != 1 || got[0].Pair != s.Listed[1].Pair {
				t.Errorf("got %v, %v; want %s alone", got, err, s.Listed[1].Pair)
			}
		})
	}
}

func (s Source) throttled(t *testing.T) {
	t.Parallel()
	_, err := s.Throttled(t).Observe(t.Context(), s.pairs())
	wantCode(t, err, core.Unavailable)
	if e, ok := errors.AsType[*core.Error](err); !ok || e.RetryAfter != s.RetryAfter {
		t.Errorf("got %v, want RetryAfter %s", err, s.RetryAfter)
	}
}

func (s Source) broken(t *testing.T) {
	t.Parallel()
	for how, open := range s.Broken {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			got, err := open(t).Observe(t.Context(), s.pairs())
			wantCode(t, err, core.Unavailable)
			if len(got) > 0 {
				t.Errorf("got %v and an error, want no observations", got)
			}
		})
	}
}

func (s Source) pairs() []core.Pair {
	out := make([]core.Pair, len(s.Listed))
	for i, q := range s.Listed {
		out[i] = q.Pair
	}
	return out
}

// wantAll checks that Observe returns exactly the listed markets with the provider's digits.
func (s Source) wantAll(t *testing.T, source ports.RateSource, markets []core.Pair) {
	t.Helper()
	given := slices.Clone(markets)
	got, err := source.Observe(t.Context(), given)
	if err != nil {
		t.Error(err)
		return
	}
	if !slices.Equal(given, markets) {
		t.Errorf("Observe changed its argument from %v to %v", markets, given)
	}
	if len(got) != len(s.Listed) {
		t.Errorf("got %d observations, want %d: %v", len(got), len(s.Listed), got)
	}
	for _, want := range s.Listed {
		i := slices.IndexFunc(got, func(o core.Observation) bool { return o.Pair == want.Pair })
		if i < 0 {
			t.Errorf("%s: got no observation, want one", want.Pair)
			continue
		}
		o := got[i]
		if o.Bid.String() != want.Bid || o.Ask.String() != want.Ask {
			t.Errorf("%s: got %s and %s, want %s and %s", want.Pair, o.Bid, o.Ask, want.Bid, want.Ask)
		}
		if at := cmp.Or(want.At, s.At); !o.At.Equal(at) || o.Source != source.Name() {
			t.Errorf("%s: got %s from %q, want %s from %q", want.Pair, o.At, o.Source, at, source.Name())
		}
	}
}
