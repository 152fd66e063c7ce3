package kraken

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
)

const (
	krakenSocketPath = "/v2"
	krakenTime       = "2006-01-02T15:04:05.000000Z"
	krakenHeartbeat  = int(time.Second / provider.SocketTick) // ticks without another word
)

// krakenSession is a connection to the ticker channel of Kraken's WebSocket API v2,
// https://docs.kraken.com/exchange/api-reference/spot-websocket-v2/ticker (read 2026-10): it greets with its status, acknowledges
// or refuses each symbol of a request by itself, sends a snapshot and then what changes, numbers as JSON numbers, and a heartbeat in
// every second in which it has nothing else to tell, once something is subscribed to. Symbols are in today's tickers: BTC/USD, not XBT/USD.
type krakenSession struct {
	*kraken
	subscribed []*krakenSubscription // in the order of the requests
	quiet      int                   // ticks since the last word of a channel
}

// krakenSubscription is a market with what was last told of it.
type krakenSubscription struct {
	pair   core.Pair
	trades bool // told on a trade, not on a change of the best prices
	told   market.Book
}

type krakenStatus struct {
	Version      string `json:"version"`
	System       string `json:"system"`
	API          string `json:"api_version"`
	ConnectionID int64  `json:"connection_id"`

	Maintenance []struct{} `json:"upcoming_maintenance"`
	Emergency   []struct{} `json:"emergency"`
}

// krakenUpdate is a message of a channel.
type krakenUpdate struct {
	Channel string `json:"channel"`
	Type    string `json:"type,omitempty"`
	Data    any    `json:"data,omitempty"`
}

// krakenRequest is what a client may say.
type krakenRequest struct {
	Method string `json:"method"`
	ID     *int64 `json:"req_id"`
	Params struct {
		Channel  string   `json:"channel"`
		Symbols  []string `json:"symbol"`
		Trigger  string   `json:"event_trigger"`
		Snapshot *bool    `json:"snapshot"`
	} `json:"params"`
}

// krakenReply acknowledges or refuses a request, or one symbol of it.
type krakenReply struct {
	Error   string `json:"error,omitempty"`
	Method  string `json:"method"`
	ID      *int64 `json:"req_id,omitempty"`
	Result  any    `json:"result,omitempty"`
	Success *bool  `json:"success,omitempty"`
	Symbol  string `json:"symbol,omitempty"` // of a refusal
	In      string `json:"time_in"`
	Out     string `json:"time_out"`
}

// krakenTaken is what a subscription came to be.
type krakenTaken struct {
	Channel  string `json:"channel"`
	Trigger  string `json:"event_trigger,omitempty"`
	Snapshot *bool  `json:"snapshot,omitempty"`
	Symbol   string `json:"symbol"`
}

// socket holds a session.
func (k *kraken) socket(w http.ResponseWriter, r *http.Request) {
	status := krakenStatus{
		Version: "2.0.10", System: "online", API: "v2", ConnectionID: k.world.Now().UnixNano(), Maintenance: []struct{}{}, Emergency: []struct{}{},
	}
	provider.Venue{World: k.world, Name: Name}.Serve(w, r, &krakenSession{kraken: k}, 0, krakenUpdate{Channel: "status", Type: "update", Data: []krakenStatus{status}})
}

func (s *krakenSession) Answer(message []byte) []any {
	var request krakenRequest
	if json.Unmarshal(message, &request) != nil {
		return []any{s.refusal(request, "", "Malformed request")}
	}
	switch request.Method {
	case "ping":
		return []any{s.stamped(krakenReply{Method: "pong", ID: request.ID})}
	case "subscribe", "unsubscribe":
		if request.Params.Channel != "ticker" {
			return []any{s.refusal(request, "", "Channel not supported: "+request.Params.Channel)}
		}
		var out []any
		for _, symbol := range request.Params.Symbols {
			out = append(out, s.change(request, symbol)...)
		}
		return out
	default:
		return []any{s.refusal(request, "", "Unsupported method")}
	}
}

func (s *krakenSession) stamped(r krakenReply) krakenReply {
	now := s.world.Now().UTC().Format(krakenTime)
	r.In, r.Out = now, now
	return r
}

func (s *krakenSession) refusal(request krakenRequest, symbol, text string) krakenReply {
	success := false
	return s.stamped(krakenReply{Error: text, Method: request.Method, ID: request.ID, Success: &success, Symbol: symbol})
}

