package bybit

import (
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// bybit is the market data of Bybit's spot market, https://bybit-exchange.github.io/docs/v5/market/tickers (read 2026-10): an envelope with a
// numeric code and the time of the answer in milliseconds, errors of the question with status 200, every other number as text,
// changes as fractions and not in per cent.
type bybit struct{ world *world.World }

// bybitAnswer is the envelope.
type bybitAnswer struct {
	Code   int      `json:"retCode"`
	Msg    string   `json:"retMsg"`
	Result any      `json:"result"`
	Extra  struct{} `json:"retExtInfo"`
	Time   int64    `json:"time"`
}

// ServeHTTP answers one call.
func (b *bybit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := b.world.Now()
	b.call(r, now).Send(w, now)
}

func bybitResult(result any, now time.Time) provider.Reply {
	return provider.Answer(http.StatusOK, bybitAnswer{Msg: "OK", Result: result, Time: now.UnixMilli()})
}

func bybitError(code int, text string, now time.Time) provider.Reply {
	return provider.Answer(http.StatusOK, bybitAnswer{Code: code, Msg: text, Result: struct{}{}, Time: now.UnixMilli()})
}

// bybitTickers is the result of a question for tickers.
type bybitTickers struct {
	Category string        `json:"category"`
	List     []bybitTicker `json:"list"`
}

func (b *bybit) call(r *http.Request, now time.Time) provider.Reply {
	query := r.URL.Query()
	switch r.URL.Path {
	case "/v5/market/time":
		return bybitResult(map[string]string{
			"timeSecond": strconv.FormatInt(now.Unix(), 10), "timeNano": strconv.FormatInt(now.UnixNano(), 10),
		}, now)
	case "/v5/market/tickers":
	default:
		return provider.Reply{Status: http.StatusNotFound, Content: provider.ContentText, Body: []byte("404 page not found")}
	}
	switch category := query.Get("category"); category {
	case "spot":
		pairs := b.world.Market().Traded(market.Bybit, now)
		if symbol := query.Get("symbol"); symbol != "" {
			pairs = slices.DeleteFunc(pairs, func(p core.Pair) bool { return p.ID() != symbol })
			if len(pairs) == 0 {
				return bybitError(10001, "Not supported symbols", now)
			}
		}
		return bybitResult(bybitTickers{Category: category, List: b.tickers(pairs, now)}, now)
	case "linear", "inverse":
		return bybitResult(bybitTickers{Category: category, List: []bybitTicker{}}, now) // nothing but spot is simulated
	default:
		return bybitError(10001, "Illegal category", now)
	}
}

// bybitTicker is one market.
type bybitTicker struct {
	Symbol   string `json:"symbol"`
	Bid      string `json:"bid1Price"`
	BidSize  string `json:"bid1Size"`
	Ask      string `json:"ask1Price"`
	AskSize  string `json:"ask1Size"`
	Last     string `json:"lastPrice"`
	Before   string `json:"prevPrice24h"`
	Change   string `json:"price24hPcnt"` // a fraction
	High     string `json:"highPrice24h"`
	Low      string `json:"lowPrice24h"`
	Turnover string `json:"turnover24h"`
	Volume   string `json:"volume24h"`
	InUSD    string `json:"usdIndexPrice,omitempty"` // of coins that have an index
}

func (b *bybit) tickers(pairs []core.Pair, now time.Time) []bybitTicker {
	out, m := make([]bybitTicker, len(pairs)), b.world.Market()
	for i, pair := range pairs {
		top, _ := m.Book(market.Bybit, pair, now)
		_, day, _ := m.Day(market.Bybit, pair, now)
		before, _ := m.Book(market.Bybit, pair, now.Add(-24*time.Hour))
		out[i] = bybitTicker{
			Symbol: pair.ID(), Bid: top.Bid.Trimmed(), BidSize: top.BidSize.Trimmed(), Ask: top.Ask.Trimmed(), AskSize: top.AskSize.Trimmed(),
			Last: top.Last.Trimmed(), Before: before.Last.Trimmed(), Change: bybitChange(before.Last, top.Last),
			High: provider.Higher(day.High, before.Last).Trimmed(), Low: provider.Lower(day.Low, before.Last).Trimmed(), Turnover: provider.TurnoverOf(day), Volume: day.Volume.Trimmed(),
		}
		if index, ok := m.Reference(core.Pair{Base: pair.Base, Counter: "USD"}, now); ok {
			out[i].InUSD = index.Trimmed()
		}
	}
	return out
}

// bybitChange is how far a price went, to four decimal places, cut: "-0.0068" is 0.68 % down. Both have the same tick.
func bybitChange(from, to market.Amount) string {
	was, is := new(big.Int).SetUint64(from.Units), new(big.Int).SetUint64(to.Units)
	parts := new(big.Int).Mul(new(big.Int).Sub(is, was), big.NewInt(10_000))
	parts.Quo(parts, was)
	sign := ""
	if parts.Sign() < 0 {
		sign = "-"
	}
	return sign + market.Amount{Units: parts.Abs(parts).Uint64(), Places: 4}.Trimmed()
}
