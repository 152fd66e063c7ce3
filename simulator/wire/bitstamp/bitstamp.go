// Package bitstamp simulates the API of Bitstamp: the tickers of its pairs.
package bitstamp

import (
	"net/http"
	"strconv"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "bitstamp"

const tickersPath = "/api/v2/ticker/"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"www.bitstamp.net"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&bitstamp{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "tickers", Path: tickersPath}},
		Priced:     []string{"tickers"},
		Prices:     []string{"*.ask", "*.bid", "*.last", "*.open", "*.open_24", "*.high", "*.low", "*.vwap"},
		Times:      []provider.TimeField{{Place: "*.timestamp", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "The list of all tickers has the sandbox's pairs, without perpetual contracts.",
			Why:  "No other market is priced.",
			Test: "adapters/providers/bitstamp.TestRates",
		},
	},
}

// bitstamp is the public market data of Bitstamp, https://www.bitstamp.net/api/#tag/Tickers (read
// 2026-11): every number is text, and times are in seconds.
type bitstamp struct{ world *world.World }

func (b *bitstamp) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != tickersPath {
		return provider.Answer(http.StatusNotFound, map[string]string{
			"status": "error", "reason": "Not found", "code": "API0404",
		})
	}
	all := []ticker{}
	for _, pair := range b.world.Market().Traded(market.Bitstamp, now) {
		all = append(all, b.ticker(pair, now))
	}
	return provider.Answer(http.StatusOK, all)
}

// ticker is the top of the book of one pair.
type ticker struct {
	Time    string `json:"timestamp"`
	Open    string `json:"open"`
	High    string `json:"high"`
	Low     string `json:"low"`
	Last    string `json:"last"`
	Volume  string `json:"volume"`
	Average string `json:"vwap"`
	Bid     string `json:"bid"`
	Ask     string `json:"ask"`
	Side    string `json:"side"` // of the last trade: 0 is a purchase
	Before  string `json:"open_24"`
	Change  string `json:"percent_change_24"`
	Pair    string `json:"pair"`
	Market  string `json:"market"`
	Type    string `json:"market_type"`
}

func (b *bitstamp) ticker(pair core.Pair, now time.Time) ticker {
	m := b.world.Market()
	top, _ := m.Book(market.Bitstamp, pair, now)
	_, day, _ := m.Day(market.Bitstamp, pair, now)
	before, _ := m.Book(market.Bitstamp, pair, now.Add(-24*time.Hour))
	return ticker{
		Time: strconv.FormatInt(m.Made(market.Bitstamp, pair, now).Unix(), 10), Open: top.Open.Trimmed(),
		High: day.High.Trimmed(), Low: day.Low.Trimmed(), Last: top.Last.Trimmed(),
		Volume: day.Volume.Padded(8), Average: day.Average.Trimmed(), Bid: top.Bid.Trimmed(), Ask: top.Ask.Trimmed(),
		Side: strconv.FormatUint(top.Last.Units%2, 10), Before: before.Last.Trimmed(),
		Change: provider.Change(before.Last, top.Last, 2, 2).StringFixed(2),
		Pair:   pair.String(), Market: pair.String(), Type: "SPOT",
	}
}
