package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	simulatedopenexchangerates "causeway/simulator/wire/openexchangerates"
)

// teller is a provider of prices, with where one answer of it has an ask, a bid and a time; none are empty.
type teller struct {
	provider, target, ask, bid string
	time, unit                 string
}

func tellers() []teller {
	return []teller{
		{"kraken", "/0/public/Ticker?pair=XBTUSD,ETHUSD", "result/XXBTZUSD/a/0", "result/XXBTZUSD/b/0", "", ""},
		{"binance", `/api/v3/ticker/bookTicker?symbols=["BTCUSDT","ETHUSDT"]`, "0/askPrice", "0/bidPrice", "", ""},
		{"coinbase", "/products/BTC-USD/ticker", "ask", "bid", "time", "clock"},
		{"okx", "/api/v5/market/tickers?instType=SPOT", "data/7/askPx", "data/7/bidPx", "data/7/ts", "ms"},
		{"bybit", "/v5/market/tickers?category=spot", "result/list/7/ask1Price", "result/list/7/bid1Price", "time", "ms"},
		{"quidax", "/exchange-open-api/api/v1/markets/tickers", "data/btcngn/ticker/sell", "data/btcngn/ticker/buy", "data/btcngn/at", "s"},
		{"busha", "/v1/pairs", "data/2/buy_price/amount", "data/2/sell_price/amount", "", ""},
		{"openexchangerates", "/api/latest.json?app_id=" + simulatedopenexchangerates.AppID, "rates/NGN", "", "timestamp", "s"},
		{"frankfurter", "/v2/rates?base=USD", "0/rate", "", "0/date", "date"},
		{"coingecko", "/api/v3/simple/price?ids=bitcoin,ethereum&vs_currencies=usd&include_last_updated_at=true&precision=full", "bitcoin/usd", "", "bitcoin/last_updated_at", "s"},
	}
}

// stricken is a world in which an effect befalls a provider.
func stricken(t *testing.T, r faults.Rule) *wire.Wire {
	t.Helper()
	world := newWorld(t)
	w := wire.New(world)
	if _, err := world.Faults().Add(r, noon); err != nil {
		t.Fatal(err)
	}
	return w
}

func rule(provider string, e faults.Effect) faults.Rule {
	return faults.Rule{Match: faults.Match{Provider: provider}, Effect: e}
}

// said is an answer that was read to its end, or as far as it came.
type said struct {
	status int
	header http.Header
	body   []byte
	err    error
}

// hear reads an answer.
func hear(t *testing.T, transport http.RoundTripper, r *http.Request) said {
	t.Helper()
	response, err := transport.RoundTrip(r)
	if err != nil {
		return said{err: err}
	}
	defer closeIt(t, response)
	body, err := io.ReadAll(response.Body)
	return said{status: response.StatusCode, header: response.Header, body: body, err: err}
}

// say asks a provider in process.
func say(t *testing.T, w *wire.Wire, provider, target string) said {
	t.Helper()
	return hear(t, w, question{target: target, header: http.Header{"User-Agent": {"test"}}}.request(t, "https://"+hosts[provider]))
}

