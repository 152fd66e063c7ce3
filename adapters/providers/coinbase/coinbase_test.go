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
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://api.exchange.coinbase.com/products/"

var (
	btcusd  = core.Pair{Base: "BTC", Counter: "USD"}
	usdtusd = core.Pair{Base: "USDT", Counter: "USD"}
	shell   = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{btcusd, usdtusd}
)

// open makes the source as it is in production over a Coinbase, openInTurn as in a sandbox.
func open(t testing.TB, transport http.RoundTripper) (*coinbase.Source, *upstreamtest.World) {
	t.Helper()
	return openAs(t, coinbase.Default(), transport)
}

func openInTurn(t testing.TB, transport http.RoundTripper) (*coinbase.Source, *upstreamtest.World) {
	t.Helper()
	return openAs(t, coinbase.Config{}, transport)
}

func openAs(t testing.TB, cfg coinbase.Config, transport http.RoundTripper) (*coinbase.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	return openIn(t, world, cfg), world
}

func openIn(t testing.TB, world *upstreamtest.World, cfg coinbase.Config) *coinbase.Source {
	t.Helper()
	source, err := coinbase.New(cfg, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// products is a Coinbase with a product for each answer, and with no others.
func products(t testing.TB, answers map[string]httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	unknown := upstreamtest.Text(404, upstreamtest.Read(t, "not_found.json"))
	return saying(t, func(r *http.Request) (*http.Response, error) {
		product := strings.TrimSuffix(strings.TrimPrefix(r.URL.String(), base), "/ticker")
		if answer, ok := answers[product]; ok {
			return answer(r)
		}
		return unknown(r)
	})
}

// listing is a Coinbase that works, but for what is given instead of its answers about bitcoin.
func listing(t testing.TB, instead ...httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	answers := map[string]httpmock.Responder{
		"BTC-USD":  upstreamtest.File(t, "btc_usd.json"),
		"USDT-USD": upstreamtest.File(t, "usdt_usd.json"),
	}
	for _, answer := range instead {
		answers["BTC-USD"] = answer
	}
	return products(t, answers)
}

type opener = func(t *testing.T) ports.RateSource

func over(transport func(t *testing.T) http.RoundTripper) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, _ := open(t, transport(t))
		return source
	}
}

// all answers everything alike.
func all(status int, body string, header ...string) opener {
	return over(func(t *testing.T) http.RoundTripper {
		t.Helper()
		return saying(t, upstreamtest.Text(status, body, header...))
	})
}

func allFile(status int, name string) opener {
	return over(func(t *testing.T) http.RoundTripper {
		t.Helper()
		return saying(t, upstreamtest.Text(status, upstreamtest.Read(t, name)))
	})
}

// bitcoin answers so about bitcoin alone.
func bitcoin(status int, body string) opener {
	return over(func(t *testing.T) http.RoundTripper { t.Helper(); return listing(t, upstreamtest.Text(status, body)) })
}

func bitcoinFile(status int, name string) opener {
	return over(func(t *testing.T) http.RoundTripper {
		t.Helper()
		return listing(t, upstreamtest.Text(status, upstreamtest.Read(t, name)))
	})
}

func bitcoinEdited(part, by string) opener {
	return over(func(t *testing.T) http.RoundTripper {
		t.Helper()
		return listing(t, upstreamtest.Edited(t, "btc_usd.json", part, by))
	})
}

