package busha_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/busha"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://api.busha.co/v1/pairs"

var (
	btcngn  = core.Pair{Base: "BTC", Counter: "NGN"}
	ethngn  = core.Pair{Base: "ETH", Counter: "NGN"}
	solngn  = core.Pair{Base: "SOL", Counter: "NGN"}
	xlmngn  = core.Pair{Base: "XLM", Counter: "NGN"}
	usdtngn = core.Pair{Base: "USDT", Counter: "NGN"}
	usdtkes = core.Pair{Base: "USDT", Counter: "KES"}
	shell   = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{usdtngn, btcngn, usdtkes}
)

// open makes the provider over a busha.
func open(t testing.TB, transport http.RoundTripper) (*busha.Provider, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	provider, err := busha.New(busha.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return provider, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

type opener = func(t *testing.T) ports.RateSource

func over(answer func(t *testing.T) httpmock.Responder) opener {
	return func(t *testing.T) ports.RateSource {
		t.Helper()
		provider, _ := open(t, saying(t, answer(t)))
		return provider
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
		return upstreamtest.Edited(t, "pairs.json", part, by)
	})
}

// TestLimits holds the published limit against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	world := upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)
	source, err := busha.New(busha.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(3*time.Second, 100); err != nil {
		t.Errorf("as scheduled: %v", err)
	}
	if err := source.Fits(100*time.Millisecond, 1); err == nil || !strings.Contains(err.Error(), "calls of 100 in 1m0s") {
		t.Errorf("got %v, want calls of 100 in 1m0s", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const (
		sell  = `"amount": "1364.26"`
		price = `"sell_price": {"amount": "1364.26", "currency": "NGN"}`
	)
	porttest.RateSource(t, porttest.Source{
		Open: overFile(200, "pairs.json"),
		Listed: []porttest.Quote{
			{Pair: usdtngn, Bid: "1364.26", Ask: "1380.72"},
			{Pair: btcngn, Bid: "88919802.32", Ask: "93501695.36"},
			{Pair: usdtkes, Bid: "128.02", Ask: "130.81"},
		},
		Unlisted: shell,
		At:       upstreamtest.Noon(),
		Unreadable: map[string]opener{
			"a comma":              overEdited(sell, `"amount": "1.364,26"`),
			"NaN":                  overEdited(sell, `"amount": "NaN"`),
			"nothing":              overEdited(sell, `"amount": ""`),
			"null":                 overEdited(sell, `"amount": null`),
			"zero":                 overEdited(sell, `"amount": "0.00"`),
			"an object":            overEdited(sell, `"amount": {}`),
			"no price":             overEdited(price+`,`, ``),
			"a price of null":      overEdited(price, `"sell_price": null`),
			"a price without unit": overEdited(price, `"sell_price": {"amount": "1364.26"}`),
			"a price in kobo":      overEdited(price, `"sell_price": {"amount": "136426", "currency": "NGk"}`),
			"another currency":     overEdited(price, `"sell_price": {"amount": "1364.26", "currency": "USDT"}`),
			"a price as a number":  overEdited(price, `"sell_price": 1364.26`),
			"a time that is none":  overEdited(`"base": "USDT", "base_currency_name": "Tether USD", "counter": "NGN"`, `"base": "USDT", "updated_at": "yesterday", "counter": "NGN"`),
			"a time as a number":   overEdited(`"base": "USDT", "base_currency_name": "Tether USD", "counter": "NGN"`, `"base": "USDT", "updated_at": 1795262398, "counter": "NGN"`),
			"a base that is none":  overEdited(`"id": "USDTNGN", "base": "USDT"`, `"id": "USDTNGN", "base": 7`),
			"another base":         overEdited(`"id": "USDTNGN", "base": "USDT"`, `"id": "USDTNGN", "base": "TUSD"`),
			"a halted pair":        overEdited(price, price+`, "status": "halted"`),
			"support as a text": overEdited(price+`,
      "is_buy_supported": true`, price+`,
      "is_buy_supported": "yes"`),
		},
		Broken: map[string]opener{
			"an outage":            overFile(503, "error.json"),
			"an error with 200":    overFile(200, "error.json"),
			"a failure with 200":   overText(200, `{"status":"error","message":"of today","data":[]}`),
			"a refused key":        overText(401, `{"error":{"name":"unauthorized","message":"no"}}`),
			"not found":            overText(404, `{"error":{"name":"not_found","message":"no"}}`),
			"success without data": overText(200, `{"status":"success","message":"Fetched pairs successfully"}`),
			"success with null":    overText(200, `{"status":"success","data":null}`),
			"an object for a list": overText(200, `{"status":"success","data":{}}`),
			"an array":             overText(200, `[]`),
			"HTML with 200":        overText(200, "<html>maintenance</html>"),
			"500":                  overText(500, ""),
			"truncated":            overText(200, `{"status":"success","data":[{"id":"USDTNGN","base":"US`),
			"an empty body":        overText(200, ""),
			"a redirect":           overText(301, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overText(429, `{"error":{"name":"too_many_requests","message":"slow down"}}`, "Retry-After", "12"),
		RetryAfter: 12 * time.Second,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for the whole list in one call, without a key", func(t *testing.T) {
		t.Parallel()
		var asked []string
		provider, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.String()+r.Header.Get("Authorization"))
			return upstreamtest.File(t, "pairs.json")(r)
		}))
		observe(t, provider, markets, markets...)
		if !slices.Equal(asked, []string{base}) {
			t.Errorf("got %v, want %s", asked, base)
		}
		wantOutcomes(t, world, "pairs ok")
	})
	t.Run("asks nothing for no markets", func(t *testing.T) {
		t.Parallel()
		provider, world := open(t, saying(t, upstreamtest.File(t, "pairs.json")))
		observe(t, provider, nil)
		wantOutcomes(t, world)
	})
	t.Run("keeps still for as long as it was told", func(t *testing.T) {
		t.Parallel()
		provider, world := open(t, saying(t, upstreamtest.Text(429, "", "Retry-After", "60")))
		for range 3 {
			fails(t, provider)
		}
		wantOutcomes(t, world, "pairs held ×2", "pairs throttled")
	})
	t.Run("ends within the timeout when it hangs", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			provider, _ := open(t, saying(t, upstreamtest.Text(200, "{}").Delay(time.Hour)))
			start := time.Now()
			fails(t, provider)
			if took := time.Since(start); took != 4*time.Second {
				t.Errorf("took %s, want 4s", took)
			}
		})
	})
}

