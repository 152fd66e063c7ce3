package pairs_test

import (
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

func TestNew_Invalid(t *testing.T) {
	t.Parallel()
	cfg := config()
	_, sources := venuesOf(cfg, nil)
	cfg.Sources[0].Interval = 30 * time.Second
	cfg.Sources[1].Interval = 0
	cfg.Markets[3].Sources = []string{"missing"}
	_, err := pairs.New(cfg, sources, nil)
	for _, want := range []string{
		"market BTC/USD: polled every 30s at alpha",
		"market BTC/USD: polled every 0s at beta",
		`market SHIB/USD: source "missing" does not exist`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

func TestPoll_RequestsOwnMarkets(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	got := s.venues["beta"].markets
	if len(got) != 2 || got[0] != pair("BTC/USD") || got[1] != pair("USDT/NGN") {
		t.Errorf("beta was polled for %v", got)
	}
}

func TestPoll_SkipsIdleSources(t *testing.T) {
	t.Parallel()
	cfg := config()
	clock := &manualClock{now: noon}
	venues, sources := venuesOf(cfg, clock.Now)
	quoted(venues)
	idle := newVenue("idle", clock.Now)
	cfg.Sources = append(cfg.Sources, core.Source{Name: "idle"})
	s, err := pairs.New(cfg, append(sources, idle, newVenue("unknown", clock.Now)), clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	s.Tick(t.Context())
	if idle.polled() != 0 {
		t.Error("it was polled")
	}
	if all := s.Sources(); len(all) != 4 || all[0].Name != "alpha" || all[3].Name != "gamma" {
		t.Errorf("got sources %v, want those with markets, by name", all)
	}
}
