package kraken_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/kraken"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://api.kraken.com/0/public/Ticker"

var (
	btcusd  = core.Pair{Base: "BTC", Counter: "USD"}
	usdtusd = core.Pair{Base: "USDT", Counter: "USD"}
	solusd  = core.Pair{Base: "SOL", Counter: "USD"}
	dogeusd = core.Pair{Base: "DOGE", Counter: "USD"}
	shell   = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{btcusd, usdtusd, solusd, dogeusd}
)

// open makes the source over a Kraken.
func open(t testing.TB, transport http.RoundTripper) (*kraken.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := kraken.New(kraken.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// listing is a Kraken that fails a whole call for one pair that it does not list.
func listing(t *testing.T) *httpmock.MockTransport {
	t.Helper()
	return saying(t, func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Query().Get("pair"), "SHELL") {
			return upstreamtest.File(t, "unknown_pair.json")(r)
		}
		return upstreamtest.File(t, "ticker.json")(r)
	})
}

func fault(text string) string { return `{"error":["` + text + `"]}` }

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

func overEdited(part, by string) opener {
	return over(func(t *testing.T) httpmock.Responder {
		t.Helper()
		return upstreamtest.Edited(t, "ticker.json", part, by)
	})
}

// TestLimits holds the published limit against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	world := upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)
	source, err := kraken.New(kraken.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(2*time.Second, 100); err != nil {
		t.Errorf("as scheduled: %v", err)
	}
	if err := source.Fits(time.Second, 1); err == nil || !strings.Contains(err.Error(), "10 calls of 10 in 10s") {
		t.Errorf("got %v, want 10 calls of 10 in 10s", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	porttest.RateSource(t, porttest.Source{
		Open: func(t *testing.T) ports.RateSource {
			t.Helper()
			source, _ := open(t, listing(t))
			return source
		},
		Listed: []porttest.Quote{
			{Pair: btcusd, Bid: "64012.2", Ask: "64012.3"},
			{Pair: usdtusd, Bid: "0.9998", Ask: "0.99981"},
			{Pair: solusd, Bid: "142.16", Ask: "142.17"},
			{Pair: dogeusd, Bid: "0.1333612", Ask: "0.1333701"},
		},
		Unlisted: shell,
		At:       upstreamtest.Noon(),
		Unreadable: map[string]opener{
			"a comma":       overEdited(`"64012.20000"`, `"64012,20000"`),
			"NaN":           overEdited(`"64012.20000"`, `"NaN"`),
			"nothing":       overEdited(`"64012.20000"`, `""`),
			"null":          overEdited(`"64012.20000"`, `null`),
			"an empty book": overEdited(`"64012.20000"`, `"0.00000"`),
			"no bids":       overEdited(`["64012.20000", "3", "3.000"]`, `[]`),
			"another shape": overEdited(`["64012.20000", "3", "3.000"]`, `{"price":"64012.20000"}`),
			"an exponent":   overEdited(`"64012.20000"`, `"1e999"`),
		},
		Broken: map[string]opener{
			"unavailable":                      overText(200, fault("EService:Unavailable")),
			"busy":                             overText(200, fault("EService:Busy")),
			"too many requests":                overText(200, fault("EGeneral:Too many requests")),
			"rate limit":                       overText(200, fault("EAPI:Rate limit exceeded")),
			"a lockout":                        overText(200, fault("EGeneral:Temporary lockout")),
			"an unknown error":                 overText(200, fault("EGeneral:Internal error")),
			"unknown pair, even without pairs": overText(200, fault("EQuery:Unknown asset pair")),
			"neither result nor error":         overText(200, `{"error":[]}`),
			"HTML with 200":                    over(func(t *testing.T) httpmock.Responder { t.Helper(); return upstreamtest.File(t, "cloudflare.html") }),
			"Cloudflare's 520":                 overText(520, "<html>520</html>"),
			"500":                              overText(500, ""),
			"503":                              overText(503, ""),
			"truncated":                        overText(200, `{"error":[],"result":{"XXBTZUSD":{"a":["64012.3`),
			"an array":                         overText(200, `[]`),
			"an empty body":                    overText(200, ""),
			"a redirect":                       overText(302, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overText(429, "", "Retry-After", "5"),
		RetryAfter: 5 * time.Second,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for all markets in one call, by Kraken's names", func(t *testing.T) {
		t.Parallel()
		var queries []string
		source, _ := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.RawQuery)
			return upstreamtest.File(t, "ticker.json")(r)
		}))
		observe(t, source, markets, len(markets))
		if want := []string{"pair=XBTUSD%2CUSDTUSD%2CSOLUSD%2CXDGUSD"}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
	})
	t.Run("asks once more, for all tickers, where one pair is unknown", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, append([]core.Pair{shell}, markets...), len(markets))
		if got, want := world.Outcomes(t), []string{"ticker undecided", "ticker_all ok"}; !slices.Equal(got, want) {
			t.Errorf("got outcomes %v, want %v", got, want)
		}
	})
	t.Run("asks nothing for no markets", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, nil, 0)
		if got := world.Outcomes(t); len(got) > 0 {
			t.Errorf("got outcomes %v, want none", got)
		}
	})
	t.Run("keeps still after a lockout for as long as it was told", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.Text(429, "", "Retry-After", "60")))
		for range 3 {
			fails(t, source)
		}
		if got, want := world.Outcomes(t), []string{"ticker held ×2", "ticker throttled"}; !slices.Equal(got, want) {
			t.Errorf("got outcomes %v, want %v", got, want)
		}
	})
	t.Run("ends within the timeout when Kraken hangs", func(t *testing.T) {
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

func observe(t *testing.T, source *kraken.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func fails(t *testing.T, source *kraken.Source) {
	t.Helper()
	if _, err := source.Observe(t.Context(), markets); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v, want an unavailable error", err)
	}
}

// TestNames goes through the keys under which the same markets come back.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ticker.json", "keyed_by_socket_name.json", "keyed_by_alternative_name.json", "warning.json"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, _ := open(t, saying(t, upstreamtest.File(t, name)))
			got, err := source.Observe(t.Context(), markets)
			if err != nil || len(got) != len(markets) {
				t.Fatalf("got %d markets, %v", len(got), err)
			}
			for i, want := range []string{"64012.3", "0.99981", "142.17", "0.1333701"} {
				if got[i].Pair != markets[i] || got[i].Ask.String() != want {
					t.Errorf("got %s at %s, want %s at %s", got[i].Pair, got[i].Ask, markets[i], want)
				}
			}
		})
	}
}

