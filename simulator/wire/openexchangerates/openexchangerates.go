// Package openexchangerates simulates the free plan of Open Exchange Rates: fiat rates of one US
// dollar as JSON numbers that change at every full hour, with timestamps in seconds.
//
// API: https://docs.openexchangerates.org/reference (read 2026-08).
package openexchangerates

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/wire/format"
)

// AppID is an app_id that the simulated Open Exchange Rates accepts, like others of 32 hexadecimal
// digits.
const AppID = "ca05e0a7000000000000000000000000"

const latestPath = "/api/latest.json"

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:        "openexchangerates",
	Hosts:       []string{"openexchangerates.org"},
	Credentials: map[string]string{"app_id": AppID},
	Respond:     respond,
	Operations:  []format.Operation{{Name: "latest", Path: latestPath, Priced: true}},
	Prices:      []string{"rates.*"},
	Times:       []format.TimeField{{Place: "timestamp", Unit: format.Seconds}},
}

const ratePlaces = 6

var appIDForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

func refuse(status int, message, description string) format.Reply {
	return format.Answer(status, map[string]any{
		"error": true, "status": status, "message": message, "description": description,
	})
}

func respond(r *format.Request) format.Reply {
	const signUp = "provided. Please sign up at https://openexchangerates.org/signup, " +
		"or contact support@openexchangerates.org."
	id := r.URL.Query().Get("app_id")
	switch {
	case r.URL.Path != latestPath:
		return refuse(http.StatusNotFound, "not_found", "Client requested a non-existent resource/route.")
	case id == "":
		return refuse(http.StatusUnauthorized, "missing_app_id", "No App ID "+signUp)
	case !appIDForm.MatchString(id):
		return refuse(http.StatusUnauthorized, "invalid_app_id", "Invalid App ID "+signUp)
	default:
		return latest(r)
	}
}

// latest responds with all rates, or with the rates of the requested symbols.
func latest(r *format.Request) format.Reply {
	m := r.World.Market()
	wanted := m.Fiat()
	if symbols := r.URL.Query().Get("symbols"); symbols != "" {
		wanted = strings.Split(strings.ToUpper(symbols), ",")
	}
	rates := make(map[string]json.Number, len(wanted))
	hour := r.Now.Truncate(time.Hour)
	for _, code := range wanted {
		code = strings.TrimSpace(code)
		if rate, known := m.Official(core.Pair{Base: "USD", Counter: code}, hour); known {
			rates[code] = json.Number(rate.Truncate(ratePlaces).String())
		}
	}
	a := format.Answer(http.StatusOK, map[string]any{
		"disclaimer": "Usage subject to terms: https://openexchangerates.org/terms",
		"license":    "https://openexchangerates.org/license",
		"timestamp":  hour.Unix(), "base": "USD", "rates": rates,
	})
	return a.Tagged(a.Body).With("Last-Modified", hour.Format(http.TimeFormat))
}
