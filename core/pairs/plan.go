package pairs

import (
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Plan checks another configuration, naming every fault at once, and returns what makes the service price by it. The sources are the same ones, and
// everything that is not to be priced stays as it is: clock, entropy, history, alarm, time-out.
//
// The service goes on from what it knows: last good prices, votes, doubts, jumps, broken pegs and what the operator said about them, and when
// every source is to be asked. What is new is priced once its sources have told. A snapshot by the new configuration is published as soon as
// the service runs again; until then the last one stays. change waits for a Tick under way; while it is called the service must
// not Run.
func (s *Service) Plan(cfg Config) (change func(), err error) {
	var sources []ports.RateSource
	for _, f := range s.feeds {
		sources = append(sources, f.source)
	}
	cfg.Entropy, cfg.Meant = s.entropy, s.meant
	b, feeds, err := compile(cfg, sources, s.clock)
	if err != nil {
		return nil, err
	}
	return func() {
		s.ticking <- struct{}{}
		defer func() { <-s.ticking }()
		s.computing.Lock()
		defer s.computing.Unlock()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range feeds {
			f.inherit(s.feeds)
		}
		b.inherit(s.book)
		s.book, s.feeds = b, feeds
		s.changed, s.renewed, s.computed, s.alarm, s.recalled = true, true, time.Time{}, time.Time{}, time.Time{}
	}, nil
}

// present is the book of the moment, for those who only look something up.
func (s *Service) present() *book {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book
}

// inherit takes over how the source of the same name does. If it is to be asked for something new, it is asked at once, unless it fails.
func (f *feed) inherit(all []*feed) {
	i := slices.IndexFunc(all, func(o *feed) bool { return o.name == f.name })
	if i < 0 {
		return
	}
	o := all[i]
	family, interval := f.state.Family, f.state.Interval
	f.state, f.failures = o.state, o.failures
	f.state.Family, f.state.Interval = family, interval
	asked := func(pair core.Pair) bool { return o.slots[pair] != nil }
	if f.failures == 0 && !f.state.LastPoll.IsZero() {
		f.state.NextPoll = f.state.LastPoll.Add(interval)
		if slices.ContainsFunc(f.pairs, func(pair core.Pair) bool { return !asked(pair) }) {
			f.state.NextPoll = time.Time{}
		}
	}
}

// inherit takes over what another book knew of the same markets and listings.
func (b *book) inherit(o *book) {
	for _, m := range b.markets {
		if before := o.market(m.Pair); before != nil {
			m.inherit(before)
		}
	}
	for _, l := range b.listings {
		if before := o.listing(l.id); before != nil && before.pair == l.pair {
			l.inherit(before, b)
		}
	}
}

// inherit takes over what was known of the market. It is judged anew, from the votes of the sources that it has now.
func (m *market) inherit(o *market) {
	for _, s := range m.slots {
		if i := slices.IndexFunc(o.slots, func(other *slot) bool { return other.feed.name == s.feed.name }); i >= 0 {
			s.inherit(o.slots[i])
		}
	}
	m.changed = slices.ContainsFunc(m.slots, func(s *slot) bool { return s.vote != nil })
	if m.fixed || o.fixed || o.rate == nil {
		return
	}
	rate := *o.rate
	rate.Class, rate.Quorum = m.class.Name, m.quorum
	m.rate, m.changed = &rate, true
	m.guard, m.condition = o.guard, o.condition
	if within := m.terms.rules.JumpWithin; within != o.terms.rules.JumpWithin { // by which what was remembered is numbered
		m.guard.buckets = [guardBuckets + 1]bucket{}
		m.guard.record(rate.AsOf, rate.octaves, within)
	}
	m.unsettled, m.lost, m.doubted, m.resumed, m.due = o.unsettled, o.lost, o.doubted, o.resumed, o.due
	if m.Peg.Equal(o.Peg) {
		m.peg = o.peg
	}
}

// inherit takes over the vote of the same source in the same market. What the others said when its price was told is noted anew.
func (s *slot) inherit(o *slot) {
	s.reason, s.heard, s.since, s.stalled = o.reason, o.heard, o.since, o.stalled
	s.rejected, s.close, s.agreed = o.rejected, o.close, o.agreed
	if o.vote != nil {
		vote := *o.vote
		vote.Family, vote.expires = s.feed.of.Family, expiry(vote.At, s.market.class.MaxAge)
		s.vote, s.sampled = &vote, o.sampled
	}
}

// inherit takes over the last price, and what was remembered of those before, as far as it was made of markets that are there still.
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
		if leg.market = b.market(leg.Rate.Pair); leg.market == nil || leg.market.rate == nil {
			return
		}
	}
	l.last = &last
}
