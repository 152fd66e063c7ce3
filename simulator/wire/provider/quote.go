package provider

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// Quote is one market of a venue at an instant.
type Quote struct {
	market.Book

	Pair       core.Pair
	Made       time.Time       // of the book
	Before     decimal.Decimal // the last price 24 hours ago
	Today, Day market.Day      // since midnight, and of the last 24 hours
}

// QuoteOf returns a market of a venue.
func QuoteOf(sim *world.World, venue string, pair core.Pair, now time.Time) Quote {
	m := sim.Market()
	q := Quote{Pair: pair, Made: m.Made(venue, pair, now)}
	q.Book, _ = m.Book(venue, pair, now)
	q.Today, q.Day, _ = m.Day(venue, pair, now)
	before, _ := m.Book(venue, pair, now.Add(-24*time.Hour))
	q.Before = before.Last
	q.Day.High = decimal.Max(q.Day.High, q.Before)
	q.Day.Low = decimal.Min(q.Day.Low, q.Before)
	return q
}

// Tickers returns the tickers of all markets that a venue trades.
func Tickers(sim *world.World, venue string, now time.Time, ticker func(Quote) map[string]any) []map[string]any {
	out := []map[string]any{}
	for _, pair := range sim.Market().Traded(venue, now) {
		out = append(out, ticker(QuoteOf(sim, venue, pair, now)))
	}
	return out
}

// Change returns by how much the price moved in 24 hours, as Change does.
func (q Quote) Change(shift, places int32) decimal.Decimal {
	return Change(q.Before, q.Last, shift, places)
}

// Turnover returns what the volume of the last 24 hours was worth, in the counter currency, to eight
// decimal places.
func (q Quote) Turnover() string {
	const places = 8
	return q.Day.Volume.Mul(q.Day.Average).Truncate(places).String()
}
