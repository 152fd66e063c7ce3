package console

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// period is how much of the past a chart shows.
type period struct {
	Name   string
	Title  string
	length time.Duration
}

var periods = []period{
	{"15m", "15 min", 15 * time.Minute},
	{"1h", "1 hour", time.Hour},
	{"24h", "24 hours", 24 * time.Hour},
	{"7d", "7 days", 7 * 24 * time.Hour},
}

// periodOf returns the period of a name, an hour if it is empty.
func periodOf(name string) (period, error) {
	if name == "" {
		name = "1h"
	}
	i := slices.IndexFunc(periods, func(p period) bool { return p.Name == name })
	if i < 0 {
		return period{}, core.Errorf(core.Invalid, "There is no period %s; accepted: 15m, 1h, 24h, 7d.", core.Quoted(name))
	}
	return periods[i], nil
}

const chartPoints = 240

// timeSeries is a line of a chart. A missing value is nil.
type timeSeries struct {
	Label  string     `json:"label"`
	Role   string     `json:"role"` // venue, reference, mid, buy or sell
	Values []*float64 `json:"values"`
}

// chartData is a chart as uPlot draws it. Its numbers are floats: they are for the eye only.
type chartData struct {
	X      []float64    `json:"x"` // Unix time in seconds
	Series []timeSeries `json:"series"`
}

// chart responds with the prices of a pair: what each venue quotes, converted to the pair if the market is only one
// step of its route, the price from which venues deviate, and what the price engine publishes.
func (c *Console) chart(w http.ResponseWriter, r *http.Request, f *frame) error {
	p, err := periodOf(f.Query("period"))
	if err != nil {
		return err
	}
	price, err := c.price(f, r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(c.chartOf(r, f, price, p))
}

func (c *Console) chartOf(r *http.Request, f *frame, price Price, p period) chartData {
	now, step := f.World.Now(), p.length/chartPoints
	times := []time.Time{}
	for t := now.Add(-p.length).Truncate(step).Add(step); t.Before(now); t = t.Add(step) {
		times = append(times, t) // whole steps, so that points stay where they are
	}
	times = append(times, now)
	d := chartData{X: make([]float64, len(times))}
	for i, t := range times {
		d.X[i] = float64(t.UnixMilli()) / 1000
	}
	m := f.World.Market()
	line := func(label, role string, at func(time.Time) (float64, bool)) {
		values := make([]*float64, len(times))
		for i, t := range times {
			if v, known := at(t); known {
				values[i] = &v
			}
		}
		d.Series = append(d.Series, timeSeries{label, role, values})
	}
	reference := func(pair core.Pair, t time.Time) float64 {
		a, _ := m.Reference(pair, t)
		return float(a)
	}
	for _, pair := range route(m, price) {
		for _, v := range m.View(pair, now).Venues {
			label := v.Venue
			if pair != price.Pair {
				label += " " + pair.String()
			}
			line(label, "venue", func(t time.Time) (float64, bool) {
				book, _ := m.Book(v.Venue, pair, t)
				state, rest := m.State(v.Venue, pair, t), reference(pair, t)
				if state == market.Down || state == market.Absent || rest == 0 {
					return 0, false
				}
				ratio := (float(book.Bid) + float(book.Ask)) / 2 / rest
				if pair.Counter == price.Pair.Base || pair.Base == price.Pair.Counter {
					ratio = 1 / ratio
				}
				return ratio * reference(price.Pair, t), true
			})
		}
	}
	line("market", "reference", func(t time.Time) (float64, bool) { v := reference(price.Pair, t); return v, v > 0 })
	past, first := c.past(r.Context(), f.World, price.Pair), times[0].Add(-step)
	line("consensus", "mid", recorded(past, first, func(p published) float64 { return p.mid }))
	line("buy", "buy", recorded(past, first, func(p published) float64 { return p.buy }))
	line("sell", "sell", recorded(past, first, func(p published) float64 { return p.sell }))
	return d
}

// recorded returns a function for ascending times. It shows a price published after first at the first
// time that is not before it.
func recorded(past []published, first time.Time, get func(published) float64) func(time.Time) (float64, bool) {
	next := 0
	return func(t time.Time) (v float64, known bool) {
		for ; next < len(past) && !past[next].at.After(t); next++ {
			if got := get(past[next]); got != 0 && past[next].at.After(first) {
				v, known = got, true
			}
		}
		return v, known
	}
}

// past returns the published prices of a pair, oldest first: mid prices from the history, and what the
// console recorded.
func (c *Console) past(ctx context.Context, w *world.World, pair core.Pair) []published {
	past := recorderOf(w).of(pair)
	if c.cfg.History != nil {
		if points, err := c.cfg.History(ctx, w, pair); err == nil {
			for _, p := range points {
				past = append(past, published{at: p.At, mid: float(p.Mid)})
			}
		}
	}
	slices.SortStableFunc(past, func(a, b published) int { return a.at.Compare(b.at) })
	return past
}

//nolint:forbidigo // a chart needs no exact numbers
func float(d decimal.Decimal) float64 { return d.InexactFloat64() }

// published is a published price of a pair. Zero: unknown.
type published struct {
	at             time.Time
	mid, buy, sell float64
}

// recorder keeps the published prices of a world that the console has shown, for charts: the price engine keeps mid
// prices only.
type recorder struct {
	mu     sync.Mutex
	prices map[core.Pair][]published
}

// recorderOf returns the recorder of a world.
func recorderOf(w *world.World) *recorder {
	return world.Attach(w, func() *recorder { return &recorder{prices: map[core.Pair][]published{}} })
}

const maxRecorded = 600 // of a pair

func (r *recorder) record(w *world.World, prices []Price) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := w.Now()
	for _, p := range prices {
		all := r.prices[p.Pair]
		if n := len(all); n > 0 && !all[n-1].at.Before(now) {
			all = all[:n-1] // the clock stands still
		}
		all = append(all, published{at: now, mid: float(p.Mid), buy: float(p.Buy), sell: float(p.Sell)})
		r.prices[p.Pair] = all[max(0, len(all)-maxRecorded):]
	}
}

func (r *recorder) of(pair core.Pair) []published {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.prices[pair])
}

// Size of a sparkline in its own units.
const (
	sparkPoints = 32
	sparkWidth  = 120
	sparkHeight = 24
	flat        = 1e-6 // a peg moves by less, because venues round their prices
)

// Sparkline returns the points of a line that shows the market price of a pair over the last 24 hours.
func (f *frame) Sparkline(pair core.Pair) string {
	const step = 24 * time.Hour / sparkPoints
	now := f.World.Now()
	times := make([]time.Time, 0, sparkPoints+2)
	for t := now.Truncate(step).Add(-24 * time.Hour); t.Before(now); t = t.Add(step) {
		times = append(times, t)
	}
	values := make([]float64, 0, sparkPoints+2)
	for _, t := range append(times, now) {
		a, known := f.World.Market().Reference(pair, t)
		if !known {
			return ""
		}
		values = append(values, float(a))
	}
	low, high := slices.Min(values), slices.Max(values)
	var out strings.Builder
	for i, v := range values {
		y := sparkHeight / 2.0
		if high-low > flat*high {
			y = 1 + (sparkHeight-2)*(high-v)/(high-low)
		}
		out.WriteString(strconv.Itoa(i*sparkWidth/(len(values)-1)) + "," + strconv.FormatFloat(y, 'f', 1, 64) + " ")
	}
	return out.String()
}
