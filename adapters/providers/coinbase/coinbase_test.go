package coinbase_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/coinbase"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/simulator/wire/wiretest"
)

const base = "https://api.exchange.coinbase.com/products/"

func spec() providertest.Rates {
	const traded = `"2026-11-21T11:59:59.871342Z"`
	file, body := providertest.File, providertest.Body
	edited := func(part, by string) providertest.Response { return providertest.Edited("btc_usd.json", part, by) }
	bitcoin := providertest.Pairs("BTC/USD")
	s := providertest.Rates{
		Settings: coinbase.Descriptor.Settings(),
		Limits: []providertest.PollingLimit{
			{Markets: 32, Fits: 4 * time.Second},
			{Markets: 33, Fits: 5 * time.Second, TooOften: 4 * time.Second},
		},
		URL:  base,
		Good: file(200, "btc_usd.json"),
		Except: []providertest.Exception{
			{Contains: "/USDT-USD/", Respond: file(200, "usdt_usd.json")},
			{Contains: "/SHELL-NGN/", Respond: file(404, "not_found.json")},
		},
		Listed: providertest.Quotes(
			"BTC/USD 64012.3 64012.31",
			"USDT/USD 0.9998 0.99981",
		),
		Requests: []string{"BTC-USD/ticker", "USDT-USD/ticker", "SHELL-NGN/ticker"},
		First:    "/BTC-USD/",
		Timeout:  8 * time.Second, // of two requests
		Price:    [2]string{`"bid":`, `"64012.30"`},
		Unreadable: map[string]providertest.Response{
			"empty side":       file(200, "empty_side.json"),
			"list":             body(200, `[]`),
			"page":             file(200, "cloudflare.html"),
			"truncated":        body(200, `{"ask":"64012.31","bid":"64012.3`),
			"empty body":       body(200, ""),
			"500":              body(500, `{"message":"Internal server error"}`),
			"delisted":         file(400, "delisted.json"),
			"delisted, 404":    file(404, "delisted.json"),
			"404 of a gateway": file(404, "route_not_found.json"),
			"redirect":         body(302, ""),
		},
		Broken: map[string]providertest.Response{
			"no User-Agent":  file(400, "no_user_agent.json"),
			"unknown route":  file(404, "route_not_found.json"),
			"page with 404":  file(404, "cloudflare.html"),
			"rate limit":     file(429, "rate_limit.json"),
			"recorded block": file(403, "cloudflare.html"),
			"recorded page":  file(200, "cloudflare.html"),
		},
		Valid: []string{"bad input: object of another shape", "bad input: null"}, // a product without prices
		Cases: []providertest.RateCase{
			{Name: "delisted", Markets: bitcoin, Respond: file(400, "delisted.json"), Outcomes: []string{"ticker not_found"}},
			{Name: "delisted with 404", Markets: bitcoin, Respond: file(404, "delisted.json"), Outcomes: []string{"ticker not_found"}},
			{
				Name: "unlisted and a failure", Markets: providertest.Pairs("SHELL/NGN BTC/USD"), Outcome: upstream.Unavailable,
				Respond: file(404, "not_found.json"), Then: body(400, ""),
				Outcomes: []string{"ticker not_found", "ticker undecided"},
			},
			{
				Name: "throttled by one product", Outcome: upstream.Throttled,
				Respond: file(200, "btc_usd.json"), Then: file(429, "rate_limit.json"),
				Outcomes: []string{"ticker ok", "ticker throttled"},
			},
			{
				Name: "names that are no path", Respond: file(200, "btc_usd.json"),
				Markets: append(providertest.Pairs("btc/USD /USD BTC/U? BTC/USD BTC/USD"), core.Pair{Base: "../BTC", Counter: "USD"}),
				Want:    []string{"BTC/USD "}, Queries: []string{"BTC-USD/ticker"},
			},
		},
		FuzzStatus: 404,
		Status:     []providertest.Exception{{Contains: "/products$", Respond: providertest.File(200, "products.json")}},
		Halted: map[string]providertest.Exception{
			"post_only":        {Contains: "/products$", Respond: providertest.Edited("products.json", `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`, `"display_name":"BTC/USD","post_only":true,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`)},
			"cancel_only":      {Contains: "/products$", Respond: providertest.Edited("products.json", `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`, `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":true,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`)},
			"trading_disabled": {Contains: "/products$", Respond: providertest.Edited("products.json", `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`, `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":true,"fx_stablecoin":false,"auction_mode":false`)},
			"auction_mode":     {Contains: "/products$", Respond: providertest.Edited("products.json", `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`, `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":true`)},
			"delisted":         {Contains: "/products$", Respond: providertest.Edited("products.json", `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"online","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`, `"display_name":"BTC/USD","post_only":false,"limit_only":false,"cancel_only":false,"status":"delisted","status_message":"","trading_disabled":false,"fx_stablecoin":false,"auction_mode":false`)},
		},
		Simulated: &providertest.SimulatedRates{Unlisted: core.Pair{Base: "CNGN", Counter: "USD"}},
	}
	// A quote is of the time of receipt, because a trade may be hours ago, but never before a trade.
	for _, c := range []struct {
		r    providertest.Response
		want string
	}{
		{file(200, "btc_usd.json"), "64012.3 64012.31 2026-11-21T12:00:00Z"},
		{file(200, "quiet_pair.json"), "0.07402 0.07431 2026-11-21T12:00:00Z"},
		{file(200, "never_traded.json"), "1.1 1.2 2026-11-21T12:00:00Z"},
		{file(200, "trade_from_the_future.json"), "64012.3 64012.31 2026-11-21T12:05:00Z"},
		{edited(traded, "1795262400"), "64012.3 64012.31 2026-11-21T12:00:00Z"},
		{edited(traded, `"noon"`), "64012.3 64012.31 2026-11-21T12:00:00Z"},
		{edited(traded, "null"), "64012.3 64012.31 2026-11-21T12:00:00Z"},
	} {
		s.Cases = append(s.Cases, providertest.RateCase{
			Name: "time " + c.r.File + c.r.Edit[1], Markets: bitcoin, Respond: c.r, Want: []string{"BTC/USD " + c.want},
		})
	}
	return s
}

