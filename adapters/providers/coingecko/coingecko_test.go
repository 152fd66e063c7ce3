package coingecko_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/coingecko"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const (
	base = "https://api.coingecko.com/api/v3/simple/price"
	key  = "CG-f00dfeed0123456789abcdef"
)

var (
	btcusd   = core.Pair{Base: "BTC", Counter: "USD"}
	btcngn   = core.Pair{Base: "BTC", Counter: "NGN"}
	shibusd  = core.Pair{Base: "SHIB", Counter: "USD"}
	usdtusd  = core.Pair{Base: "USDT", Counter: "USD"}
	usdtngn  = core.Pair{Base: "USDT", Counter: "NGN"}
	tonusd   = core.Pair{Base: "TON", Counter: "USD"}
	shellusd = core.Pair{Base: "SHELL", Counter: "USD"}

	markets = []core.Pair{usdtusd, btcusd, shibusd, tonusd, usdtngn}
	made    = time.Unix(1795262370, 0)
)

// open makes the source over a CoinGecko.
func open(t testing.TB, transport http.RoundTripper, cfg ...coingecko.Config) (*coingecko.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := coingecko.New(append(cfg, coingecko.Config{})[0], world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

type opener = func(t *testing.T) ports.RateSource

func over(answer func(t *testing.T) httpmock.Responder) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		source, _ := open(t, saying(t, answer(t)))
		return source
	}
}

func overText(status int, body string) opener {
	return over(func(*testing.T) httpmock.Responder { return upstreamtest.Text(status, body) })
}

func overFile(status int, name string) opener {
	return over(func(t *testing.T) httpmock.Responder {
		t.Helper()
		return upstreamtest.Text(status, upstreamtest.Read(t, name))
	})
}

func overEdited(part, by string) opener {
	return over(func(t *testing.T) httpmock.Responder {
		t.Helper()
		return upstreamtest.Edited(t, "simple_price.json", part, by)
	})
}

