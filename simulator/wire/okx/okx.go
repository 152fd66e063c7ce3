package okx

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// okx is the public REST API of OKX, https://www.okx.com/docs-v5/en/#order-book-trading-market-data-get-tickers (read 2026-10): an envelope
// with a code as text, errors of the question with status 200 or 400, every number as text, a time in milliseconds with every ticker.
type okx struct{ world *world.World }

// okxAnswer is the envelope.
type okxAnswer struct {
	Code string `json:"code"`
	Msg  string `json:"msg"`
	Data any    `json:"data"`
}

func okxData(data any) provider.Reply {
	return provider.Answer(http.StatusOK, okxAnswer{Code: "0", Data: data})
}

func okxError(status int, code, text string) provider.Reply {
	return provider.Answer(status, okxAnswer{Code: code, Msg: text, Data: []struct{}{}})
}

// ServeHTTP answers one call.
func (o *okx) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := o.world.Now()
	o.call(r, now).Send(w, now)
}

func (o *okx) call(r *http.Request, now time.Time) provider.Reply {
	query := r.URL.Query()
	switch r.URL.Path {
	case "/api/v5/public/time":
		return okxData([]map[string]string{{"ts": strconv.FormatInt(now.UnixMilli(), 10)}})
	case "/api/v5/market/tickers":
		switch kind := query.Get("instType"); kind {
		case "":
			return okxError(http.StatusBadRequest, "50014", "Parameter instType can not be empty.")
		case "SPOT":
			return okxData(o.tickers(o.world.Market().Traded(market.OKX, now), now))
		case "SWAP", "FUTURES", "OPTION":
			return okxData([]struct{}{}) // nothing but spot is simulated
		default:
			return okxError(http.StatusBadRequest, "51000", "Parameter instType error")
		}
	case "/api/v5/market/ticker":
		id := query.Get("instId")
		if id == "" {
			return okxError(http.StatusBadRequest, "50014", "Parameter instId can not be empty.")
		}
		base, counter, _ := strings.Cut(id, "-")
		pair := core.Pair{Base: base, Counter: counter}
		if !slices.Contains(o.world.Market().Traded(market.OKX, now), pair) {
			return okxError(http.StatusOK, "51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist.")
		}
		return okxData(o.tickers([]core.Pair{pair}, now))
	default:
		return provider.Reply{Status: http.StatusNotFound, Content: provider.ContentJSON, Body: []byte(`{"msg":"API endpoint does not exist","code":"404","data":[]}`)}
	}
}

// okxTicker is one market.
type okxTicker struct {
	Kind     string `json:"instType"`
	ID       string `json:"instId"`
	Last     string `json:"last"`
	LastSize string `json:"lastSz"`
	Ask      string `json:"askPx"`
	AskSize  string `json:"askSz"`
	Bid      string `json:"bidPx"`
	BidSize  string `json:"bidSz"`
	Open     string `json:"open24h"`
	High     string `json:"high24h"`
	Low      string `json:"low24h"`
	Worth    string `json:"volCcy24h"`
	Volume   string `json:"vol24h"`
	Time     string `json:"ts"`
	Midnight string `json:"sodUtc0"`
	Hongkong string `json:"sodUtc8"`
}

func (o *okx) tickers(pairs []core.Pair, now time.Time) []okxTicker {
	out, m := make([]okxTicker, len(pairs)), o.world.Market()
	for i, pair := range pairs {
		top, _ := m.Book(market.OKX, pair, now)
		_, day, _ := m.Day(market.OKX, pair, now)
		before, _ := m.Book(market.OKX, pair, now.Add(-24*time.Hour))
		east, _ := m.Book(market.OKX, pair, now.Add(8*time.Hour).Truncate(24*time.Hour).Add(-8*time.Hour))
		out[i] = okxTicker{
			Kind: "SPOT", ID: pair.Base + "-" + pair.Counter, Last: top.Last.Trimmed(), LastSize: top.LastSize.Trimmed(),
			Ask: top.Ask.Trimmed(), AskSize: top.AskSize.Trimmed(), Bid: top.Bid.Trimmed(), BidSize: top.BidSize.Trimmed(),
			Open: before.Last.Trimmed(), High: provider.Higher(day.High, before.Last).Trimmed(), Low: provider.Lower(day.Low, before.Last).Trimmed(),
			Worth: provider.TurnoverOf(day), Volume: day.Volume.Trimmed(),
			Time: strconv.FormatInt(now.UnixMilli(), 10), Midnight: top.Open.Trimmed(), Hongkong: east.Last.Trimmed(),
		}
	}
	return out
}
