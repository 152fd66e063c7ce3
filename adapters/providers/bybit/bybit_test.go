package bybit_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/bybit"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://api.bybit.com/v5/market/tickers"

var (
	btcusdt  = core.Pair{Base: "BTC", Counter: "USDT"}
	ethusdt  = core.Pair{Base: "ETH", Counter: "USDT"}
	shibusdt = core.Pair{Base: "SHIB", Counter: "USDT"}
	shell    = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{btcusdt, ethusdt, shibusdt}
)

// open makes the source over a Bybit.
func open(t testing.TB, transport http.RoundTripper) (*bybit.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := bybit.New(bybit.Config{}, world.Factory)
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
	source, err := bybit.New(bybit.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(2*time.Second, 100); err != nil {
		t.Errorf("as scheduled: %v", err)
	}
	if err := source.Fits(10*time.Millisecond, 1); err == nil || !strings.Contains(err.Error(), "calls of 600 in 5s") {
		t.Errorf("got %v, want calls of 600 in 5s", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const bid = `"bid1Price":"64010.01"`
	at := func(by string) opener { return overEdited(`"time":1795262400000`, by) }
	porttest.RateSource(t, porttest.Source{
		Open: overFile(200, "tickers.json"),
		Listed: []porttest.Quote{
			{Pair: btcusdt, Bid: "64010.01", Ask: "64010.02"},
			{Pair: ethusdt, Bid: "3120.55", Ask: "3120.56"},
			{Pair: shibusdt, Bid: "0.00001234", Ask: "0.000012345"},
		},
		Unlisted: shell,
		At:       upstreamtest.Noon(),
		Unreadable: map[string]opener{
			"an empty side":           overFile(200, "empty_side.json"),
			"a missing side":          overFile(200, "missing_side.json"),
			"a side of zero":          overEdited(bid, `"bid1Price":"0"`),
			"a comma":                 overEdited(bid, `"bid1Price":"64010,01"`),
			"NaN":                     overEdited(bid, `"bid1Price":"NaN"`),
			"an exponent":             overEdited(bid, `"bid1Price":"1e999"`),
			"null":                    overEdited(bid, `"bid1Price":null`),
			"an object":               overEdited(bid, `"bid1Price":{}`),
			"a row that is no object": overEdited(`{"symbol":"BTCUSDT",`, `7,{"symbol":"BTC-USDT",`),
			"a number for a name":     overEdited(`"BTCUSDT"`, `17`),
			"a name in lower case":    overEdited(`"BTCUSDT"`, `"btcusdt"`),
		},
		Broken: map[string]opener{
			"access too frequent":  overFile(403, "too_frequent.txt"),
			"a blocked country":    overFile(403, "blocked_country.html"),
			"rate limit with 200":  overFile(200, "rate_limit.json"),
			"rate limit with 429":  overFile(429, "rate_limit.json"),
			"a bad parameter":      overFile(200, "bad_parameter.json"),
			"another category":     overFile(200, "another_category.json"),
			"no time":              overFile(200, "no_time.json"),
			"a time of null":       at(`"time":null`),
			"an empty time":        at(`"time":""`),
			"a negative time":      at(`"time":-1795262400000`),
			"a fraction of a time": at(`"time":1795262400.5`),
			"a time of 1e12":       at(`"time":1.795e12`),
			"an unknown code":      overText(200, `{"retCode":99999,"retMsg":"Something of today","result":{},"time":1795262400000}`),
			"no code":              overText(200, `{"result":{"category":"spot","list":[]},"time":1795262400000}`),
			"a text for a code":    overText(200, `{"retCode":"0","retMsg":"OK","result":{"category":"spot","list":[]},"time":1795262400000}`),
			"success without list": overText(200, `{"retCode":0,"retMsg":"OK","result":{"category":"spot"},"time":1795262400000}`),
			"success of null":      overText(200, `{"retCode":0,"retMsg":"OK","result":null,"time":1795262400000}`),
			"HTML with 200":        overFile(200, "blocked_country.html"),
			"500":                  overText(500, ""),
			"503":                  overText(503, ""),
			"truncated":            overText(200, `{"retCode":0,"retMsg":"OK","result":{"category":"spot","list":[{"symbol":"BTCU`),
			"an empty body":        overText(200, ""),
			"a redirect":           overText(302, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overFile(403, "too_frequent.txt"), // nothing but the documentation says for how long
		RetryAfter: 10 * time.Minute,
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
		if want := []string{"category=spot"}; !slices.Equal(queries, want) {
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
	t.Run("ends within the timeout when Bybit hangs", func(t *testing.T) {
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
		"milliseconds":             {`1795262400123`, "2026-11-21T12:00:00.123Z"},
		"milliseconds as text":     {`"1795262400123"`, "2026-11-21T12:00:00.123Z"},
		"an hour ago":              {`1795258800000`, "2026-11-21T11:00:00Z"},
		"seconds for milliseconds": {`1795262400`, "1970-01-21T18:41:02.4Z"},
		"microseconds":             {`1795262400000000`, "58859-08-08T00:00:00Z"},
		"zero":                     {`0`, "1970-01-01T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, _ := open(t, saying(t, upstreamtest.Edited(t, "tickers.json", `"time":1795262400000`, `"time":`+c.by)))
			got, err := source.Observe(t.Context(), markets)
			if err != nil || len(got) != len(markets) {
				t.Fatalf("got %v, %v", got, err)
			}
			for _, o := range got {
				if at := o.At.Format(time.RFC3339Nano); at != c.want {
					t.Errorf("%s: got %s, want %s", o.Pair, at, c.want)
				}
			}
		})
	}
	t.Run("as recorded", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.File(t, "seconds.json")))
		if got, err := source.Observe(t.Context(), markets); err != nil || len(got) != 1 || got[0].At.Year() != 1970 {
			t.Errorf("got %v, %v; want one market in 1970", got, err)
		}
	})
}

// TestA403IsALockoutOrARefusal tells the two apart: the one passes by itself, for the other somebody must look.
func TestA403IsALockoutOrARefusal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcome upstream.Outcome
		wait    time.Duration
		alert   bool
	}{
		"too_frequent.txt":     {upstream.Throttled, 10 * time.Minute, false},
		"blocked_country.html": {upstream.Refused, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(403, upstreamtest.Read(t, name))))
			_, err := source.Observe(t.Context(), markets)
			failed, ok := errors.AsType[*core.Error](err)
			if !ok || failed.Code != core.Unavailable || failed.RetryAfter != c.wait {
				t.Errorf("got %v, want it to be unavailable for %s", err, c.wait)
			}
			wantOutcomes(t, world, "tickers "+string(c.outcome))
			if got := strings.Contains(world.Printed(t), `"level":"error"`); got != c.alert {
				t.Errorf("alerted: %t, want %t", got, c.alert)
			}
		})
	}
	t.Run("in capitals, and for no less where a header says less", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.Text(403, "Access Too Frequent", "Retry-After", "300")))
		_, err := source.Observe(t.Context(), markets)
		if failed, ok := errors.AsType[*core.Error](err); !ok || failed.RetryAfter != 10*time.Minute {
			t.Errorf("got %v, want 10 minutes", err)
		}
	})
}

