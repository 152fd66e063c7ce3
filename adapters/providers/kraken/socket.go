package kraken

import (
	"encoding/json"
	"time"

	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	// SocketURL of the WebSocket API.
	SocketURL = "wss://ws.kraken.com"

	socketPath = "/v2"
)

// subscription is a request for the best prices of symbols. Kraken acknowledges each symbol by
// itself.
type subscription struct {
	Method string             `json:"method"`
	Params subscriptionParams `json:"params"`
}

type subscriptionParams struct {
	Channel  string   `json:"channel"`
	Symbols  []string `json:"symbol"`
	Trigger  string   `json:"event_trigger"` // by default quotes come only with trades
	Snapshot bool     `json:"snapshot"`
}

// message is one of a channel. The response to a request has no channel; markets that Kraken
// rejects are polled.
type message struct {
	Channel string          `json:"channel"`
	Type    string          `json:"type"`
	Data    json.RawMessage `json:"data"`
}

// top is one market of the ticker channel.
type top struct {
	Symbol    string          `json:"symbol"`
	Bid       json.RawMessage `json:"bid"`
	Ask       json.RawMessage `json:"ask"`
	Timestamp string          `json:"timestamp"`
}

func stream(base string) *upstream.Stream {
	return &upstream.Stream{
		Provider: Name, URL: base, Path: socketPath,
		Symbol:    core.Pair.String,
		Subscribe: subscribe,
		Read:      read,
	}
}

func subscribe(symbols []string) (query string, first []byte) {
	request, err := json.Marshal(subscription{"subscribe", subscriptionParams{"ticker", symbols, "bbo", true}})
	if err != nil {
		return "", nil // impossible: all values are strings
	}
	return "", request
}

// read parses a message.
func read(text []byte) (upstream.Message, error) {
	var m message
	if err := upstream.Decode(text, &m); err != nil {
		return upstream.Message{}, err
	}
	switch m.Channel {
	case "heartbeat":
		return upstream.Message{Heartbeat: true}, nil
	case "status":
		return status(m)
	case "ticker":
		return tops(m)
	default:
		return upstream.Message{}, nil
	}
}

// status reads the status of the trading engine. In every status but online, orders may not be matched.
func status(m message) (upstream.Message, error) {
	var rows []struct {
		System string `json:"system"`
	}
	if err := upstream.Decode(m.Data, &rows); err != nil {
		return upstream.Message{}, err
	}
	var news upstream.Message
	for _, row := range rows {
		switch row.System {
		case "":
		case online:
			news.Status = upstream.Trading
		default:
			news.Status = upstream.Halted
		}
	}
	return news, nil
}

// tops reads the quotes of a ticker message.
func tops(m message) (upstream.Message, error) {
	var rows []top
	if err := upstream.Decode(m.Data, &rows); err != nil {
		return upstream.Message{}, err
	}
	news := upstream.Message{Quotes: make([]upstream.Quote, len(rows))}
	for i, row := range rows {
		quote := upstream.Quote{Symbol: row.Symbol, Bid: row.Bid, Ask: row.Ask}
		if m.Type == "update" && row.Timestamp != "" {
			at, err := time.Parse(time.RFC3339, row.Timestamp)
			if err != nil {
				quote.Bid = nil // unreadable, because its time is unknown
			}
			quote.At = at
		}
		news.Quotes[i] = quote
	}
	return news, nil
}
