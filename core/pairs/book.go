package pairs

import (
	"slices"
	"strings"
	"time"

	"causeway/core"
)

// book is everything that is priced. The compute side of the service has it to itself, except for the slots of the markets, which
// the polls fill in under the service's lock.
type book struct {
	markets    []*market
	valuations []*valuation
	sizes      []*size
	listings   []*listing // by id
	rules      core.PriceRules
	ids        map[string]bool
	currencies map[string]int // of the listings, numbered
	ballot     ballot
	exchange   exchange
}

// consent refreshes the rate of every market.
func (b *book) consent(now time.Time) {
	for _, m := range b.markets {
		m.refresh(now, &b.ballot)
	}
}

// quote prices every listing that can be priced, from the rates as they are.
func (b *book) quote(now time.Time) (quotes []Quote, refused []string) {
	for _, v := range b.valuations {
		v.refresh()
	}
	for _, s := range b.sizes {
		s.refresh()
	}
	quotes = make([]Quote, len(b.listings))
	n := 0
	for _, l := range b.listings {
		there, broken := l.quote(now, &quotes[n])
		if broken {
			refused = append(refused, l.id)
		}
		if there {
			n++
		}
	}
	return quotes[:n:n], refused
}

// keep is the last publication again, as old as it is, for when a newer one would be none: nothing in it is better than it was.
func (b *book) keep(now time.Time) []Quote {
	quotes := make([]Quote, 0, len(b.listings))
	for _, l := range b.listings {
		if l.last == nil {
			continue
		}
		var q Quote
		if l.last.Status == Halted {
			l.stay(&q)
			q.UpdatedAt = earlier(now, q.UpdatedAt)
		} else {
			l.hold(now, &q, Refused)
		}
		quotes = append(quotes, q)
	}
	return quotes
}

// each goes through the quotes with their listings, both in the order of their ids.
func (b *book) each(quotes []Quote, f func(*listing, *Quote)) {
	i := 0
	for _, l := range b.listings {
		if i < len(quotes) && quotes[i].ID == l.id {
			f(l, &quotes[i])
			i++
		}
	}
}

// listing is the one of an id, or nil.
func (b *book) listing(id string) *listing {
	i, found := slices.BinarySearchFunc(b.listings, id, func(l *listing, id string) int { return strings.Compare(l.id, id) })
	if !found {
		return nil
	}
	return b.listings[i]
}

// worthTelling reports whether clients should hear of the quotes: a pair is new, or changed its status, or its price by 0.05 %.
func (b *book) worthTelling(quotes []Quote) (worth bool) {
	b.each(quotes, func(l *listing, q *Quote) {
		worth = worth || l.last == nil || l.last.Status != q.Status || q.moved(l.last)
	})
	return worth
}

// published remembers the quotes of a snapshot.
func (b *book) published(s *Snapshot) {
	b.each(s.Quotes, (*listing).published)
}

// alarm is the next instant at which time alone changes something, or the zero time.
func (b *book) alarm(quotes []Quote, now time.Time) time.Time {
	var next time.Time
	soon := func(t time.Time) {
		if !t.IsZero() && !t.Before(now) {
			next = earlier(next, t.Add(1)) // an instant is the last good one
		}
	}
	for i := range quotes {
		soon(quotes[i].FreshUntil)
		soon(quotes[i].StaleUntil)
	}
	for _, m := range b.markets {
		soon(m.due)
	}
	return next
}
