package openexchangerates_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/openexchangerates"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const (
	base = "https://openexchangerates.org/api/latest.json"
	key  = "f00dfeed0123456789abcdef01234567"
)

var (
	usdngn = core.Pair{Base: "USD", Counter: "NGN"}
	usdeur = core.Pair{Base: "USD", Counter: "EUR"}
	usdbtc = core.Pair{Base: "USD", Counter: "BTC"}
	usdzzz = core.Pair{Base: "USD", Counter: "ZZZ"}
	eurxof = core.Pair{Base: "EUR", Counter: "XOF"}

	markets = []core.Pair{usdngn, usdeur, usdbtc}
	made    = time.Unix(1795258800, 0)
)

// open makes the source over an Open Exchange Rates.
func open(t testing.TB, transport http.RoundTripper) (*openexchangerates.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := openexchangerates.New(openexchangerates.Config{AppID: key}, world.Factory)
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

func overText(status int, body string, header ...string) opener {
	return over(func(*testing.T) httpmock.Responder { return upstreamtest.Text(status, body, header...) })
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
		return upstreamtest.Edited(t, "latest.json", part, by)
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		quota    int
		interval time.Duration
		want     string // "": it fits
	}{
		"the free plan, every hour":         {0, time.Hour, ""},
		"the free plan, every ten minutes":  {0, 10 * time.Minute, "openexchangerates: polled every 10m0s it would use 4464 calls of 1000 in 744h0m0s"},
		"a plan of 10000, every 10 minutes": {10_000, 10 * time.Minute, ""},
		"a plan of 10000, every 5 minutes":  {10_000, 5 * time.Minute, "poll every 5m35s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := upstreamtest.OpenLimited(t, saying(t, upstreamtest.File(t, "latest.json")), upstreamtest.Noon)
			source, err := openexchangerates.New(openexchangerates.Config{AppID: key, MonthlyQuota: c.quota}, world.Factory)
			if err != nil {
				t.Fatal(err)
			}
			err = source.Fits(c.interval, len(markets))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	t.Run("a month of calls at once leaves the reserve", func(t *testing.T) {
		t.Parallel()
		world := upstreamtest.OpenLimited(t, saying(t, upstreamtest.File(t, "latest.json")), upstreamtest.Noon)
		source, err := openexchangerates.New(openexchangerates.Config{AppID: key, MonthlyQuota: 10}, world.Factory)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			_, _ = source.Observe(t.Context(), markets)
		}
		if got, want := world.Outcomes(t), []string{"latest ok ×8", "latest quota ×2"}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
	t.Run("refuses a quota below zero", func(t *testing.T) {
		t.Parallel()
		_, err := openexchangerates.New(openexchangerates.Config{AppID: key, MonthlyQuota: -1}, upstreamtest.Open(t, httpmock.NewMockTransport()).Factory)
		if err == nil || !strings.Contains(err.Error(), "openexchangerates: monthly_quota is -1; accepted: 0 or more") {
			t.Errorf("got %v", err)
		}
	})
}

// TestRatesThatAreUnchanged asks twice within the hour for which the rates hold.
func TestRatesThatAreUnchanged(t *testing.T) {
	t.Parallel()
	sent := 0
	source, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("If-None-Match") == `"1"` {
			return upstreamtest.Text(http.StatusNotModified, "")(r)
		}
		sent++
		return upstreamtest.Text(http.StatusOK, upstreamtest.Read(t, "latest.json"), "ETag", `"1"`)(r)
	}))
	for range 2 {
		got, err := source.Observe(t.Context(), markets)
		if err != nil || len(got) != len(markets) || !got[0].At.Equal(made) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if got, want := world.Outcomes(t), []string{"latest ok ×2"}; sent != 1 || !slices.Equal(got, want) {
		t.Errorf("got %v, and they were sent %d times", got, sent)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const rate = "1380.129384"
	porttest.RateSource(t, porttest.Source{
		Open: overFile(200, "latest.json"),
		Listed: []porttest.Quote{
			{Pair: usdngn, Bid: "1380.129384", Ask: "1380.129384"},
			{Pair: usdeur, Bid: "0.924102", Ask: "0.924102"},
			{Pair: usdbtc, Bid: "0.000016", Ask: "0.000016"},
		},
		Unlisted: usdzzz,
		At:       made,
		Unreadable: map[string]opener{
			"a comma":            overEdited(rate, `"1380,129384"`),
			"NaN":                overEdited(rate, `"NaN"`),
			"null":               overEdited(rate, `null`),
			"zero":               overEdited(rate, `0`),
			"an object":          overEdited(rate, `{"rate":1380.129384}`),
			"an absurd exponent": overEdited(rate, `1e300`),
			"a row less":         overEdited(`"NGN": `+rate+`,`, ``),
		},
		Broken: map[string]opener{
			"an invalid key":              overFile(401, "invalid_app_id.json"),
			"a missing key":               overFile(401, "missing_app_id.json"),
			"a plan that lacks it":        overFile(429, "not_allowed.json"),
			"restricted access":           overFile(403, "access_restricted.json"),
			"an invalid base":             overFile(400, "invalid_base.json"),
			"an error with 200":           overFile(200, "invalid_app_id.json"),
			"an unknown error with 200":   overText(200, `{"error":true,"message":"of_today"}`),
			"another base":                overEdited(`"USD"`, `"EUR"`),
			"no base":                     overEdited(`"base": "USD",`, ``),
			"no timestamp":                overEdited(`"timestamp": 1795258800,`, ``),
			"a timestamp in milliseconds": overEdited("1795258800", "1795258800000"),
			"a timestamp as text":         overEdited("1795258800", `"1795258800"`),
			"a negative timestamp":        overEdited("1795258800", "-5"),
			"no rates":                    overText(200, `{"timestamp":1795258800,"base":"USD"}`),
			"a list of rates":             overText(200, `{"timestamp":1795258800,"base":"USD","rates":[]}`),
			"HTML with 200":               overText(200, "<html>maintenance</html>"),
			"truncated":                   overText(200, `{"timestamp":1795258800,"base":"USD","rates":{"NGN":13`),
			"500":                         overText(500, ""),
			"503":                         overText(503, ""),
			"a redirect":                  overText(302, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overText(429, "", "Retry-After", "60"),
		RetryAfter: time.Minute,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for each currency once, in one call, with the key", func(t *testing.T) {
		t.Parallel()
		var queries []string
		source, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.RawQuery)
			return upstreamtest.File(t, "latest.json")(r)
		}))
		got, err := source.Observe(t.Context(), []core.Pair{eurxof, usdngn, usdngn.Inverse(), {Base: "USD", Counter: "USD"}, {Base: "EUR", Counter: "EUR"}, usdeur, {Base: "EUR", Counter: "ZZZ"}, {Base: "ZZZ", Counter: "EUR"}})
		var quotes []string
		for _, o := range got {
			quotes = append(quotes, o.Pair.String()+" "+o.Bid.String()+" "+o.Ask.String())
		}
		want := []string{"EUR/XOF 655.954552635964 655.954552635964", "USD/NGN 1380.129384 1380.129384", "NGN/USD 0.000724569748 0.000724569748", "USD/EUR 0.924102 0.924102"}
		if err != nil || !slices.Equal(quotes, want) {
			t.Errorf("got %v, %v; want %v", quotes, err, want)
		}
		if want := []string{"app_id=" + key + "&symbols=EUR%2CXOF%2CNGN%2CZZZ"}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
	t.Run("asks nothing where there is none", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.File(t, "latest.json")))
		if got, err := source.Observe(t.Context(), []core.Pair{{Base: "USD", Counter: "USD"}}); err != nil || len(got) > 0 {
			t.Errorf("got %v, %v", got, err)
		}
		wantOutcomes(t, world)
	})
	t.Run("ends within the timeout when the provider hangs", func(t *testing.T) {
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

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		outcome string
	}{
		"invalid_app_id.json":    {401, "latest refused"},
		"missing_app_id.json":    {401, "latest refused"},
		"not_allowed.json":       {429, "latest refused"}, // waiting does not cure it
		"access_restricted.json": {403, "latest refused"},
		"invalid_base.json":      {400, "latest undecided"},
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

// TestTheKeyStaysInside plants the key where failures can pick it up (the URL, the answer's body, the transport's
// error), and looks for it in everything that comes out.
func TestTheKeyStaysInside(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]httpmock.Responder{
		"a body with the key":  upstreamtest.Text(401, `{"error":true,"message":"`+key+`","description":"`+key+`"}`),
		"a page with the key":  upstreamtest.Text(200, "<html>"+key),
		"a key as a number":    upstreamtest.Text(200, `{"timestamp":"`+key+`"}`),
		"a redirect with it":   upstreamtest.Text(302, "", "Location", "https://elsewhere.test/?app_id="+key),
		"a broken redirect":    upstreamtest.Text(302, "", "Location", "%zz"+key),
		"an error with it":     httpmock.NewErrorResponder(http.ErrNotSupported),
		"a 503 that is asked":  upstreamtest.Text(503, key),
		"a throttled question": upstreamtest.Text(429, key, "Retry-After", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, answer))
			_, err := source.Observe(t.Context(), markets)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, secret := range []string{key, "app_id", "openexchangerates.org"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("%s is in the error: %v", secret, err)
				}
				if out := world.Printed(t); strings.Contains(out, secret) {
					t.Errorf("%s is in the logs or metrics: %s", secret, out)
				}
			}
		})
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	t.Run("needs a key", func(t *testing.T) {
		t.Parallel()
		if _, err := openexchangerates.New(openexchangerates.Config{}, factory); err == nil {
			t.Error("got no error")
		}
	})
	t.Run("refuses a bad URL", func(t *testing.T) {
		t.Parallel()
		_, err := openexchangerates.New(openexchangerates.Config{AppID: key, BaseURL: "https://oxr.test/?app_id=" + key}, factory)
		if err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("got %v", err)
		}
	})
}

func fails(t *testing.T, source *openexchangerates.Source) {
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

func FuzzLatest(f *testing.F) {
	for _, name := range []string{"latest.json", "invalid_app_id.json", "not_allowed.json"} {
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
			if o.Bid.IsZero() || !o.Bid.Equal(o.Ask) || o.At.Unix() <= 0 {
				t.Errorf("got %+v", o)
			}
		}
	})
}
