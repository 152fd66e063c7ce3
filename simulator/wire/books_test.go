package wire_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"

	"causeway/simulator/market"
	"causeway/simulator/wire"
)

// ask decodes the answer to a question about prices.
func ask(t *testing.T, w *wire.Wire, provider, target string, out any) {
	t.Helper()
	r, err := (&http.Client{Transport: w}).Do(question{target: target}.request(t, "https://"+hosts[provider]))
	if err != nil {
		t.Fatal(err)
	}
	defer closeIt(t, r)
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v: %s", target, r.StatusCode, err, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		t.Fatalf("%s: %v: %s", target, err, body)
	}
}

type krakenTickers struct {
	Error  []string                   `json:"error"`
	Result map[string]json.RawMessage `json:"result"`
}

func TestKrakenKnowsEveryBookByEachOfItsNames(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	var all krakenTickers
	ask(t, w, "kraken", "/0/public/Ticker", &all)
	listed := world.Market().Listed(market.Kraken)
	if len(all.Result) != len(listed) || len(listed) < 100 {
		t.Errorf("%d tickers of %d books", len(all.Result), len(listed))
	}
	var described struct {
		Result map[string]struct {
			Alt    string `json:"altname"`
			Socket string `json:"wsname"`
		} `json:"result"`
	}
	ask(t, w, "kraken", "/0/public/AssetPairs", &described)
	for key, names := range described.Result {
		for _, name := range []string{key, names.Alt, names.Socket} {
			var one krakenTickers
			ask(t, w, "kraken", "/0/public/Ticker?pair="+url.QueryEscape(name), &one)
			want := key
			if name == names.Socket {
				want = name
			}
			if len(one.Result) != 1 || !bytes.Equal(one.Result[want], all.Result[key]) {
				t.Errorf("asked for %s: %s, want %s: %s", name, one.Result, want, all.Result[key])
			}
		}
	}
	for key, alt := range map[string]string{ // as the real one is known to spell them
		"XXBTZUSD": "XBTUSD", "XETHZEUR": "ETHEUR", "XXRPZUSD": "XRPUSD", "XLTCXXBT": "LTCXBT", "XXLMZUSD": "XLMUSD", "XDGUSD": "XDGUSD",
		"SOLUSD": "SOLUSD", "USDTZUSD": "USDTUSD", "USDCUSD": "USDCUSD", "ZEURZUSD": "EURUSD", "ZGBPZUSD": "GBPUSD", "XXBTZGBP": "XBTGBP",
		"XBTUSDT": "XBTUSDT", "ETHUSDT": "ETHUSDT", "USDTEUR": "USDTEUR", "XXDGXXBT": "XDGXBT", "ADAXBT": "ADAXBT",
	} {
		if got := described.Result[key].Alt; got != alt {
			t.Errorf("the altname of %s is %q, want %q", key, got, alt)
		}
	}
}

func TestBinanceAnswersInItsOwnOrder(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	type ticker struct{ Symbol, BidPrice, AskPrice string }
	var all, some []ticker
	ask(t, w, "binance", "/api/v3/ticker/bookTicker", &all)
	listed := world.Market().Listed(market.Binance)
	if len(all) != len(listed) || len(listed) < 50 {
		t.Fatalf("%d tickers of %d books", len(all), len(listed))
	}
	last := len(all) - 1
	query := url.Values{"symbols": {`["` + all[last].Symbol + `","` + all[0].Symbol + `"]`}}
	ask(t, w, "binance", "/api/v3/ticker/bookTicker?"+query.Encode(), &some)
	if len(some) != 2 || some[0] != all[0] || some[1] != all[last] {
		t.Errorf("got %v, want %v and %v", some, all[0], all[last])
	}
	for i, pair := range listed {
		var one ticker
		ask(t, w, "binance", "/api/v3/ticker/bookTicker?symbol="+pair.ID(), &one)
		if one != all[i] {
			t.Errorf("%s by itself is %v, among all %v", pair, one, all[i])
		}
	}
}

func TestCoinbaseShowsABookThatIsNewerThanItsLastTrade(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	var products []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	asking := func(target string, out any) {
		t.Helper()
		r, err := (&http.Client{Transport: w}).Do(question{target: target, header: named}.request(t, "https://"+hosts["coinbase"]))
		if err != nil {
			t.Fatal(err)
		}
		defer closeIt(t, r)
		if err := json.NewDecoder(r.Body).Decode(out); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", target, r.StatusCode, err)
		}
	}
	asking("/products", &products)
	listed := world.Market().Listed(market.Coinbase)
	if len(products) != len(listed) || len(listed) < 50 {
		t.Fatalf("%d products of %d books", len(products), len(listed))
	}
	older := 0
	for i, pair := range listed {
		var ticker struct {
			Bid, Ask, Price string
			Time            time.Time
		}
		asking("/products/"+products[i].ID+"/ticker", &ticker)
		book, _ := world.Market().Book(market.Coinbase, pair, noon)
		if products[i].ID != pair.Base+"-"+pair.Counter || products[i].Status != "online" ||
			ticker.Bid != book.Bid.Trimmed() || ticker.Ask != book.Ask.Trimmed() || ticker.Time.After(noon) {
			t.Errorf("%s is %+v with %+v, want %+v", pair, products[i], ticker, book)
		}
		if noon.Sub(ticker.Time) > 2*time.Second {
			older++
		}
	}
	if older == 0 {
		t.Error("no market is quiet")
	}
}

func TestOKXAndBybitShowEveryBook(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	var rows struct {
		Code string
		Data []struct{ InstID, BidPx, AskPx, TS string }
	}
	ask(t, w, "okx", "/api/v5/market/tickers?instType=SPOT", &rows)
	listed := world.Market().Listed(market.OKX)
	if rows.Code != "0" || len(rows.Data) != len(listed) || len(listed) < 40 {
		t.Fatalf("code %s, %d tickers of %d books", rows.Code, len(rows.Data), len(listed))
	}
	for i, pair := range listed {
		book, _ := world.Market().Book(market.OKX, pair, noon)
		if got := rows.Data[i]; got.InstID != pair.Base+"-"+pair.Counter || got.BidPx != book.Bid.Trimmed() || got.AskPx != book.Ask.Trimmed() || got.TS != "1795262400250" {
			t.Errorf("%s: got %+v, want %+v", pair, got, book)
		}
	}
	var tickers struct {
		RetCode int
		Time    int64
		Result  struct {
			List []struct{ Symbol, Bid1Price, Ask1Price string }
		}
	}
	ask(t, w, "bybit", "/v5/market/tickers?category=spot", &tickers)
	listed = world.Market().Listed(market.Bybit)
	if tickers.RetCode != 0 || tickers.Time != noon.UnixMilli() || len(tickers.Result.List) != len(listed) || len(listed) < 40 {
		t.Fatalf("code %d at %d, %d tickers of %d books", tickers.RetCode, tickers.Time, len(tickers.Result.List), len(listed))
	}
	for i, pair := range listed {
		book, _ := world.Market().Book(market.Bybit, pair, noon)
		if got := tickers.Result.List[i]; got.Symbol != pair.ID() || got.Bid1Price != book.Bid.Trimmed() || got.Ask1Price != book.Ask.Trimmed() {
			t.Errorf("%s: got %+v, want %+v", pair, got, book)
		}
	}
}