func TestContract(t *testing.T) {
	t.Parallel()
	const bid = `"bid":"64012.30"`
	porttest.RateSource(t, porttest.Source{
		Open: over(func(t *testing.T) http.RoundTripper { t.Helper(); return listing(t) }),
		Listed: []porttest.Quote{
			{Pair: btcusd, Bid: "64012.3", Ask: "64012.31"},
			{Pair: usdtusd, Bid: "0.9998", Ask: "0.99981"},
		},
		Unlisted: shell,
		At:       upstreamtest.Noon(),
		Unreadable: map[string]opener{
			"an empty side":        bitcoinFile(200, "empty_side.json"),
			"a side of zero":       bitcoinEdited(bid, `"bid":"0.00"`),
			"a comma":              bitcoinEdited(bid, `"bid":"64012,30"`),
			"NaN":                  bitcoinEdited(bid, `"bid":"NaN"`),
			"an exponent":          bitcoinEdited(bid, `"bid":"1e999"`),
			"null":                 bitcoinEdited(bid, `"bid":null`),
			"an object":            bitcoinEdited(bid, `"bid":{}`),
			"a field less":         bitcoinEdited(bid+`,`, ``),
			"an array":             bitcoin(200, `[]`),
			"HTML with 200":        bitcoinFile(200, "cloudflare.html"),
			"truncated":            bitcoin(200, `{"ask":"64012.31","bid":"64012.3`),
			"an empty body":        bitcoin(200, ""),
			"500":                  bitcoin(500, `{"message":"Internal server error"}`),
			"a delisted product":   bitcoinFile(400, "delisted.json"),
			"a 404 in other words": bitcoinFile(404, "route_not_found.json"),
			"a redirect":           bitcoin(302, ""),
		},
		Broken: map[string]opener{
			"no User-Agent":         allFile(400, "no_user_agent.json"),
			"a wrong address":       allFile(404, "route_not_found.json"),
			"a page with 404":       allFile(404, "cloudflare.html"),
			"the rate limit":        allFile(429, "rate_limit.json"),
			"the rate limit of one": bitcoinFile(429, "rate_limit.json"),
			"Cloudflare's block":    allFile(403, "cloudflare.html"),
			"a restricted country":  all(451, ""),
			"HTML with 200":         allFile(200, "cloudflare.html"),
			"500":                   all(500, ""),
			"503":                   all(503, ""),
			"truncated":             all(200, `{"ask":"64012.31","bid":"640`),
			"an empty body":         all(200, ""),
			"a redirect":            all(301, ""),
			"a lost connection": over(func(t *testing.T) http.RoundTripper {
				t.Helper()
				return saying(t, httpmock.NewErrorResponder(http.ErrServerClosed))
			}),
		},
		Throttled:  all(429, `{"message":"Public rate limit exceeded"}`, "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging: over(func(t *testing.T) http.RoundTripper {
			t.Helper()
			return saying(t, upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour))
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for each product once, by a name with a hyphen, as somebody", func(t *testing.T) {
		t.Parallel()
		var asked []string
		source, _ := openInTurn(t, saying(t, func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.Header.Get("User-Agent")+" "+r.URL.RequestURI())
			return upstreamtest.File(t, "btc_usd.json")(r)
		}))
		odd := []core.Pair{{Base: "../BTC", Counter: "USD"}, {Base: "btc", Counter: "USD"}, {Base: "", Counter: "USD"}, {Base: "BTC", Counter: "U?"}}
		observe(t, source, slices.Concat(odd, []core.Pair{btcusd, usdtusd, btcusd}), 2)
		if want := []string{"causeway /products/BTC-USD/ticker", "causeway /products/USDT-USD/ticker"}; !slices.Equal(asked, want) {
			t.Errorf("got %q, want %q", asked, want)
		}
	})
	t.Run("asks nothing for no markets", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, nil, 0)
		wantOutcomes(t, world)
	})
	for _, status := range []int{400, 404} {
		t.Run(fmt.Sprint("omits a delisted product with ", status), func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(status, upstreamtest.Read(t, "delisted.json"))))
			observe(t, source, []core.Pair{btcusd}, 0)
			wantOutcomes(t, world, "ticker not_found")
		})
	}
	t.Run("counts a product that is not traded as answered", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, append([]core.Pair{shell}, markets...), 2)
		wantOutcomes(t, world, "ticker not_found", "ticker ok ×2")
	})
	t.Run("asks for no more products once it was throttled, and keeps still for as long as it was told", func(t *testing.T) {
		t.Parallel()
		source, world := openInTurn(t, saying(t, upstreamtest.Text(429, upstreamtest.Read(t, "rate_limit.json"), "Retry-After", "60")))
		for range 3 {
			fails(t, source)
		}
		wantOutcomes(t, world, "ticker held ×2", "ticker throttled")
	})
	t.Run("is unavailable where what it could tell of is not traded, and the rest fails", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, listing(t, upstreamtest.Text(500, "")))
		if got, err := source.Observe(t.Context(), []core.Pair{shell, btcusd}); core.CodeOf(err) != core.Unavailable || len(got) > 0 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("ends within the timeout when Coinbase hangs, and tells what it could learn when one product does", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			hanging := upstreamtest.Text(200, "{}").Delay(time.Hour)
			source, _ := open(t, listing(t, hanging))
			observe(t, source, markets, 1)
			source, _ = open(t, saying(t, hanging))
			fails(t, source)
			if took := time.Since(start); took != 8*time.Second {
				t.Errorf("took %s, want 4s each", took)
			}
		})
	})
}

