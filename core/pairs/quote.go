package pairs

import (
	"cmp"
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

	Mid       decimal.Decimal // not rounded to the pair's precision
	Buy       decimal.Decimal // what a customer pays for one base, at any size
	Sell      decimal.Decimal // what a customer gets for one base, at any size
	MinBuy    Limit
	MaxBuy    Limit
	MinSell   Limit
	MaxSell   Limit
	Change24h decimal.Decimal // of Mid, in per cent, to 2 decimals; zero if unknown

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
	Low, High  decimal.Decimal // the mids of Sell and Buy: Mid, or a second estimate of a leg or route
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
	base, counter *core.Currency
	class         *core.ListingClass
	tiers         []core.MarginTier // at least one; the last has no limit
	rules         *core.PriceRules
	routes        []route // by preference
	promise       *market // the market of the pair itself, if its base is pegged to its counter; else nil
	worth         []route // from the base to USD, by preference; see value

	last   *Quote          // as last published; nil: never
	fresh  time.Time       // last instant at which it was fresh; zero: never
	apart  time.Time       // since when another route contradicts the price; zero: none does
	dayAgo decimal.Decimal // mid a day ago; zero: unknown
}

// priced is a listing with its newest quote.
type priced struct {
	*listing

	in    *input
	quote *Quote // nil while there is none
}

// quote prices the listing along its best route. It changes nothing.
func (l *listing) quote(now time.Time) *priced {
	way, in := l.choose(now)
	p := &priced{listing: l, in: in}
	usd := l.value()
	if in == nil || usd.IsZero() {
		p.in = &input{now: now, rules: l.rules, ahead: true}
	} else {
		l.compare(way, in)
		p.quote = l.price(way, in, judge(in).margin, usd)
		in.unsound = !p.quote.sound()
	}
	p.decide()
	return p
}

// decide completes a newly priced quote with its status. A halted one shows the last good price, if
// there is one, except off a peg, where the new price is known to be right.
func (p *priced) decide() {
	v := judge(p.in)
	if v.status == Halted && v.reason != Depegged && p.last != nil {
		p.quote = p.shown()
	}
	if p.quote == nil || p.in.unsound && p.last == nil {
		p.quote = nil
		return
	}
	q := p.quote
	q.Status, q.Reason, q.FreshUntil, q.StaleUntil = v.status, v.reason, v.freshUntil, v.staleUntil
	q.Change24h = decimal.Zero
	if p.dayAgo.IsPositive() {
		q.Change24h = q.Mid.Sub(p.dayAgo).Shift(2).DivRound(p.dayAgo, 2)
	}
	q.UpdatedAt = p.updatedAt(p.in.now)
}

// updatedAt returns the snapshot's instant while the price is fresh, else the last instant at which
// it was. A price that never was fresh has the time of its votes.
func (p *priced) updatedAt(now time.Time) time.Time {
	at := p.fresh
	switch {
	case p.quote.Status == Fresh:
		return now
	case at.IsZero():
		for _, leg := range p.quote.Legs {
			at = earlier(at, leg.Rate.AsOf)
		}
	case p.last != nil && p.last.Status == Fresh && !p.last.FreshUntil.IsZero() && now.After(p.last.FreshUntil):
		at = p.last.FreshUntil
	}
	return earlier(now, at)
}

// changed reports whether clients should receive the quote: the pair is new, its status changed, or
// a price by 0.05 % or more.
func (p *priced) changed() bool {
	differs := func(a, b decimal.Decimal) bool {
		return b.Sub(a).Abs().Mul(decimal.New(2000, 0)).GreaterThanOrEqual(a)
	}
	return p.last == nil || p.last.Status != p.quote.Status ||
		differs(p.last.Buy, p.quote.Buy) || differs(p.last.Sell, p.quote.Sell)
}

// checkPeg compares a stablecoin with its peg along a route that replaces the market of the pair
// itself.
func (l *listing) checkPeg(now time.Time) {
	if l.promise == nil {
		return
	}
	way, in := l.choose(now)
	if in == nil || way[0].market == l.promise {
		return
	}
	in.depegged = false
	if v := judge(in); v.status == Fresh {
		l.promise.checkPeg(way.mid())
	}
}

// shown returns a copy of the last published quote. Its legs keep their votes and list the sources
// excluded now.
func (l *listing) shown() *Quote {
	q := *l.last
	q.Legs = slices.Clone(q.Legs)
	for i, leg := range q.Legs {
		for _, s := range slices.Concat(l.routes...) {
			if s.market.Pair == leg.Rate.Pair && s.market.Rate != nil {
				rate := *leg.Rate
				rate.Excluded = s.market.Rate.Excluded
				q.Legs[i].Rate = &rate
			}
		}
	}
	return &q
}

