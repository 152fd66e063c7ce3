package config_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/ports"
)

// polled is how long it takes until every source was polled since the beginning of a situation. The
// engine cannot know of it earlier.
const polled = 5 * time.Second

// monday is noon of a working day, and friday the time of the last official rates before a weekend.
var (
	monday = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	friday = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	xmas   = time.Date(2026, 12, 24, 9, 0, 0, 0, time.UTC)
)

// A quirk is what a source does with a market from the moment of a situation on.
type quirk struct {
	factor float64       // of the price before; zero: it follows the true price
	lag    time.Duration // it reports the price of so long ago, with its time
	silent bool          // it does not quote the market
	dead   bool          // it repeats its last response, with its time
	always bool          // also before the situation
}

// edgeWorld is the catalog with sources whose quotes go wrong.
type edgeWorld struct {
	*pairs.Service

	t       *testing.T
	now     time.Time
	turned  time.Time          // when the situation begins; zero: it has not
	moves   map[string]float64 // of true prices since, by currency
	quirks  map[string]quirk   // by source and market: "kraken BTC/USD"
	catalog core.PriceCatalog
}

func newEdgeWorld(t *testing.T, start time.Time, history ports.RateHistory, c core.PriceCatalog) *edgeWorld {
	t.Helper()
	w := &edgeWorld{t: t, now: start, moves: map[string]float64{}, quirks: map[string]quirk{}, catalog: c}
	var sources []ports.RateSource
	for _, s := range w.catalog.Sources {
		sources = append(sources, edgeSource{w, s.Name})
	}
	var err error
	cfg := pairs.Config{PriceCatalog: w.catalog, Entropy: func() uint64 { return 0 }, History: history}
	w.Service, err = pairs.New(cfg, sources, func() time.Time { return w.now })
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// worth returns the true price of a currency in USD at an instant.
func (w *edgeWorld) worth(code string, at time.Time) float64 {
	price := worth(code).InexactFloat64()
	if factor, moved := w.moves[code]; moved && !w.turned.IsZero() && !at.Before(w.turned) {
		price *= factor
	}
	return price
}

// all adds a quirk of every source of some markets.
func (w *edgeWorld) all(q quirk, markets ...string) {
	for _, m := range w.catalog.Markets {
		if slices.Contains(markets, m.Pair.String()) {
			for _, source := range m.Sources {
				w.quirks[source+" "+m.Pair.String()] = q
			}
		}
	}
}

// by adds a quirk of one source in all its markets between some currencies; none means all.
func (w *edgeWorld) by(source string, q quirk, currencies ...string) {
	for _, m := range w.catalog.Markets {
		named := slices.Contains(currencies, m.Pair.Base) || slices.Contains(currencies, m.Pair.Counter)
		if slices.Contains(m.Sources, source) && (named || len(currencies) == 0) {
			w.quirks[source+" "+m.Pair.String()] = q
		}
	}
}

type edgeSource struct {
	world *edgeWorld
	name  string
}

func (s edgeSource) Name() string { return s.name }

func (s edgeSource) Observe(_ context.Context, markets []core.Pair) (out []core.Observation, _ error) {
	for _, m := range markets {
		at, factor := s.world.now, 0.0
		if q, odd := s.world.quirks[s.name+" "+m.String()]; odd && (q.always || !s.world.turned.IsZero()) {
			if q.silent {
				continue
			}
			if at, factor = at.Add(-q.lag), q.factor; q.dead {
				at = s.world.turned.Add(-time.Second)
			}
		}
		before := s.world.turned.Add(-time.Second)
		price := s.world.worth(m.Base, at) / s.world.worth(m.Counter, at)
		price *= 1 + 1e-7*float64(at.Second()%7) // a living market never stands still
		if factor != 0 {
			price = factor * s.world.worth(m.Base, before) / s.world.worth(m.Counter, before)
		}
		mid := decimal.NewFromFloat(price).Round(18)
		out = append(out, core.Observation{Pair: m, Bid: mid, Ask: mid, At: at, Source: s.name})
	}
	return out, nil
}

// flatHistory knows the true price of every pair an hour ago.
type flatHistory struct{ at time.Time }

func (h flatHistory) Record(context.Context, time.Time, []core.PairMid) error { return nil }

func (h flatHistory) Read(
	_ context.Context, p core.Pair, _ time.Time, _ time.Duration, _ int,
) ([]core.PricePoint, error) {
	return []core.PricePoint{{At: h.at, Mid: worth(p.Base).DivRound(worth(p.Counter), 12)}}, nil
}

// situation is a market in which a client may know more than the engine.
type situation struct {
	name   string
	pair   string
	start  time.Time // of the world; zero: monday
	cold   bool      // it begins with the world
	known  bool      // the world has a history
	turn   func(*edgeWorld)
	waits  time.Duration // between the last good quotes and the situation
	steps  int           // zero: 25
	step   time.Duration // zero: 2 s
	polled time.Duration // until every source that matters was polled; zero: polled
	before float64       // the edge in per cent without comparing routes
}

// part returns the markets and listings of the catalog whose currencies are the pair's or join most of the others.
func (x situation) part(c core.PriceCatalog) core.PriceCatalog {
	base, counter, _ := strings.Cut(x.pair, "/")
	other := func(code string) bool {
		return !slices.Contains([]string{base, counter, "USD", "USDT", "EUR", "USDC", "BTC", "ETH"}, code)
	}
	c.Markets = slices.DeleteFunc(slices.Clone(c.Markets), func(m core.Market) bool {
		return other(m.Pair.Base) || other(m.Pair.Counter)
	})
	c.Listings = slices.DeleteFunc(slices.Clone(c.Listings), func(l core.Listing) bool {
		return slices.ContainsFunc(slices.Concat(l.Routes()...), other)
	})
	return c
}

// edge plays a situation. It returns what a client who knows the true price gains at most, and what
// became of the price.
func (x situation) edge(t *testing.T, c core.PriceCatalog) (edge float64, statuses []string) {
	start := x.start
	if start.IsZero() {
		start = monday
	}
	var history ports.RateHistory
	if x.known {
		history = flatHistory{start.Add(-time.Hour)}
	}
	w := newEdgeWorld(t, start, history, x.part(c))
	x.turn(w)
	if !x.cold {
		for range 5 {
			w.Tick(t.Context())
			w.now = w.now.Add(2 * time.Second)
		}
	}
	w.turned = w.now
	w.now = w.now.Add(x.waits)
	for range cmp.Or(x.steps, 25) {
		w.Tick(t.Context())
		status := "no price"
		if q := w.Snapshot().Quote(strings.ReplaceAll(x.pair, "/", "")); q != nil {
			status = strings.TrimSpace(string(q.Status) + " " + string(q.Reason))
			if q.Status != pairs.Halted && w.now.Sub(w.turned) > cmp.Or(x.polled, polled) {
				truth := w.worth(q.Pair.Base, w.now) / w.worth(q.Pair.Counter, w.now)
				edge = max(edge, truth/q.Buy.InexactFloat64()-1, q.Sell.InexactFloat64()/truth-1)
			}
		}
		if n := len(statuses); n == 0 || statuses[n-1] != status {
			statuses = append(statuses, status)
		}
		w.now = w.now.Add(cmp.Or(x.step, 2*time.Second))
	}
	return 100 * edge, statuses
}

// situations are the rows of the table of edges in docs/pairs.md.
var situations = []situation{
	{
		name: "Nothing is wrong", pair: "BTC/USD",
		turn: func(*edgeWorld) {},
	},
	{
		name: "All three USD venues 20 % down, USDT books unchanged", pair: "ADA/USD", before: 22,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.8}, "ADA/USD") },
	},
	{
		name: "The same, from the start", pair: "ADA/USD", before: 22,
		cold: true,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.8}, "ADA/USD") },
	},
	{
		name: "The price falls 20 %, and the USD venues do not follow", pair: "ADA/USD", before: 21.9,
		turn: func(w *edgeWorld) {
			w.moves["ADA"] = 0.8
			w.all(quirk{factor: 1}, "ADA/USD")
		},
	},
	{
		name: "All three USD venues 20 % up", pair: "BCH/USD", before: 17,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 1.2}, "BCH/USD") },
	},
	{
		name: "All three USD venues 14.9 % down", pair: "DOT/USD", before: 14.6,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.851}, "DOT/USD") },
	},
	{
		name: "All three USD venues 6 % down, within the bands", pair: "DOT/USD", before: 3.8,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.94}, "DOT/USD") },
	},
	{
		name: "Two of three USD venues 20 % down", pair: "XLM/USD",
		turn: func(w *edgeWorld) {
			w.by("kraken", quirk{factor: 0.8}, "XLM")
			w.by("coinbase", quirk{factor: 0.8}, "XLM")
		},
	},
	{
		name: "The price falls 20 %, and only two USD venues follow", pair: "XLM/USD", before: 21.9,
		turn: func(w *edgeWorld) {
			w.moves["XLM"] = 0.8
			w.by("bitstamp", quirk{factor: 1}, "XLM")
			w.all(quirk{factor: 1}, "XLM/USDT")
		},
	},
	{
		name: "All three USDT venues 20 % up: a pair with one route", pair: "XLM/NGN", before: 17,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 1.2}, "XLM/USDT") },
	},
	{
		name: "Both books 8 % down", pair: "GBP/USD",
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.92}, "GBP/USD") },
	},
	{
		name: "Both books stand still while the pound falls 8 %", pair: "GBP/USD",
		turn: func(w *edgeWorld) {
			w.moves["GBP"] = 0.92
			w.all(quirk{factor: 1}, "GBP/USD")
		},
	},
	{
		name: "The pound falls 8 %, and only GBP/USD follows", pair: "GBP/USD", before: 7.6,
		turn: func(w *edgeWorld) {
			w.moves["GBP"] = 0.92
			w.all(quirk{factor: 1}, "USDT/GBP", "BTC/GBP", "ETH/GBP")
		},
	},
	{
		name: "Four venues repeat one price as current, others move 4 %", pair: "BTC/USD", before: 2.6,
		turn: func(w *edgeWorld) {
			w.moves["BTC"] = 0.96
			w.all(quirk{factor: 1}, "BTC/USD")
		},
	},
	{
		name: "Four venues repeat one price as current, others move 8 %", pair: "BTC/USD",
		step: 20 * time.Second, steps: 90,
		turn: func(w *edgeWorld) {
			w.moves["BTC"] = 0.92
			w.all(quirk{factor: 1}, "BTC/USD")
		},
	},
	{
		name: "Five venues repeat one price as current, others move 8 %", pair: "BTC/EUR", before: 7.1,
		turn: func(w *edgeWorld) {
			w.moves["BTC"] = 0.92
			w.all(quirk{factor: 1}, "BTC/EUR")
		},
	},
	{
		name: "The USD venues are 59 s late, with honest times, in a fall of 10 %", pair: "ADA/USD", before: 8.3,
		steps: 45,
		turn: func(w *edgeWorld) {
			w.moves["ADA"] = 0.9
			w.all(quirk{lag: 59 * time.Second}, "ADA/USD")
		},
	},
	{
		name: "The USD venues are down, the USDT books stand still in a fall of 10 %, after the next poll of CoinGecko",
		pair: "ADA/USD", before: 8.3,
		polled: time.Minute, step: 20 * time.Second, steps: 60,
		turn: func(w *edgeWorld) {
			w.moves["ADA"] = 0.9
			w.by("bitstamp", quirk{silent: true, always: true}, "ADA")
			w.by("coinbase", quirk{silent: true, always: true}, "ADA")
			w.by("kraken", quirk{silent: true, always: true}, "ADA")
			w.all(quirk{factor: 1}, "ADA/USDT")
		},
	},
	{
		name: "The same of a pair without an aggregator", pair: "BTC/USD",
		step: 20 * time.Second, steps: 60,
		turn: func(w *edgeWorld) {
			w.moves["BTC"] = 0.9
			w.all(quirk{silent: true, always: true}, "BTC/USD")
			w.all(quirk{factor: 1}, "BTC/USDT")
		},
	},
	{
		name: "The first source of official rates × 1.14, after a restart with a history", pair: "USD/GHS", before: 12.9,
		known: true, cold: true,
		turn: oxr(1.14),
	},
	{
		name: "The same × 0.87", pair: "USD/UGX", before: 13.8,
		known: true, cold: true,
		turn: oxr(0.87),
	},
	{
		name: "The same × 1.9, without a history", pair: "USD/GHS", before: 88.1,
		cold: true,
		turn: oxr(1.9),
	},
	{
		name: "The same × 1.6, without a history", pair: "USD/UGX", before: 58.4,
		cold: true,
		turn: oxr(1.6),
	},
	{
		name: "The same × 1.14, while it runs", pair: "USD/GHS", before: 12.9,
		step: 5 * time.Minute, steps: 18,
		turn: oxr(1.14),
	},
	{
		name: "The same × 1.9, without a history and a street rate", pair: "USD/GHS", before: 88.1,
		cold: true,
		turn: func(w *edgeWorld) {
			oxr(1.9)(w)
			w.by("quidax", quirk{silent: true}, "GHS")
		},
	},
	{
		name: "The same × 1.3, and the other source is down", pair: "USD/KES", before: 28.7,
		cold: true,
		turn: func(w *edgeWorld) {
			oxr(1.3)(w)
			w.by("frankfurter", quirk{silent: true})
		},
	},
	{
		name: "The street rate 20 % away from the official rate", pair: "USD/GHS", before: 18.8,
		turn: func(w *edgeWorld) {
			w.moves["GHS"] = 1 / 1.2
			official(w, quirk{factor: 1}, "GHS")
		},
	},
	{
		name: "Official rates dead since Friday, the cedi moves 10 % (87 h)", pair: "USD/GHS", before: 8.2,
		start: friday, waits: 10 * time.Hour, step: 2 * time.Hour, steps: 39,
		turn: dead("GHS", 1/1.1),
	},
	{
		name: "The same without a street rate", pair: "USD/GHS", before: 8.2,
		start: friday, waits: 10 * time.Hour, step: 2 * time.Hour, steps: 39,
		turn: func(w *edgeWorld) {
			dead("GHS", 1/1.1)(w)
			w.by("quidax", quirk{silent: true}, "GHS")
		},
	},
	{
		name: "The same over Christmas (111 h)", pair: "USD/GHS", before: 8,
		start: xmas, waits: 16 * time.Hour, step: 2 * time.Hour, steps: 48,
		turn: func(w *edgeWorld) {
			dead("GHS", 1/1.1)(w)
			w.by("quidax", quirk{silent: true}, "GHS")
		},
	},
	{
		name: "Official rates dead since Friday, the Kenyan shilling moves 7.3 %, without a street rate",
		pair: "USD/KES", before: 5.5,
		start: friday, waits: 11 * time.Hour, step: 2 * time.Hour, steps: 30,
		turn: func(w *edgeWorld) {
			dead("KES", 1.073)(w)
			w.by("busha", quirk{silent: true}, "KES")
		},
	},
	{
		name: "The same, the Ugandan shilling", pair: "USD/UGX", before: 5.5,
		start: friday, waits: 11 * time.Hour, step: 2 * time.Hour, steps: 30,
		turn: dead("UGX", 1.073),
	},
	{
		name: "The only dealer is 30 % off, and official rates are not known yet", pair: "USDT/GHS", before: 26.2,
		cold: true,
		turn: func(w *edgeWorld) {
			w.by("quidax", quirk{factor: 1 / 1.3}, "GHS")
			w.all(quirk{silent: true}, "USD/GHS")
		},
	},
	{
		name: "The street rate of the naira falls 43 % over a weekend", pair: "USD/NGN",
		start: friday, waits: time.Hour, step: time.Minute,
		turn: dead("NGN", 197.5/281.85),
	},
	{
		name: "All prices fall 25 % everywhere", pair: "BTC/USD",
		turn: func(w *edgeWorld) { w.moves["BTC"] = 0.75 },
	},
	{
		name: "One of three venues × 1000", pair: "SOL/USD",
		turn: func(w *edgeWorld) { w.by("kraken", quirk{factor: 1000}, "SOL") },
	},
	{
		name: "USDT at 0.9, consistently", pair: "USDT/USD",
		turn: func(w *edgeWorld) { w.moves["USDT"] = 0.9 },
	},
	{
		name: "All five venues 3 % down", pair: "USDT/USD",
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.97}, "USDT/USD") },
	},
	{
		name: "All dealers 10 % down, the street rate of USDT unchanged", pair: "BTC/NGN", before: 9.5,
		turn: func(w *edgeWorld) { w.all(quirk{factor: 0.9}, "BTC/NGN") },
	},
}

