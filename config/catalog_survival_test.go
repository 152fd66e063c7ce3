package config_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/config"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// fakeSource quotes every market at the values of worth, until it is down.
type fakeSource struct {
	name  string
	clock *time.Time
	down  bool
	wrong string          // a currency that it gets wrong
	times decimal.Decimal // how many of them it takes for one
}

func (s *fakeSource) Name() string { return s.name }

func (s *fakeSource) Observe(_ context.Context, markets []core.Pair) ([]core.Observation, error) {
	if s.down {
		return nil, core.Errorf(core.Unavailable, "%s is down", s.name)
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		mid := worth(m.Base).DivRound(worth(m.Counter), 12)
		switch s.wrong {
		case "":
		case m.Counter:
			mid = mid.Mul(s.times)
		case m.Base:
			mid = mid.DivRound(s.times, 12)
		}
		out = append(out, core.Observation{Pair: m, Bid: mid, Ask: mid, At: *s.clock, Source: s.name})
	}
	return out, nil
}

// worth returns the price of a currency in USD.
func worth(code string) decimal.Decimal {
	prices := map[string]string{
		"BTC": "67000", "ETH": "2000", "EUR": "1.1", "GBP": "1.3", "NGN": "0.0008", "GHS": "0.091", "KES": "0.0078",
		"ZAR": "0.06", "UGX": "0.00028", "TZS": "0.0004", "RWF": "0.0007",
	}
	if text, there := prices[code]; there {
		return decimal.RequireFromString(text)
	}
	return decimal.New(1, 0)
}

// engine prices the whole catalog from sources in memory.
func engine(t *testing.T, c config.Catalog, clock *time.Time) (*pairs.Service, map[string]*fakeSource) {
	t.Helper()
	sources, by := []ports.RateSource{}, map[string]*fakeSource{}
	for _, s := range c.Sources {
		by[s.Name] = &fakeSource{name: s.Name, clock: clock}
		sources = append(sources, by[s.Name])
	}
	service, err := pairs.New(pairs.Config{PriceCatalog: c.PriceCatalog, Entropy: func() uint64 { return 0 }}, sources, func() time.Time { return *clock })
	if err != nil {
		t.Fatal(err)
	}
	return service, by
}

// TestListings_SourceDown takes each source down for two minutes, in which order books expire, and then a week, in which
// official rates expire. Every pair stays fresh: none needs any single source.
func TestListings_SourceDown(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, source := range c.Sources {
		t.Run(source.Name, func(t *testing.T) {
			t.Parallel()
			clock := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC) // a Monday
			service, by := engine(t, c, &clock)
			service.Tick(t.Context())
			if n := len(service.Snapshot().Quotes); n != len(c.Listings) {
				t.Fatalf("%d prices of %d listings while all sources are up", n, len(c.Listings))
			}
			by[source.Name].down = true
			for i := range 12 + 7 {
				step := 10 * time.Second
				if i >= 12 {
					step = 24 * time.Hour
				}
				clock = clock.Add(step)
				service.Tick(t.Context())
				for _, q := range service.Snapshot().Quotes {
					if q.Status != pairs.Fresh {
						t.Fatalf("%s: %s is %s (%s)", clock, q.ID, q.Status, q.Reason)
					}
				}
			}
		})
	}
}

// TestListings_OfficialSourceWrong lets one official source at a time be wrong from the start. No price is
// fresh outside the band: the other families of its markets contradict it.
func TestListings_OfficialSourceWrong(t *testing.T) {
	t.Parallel()
	c := load(t)
	far := decimal.RequireFromString("0.03") // the band of official rates
	for _, source := range c.Sources {
		if source.Kind != core.OfficialSource {
			continue
		}
		for _, code := range []string{"GHS", "KES", "RWF", "TZS", "UGX", "ZAR"} {
			for _, times := range []string{"0.87", "1.14", "1.9"} {
				t.Run(source.Name+" "+code+" x "+times, func(t *testing.T) {
					t.Parallel()
					clock := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
					service, by := engine(t, c, &clock)
					by[source.Name].wrong, by[source.Name].times = code, decimal.RequireFromString(times)
					for range 6 {
						service.Tick(t.Context())
						for _, q := range service.Snapshot().Quotes {
							if q.Pair.Base != code && q.Pair.Counter != code {
								continue
							}
							truth := worth(q.Pair.Base).DivRound(worth(q.Pair.Counter), 12)
							if off := q.Mid.Sub(truth).Abs().DivRound(truth, 4); q.Status == pairs.Fresh && off.GreaterThan(far) {
								t.Fatalf("%s: %s is fresh at %s, %s from the truth", clock, q.ID, q.Mid, off)
							}
						}
						clock = clock.Add(5 * time.Second)
					}
				})
			}
		}
	}
}
