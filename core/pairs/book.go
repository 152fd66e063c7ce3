package pairs

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// book is everything that is priced. The service's lock guards it.
type book struct {
	markets    []*market // by pair
	valuations []*valuation
	listings   []*listing // by id
	rules      core.PriceRules
	ids        map[string]bool
	currencies map[string]int // of the listings, numbered
}

// quote recomputes every market and prices every listing that can be priced. It returns the pairs
// whose price broke an invariant and the profitable cycles that it halted.
func (b *book) quote(now time.Time) (quotes []Quote, refused []string, cycles [][]conversion) {
	for _, m := range b.markets {
		m.refresh(now)
	}
	for _, v := range b.valuations {
		v.refresh()
	}
	var priced []*listing
	var made []*Quote
	for _, l := range b.listings {
		q := l.quote(now)
		if l.in.unsound {
			refused = append(refused, l.id)
		}
		if q != nil {
			priced, made = append(priced, l), append(made, q)
		}
	}
	cycles = b.haltCycles(priced, made)
	quotes = make([]Quote, len(made))
	for i, q := range made {
		quotes[i] = *q
	}
	return quotes, refused, cycles
}

// each calls f for the quotes with their listings, both sorted by id.
func (b *book) each(quotes []Quote, f func(*listing, *Quote)) {
	i := 0
	for _, l := range b.listings {
		if i < len(quotes) && quotes[i].ID == l.id {
			f(l, &quotes[i])
			i++
		}
	}
}

// listing returns the listing of an id, or nil.
func (b *book) listing(id string) *listing {
	i, found := slices.BinarySearchFunc(b.listings, id, func(l *listing, id string) int {
		return strings.Compare(l.id, id)
	})
	if !found {
		return nil
	}
	return b.listings[i]
}

// market returns the market of a pair, or nil.
func (b *book) market(pair core.Pair) *market {
	i, found := slices.BinarySearchFunc(b.markets, pair, func(m *market, pair core.Pair) int {
		return comparePairs(m.Pair, pair)
	})
	if !found {
		return nil
	}
	return b.markets[i]
}

// changed reports whether clients should receive the quotes: a pair is new, or its status or a
// price changed.
func (b *book) changed(quotes []Quote) (changed bool) {
	b.each(quotes, func(l *listing, q *Quote) {
		changed = changed || l.last == nil || l.last.Status != q.Status || q.moved(l.last)
	})
	return changed
}

// uncertainty is the confidence as a part of the price.
func (q *Quote) uncertainty() decimal.Decimal { return ratioUp(q.Confidence, q.Mid) }
