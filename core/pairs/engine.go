package pairs

import (
	"slices"
	"time"

	"causeway/core"
)

// book is a compiled configuration. Its markets, listings and feeds carry the state of the engine.
type book struct {
	markets  []*market  // sorted by pair
	listings []*listing // sorted by id
	feeds    []*feed    // sorted by name
	rules    core.PriceRules

	quoted  map[core.Pair]*market
	offered map[string]*listing // by id
}

// engine is the state of the service. One goroutine at a time owns it; see Service.do.
type engine struct {
	*book

	computed    time.Time // the last recomputation
	responded   bool      // a response was applied since
	renewed     bool      // the next recomputation publishes
	last        *Snapshot // the last one that was computed or taken over; nil: none
	recalled    time.Time // the step of the history that the listings know
	subscribers []func(*Snapshot)
	stats       Stats
}

// compute runs the pipeline. It returns a snapshot if one is due: it was requested, a price, a status
// or the exclusion of a source changed, the last one is a heartbeat old, or its freshness ended.
func (e *engine) compute(now time.Time) *Snapshot {
	e.stats.Recomputed++
	due := e.renewed || e.last == nil || e.last.ended(now)
	for _, m := range e.markets {
		due = m.refresh(now) || due
	}
	doubts := make([]int, len(e.markets))
	for i, m := range e.markets {
		doubts[i] = m.compare(now)
	}
	for i, m := range e.markets {
		m.doubt = doubts[i]
	}
	for _, l := range e.listings {
		l.checkPeg(now)
	}
	var all []*priced
	for _, l := range e.listings {
		p := l.quote(now)
		l.contested(p.in)
		if p.in.unsound {
			e.stats.Refused++
		}
		if p.quote != nil {
			all = append(all, p)
		}
	}
	e.stats.Cycles += haltCycles(all)
	if len(all) == 0 || !due && !slices.ContainsFunc(all, (*priced).changed) {
		return nil
	}
	return e.snapshot(now, all)
}

// snapshot makes a snapshot of prices, and remembers what it shows.
func (e *engine) snapshot(now time.Time, all []*priced) *Snapshot {
	s := &Snapshot{ID: uint64(max(0, now.UnixMicro())), At: now, Quotes: make([]Quote, len(all))}
	if e.last != nil {
		s.ID = max(s.ID, e.last.ID+1)
	}
	for i, p := range all {
		s.Quotes[i] = *p.quote
		p.published(&s.Quotes[i])
	}
	for _, m := range e.markets {
		if m.fixed {
			continue
		}
		if m.Problem == Jump || m.Problem == Disputed || m.contested {
			s.Held = append(s.Held, m.Pair)
		}
		if m.Rate == nil {
			continue
		}
		s.Markets = append(s.Markets, m.MarketState)
		if m.OffPeg {
			s.Depegged = append(s.Depegged, Depeg{Market: m.Pair, Peg: m.Peg, Mid: m.PegMid, Acknowledged: !m.broken(now)})
		}
	}
	s.freshness()
	return s
}