// TestTimes checks that a quote is of the instant of receipt, whatever the last trade's, but never before a trade.
func TestTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file     string
		bid, ask string
		at       time.Time
	}{
		"a trade just now":        {"btc_usd.json", "64012.3", "64012.31", upstreamtest.Noon()},
		"a trade hours ago":       {"quiet_pair.json", "0.07402", "0.07431", upstreamtest.Noon()},
		"never a trade":           {"never_traded.json", "1.1", "1.2", upstreamtest.Noon()},
		"a trade from the future": {"trade_from_the_future.json", "64012.3", "64012.31", upstreamtest.Noon().Add(5 * time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, _ := open(t, saying(t, upstreamtest.File(t, c.file)))
			got, err := source.Observe(t.Context(), []core.Pair{btcusd})
			if err != nil || len(got) != 1 {
				t.Fatalf("got %v, %v", got, err)
			}
			if o := got[0]; o.Bid.String() != c.bid || o.Ask.String() != c.ask || !o.At.Equal(c.at) {
				t.Errorf("got %+v, want %s and %s at %s", o, c.bid, c.ask, c.at)
			}
		})
	}
	for name, by := range map[string]string{"seconds": `1795262400`, "words": `"noon"`, "null": `null`} {
		t.Run("a time in "+name+" is none", func(t *testing.T) {
			t.Parallel()
			source, _ := open(t, saying(t, upstreamtest.Edited(t, "btc_usd.json", `"2026-11-21T11:59:59.871342Z"`, by)))
			got, err := source.Observe(t.Context(), []core.Pair{btcusd})
			if err != nil || len(got) != 1 || !got[0].At.Equal(upstreamtest.Noon()) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// calls counts what is asked: when each call came, and how many were under way at once.
type calls struct {
	mu        sync.Mutex
	at        []time.Time
	now, most int
}

func (c *calls) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = append(c.at, time.Now())
	c.now++
	c.most = max(c.most, c.now)
}

func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
}

// within is the most calls that came in any span of time, its end excluded.
func (c *calls) within(span time.Duration) int {
	most := 0
	for i, from := range c.at {
		n := 0
		for _, at := range c.at[i:] {
			if at.Sub(from) < span {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// emptiesBucket reports whether a call ever found no token in the provider's own limit, as documented: 15 at most, 10 more a second.
func (c *calls) emptiesBucket() bool {
	tokens, last := 15.0, c.at[0]
	for _, at := range c.at {
		tokens, last = min(15, tokens+10*at.Sub(last).Seconds()), at
		if tokens--; tokens < 0 {
			return true
		}
	}
	return false
}

func TestPace(t *testing.T) {
	t.Parallel()
	many := make([]core.Pair, 40)
	for i := range many {
		many[i] = core.Pair{Base: fmt.Sprintf("C%d", i), Counter: "USD"}
	}
	for name, c := range map[string]struct {
		rate    int
		latency time.Duration
		atOnce  int // calls under way
		second  int // begun in a second
		takes   time.Duration
	}{
		"as configured by default":       {8, 80 * time.Millisecond, 8, 8, 4 * time.Second},
		"at the limit":                   {10, 80 * time.Millisecond, 10, 10, 3 * time.Second},
		"at another rate":                {7, 80 * time.Millisecond, 7, 7, 5 * time.Second},
		"one a second":                   {1, 80 * time.Millisecond, 1, 1, 39 * time.Second},
		"over a slow network":            {8, 2 * time.Second, 16, 8, 4 * time.Second},
		"one after another, without one": {0, 80 * time.Millisecond, 1, 13, 40*80*time.Millisecond - 80*time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var seen calls
				answer := upstreamtest.File(t, "btc_usd.json")
				world := upstreamtest.OpenLimited(t, saying(t, func(r *http.Request) (*http.Response, error) {
					seen.begin()
					defer seen.end()
					time.Sleep(c.latency) // of the bubble's clock
					return answer(r)
				}), time.Now)
				source := openIn(t, world, coinbase.Config{RequestsPerSecond: c.rate})
				start := time.Now()
				observe(t, source, many, len(many))
				// The ledger forgets calls up to a hundredth of a second late.
				if took := time.Since(start) - c.latency; took < c.takes || took > c.takes+c.takes/100+10*time.Millisecond {
					t.Errorf("took %s, want %s", took, c.takes)
				}
				if got := seen.within(time.Second); seen.most != c.atOnce || got != c.second {
					t.Errorf("%d at once and %d in a second, want %d and %d", seen.most, got, c.atOnce, c.second)
				}
				observe(t, source, many, len(many)) // at once, as if nothing had been asked before
				if c.rate > 0 && (seen.emptiesBucket() || seen.within(time.Second) > c.rate) {
					t.Errorf("the limit was passed: %v", seen.at)
				}
			})
		})
	}
}

func TestAProductWhoseTurnDoesNotComeIsMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		many := make([]core.Pair, 100)
		for i := range many {
			many[i] = core.Pair{Base: fmt.Sprintf("C%d", i), Counter: "USD"}
		}
		world := upstreamtest.OpenLimited(t, saying(t, upstreamtest.File(t, "btc_usd.json")), time.Now)
		source := openIn(t, world, coinbase.Default())
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		start := time.Now()
		got, err := source.Observe(ctx, many)
		if took := time.Since(start); err != nil || len(got) != 16 || took > 2*time.Second {
			t.Errorf("got %d observations, %v after %s; want those of 0 s and 1 s, within 2s", len(got), err, took)
		}
		wantOutcomes(t, world, "ticker ok ×16", "ticker quota ×84")
	})
}