// published remembers the listing's quote in a snapshot.
func (l *listing) published(q *Quote) {
	l.last = q
	if q.Status == Fresh || !l.fresh.IsZero() {
		l.fresh = q.UpdatedAt
	}
}

// price computes prices and limits along a known route at a multiple of the margin. The listed
// price has the largest margin of all tiers, so that it holds for orders of any size.
func (l *listing) price(way route, in *input, times int64, usd decimal.Decimal) *Quote {
	mid, low, high := way.estimates()
	q := &Quote{
		ID: l.id, Pair: l.pair, BaseName: l.base.Name, CounterName: l.counter.Name, Type: l.base.Type, Rank: l.base.Rank,
		BaseDecimals: l.base.Decimals, Class: l.class.Name, Mid: mid, Low: low, High: high, Legs: way.legs(),
		Confidence: way.confidence(mid, in.uncertainty),
	}
	var floor int64
	var drift decimal.Decimal
	for _, s := range way {
		floor, drift = max(floor, s.market.class.MarginFloorBPS), drift.Add(s.market.drift(in.now))
	}
	for _, other := range in.others {
		least, most := cover(other, mid, floor)
		q.Low, q.High = decimal.Min(q.Low, cmp.Or(least, q.Low)), decimal.Max(q.High, cmp.Or(most, q.High))
	}
	margin := func(bps int64) decimal.Decimal { return decimal.New(max(bps, floor)*times, -4).Add(drift) }
	for _, t := range l.tiers {
		tier := Tier{BuyMargin: margin(t.BuyBPS), SellMargin: margin(t.SellBPS)}
		if t.UpToUSD.IsPositive() {
			tier.UpTo = l.size(t.UpToUSD, usd, false)
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
	least, most := l.size(l.class.MinUSD, usd, true), l.size(l.class.MaxUSD, usd, false)
	minimum := func(price decimal.Decimal) Limit { return Limit{least, least.Mul(price).RoundCeil(l.counter.Decimals)} }
	maximum := func(price decimal.Decimal) Limit { return Limit{most, most.Mul(price).RoundFloor(l.counter.Decimals)} }
	q.MinBuy, q.MaxBuy, q.MinSell, q.MaxSell = minimum(q.Buy), maximum(q.Buy), minimum(q.Sell), maximum(q.Sell)
	return q
}

// prices returns buy = ceil(high·(1+margin) + confidence) and sell = floor(low·(1-margin) -
// confidence). If neither margin nor confidence keep them apart from the mid, one unit of the last
// digit does.
func (q *Quote) prices(buyMargin, sellMargin decimal.Decimal) (buy, sell decimal.Decimal) {
	unit := decimal.New(1, -q.CounterDecimals)
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
// them to show its significant digits.
func (l *listing) precision(q *Quote) int32 {
	sell := q.Low.Mul(one.Sub(q.SellMargin)).Sub(q.Confidence)
	if !sell.IsPositive() {
		return l.counter.Decimals
	}
	return max(min(priceDigits-magnitude(sell), maxPlaces), l.counter.Decimals)
}

// sound reports whether 0 < sell < mid < buy, and 0 < minimum < maximum in both currencies.
func (q *Quote) sound() bool {
	below := func(a, b Limit) bool {
		return a.Base.IsPositive() && a.Counter.IsPositive() && a.Base.LessThan(b.Base) && a.Counter.LessThan(b.Counter)
	}
	return q.Sell.IsPositive() && q.Sell.LessThan(q.Mid) && q.Mid.LessThan(q.Buy) &&
		below(q.MinBuy, q.MaxBuy) && below(q.MinSell, q.MaxSell)
}

// uncertainty is the confidence as a part of the price.
func (p *priced) uncertainty() decimal.Decimal { return ratioUp(p.quote.Confidence, p.quote.Mid) }

// sizeDigits is the number of significant digits of a limit in the base currency: few, so that
// limits change rarely.
const sizeDigits = 2

// usd is the currency that the sizes of orders are configured in.
const usd = "USD"

// value returns what one unit of the base is worth in USD, along the first route whose rates are
// known, however old; zero if it is unknown. It serves the sizes of orders only.
func (l *listing) value() decimal.Decimal {
	for _, way := range l.worth {
		if way.known() {
			return way.mid()
		}
	}
	return decimal.Zero
}

// size converts a notional in USD to an amount of the base currency of a few digits.
func (l *listing) size(notional, value decimal.Decimal, up bool) decimal.Decimal {
	amount := notional.DivRound(value, significant)
	places := min(l.base.Decimals, sizeDigits-magnitude(amount))
	if up {
		return amount.RoundCeil(places)
	}
	return amount.RoundFloor(places)
}