// oxr multiplies the rates of Open Exchange Rates.
func oxr(factor float64) func(*edgeWorld) {
	return func(w *edgeWorld) { w.by("openexchangerates", quirk{factor: factor}) }
}

// official adds a quirk of the official rates of a currency.
func official(w *edgeWorld, q quirk, currency string) {
	for _, s := range w.catalog.Sources {
		if s.Kind == core.OfficialSource {
			w.by(s.Name, q, currency)
		}
	}
}

// dead lets official rates of a currency end, and its true price move.
func dead(currency string, factor float64) func(*edgeWorld) {
	return func(w *edgeWorld) {
		w.moves[currency] = factor
		official(w, quirk{factor: 1, dead: true}, currency)
	}
}

// TestEdges plays every situation. A client who knows the true price gains at most 2 %, and
// docs/pairs.md shows what became of the price.
func TestEdges(t *testing.T) {
	t.Parallel()
	c := load(t).PriceCatalog
	rows := make([]string, len(situations))
	t.Run("situations", func(t *testing.T) {
		for i, x := range situations {
			t.Run(x.name, func(t *testing.T) {
				t.Parallel()
				edge, statuses := x.edge(t, c)
				rows[i] = fmt.Sprintf("| %s | %s | %s | %s | %s |",
					x.name, x.pair, strings.Join(statuses, ", "), percent(x.before), percent(edge))
				t.Log(rows[i])
				if edge > 2 {
					t.Errorf("a client gains %.2f %%", edge)
				}
			})
		}
	})
	head := "| situation | pair | status | edge before | edge |\n|---|---|---|---|---|\n"
	replaceTable(t, head, strings.Join(rows, "\n"))
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", math.Floor(10*x+0.5)/10) }