// TestSellIsTheBid: the words are the customer's. Whoever took them for the book's would find it crossed.
func TestSellIsTheBid(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, upstreamtest.File(t, "pairs.json")))
	got, err := provider.Observe(t.Context(), markets)
	if err != nil || len(got) != len(markets) {
		t.Fatalf("got %v, %v", got, err)
	}
	for _, o := range got {
		if !o.Bid.LessThan(o.Ask) {
			t.Errorf("%s: the bid is %s, the ask %s", o.Pair, o.Bid, o.Ask)
		}
	}
}

// TestWhatIsNotOnOfferIsMissing goes through a list with one pair that cannot be bought, one that cannot be sold, one that does not
// say, one that is halted, and one that is fine.
func TestWhatIsNotOnOfferIsMissing(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, upstreamtest.File(t, "not_on_offer.json")))
	observe(t, provider, []core.Pair{btcngn, ethngn, xlmngn, solngn, usdtngn}, usdtngn)
}

func TestTimeIsItsOwnWhereItGivesOne(t *testing.T) {
	t.Parallel()
	provider, _ := open(t, saying(t, upstreamtest.File(t, "not_on_offer.json")))
	got, err := provider.Observe(t.Context(), []core.Pair{usdtngn})
	want := time.Date(2026, time.November, 21, 11, 59, 58, 250_000_000, time.UTC)
	if err != nil || len(got) != 1 || !got[0].At.Equal(want) || got[0].At.Location() != time.UTC {
		t.Errorf("got %v, %v; want one of %s", got, err, want)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		body    string
		outcome string
	}{
		"an error with 200": {200, `{"error":{"name":"x","message":"of today"}}`, "pairs unavailable"},
		"no data":           {200, `{"status":"success"}`, "pairs malformed"},
		"a bad request":     {400, `{"error":{"name":"bad_request","message":"of today"}}`, "pairs undecided"},
		"a refused address": {403, `{"error":{"name":"forbidden","message":"of today"}}`, "pairs refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, world := open(t, saying(t, upstreamtest.Text(c.status, c.body)))
			_, err := provider.Observe(t.Context(), markets)
			if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error(), "of today") {
				t.Errorf("got %v, want an unavailable error in our own words", err)
			}
			wantOutcomes(t, world, c.outcome)
		})
	}
}

// observe checks which markets are quoted.
func observe(t *testing.T, provider *busha.Provider, of []core.Pair, want ...core.Pair) {
	t.Helper()
	got, err := provider.Observe(t.Context(), of)
	pairs := make([]core.Pair, 0, len(got))
	for _, o := range got {
		pairs = append(pairs, o.Pair)
	}
	if err != nil || !slices.Equal(pairs, want) {
		t.Errorf("got %v, %v; want %v", pairs, err, want)
	}
}

func fails(t *testing.T, provider *busha.Provider) {
	t.Helper()
	if _, err := provider.Observe(t.Context(), markets); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v, want an unavailable error", err)
	}
}

func wantOutcomes(t *testing.T, world *upstreamtest.World, want ...string) {
	t.Helper()
	if got := world.Outcomes(t); !slices.Equal(got, want) {
		t.Errorf("got outcomes %v, want %v", got, want)
	}
}

func FuzzPairs(f *testing.F) {
	for _, name := range []string{"pairs.json", "not_on_offer.json", "error.json"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		provider, _ := open(t, saying(t, httpmock.NewBytesResponder(http.StatusOK, body)))
		got, err := provider.Observe(t.Context(), append([]core.Pair{ethngn, solngn, xlmngn}, markets...))
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != busha.Name {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := busha.New(busha.Config{BaseURL: "busha"}, factory); err == nil || !strings.Contains(err.Error(), "busha: base_url") {
		t.Errorf("got %v", err)
	}
}
