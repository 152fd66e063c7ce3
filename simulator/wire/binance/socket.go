package binance

import (
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
)

const (
	streamPath   = "/stream"
	pingInterval = 20 * time.Second
)

// session is a connection to combined streams of Binance,
// https://github.com/binance/binance-spot-api-docs web-socket-streams.md (2026-07-21): book tickers
// of symbols in lower case, named in the URL. A stream that does not exist is accepted and silent.
// There is no snapshot: a book is sent when it changes, which a busy one has done by the first
// tick, without a time but with the number of the update. The venue pings every 20 seconds.
type session struct {
	*binance
	streams []*stream
}

// stream is a subscription with what was last sent.
type stream struct {
	name string
	pair core.Pair
	sent *market.Book // nil: nothing
}

// event is an event of a combined stream.
type event struct {
	Stream string `json:"stream"`
	Data   top    `json:"data"`
}

type top struct {
	Update int64  `json:"u"`
	Symbol string `json:"s"`
	Bid    string `json:"b"`
	BidQty string `json:"B"`
	Ask    string `json:"a"`
	AskQty string `json:"A"`
}

// stream runs a session.
func (b *binance) stream(w http.ResponseWriter, r *http.Request) {
	pairs := map[string]core.Pair{}
	for _, pair := range b.world.Market().Listed(market.Binance) {
		pairs[strings.ToLower(pair.ID())+"@bookTicker"] = pair
	}
	s := &session{binance: b}
	for name := range strings.SplitSeq(r.URL.Query().Get("streams"), "/") {
		if pair, exists := pairs[name]; exists {
			s.streams = append(s.streams, &stream{name: name, pair: pair})
		}
	}
	provider.Venue{World: b.world, Name: Name}.Serve(w, r, s, pingInterval)
}

// Answer ignores messages: subscriptions are in the URL.
func (*session) Answer([]byte) []any { return nil }

// Telling returns the markets of which something was sent. Others may stay silent.
func (s *session) Telling() []core.Pair {
	var out []core.Pair
	for _, stream := range s.streams {
		if stream.sent != nil {
			out = append(out, stream.pair)
		}
	}
	return out
}

// Tick returns the books whose best prices changed.
func (s *session) Tick() []any {
	now, m := s.world.Now(), s.world.Market()
	var out []any
	for _, stream := range s.streams {
		book, _ := m.Book(market.Binance, stream.pair, now)
		changed := stream.sent == nil || stream.sent.Bid != book.Bid || stream.sent.Ask != book.Ask
		if !changed || m.State(market.Binance, stream.pair, now) == market.Absent {
			continue
		}
		stream.sent = &book
		t := s.ticker(stream.pair, now)
		out = append(out, event{Stream: stream.name, Data: top{
			Update: now.UnixMilli(), Symbol: t.Symbol, Bid: t.BidPrice, BidQty: t.BidQty, Ask: t.AskPrice, AskQty: t.AskQty,
		}})
	}
	return out
}
