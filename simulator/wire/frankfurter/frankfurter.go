// Package frankfurter simulates the API of Frankfurter: daily official exchange rates.
package frankfurter

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "frankfurter"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"api.frankfurter.dev"},
	New:   func(w *world.World) http.Handler { return provider.Serve(w, (&frankfurter{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "rates", Path: "/v2/rates"}},
		Priced:     []string{"rates"},
		Prices:     []string{"*.rate"},
		Times:      []provider.TimeField{{Place: "*.date", Unit: provider.Date}},
	},
	Divergences: []provider.Divergence{
		{
			What: "All central banks publish at the same time, on working days; none is ever silent for longer.",
			Why:  "A silent bank is simulated by pausing a market, or by a fault.",
			Test: "simulator/wire.TestFrankfurter_WorkingDays",
		},
	},
}

// frankfurter is version 2 of Frankfurter, github:lineofflight/frankfurter lib/versions/v2.rb,
// v2/rate_query.rb, roundable.rb (60541ad, 2026-08-21): rates of the day as rounded JSON numbers
// with dates, the base among them as 1.0; one code that is no currency fails the whole request.
// Here all banks publish at the same time, on working days; there is no history.
type frankfurter struct{ world *world.World }

const (
	publicationHour = 15    // UTC
	silent          = "KPW" // a currency without rates
)

func refuse(status int, message string) provider.Reply {
	return provider.Answer(status, map[string]any{"status": status, "message": message})
}

func (f *frankfurter) respond(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/v2/rates" {
		return refuse(http.StatusNotFound, "not found")
	}
	base, quotes, problem := f.requested(r.URL.Query())
	if problem != "" {
		return refuse(http.StatusUnprocessableEntity, problem)
	}
	day := lastPublication(now)
	date := day.Format(time.DateOnly)
	rows := []any{}
	for _, code := range f.world.Market().Fiat() {
		if base == silent || quotes != nil && !slices.Contains(quotes, code) {
			continue
		}
		rate := json.Number("1.0") // of the base
		if fixing, known := f.world.Market().Fixing(core.Pair{Base: base, Counter: code}, day); known && code != base {
			rate = rounded(fixing)
		}
		rows = append(rows, map[string]any{"date": date, "base": base, "quote": code, "rate": rate})
	}
	left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	maxAge := fmt.Sprintf("public, max-age=%d, stale-if-error=86400", (left+time.Second-1)/time.Second)
	return provider.Answer(http.StatusOK, rows).Tagged([]byte(date)).With("Cache-Control", maxAge)
}

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// requested returns the base and the quotes of a request, nil for all, or what is wrong with it.
func (f *frankfurter) requested(query url.Values) (base string, quotes []string, problem string) {
	for name := range query {
		if name != "base" && name != "quotes" {
			return "", nil, "unknown parameter: " + provider.Clip(name)
		}
	}
	base = "EUR"
	if query.Has("base") {
		base = strings.ToUpper(query.Get("base"))
	}
	if query.Has("quotes") {
		quotes = strings.Split(strings.ToUpper(query.Get("quotes")), ",")
	}
	fiat := f.world.Market().Fiat()
	for _, code := range append([]string{base}, quotes...) {
		if !currencyForm.MatchString(code) || code != silent && !slices.Contains(fiat, code) {
			return "", nil, "invalid currency: " + provider.Clip(code)
		}
	}
	return base, quotes, ""
}

// lastPublication returns the time of the last publication.
func lastPublication(now time.Time) time.Time {
	day := now.UTC().Truncate(24 * time.Hour).Add(publicationHour * time.Hour)
	if day.After(now) {
		day = day.AddDate(0, 0, -1)
	}
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// precisions are the decimal places of rates above a limit, as in roundable.rb.
var precisions = []struct {
	above  decimal.Decimal
	places int32
}{
	{decimal.New(5000, 0), 0},
	{decimal.New(80, 0), 2},
	{decimal.New(20, 0), 3},
	{decimal.New(1, 0), 4},
	{decimal.New(1, -4), 5},
	{decimal.Zero, 6},
}

// rounded returns a rate as it is printed: whole numbers without a point.
func rounded(rate decimal.Decimal) json.Number {
	for _, p := range precisions {
		if !rate.GreaterThan(p.above) {
			continue
		}
		if p.places == 0 {
			return json.Number(rate.Round(0).String())
		}
		return provider.Printed(rate.Round(p.places))
	}
	return "0.0"
}
