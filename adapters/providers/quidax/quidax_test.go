package quidax_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/quidax"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://www.quidax.com/api/v1/markets/tickers"

var (
	btcngn  = core.Pair{Base: "BTC", Counter: "NGN"}
	usdtngn = core.Pair{Base: "USDT", Counter: "NGN"}
	usdtghs = core.Pair{Base: "USDT", Counter: "GHS"}
	dashngn = core.Pair{Base: "DASH", Counter: "NGN"}
	shell   = core.Pair{Base: "SHELL", Counter: "NGN"}

	markets = []core.Pair{usdtngn, btcngn, usdtghs}
	made    = time.Unix(1795262398, 0)
)

// open makes the source over a Quidax.
func open(t testing.TB, transport http.RoundTripper) (*quidax.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.Open(t, transport)
	source, err := quidax.New(quidax.Config{}, world.Factory)
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
		return upstreamtest.Edited(t, "tickers.json", part, by)
	})
}

// TestLimits holds the published limit against a schedule.
func TestLimits(t *testing.T) {
	t.Parallel()
	world := upstreamtest.OpenLimited(t, httpmock.NewMockTransport(), upstreamtest.Noon)
	source, err := quidax.New(quidax.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Fits(3*time.Second, 100); err != nil {
		t.Errorf("as scheduled: %v", err)
	}
	if err := source.Fits(time.Second, 1); err == nil || !strings.Contains(err.Error(), "calls of 60 in 1m0s") {
		t.Errorf("got %v, want calls of 60 in 1m0s", err)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	const (
		bid = `"1380.52"`
		at  = `"usdtngn": {"at": 1795262398`
	)
	porttest.RateSource(t, porttest.Source{
		Open: overFile(200, "tickers.json"),
		Listed: []porttest.Quote{
			{Pair: usdtngn, Bid: "1380.52", Ask: "1382.74"},
			{Pair: btcngn, Bid: "93756093", Ask: "93906223.1"},
			{Pair: usdtghs, Bid: "10.7553", Ask: "10.7726"},
		},
		Unlisted: shell,
		At:       made,
		Unreadable: map[string]opener{
			"an empty side":         overEdited(`"sell": "1382.74"`, `"sell": "0.0"`),
			"a comma":               overEdited(bid, `"1380,52"`),
			"NaN":                   overEdited(bid, `"NaN"`),
			"nothing":               overEdited(bid, `""`),
			"null":                  overEdited(bid, `null`),
			"an object":             overEdited(bid, `{}`),
			"a field less":          overEdited(`"buy": `+bid+`,`, ``),
			"no ticker":             overEdited(`"usdtngn": {`, `"usdtngn": {}, "usdtngnx": {`),
			"a row that is a text":  overEdited(`"usdtngn": {`, `"usdtngn": "1380.52", "usdtngnx": {`),
			"a row that is null":    overEdited(`"usdtngn": {`, `"usdtngn": null, "usdtngnx": {`),
			"a time that is a text": overEdited(at, `"usdtngn": {"at": "2026-11-21"`),
			"a time before all":     overEdited(at, `"usdtngn": {"at": 0`),
			"a time beyond all":     overEdited(at, `"usdtngn": {"at": 1795262398000000`),
		},
		Broken: map[string]opener{
			"an error with 200":    overFile(200, "error.json"),
			"an error with 503":    overFile(503, "error.json"),
			"not found":            overFile(404, "not_found.json"),
			"a refused key":        overText(401, `{"status":"error","message":"Unauthorized"}`),
			"the firewall":         overText(403, "<html>"),
			"success without data": overText(200, `{"status":"success","message":"Successful"}`),
			"success with null":    overText(200, `{"status":"success","message":"Successful","data":null}`),
			"a list for an object": overText(200, `{"status":"success","message":"Successful","data":[]}`),
			"an array":             overText(200, `[]`),
			"HTML with 200":        overFile(200, "cloudflare.html"),
			"Cloudflare's 522":     overFile(522, "cloudflare.html"),
			"500":                  overText(500, ""),
			"truncated":            overText(200, `{"status":"success","message":"Successful","data":{"usdtngn":{"at":17952`),
			"a market given twice": overEdited(`"dashngn"`, `"usdtngn"`),
			"an empty body":        overText(200, ""),
			"a redirect":           overText(302, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overText(429, "", "Retry-After", "30"),
		RetryAfter: 30 * time.Second,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "{}").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for all markets in one call, without a key", func(t *testing.T) {
		t.Parallel()
		var asked []string
		source, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.String()+r.Header.Get("Authorization"))
			return upstreamtest.File(t, "tickers.json")(r)
		}))
		observe(t, source, markets, len(markets))
		if !slices.Equal(asked, []string{base}) {
			t.Errorf("got %v, want %s", asked, base)
		}
		wantOutcomes(t, world, "tickers ok")
	})
	t.Run("asks nothing for no markets", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.File(t, "tickers.json")))
		observe(t, source, nil, 0)
		wantOutcomes(t, world)
	})
	t.Run("keeps still for as long as it was told", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, saying(t, upstreamtest.Text(429, "", "Retry-After", "60")))
		for range 3 {
			fails(t, source)
		}
		wantOutcomes(t, world, "tickers held ×2", "tickers throttled")
	})
	t.Run("ends within the timeout when Quidax hangs", func(t *testing.T) {
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

// TestBuyIsTheBid: the words are the book's, not those of a customer, who would buy at what sell says.
func TestBuyIsTheBid(t *testing.T) {
	t.Parallel()
	source, _ := open(t, saying(t, upstreamtest.File(t, "tickers.json")))
	got, err := source.Observe(t.Context(), []core.Pair{usdtngn})
	if err != nil || len(got) != 1 || !got[0].Bid.LessThan(got[0].Ask) {
		t.Errorf("got %v, %v; want the lower price as the bid", got, err)
	}
}

func TestAnEmptyBookIsMissing(t *testing.T) {
	t.Parallel()
	t.Run("on both sides", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.File(t, "tickers.json")))
		observe(t, source, []core.Pair{dashngn}, 0)
	})
	t.Run("on one side", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.File(t, "one_side_empty.json")))
		observe(t, source, []core.Pair{btcngn, usdtngn}, 1)
	})
}

