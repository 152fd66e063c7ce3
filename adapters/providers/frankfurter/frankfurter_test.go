package frankfurter_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/frankfurter"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const base = "https://api.frankfurter.dev/v2/rates"

var (
	usdngn = core.Pair{Base: "USD", Counter: "NGN"}
	usdkes = core.Pair{Base: "USD", Counter: "KES"}
	usdugx = core.Pair{Base: "USD", Counter: "UGX"}
	usdstn = core.Pair{Base: "USD", Counter: "STN"}
	usdghs = core.Pair{Base: "USD", Counter: "GHS"}
	usdzzz = core.Pair{Base: "USD", Counter: "ZZZ"}
	usdkpw = core.Pair{Base: "USD", Counter: "KPW"}

	markets = []core.Pair{usdngn, usdkes, usdugx, usdstn}
	friday  = time.Date(2026, time.November, 20, 16, 0, 0, 0, time.UTC)
)

// open makes the source over a Frankfurter.
func open(t testing.TB, transport http.RoundTripper) (*frankfurter.Source, *upstreamtest.World) {
	t.Helper()
	return openAt(t, transport, upstreamtest.Noon())
}

func openAt(t testing.TB, transport http.RoundTripper, at time.Time) (*frankfurter.Source, *upstreamtest.World) {
	t.Helper()
	world := upstreamtest.OpenAt(t, transport, func() time.Time { return at })
	source, err := frankfurter.New(frankfurter.Config{}, world.Factory)
	if err != nil {
		t.Fatal(err)
	}
	return source, world
}

func saying(t testing.TB, answer httpmock.Responder) *httpmock.MockTransport {
	t.Helper()
	return upstreamtest.Saying(t, base, answer)
}

