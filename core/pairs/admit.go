package pairs

import (
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// admit checks a snapshot that was made elsewhere against the book, and fills in what the book knows better: names, precisions, and what
// prices are compared by. Afterwards its legs are rates of this book's markets.
func (b *book) admit(s *Snapshot, now time.Time) error {
	if s.At.After(now.Add(skew)) {
		return fmt.Errorf("%w: it is of %s from now; the clocks of the replicas differ", ErrForeign, s.At.Sub(now))
	}
	rates := map[*Rate]bool{}
	for _, state := range s.Markets {
		if err := b.admitRate(state.Rate, rates); err != nil {
			return err
		}
	}
	for i := range s.Quotes {
		if i > 0 && s.Quotes[i-1].ID >= s.Quotes[i].ID {
			return fmt.Errorf("%w: its pairs are not in order", ErrForeign)
		}
		if err := b.admitQuote(&s.Quotes[i], s.At, rates); err != nil {
			return err
		}
	}
	switch {
	case b.free(s.Quotes) != nil:
		return fmt.Errorf("%w: its prices would give money away", ErrForeign)
	case slices.ContainsFunc(s.Quotes, func(q Quote) bool { return q.aged(now.Add(-grace)) }):
		return ErrLate
	default:
		return nil
	}
}

// aged reports whether a quote is labelled better than it deserves at an instant.
func (q *Quote) aged(now time.Time) bool {
	over := func(end time.Time) bool { return !end.IsZero() && now.After(end) }
	return q.Status == Fresh && over(q.FreshUntil) || q.Status != Halted && over(q.StaleUntil)
}

// admitQuote checks what every quote of this book is like.
func (b *book) admitQuote(q *Quote, at time.Time, rates map[*Rate]bool) error {
	l := b.listing(q.ID)
	if l == nil || q.Pair != l.pair {
		return fmt.Errorf("%w: it has a pair that is not on offer", ErrForeign)
	}
	q.BaseName, q.CounterName, q.Type, q.Rank = l.base.Name, l.counter.Name, l.base.Type, l.base.Rank
	q.BaseDecimals, q.Class = l.base.Decimals, l.tariff.Name
	switch {
	case !q.measured() || !q.sound():
		return fmt.Errorf("%w: the price of %s is none", ErrForeign, q.ID)
	case !q.labelled(at):
		return fmt.Errorf("%w: %s is %q, and not all that goes with it", ErrForeign, q.ID, q.Status)
	}
	for i := range q.Legs {
		if err := b.admitLeg(&q.Legs[i], rates); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(l.routes, func(way route) bool { return way.leads(q.Legs) }) {
		return fmt.Errorf("%w: the route of %s is another one", ErrForeign, q.ID)
	}
	return nil
}

// measured reports whether the numbers of a quote are such that one can compute with them.
func (q *Quote) measured() bool {
	for _, d := range [...]decimal.Decimal{
		q.Mid, q.Buy, q.Sell, q.Confidence, q.Margin, q.Change24h, q.MinBuy.Base, q.MinBuy.Counter, q.MaxBuy.Base, q.MaxBuy.Counter,
		q.MinSell.Base, q.MinSell.Counter, q.MaxSell.Base, q.MaxSell.Counter,
	} {
		if !inRange(d) {
			return false
		}
	}
	return !q.Confidence.IsNegative() && !q.Margin.IsNegative() && q.CounterDecimals >= 0 && q.CounterDecimals <= maxPlaces
}

// labelled reports whether a quote of a snapshot has a status, and what goes with it.
func (q *Quote) labelled(at time.Time) bool {
	tradable := q.Status == Fresh || q.Status == Stale
	return (tradable || q.Status == Halted) && q.BuySupported == tradable && q.SellSupported == tradable &&
		!q.UpdatedAt.After(at) && (q.Status != Fresh || q.UpdatedAt.Equal(at))
}

// leads reports whether legs are those of the route.
func (r route) leads(legs []Leg) bool {
	return slices.EqualFunc(r, legs, func(s step, leg Leg) bool { return s.market == leg.market && s.inverted == leg.Inverted })
}

// admitLeg finds the market of a leg.
func (b *book) admitLeg(leg *Leg, rates map[*Rate]bool) error {
	if leg.Rate == nil {
		return fmt.Errorf("%w: a leg has no rate", ErrForeign)
	}
	leg.market = b.market(leg.Rate.Pair)
	switch {
	case leg.market == nil || !leg.market.fixed:
		return b.admitRate(leg.Rate, rates)
	case !leg.Rate.Mid.Equal(leg.market.Fixed):
		return fmt.Errorf("%w: the rate of %s is fixed by treaty, and another one", ErrForeign, leg.market.Pair)
	default:
		leg.Rate = leg.market.rate
		return nil
	}
}

// admitRate checks a rate, once, and fills in what it is compared by.
func (b *book) admitRate(r *Rate, known map[*Rate]bool) error {
	if r == nil {
		return fmt.Errorf("%w: a market has no rate", ErrForeign)
	}
	if known[r] {
		return nil
	}
	m := b.market(r.Pair)
	if m == nil || m.fixed {
		return fmt.Errorf("%w: it has a market that is not polled here", ErrForeign)
	}
	if !r.Mid.IsPositive() || !inRange(r.Mid) || r.Confidence.IsNegative() || !inRange(r.Confidence) || len(r.Used) == 0 {
		return fmt.Errorf("%w: the rate of %s is none", ErrForeign, r.Pair)
	}
	r.Class, r.Quorum, r.octaves = m.class.Name, m.quorum, octavesOf(r.Mid)
	for _, v := range r.Used {
		if !m.admitVote(v) {
			return fmt.Errorf("%w: a vote on %s is none", ErrForeign, r.Pair)
		}
	}
	known[r] = true
	return nil
}

// admitVote reports whether a vote is one of a source of the market, and fills in what it is compared by.
func (m *market) admitVote(v *Vote) bool {
	at := slices.IndexFunc(m.slots, func(s *slot) bool { return v != nil && s.feed.name == v.Source })
	if at < 0 || !v.Bid.IsPositive() || !inRange(v.Bid) || !inRange(v.Ask) || v.Bid.GreaterThan(v.Ask) {
		return false
	}
	v.Family, v.Mid = m.slots[at].feed.of.Family, half(v.Bid.Add(v.Ask))
	v.expires, v.ticks, v.octaves = expiry(v.At, m.class.MaxAge), ticksOf(v.Bid, v.Mid, v.Ask), octavesOf(v.Mid)
	return true
}
