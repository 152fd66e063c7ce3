package simulator

import (
	"slices"
	"time"

	"causeway/core"
)

// Book is the top of a venue's book at an instant: Bid < Ask, both whole ticks of 10^-Places, Last on one
// of them or between. Sizes are amounts of the base.
type Book struct {
	Bid, Ask, Last, Open       Amount
	BidSize, AskSize, LastSize Amount
}

// Day is what a venue tells of a period that ends now.
type Day struct {
	Low, High, Average Amount
	Volume             Amount // of the base
	Trades             int64
}

// sizePlaces is fine enough for BTC and does not overflow for the daily volume of SHIB.
const sizePlaces = 6

// Listed returns the pairs that a venue has a book of, sorted; none for an unknown venue.
func (m *Market) Listed(venue string) []core.Pair {
	if t := m.venues[venue]; t != nil {
		return slices.Clone(t.pairs)
	}
	return nil
}

// Listing is how a venue trades a pair.
type Listing struct {
	Places  int    // decimal places of a price: the tick is 10^-Places
	MinSize Amount // the smallest order, of the base: worth about 5 USD at the reference price
}

// Listing tells how a venue trades a pair. It is false for a pair that the venue does not list.
func (m *Market) Listing(venue string, pair core.Pair) (Listing, bool) {
	b := m.book(venue, pair)
	if b == nil {
		return Listing{}, false
	}
	return Listing{Places: b.places, MinSize: b.worth(5)}, true
}

func (m *Market) book(venue string, pair core.Pair) *book {
	if t := m.venues[venue]; t != nil {
		return t.books[pair]
	}
	return nil
}

// Book is the top of a venue's book. It is false for a pair that the venue does not list.
func (m *Market) Book(venue string, pair core.Pair, at time.Time) (Book, bool) {
	b := m.book(venue, pair)
	if b == nil {
		return Book{}, false
	}
	line := m.line.Load()
	c := line.control(venue, pair, b, at)
	at = c.at
	t, key := instantOf(at), m.key(b)
	mid := m.mid(line, b, c.seen(line, b, key)).shifted(m.offset(b, key, t)).shifted(c.offset)
	if !at.Before(m.began) {
		mid = mid.shifted(b.apart)
	}
	bid := max(mid.shifted(-c.half).units(b.places, false), 1)
	ask := max(mid.shifted(c.half).units(b.places, true), bid+1)
	draw := mix(mix(key+3) ^ uint64(t>>layerShift))
	last := bid + draw%(ask-bid+1)
	return Book{
		Bid: b.amount(bid), Ask: b.amount(ask), Last: b.amount(last),
		Open:    b.amount(m.level(line, b, midnight(at))),
		BidSize: b.worth(500 + int64(draw>>8%20_000)), AskSize: b.worth(500 + int64(draw>>24%20_000)), LastSize: b.worth(10 + int64(draw>>40%900)),
	}, true
}

// Day tells of the time since midnight UTC, and of the last 24 hours. It is false for a pair that the venue
// does not list. Extremes are taken at every third hour and now.
func (m *Market) Day(venue string, pair core.Pair, at time.Time) (today, last24 Day, listed bool) {
	b := m.book(venue, pair)
	if b == nil {
		return Day{}, Day{}, false
	}
	line := m.line.Load()
	now, _ := m.Book(venue, pair, at)
	const step = 3 * time.Hour
	var since, all summary
	since.add(now.Last.Units)
	all.add(now.Last.Units)
	for point := at.Truncate(step); point.After(at.Add(-24 * time.Hour)); point = point.Add(-step) {
		mid := m.level(line, b, point)
		all.add(mid)
		if !point.Before(midnight(at)) {
			since.add(mid)
		}
	}
	turnover := 20_000_000 / b.half * bp // USD a day: the tighter the spread, the busier the book
	elapsed := int64(at.Sub(midnight(at)) / time.Second)
	return b.day(since, turnover/86_400*elapsed), b.day(all, turnover), true
}

// mid is the true price of the book's pair.
func (m *Market) mid(line *timeline, b *book, t instant) number {
	return m.cross(line, b.base, b.counter, t)
}

// level is the true price in ticks of the book, one at least.
func (m *Market) level(line *timeline, b *book, at time.Time) uint64 {
	return max(m.mid(line, b, instantOf(at)).units(b.places, false), 1)
}

func (b *book) amount(units uint64) Amount { return Amount{Units: units, Places: b.places} }

// worth is the amount of base that so many USD buy at the reference price.
func (b *book) worth(usd int64) Amount {
	if usd <= 0 {
		return Amount{Places: sizePlaces}
	}
	return Amount{Units: normal(uint64(usd), 0).over(b.base.par).units(sizePlaces, false), Places: sizePlaces}
}

func (b *book) day(s summary, turnover int64) Day {
	const ticket = 400 // USD a trade
	return Day{
		Low: b.amount(s.low), High: b.amount(s.high), Average: b.amount(s.sum / s.count),
		Volume: b.worth(turnover), Trades: turnover / ticket,
	}
}

// summary gathers prices in ticks.
type summary struct{ low, high, sum, count uint64 }

func (s *summary) add(units uint64) {
	if s.count == 0 || units < s.low {
		s.low = units
	}
	s.high = max(s.high, units)
	s.sum += units
	s.count++
}

func midnight(at time.Time) time.Time { return at.Truncate(24 * time.Hour) }
