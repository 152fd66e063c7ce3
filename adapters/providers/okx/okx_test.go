package okx_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/okx"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://www.okx.com/api/v5/market/tickers"

var (
	btcusdt  = core.Pair{Base: "BTC", Counter: "USDT"}
	ethusdt  = core.Pair{Base: "ETH", Counter: "USDT"}
	shibusdt = core.Pair{Base: "SHIB", Counter: "USDT"}
	shell    = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{btcusdt, ethusdt, shibusdt}
)

// open makes the source over an OKX.
func open(t testing.TB, transport http.RoundTripper) (*okx.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := okx.New(okx.Config{}, world.Factory)
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
		return upstreamtest.Edited(t, "tickers.json", part, by)
	})
}

// TestLimits holds the published limit against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	world := upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)
	source, err := okx.New(okx.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(2*time.Second, 100); err != nil {
		t.Errorf("as scheduled: %v", err)
	}
	if err := source.Fits(100*time.Millisecond, 1); err == nil || !strings.Contains(err.Error(), "calls of 20 in 2s") {
		t.Errorf("got %v, want calls of 20 in 2s", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const bid, ts = `"bidPx":"64010.1"`, `"ts":"1795262400000","sodUtc0":"63676.8"`
	porttest.RateSource(t, porttest.Source{
		Open: overFile(200, "tickers.json"),
		Listed: []porttest.Quote{
			{Pair: btcusdt, Bid: "64010.1", Ask: "64010.2"},
			{Pair: ethusdt, Bid: "3120.55", Ask: "3120.56"},
			{Pair: shibusdt, Bid: "0.00001234", Ask: "0.000012345"},
		},
		Unlisted: shell,
		At:       upstreamtest.Noon(),
		Unreadable: map[string]opener{
			"an empty side":             overFile(200, "empty_side.json"),
			"a side of zero":            overEdited(bid, `"bidPx":"0"`),
			"no time":                   overFile(200, "no_time.json"),
			"an empty time":             overEdited(ts, `"ts":""`),
			"a time of null":            overEdited(ts, `"ts":null`),
			"a time with a fraction":    overEdited(ts, `"ts":"1795262400.000"`),
			"a time of RFC 3339":        overEdited(ts, `"ts":"2026-11-21T12:00:00Z"`),
			"a negative time":           overEdited(ts, `"ts":"-1795262400000"`),
			"a time of too many digits": overEdited(ts, `"ts":"1795262400000000000"`),
			"a comma":                   overEdited(bid, `"bidPx":"64010,1"`),
			"NaN":                       overEdited(bid, `"bidPx":"NaN"`),
			"an exponent":               overEdited(bid, `"bidPx":"1e999"`),
			"null":                      overEdited(bid, `"bidPx":null`),
			"an object":                 overEdited(bid, `"bidPx":{}`),
			"a field less":              overEdited(bid+`,`, ``),
			"a row that is no object":   overEdited(`{"instType":"SPOT","instId":"BTC-USDT",`, `7,{"instType":"SPOT","instId":"BTC_USDT",`),
			"a number for a name":       overEdited(`"BTC-USDT"`, `17`),
			"a name in lower case":      overEdited(`"BTC-USDT"`, `"btc-usdt"`),
		},
		Broken: map[string]opener{
			"rate limit with 200":  overFile(200, "rate_limit.json"),
			"rate limit with 429":  overFile(429, "rate_limit.json"),
			"unavailable with 200": overFile(200, "unavailable.json"),
			"unavailable with 503": overFile(503, "unavailable.json"),
			"a bad parameter":      overFile(400, "bad_parameter.json"),
			"an unknown code":      overText(200, `{"code":"59999","msg":"Something of today","data":[]}`),
			"no code":              overText(200, `{"data":[]}`),
			"a number for a code":  overText(200, `{"code":0,"msg":"","data":[]}`),
			"success without data": overText(200, `{"code":"0","msg":""}`),
			"data that is no list": overText(200, `{"code":"0","msg":"","data":{}}`),
			"Cloudflare's block":   overFile(403, "cloudflare.html"),
			"Cloudflare's limit":   overFile(429, "cloudflare.html"),
			"HTML with 200":        overFile(200, "cloudflare.html"),
			"a restricted country": overText(451, ""),
			"500":                  overText(500, ""),
			"truncated":            overText(200, `{"code":"0","msg":"","data":[{"instId":"BTC-USDT","bidPx":"640`),
			"an empty body":        overText(200, ""),
			"a redirect":           overText(301, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled: over(func(t *testing.T) httpmock.Responder {
			t.Helper()
			return upstreamtest.Text(429, upstreamtest.Read(t, "rate_limit.json"), "Retry-After", "2")
		}),
		RetryAfter: 2 * time.Second,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks once for all tickers of the spot market, whatever the markets", func(t *testing.T) {
		t.Parallel()
		var queries []string
		source, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.RawQuery)
			return upstreamtest.File(t, "tickers.json")(r)
		}))
		observe(t, source, append([]core.Pair{shell}, markets...), len(markets))
		if want := []string{"instType=SPOT"}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
	t.Run("asks nothing for no markets", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.File(t, "tickers.json")))
		observe(t, source, nil, 0)
		wantOutcomes(t, world)
	})
	t.Run("keeps still for as long as it was told", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.Text(429, upstreamtest.Read(t, "rate_limit.json"), "Retry-After", "60")))
		for range 3 {
			fails(t, source)
		}
		wantOutcomes(t, world, "tickers held ×2", "tickers throttled")
	})
	t.Run("takes nothing from an attempt that failed", func(t *testing.T) {
		t.Parallel()
		calls := 0
		source, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			if calls++; calls == 1 {
				return upstreamtest.Text(502, upstreamtest.Read(t, "tickers.json"))(r)
			}
			return upstreamtest.File(t, "empty_side.json")(r)
		}))
		observe(t, source, markets, 1)
	})
	t.Run("ends within the timeout when OKX hangs", func(t *testing.T) {
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

// TestTimesArePassedOn checks that a time is translated and never improved on: the engine refuses it for its age.
func TestTimesArePassedOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ by, want string }{
		"milliseconds":             {`"1795262400123"`, "2026-11-21T12:00:00.123Z"},
		"milliseconds as a number": {`1795262400123`, "2026-11-21T12:00:00.123Z"},
		"an hour ago":              {`"1795258800000"`, "2026-11-21T11:00:00Z"},
		"seconds for milliseconds": {`"1795262400"`, "1970-01-21T18:41:02.4Z"},
		"microseconds":             {`"1795262400000000"`, "58859-08-08T00:00:00Z"},
		"zero":                     {`"0"`, "1970-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, _ := open(t, saying(t, upstreamtest.Edited(t, "tickers.json", `"1795262400000","sodUtc0":"63676.8"`, c.by)))
			got, err := source.Observe(t.Context(), markets)
			if err != nil || len(got) != len(markets) || got[0].Pair != btcusdt {
				t.Fatalf("got %v, %v", got, err)
			}
			if at := got[0].At.Format(time.RFC3339Nano); at != c.want {
				t.Errorf("got %s, want %s", at, c.want)
			}
		})
	}
	t.Run("as recorded", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.File(t, "seconds.json")))
		got, err := source.Observe(t.Context(), markets)
		if err != nil || len(got) != 2 || got[0].At.Year() != 1970 || !got[1].At.Equal(upstreamtest.Noon()) {
			t.Errorf("got %v, %v; want a time in 1970 beside one of today", got, err)
		}
	})
}

