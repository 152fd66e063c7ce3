package frankfurter

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// frankfurter is version 2 of Frankfurter, github:lineofflight/frankfurter lib/versions/v2.rb, v2/rate_query.rb, roundable.rb
// (60541ad, 2026-08-21): rates of the day as rounded JSON numbers with dates, the base among them as 1.0; one code that is no currency fails the
// whole call. Here all banks publish at the same time, on working days alone; there is no history, and nothing about the banks.
type frankfurter struct{ world *world.World }

const (
	// frankfurterHour is when the rates of a date are there, UTC.
	frankfurterHour = 15
	// frankfurterSilent is a currency that exists and of which no bank says anything.
	frankfurterSilent = "KPW"
)

// ServeHTTP answers one call.
func (f *frankfurter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := f.world.Now()
	a := f.call(r, now)
	if tag := a.Header.Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
		a.Status, a.Content, a.Body = http.StatusNotModified, "", nil
	}
	a.Send(w, now)
}

// frankfurterFault is a failure's body.
type frankfurterFault struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

func frankfurterError(status int, message string) provider.Reply {
	return provider.Answer(status, frankfurterFault{Status: status, Message: message})
}

// frankfurterRow is one rate.
type frankfurterRow struct {
	Date  string      `json:"date"`
	Base  string      `json:"base"`
	Quote string      `json:"quote"`
	Rate  json.Number `json:"rate"`
}

func (f *frankfurter) call(r *http.Request, now time.Time) provider.Reply {
	if r.URL.Path != "/v2/rates" {
		return frankfurterError(http.StatusNotFound, "not found")
	}
	base, quotes, refused := f.asked(r.URL.Query())
	if refused != nil {
		return *refused
	}
	day := lastFixing(now)
	rows := []frankfurterRow{}
	for _, code := range f.world.Market().Fiat() {
		if quotes != nil && !slices.Contains(quotes, code) {
			continue
		}
		row := frankfurterRow{Date: day.Format(time.DateOnly), Base: base, Quote: code, Rate: "1.0"}
		if rate, known := f.world.Market().Fixing(core.Pair{Base: base, Counter: code}, day); known && code != base {
			row.Rate = quoted(rate)
		}
		rows = append(rows, row)
	}
	a := provider.Answer(http.StatusOK, rows)
	left := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	sum := sha256.Sum256([]byte(day.Format(time.DateOnly)))
	return a.With("Etag", fmt.Sprintf(`"%x"`, sum[:16])).
		With("Cache-Control", fmt.Sprintf("public, max-age=%d, stale-if-error=86400", (left+time.Second-1)/time.Second))
}

var frankfurterCode = regexp.MustCompile(`^[A-Z]{3}$`)

// asked reads the base, and the currencies that are meant; nil: all.
func (f *frankfurter) asked(query url.Values) (base string, quotes []string, refused *provider.Reply) {
	refuse := func(message string) (string, []string, *provider.Reply) {
		a := frankfurterError(http.StatusUnprocessableEntity, message)
		return "", nil, &a
	}
	for name := range query {
		if name != "base" && name != "quotes" {
			return refuse("unknown parameter: " + provider.Clip(name))
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
		if !frankfurterCode.MatchString(code) || code != frankfurterSilent && !slices.Contains(fiat, code) {
			return refuse("invalid currency: " + provider.Clip(code))
		}
	}
	if base == frankfurterSilent {
		return base, []string{}, nil // nothing is known against it
	}
	return base, quotes, nil
}

// lastFixing is the publication before an instant.
func lastFixing(now time.Time) time.Time {
	day := now.UTC().Truncate(24 * time.Hour).Add(frankfurterHour * time.Hour)
	if day.After(now) {
		day = day.AddDate(0, 0, -1)
	}
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// quoted is a rate as it is rounded by its size: to whole units above 5000, to six decimal places at most.
func quoted(rate market.Amount) json.Number {
	whole, rest := rate.Units/provider.Pow10(rate.Places), rate.Units%provider.Pow10(rate.Places)
	over := func(units uint64) bool { return whole > units || whole == units && rest > 0 }
	switch {
	case over(5000):
		return json.Number(provider.Rounded(rate, 0).Trimmed())
	case over(80):
		return provider.Printed(provider.Rounded(rate, 2))
	case over(20):
		return provider.Printed(provider.Rounded(rate, 3))
	case over(1):
		return provider.Printed(provider.Rounded(rate, 4))
	case rate.Units*10_000 > provider.Pow10(rate.Places):
		return provider.Printed(provider.Rounded(rate, 5))
	default:
		return provider.Printed(provider.Rounded(rate, 6))
	}
}
