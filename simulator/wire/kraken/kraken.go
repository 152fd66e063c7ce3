package kraken

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// kraken is the public REST API of Kraken, https://docs.kraken.com/api/docs/rest-api/get-ticker-information (read
// 2026-08): answers 200 with an error array, keys results by canonical names whatever name was asked (but for names
// with a slash, which come back as they are), fails as a whole for one unknown pair, and gives no time of a quote.
type kraken struct {
	world *world.World
	known func() *krakenBooks // made when it is asked for
}

// krakenBooks are all markets.
type krakenBooks struct {
	list  []krakenBook
	names map[string]int // every name of a market, to its index
}

// krakenBook is a market under its three names.
type krakenBook struct {
	pair          core.Pair
	key           string // canonical: XXBTZUSD
	alt           string // XBTUSD
	socket        string // XBT/USD
	base, counter string // canonical: XXBT, ZUSD
}

func newKraken(w *world.World) *kraken {
	return &kraken{world: w, known: provider.Once(w, Name, func() *krakenBooks {
		books := &krakenBooks{names: map[string]int{}}
		for i, pair := range w.Market().Listed(market.Kraken) {
			b := nameBook(pair)
			books.list = append(books.list, b)
			for _, name := range []string{b.key, b.alt, b.socket} {
				books.names[name] = i
			}
		}
		return books
	})}
}

func nameBook(pair core.Pair) krakenBook {
	base, counter := cmp.Or(krakenNames[pair.Base], pair.Base), cmp.Or(krakenNames[pair.Counter], pair.Counter)
	b := krakenBook{
		pair: pair, alt: base + counter, socket: base + "/" + counter, key: base + counter,
		base: cmp.Or(krakenOld[base], base), counter: cmp.Or(krakenOld[counter], counter),
	}
	if b.base != base && b.counter != counter {
		b.key = b.base + b.counter
	}
	b.key = cmp.Or(krakenKeys[b.alt], b.key)
	return b
}

// krakenAnswer is the envelope.
type krakenAnswer struct {
	Error  []string `json:"error"`
	Result any      `json:"result,omitempty"`
}

func krakenResult(result any) provider.Reply {
	return provider.Answer(http.StatusOK, krakenAnswer{Error: []string{}, Result: result})
}

func krakenError(text string) provider.Reply {
	return provider.Answer(http.StatusOK, krakenAnswer{Error: []string{text}})
}

// ServeHTTP answers one call.
func (k *kraken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == krakenSocketPath {
		k.socket(w, r)
		return
	}
	now := k.world.Now()
	method, public := strings.CutPrefix(r.URL.Path, "/0/public/")
	if !public {
		provider.Reply{Status: http.StatusNotFound, Content: provider.ContentText, Body: []byte("404 Not Found\n")}.Send(w, now)
		return
	}
	k.call(method, r, now).Send(w, now)
}

func (k *kraken) call(method string, r *http.Request, now time.Time) provider.Reply {
	switch method {
	case "Ticker", "AssetPairs":
		books := k.known()
		names, ok := books.asked(r.URL.Query().Get("pair"), func(pair core.Pair) bool {
			return k.world.Market().State(market.Kraken, pair, now) != market.Absent
		})
		if !ok {
			return krakenError("EQuery:Unknown asset pair")
		}
		result := make(map[string]any, len(names))
		for name, i := range names {
			if method == "Ticker" {
				result[name] = k.ticker(books.list[i], now)
			} else {
				result[name] = k.describe(books.list[i])
			}
		}
		return krakenResult(result)
	case "SystemStatus":
		return krakenResult(map[string]string{"status": "online", "timestamp": now.Format(time.RFC3339)})
	case "Time":
		return krakenResult(map[string]any{"unixtime": now.Unix(), "rfc1123": now.Format("Mon, 02 Jan 06 15:04:05 -0700")})
	default:
		return krakenError("EGeneral:Unknown method")
	}
}

