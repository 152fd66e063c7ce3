// Package wire shows a simulated world as its providers do: in their paths, envelopes, statuses, errors, paging,
// headers and oddities, one file per provider, each an http.Handler. The same handlers serve in process
// (Wire is an http.RoundTripper: the transport of a sandbox's adapters) and over TCP.
//
// It is written from what is known of the real providers and from nothing of ours: it shares no type, constant or
// parser with the adapters that it answers, so that a mistake of theirs does not cancel out here.
//
// What differs from the real providers on purpose: no request limits and no daily caps (a sandbox that throttles
// makes tests flaky; the throttled answers are reached by magic account numbers), counters of usage
// (X-MBX-USED-WEIGHT-1M, usage.json) tell of the one request alone because nothing is remembered between requests,
// and only what an adapter could ask is there: no trading, no accounts of ours, no history.
package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"causeway/simulator"
)

// The providers.
const (
	Paystack          = "paystack"
	Flutterwave       = "flutterwave"
	Korapay           = "korapay"
	Monnify           = "monnify"
	Afriex            = "afriex"
	Daraja            = "daraja"
	Kraken            = "kraken"
	Binance           = "binance"
	Coinbase          = "coinbase"
	OKX               = "okx"
	Bybit             = "bybit"
	Quidax            = "quidax"
	Busha             = "busha"
	OpenExchangeRates = "openexchangerates"
	Frankfurter       = "frankfurter"
	CoinGecko         = "coingecko"
)

// Wire is a world as its providers show it. It is safe for concurrent use.
type Wire struct {
	handlers map[string]http.Handler // by provider
}

// New shows a world.
func New(world *simulator.World) *Wire {
	return &Wire{handlers: endangered(world, map[string]http.Handler{
		Paystack:          newPaystack(world),
		Flutterwave:       newFlutterwave(world),
		Korapay:           newKorapay(world),
		Monnify:           newMonnify(world),
		Afriex:            newAfriex(world),
		Daraja:            &daraja{world: world},
		Kraken:            newKraken(world),
		Binance:           &binance{world: world},
		Coinbase:          &coinbase{world: world},
		OKX:               &okx{world: world},
		Bybit:             &bybit{world: world},
		Quidax:            &quidax{world: world},
		Busha:             newBusha(world),
		OpenExchangeRates: &openExchangeRates{world: world},
		Frankfurter:       &frankfurter{world: world},
		CoinGecko:         &coinGecko{world: world},
	})}
}

// Providers returns the names of all providers, sorted.
func (w *Wire) Providers() []string {
	names := make([]string, 0, len(w.handlers))
	for name := range w.handlers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Handler serves one provider, whatever the host it is asked under. It is nil for an unknown provider.
func (w *Wire) Handler(provider string) http.Handler { return w.handlers[provider] }

// providerAt names the provider behind a host of the internet; empty for a host that the world does not have.
func providerAt(host string) string { return hosts[host] }

const (
	contentJSON = "application/json; charset=utf-8"
	contentHTML = "text/html; charset=utf-8"
	contentText = "text/plain; charset=utf-8"
)

// reply is an answer that is not sent yet.
type reply struct {
	status  int
	content string      // media type
	header  http.Header // besides the usual ones; may be nil
	body    []byte
}

// answer is a JSON document as a reply.
func answer(status int, document any) reply {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return reply{status: http.StatusInternalServerError, content: contentText, body: []byte(err.Error())}
	}
	return reply{status: status, content: contentJSON, body: bytes.TrimRight(body.Bytes(), "\n")}
}

// with adds a header.
func (a reply) with(name, value string) reply {
	a.header = a.header.Clone()
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
	return a
}

// send sends the reply as of an instant of the world.
func (a reply) send(w http.ResponseWriter, now time.Time) {
	a.start(w, now)
	_, _ = w.Write(a.body) // the client may be gone
}

// start sends all but the body.
func (a reply) start(w http.ResponseWriter, now time.Time) {
	h := w.Header()
	maps.Copy(h, a.header)
	if a.status != http.StatusNotModified {
		h.Set("Content-Type", a.content)
		h.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	w.WriteHeader(a.status)
}
