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

// Source says how to open a ports.RateSource, and what it must say.
type Source struct {
	// Open opens it over a provider that works.
	Open func(t *testing.T) ports.RateSource
	// Listed are markets that the provider quotes, at least two, with the digits that it shows.
	Listed []Quote
	// Unlisted is a market that the provider does not know.
	Unlisted core.Pair
	// At is the time of every quote: the provider's own, or the instant of receipt where it gives
	// none.
	At time.Time
	// Unreadable opens it over a provider whose first listed market cannot be read, by how; the
	// second one can.
	Unreadable map[string]func(t *testing.T) ports.RateSource
	// Broken opens it over a provider that fails, by how it does.
	Broken map[string]func(t *testing.T) ports.RateSource
	// Throttled opens it over a provider that says "too many requests; come back after RetryAfter".
	Throttled  func(t *testing.T) ports.RateSource
	RetryAfter time.Duration
	// Hanging opens it over a provider that never answers, in a synctest bubble.
	Hanging func(t *testing.T) ports.RateSource
	// Live is true over a real provider, whose quotes cannot be spoilt: Unreadable may be missing.
	Live bool
}

// Quote is a market with the digits that the provider shows; both alike where it has no book.
type Quote struct {
	Pair     core.Pair
	Bid, Ask string
	At       time.Time // zero: that of the Source
}

// RateSource checks the contract of ports.RateSource.
func RateSource(t *testing.T, s Source) {
	t.Helper()
	need(t, s.Open != nil && s.Hanging != nil && s.Throttled != nil, "Open, Hanging and Throttled")
	need(t, len(s.Listed) > 1 && s.Unlisted != core.Pair{} && !s.At.IsZero(), "two Listed, Unlisted and At")
	need(t, s.Live || len(s.Unreadable) > 0, "Unreadable")
	need(t, len(s.Broken) > 0 && s.RetryAfter > 0, "Broken and RetryAfter")

	t.Run("has a stable, lower-case name", func(t *testing.T) {
		t.Parallel()
		named(t, s.Open(t).Name)
	})
	t.Run("returns each listed market once, with the provider's own digits and time", func(t *testing.T) {
		t.Parallel()
		s.wantAll(t, s.Open(t), s.pairs())
	})
	t.Run("misses a market that it does not list, which is no error and costs no other", func(t *testing.T) {
		t.Parallel()
		s.wantAll(t, s.Open(t), append([]core.Pair{s.Unlisted}, s.pairs()...))
	})
	t.Run("returns nothing for markets of which it lists none", s.nothing)
	t.Run("misses a market that cannot be read as two plain decimals:", s.unreadable)
	t.Run("is unavailable when the provider cannot be reached or understood, or refuses the key:", s.broken)
	t.Run("is unavailable when it is throttled, and says when to come back", s.throttled)
	t.Run("is safe for concurrent use", func(t *testing.T) {
		t.Parallel()
		source := s.Open(t)
		together(func() { s.wantAll(t, source, s.pairs()) })
	})
	t.Run("returns promptly when its context is done:", func(t *testing.T) {
		t.Parallel()
		leavesPromptly(t, func(t *testing.T) func(context.Context) error {
			t.Helper()
			source := s.Hanging(t)
			return func(ctx context.Context) error {
				_, err := source.Observe(ctx, s.pairs())
				return err
			}
		})
	})
}

func (s Source) nothing(t *testing.T) {
	t.Parallel()
	for _, markets := range [][]core.Pair{nil, {s.Unlisted}} {
		if got, err := s.Open(t).Observe(t.Context(), markets); err != nil || len(got) > 0 {
			t.Errorf("%v: got %v, %v", markets, got, err)
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
		t.Errorf("got %v, want an error to be retried after %s", err, s.RetryAfter)
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
				t.Errorf("got %v beside the error", got)
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

// wantAll checks that exactly the listed markets are observed, as the provider shows them.
func (s Source) wantAll(t *testing.T, source ports.RateSource, markets []core.Pair) {
	t.Helper()
	given := slices.Clone(markets)
	got, err := source.Observe(t.Context(), given)
	if err != nil {
		t.Error(err)
		return
	}
	if !slices.Equal(given, markets) {
		t.Errorf("changed the markets that it was given from %v to %v", markets, given)
	}
	if len(got) != len(s.Listed) {
		t.Errorf("got %d observations, want %d: %v", len(got), len(s.Listed), got)
	}
	for _, want := range s.Listed {
		i := slices.IndexFunc(got, func(o core.Observation) bool { return o.Pair == want.Pair })
		if i < 0 {
			t.Errorf("%s is missing", want.Pair)
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
