package pairs_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/storage"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	for i := range 31 * 12 { // a month, by two hours
		s.quoteAll("BTC/USD", decimal.New(int64(100_000+i), 0).String())
		s.step(t, 2*time.Hour)
	}
	for period, want := range map[string]struct {
		every time.Duration
		count int // of what a price every two hours leaves
		most  int
	}{"1d": {2 * time.Hour, 12, 288}, "7d": {2 * time.Hour, 84, 84}, "30d": {4 * time.Hour, 180, 180}} {
		got, err := s.History(t.Context(), "BTCUSD", period)
		if err != nil || len(got) != want.count || want.most > 300 {
			t.Fatalf("%s: got %d points, %v, want %d", period, len(got), err, want.count)
		}
		for i := range got {
			if i > 0 && got[i].At.Sub(got[i-1].At) != want.every {
				t.Fatalf("%s: %s after %s", period, got[i].At, got[i-1].At)
			}
		}
		last := got[len(got)-1]
		same(t, period, last.Mid, "100371")
		if s.clock.Now().Sub(last.At) >= want.every {
			t.Errorf("%s: the last point is of %s", period, last.At)
		}
	}
}

func TestHistory_Unknown(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	if _, err := s.History(t.Context(), "BTCXXX", "1d"); core.CodeOf(err) != core.NotFound {
		t.Errorf("an unknown pair: %v", err)
	}
	if _, err := s.History(t.Context(), "BTCUSD", "2d"); core.CodeOf(err) != core.Invalid {
		t.Errorf("an unknown period: %v", err)
	}
	cfg := config()
	_, sources := venuesOf(cfg, s.clock.Now)
	none, err := pairs.New(cfg, sources, s.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := none.History(t.Context(), "BTCUSD", "1d"); core.CodeOf(err) != core.Unavailable {
		t.Errorf("without a history: %v", err)
	}
}

// forgetful fails from a moment on.
type forgetful struct {
	ports.RateHistory
	failing bool
}

func (f *forgetful) Read(
	ctx context.Context, p core.Pair, from time.Time, every time.Duration, n int,
) ([]core.PricePoint, error) {
	if f.failing {
		return nil, outage
	}
	return f.RateHistory.Read(ctx, p, from, every, n)
}

func TestHistory_Backfill(t *testing.T) {
	t.Parallel()
	cfg := config()
	f := &forgetful{RateHistory: storage.NewHistory(nil, func(p core.Pair, at time.Time) (decimal.Decimal, bool) {
		return dec("80000"), p == pair("BTC/USD") && at.Before(noon)
	}, nil, nil)}
	cfg.History = f
	s := start(t, cfg)
	same(t, "the change", s.quote(t, "BTCUSD").Change24h, "25")
	got, err := s.History(t.Context(), "BTCUSD", "1d")
	if err != nil || len(got) != 288 {
		t.Fatalf("got %d points, %v", len(got), err)
	}
	same(t, "the first", got[0].Mid, "80000")
	same(t, "the last", got[287].Mid, "100000")
	f.failing = true
	s.step(t, time.Hour)
	same(t, "the change without a history", s.want(t, "BTCUSD", pairs.Fresh, "").Change24h, "25")
}

// counted counts the prices that are read.
type counted struct {
	ports.RateHistory
	read int
}

func (c *counted) Read(
	ctx context.Context, p core.Pair, from time.Time, every time.Duration, n int,
) ([]core.PricePoint, error) {
	c.read += n
	return c.RateHistory.Read(ctx, p, from, every, n)
}

// A new world of the sandbox has a price for every instant of the past, and computes each one that is read.
func TestHistory_FirstPrices(t *testing.T) {
	t.Parallel()
	cfg := config()
	h := &counted{RateHistory: storage.NewHistory(nil, func(core.Pair, time.Time) (decimal.Decimal, bool) {
		return dec("80000"), true
	}, nil, nil)}
	cfg.History = h
	start(t, cfg)
	if most := 2 * len(cfg.Listings); h.read > most { // the last price, and the one a day ago
		t.Errorf("first prices read %d recorded ones, want at most %d", h.read, most)
	}
}