// listing is a Frankfurter that fails a whole call for one code that is no currency to it.
func listing(t *testing.T) *httpmock.MockTransport {
	t.Helper()
	return saying(t, func(r *http.Request) (*http.Response, error) {
		switch quotes := r.URL.Query().Get("quotes"); {
		case quotes == "":
			return upstreamtest.File(t, "rates_all.json")(r)
		case strings.Contains(quotes, "ZZZ"):
			return upstreamtest.Text(422, upstreamtest.Read(t, "invalid_currency.json"))(r)
		default:
			return upstreamtest.File(t, "rates.json")(r)
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
		return upstreamtest.Edited(t, "rates.json", part, by)
	})
}

func TestContract(t *testing.T) {
	t.Parallel()
	const (
		rate = `"rate": 1370.53`
		row  = `{"date": "2026-11-20", "base": "USD", "quote": "NGN", "rate": 1370.53}`
	)
	porttest.RateSource(t, porttest.Source{
		Open: func(t *testing.T) ports.RateSource {
			t.Helper()
			source, _ := open(t, listing(t))
			return source
		},
		Listed: []porttest.Quote{
			{Pair: usdngn, Bid: "1370.53", Ask: "1370.53"},
			{Pair: usdkes, Bid: "128.9", Ask: "128.9"},
			{Pair: usdugx, Bid: "3604", Ask: "3604"},
			{Pair: usdstn, Bid: "0.000051", Ask: "0.000051"},
		},
		Unlisted: usdzzz,
		At:       friday,
		Unreadable: map[string]opener{
			"a comma":              overEdited(rate, `"rate": "1370,53"`),
			"NaN":                  overEdited(rate, `"rate": "NaN"`),
			"null":                 overEdited(rate, `"rate": null`),
			"zero":                 overEdited(rate, `"rate": 0.0`),
			"an object":            overEdited(rate, `"rate": {}`),
			"an absurd exponent":   overEdited(rate, `"rate": 1e300`),
			"no rate":              overEdited(`, `+rate, ``),
			"no date":              overEdited(row, `{"base": "USD", "quote": "NGN", "rate": 1370.53}`),
			"a date that is none":  overEdited(row, `{"date": "2026-11-31", "base": "USD", "quote": "NGN", "rate": 1370.53}`),
			"a time for a date":    overEdited(row, `{"date": "2026-11-20T15:00:00Z", "base": "USD", "quote": "NGN", "rate": 1370.53}`),
			"a number for a date":  overEdited(row, `{"date": 1795262400, "base": "USD", "quote": "NGN", "rate": 1370.53}`),
			"another base":         overEdited(row, `{"date": "2026-11-20", "base": "EUR", "quote": "NGN", "rate": 1370.53}`),
			"a row that is a text": overEdited(row, `"NGN"`),
			"a row that is null":   overEdited(row, `null`),
			"a row less":           overEdited(row+`,`, ``),
		},
		Broken: map[string]opener{
			"a rebuilding of its tables":   overFile(500, "rebuilding.json"),
			"a time-out of its own":        overFile(503, "request_timeout.json"),
			"an invalid currency, however": overFile(422, "invalid_currency.json"),
			"not found":                    overFile(404, "not_found.json"),
			"an error with 200":            overFile(200, "invalid_currency.json"),
			"the rates of version 1":       overText(200, `{"amount":1.0,"base":"USD","date":"2026-11-20","rates":{"NGN":1370.53}}`),
			"null":                         overText(200, `null`),
			"HTML with 200":                overText(200, "<html>maintenance</html>"),
			"Cloudflare's 521":             overText(521, "<html>"),
			"the firewall":                 overText(403, "<html>"),
			"truncated":                    overText(200, `[{"date":"2026-11-20","base":"USD","quo`),
			"rates line by line":           overText(200, "{\"date\":\"2026-11-20\"}\n{\"date\":\"2026-11-20\"}\n"),
			"an empty body":                overText(200, ""),
			"nothing new":                  overText(304, ""),
			"a redirect":                   overText(302, ""),
			"a lost connection": over(func(*testing.T) httpmock.Responder {
				return httpmock.NewErrorResponder(http.ErrServerClosed)
			}),
		},
		Throttled:  overText(429, "", "Retry-After", "60"),
		RetryAfter: time.Minute,
		Hanging: over(func(*testing.T) httpmock.Responder {
			return upstreamtest.Text(http.StatusOK, "[]").Delay(time.Hour)
		}),
	})
}

func TestRequests(t *testing.T) {
	t.Parallel()
	t.Run("asks for each currency once, in one call", func(t *testing.T) {
		t.Parallel()
		var queries []string
		source, world := open(t, saying(t, func(r *http.Request) (*http.Response, error) {
			queries = append(queries, r.URL.RawQuery)
			return upstreamtest.File(t, "rates.json")(r)
		}))
		others := []core.Pair{{Base: "EUR", Counter: "XOF"}, {Base: "USD", Counter: "USD"}, {Base: "EUR", Counter: "EUR"}, {Base: "USD", Counter: "USDT"}}
		observe(t, source, append(others, usdngn, usdkes), usdngn, usdkes)
		if want := []string{"base=USD&quotes=EUR%2CXOF%2CNGN%2CKES"}; !slices.Equal(queries, want) {
			t.Errorf("got %v, want %v", queries, want)
		}
		wantOutcomes(t, world, "rates ok")
	})
	t.Run("asks once more, for all rates, where one currency is unknown", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, append([]core.Pair{usdzzz}, markets...), markets...)
		wantOutcomes(t, world, "rates undecided", "rates_all ok")
	})
	t.Run("asks nothing where there is none", func(t *testing.T) {
		t.Parallel()
		source, world := open(t, listing(t))
		observe(t, source, nil)
		observe(t, source, []core.Pair{{Base: "USD", Counter: "USDT"}, {Base: "USD", Counter: "USD"}})
		wantOutcomes(t, world)
	})
	t.Run("a rate of two others is the one over the other, as old as the older", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, listing(t))
		eurkes, eurghs, ugxusd := core.Pair{Base: "EUR", Counter: "KES"}, core.Pair{Base: "EUR", Counter: "GHS"}, usdugx.Inverse()
		got, err := source.Observe(t.Context(), []core.Pair{eurkes, eurghs, ugxusd, eurghs.Inverse(), {Base: "EUR", Counter: "KPW"}, {Base: "KPW", Counter: "EUR"}})
		want := []struct {
			pair core.Pair
			rate string
			at   time.Time
		}{
			{eurkes, "151.140294307323", friday},
			{eurghs, "12.631412323386", friday.AddDate(0, 0, -2)},
			{ugxusd, "0.000277469478", friday},
			{eurghs.Inverse(), "0.079167710973", friday.AddDate(0, 0, -2)},
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %v, %v; want %v", got, err, want)
		}
		for i, w := range want {
			if o := got[i]; o.Pair != w.pair || !strings.HasPrefix(o.Bid.String(), w.rate) || !o.Ask.Equal(o.Bid) || !o.At.Equal(w.at) {
				t.Errorf("got %v, want %v", o, w)
			}
		}
	})
	t.Run("ends within the timeout when it hangs", func(t *testing.T) {
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

// TestACurrencyWithoutRatesIsMissing: one that is known, and no bank says anything about, fails nothing.
func TestACurrencyWithoutRatesIsMissing(t *testing.T) {
	t.Parallel()
	source, world := open(t, listing(t))
	observe(t, source, append([]core.Pair{usdkpw}, markets...), markets...)
	wantOutcomes(t, world, "rates ok")
}

// TestDates goes through what a date can mean for an answer that came on Saturday at noon.
func TestDates(t *testing.T) {
	t.Parallel()
	noon := upstreamtest.Noon()
	for name, c := range map[string]struct {
		date string
		want time.Time
	}{
		"of yesterday, as of its publication":                         {"2026-11-20", friday},
		"of last week, for a bank that is silent":                     {"2026-11-13", friday.AddDate(0, 0, -7)},
		"of today, and not from the future":                           {"2026-11-21", noon},
		"of tomorrow, fixed ahead":                                    {"2026-11-22", noon},
		"of the day after, which nobody fixes: as it claims":          {"2026-11-23", friday.AddDate(0, 0, 3)},
		"of another year: as it claims, to be refused for its future": {"2027-11-21", friday.AddDate(1, 0, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := `[{"date":"` + c.date + `","base":"USD","quote":"NGN","rate":1370.53}]`
			source, _ := open(t, saying(t, upstreamtest.Text(200, row)))
			got, err := source.Observe(t.Context(), []core.Pair{usdngn})
			if err != nil || len(got) != 1 || !got[0].At.Equal(c.want) {
				t.Errorf("got %v, %v; want one of %s", got, err, c.want)
			}
		})
	}
	t.Run("of today, after its publication", func(t *testing.T) {
		t.Parallel()
		source, _ := openAt(t, saying(t, upstreamtest.File(t, "rates.json")), friday.Add(5*time.Hour))
		got, err := source.Observe(t.Context(), []core.Pair{usdngn})
		if err != nil || len(got) != 1 || !got[0].At.Equal(friday) {
			t.Errorf("got %v, %v; want one of %s", got, err, friday)
		}
	})
	t.Run("each row has its own", func(t *testing.T) {
		t.Parallel()
		source, _ := open(t, saying(t, upstreamtest.File(t, "rates.json")))
		got, err := source.Observe(t.Context(), []core.Pair{usdghs, usdngn})
		if err != nil || len(got) != 2 || !got[0].At.Equal(friday.AddDate(0, 0, -2)) || !got[1].At.Equal(friday) {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		outcomes []string
	}{
		"invalid_currency.json": {422, []string{"rates undecided", "rates_all undecided"}},
		"not_found.json":        {404, []string{"rates undecided"}},
		"rebuilding.json":       {500, []string{"rates unavailable"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, world := open(t, saying(t, upstreamtest.Text(c.status, upstreamtest.Read(t, name))))
			_, err := source.Observe(t.Context(), markets)
			if core.CodeOf(err) != core.Unavailable || strings.Contains(err.Error(), "ZZZ") || strings.Contains(err.Error(), "blend") {
				t.Errorf("got %v, want an unavailable error in our own words", err)
			}
			wantOutcomes(t, world, c.outcomes...)
		})
	}
}

// observe checks which markets are quoted.
func observe(t *testing.T, source *frankfurter.Source, of []core.Pair, want ...core.Pair) {
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

func fails(t *testing.T, source *frankfurter.Source) {
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

func FuzzRates(f *testing.F) {
	for _, name := range []string{"rates.json", "rates_all.json", "invalid_currency.json", "rebuilding.json"} {
		f.Add(true, []byte(upstreamtest.Read(f, name)))
		f.Add(false, []byte(upstreamtest.Read(f, name)))
	}
	f.Fuzz(func(t *testing.T, fine bool, body []byte) {
		status := http.StatusOK
		if !fine {
			status = http.StatusUnprocessableEntity
		}
		source, _ := open(t, saying(t, httpmock.NewBytesResponder(status, body)))
		got, err := source.Observe(t.Context(), markets)
		if err != nil && (core.CodeOf(err) != core.Unavailable || len(got) > 0) {
			t.Errorf("got %v beside %v", got, err)
		}
		for _, o := range got {
			if o.Bid.IsZero() || !o.Bid.Equal(o.Ask) || o.Source != frankfurter.Name {
				t.Errorf("got %+v", o)
			}
		}
	})
}

func TestNewRefusesABadURL(t *testing.T) {
	t.Parallel()
	factory := upstreamtest.Open(t, httpmock.NewMockTransport()).Factory
	if _, err := frankfurter.New(frankfurter.Config{BaseURL: "frankfurter"}, factory); err == nil || !strings.Contains(err.Error(), "frankfurter: base_url") {
		t.Errorf("got %v", err)
	}
}
