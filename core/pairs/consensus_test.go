package pairs_test

import (
	"context"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

func TestConsensus_OneVotePerFamily(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 3)
	cfg.Sources = append(cfg.Sources,
		core.Source{Name: "a", Family: "twins", Kind: core.BookSource, Interval: 2 * time.Second},
		core.Source{Name: "b", Family: "twins", Kind: core.BookSource, Interval: 2 * time.Second})
	s := openPanel(t, cfg)
	s.venues["a"].lag = time.Second
	s.play(t, []step{{say: "100 100.5 100.2", want: "fresh 100.35", out: "a same_family"}})
	s.venues["a"].lag = 0
	s.play(t, []step{
		{wait: 10 * time.Second, want: "fresh", out: "b same_family"},     // as new as each other: the first by name
		{say: "- - down", wait: 40 * time.Second, want: "stale degraded"}, // two sources, one family
	})
}

func TestConsensus_LastResort(t *testing.T) {
	t.Parallel()
	cfg := panelConfig("BTC/USD", "major", 2)
	cfg.Markets[0].Quorum = 1
	cfg.Sources = append(cfg.Sources, core.Source{Name: "b", Family: "b", Kind: core.MidSource, Interval: 2 * time.Second})
	openPanel(t, cfg).play(t, []step{
		{say: "100 100.5", want: "fresh 100", out: "b last_resort"},
		{say: "down", wait: 32 * time.Second, want: "fresh 100.5", out: "a unreachable"},
	})
}

// slow is panelConfig with intervals of the venues b and c.
func slow(b, c time.Duration) pairs.Config {
	cfg := panelConfig("BTC/USD", "major", 3)
	cfg.Sources = append(cfg.Sources,
		core.Source{Name: "b", Family: "b", Kind: core.BookSource, Interval: b},
		core.Source{Name: "c", Family: "c", Kind: core.BookSource, Interval: c})
	return cfg
}

func TestConsensus_FirstMover(t *testing.T) {
	t.Parallel()
	s := openPanel(t, slow(3*time.Second, 4*time.Second))
	s.Tick(t.Context())
	s.play(t, []step{
		{say: "75 75 75", wait: time.Second, times: 3, want: "fresh 100"}, // one after the other reports the crash
		{wait: time.Second, want: "fresh 75", out: "none"},
	})
	if !s.quote(t, s.id).Legs[0].Rate.Jumped {
		t.Error("the jump is not marked")
	}
	s.play(t, []step{
		{say: "- - 90", wait: time.Second, times: 15, want: "fresh"},
		{wait: time.Second, want: "fresh 75", out: "c outlier"},
	})
	s = openPanel(t, slow(25*time.Second, 25*time.Second))
	s.Tick(t.Context())
	s.play(t, []step{
		{say: "90", want: "fresh 100", out: "none"},
		{wait: 5 * time.Second, want: "fresh 100", out: "a outlier"}, // the others are too slow to wait for
	})
}

func TestConsensus_ReadmissionOfDailySource(t *testing.T) {
	t.Parallel()
	s := panel(t, "USD/EUR", "official", 2)
	s.venues["b"].observe = func(context.Context, []core.Pair) ([]core.Observation, error) { // nothing new for a day
		return []core.Observation{{Pair: pair(s.market), Bid: dec("0.801"), Ask: dec("0.801"), At: noon, Source: "b"}}, nil
	}
	s.play(t, []step{
		{say: "0.8", want: "fresh"},
		{say: "8", wait: time.Hour, want: "halted disputed"},
		{say: "0.8", wait: time.Hour, times: 2, want: "halted disputed"},
		{wait: time.Hour, want: "fresh"}, // the third sample of both
	})
}

func TestRate_AsOfCompletesQuorum(t *testing.T) {
	t.Parallel()
	s := panel(t, "BTC/USD", "street", 3)
	for i, lag := range []time.Duration{time.Second, 7 * time.Second, 30 * time.Second} {
		s.venues[venueName(i)].lag = lag
	}
	s.Tick(t.Context())
	if got := s.quote(t, "BTCUSD").Legs[0].Rate.AsOf; !got.Equal(noon.Add(-7 * time.Second)) {
		t.Errorf("as of %s, want the second newest vote, 7 s before noon", got)
	}
}

func TestMarket_Bounds(t *testing.T) {
	t.Parallel()
	t.Run("range", func(t *testing.T) {
		t.Parallel()
		cfg := panelConfig("USD/EUR", "official", 1)
		cfg.Markets[0].Low, cfg.Markets[0].High = dec("0.6"), dec("1.2")
		openPanel(t, cfg).play(t, []step{
			{say: "8"},
			{say: "0.8", wait: time.Hour, want: "fresh 0.8"},
			{say: "0.08", wait: time.Hour, want: "halted off_bounds 0.8"},
		})
	})
	t.Run("route", func(t *testing.T) {
		t.Parallel()
		cfg := panelConfig("USDT/NGN", "street", 1)
		cfg.MarketClasses[1].Bound, cfg.Markets[0].Bound = dec("0.25"), "USD"
		cfg.Markets = append(cfg.Markets, config().Markets[1], config().Markets[4])
		s := openQuoted(t, cfg) // 1490 officially
		s.market, s.id = "USDT/NGN", "USDTNGN"
		s.play(t, []step{
			{say: "1500"}, // the bound is not known yet
			{want: "fresh 1500"},
			{say: "1700", wait: time.Minute, want: "fresh 1700"},
			{say: "1862.5", wait: time.Minute, want: "fresh 1862.5"},
			{say: "1863", want: "halted off_bounds 1862.5"},
			{say: "1600", wait: time.Minute, want: "fresh 1600"},
		})
	})
}