// dig is what a JSON document has at a place; nil where it has none.
func dig(t *testing.T, body []byte, place string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(body)))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("no JSON: %v: %.200s", err, body)
	}
	for part := range strings.SplitSeq(place, "/") {
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// written is a text or a number as it is written.
func written(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func TestFaults_Numbers(t *testing.T) {
	t.Parallel()
	d := decimal.RequireFromString
	same := func(got any, want decimal.Decimal) bool {
		number, err := decimal.NewFromString(written(got))
		return err == nil && number.Equal(want)
	}
	for _, c := range []struct {
		kind  faults.Kind
		right func(got any, was string) bool
	}{
		{faults.Times10, func(got any, was string) bool { return same(got, d(was).Shift(1)) }},
		{faults.Times1000, func(got any, was string) bool { return same(got, d(was).Shift(3)) }},
		{faults.Times100000000, func(got any, was string) bool { return same(got, d(was).Shift(8)) }},
		{faults.Inverted, func(got any, was string) bool { return same(got, d("1").DivRound(d(was), 12)) }},
		{faults.Zero, func(got any, _ string) bool { return same(got, decimal.Zero) }},
		{faults.Negative, func(got any, was string) bool { return same(got, d(was).Neg()) }},
		{faults.NaN, func(got any, _ string) bool { return got == "NaN" }},
		{faults.CommaDecimal, func(got any, was string) bool { return got == strings.Replace(was, ".", ",", 1) }},
		{faults.SwappedPair, func(got any, was string) bool {
			return !same(got, d(was)) && same(got, d(written(got))) && d(written(got)).IsPositive()
		}},
		{faults.ChangedType, func(got any, was string) bool {
			list, ok := got.([]any)
			return ok && len(list) == 1 && written(list[0]) == was
		}},
	} {
		for _, p := range tellers() {
			t.Run(string(c.kind)+" at "+p.provider, func(t *testing.T) {
				t.Parallel()
				plain := say(t, wire.New(newWorld(t)), p.provider, p.target).body
				w := stricken(t, rule(p.provider, faults.Effect{Kind: c.kind}))
				told := say(t, w, p.provider, p.target)
				if told.err != nil || told.status != http.StatusOK {
					t.Fatalf("%d, %v", told.status, told.err)
				}
				body := told.body
				for _, place := range []string{p.ask, p.bid} {
					if place == "" {
						continue
					}
					was := written(dig(t, plain, place))
					if got := dig(t, body, place); was == "" || !c.right(got, was) {
						t.Errorf("%s is %v, before it was %s", place, got, was)
					}
				}
				if p.time != "" && p.provider != "coinbase" && written(dig(t, body, p.time)) != written(dig(t, plain, p.time)) {
					t.Errorf("the time went from %v to %v", dig(t, plain, p.time), dig(t, body, p.time))
				}
			})
		}
	}
}

func TestFaults_MissingField(t *testing.T) {
	t.Parallel()
	for _, p := range tellers() {
		w := stricken(t, rule(p.provider, faults.Effect{Kind: faults.MissingField}))
		body := say(t, w, p.provider, p.target).body
		if dig(t, body, p.ask) != nil || p.bid != "" && dig(t, body, p.bid) == nil {
			t.Errorf("%s: %.300s", p.provider, body)
		}
	}
}

func TestFaults_Times(t *testing.T) {
	t.Parallel()
	read := func(t *testing.T, unit, text string) time.Time {
		t.Helper()
		if unit == "date" || unit == "clock" {
			at, err := time.Parse(map[string]string{"date": time.DateOnly, "clock": time.RFC3339Nano}[unit], text)
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return time.UnixMilli(n * map[string]int64{"s": 1000, "ms": 1}[unit])
	}
	for _, p := range tellers() {
		t.Run(p.provider, func(t *testing.T) {
			t.Parallel()
			world := newWorld(t)
			w := wire.New(world)
			told := func(e faults.Effect) string {
				t.Helper()
				id, err := world.Faults().Add(rule(p.provider, e), noon)
				if err != nil {
					t.Fatal(err)
				}
				body := say(t, w, p.provider, p.target).body
				if err := world.Faults().Remove(id); err != nil {
					t.Fatal(err)
				}
				return written(dig(t, body, p.time))
			}
			if p.time == "" {
				if _, err := world.Faults().Add(rule(p.provider, faults.Effect{Kind: faults.StaleTimestamp}), noon); err == nil {
					t.Error("it has no times, and they can be wrong")
				}
				return
			}
			plain := say(t, w, p.provider, p.target).body
			was := read(t, p.unit, written(dig(t, plain, p.time)))
			for _, c := range []struct {
				effect faults.Effect
				want   time.Duration
			}{
				{faults.Effect{Kind: faults.StaleTimestamp}, -time.Hour},
				{faults.Effect{Kind: faults.FutureTimestamp}, time.Hour},
				{faults.Effect{Kind: faults.StaleTimestamp, By: input.Duration(50 * time.Hour)}, -50 * time.Hour},
				{faults.Effect{Kind: faults.FutureTimestamp, By: input.Duration(50 * time.Hour)}, 50 * time.Hour},
			} {
				want := c.want
				if p.unit == "date" { // whole days
					want = map[time.Duration]time.Duration{-time.Hour: -24 * time.Hour, time.Hour: 24 * time.Hour, -50 * time.Hour: -72 * time.Hour, 50 * time.Hour: 72 * time.Hour}[want]
				}
				if got := read(t, p.unit, told(c.effect)).Sub(was); got != want {
					t.Errorf("%s is off by %s, want %s", c.effect.Kind, got, want)
				}
			}
			if p.unit != "s" && p.unit != "ms" {
				return
			}
			wrong := map[string]string{"s": "ms", "ms": "s"}[p.unit]
			if got := read(t, wrong, told(faults.Effect{Kind: faults.SecondsForMillis})); got.Sub(was).Abs() >= time.Second {
				t.Errorf("as the other unit it is %s, want %s", got, was)
			}
		})
	}
}

// TestFaults_BrokenResponses asks in process and over TCP.
func TestFaults_BrokenResponses(t *testing.T) {
	t.Parallel()
	const target = "/0/public/Ticker?pair=XBTUSD"
	plain := say(t, wire.New(newWorld(t)), "kraken", target).body
	for _, c := range []struct {
		name   string
		effect faults.Effect
		want   func(said) bool
	}{
		{"status", faults.Effect{Kind: faults.Status, Status: 429, Code: "slow_down", RetryAfter: input.Duration(30 * time.Second)}, func(r said) bool {
			return r.err == nil && r.status == 429 && r.header.Get("Retry-After") == "30" && string(r.body) == `{"code":"slow_down","message":"Too Many Requests"}`
		}},
		{"ban", faults.Effect{Kind: faults.Status, Status: 418}, func(r said) bool {
			return r.err == nil && r.status == 418 && r.header.Get("Retry-After") == ""
		}},
		{"redirect", faults.Effect{Kind: faults.Redirect}, func(r said) bool {
			return r.err == nil && r.status == 302 && strings.HasPrefix(r.header.Get("Location"), "https://")
		}},
		{"html", faults.Effect{Kind: faults.HTML}, func(r said) bool {
			return r.err == nil && r.status == 200 && strings.HasPrefix(r.header.Get("Content-Type"), "text/html") && strings.Contains(string(r.body), "<html>")
		}},
		{"empty", faults.Effect{Kind: faults.Empty}, func(r said) bool {
			return r.err == nil && r.status == 200 && len(r.body) == 0
		}},
		{"truncate", faults.Effect{Kind: faults.Truncate}, func(r said) bool {
			return errors.Is(r.err, io.ErrUnexpectedEOF) && len(r.body) == len(plain)/2
		}},
		{"malformed", faults.Effect{Kind: faults.Malformed}, func(r said) bool {
			return r.err == nil && string(r.body)+"}" == string(plain) && !json.Valid(r.body)
		}},
		{"slow headers", faults.Effect{Kind: faults.SlowHeaders, MS: 20}, func(r said) bool {
			return r.err == nil && r.status == 200 && string(r.body) == string(plain)
		}},
		{"dribble", faults.Effect{Kind: faults.Dribble, MS: 20}, func(r said) bool {
			return r.err == nil && r.status == 200 && string(r.body) == string(plain)
		}},
		{"wrong content type", faults.Effect{Kind: faults.WrongContentType}, func(r said) bool {
			return r.err == nil && strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") && string(r.body) == string(plain)
		}},
		{"huge body", faults.Effect{Kind: faults.HugeBody}, func(r said) bool {
			return r.err == nil && len(r.body) == 5<<20+len(plain) && strings.TrimLeft(string(r.body), " ") == string(plain)
		}},
		{"larger body", faults.Effect{Kind: faults.HugeBody, Bytes: 77}, func(r said) bool {
			return r.err == nil && len(r.body) == 77+len(plain)
		}},
		{"duplicate", faults.Effect{Kind: faults.Duplicate}, func(r said) bool {
			return r.err == nil && string(r.body) == string(plain)+string(plain)
		}},
		{"unknown fields", faults.Effect{Kind: faults.UnknownFields}, func(r said) bool {
			return r.err == nil && dig(t, r.body, "unannounced") != nil && dig(t, r.body, "result/XXBTZUSD/unannounced") != nil &&
				written(dig(t, r.body, "result/XXBTZUSD/a/0")) == written(dig(t, plain, "result/XXBTZUSD/a/0"))
		}},
		{"reset", faults.Effect{Kind: faults.Reset}, func(r said) bool {
			return errors.Is(r.err, syscall.ECONNRESET) || errors.Is(r.err, io.EOF)
		}},
		{"refuse", faults.Effect{Kind: faults.Refuse}, func(r said) bool {
			return errors.Is(r.err, syscall.ECONNRESET) || errors.Is(r.err, io.EOF)
		}},
	} {
		for _, phase := range []faults.Phase{faults.Before, faults.After} {
			if c.effect.Kind == faults.Refuse && phase == faults.After {
				continue // no rule can have that
			}
			t.Run(c.name+" "+string(phase), func(t *testing.T) {
				t.Parallel()
				befallen := rule("kraken", c.effect)
				befallen.Phase = phase
				w := stricken(t, befallen)
				if r := say(t, w, "kraken", target); !c.want(r) {
					t.Errorf("in process: %d, %v, %v: %.300s", r.status, r.header, r.err, r.body)
				}
				server := httptest.NewServer(w.Handler("kraken"))
				defer server.Close()
				network := &http.Transport{DisableKeepAlives: true}
				if r := hear(t, network, question{target: target}.request(t, server.URL)); !c.want(r) {
					t.Errorf("over TCP: %d, %v, %v: %.300s", r.status, r.header, r.err, r.body)
				}
			})
		}
	}
}

func TestFaults_LateResponses(t *testing.T) {
	t.Parallel()
	const target = "/0/public/Ticker?pair=XBTUSD"
	synctest.Test(t, func(t *testing.T) {
		w := stricken(t, rule("kraken", faults.Effect{Kind: faults.Latency, MS: 2500}))
		start := time.Now()
		if r := say(t, w, "kraken", target); r.err != nil || r.status != http.StatusOK || time.Since(start) != 2500*time.Millisecond {
			t.Errorf("after %s: %d, %v", time.Since(start), r.status, r.err)
		}
		for _, kind := range []faults.Kind{faults.SlowHeaders, faults.Dribble, faults.Latency} {
			r := rule("kraken", faults.Effect{Kind: kind, MS: 4000})
			r.Phase = faults.After
			start := time.Now()
			if r := say(t, stricken(t, r), "kraken", target); r.err != nil || r.status != http.StatusOK || time.Since(start) != 4*time.Second || !json.Valid(r.body) {
				t.Errorf("%s: after %s: %d, %v", kind, time.Since(start), r.status, r.err)
			}
		}
		for _, e := range []faults.Effect{
			{Kind: faults.Hang}, {Kind: faults.Latency, MS: 600_000}, {Kind: faults.SlowHeaders, MS: 600_000}, {Kind: faults.Dribble, MS: 600_000},
		} {
			w := stricken(t, rule("kraken", e))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			start := time.Now()
			if r := hear(t, w, question{target: target}.request(t, "https://"+hosts["kraken"]).WithContext(ctx)); !errors.Is(r.err, context.DeadlineExceeded) {
				t.Errorf("%s: %d, %v", e.Kind, r.status, r.err)
			}
			if time.Since(start) != time.Minute {
				t.Errorf("%s: after %s", e.Kind, time.Since(start))
			}
			cancel()
			synctest.Wait() // its handler has left
		}
	})
}

func TestFailuresAndHandshakesHaveNothingToSpoil(t *testing.T) {
	t.Parallel()
	w := stricken(t, rule("binance", faults.Effect{Kind: faults.Times1000}))
	const target = `/api/v3/ticker/bookTicker?symbol=NOPE`
	if r := say(t, w, "binance", target); r.status != http.StatusBadRequest || !strings.Contains(string(r.body), "-1121") {
		t.Errorf("%d, %v: %s", r.status, r.err, r.body)
	}
	w = stricken(t, rule("frankfurter", faults.Effect{Kind: faults.Zero}))
	if r := say(t, w, "frankfurter", "/v2/rates?base=USD"); r.status != http.StatusOK || r.header.Get("Etag") != "" {
		t.Errorf("an answer that was changed has the tag of the one that was not: %v, %v", r.header, r.err)
	}
}

// TestOperationsAreKnown asks each operation, and lets each be hit alone.
func TestOperationsAreKnown(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	for provider, operation := range map[string]string{
		"kraken": "ticker", "binance": "book_ticker", "coinbase": "ticker", "okx": "tickers", "bybit": "tickers",
		"quidax": "tickers", "busha": "pairs", "openexchangerates": "latest", "frankfurter": "rates", "coingecko": "simple_price",
	} {
		i := slices.IndexFunc(tellers(), func(p teller) bool { return p.provider == provider })
		r := rule(provider, faults.Effect{Kind: faults.Empty})
		r.Match.Operation = operation
		if _, err := world.Faults().Add(r, noon); err != nil {
			t.Error(err)
		}
		if r := say(t, w, provider, tellers()[i].target); r.err != nil || len(r.body) > 0 {
			t.Errorf("%s of %s is not hit: %v", operation, provider, r.err)
		}
		if r := say(t, w, provider, "/elsewhere"); r.err != nil || len(r.body) == 0 {
			t.Errorf("something else of %s is hit: %v", provider, r.err)
		}
	}
	if got, want := slices.Sorted(maps.Keys(world.Faults().Offers())), w.Providers(); !slices.Equal(got, want) {
		t.Errorf("things can go wrong with %v, providers are %v", got, want)
	}
}

// TestOperationsOfAccountsAreKnown asks each provider of accounts for everything that its adapter does, and lets each be hit alone.
func TestOperationsOfAccountsAreKnown(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	left := map[string]bool{}
	for _, provider := range []string{"paystack", "flutterwave", "korapay", "monnify", "afriex", "daraja", "busha"} {
		for _, operation := range world.Faults().Offers()[provider].Operations {
			left[provider+" "+operation] = true
		}
	}
	delete(left, "busha pairs") // see TestOperationsAreKnown
	for _, q := range questions {
		operation := map[string]string{"magic_found": "resolve", "validated": "validate", "banks": "banks", "login": "login"}[q.name]
		if !left[q.provider+" "+operation] {
			continue
		}
		delete(left, q.provider+" "+operation)
		r := rule(q.provider, faults.Effect{Kind: faults.Status, Status: http.StatusTeapot})
		r.Match.Operation = operation
		id, err := world.Faults().Add(r, noon)
		if err != nil {
			t.Fatal(err)
		}
		if got := hear(t, w, q.request(t, "https://"+hosts[q.provider])); got.status != http.StatusTeapot {
			t.Errorf("%s of %s is not hit: %d %v", operation, q.provider, got.status, got.err)
		}
		if got := say(t, w, q.provider, "/elsewhere"); got.status == http.StatusTeapot {
			t.Errorf("something else of %s is hit", q.provider)
		}
		if err := world.Faults().Remove(id); err != nil {
			t.Fatal(err)
		}
	}
	if len(left) > 0 {
		t.Errorf("not tried: %v", left)
	}
}

// TestVenues_MarketSettings looks for absent pairs and venues that are down in the answers.
func TestVenues_MarketSettings(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	w := wire.New(world)
	for _, c := range []struct{ provider, pair, target, there, gone string }{
		{"kraken", "BTC/USDT", "/0/public/Ticker?pair=XBTUSDT", "XBTUSDT", "EQuery:Unknown asset pair"},
		{"kraken", "BTC/USDT", "/0/public/Ticker", "XBTUSDT", "XETHZUSD"},
		{"binance", "BTC/USDT", "/api/v3/ticker/bookTicker?symbol=BTCUSDT", "BTCUSDT", "-1121"},
		{"coinbase", "BTC/USDT", "/products/BTC-USDT/ticker", "trade_id", "NotFound"},
		{"okx", "BTC/USDT", "/api/v5/market/tickers?instType=SPOT", "BTC-USDT", "ETH-USDT"},
		{"bybit", "BTC/USDT", "/v5/market/tickers?category=spot", "\"BTCUSDT", "\"ETHUSDT"},
		{"quidax", "BTC/NGN", "/exchange-open-api/api/v1/markets/tickers", "btcngn", "usdtngn"},
		{"busha", "BTC/NGN", "/v1/pairs", "BTCNGN", "USDTNGN"},
	} {
		pair, err := world.Market().Pair(c.pair)
		if err != nil {
			t.Fatal(err)
		}
		if before := say(t, w, c.provider, c.target); !strings.Contains(string(before.body), c.there) {
			t.Errorf("%s: %v: %.200s", c.provider, before.err, before.body)
		}
		for _, state := range []market.State{market.Absent, market.Down} {
			s := market.Setting{Venues: map[string]market.VenueSetting{c.provider: {State: state}}}
			if err := world.Market().Set(pair, s, noon, time.Time{}); err != nil {
				t.Fatal(err)
			}
			r := say(t, w, c.provider, c.target)
			switch {
			case state == market.Down && r.status != http.StatusServiceUnavailable:
				t.Errorf("%s is down and answers %d, %v", c.provider, r.status, r.err)
			case state == market.Absent && (strings.Contains(string(r.body), c.there) || !strings.Contains(string(r.body), c.gone)):
				t.Errorf("%s: %v: %.300s", c.provider, r.err, r.body)
			}
		}
		world.Market().Reset()
	}
}
