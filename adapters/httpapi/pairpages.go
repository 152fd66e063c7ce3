package httpapi

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/core/pairs"
)

// firstPrice is when to ask again for a price that was never known so far.
const firstPrice = 2 * time.Second

// longestFresh bounds the max-age of prices, in seconds.
const longestFresh = 60

// pairPages answers for the prices of the moment.
type pairPages struct {
	book    PairBook
	packer  *packer
	clock   core.Clock
	current atomic.Pointer[pairPage]
	maxAge  [longestFresh + 1][]string // Cache-Control by remaining freshness in seconds
	empty   *document
}

func newPairPages(a *API, in *Realm) *pairPages {
	p := &pairPages{book: in.services.Pairs, packer: a.packer, clock: in.clock}
	for i := range p.maxAge {
		p.maxAge[i] = []string{"public, max-age=" + strconv.Itoa(i) + ", stale-if-error=60"}
	}
	none := listing{head: success(pairsFound)}
	p.empty = newDocument(p.packer, typeJSON, none.join(nil))
	return p
}

// cache is how long the list is good for: as long as its first fresh price stays fresh, and no stale one is halted.
func (p *pairPages) cache(page *pairPage) []string { return p.until(page.good) }

// cacheOf is how long what is said of one pair is good for: no time at all where it is not fresh, since it may be halted, or be fresh again, at any time.
func (p *pairPages) cacheOf(q *pairs.Quote) []string {
	switch {
	case q.Status != pairs.Fresh:
		return p.maxAge[0]
	case q.FreshUntil.IsZero(): // it does not age
		return p.maxAge[longestFresh]
	}
	return p.until(q.FreshUntil)
}

func (p *pairPages) until(at time.Time) []string {
	left := at.Sub(p.clock()) / time.Second
	return p.maxAge[min(max(left, 0), longestFresh)]
}

// pairPage is one publication, encoded: its pairs by id, an index, and the documents of the usual questions.
type pairPage struct {
	*pairs.Snapshot
	listing
	good    time.Time // until when
	all     *document
	byID    map[string]int
	objects []later
	prices  []later
	sets    map[pairFilter]*pairSet
	orders  [sortKeys]order
	unusual shelf[pairQuestion]
	pairEvents
	histories sync.Map // of historyKey: *document
}

// pairFilter is a filter by one parameter.
type pairFilter struct {
	param int
	value string
}

// pairQuestion is a question about the list.
type pairQuestion struct {
	filters [pairFilterCount]string
	key     sortKey
	desc    bool
}

// pairSet is what one filter selects.
type pairSet struct {
	at []int
	later
}

func (p *pairPages) publish(s *pairs.Snapshot) {
	page := &pairPage{
		Snapshot: s, good: s.FreshUntil, listing: listing{head: success(pairsFound), items: make([][]byte, len(s.Quotes))},
		byID: make(map[string]int, len(s.Quotes)), objects: make([]later, len(s.Quotes)), prices: make([]later, len(s.Quotes)),
		sets: map[pairFilter]*pairSet{}, pairEvents: newPairEvents(len(s.Quotes)),
	}
	before := p.current.Load()
	for i := range s.Quotes {
		q := &s.Quotes[i]
		body := newPairBody(q)
		page.items[i] = encode(&body)
		page.byID[q.ID] = i
		page.add(i, pairFilter{pairType, body.Type})
		page.add(i, pairFilter{pairBase, body.Base})
		page.add(i, pairFilter{pairCounter, body.Counter})
		page.add(i, pairFilter{pairCurrency, body.Base})
		page.add(i, pairFilter{pairCurrency, body.Counter})
		page.add(i, pairFilter{pairID, body.ID})
		page.compare(before, i, body)
		if q.Status == pairs.Stale && !q.StaleUntil.IsZero() && q.StaleUntil.Before(page.good) {
			page.good = q.StaleUntil
		}
	}
	page.all = newDocument(p.packer, typeJSON, page.join(places(len(s.Quotes))))
	if before != nil {
		page.all.succeed(before.all)
	}
	page.succeed(before)
	p.current.Store(page)
	if before != nil {
		close(before.replaced)
	}
}

