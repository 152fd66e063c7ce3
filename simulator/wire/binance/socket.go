package binance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
)

const (
	binanceRaw      = "/ws"     // one stream, or several, as they are
	binanceCombined = "/stream" // wrapped with the stream's name
	binancePing     = 20 * time.Second
	bookTickerOf    = "@bookTicker"
)

// binanceSession is a connection to the streams of Binance, https://github.com/binance/binance-spot-api-docs web-socket-streams.md
// (2026-07-21): book tickers of symbols in lower case, raw or combined, named in the URL or subscribed to later. A stream that does
// not exist is taken and stays silent. There is no snapshot: a book is told when it changes, which a busy one has done by the first
// tick, without a time but with the number of the update. It pings every 20 seconds.
type binanceSession struct {
	*binance
	combined bool
	streams  []*binanceStream // in the order of the subscriptions
}

// binanceStream is a subscription with what was last told of it.
type binanceStream struct {
	name   string
	pair   core.Pair // none, where there is no such stream
	told   market.Book
	untold bool
}

// binanceEvent is an event of a combined stream.
type binanceEvent struct {
	Stream string     `json:"stream"`
	Data   binanceTop `json:"data"`
}

type binanceTop struct {
	Update int64  `json:"u"`
	Symbol string `json:"s"`
	Bid    string `json:"b"`
	BidQty string `json:"B"`
	Ask    string `json:"a"`
	AskQty string `json:"A"`
}

// binanceRequest is what a client may say.
type binanceRequest struct {
	Method string          `json:"method"`
	Params []string        `json:"params"`
	ID     json.RawMessage `json:"id"`
}

type binanceReply struct {
	Result any             `json:"result"`
	ID     json.RawMessage `json:"id"`
}

type binanceRefusal struct {
	Error struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
	} `json:"error"`
}

// isBinanceSocket tells the paths of streams from those of the REST API.
func isBinanceSocket(path string) bool {
	return path == binanceCombined || path == binanceRaw || strings.HasPrefix(path, binanceRaw+"/")
}

// socket holds a session.
func (b *binance) socket(w http.ResponseWriter, r *http.Request) {
	s := &binanceSession{binance: b, combined: r.URL.Path == binanceCombined}
	names := r.URL.Query().Get("streams")
	if !s.combined {
		names = strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, binanceRaw), "/")
	}
	s.subscribe(strings.Split(names, "/"))
	provider.Venue{World: b.world, Name: Name}.Serve(w, r, s, binancePing)
}

func (s *binanceSession) subscribe(names []string) {
	for _, name := range names {
		if name == "" || slices.Contains(s.names(), name) {
			continue
		}
		stream := &binanceStream{name: name, untold: true}
		for _, pair := range s.world.Market().Listed(market.Binance) {
			if name == strings.ToLower(pair.ID())+bookTickerOf {
				stream.pair = pair
			}
		}
		s.streams = append(s.streams, stream)
	}
}

func (s *binanceSession) names() []string {
	names := make([]string, len(s.streams))
	for i, stream := range s.streams {
		names[i] = stream.name
	}
	return names
}

func (s *binanceSession) Answer(message []byte) []any {
	var request binanceRequest
	if json.Unmarshal(message, &request) != nil {
		var refusal binanceRefusal
		refusal.Error.Code, refusal.Error.Msg = 3, "Invalid JSON: expected value at line 1 column 1"
		return []any{refusal}
	}
	reply := binanceReply{ID: request.ID}
	switch request.Method {
	case "SUBSCRIBE":
		s.subscribe(request.Params)
	case "UNSUBSCRIBE":
		s.streams = slices.DeleteFunc(s.streams, func(stream *binanceStream) bool { return slices.Contains(request.Params, stream.name) })
	case "LIST_SUBSCRIPTIONS":
		reply.Result = s.names()
	default:
		var refusal binanceRefusal
		refusal.Error.Code = 2
		refusal.Error.Msg = "Invalid request: unknown variant, expected one of `SUBSCRIBE`, `UNSUBSCRIBE`, `LIST_SUBSCRIPTIONS`, `SET_PROPERTY`, `GET_PROPERTY`"
		return []any{refusal}
	}
	return []any{reply}
}

// telling are the markets that were told: a stream that never told anything may go on not to.
func (s *binanceSession) Telling() []core.Pair {
	var out []core.Pair
	for _, stream := range s.streams {
		if !stream.untold {
			out = append(out, stream.pair)
		}
	}
	return out
}

// tick tells the books whose best prices changed.
func (s *binanceSession) Tick() []any {
	now := s.world.Now()
	var out []any
	for _, stream := range s.streams {
		book, listed := s.world.Market().Book(market.Binance, stream.pair, now)
		if !listed || s.world.Market().State(market.Binance, stream.pair, now) == market.Absent || !stream.untold && stream.told.Bid == book.Bid && stream.told.Ask == book.Ask {
			continue
		}
		stream.told, stream.untold = book, false
		top := s.ticker(stream.pair, now)
		event := binanceEvent{Stream: stream.name, Data: binanceTop{
			Update: now.UnixMilli(), Symbol: top.Symbol, Bid: top.BidPrice, BidQty: top.BidQty, Ask: top.AskPrice, AskQty: top.AskQty,
		}}
		if s.combined {
			out = append(out, event)
		} else {
			out = append(out, event.Data)
		}
	}
	return out
}
