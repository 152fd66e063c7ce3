package kraken

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
)

const (
	socketPath = "/v2"
	timeLayout = "2006-01-02T15:04:05.000000Z"
	heartbeat  = int(time.Second / provider.SocketTick) // ticks without another message
)

// session is a connection to the ticker channel of Kraken's WebSocket API v2,
// https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker (read 2026-10): it starts
// with its status, acknowledges or refuses each symbol of a subscription, and sends a snapshot and
// then every change of the best prices (event_trigger bbo). Numbers are JSON numbers. Once there is
// a subscription, a heartbeat comes in every second without another message. Symbols are today's
// tickers: BTC/USD, not XBT/USD.
type session struct {
	*kraken
	subscriptions []*subscription
	quiet         int // ticks since the last message of a channel
}

// subscription is a market with what was last sent of it.
type subscription struct {
	pair core.Pair
	sent market.Book
}

type status struct {
	Version      string `json:"version"`
	System       string `json:"system"`
	API          string `json:"api_version"`
	ConnectionID int64  `json:"connection_id"`

	Maintenance []struct{} `json:"upcoming_maintenance"`
	Emergency   []struct{} `json:"emergency"`
}

// update is a message of a channel.
type update struct {
	Channel string `json:"channel"`
	Type    string `json:"type,omitempty"`
	Data    any    `json:"data,omitempty"`
}

// request is a message of a client.
type request struct {
	Method string `json:"method"`
	ID     *int64 `json:"req_id"`
	Params struct {
		Channel string   `json:"channel"`
		Symbols []string `json:"symbol"`
		Trigger string   `json:"event_trigger"`
	} `json:"params"`
}

// reply acknowledges or refuses a request, or one symbol of it.
type reply struct {
	Error   string        `json:"error,omitempty"`
	Method  string        `json:"method"`
	ID      *int64        `json:"req_id,omitempty"`
	Result  *acknowledged `json:"result,omitempty"`
	Success bool          `json:"success"`
	Symbol  string        `json:"symbol,omitempty"` // of a refusal
	In      string        `json:"time_in"`
	Out     string        `json:"time_out"`
}

type acknowledged struct {
	Channel  string `json:"channel"`
	Trigger  string `json:"event_trigger"`
	Snapshot bool   `json:"snapshot"`
	Symbol   string `json:"symbol"`
}

// socket runs a session.
func (k *kraken) socket(w http.ResponseWriter, r *http.Request) {
	status := status{
		Version: "2.0.10", System: "online", API: "v2", ConnectionID: k.world.Now().UnixNano(),
		Maintenance: []struct{}{}, Emergency: []struct{}{},
	}
	first := update{Channel: "status", Type: "update", Data: []any{status}}
	provider.Venue{World: k.world, Name: Name}.Serve(w, r, &session{kraken: k}, 0, first)
}

// Answer subscribes to tickers.
func (s *session) Answer(message []byte) []any {
	var q request
	switch err := json.Unmarshal(message, &q); {
	case err != nil:
		return []any{s.refuse(q, "", "Malformed request")}
	case q.Method != "subscribe":
		return []any{s.refuse(q, "", "Unsupported method")}
	case q.Params.Channel != "ticker":
		return []any{s.refuse(q, "", "Channel not supported: "+q.Params.Channel)}
	case q.Params.Trigger != "bbo":
		return []any{s.refuse(q, "", "Unsupported event_trigger")}
	}
	var out []any
	for _, symbol := range q.Params.Symbols {
		out = append(out, s.subscribe(q, symbol)...)
	}
	return out
}

func (s *session) refuse(q request, symbol, text string) reply {
	return s.stamped(reply{Error: text, Method: q.Method, ID: q.ID, Symbol: symbol})
}

func (s *session) stamped(r reply) reply {
	r.In = s.world.Now().UTC().Format(timeLayout)
	r.Out = r.In
	return r
}

// subscribe subscribes to one symbol.
func (s *session) subscribe(q request, symbol string) []any {
	base, counter, _ := strings.Cut(symbol, "/")
	pair := core.Pair{Base: base, Counter: counter}
	if !slices.Contains(s.world.Market().Traded(market.Kraken, s.world.Now()), pair) {
		return []any{s.refuse(q, symbol, "Currency pair not supported "+symbol)}
	}
	if slices.Contains(s.Telling(), pair) {
		return []any{s.refuse(q, symbol, "Already subscribed")}
	}
	book, _ := s.world.Market().Book(market.Kraken, pair, s.world.Now())
	added := &subscription{pair: pair, sent: book}
	s.subscriptions = append(s.subscriptions, added)
	result := acknowledged{Channel: "ticker", Trigger: q.Params.Trigger, Snapshot: true, Symbol: symbol}
	return []any{
		s.stamped(reply{Method: q.Method, ID: q.ID, Result: &result, Success: true}), s.update("snapshot", added),
	}
}

// Telling returns the markets of the subscriptions.
func (s *session) Telling() []core.Pair {
	out := make([]core.Pair, len(s.subscriptions))
	for i, subscription := range s.subscriptions {
		out[i] = subscription.pair
	}
	return out
}

// Tick returns what changed, or a heartbeat.
func (s *session) Tick() []any {
	var out []any
	for _, subscription := range s.subscriptions {
		book, _ := s.world.Market().Book(market.Kraken, subscription.pair, s.world.Now())
		if book.Bid != subscription.sent.Bid || book.Ask != subscription.sent.Ask {
			subscription.sent = book
			out = append(out, s.update("update", subscription))
		}
	}
	if s.quiet++; len(out) > 0 || len(s.subscriptions) == 0 {
		s.quiet = 0
	}
	if s.quiet == heartbeat {
		s.quiet = 0
		out = append(out, update{Channel: "heartbeat"})
	}
	return out
}

// top is one market of the ticker channel.
type top struct {
	Symbol    string      `json:"symbol"`
	Bid       json.Number `json:"bid"`
	BidQty    json.Number `json:"bid_qty"`
	Ask       json.Number `json:"ask"`
	AskQty    json.Number `json:"ask_qty"`
	Last      json.Number `json:"last"`
	Volume    json.Number `json:"volume"`
	Average   json.Number `json:"vwap"`
	Low       json.Number `json:"low"`
	High      json.Number `json:"high"`
	Change    json.Number `json:"change"` // since midnight
	ChangePct json.Number `json:"change_pct"`
	Timestamp string      `json:"timestamp"`
}

func (s *session) update(kind string, of *subscription) update {
	now, b := s.world.Now(), of.sent
	number := func(a market.Amount) json.Number { return json.Number(a.Trimmed()) }
	signed := func(d decimal.Decimal) json.Number { return json.Number(d.String()) }
	_, day, _ := s.world.Market().Day(market.Kraken, of.pair, now)
	return update{Channel: "ticker", Type: kind, Data: []top{{
		Symbol: of.pair.String(),
		Bid:    number(b.Bid), BidQty: number(b.BidSize), Ask: number(b.Ask), AskQty: number(b.AskSize),
		Last: number(b.Last), Volume: number(day.Volume), Average: number(day.Average), Low: number(day.Low),
		High: number(day.High), Change: signed(provider.Decimal(b.Last).Sub(provider.Decimal(b.Open))),
		ChangePct: signed(provider.Change(b.Open, b.Last, 2, 2)), Timestamp: now.UTC().Format(timeLayout),
	}}}
}