func (p *pairPage) add(i int, f pairFilter) {
	set := p.sets[f]
	if set == nil {
		set = new(pairSet)
		p.sets[f] = set
	}
	set.at = append(set.at, i)
}

// object is the document of one pair.
func (p *pairPage) object(packer *packer, i int) *document {
	return p.objects[i].get(func() *document { return newDocument(packer, typeJSON, one(success(pairFound), p.items[i])) })
}

// list answers for many pairs.
func (p *pairPages) list(x *exchange, params []param) error {
	var values [pairParamCount]string
	faults := readQuery(x.r.URL.RawQuery, params, values[:])
	faults = append(faults, readPairType(&values[pairType])...)
	key, known := sortKeyOf(values[pairSortBy])
	if !known {
		faults = append(faults, oneOf("sort_by", values[pairSortBy],
			"alphabetical", "current_price", "price_change", "market_cap", "date_added", "most_bought", "most_sold")...)
	}
	faults = append(faults, oneOf("sort", values[pairSort], "asc", "desc")...)
	if len(faults) > 0 {
		return invalid(faults)
	}
	page := p.current.Load()
	if page == nil {
		return errNoPrices()
	}
	x.serve(p.selected(page, values[:pairFilterCount], key, values[pairSort] == "desc"), p.cache(page))
	return nil
}

func errNoPrices() error {
	return core.Errorf(core.Unavailable, "There are no prices yet; please try again in a moment").Retry(firstPrice)
}

// readPairType checks a type and gives it our spelling.
func readPairType(value *string) []core.FieldError {
	faults := oneOf("type", *value, "fiat", "crypto", "stablecoins", "stablecoin", "base_fiat", "base_crypto")
	switch *value {
	case "stablecoin":
		*value = "stablecoins"
	case "base_fiat", "base_crypto":
		*value = (*value)[len("base_"):]
	}
	return faults
}

// selected is the document of a question: a kept one where the question is usual, else one that is put together.
func (p *pairPages) selected(page *pairPage, filters []string, key sortKey, desc bool) *document {
	set, count := page.smallest(filters)
	asPublished := key == alphabetical && !desc
	switch {
	case count == 0 && asPublished:
		return page.all
	case count == 0:
		return page.sorted(p.packer, key, desc)
	case set == nil:
		return p.empty
	case count == 1 && asPublished:
		return set.get(func() *document { return newDocument(p.packer, typeJSON, page.join(set.at)) })
	}
	question := pairQuestion{[pairFilterCount]string(filters), key, desc}
	if d := page.unusual.find(question); d != nil {
		return d
	}
	at := page.where(filters)
	if key != alphabetical {
		ranks := page.orders[key].of(page, key)
		slices.SortFunc(at, func(a, b int) int { return ranks[a] - ranks[b] })
	}
	if desc {
		slices.Reverse(at)
	}
	return page.unusual.keep(p.packer, question, page.join(at))
}

// where are the places of the pairs that pass all filters, in their order. The answer is the caller's.
func (p *pairPage) where(filters []string) []int {
	set, count := p.smallest(filters)
	switch {
	case count == 0:
		return places(len(p.Quotes))
	case set == nil:
		return nil
	}
	return slices.DeleteFunc(slices.Clone(set.at), func(i int) bool { return !p.matches(i, filters) })
}

// smallest counts the filters that are set and returns the smallest set that one of them selects: nil where one selects nothing.
func (p *pairPage) smallest(filters []string) (*pairSet, int) {
	var least *pairSet
	count := 0
	for i, value := range filters {
		if value == "" {
			continue
		}
		set := p.sets[pairFilter{i, value}]
		if set == nil {
			return nil, 1
		}
		if count++; least == nil || len(set.at) < len(least.at) {
			least = set
		}
	}
	return least, count
}

// matches reports whether the pair at a place passes all filters.
func (p *pairPage) matches(i int, filters []string) bool {
	q := &p.Quotes[i]
	is := func(param int, value string) bool { return filters[param] == "" || filters[param] == value }
	return is(pairType, typeOf(q.Type)) && is(pairBase, q.Pair.Base) && is(pairCounter, q.Pair.Counter) && is(pairID, q.ID) &&
		(is(pairCurrency, q.Pair.Base) || is(pairCurrency, q.Pair.Counter))
}