// TestOutcomes checks what the failures that come with status 200 count as.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for said, outcome := range map[string]upstream.Outcome{
		"EService:Unavailable":        upstream.Unavailable,
		"EGeneral:Too many requests":  upstream.Throttled,
		"EAPI:Rate limit exceeded":    upstream.Throttled,
		"EGeneral:Temporary lockout":  upstream.Throttled,
		"EGeneral:Permission denied":  upstream.Refused,
		"EGeneral:Something of today": upstream.Unavailable,
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(200, fault(said))))
			_, err := source.Observe(t.Context(), markets)
			if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error(), said) {
				t.Errorf("got %v, want an unavailable error in our own words", err)
			}
			if got, want := world.Outcomes(t), []string{"ticker " + string(outcome)}; !slices.Equal(got, want) {
				t.Errorf("got outcomes %v, want %v", got, want)
			}
		})
	}
}

func FuzzTicker(f *testing.F) {
	for _, name := range []string{"ticker.json", "keyed_by_socket_name.json", "unknown_pair.json", "warning.json", "cloudflare.html"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		source, _ := open(t, saying(t, httpmock.NewBytesResponder(http.StatusOK, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != kraken.Name {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := kraken.New(kraken.Config{BaseURL: "api.kraken.com"}, factory); err == nil || !strings.Contains(err.Error(), "kraken: base_url") {
		t.Errorf("got %v", err)
	}
}
