package pairs

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Quote is the price of a listed pair in one snapshot, with everything that clients may see of it.
// Prices and counter amounts are in the counter currency. It is never changed.
type Quote struct {
	ID              string // base and counter joined
	Pair            core.Pair
	BaseName        string
	CounterName     string
	Type            core.CurrencyType // of the base
	Rank            int               // of the base, by market capitalisation
	BaseDecimals    int32             // precision of base amounts
	CounterDecimals int32             // precision of prices

	Mid           decimal.Decimal // not rounded to the pair's precision
	Buy           decimal.Decimal // what a customer pays for one base, at any size
	Sell          decimal.Decimal // what a customer gets for one base, at any size
	BuySupported  bool
	SellSupported bool
	MinBuy        Limit
	MaxBuy        Limit
	MinSell       Limit
	MaxSell       Limit
	Change24h     decimal.Decimal // of Mid, in per cent, to 2 decimals; zero if unknown

	Status     Status
	Reason     Reason    // empty for an ordinary fresh quote
	UpdatedAt  time.Time // the snapshot's instant while fresh, else the last instant at which it was; see stamp
	FreshUntil time.Time // when it stops being fresh if nothing new comes; zero: never
	StaleUntil time.Time // when it is halted if nothing new comes; zero: never

	Class      string          // of ListingClass
	BuyMargin  decimal.Decimal // the ratio in Buy: 0.015 is 1.5 %
	SellMargin decimal.Decimal // the ratio in Sell
	Tiers      []Tier          // better prices by size of the order; empty: one price for all sizes
	Confidence decimal.Decimal // the half-width in Buy and Sell, in the counter currency
	Low, High  decimal.Decimal // the mids of Sell and Buy; both are Mid unless a leg has a second estimate
	Legs       []Leg           // the route: one or two
}

// Tier is the price of orders up to a size.
type Tier struct {
	UpTo                  decimal.Decimal // in the base currency; zero: no limit
	BuyMargin, SellMargin decimal.Decimal
	Buy, Sell             decimal.Decimal
}

// Limit is an amount of the base currency and its value in the counter currency at the shown price.
// Both have no more decimals than their currency.
type Limit struct {
	Base    decimal.Decimal
	Counter decimal.Decimal
}

// listing is a pair on offer.
type listing struct {
	pair          core.Pair
	id            string
	base, counter core.Currency
	class         core.ListingClass
	tiers         []core.MarginTier // at least one; the last has no limit
	rules         *core.PriceRules
	routes        []route   // by preference
	pegs          []*market // that show whether base or counter keep a peg
	middle        []*market // the same for currencies in the middle of routes
	promise       *market   // of pegs, the market of the pair itself; nil: none
	value         *valuation
	from, to      int // base and counter in the graph of conversions

	last   *Quote    // as last published; nil: never
	fresh  time.Time // last instant at which it was fresh; zero: never
	places int32     // precision of the last sound price; 0: none yet
	past   past
	in     *input // of the newest quote
}

// quote returns the listing's quote at an instant, or nil while there is none.
func (l *listing) quote(now time.Time) *Quote {
	way, in := l.choose(now)
	if in == nil || l.value.usd.IsZero() {
		l.in = &input{now: now, rules: l.rules, ahead: true}
		return l.decide(nil)
	}
	l.in = in
	l.checkPeg(way, in)
	v := judge(in)
	q := l.price(way, in, v.margin)
	in.unsound = !q.sound()
	return l.decide(q)
}

// decide completes a newly priced quote with its status. A halted one shows the last good price, if
// there is one, except off a peg, where the new price is known to be right.
func (l *listing) decide(q *Quote) *Quote {
	v := judge(l.in)
	if v.status == Halted && v.reason != Depegged && l.last != nil {
		q = l.shown()
	}
	if q == nil || l.in.unsound && l.last == nil {
		return nil
	}
	q.Status, q.Reason, q.FreshUntil, q.StaleUntil = v.status, v.reason, v.freshUntil, v.staleUntil
	q.BuySupported, q.SellSupported = v.status != Halted, v.status != Halted
	q.Change24h = l.past.change(q.Mid)
	l.stamp(q, l.in.now)
	return q
}

