// Package paycrest simulates the public rates of Paycrest: what a customer pays and gets for one
// token, as text, without a time.
//
// API: github.com/paycrest/docs openapi-v2.yaml (2026-08-21).
package paycrest

import (
	"net/http"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const (
	ratesPath = "/v2/rates/"
	network   = "base"
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       market.Paycrest,
	Hosts:      []string{"api.paycrest.io"},
	Respond:    respond,
	Operations: []format.Operation{{Name: "rates", Path: ratesPath + "*/*/*/*", Priced: true}},
	Prices:     []string{"data.buy.rate", "data.sell.rate"},
	Markets:    [2]string{ratesPath + network + "/USDT/100/KES", ratesPath + network + "/USDT/100/UGX"},
}

func answer(status int, result, message string, data any) format.Reply {
	return format.Answer(status, map[string]any{"status": result, "message": message, "data": data})
}

func refuse(status int, message string) format.Reply { return answer(status, "error", message, nil) }

func respond(r *format.Request) format.Reply {
	path, _ := strings.CutPrefix(r.URL.Path, ratesPath)
	parts := strings.Split(strings.ToUpper(path), "/")
	if len(parts) != 4 {
		return refuse(http.StatusNotFound, "Not found")
	}
	pair := core.Pair{Base: parts[1], Counter: parts[3]}
	amount, err := decimal.NewFromString(parts[2])
	var offered, traded bool
	for _, p := range r.World.Market().Listed(market.Paycrest) {
		offered = offered || p.Counter == pair.Counter
	}
	for _, p := range r.Traded() {
		traded = traded || p == pair
	}
	switch {
	case !strings.EqualFold(parts[0], network) || pair.Base != "USDT":
		return refuse(http.StatusBadRequest, "Token "+format.Clip(pair.Base)+" is not supported on network "+
			format.Clip(strings.ToLower(parts[0])))
	case !offered:
		return refuse(http.StatusBadRequest, "Fiat currency "+format.Clip(pair.Counter)+" is not supported")
	case err != nil:
		return refuse(http.StatusBadRequest, "Invalid amount")
	case !traded || !amount.IsPositive():
		return refuse(http.StatusNotFound, "no provider available for "+pair.Base+" to "+pair.Counter+" conversion")
	}
	book := r.Book(pair)
	return answer(http.StatusOK, "success", "Rate fetched successfully", map[string]any{
		"buy": side(book.Ask), "sell": side(book.Bid),
	})
}

func side(rate decimal.Decimal) map[string]any {
	return map[string]any{
		"rate": rate.String(), "providerIds": []string{"AbCdEfGh"}, "orderType": "regular", "refundTimeoutMinutes": 60,
	}
}
