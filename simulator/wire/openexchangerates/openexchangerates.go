// Package openexchangerates simulates the API of Open Exchange Rates: hourly middle rates.
package openexchangerates

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "openexchangerates"

// AppID is an app_id that the simulated Open Exchange Rates accepts, like others of 32 hexadecimal
// digits.
const AppID = "ca05e0a7000000000000000000000000"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"openexchangerates.org"},
	Credentials: map[string]string{"app_id": AppID},
	New:         func(w *world.World) http.Handler { return provider.Serve(w, (&openExchangeRates{w}).respond) },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{{Name: "latest", Path: "/api/latest.json"}},
		Priced:     []string{"latest"},
		Prices:     []string{"rates.*"},
		Times:      []provider.TimeField{{Place: "timestamp", Unit: provider.Seconds}},
	},
	Divergences: []provider.Divergence{
		{
			What: "Rates change at every full hour, and there is no monthly quota.",
			Why:  "Nothing is stored between requests.",
			Test: "simulator/wire.TestNoThrottling",
		},
	},
}

// openExchangeRates is Open Exchange Rates on its free plan,
// https://docs.openexchangerates.org/reference (read 2026-08): fiat rates of one US dollar as JSON
// numbers that change at every full hour, timestamps in seconds, base USD only.
type openExchangeRates struct{ world *world.World }

const ratePlaces = 6

var appIDForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

func refuse(status int, message, description string) provider.Reply {
	return provider.Answer(status, map[string]any{
		"error": true, "status": status, "message": message, "description": description,
	})
}

func (o *openExchangeRates) respond(r *http.Request, now time.Time) provider.Reply {
	const signUp = "provided. Please sign up at https://openexchangerates.org/signup, " +
		"or contact support@openexchangerates.org."
	id := r.URL.Query().Get("app_id")
	switch {
	case r.URL.Path != "/api/latest.json":
		return refuse(http.StatusNotFound, "not_found", "Client requested a non-existent resource/route.")
	case id == "":
		return refuse(http.StatusUnauthorized, "missing_app_id", "No App ID "+signUp)
	case !appIDForm.MatchString(id):
		return refuse(http.StatusUnauthorized, "invalid_app_id", "Invalid App ID "+signUp)
	default:
		return o.latest(r, now)
	}
}

// latest responds with all rates.
func (o *openExchangeRates) latest(r *http.Request, now time.Time) provider.Reply {
	query, m := r.URL.Query(), o.world.Market()
	if base := query.Get("base"); base != "" && base != "USD" {
		if _, known := m.Official(base, now, 0); !known {
			return refuse(http.StatusBadRequest, "invalid_base",
				"Invalid `base` currency requested: "+provider.Clip(base)+".")
		}
		return refuse(http.StatusTooManyRequests, "not_allowed",
			"Changing the API `base` currency is available for Developer, Enterprise and Unlimited plan clients.")
	}
	wanted := m.Fiat()
	if symbols := query.Get("symbols"); symbols != "" {
		wanted = strings.Split(strings.ToUpper(symbols), ",")
	}
	rates := make(map[string]json.Number, len(wanted))
	for _, code := range wanted {
		if rate, known := m.Official(strings.TrimSpace(code), now, ratePlaces); known {
			rates[strings.TrimSpace(code)] = json.Number(rate.String())
		}
	}
	a := provider.Answer(http.StatusOK, map[string]any{
		"disclaimer": "Usage subject to terms: https://openexchangerates.org/terms",
		"license":    "https://openexchangerates.org/license",
		"timestamp":  now.Truncate(time.Hour).Unix(), "base": "USD", "rates": rates,
	})
	return a.Tagged(a.Body).With("Last-Modified", now.Truncate(time.Hour).Format(http.TimeFormat))
}