// TestLimits holds the limits of each kind of access against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	const pro = "https://pro-api.coingecko.com"
	for name, c := range map[string]struct {
		cfg      coingecko.Config
		interval time.Duration
		want     string // "": it fits
	}{
		"nobody in particular, every minute":    {coingecko.Config{}, time.Minute, ""},
		"nobody in particular, every 6 seconds": {coingecko.Config{}, 6 * time.Second, "calls of 10 in 1m0s"},
		"the free plan, every minute":           {coingecko.Config{APIKey: key}, time.Minute, "calls of 10000 in 744h0m0s; 80 % may be used: poll every 5m35s or less often"},
		"the free plan, every 6 minutes":        {coingecko.Config{APIKey: key}, 6 * time.Minute, ""},
		"a paid plan, every 3 seconds":          {coingecko.Config{APIKey: key, BaseURL: pro}, 3 * time.Second, ""},
		"a paid plan, every second":             {coingecko.Config{APIKey: key, BaseURL: pro}, time.Second, "calls of 30 in 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, err := coingecko.New(c.cfg, upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon).Factory)
			if err != nil {
				t.Fatal(err)
			}
			err = source.Fits(c.interval, 100)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const (
		price = `"usd": 1.00055318951172`
		row   = `"tether": {"usd": 1.00055318951172, "ngn": 1371.34167968333, "last_updated_at": 1795262370}`
	)
	porttest.RateSource(t, porttest.Source{
		Open: overFile(200, "simple_price.json"),
		Listed: []porttest.Quote{
			{Pair: usdtusd, Bid: "1.00055318951172", Ask: "1.00055318951172"},
			{Pair: btcusd, Bid: "67963.629027452", Ask: "67963.629027452"},
			{Pair: shibusd, Bid: "0.0000063206849647289", Ask: "0.0000063206849647289"},
			{Pair: tonusd, Bid: "1", Ask: "1"},
			{Pair: usdtngn, Bid: "1371.34167968333", Ask: "1371.34167968333"},
		},
		Unlisted: shellusd,
		At:       made,
		Unreadable: map[string]opener{
			"a comma":               overEdited(price, `"usd": "1,0005"`),
			"NaN":                   overEdited(price, `"usd": "NaN"`),
			"null":                  overEdited(price, `"usd": null`),
			"zero":                  overEdited(price, `"usd": 0`),
			"an object":             overEdited(price, `"usd": {}`),
			"an absurd exponent":    overEdited(price, `"usd": 1e300`),
			"no such currency":      overEdited(price+`, `, ``),
			"no such coin":          overEdited(row, `"tether-gold": {"usd": 4100.5}`),
			"an empty coin":         overEdited(row, `"tether": {}`),
			"a coin that is null":   overEdited(row, `"tether": null`),
			"a coin that is a text": overEdited(row, `"tether": "1.0005"`),
			"no time":               overEdited(row, `"tether": {"usd": 1.00055318951172}`),
			"a time of null":        overEdited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": null}`),
			"a time that is a text": overEdited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": "2026-11-21"}`),
			"a time before all":     overEdited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": 0}`),
			"a time beyond all":     overEdited(row, `"tether": {"usd": 1.00055318951172, "last_updated_at": 1795262370000000}`),
		},
		Broken: map[string]opener{
			"the rate limit":           overFile(429, "rate_limit.json"),
			"the rate limit with 200":  overFile(200, "rate_limit.json"),
			"a missing key":            overFile(401, "key_missing.json"),
			"a plan that lacks it":     overFile(401, "plan_restricted.json"),
			"a paid key at the wrong":  overFile(400, "paid_key_at_free_host.json"),
			"a free key at the wrong":  overFile(400, "free_key_at_paid_host.json"),
			"the firewall":             overText(403, `error code: 1020`),
			"a missing parameter":      overFile(422, "missing_parameter.json"),
			"an error with 200":        overFile(200, "missing_parameter.json"),
			"an unknown code with 200": overText(200, `{"status":{"error_code":10999,"error_message":"of today"}}`),
			"null":                     overText(200, `null`),
			"an array":                 overText(200, `[]`),
			"a coin given twice":       overEdited(`"bitcoin"`, `"tether"`),
			"HTML with 200":            overText(200, "<html>maintenance</html>"),
			"truncated":                overText(200, `{"tether":{"usd":1.00`),
			"an empty body":            overText(200, ""),
			"500":                      overText(500, ""),
			"503":                      overText(503, ""),
			"a redirect":               overText(302, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled: over(func(t *testing.T) httpmock.Responder {
			t.Helper()
			return upstreamtest.Text(429, upstreamtest.Read(t, "rate_limit.json"), "Retry-After", "60")
		}),
		RetryAfter: time.Minute,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for all coins in all currencies in one call, each once, by CoinGecko's ids", func(t *testing.T) {
		t.Parallel()
		var asked []string
		source, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.RawQuery)
			if len(r.Header.Values("X-Cg-Demo-Api-Key"))+len(r.Header.Values("X-Cg-Pro-Api-Key")) > 0 {
				t.Error("a key was sent, and there is none")
			}
			return upstreamtest.File(t, "simple_price.json")(r)
		}))
		observe(t, source, markets, markets...)
		want := []string{"ids=bitcoin%2Cshiba-inu%2Ctether%2Cthe-open-network&include_last_updated_at=true&precision=full&vs_currencies=ngn%2Cusd"}
		if !slices.Equal(asked, want) {
			t.Errorf("got %v, want %v", asked, want)
		}
		wantOutcomes(t, world, "simple_price ok")
	})
	t.Run("asks nothing for what it does not know", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.File(t, "simple_price.json")))
		observe(t, source, nil)
		observe(t, source, []core.Pair{
			shellusd, {Base: "USD", Counter: "NGN"}, {Base: "BTC", Counter: "USDT"}, {Base: "USDT", Counter: "GHS"}, {Base: "BTC", Counter: "BTC"}, {Base: "CNGN", Counter: "NGN"},
		})
		wantOutcomes(t, world)
	})
	t.Run("keeps still for as long as it was told", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.Text(429, "", "Retry-After", "60")))
		for range 3 {
			fails(t, source)
		}
		wantOutcomes(t, world, "simple_price held ×2", "simple_price throttled")
	})
	t.Run("ends within the timeout when CoinGecko hangs", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			source, _ := open(t, saying(t, upstreamtest.Text(200, "{}").Delay(time.Hour)))
			start := time.Now()
			fails(t, source)
			if took := time.Since(start); took != 4*time.Second {
				t.Errorf("took %s, want 4s", took)
			}
		})
	})
}

