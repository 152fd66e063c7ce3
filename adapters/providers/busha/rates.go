package busha

import (
	"context"
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	pairsPath = "/v1/pairs"
	succeeded = "success"
)

// Fits checks that the markets, however many, can be asked for at every interval.
func (p *Provider) Fits(interval time.Duration, _ int) error { return p.rates.Fits(interval, 1, 1) }

// Observe quotes the markets from the list of all pairs, in one call: the bid is what a customer gets for one base, the
// ask what one pays.
func (p *Provider) Observe(ctx context.Context, markets []core.Pair) ([]core.Observation, error) {
	if len(markets) == 0 {
		return nil, nil
	}
	offers, received, err := p.offers(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]core.Observation, 0, len(markets))
	for _, m := range markets {
		if o, ok := offers[m].quote(m, received); ok {
			out = append(out, o)
		}
	}
	return out, nil
}

// envelope is around every list.
type envelope struct {
	Status string            `json:"status"` // success
	Data   []json.RawMessage `json:"data"`
}

// offer is a pair as it is listed.
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

// price is an amount with its unit.
type price struct {
	Amount   json.RawMessage `json:"amount"`
	Currency string          `json:"currency"`
}

// offers asks for all pairs, and returns them with the instant of receipt. A row that cannot be read is left out.
func (p *Provider) offers(ctx context.Context) (offers map[core.Pair]offer, received time.Time, err error) {
	err = p.rates.Get(ctx, "pairs", pairsPath, nil, func(a upstream.Answer) error {
		offers, received = map[core.Pair]offer{}, a.At
		if err := a.Fault(); err != nil {
			return err
		}
		var e envelope
		if err := a.JSON(&e); err != nil {
			return err
		}
		switch {
		case e.Status != succeeded:
			return upstream.Fail(upstream.Unavailable, "an answer that does not say success")
		case e.Data == nil:
			return upstream.Fail(upstream.Malformed, "no pairs")
		}
		for _, raw := range e.Data {
			var o offer
			if upstream.Decode(raw, &o) == nil {
				offers[core.Pair{Base: o.Base, Counter: o.Counter}] = o
			}
		}
		return nil
	})
	return offers, received, err
}

// quote reads an offer of which both sides are on.
func (o offer) quote(market core.Pair, received time.Time) (core.Observation, bool) {
	if !o.Buyable || !o.Sellable || o.Status == "halted" {
		return core.Observation{}, false
	}
	bid, bidOK := o.Sell.in(market.Counter)
	ask, askOK := o.Buy.in(market.Counter)
	at, atOK := made(o.UpdatedAt, received)
	if !bidOK || !askOK || !atOK {
		return core.Observation{}, false
	}
	return core.Observation{Pair: market, Bid: bid, Ask: ask, At: at, Source: Name}, true
}

// in is the price in a currency. One in another, and one of nothing, is none.
func (p price) in(currency string) (decimal.Decimal, bool) {
	amount, ok := upstream.Decimal(p.Amount)
	return amount, ok && p.Currency == currency && !amount.IsZero()
}

// made is when an offer was current; the instant of receipt where it does not say.
func made(raw json.RawMessage, received time.Time) (time.Time, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return received, true
	}
	var text string
	if upstream.Decode(raw, &text) != nil {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err == nil
}
