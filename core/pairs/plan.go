package pairs

import (
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Plan checks another configuration and returns a function that applies it; the error names every
// fault. The sources, clock, entropy, history, alarm and timeout stay. What the service knows stays
// too: rates, votes, doubts, decisions of the operator, and schedules. The service must not Run
// while change is called; change waits for a Tick under way.
func (s *Service) Plan(cfg Config) (change func(), err error) {
	var sources []ports.RateSource
	for _, f := range s.feeds {
		sources = append(sources, f.source)
	}
	cfg.Entropy = s.entropy
	b, feeds, err := compile(cfg, sources, s.clock)
	if err != nil {
		return nil, err
	}
	return func() {
		s.ticking <- struct{}{}
		defer func() { <-s.ticking }()
		s.recomputing.Lock()
		defer s.recomputing.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range feeds {
			f.inherit(s.feeds)
		}
		b.inherit(s.book)
		s.book, s.feeds = b, feeds
		s.renewed, s.computed, s.recalled = true, time.Time{}, time.Time{}
	}, nil
}

// inherit takes over the schedule and counters of the source of the same name. It is polled at once
// if it has new markets and does not fail.
func (f *feed) inherit(all []*feed) {
	i := slices.IndexFunc(all, func(o *feed) bool { return o.name == f.name })
	if i < 0 {
		return
	}
	o := all[i]
	family, interval := f.state.Family, f.state.Interval
	f.state, f.failures = o.state, o.failures
	f.state.Family, f.state.Interval = family, interval
	if f.failures == 0 && !f.state.LastPoll.IsZero() {
		f.state.NextPoll = f.state.LastPoll.Add(interval)
		if slices.ContainsFunc(f.pairs, func(pair core.Pair) bool { return o.states[pair] == nil }) {
			f.state.NextPoll = time.Time{}
		}
	}
}

// inherit takes over what another book knows of the same markets and listings.
func (b *book) inherit(o *book) {
	for _, m := range b.markets {
		if before := o.market(m.Pair); before != nil && !m.fixed && !before.fixed {
			m.inherit(before)
		}
	}
	for _, l := range b.listings {
		if before := o.listing(l.id); before != nil && before.pair == l.pair {
			l.inherit(before, b)
		}
	}
}

func (m *market) inherit(o *market) {
	for _, s := range m.sources {
		if before := o.source(s.feed.name); before != nil {
			feed, anchors := s.feed, s.anchors
			*s = *before
			s.feed, s.market, s.anchors = feed, m, anchors
			if s.vote != nil {
				vote := *s.vote
				vote.Family = feed.of.Family
				s.vote = &vote
			}
			for i, other := range m.sources {
				if j := slices.IndexFunc(o.sources, func(x *sourceState) bool { return x.feed.name == other.feed.name }); j >= 0 {
					s.anchors[i] = before.anchors[j]
				}
			}
		}
	}
	if o.Rate == nil {
		return
	}
	m.MarketState, m.recent, m.unsettled, m.resumed, m.pending = o.MarketState, o.recent, o.unsettled, o.resumed, o.pending
	rate := *o.Rate
	rate.Class, rate.Quorum = m.class.Name, m.quorum
	m.Rate = &rate
	if !m.Peg.Equal(o.Peg) {
		m.OffPeg = false
	}
}

// source returns the state of a source of the market, or nil.
func (m *market) source(name string) *sourceState {
	i := slices.IndexFunc(m.sources, func(s *sourceState) bool { return s.feed.name == name })
	if i < 0 {
		return nil
	}
	return m.sources[i]
}

// inherit takes over the last price if all its markets still exist.
func (l *listing) inherit(o *listing, b *book) {
	l.fresh, l.past = o.fresh, o.past
	if l.base.Decimals == o.base.Decimals && l.counter.Decimals == o.counter.Decimals {
		l.places = o.places
	}
	if o.last == nil {
		return
	}
	last := *o.last
	last.Legs = slices.Clone(last.Legs)
	for i := range last.Legs {
		leg := &last.Legs[i]
		if leg.market = b.market(leg.Rate.Pair); leg.market == nil || leg.market.Rate == nil {
			return
		}
	}
	l.last = &last
}
