// Package frankfurter simulates version 2 of Frankfurter: official rates of the day as rounded JSON
// numbers with dates, the base among them as 1.0. One code that is no currency fails the whole
// request. All banks publish at the same time, on working days; there is no history.
//
// API: github:lineofflight/frankfurter lib/versions/v2.rb, v2/rate_query.rb, roundable.rb (60541ad,
// 2026-08-21).
package frankfurter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/wire/format"
)

const ratesPath = "/v2/rates"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       "frankfurter",
	Hosts:      []string{"api.frankfurter.dev"},
	Respond:    respond,
	Operations: []format.Operation{{Name: "rates", Path: ratesPath, Priced: true}},
	Prices:     []string{"*.rate"},
	Times:      []format.TimeField{{Place: "*.date", Unit: format.Date}},
}

const publicationHour = 15 // UTC

func refuse(status int, message string) format.Reply {
	return format.Answer(status, map[string]any{"status": status, "message": message})
}

func respond(r *format.Request) format.Reply {
	if r.URL.Path != ratesPath {
		return refuse(http.StatusNotFound, "not found")
	}
	m := r.World.Market()
	base, quotes, problem := requested(r.URL.Query(), m.Fiat())
	if problem != "" {
		return refuse(http.StatusUnprocessableEntity, problem)
	}
	day := lastPublication(r.Now)
	date := day.Format(time.DateOnly)
	rows := []any{}
	for _, code := range m.Fiat() {
		if quotes != nil && !slices.Contains(quotes, code) {
			continue
		}
		rate := json.Number("1.0") // of the base
		if fixing, known := m.Official(core.Pair{Base: base, Counter: code}, day); known && code != base {
			rate = rounded(fixing)
		}
		rows = append(rows, map[string]any{"date": date, "base": base, "quote": code, "rate": rate})
	}
	left := r.Now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(r.Now)
	maxAge := fmt.Sprintf("public, max-age=%d, stale-if-error=86400", (left+time.Second-1)/time.Second)
	return format.Answer(http.StatusOK, rows).Tagged([]byte(date)).With("Cache-Control", maxAge)
}

// requested returns the base and the quotes of a request, nil for all, or what is wrong with it.
func requested(query url.Values, fiat []string) (base string, quotes []string, problem string) {
	base = cmp.Or(strings.ToUpper(query.Get("base")), "EUR")
	if query.Has("quotes") {
		quotes = strings.Split(strings.ToUpper(query.Get("quotes")), ",")
	}
	for _, code := range append([]string{base}, quotes...) {
		if !slices.Contains(fiat, code) {
			return "", nil, "invalid currency: " + format.Clip(code)
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
		return format.Printed(rate.Round(p.places))
	}
	return "0.0"
}