// change subscribes to a symbol, or no longer.
func (s *krakenSession) change(request krakenRequest, symbol string) []any {
	base, counter, _ := strings.Cut(symbol, "/")
	pair := core.Pair{Base: base, Counter: counter}
	if !slices.Contains(s.world.Market().Traded(market.Kraken, s.world.Now()), pair) {
		return []any{s.refusal(request, symbol, "Currency pair not supported "+symbol)}
	}
	at := -1
	for i, known := range s.subscribed {
		if known.pair == pair {
			at = i
		}
	}
	result, success := krakenTaken{Channel: "ticker", Symbol: symbol}, true
	ack := func() krakenReply {
		return s.stamped(krakenReply{Method: request.Method, ID: request.ID, Result: result, Success: &success})
	}
	switch {
	case request.Method == "subscribe" && at >= 0:
		return []any{s.refusal(request, symbol, "Already subscribed")}
	case request.Method == "unsubscribe" && at < 0:
		return []any{s.refusal(request, symbol, "Subscription Not Found")}
	case request.Method == "unsubscribe":
		s.subscribed = append(s.subscribed[:at], s.subscribed[at+1:]...)
		return []any{ack()}
	}
	book, _ := s.world.Market().Book(market.Kraken, pair, s.world.Now())
	subscription := &krakenSubscription{pair: pair, trades: request.Params.Trigger != "bbo", told: book}
	s.subscribed = append(s.subscribed, subscription)
	snapshot := request.Params.Snapshot == nil || *request.Params.Snapshot
	result.Trigger, result.Snapshot = cmp.Or(request.Params.Trigger, "trades"), &snapshot
	if !snapshot {
		return []any{ack()}
	}
	return []any{ack(), s.update("snapshot", subscription)}
}

func (s *krakenSession) Telling() []core.Pair {
	out := make([]core.Pair, len(s.subscribed))
	for i, subscription := range s.subscribed {
		out[i] = subscription.pair
	}
	return out
}

// tick tells what changed, or that nothing did.
func (s *krakenSession) Tick() []any {
	var out []any
	for _, subscription := range s.subscribed {
		book, _ := s.world.Market().Book(market.Kraken, subscription.pair, s.world.Now())
		told := subscription.told
		if subscription.trades && book.Last == told.Last || !subscription.trades && book.Bid == told.Bid && book.Ask == told.Ask {
			continue
		}
		subscription.told = book
		out = append(out, s.update("update", subscription))
	}
	if s.quiet++; len(out) > 0 || len(s.subscribed) == 0 {
		s.quiet = 0
	}
	if s.quiet == krakenHeartbeat {
		s.quiet = 0
		out = append(out, krakenUpdate{Channel: "heartbeat"})
	}
	return out
}

// krakenTop is one market of the ticker channel.
type krakenTop struct {
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
	Change    json.Number `json:"change"`
	ChangePct json.Number `json:"change_pct"`
	Timestamp string      `json:"timestamp"`
}

func (s *krakenSession) update(kind string, of *krakenSubscription) krakenUpdate {
	now, number := s.world.Now(), func(a market.Amount) json.Number { return json.Number(a.Trimmed()) }
	_, day, _ := s.world.Market().Day(market.Kraken, of.pair, now)
	change, percent := krakenChange(of.told)
	return krakenUpdate{Channel: "ticker", Type: kind, Data: []krakenTop{{
		Symbol: of.pair.String(), Bid: number(of.told.Bid), BidQty: number(of.told.BidSize), Ask: number(of.told.Ask), AskQty: number(of.told.AskSize),
		Last: number(of.told.Last), Volume: number(day.Volume), Average: number(day.Average), Low: number(day.Low), High: number(day.High),
		Change: change, ChangePct: percent, Timestamp: now.UTC().Format(krakenTime),
	}}}
}

// krakenChange is by how much the price differs from that of midnight: as an amount, and in hundredths of a percent, cut off.
func krakenChange(b market.Book) (change, percent json.Number) {
	sign, by := "", market.Amount{Units: b.Last.Units - b.Open.Units, Places: b.Last.Places}
	if b.Last.Units < b.Open.Units {
		sign, by.Units = "-", b.Open.Units-b.Last.Units
	}
	hundredths := market.Amount{Units: by.Units * 10_000 / max(b.Open.Units, 1), Places: 2}
	return signed(sign, by), signed(sign, hundredths)
}

func signed(sign string, a market.Amount) json.Number {
	if a.Units == 0 {
		return json.Number(strconv.Itoa(0))
	}
	return json.Number(sign + a.Trimmed())
}
