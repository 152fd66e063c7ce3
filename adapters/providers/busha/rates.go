package busha

import (
	"encoding/json"
	"time"

	"causeway/adapters/providers/tickers"
	"causeway/adapters/upstream"
	"causeway/core"
)

const succeeded = "success"

// pairsAPI is the operation that returns the prices of all pairs.
var pairsAPI = tickers.API{Operation: "pairs", Path: "/v1/pairs", Symbol: core.Pair.String, Read: readPairs}

// envelope is around every response.
type envelope struct {
	Status string            `json:"status"` // success
	Data   []json.RawMessage `json:"data"`
}

// offer is a pair, from the customer's point of view.
type offer struct {
	Base      string          `json:"base"`
	Counter   string          `json:"counter"`
	Buy       price           `json:"buy_price"`  // what a customer pays for one base
	Sell      price           `json:"sell_price"` // what a customer gets for one base
	Buyable   bool            `json:"is_buy_supported"`
	Sellable  bool            `json:"is_sell_supported"`
	Status    string          `json:"status"` // fresh, stale, halted; may be missing
	UpdatedAt json.RawMessage `json:"updated_at"`
}

// price is an amount of the counter currency.
type price struct {
	Amount   json.RawMessage `json:"amount"`
	Currency string          `json:"currency"`
}

func readPairs(r upstream.Response) (map[string]tickers.Ticker, error) {
	var e envelope
	if err := r.Decode(&e); err != nil {
		return nil, err
	}
	switch {
	case e.Status != succeeded:
		return nil, upstream.Fail(upstream.Unavailable, "a response without success")
	case e.Data == nil:
		return nil, upstream.Fail(upstream.Malformed, "no pairs")
	}
	return tickers.Collect(e.Data, func(o offer) (string, tickers.Ticker) {
		symbol := core.Pair{Base: o.Base, Counter: o.Counter}.String()
		if !o.Buyable || !o.Sellable || o.Status == "halted" || o.Buy.Currency != o.Counter || o.Sell.Currency != o.Counter {
			return symbol, tickers.Ticker{}
		}
		return symbol, tickers.Ticker{Bid: o.Sell.Amount, Ask: o.Buy.Amount, At: updated(o.UpdatedAt, r.At)}
	}), nil
}

// updated returns the time of a price: the time of receipt if the response has none, the zero time
// if it is unreadable.
func updated(raw json.RawMessage, received time.Time) time.Time {
	if len(raw) == 0 || string(raw) == "null" {
		return received
	}
	var text string
	if upstream.Decode(raw, &text) != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