// checkPeg compares a stablecoin with its peg along a route that replaces the market of the pair
// itself.
func (l *listing) checkPeg(way route, in *input) {
	if l.promise == nil || way[0].market == l.promise {
		return
	}
	without := *in
	without.depegged = false
	if v := judge(&without); v.status == Fresh {
		l.promise.checkPeg(way.mid())
		in.depegged = l.depegged(way, in.now)
	}
}

// shown returns a copy of the last published quote. Its legs keep their votes and list the sources
// excluded now.
func (l *listing) shown() *Quote {
	q := *l.last
	q.Legs = slices.Clone(q.Legs)
	for i, leg := range q.Legs {
		rate := *leg.Rate
		rate.Excluded = leg.market.Rate.Excluded
		q.Legs[i].Rate = &rate
	}
	return &q
}

// stamp sets UpdatedAt: the snapshot's instant while the price is fresh, else the last instant at
// which it was. A price that never was fresh has the time of its votes.
func (l *listing) stamp(q *Quote, now time.Time) {
	if q.Status == Fresh {
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

// price computes prices and limits along a known route at a multiple of the margin. The listed
// price is that of the largest margin of all tiers, so that it holds for orders of any size.
func (l *listing) price(way route, in *input, times int64) *Quote {
	mid, legs := way.mid(), way.legs()
	q := &Quote{
		ID: l.id, Pair: l.pair, BaseName: l.base.Name, CounterName: l.counter.Name, Type: l.base.Type, Rank: l.base.Rank,
		BaseDecimals: l.base.Decimals, Class: l.class.Name, Mid: mid, Legs: legs,
		Confidence: way.confidence(mid, in.uncertainty),
	}
	q.Low, q.High = way.span(mid)
	var floor int64
	var drift decimal.Decimal
	for _, leg := range legs {
		floor, drift = max(floor, leg.market.class.MarginFloorBPS), drift.Add(leg.market.drift(leg.Rate, in.now))
	}
	margin := func(bps int64) decimal.Decimal { return decimal.New(max(bps, floor)*times, -4).Add(drift) }
	for _, t := range l.tiers {
		tier := Tier{BuyMargin: margin(t.BuyBPS), SellMargin: margin(t.SellBPS)}
		if t.UpToUSD.IsPositive() {
			tier.UpTo = l.size(t.UpToUSD, false)
		}
		q.BuyMargin, q.SellMargin = decimal.Max(q.BuyMargin, tier.BuyMargin), decimal.Max(q.SellMargin, tier.SellMargin)
		q.Tiers = append(q.Tiers, tier)
	}
	q.CounterDecimals = l.precision(q)
	q.Buy, q.Sell = q.prices(q.BuyMargin, q.SellMargin)
	if len(q.Tiers) == 1 {
		q.Tiers = nil
	}
	for i := range q.Tiers {
		t := &q.Tiers[i]
		t.Buy, t.Sell = q.prices(t.BuyMargin, t.SellMargin)
	}
	least, most := l.size(l.class.MinUSD, true), l.size(l.class.MaxUSD, false)
	minimum := func(price decimal.Decimal) Limit { return Limit{least, least.Mul(price).RoundCeil(l.counter.Decimals)} }
	maximum := func(price decimal.Decimal) Limit { return Limit{most, most.Mul(price).RoundFloor(l.counter.Decimals)} }
	q.MinBuy, q.MaxBuy, q.MinSell, q.MaxSell = minimum(q.Buy), maximum(q.Buy), minimum(q.Sell), maximum(q.Sell)
	if q.sound() {
		l.places = q.CounterDecimals
	}
	return q
}

// prices returns buy = ceil(high·(1+margin) + confidence) and sell = floor(low·(1-margin) -
// confidence). If neither margin nor confidence keep them apart from the mid, one unit of the last
// digit does.
func (q *Quote) prices(buyMargin, sellMargin decimal.Decimal) (buy, sell decimal.Decimal) {
	one, unit := decimal.New(1, 0), decimal.New(1, -q.CounterDecimals)
	buy = q.High.Mul(one.Add(buyMargin)).Add(q.Confidence).RoundCeil(q.CounterDecimals)
	sell = q.Low.Mul(one.Sub(sellMargin)).Sub(q.Confidence).RoundFloor(q.CounterDecimals)
	if buy.LessThanOrEqual(q.Mid) {
		buy = buy.Add(unit)
	}
	if sell.GreaterThanOrEqual(q.Mid) {
		sell = sell.Sub(unit)
	}
	return buy, sell
}

const (
	maxPlaces   = 18 // most decimals of anything shown
	priceDigits = 6  // significant digits of a price, at least
)

// precision returns the decimals of prices: the counter currency's own, or more if the price needs
// them to show its significant digits. It grows at once, and shrinks only when half the price needs
// fewer decimals too, so that a price near a power of ten keeps its precision.
func (l *listing) precision(q *Quote) int32 {
	sell := q.Low.Mul(decimal.New(1, 0).Sub(q.SellMargin)).Sub(q.Confidence)
	if !sell.IsPositive() {
		return max(l.places, l.counter.Decimals)
	}
	places := func(d decimal.Decimal) int32 {
		return max(min(priceDigits-magnitude(d), maxPlaces), l.counter.Decimals)
	}
	need := places(sell)
	if need >= l.places {
		return need
	}
	return min(l.places, max(need, places(half(sell))))
}

// sound reports whether 0 < sell < mid < buy, and 0 < minimum < maximum in both currencies.
func (q *Quote) sound() bool {
	below := func(a, b Limit) bool {
		return a.Base.IsPositive() && a.Counter.IsPositive() && a.Base.LessThan(b.Base) && a.Counter.LessThan(b.Counter)
	}
	return q.Sell.IsPositive() && q.Sell.LessThan(q.Mid) && q.Mid.LessThan(q.Buy) &&
		below(q.MinBuy, q.MaxBuy) && below(q.MinSell, q.MaxSell)
}

// moved reports whether either price differs from an earlier one by 0.05 % or more.
func (q *Quote) moved(from *Quote) bool {
	differs := func(a, b decimal.Decimal) bool {
		return b.Sub(a).Abs().Mul(decimal.New(2000, 0)).GreaterThanOrEqual(a)
	}
	return differs(from.Buy, q.Buy) || differs(from.Sell, q.Sell)
}

// usd is the currency that the sizes of orders are configured in.
const usd = "USD"

// sizeDigits is the number of significant digits of a limit in the base currency: few, so that
// limits change rarely.
const sizeDigits = 2

// valuation is the value of one unit of a currency in USD, for the sizes of orders only.
type valuation struct {
	routes []route         // the first known one counts
	usd    decimal.Decimal // zero: unknown
}

// refresh values the currency along the first route whose rates are known, however old.
func (v *valuation) refresh() {
	for _, r := range v.routes {
		if r.known() {
			v.usd = r.mid()
			return
		}
	}
}

// size converts a notional in USD to an amount of the base currency of a few digits.
func (l *listing) size(notional decimal.Decimal, up bool) decimal.Decimal {
	// The quotient has as many digits before the point as the difference, or one more.
	places := min(l.base.Decimals, sizeDigits+1-(magnitude(notional)-magnitude(l.value.usd)))
	if up {
		amount := ceilQuotient(notional, l.value.usd, places)
		return amount.RoundCeil(min(l.base.Decimals, sizeDigits-magnitude(amount)))
	}
	amount := floorQuotient(notional, l.value.usd, places)
	return amount.RoundFloor(min(l.base.Decimals, sizeDigits-magnitude(amount)))
}
