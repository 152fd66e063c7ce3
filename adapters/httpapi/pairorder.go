package httpapi

import (
	"cmp"
	"slices"
	"sync"

	"causeway/core/pairs"
)

// sortKey is an order of the list.
type sortKey int

const (
	alphabetical sortKey = iota
	currentPrice
	priceChange
	marketCap
	sortKeys
)

func sortKeyOf(sortBy string) (sortKey, bool) {
	switch sortBy {
	case "", "alphabetical":
		return alphabetical, true
	case "current_price":
		return currentPrice, true
	case "price_change":
		return priceChange, true
	case "market_cap", "date_added", "most_bought", "most_sold":
		return marketCap, true
	}
	return alphabetical, false
}

// order is the whole list in one order, made when it is asked for first.
type order struct {
	once   sync.Once
	ranks  []int    // by place: where in the order it stands
	sorted [2]later // ascending, descending
}

func (o *order) of(page *pairPage, key sortKey) []int {
	o.once.Do(func() {
		at := places(len(page.Quotes))
		slices.SortStableFunc(at, func(a, b int) int { return compare(&page.Quotes[a], &page.Quotes[b], key) })
		o.ranks = make([]int, len(at))
		for rank, i := range at {
			o.ranks[i] = rank
		}
	})
	return o.ranks
}

// compare says which quote comes first. Quotes without a rank come after those with one; equal ones stay in the order of ids.
func compare(a, b *pairs.Quote, key sortKey) int {
	switch key {
	case currentPrice:
		return cmp.Or(cmp.Compare(a.Pair.Counter, b.Pair.Counter), a.Buy.Cmp(b.Buy))
	case priceChange:
		return a.Change24h.Cmp(b.Change24h)
	case marketCap:
		if (a.Rank == 0) != (b.Rank == 0) {
			return b.Rank - a.Rank
		}
		return a.Rank - b.Rank
	case alphabetical, sortKeys:
	}
	return 0
}

// sorted is the document of the whole list in another order.
func (p *pairPage) sorted(packer *packer, key sortKey, desc bool) *document {
	o, direction := &p.orders[key], 0
	if desc {
		direction = 1
	}
	return o.sorted[direction].get(func() *document {
		at := make([]int, len(p.Quotes))
		for i, rank := range o.of(p, key) {
			at[rank] = i
		}
		if desc {
			slices.Reverse(at)
		}
		return newDocument(packer, typeJSON, p.join(at))
	})
}
