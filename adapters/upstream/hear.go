package upstream

import (
	"slices"
	"time"

	"causeway/core"
)

// heard is what came of a message: a closed set, for metrics. A message with several quotes counts once for each.
type heard string

const (
	quoted     heard = "quote"      // taken
	unreadable heard = "unreadable" // no two plain decimals, or an empty book: the symbol's quote is forgotten
	outdated   heard = "outdated"   // its sequence number is below that of the quote held: it came out of order
	unasked    heard = "unasked"    // of a symbol that was not subscribed to
	heartbeat  heard = "heartbeat"
	refused    heard = "refused" // a subscription was
	leaving    heard = "leaving" // the provider is about to hang up
	other      heard = "other"   // none of our business: acknowledgements, news of the system
	garbled    heard = "malformed"
)

// hear takes note of a message and reports whether the provider is about to hang up.
func (s *Socket) hear(message []byte) bool {
	news, err := s.stream.Read(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Before(s.sign) || err != nil { // the clock was set back: what is known about times is void
		clear(s.quotes)
		s.sign = time.Time{}
	}
	if err != nil {
		s.client.metrics.heard(s.stream.Provider, garbled)
		return false
	}
	for _, quote := range news.Quotes {
		what := s.take(quote, now)
		s.client.metrics.heard(s.stream.Provider, what)
		if what == quoted {
			s.sign = now
		}
	}
	switch {
	case news.Heartbeat:
		s.sign = now
		s.client.metrics.heard(s.stream.Provider, heartbeat)
	case news.Refused:
		s.client.metrics.heard(s.stream.Provider, refused)
	case news.Leaving:
		s.client.metrics.heard(s.stream.Provider, leaving)
	case len(news.Quotes) == 0:
		s.client.metrics.heard(s.stream.Provider, other)
	}
	return news.Leaving
}

// take holds a quote in place of its predecessor. A side that is zero means an empty book: no quote.
func (s *Socket) take(q Quote, now time.Time) heard {
	held, ok := s.quotes[q.Symbol]
	switch {
	case !ok && !slices.Contains(s.symbols, q.Symbol):
		return unasked
	case ok && q.Sequence < held.sequence:
		return outdated
	}
	bid, bidOK := Decimal(q.Bid)
	ask, askOK := Decimal(q.Ask)
	if !bidOK || !askOK || bid.IsZero() || ask.IsZero() {
		s.quotes[q.Symbol] = latest{sequence: q.Sequence}
		return unreadable
	}
	if q.At.IsZero() {
		q.At = now
	}
	s.quotes[q.Symbol] = latest{
		Observation: core.Observation{Bid: bid, Ask: ask, At: q.At, Source: s.stream.Provider}, received: now, sequence: q.Sequence,
	}
	if s.lost {
		s.lost = false
		s.log.Info("a provider's stream is back")
	}
	return quoted
}

// forget drops what a connection that ended had told.
func (s *Socket) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.quotes)
	s.sign = time.Time{}
}
