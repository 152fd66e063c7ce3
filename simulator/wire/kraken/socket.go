package kraken

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const timeLayout = "2006-01-02T15:04:05.000000Z"

// socket is a connection to the ticker channel of Kraken's WebSocket API v2,
// https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker (read 2026-10): it starts
// with its status, acknowledges or refuses each symbol of a subscription, and sends a snapshot and
// then every change of the best prices (event_trigger bbo). Numbers are JSON numbers. Once there is
// a subscription, a heartbeat comes in every second without another message. Symbols are today's
// tickers: BTC/USD, not XBT/USD.
type socket struct{ format.Socket }

func serveSocket(w http.ResponseWriter, r *format.Request) {
	s := &socket{format.Socket{Request: r, Heartbeat: map[string]any{"channel": "heartbeat"}}}
	s.Answer = s.answer
	s.Update = func(added *format.Subscription) any { return s.message("update", added) }
	s.Serve(w, map[string]any{"channel": "status", "type": "update", "data": []any{map[string]any{
		"version": "2.0.10", "system": "online", "api_version": "v2", "connection_id": r.Now.UnixNano(),
		"upcoming_maintenance": []any{}, "emergency": []any{},
	}}})
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

// answer subscribes to tickers.
func (s *socket) answer(message []byte) []any {
	var q request
	err := json.Unmarshal(message, &q)
	if err != nil || q.Method != "subscribe" || q.Params.Channel != "ticker" || q.Params.Trigger != "bbo" {
		return []any{s.reply(q, map[string]any{"error": "Malformed request", "success": false})}
	}
	var out []any
	for _, symbol := range q.Params.Symbols {
		out = append(out, s.subscribe(q, symbol)...)
	}
	return out
}

// reply completes the reply to a request.
func (s *socket) reply(q request, reply map[string]any) any {
	now := s.World.Now().UTC().Format(timeLayout)
	reply["method"], reply["time_in"], reply["time_out"] = q.Method, now, now
	if q.ID != nil {
		reply["req_id"] = *q.ID
	}
	return reply
}

// subscribe subscribes to one symbol.
func (s *socket) subscribe(q request, symbol string) []any {
	base, counter, _ := strings.Cut(symbol, "/")
	pair, now := core.Pair{Base: base, Counter: counter}, s.World.Now()
	refusal := ""
	switch {
	case !slices.Contains(s.World.Market().Traded(market.Kraken, now), pair):
		refusal = "Currency pair not supported " + symbol
	case s.Subscribed(pair):
		refusal = "Already subscribed"
	}
	if refusal != "" {
		return []any{s.reply(q, map[string]any{"error": refusal, "success": false, "symbol": symbol})}
	}
	book, _ := s.World.Market().Book(market.Kraken, pair, now)
	added := &format.Subscription{Name: symbol, Pair: pair, Sent: &book}
	s.Subscriptions = append(s.Subscriptions, added)
	return []any{s.reply(q, map[string]any{"success": true, "result": map[string]any{
		"channel": "ticker", "event_trigger": q.Params.Trigger, "snapshot": true, "symbol": symbol,
	}}), s.message("snapshot", added)}
}

// message returns a message of the ticker channel: a snapshot or an update.
func (s *socket) message(kind string, of *format.Subscription) any {
	now, b := s.World.Now(), of.Sent
	number := func(d decimal.Decimal) json.Number { return json.Number(d.String()) }
	return map[string]any{"channel": "ticker", "type": kind, "data": []any{map[string]any{
		"symbol": of.Name, "timestamp": now.UTC().Format(timeLayout),
		"bid": number(b.Bid), "bid_qty": number(b.BidSize), "ask": number(b.Ask), "ask_qty": number(b.AskSize),
		"last": number(b.Last),
	}}}
}
