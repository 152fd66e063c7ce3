package binance

import (
	"encoding/json"
	"errors"
	"strings"

	"causeway/adapters/upstream"
)

const (
	// SocketURL of the host that streams market data and nothing else.
	SocketURL = "wss://data-stream.binance.vision"

	socketPath = "/stream"
	bookTicker = "@bookTicker"
	mostStream = 1024 // of one connection
)

// event is an event of a combined stream. One of no stream has no data.
type event struct {
	Stream string          `json:"stream"`
	Data   json.RawMessage `json:"data"`
}

// top is the top of one book. Capitals are other fields: B and A are sizes. Events with a name,
// such as serverShutdown, are others.
type top struct {
	Name   string          `json:"e"`
	Symbol string          `json:"s"`
	Bid    json.RawMessage `json:"b"`
	Ask    json.RawMessage `json:"a"`
}

func stream(base string) *upstream.Stream {
	return &upstream.Stream{Provider: Name, URL: base, Path: socketPath, Symbol: symbol, Subscribe: subscribe, Read: read}
}

// subscribe names the streams in the URL, in lower case. Legal symbols need no escaping.
func subscribe(symbols []string) (query string, first []byte) {
	symbols = symbols[:min(len(symbols), mostStream)] // the others are polled
	streams := make([]string, len(symbols))
	for i, s := range symbols {
		streams[i] = strings.ToLower(s) + bookTicker
	}
	return "streams=" + strings.Join(streams, "/"), nil
}

// read parses a message.
func read(text []byte) (upstream.Message, error) {
	var e event
	if err := upstream.Decode(text, &e); err != nil {
		return upstream.Message{}, err
	}
	if e.Data == nil {
		return upstream.Message{}, nil
	}
	var t top
	if err := upstream.Decode(e.Data, &t); err != nil {
		return upstream.Message{}, err
	}
	switch {
	case t.Name != "" || !strings.HasSuffix(e.Stream, bookTicker):
		return upstream.Message{}, nil
	case strings.ToLower(t.Symbol)+bookTicker != e.Stream:
		return upstream.Message{}, errors.New("the symbol of a quote is not the symbol of its stream")
	}
	return upstream.Message{Quotes: []upstream.Quote{{Symbol: t.Symbol, Bid: t.Bid, Ask: t.Ask}}}, nil
}