// TestOutcomes checks what the codes count as, and that what they say stays here.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for code, outcome := range map[string]upstream.Outcome{
		"10000": upstream.Unavailable,
		"10001": upstream.Undecided,
		"10005": upstream.Refused,
		"10006": upstream.Throttled,
		"10009": upstream.Refused,
		"10016": upstream.Unavailable,
		"10018": upstream.Throttled,
		"10024": upstream.Refused,
		"10404": upstream.Unavailable,
		"-1":    upstream.Unavailable,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(200, `{"retCode":`+code+`,"retMsg":"words of theirs","result":{},"time":1795262400000}`)))
			_, err := source.Observe(t.Context(), markets)
			if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error()+world.Printed(t), "words of theirs") {
				t.Errorf("got %v, want an unavailable error in our own words", err)
			}
			wantOutcomes(t, world, "tickers "+string(outcome))
		})
	}
}

func observe(t *testing.T, source *bybit.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func fails(t *testing.T, source *bybit.Source) {
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
	for _, name := range []string{"tickers.json", "empty_side.json", "missing_side.json", "no_time.json", "seconds.json", "another_category.json", "rate_limit.json", "too_frequent.txt"} {
		f.Add(upstreamtest.Read(f, name))
	}
	f.Fuzz(func(t *testing.T, body string) {
		source, _ := open(t, saying(t, httpmock.NewStringResponder(http.StatusOK, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != bybit.Name || o.At.Before(time.Unix(0, 0)) || !slices.Contains(markets, o.Pair) {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := bybit.New(bybit.Config{BaseURL: "bybit"}, factory); err == nil || !strings.Contains(err.Error(), "bybit: base_url") {
		t.Errorf("got %v", err)
	}
}
