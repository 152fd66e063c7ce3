package kraken

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
)

const (
	socketPath = "/v2"
	timeLayout = "2006-01-02T15:04:05.000000Z"
)

// socket serves the ticker channel of Kraken's WebSocket API v2,
// https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker (read 2026-10): it starts
// with its status, acknowledges or refuses each symbol of a subscription, and sends a snapshot and
// then every change of the best prices (event_trigger bbo). Numbers are JSON numbers. Once there is
// a subscription, a heartbeat comes in every second without another message. Symbols are today's
// tickers: BTC/USD, not XBT/USD.
func (k *kraken) socket(w http.ResponseWriter, r *http.Request) {
	s := &provider.Socket{
		World: k.world, Venue: market.Kraken, Heartbeat: map[string]any{"channel": "heartbeat"},
		Update: func(s *provider.Subscription) any { return k.update("update", s) },
	}
	s.Answer = func(message []byte) []any { return k.answer(s, message) }
	s.Serve(w, r, map[string]any{"channel": "status", "type": "update", "data": []any{map[string]any{
		"version": "2.0.10", "system": "online", "api_version": "v2", "connection_id": k.world.Now().UnixNano(),
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
func (k *kraken) answer(s *provider.Socket, message []byte) []any {
	var q request
	switch err := json.Unmarshal(message, &q); {
	case err != nil:
		return []any{k.refuse(q, "", "Malformed request")}
	case q.Method != "subscribe":
		return []any{k.refuse(q, "", "Unsupported method")}
	case q.Params.Channel != "ticker":
		return []any{k.refuse(q, "", "Channel not supported: "+q.Params.Channel)}
	case q.Params.Trigger != "bbo":
		return []any{k.refuse(q, "", "Unsupported event_trigger")}
	}
	var out []any
	for _, symbol := range q.Params.Symbols {
		out = append(out, k.subscribe(s, q, symbol)...)
	}
	return out
}

// refuse rejects a request, or one symbol of it.
func (k *kraken) refuse(q request, symbol, text string) any {
	reply := k.reply(q, false)
	reply["error"] = text
	if symbol != "" {
		reply["symbol"] = symbol
	}
	return reply
}

func (k *kraken) reply(q request, success bool) map[string]any {
	now := k.world.Now().UTC().Format(timeLayout)
	reply := map[string]any{"method": q.Method, "success": success, "time_in": now, "time_out": now}
	if q.ID != nil {
		reply["req_id"] = *q.ID
	}
	return reply
}

// subscribe subscribes to one symbol.
func (k *kraken) subscribe(s *provider.Socket, q request, symbol string) []any {
	base, counter, _ := strings.Cut(symbol, "/")
	pair := core.Pair{Base: base, Counter: counter}
	if !slices.Contains(k.world.Market().Traded(market.Kraken, k.world.Now()), pair) {
		return []any{k.refuse(q, symbol, "Currency pair not supported "+symbol)}
	}
	if s.Subscribed(pair) {
		return []any{k.refuse(q, symbol, "Already subscribed")}
	}
	book, _ := k.world.Market().Book(market.Kraken, pair, k.world.Now())
	added := &provider.Subscription{Name: symbol, Pair: pair, Sent: &book}
	s.Subscribe(added)
	acknowledged := k.reply(q, true)
	acknowledged["result"] = map[string]any{
		"channel": "ticker", "event_trigger": q.Params.Trigger, "snapshot": true, "symbol": symbol,
	}
	return []any{acknowledged, k.update("snapshot", added)}
}

// update returns a message of the ticker channel: a snapshot or an update.
func (k *kraken) update(kind string, s *provider.Subscription) any {
	now, b := k.world.Now(), s.Sent
	number := func(a decimal.Decimal) json.Number { return json.Number(a.String()) }
	signed := func(d decimal.Decimal) json.Number { return json.Number(d.String()) }
	_, day, _ := k.world.Market().Day(market.Kraken, s.Pair, now)
	return map[string]any{"channel": "ticker", "type": kind, "data": []any{map[string]any{
		"symbol": s.Name, "timestamp": now.UTC().Format(timeLayout),
		"bid": number(b.Bid), "bid_qty": number(b.BidSize), "ask": number(b.Ask), "ask_qty": number(b.AskSize),
		"last": number(b.Last), "volume": number(day.Volume), "vwap": number(day.Average),
		"low": number(day.Low), "high": number(day.High),
		// Since midnight.
		"change":     signed(b.Last.Sub(b.Open)),
		"change_pct": signed(provider.Change(b.Open, b.Last, 2, 2)),
	}}}
}
