package market

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/seed"
)

// Book is the top of a venue's order book. Bid < Ask, and Last is between them. Sizes are amounts of the base.
type Book struct {
	Pair                       core.Pair
	Made                       time.Time // as the venue says: the present, except for a pair that is never fresh
	Bid, Ask, Last             decimal.Decimal
	Open                       decimal.Decimal // at midnight UTC
	BidSize, AskSize, LastSize decimal.Decimal
	Volume                     decimal.Decimal // of a day
	Trades                     int64           // of a day
}

const (
	sizePlaces = 6 // fine enough for BTC, and the daily volume of SHIB does not overflow

	// What a venue adds to the reference price.
	minNoise = 2 * bp // private noise, either way
	maxNoise = 8 * bp
	maxLag   = 3 * time.Second
)

// Listed returns the pairs that a venue has a book of, sorted.
func (m *Market) Listed(venue string) []core.Pair { return slices.Clone(m.pairs[venue]) }

// Traded returns the pairs that a venue lists at an instant, sorted: Listed without the absent ones.
func (m *Market) Traded(venue string, at time.Time) []core.Pair {
	absent := m.timeline.Load().pairs(venue, Absent, at)
	return slices.DeleteFunc(m.Listed(venue), func(pair core.Pair) bool { return slices.Contains(absent, pair) })
}

// Down reports whether a venue is down at an instant: a venue that is down for one pair is down for all.
func (m *Market) Down(venue string, at time.Time) bool {
	return len(m.timeline.Load().pairs(venue, Down, at)) > 0
}

// State returns the state of a pair at a venue.
func (m *Market) State(venue string, pair core.Pair, at time.Time) State {
	return m.timeline.Load().state(venue, pair, at)
}

// Book returns the top of a venue's book. ok is false if the venue does not list the pair.
func (m *Market) Book(venue string, pair core.Pair, at time.Time) (top Book, ok bool) {
	b := m.books[venue][pair]
	if b == nil {
		return Book{}, false
	}
	top = Book{Pair: pair, Made: at, Volume: b.volume, Trades: b.trades}
	if b.base.magic != nil {
		top.Made = at.Add(-b.base.magic.behind)
	}
	line := m.timeline.Load()
	c := line.conditions(venue, pair, b, at)
	at = c.at
	t, key := instantOf(at), seed.Mix(m.seed^b.digest)
	mid := m.cross(line, b.base, b.counter, c.seen(line, b, key)).shifted(b.noise(key, t)).shifted(c.offset)
	if !at.Before(m.began) {
		mid = mid.shifted(b.apart)
	}
	bid := max(mid.shifted(-c.half).units(b.places, false), 1)
	ask := max(mid.shifted(c.half).units(b.places, true), bid+1)
	draw := seed.Mix(seed.Mix(key+3) ^ uint64(t>>layerShift))
	top.Bid, top.Ask, top.Last = b.amount(bid), b.amount(ask), b.amount(bid+draw%(ask-bid+1))
	top.Open = b.amount(m.level(line, b, at.Truncate(24*time.Hour)))
	top.BidSize, top.AskSize = b.worth(500+int64(draw>>8%20_000)), b.worth(500+int64(draw>>24%20_000))
	top.LastSize = b.worth(10 + int64(draw>>40%900))
	return top, true
}

// level returns the reference price in ticks of the book, at least one.
func (m *Market) level(line *timeline, b *book, at time.Time) uint64 {
	return max(m.cross(line, b.base, b.counter, instantOf(at)).units(b.places, false), 1)
}

// noise returns the private noise of the book at an instant, in parts per billion.
func (b *book) noise(key uint64, t instant) int64 {
	if b.steady {
		return 0
	}
	amplitude := minNoise + int64(seed.Mix(key)>>32)*(maxNoise-minNoise)>>32
	return amplitude * noise{seed.Mix(key + 1)}.layer(t, noiseLayer) / halfRange
}

func (b *book) amount(units uint64) decimal.Decimal { return exact(units, b.places) }

// worth returns the amount of base that so many USD buy at the reference price.
func (b *book) worth(usd int64) decimal.Decimal {
	if usd <= 0 {
		return exact(0, sizePlaces)
	}
	return exact(normal(uint64(usd), 0).over(b.base.par).units(sizePlaces, false), sizePlaces)
}

// conditions are the effects of settings on a book at an instant.
type conditions struct {
	at     time.Time // the instant, or the instant at which the venue paused
	half   int64     // half the spread, in parts per billion
	offset int64     // in parts per billion
	lag    *int64    // in milliseconds; nil: the venue's own
}

func (l *timeline) conditions(venue string, pair core.Pair, b *book, at time.Time) conditions {
	c := conditions{at: at, half: b.half}
	s := l.at(pair, at)
	if s == nil {
		return c
	}
	if since, paused := s.paused[venue]; paused {
		c.at = since
		if s = l.at(pair, since); s == nil {
			return c
		}
	}
	if s.SpreadBPS > 0 {
		c.half = s.SpreadBPS * bp / 2
	}
	c.offset, c.lag = s.Venues[venue].OffsetBPS*bp, s.Venues[venue].LagMS
	return c
}

// seen returns the instant whose reference price the venue shows. The lag of the venue itself does not reach
// back behind a setting, so settings act on all venues at once.
func (c conditions) seen(line *timeline, b *book, key uint64) instant {
	if c.lag != nil {
		return instantOf(c.at.Add(-time.Duration(*c.lag) * time.Millisecond))
	}
	t := instantOf(c.at)
	if b.steady {
		return t
	}
	behind := (noise{seed.Mix(key + 2)}.layer(t, lagLayer) + halfRange) * int64(maxLag) / (2 * halfRange)
	return max(instantOf(c.at.Add(-time.Duration(behind))), line.edge(t))
}