func TestRates(t *testing.T) { spec().Run(t) }

func FuzzRates(f *testing.F) { spec().Fuzz(f) }

func TestSource_SimulatedDelistedProduct(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	source := open(t, upstreamtest.OpenAt(t, w, wiretest.Noon))
	providertest.Observe(t, source, providertest.Pairs("REP/USD"), 0)
}

// TestSource_OneHangingProduct checks that the others are quoted when one product does not respond.
func TestSource_OneHangingProduct(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hanging, working := upstreamtest.Text(200, "{}").Delay(time.Hour), upstreamtest.File(t, "usdt_usd.json")
		world := upstreamtest.OpenLimited(t, saying(t, func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Path, "BTC") {
				return hanging(r)
			}
			return working(r)
		}), time.Now)
		start := time.Now()
		providertest.Observe(t, open(t, world), providertest.Pairs("BTC/USD USDT/USD"), 1)
		if took := time.Since(start); took != 4*time.Second {
			t.Errorf("took %s, want 4s", took)
		}
	})
}

func TestSource_RateLimit(t *testing.T) {
	t.Parallel()
	many := make([]core.Pair, 40)
	for i := range many {
		many[i] = core.Pair{Base: fmt.Sprintf("C%d", i), Counter: "USD"}
	}
	for name, c := range map[string]struct {
		latency time.Duration
		takes   time.Duration
	}{
		"default":      {80 * time.Millisecond, 4750 * time.Millisecond},
		"slow network": {2 * time.Second, 4750 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var (
					mu   sync.Mutex
					sent []time.Time
				)
				answer := upstreamtest.File(t, "btc_usd.json")
				world := upstreamtest.OpenLimited(t, saying(t, func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					sent = append(sent, time.Now())
					mu.Unlock()
					time.Sleep(c.latency) // of the bubble's clock
					return answer(r)
				}), time.Now)
				source := open(t, world)
				providertest.Observe(t, source, many, len(many)) // requests the status of the products
				time.Sleep(5 * time.Second)
				start := time.Now()
				providertest.Observe(t, source, many, len(many))
				if took := time.Since(start) - c.latency; took.Round(time.Millisecond) != c.takes {
					t.Errorf("took %s, want %s", took, c.takes)
				}
				providertest.Observe(t, source, many, len(many)) // again, without a pause
				for i := 10; i < len(sent); i++ {                // the documented limit is 10 per second, with bursts of 15
					if sent[i].Sub(sent[i-10]) < time.Second {
						t.Fatalf("11 calls in a second: %v", sent[i-10:i+1])
					}
				}
			})
		})
	}
}

func TestSource_DeadlineBeforeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		many := make([]core.Pair, 100)
		for i := range many {
			many[i] = core.Pair{Base: fmt.Sprintf("C%d", i), Counter: "USD"}
		}
		world := upstreamtest.OpenLimited(t, saying(t, upstreamtest.File(t, "btc_usd.json")), time.Now)
		source := open(t, world)
		providertest.Observe(t, source, many[:1], 1) // requests the status of the products
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 1900*time.Millisecond)
		defer cancel()
		start := time.Now()
		got, err := source.Observe(ctx, many)
		if took := time.Since(start); err != nil || len(got) != 17 || took > 2*time.Second {
			t.Errorf("got %d observations, %v after %s; want 17 within 2s", len(got), err, took)
		}
		want := []string{"status ok", "status quota", "ticker ok ×18", "ticker quota ×83"}
		if got := world.Outcomes(t); !slices.Equal(got, want) {
			t.Errorf("got outcomes %v", got)
		}
	})
}

// saying responds to requests for tickers, and lists the products of these tests.
func saying(t testing.TB, tickers httpmock.Responder) http.RoundTripper {
	t.Helper()
	list := []map[string]string{{"id": "BTC-USD", "status": "online"}, {"id": "USDT-USD", "status": "online"}}
	for i := range 100 {
		list = append(list, map[string]string{"id": fmt.Sprintf("C%d-USD", i), "status": "online"})
	}
	mock := upstreamtest.Saying(t, base, tickers)
	mock.RegisterResponder(http.MethodGet, strings.TrimSuffix(base, "/"), httpmock.NewJsonResponderOrPanic(http.StatusOK, list))
	return mock
}

func open(t testing.TB, world *upstreamtest.World) ports.RateSource {
	t.Helper()
	return providertest.Connect(t, coinbase.Descriptor.Settings(), world).Rates
}
