package pairs

import (
	"math/bits"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Quote is the price of a listed pair in one snapshot, with all that a client may see of it and the working behind it.
// Prices and counter amounts are in the counter currency. It is never changed.
type Quote struct {
	ID              string // base and counter joined
	Pair            core.Pair
	BaseName        string
	CounterName     string
	Type            core.CurrencyType // of the base
	Rank            int               // of the base, by market capitalisation
	BaseDecimals    int32             // precision of base amounts
	CounterDecimals int32             // precision of prices and counter amounts

	Mid           decimal.Decimal // not rounded to the pair's precision: up to 35 significant digits, of which at least 32 are sure
	Buy           decimal.Decimal // what a customer pays for one base
	Sell          decimal.Decimal // what a customer gets for one base
	BuySupported  bool
	SellSupported bool
	MinBuy        Limit
	MaxBuy        Limit
	MinSell       Limit
	MaxSell       Limit
	Change24h     decimal.Decimal // of Mid, in per cent, to 2 decimals; zero when unknown

	Status     Status
	Reason     Reason    // empty for an ordinary fresh quote
	UpdatedAt  time.Time // the snapshot's instant while fresh, else the last instant at which it was; where it never was, that of its votes
	FreshUntil time.Time // when it stops being fresh if nothing new comes; zero: never
	StaleUntil time.Time // when it is halted if nothing new comes; zero: never

	Class      string          // of ListingClass
	Margin     decimal.Decimal // the ratio in Buy and Sell: 0.015 is 1.5 %
	Confidence decimal.Decimal // the half-width in Buy and Sell, in the counter currency
	Legs       []Leg           // the route: one or two
}

// margin is a ratio with its two factors.
type margin struct{ ratio, up, down decimal.Decimal }

func marginOf(bps int64) margin {
	ratio, one := decimal.New(bps, -4), decimal.New(1, 0)
	return margin{ratio: ratio, up: one.Add(ratio), down: one.Sub(ratio)}
}

// tariff is a class of listings, ready for use.
type tariff struct {
	core.ListingClass
	margins []margin // once, twice, … the class's own
}

// listing is a pair on offer, and what its next quote depends on besides the rates.
type listing struct {
	pair          core.Pair
	id            string
	base, counter core.Currency
	tariff        *tariff
	rules         *core.PriceRules
	routes        []route   // in the order of preference: the one in least trouble is taken
	pegs          []*market // that show what its own sides are worth, where they are stablecoins
	middle        []*market // the same of the currencies in the middle of its cross routes
	promise       *market   // of pegs, the market of the pair itself; nil: there is none
	size          *size
	from, to      int // the numbers of base and counter in the book

	last   *Quote    // as last published; nil: never
	fresh  time.Time // the last instant at which it was published as fresh, or was fresh by what was published; zero: none
	places int32     // the precision of the last sound price; 0: none yet
	past   past
}

// route is the one that is in least trouble at an instant, among equals the preferred one.
func (l *listing) route(now time.Time) route {
	best := l.routes[0]
	if len(l.routes) == 1 {
		return best
	}
	least := l.trouble(best, now)
	for _, way := range l.routes[1:] {
		if least == none {
			break
		}
		if t := l.trouble(way, now); t < least {
			best, least = way, t
		}
	}
	return best
}

// quote writes the listing's quote at an instant to q. there is false as long as there is none; refused says that the newest price broke
// an invariant, so that the last good one stays, as old as it is.
func (l *listing) quote(now time.Time, q *Quote) (there, refused bool) {
	way := l.route(now)
	if !way.known() || !l.size.valuation.known {
		return l.hold(now, q, Expired), false
	}
	l.judge(way, now)
	legs := way.legs()
	s := l.standing(legs, now)
	if s.status == Halted && s.reason != Depegged && l.last != nil {
		l.stay(q)
		l.stand(q, s, now)
		return true, false
	}
	if way.apart(l.rules.LegsApart) {
		return l.hold(now, q, Apart), false
	}
	l.price(q, way, legs, s)
	if !q.sound() {
		return l.hold(now, q, Refused), true
	}
	if s.status != Halted && wide(q, l.rules.Wide) {
		s.status, s.reason = Halted, Wide
		if l.last != nil {
			l.stay(q)
		}
		l.stand(q, s, now)
		return true, false
	}
	l.places = q.CounterDecimals
	q.Change24h = l.past.change(q.Mid)
	l.stand(q, s, now)
	return true, false
}

// wide reports whether the confidence is more than a part of the price.
func wide(q *Quote, most decimal.Decimal) bool {
	doubt, okDoubt := longOf(q.Confidence)
	limit, okLimit := productOf(q.Mid, most)
	if doubt, limit, ok := level(doubt, limit); ok && okDoubt && okLimit {
		return doubt.above(limit)
	}
	return q.Confidence.GreaterThan(q.Mid.Mul(most))
}

// stand writes what age makes of the listing's quote, and when it was fresh last. One that never was is dated by its votes: a leg is as old as its
// newest one.
func (l *listing) stand(q *Quote, s standing, now time.Time) {
	q.Status, q.Reason, q.FreshUntil, q.StaleUntil = s.status, s.reason, s.freshUntil, s.staleUntil
	q.BuySupported, q.SellSupported = s.status != Halted, s.status != Halted
	if s.status == Fresh {
		q.UpdatedAt = now
		return
	}
	at := l.fresh
	switch last := l.last; {
	case at.IsZero():
		for _, leg := range q.Legs {
			at = earlier(at, leg.Rate.AsOf)
		}
	case last != nil && last.Status == Fresh && !last.FreshUntil.IsZero() && now.After(last.FreshUntil):
		at = last.FreshUntil
	}
	q.UpdatedAt = earlier(now, at)
}

// published remembers the listing's quote in a snapshot.
func (l *listing) published(q *Quote) {
	l.last = q
	if q.Status == Fresh || !l.fresh.IsZero() {
		l.fresh = q.UpdatedAt
	}
}

// price writes what the rates along a route come to.
func (l *listing) price(q *Quote, way route, legs []Leg, s standing) {
	mid := way.mid()
	*q = Quote{
		ID: l.id, Pair: l.pair, BaseName: l.base.Name, CounterName: l.counter.Name, Type: l.base.Type, Rank: l.base.Rank,
		BaseDecimals: l.base.Decimals, Class: l.tariff.Name, Mid: mid, Confidence: way.confidence(mid), Legs: legs,
	}
	l.spread(q, l.tariff.margins[s.margin-1], l.size)
}

// spread writes the prices and limits that a margin makes of the mid: buy = ceil(mid·(1+margin) + confidence), sell = floor(mid·(1-margin) -
// confidence). Where neither margin nor confidence keeps them apart from the mid, one tick does.
func (l *listing) spread(q *Quote, m margin, amounts *size) {
	buy, sell, places := l.ends(q.Mid, m, q.Confidence)
	if compare(buy, q.Mid) <= 0 {
		buy = buy.Add(decimal.New(1, -places))
	}
	if compare(sell, q.Mid) >= 0 {
		sell = sell.Sub(decimal.New(1, -places))
	}
	q.Buy, q.Sell, q.CounterDecimals, q.Margin = buy, sell, places, m.ratio
	q.MinBuy, q.MaxBuy = amounts.at(buy, places)
	q.MinSell, q.MaxSell = amounts.at(sell, places)
}

// ends are the prices before a tick keeps them apart, and their precision.
func (l *listing) ends(mid decimal.Decimal, m margin, doubt decimal.Decimal) (buy, sell decimal.Decimal, places int32) {
	exact, known := longOf(mid)
	span, sure := longOf(doubt)
	up, okUp := exact.spread(m.up, 1, span)
	down, okDown := exact.spread(m.down, -1, span)
	if known && sure && okUp && okDown && !down.zero() {
		whole, halved := down.magnitude()
		places = steadyPlaces(l.places, whole, halved, l.counter.Decimals)
		buy, okUp = up.rounded(places, true)
		sell, okDown = down.rounded(places, false)
		if okUp && okDown {
			return buy, sell, places
		}
	}
	buy, sell = mid.Mul(m.up).Add(doubt), mid.Mul(m.down).Sub(doubt)
	places = max(l.places, l.counter.Decimals)
	if sell.IsPositive() {
		places = steadyPlaces(l.places, magnitude(sell), magnitude(half(sell)), l.counter.Decimals)
	}
	return ceil(buy, places), floor(sell, places), places
}

// sound reports whether the invariants of a single quote hold: 0 < sell < mid < buy, and 0 < min < max in both currencies.
func (q *Quote) sound() bool {
	return q.Sell.IsPositive() && compare(q.Sell, q.Mid) < 0 && compare(q.Mid, q.Buy) < 0 &&
		q.MinBuy.below(q.MaxBuy) && q.MinSell.below(q.MaxSell)
}

// below reports whether both amounts are above zero and below the other's.
func (l Limit) below(other Limit) bool {
	return l.Base.IsPositive() && l.Counter.IsPositive() && compare(l.Base, other.Base) < 0 && compare(l.Counter, other.Counter) < 0
}

// moved reports whether either price differs from an earlier one by 0.05 % or more.
func (q *Quote) moved(from *Quote) bool {
	return differs(from.Buy, q.Buy) || differs(from.Sell, q.Sell)
}

// differs reports whether b is 0.05 % or more away from a.
func differs(a, b decimal.Decimal) bool {
	const parts = 2000
	if x, y, _, ok := aligned(a, b); ok {
		high, low := bits.Mul64(uint64(max(x-y, y-x)), parts) //nolint:gosec // not below zero
		return high > 0 || low >= uint64(x)                   //nolint:gosec // a price
	}
	return b.Sub(a).Abs().Mul(decimal.New(parts, 0)).GreaterThanOrEqual(a)
}
