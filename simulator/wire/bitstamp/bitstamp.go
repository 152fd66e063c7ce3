// Package bitstamp simulates the API of Bitstamp: the tickers of its pairs.
package bitstamp

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// bitstamp is the public market data of Bitstamp, https://www.bitstamp.net/api/#tag/Tickers (read
// 2026-11): every number is text, and times are in seconds.
type bitstamp struct{ world *world.World }

// ServeHTTP implements http.Handler.
func (b *bitstamp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := b.world.Now()
	b.respond(r, now).Send(w, now)
}

func (b *bitstamp) respond(r *http.Request, now time.Time) provider.Reply {
	const path = "/api/v2/ticker/"
	if !strings.HasPrefix(r.URL.Path, path) {
		return notFound()
	}
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, path), "/")
	all := []ticker{}
	for _, pair := range b.world.Market().Traded(market.Bitstamp, now) {
		switch {
		case name == "":
			t := b.ticker(pair, now)
			t.Pair, t.Market, t.Type = pair.String(), pair.String(), "SPOT"
			all = append(all, t)
		case strings.EqualFold(name, pair.ID()):
			return provider.Answer(http.StatusOK, b.ticker(pair, now))
		}
	}
	if name != "" {
		return notFound()
	}
	return provider.Answer(http.StatusOK, all)
}

func notFound() provider.Reply {
	return provider.Answer(http.StatusNotFound, map[string]string{"status": "error", "reason": "Not found", "code": "API0404"})
}

// ticker is the top of the book of one pair. Only the list of all names the pair.
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
	Pair    string `json:"pair,omitempty"`
	Market  string `json:"market,omitempty"`
	Type    string `json:"market_type,omitempty"`
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
		Side: strconv.FormatUint(top.Last.Units%2, 10), Before: before.Last.Trimmed(), Change: change(before.Last, top.Last),
	}
}

// change returns by how many per cent a price moved, to two decimals.
func change(from, to market.Amount) string {
	hundredths := (int64(to.Units) - int64(from.Units)) * 10_000 / int64(max(from.Units, 1)) //nolint:gosec // prices have at most 12 digits
	sign := ""
	if hundredths < 0 {
		sign, hundredths = "-", -hundredths
	}
	return sign + strconv.FormatInt(hundredths/100, 10) + "." + strconv.FormatInt(hundredths%100/10, 10) + strconv.FormatInt(hundredths%10, 10)
}