// TestAListWithoutOurMarkets is an answer like any other: it lists none of them.
func TestAListWithoutOurMarkets(t *testing.T) {
	t.Parallel()
	source, world := open(t, saying(t, upstreamtest.File(t, "nothing.json")))
	observe(t, source, markets, 0)
	wantOutcomes(t, world, "tickers ok")
}

// TestOutcomes checks what the codes count as, and that what they say stays here.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for code, outcome := range map[string]upstream.Outcome{
		"50001": upstream.Unavailable,
		"50004": upstream.Unavailable,
		"50005": upstream.Unavailable,
		"50011": upstream.Throttled,
		"50013": upstream.Unavailable,
		"50026": upstream.Unavailable,
		"50030": upstream.Refused,
		"51000": upstream.Undecided,
		"51001": upstream.Unavailable,
		"":      upstream.Unavailable,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(200, `{"code":"`+code+`","msg":"words of theirs","data":[]}`)))
			_, err := source.Observe(t.Context(), markets)
			if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error()+world.Printed(t), "words of theirs") {
				t.Errorf("got %v, want an unavailable error in our own words", err)
			}
			wantOutcomes(t, world, "tickers "+string(outcome))
		})
	}
}

func observe(t *testing.T, source *okx.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func fails(t *testing.T, source *okx.Source) {
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

func FuzzTickers(f *testing.F) {
	for _, name := range []string{"tickers.json", "empty_side.json", "no_time.json", "seconds.json", "rate_limit.json", "nothing.json", "cloudflare.html"} {
		f.Add(upstreamtest.Read(f, name))
	}
	f.Fuzz(func(t *testing.T, body string) {
		source, _ := open(t, saying(t, httpmock.NewStringResponder(http.StatusOK, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != okx.Name || o.At.Before(time.Unix(0, 0)) || !slices.Contains(markets, o.Pair) {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := okx.New(okx.Config{BaseURL: "okx"}, factory); err == nil || !strings.Contains(err.Error(), "okx: base_url") {
		t.Errorf("got %v", err)
	}
}