// asked returns the markets of a query by the key that each is to be answered under; all that are traded where none is named. It is false
// where one of them is unknown.
func (k *krakenBooks) asked(pairs string, traded func(core.Pair) bool) (map[string]int, bool) {
	out := map[string]int{}
	if pairs == "" {
		for i, b := range k.list {
			if traded(b.pair) {
				out[b.key] = i
			}
		}
		return out, true
	}
	for name := range strings.SplitSeq(pairs, ",") {
		name = strings.TrimSpace(name)
		i, ok := k.names[name]
		if !ok || !traded(k.list[i].pair) {
			return nil, false
		}
		if name != k.list[i].socket {
			name = k.list[i].key
		}
		out[name] = i
	}
	return out, true
}

// krakenTicker is one market; pairs of values are of today and of the last 24 hours.
type krakenTicker struct {
	Ask     [3]string `json:"a"` // price, whole lots, lots
	Bid     [3]string `json:"b"`
	Last    [2]string `json:"c"` // price, lots
	Volume  [2]string `json:"v"`
	Average [2]string `json:"p"`
	Trades  [2]int64  `json:"t"`
	Low     [2]string `json:"l"`
	High    [2]string `json:"h"`
	Open    string    `json:"o"` // today
}

func (k *kraken) ticker(b krakenBook, now time.Time) krakenTicker {
	top, _ := k.world.Market().Book(market.Kraken, b.pair, now)
	today, day, _ := k.world.Market().Day(market.Kraken, b.pair, now)
	return krakenTicker{
		Ask: side(top.Ask, top.AskSize), Bid: side(top.Bid, top.BidSize),
		Last:    [2]string{krakenPrice(top.Last), top.LastSize.Padded(8)},
		Volume:  [2]string{today.Volume.Padded(8), day.Volume.Padded(8)},
		Average: [2]string{krakenPrice(today.Average), krakenPrice(day.Average)},
		Trades:  [2]int64{today.Trades, day.Trades},
		Low:     [2]string{krakenPrice(today.Low), krakenPrice(day.Low)},
		High:    [2]string{krakenPrice(today.High), krakenPrice(day.High)},
		Open:    krakenPrice(top.Open),
	}
}

func side(price, size market.Amount) [3]string {
	whole, _, _ := strings.Cut(size.String(), ".")
	if whole == "0" {
		whole = "1" // the smallest that is shown
	}
	return [3]string{krakenPrice(price), whole, whole + ".000"}
}

// krakenPrice has five decimal places or more, whatever the tick.
func krakenPrice(a market.Amount) string { return a.Padded(5) }

// krakenPair describes a market.
type krakenPair struct {
	Alt          string `json:"altname"`
	Socket       string `json:"wsname"`
	BaseClass    string `json:"aclass_base"`
	Base         string `json:"base"`
	QuoteClass   string `json:"aclass_quote"`
	Quote        string `json:"quote"`
	Lot          string `json:"lot"`
	CostDecimals int    `json:"cost_decimals"`
	PairDecimals int    `json:"pair_decimals"`
	LotDecimals  int    `json:"lot_decimals"`
	OrderMin     string `json:"ordermin"`
	CostMin      string `json:"costmin"`
	TickSize     string `json:"tick_size"`
	Status       string `json:"status"`
}

func (k *kraken) describe(b krakenBook) krakenPair {
	listing, _ := k.world.Market().Listing(market.Kraken, b.pair)
	return krakenPair{
		Alt: b.alt, Socket: b.socket, BaseClass: "currency", Base: b.base, QuoteClass: "currency", Quote: b.counter,
		Lot: "unit", CostDecimals: 5, PairDecimals: listing.Places, LotDecimals: 8,
		OrderMin: listing.MinSize.Trimmed(), CostMin: "0.5",
		TickSize: market.Amount{Units: 1, Places: listing.Places}.String(), Status: "online",
	}
}