func TestFits(t *testing.T) {
	t.Parallel()
	limited := openIn(t, upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), time.Now), coinbase.Default())
	for _, c := range []struct {
		markets int
		fits    bool
	}{{25, true}, {32, true}, {33, false}} {
		if err := limited.Fits(4*time.Second, c.markets); (err == nil) != c.fits {
			t.Errorf("%d markets every 4s: got %v", c.markets, err)
		}
	}
	if err := openIn(t, upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), time.Now), coinbase.Config{}).Fits(time.Second, 1000); err != nil {
		t.Errorf("without a rate: got %v", err)
	}
}

func observe(t *testing.T, source *coinbase.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func fails(t *testing.T, source *coinbase.Source) {
	t.Helper()
	if _, err := source.Observe(t.Context(), markets); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v, want an unavailable error", err)
	}
}

func wantOutcomes(t *testing.T, world *upstreamtest.World, want ...string) {
	t.Helper()
	if got := world.Outcomes(t); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
}

func FuzzTicker(f *testing.F) {
	for _, name := range []string{"btc_usd.json", "quiet_pair.json", "trade_from_the_future.json", "never_traded.json", "empty_side.json", "not_found.json", "cloudflare.html"} {
		f.Add(200, upstreamtest.Read(f, name))
		f.Add(404, upstreamtest.Read(f, name))
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 200 || status > 599 {
			return
		}
		source, _ := openInTurn(t, listing(t, httpmock.NewStringResponder(status, body)))
		got, err := source.Observe(t.Context(), []core.Pair{btcusd})
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != coinbase.Name || o.At.Before(upstreamtest.Noon()) || o.Pair != btcusd {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	for want, cfg := range map[string]coinbase.Config{
		"coinbase: base_url": {BaseURL: "api.exchange.coinbase.com"},
		"coinbase: requests_per_second is -1; accepted: 0 to 10": {RequestsPerSecond: -1},
		"coinbase: requests_per_second is 11; accepted: 0 to 10": {RequestsPerSecond: 11},
	} {
		if _, err := coinbase.New(cfg, factory); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
