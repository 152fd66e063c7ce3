package binance_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/binance"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://data-api.binance.vision/api/v3/ticker/bookTicker"

var (
	btcusdt  = core.Pair{Base: "BTC", Counter: "USDT"}
	ethusdt  = core.Pair{Base: "ETH", Counter: "USDT"}
	shibusdt = core.Pair{Base: "SHIB", Counter: "USDT"}
	shell    = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{btcusdt, ethusdt, shibusdt}
)

// open makes the source over a Binance.
func open(t testing.TB, transport http.RoundTripper) (*binance.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := binance.New(binance.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// listing is a Binance that fails a whole call for one symbol that it does not list.
func listing(t *testing.T) *httpmock.MockTransport {
	t.Helper()
	return saying(t, func(r *http.Request) (*http.Response, error) {
		switch symbols := r.URL.Query().Get("symbols"); {
		case symbols == "":
			return upstreamtest.File(t, "book_ticker_all.json")(r)
		case strings.Contains(symbols, "SHELL"):
			return upstreamtest.Text(400, upstreamtest.Read(t, "invalid_symbol.json"))(r)
		default:
			return upstreamtest.File(t, "book_ticker.json")(r)
		}
	})
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
		return upstreamtest.Edited(t, "book_ticker.json", part, by)
	})
}

// TestLimits holds the published limit against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	world := upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)
	source, err := binance.New(binance.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(2*time.Second, 100); err != nil {
		t.Errorf("as scheduled: %v", err)
	}
	if err := source.Fits(40*time.Millisecond, 1); err == nil || !strings.Contains(err.Error(), "6000 calls of 6000 in 1m0s") {
		t.Errorf("got %v, want 6000 calls of 6000 in 1m0s", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const bid = `"64010.01000000"`
	porttest.RateSource(t, porttest.Source{
		Open: func(t *testing.T) ports.RateSource {
			t.Helper()
			source, _ := open(t, listing(t))
			return source
		},
		Listed: []porttest.Quote{
			{Pair: btcusdt, Bid: "64010.01", Ask: "64010.02"},
			{Pair: ethusdt, Bid: "3120.55", Ask: "3120.56"},
			{Pair: shibusdt, Bid: "0.00001234", Ask: "0.00001235"},
		},
		Unlisted: shell,
		At:       upstreamtest.Noon(),
		Unreadable: map[string]opener{
			"an empty book": overFile(200, "empty_book.json"),
			"a comma":       overEdited(bid, `"64010,01"`),
			"NaN":           overEdited(bid, `"NaN"`),
			"null":          overEdited(bid, `null`),
			"an object":     overEdited(bid, `{}`),
			"a field less":  overEdited(`"bidPrice":`+bid+`,`, ``),
			"a number row":  overEdited(`{"symbol":"BTCUSDT",`, `7,{"symbol":"BTC-USDT",`),
			"a number name": overEdited(`"BTCUSDT"`, `17`),
		},
		Broken: map[string]opener{
			"a restricted location":    overFile(451, "restricted_location.json"),
			"a ban":                    overFile(418, "banned.json"),
			"the firewall":             overFile(403, "firewall.html"),
			"too many requests":        overFile(429, "banned.json"),
			"an invalid symbol at all": overFile(400, "invalid_symbol.json"),
			"illegal characters":       overText(400, `{"code":-1100,"msg":"Illegal characters found in parameter"}`),
			"a time-out of theirs":     overText(408, `{"code":-1007,"msg":"Timeout waiting for response from backend server."}`),
			"a busy server":            overText(503, `{"code":-1008,"msg":"Server is currently overloaded"}`),
			"500":                      overText(500, ""),
			"HTML with 200":            overFile(200, "firewall.html"),
			"an object with 200":       overText(200, `{"code":-1121,"msg":"Invalid symbol."}`),
			"truncated":                overText(200, `[{"symbol":"BTCUSDT","bidPrice":"64010`),
			"an empty body":            overText(200, ""),
			"a redirect":               overText(301, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overText(418, "", "Retry-After", "120"),
		RetryAfter: 2 * time.Minute,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "[]").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for all markets in one call, as a JSON array in the query", func(t *testing.T) {
		t.Parallel()
		var queries []string
		source, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.RawQuery)
			return upstreamtest.File(t, "book_ticker.json")(r)
		}))
		observe(t, source, markets, len(markets))
		if want := []string{"symbols=%5B%22BTCUSDT%22%2C%22ETHUSDT%22%2C%22SHIBUSDT%22%5D"}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
	t.Run("asks once more, for all symbols, where one is unknown", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, append([]core.Pair{shell}, markets...), len(markets))
		wantOutcomes(t, world, "book_ticker undecided", "book_ticker_all ok")
	})
	t.Run("asks for each symbol once, and for none that would fail the others", func(t *testing.T) {
		t.Parallel()
		var queries []string
		source, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.Query().Get("symbols"))
			return upstreamtest.File(t, "book_ticker.json")(r)
		}))
		odd := core.Pair{Base: "1000CHEEMS\"", Counter: "USDT"}
		observe(t, source, []core.Pair{btcusdt, odd, ethusdt, {Base: "BTCU", Counter: "SDT"}}, 3)
		if want := []string{`["BTCUSDT","ETHUSDT"]`}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
	t.Run("asks nothing for no markets", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, nil, 0)
		wantOutcomes(t, world)
	})
	t.Run("keeps still while it is banned", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.Text(418, upstreamtest.Read(t, "banned.json"), "Retry-After", "259200")))
		for range 3 {
			fails(t, source)
		}
		wantOutcomes(t, world, "book_ticker held ×2", "book_ticker throttled")
	})
	t.Run("ends within the timeout when Binance hangs", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			source, _ := open(t, saying(t, upstreamtest.Text(200, "[]").Delay(time.Hour)))
			start := time.Now()
			fails(t, source)
			if took := time.Since(start); took != 4*time.Second {
				t.Errorf("took %s, want 4s", took)
			}
		})
	})
}

func TestARefusalIsAnAlert(t *testing.T) {
	t.Parallel()
	for _, status := range []int{403, 451} {
		source, world := open(t, saying(t, upstreamtest.Text(status, upstreamtest.Read(t, "restricted_location.json"))))
		fails(t, source)
		wantOutcomes(t, world, "book_ticker refused")
		if out := world.Printed(t); !strings.Contains(out, `"level":"error"`) || strings.Contains(out, "restricted location") {
			t.Errorf("%d: want an error line in our own words, got %s", status, out)
		}
	}
}

func observe(t *testing.T, source *binance.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func fails(t *testing.T, source *binance.Source) {
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

func FuzzBookTicker(f *testing.F) {
	for _, name := range []string{"book_ticker.json", "empty_book.json", "invalid_symbol.json", "restricted_location.json", "firewall.html"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusBadRequest
		}
		source, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != binance.Name {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := binance.New(binance.Config{BaseURL: "binance"}, factory); err == nil || !strings.Contains(err.Error(), "binance: base_url") {
		t.Errorf("got %v", err)
	}
}
