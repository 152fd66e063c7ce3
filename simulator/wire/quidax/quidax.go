package quidax

import (
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// quidax is the public market data of Quidax, https://docs.quidax.io (read 2026-11): tickers in the words of Peatio, keyed by
// markets in lower case, with a time in seconds; a side without orders is "0.0".
type quidax struct{ world *world.World }

// quidaxAsleep is a market that is listed and has no orders.
const quidaxAsleep = "dashngn"

// ServeHTTP answers one call.
func (q *quidax) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := q.world.Now()
	q.call(r, now).Send(w, now)
}

// quidaxAnswer is the envelope.
type quidaxAnswer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

func quidaxSuccess(data any) provider.Reply {
	return provider.Answer(http.StatusOK, quidaxAnswer{Status: "success", Message: "Successful", Data: data})
}

// quidaxRow is a ticker with its time.
type quidaxRow struct {
	At     int64        `json:"at"`
	Ticker quidaxTicker `json:"ticker"`
}

type quidaxTicker struct {
	Buy  string `json:"buy"` // the best bid
	Sell string `json:"sell"`
	Low  string `json:"low"`
	High string `json:"high"`
	Open string `json:"open"`
	Last string `json:"last"`
	Vol  string `json:"vol"`
}

// quidaxMarket describes a market.
type quidaxMarket struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	BaseUnit  string `json:"base_unit"`
	QuoteUnit string `json:"quote_unit"`
}

func (q *quidax) call(r *http.Request, now time.Time) provider.Reply {
	const markets = "/exchange-open-api/api/v1/markets"
	switch path := r.URL.Path; {
	case path == markets:
		return quidaxSuccess(q.markets(now))
	case path == markets+"/tickers":
		return quidaxSuccess(q.tickers(now))
	case strings.HasPrefix(path, markets+"/tickers/"):
		if row, listed := q.tickers(now)[strings.TrimPrefix(path, markets+"/tickers/")]; listed {
			return quidaxSuccess(row)
		}
	}
	return provider.Answer(http.StatusNotFound, quidaxAnswer{Status: "error", Message: "Not Found"})
}

func (q *quidax) markets(now time.Time) []quidaxMarket {
	markets := []quidaxMarket{{ID: quidaxAsleep, Name: "DASH/NGN", BaseUnit: "dash", QuoteUnit: "ngn"}}
	for _, p := range q.world.Market().Traded(market.Quidax, now) {
		markets = append(markets, quidaxMarket{
			ID: strings.ToLower(p.ID()), Name: p.String(), BaseUnit: strings.ToLower(p.Base), QuoteUnit: strings.ToLower(p.Counter),
		})
	}
	return markets
}

// tickers are all rows, by market.
func (q *quidax) tickers(now time.Time) map[string]quidaxRow {
	rows := map[string]quidaxRow{quidaxAsleep: asleep(now)}
	for _, p := range q.world.Market().Traded(market.Quidax, now) {
		rows[strings.ToLower(p.ID())] = q.row(p, now)
	}
	return rows
}

func (q *quidax) row(pair core.Pair, now time.Time) quidaxRow {
	top, _ := q.world.Market().Book(market.Quidax, pair, now)
	_, day, _ := q.world.Market().Day(market.Quidax, pair, now)
	return quidaxRow{At: q.world.Market().Made(market.Quidax, pair, now).Unix(), Ticker: quidaxTicker{
		Buy: quidaxNumber(top.Bid), Sell: quidaxNumber(top.Ask), Low: quidaxNumber(day.Low), High: quidaxNumber(day.High),
		Open: quidaxNumber(top.Open), Last: quidaxNumber(top.Last), Vol: quidaxNumber(day.Volume),
	}}
}

func asleep(now time.Time) quidaxRow {
	const none = "0.0"
	return quidaxRow{At: now.Unix(), Ticker: quidaxTicker{Buy: none, Sell: none, Low: none, High: none, Open: none, Last: none, Vol: none}}
}

// quidaxNumber has one decimal place or more.
func quidaxNumber(a market.Amount) string { return provider.Pointed(a.Trimmed()) }
