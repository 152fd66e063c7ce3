package binance

import (
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/format"
)

const pingInterval = 20 * time.Second

// serveStreams serves combined streams, https://github.com/binance/binance-spot-api-docs
// web-socket-streams.md (2026-07-21): book tickers of symbols in lower case, named in the URL. A
// stream that does not exist is accepted and silent. There is no snapshot: a book is sent when it
// changes, which a busy one has done by the first tick, without a time but with the number of the
// update. The venue pings every 20 seconds.
func serveStreams(w http.ResponseWriter, r *format.Request) {
	pairs := map[string]core.Pair{}
	for _, pair := range r.World.Market().Listed(market.Binance) {
		pairs[strings.ToLower(pair.ID())+"@bookTicker"] = pair
	}
	socket := format.Socket{
		Request: r, Ping: pingInterval,
		Answer: func([]byte) []any { return nil }, // subscriptions are in the URL
		Update: func(s *format.Subscription) any {
			t := ticker(*s.Sent)
			return map[string]any{"stream": s.Name, "data": map[string]any{
				"u": r.World.Now().UnixMilli(), "s": t["symbol"],
				"b": t["bidPrice"], "B": t["bidQty"], "a": t["askPrice"], "A": t["askQty"],
			}}
		},
	}
	for name := range strings.SplitSeq(r.URL.Query().Get("streams"), "/") {
		if pair, exists := pairs[name]; exists {
			socket.Subscriptions = append(socket.Subscriptions, &format.Subscription{Name: name, Pair: pair})
		}
	}
	socket.Serve(w)
}