func TestWithoutATimeItIsOfReceipt(t *testing.T) {
	t.Parallel()
	source, _ := open(t, saying(t, upstreamtest.File(t, "without_time.json")))
	got, err := source.Observe(t.Context(), []core.Pair{btcngn, usdtngn})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v", got, err)
	}
	for _, o := range got {
		if !o.At.Equal(upstreamtest.Noon()) {
			t.Errorf("%s is of %s, want noon", o.Pair, o.At)
		}
	}
}

// TestMillisecondsAreNotRepaired: a time in another unit comes out as the far future that it says, to be refused by whoever judges ages.
func TestMillisecondsAreNotRepaired(t *testing.T) {
	t.Parallel()
	source, _ := open(t, saying(t, upstreamtest.Edited(t, "tickers.json", `"usdtngn": {"at": 1795262398`, `"usdtngn": {"at": 1795262398000`)))
	got, err := source.Observe(t.Context(), []core.Pair{usdtngn})
	if err != nil || len(got) != 1 || got[0].At.Unix() != 1795262398000 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		body    string
		outcome string
	}{
		"an error with 200": {200, `{"status":"error","message":"of today"}`, "tickers unavailable"},
		"no data":           {200, `{"status":"success"}`, "tickers malformed"},
		"not found":         {404, `{"status":"error","message":"Not Found"}`, "tickers undecided"},
		"a refused key":     {401, `{"status":"error","message":"Unauthorized"}`, "tickers refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(c.status, c.body)))
			_, err := source.Observe(t.Context(), markets)
			if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error(), "of today") {
				t.Errorf("got %v, want an unavailable error in our own words", err)
			}
			wantOutcomes(t, world, c.outcome)
		})
	}
}

func observe(t *testing.T, source *quidax.Source, of []core.Pair, want int) {
	t.Helper()
	if got, err := source.Observe(t.Context(), of); err != nil || len(got) != want {
		t.Errorf("got %d observations, %v; want %d", len(got), err, want)
	}
}

func fails(t *testing.T, source *quidax.Source) {
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
	for _, name := range []string{"tickers.json", "without_time.json", "one_side_empty.json", "error.json", "cloudflare.html"} {
		f.Add([]byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		source, _ := open(t, saying(t, httpmock.NewBytesResponder(http.StatusOK, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || o.Ask.IsZero() || o.Source != quidax.Name || o.At.Unix() <= 0 {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := quidax.New(quidax.Config{BaseURL: "quidax"}, factory); err == nil || !strings.Contains(err.Error(), "quidax: base_url") {
		t.Errorf("got %v", err)
	}
}
