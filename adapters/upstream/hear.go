package upstream

import (
	"slices"
	"time"

	"causeway/core"
)

// heard is the result of a message, for metrics. A message with several quotes counts once for
// each.
type heard string

const (
	quoted     heard = "quote"      // stored
	unreadable heard = "unreadable" // not two plain decimals, or an empty book: the stored quote is dropped
	outdated   heard = "outdated"   // its sequence number is below that of the stored quote
	unasked    heard = "unasked"    // a symbol without subscription
	heartbeat  heard = "heartbeat"
	refused    heard = "refused" // a subscription was rejected
	leaving    heard = "leaving" // the provider announces that it closes the connection
	other      heard = "other"   // acknowledgements, system messages
	garbled    heard = "malformed"
)

// hear processes a message and reports whether the provider is about to close the connection.
func (s *Socket) hear(message []byte) bool {
	news, err := s.stream.Read(message)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Before(s.sign) || err != nil { // the clock went back, or any quote may be outdated
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

// take stores a quote in place of its predecessor. A zero side means an empty book and is no quote.
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
		Observation: core.Observation{Bid: bid, Ask: ask, At: q.At, Source: s.stream.Provider},
		received:    now, sequence: q.Sequence,
	}
	if s.lost {
		s.lost = false
		s.log.Info("websocket is back")
	}
	return quoted
}

// forget drops the quotes of a connection that ended.
func (s *Socket) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.quotes)
	s.sign = time.Time{}
}