// TestTheKeyGoesWhereItsHostWantsIt: each refuses the other's.
func TestTheKeyGoesWhereItsHostWantsIt(t *testing.T) {
	t.Parallel()
	for host, header := range map[string]string{
		"https://api.coingecko.com":     "X-Cg-Demo-Api-Key",
		"https://pro-api.coingecko.com": "X-Cg-Pro-Api-Key",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			calls := 0
			source, _ := open(t, upstreamtest.Saying(t, host, func(r *http.Request) (*http.Response, error) {
				calls++
				if got := r.Header.Values(header); !slices.Equal(got, []string{key}) || strings.Contains(r.URL.String(), key) {
					t.Errorf("got %v in %s, URL %s", got, header, r.URL)
				}
				return upstreamtest.File(t, "simple_price.json")(r)
			}), coingecko.Config{BaseURL: host, APIKey: key})
			observe(t, source, markets, markets...)
			if calls != 1 {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

// TestOnlyTheMarketsAskedForComeOut: the answer has every coin in every currency.
func TestOnlyTheMarketsAskedForComeOut(t *testing.T) {
	t.Parallel()
	source, _ := open(t, saying(t, upstreamtest.File(t, "simple_price.json")))
	observe(t, source, []core.Pair{usdtusd, btcngn}, usdtusd, btcngn)
}

func TestMarketsStayInTheOrderGiven(t *testing.T) {
	t.Parallel()
	source, _ := open(t, saying(t, upstreamtest.File(t, "simple_price.json")))
	reversed := slices.Clone(markets)
	slices.Reverse(reversed)
	observe(t, source, reversed, reversed...)
}

// TestACoinNamedStatusIsNoError: it exists (SNT), and errors are told under the same name.
func TestACoinNamedStatusIsNoError(t *testing.T) {
	t.Parallel()
	source, _ := open(t, saying(t, upstreamtest.Edited(t, "simple_price.json", `"bitcoin":`, `"status": {"usd": 0.0102}, "bitcoin":`)))
	observe(t, source, markets, markets...)
}

// TestMillisecondsAreNotRepaired: a time in another unit comes out as the far future that it says, to be refused by whoever judges ages.
func TestMillisecondsAreNotRepaired(t *testing.T) {
	t.Parallel()
	body := `{"tether":{"usd":1.0005,"last_updated_at":1795262370000}}`
	source, _ := open(t, saying(t, upstreamtest.Text(200, body)))
	got, err := source.Observe(t.Context(), []core.Pair{usdtusd})
	if err != nil || len(got) != 1 || got[0].At.Unix() != 1795262370000 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		outcome string
	}{
		"rate_limit.json":            {200, "simple_price throttled"},
		"key_missing.json":           {401, "simple_price refused"},
		"plan_restricted.json":       {400, "simple_price refused"},
		"paid_key_at_free_host.json": {400, "simple_price refused"},
		"free_key_at_paid_host.json": {400, "simple_price refused"},
		"missing_parameter.json":     {422, "simple_price undecided"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(c.status, upstreamtest.Read(t, name))))
			fails(t, source)
			wantOutcomes(t, world, c.outcome)
			alert := strings.Contains(world.Printed(t), `"level":"error"`)
			if want := strings.HasSuffix(c.outcome, "refused"); alert != want {
				t.Errorf("alert: %v, want %v", alert, want)
			}
		})
	}
}

// TestTheKeyStaysInside plants the key where failures can pick it up, and looks for it in everything that comes out.
func TestTheKeyStaysInside(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]httpmock.Responder{
		"a body with the key":  upstreamtest.Text(401, `{"status":{"error_code":10002,"error_message":"`+key+`"}}`),
		"a page with the key":  upstreamtest.Text(200, "<html>"+key),
		"an error with it":     upstreamtest.Text(200, `{"error":"`+key+`"}`),
		"a redirect with it":   upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?x_cg_demo_api_key="+key),
		"a lost connection":    httpmock.NewErrorResponder(http.ErrNotSupported),
		"a throttled question": upstreamtest.Text(429, key, "Retry-After", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, answer), coingecko.Config{APIKey: key})
			_, err := source.Observe(t.Context(), markets)
			if err == nil {
				t.Fatal("got no error")
			}
			if strings.Contains(err.Error(), key) || strings.Contains(world.Printed(t), key) {
				t.Errorf("the key is in the error, the logs or the metrics: %v", err)
			}
		})
	}
}

// observe checks which markets are quoted.
func observe(t *testing.T, source *coingecko.Source, of []core.Pair, want ...core.Pair) {
	t.Helper()
	got, err := source.Observe(t.Context(), of)
	pairs := make([]core.Pair, 0, len(got))
	for _, o := range got {
		pairs = append(pairs, o.Pair)
	}
	if err != nil || !slices.Equal(pairs, want) {
		t.Errorf("got %v, %v; want %v", pairs, err, want)
	}
}

func fails(t *testing.T, source *coingecko.Source) {
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

func FuzzSimplePrice(f *testing.F) {
	for _, name := range []string{"simple_price.json", "rate_limit.json", "key_missing.json", "missing_parameter.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusTooManyRequests
		}
		source, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || !o.Bid.Equal(o.Ask) || o.At.Unix() <= 0 || o.Source != coingecko.Name {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	for name, cfg := range map[string]coingecko.Config{
		"a bad URL":               {BaseURL: "coingecko"},
		"a key in the URL":        {BaseURL: "https://api.coingecko.com?x_cg_demo_api_key=" + key},
		"a key with a line break": {APIKey: key + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := coingecko.New(cfg, factory); err == nil || !strings.HasPrefix(err.Error(), "coingecko: ") || strings.Contains(err.Error(), key) {
				t.Errorf("got %v", err)
			}
		})
	}
}
