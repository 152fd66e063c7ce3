// Package exchangerateapi simulates the open access of ExchangeRate-API: fiat rates of one US dollar
// as JSON numbers that change once a day, a second after midnight UTC, with times in seconds.
//
// API: https://www.exchangerate-api.com/docs/free (read 2026-11).
package exchangerateapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/wire/format"
)

const (
	site       = "https://www.exchangerate-api.com"
	latestPath = "/v6/latest/"
	ratePlaces = 6
)

// Descriptor describes the simulated provider.
var Descriptor = format.Descriptor{
	Name:       "exchangerateapi",
	Hosts:      []string{"open.er-api.com"},
	Respond:    respond,
	Operations: []format.Operation{{Name: "latest", Path: latestPath + "*", Priced: true}},
	Prices:     []string{"rates.*"},
	Times: []format.TimeField{
		{Place: "time_last_update_unix", Unit: format.Seconds},
		{Place: "time_last_update_utc", Unit: time.RFC1123Z},
	},
}

func respond(r *format.Request) format.Reply {
	base, found := strings.CutPrefix(r.URL.Path, latestPath)
	m := r.World.Market()
	update := lastUpdate(r.Now)
	rates := map[string]json.Number{}
	for _, code := range m.Fiat() {
		if code == base {
			rates[code] = "1"
		} else if rate, known := m.Official(core.Pair{Base: base, Counter: code}, update); known {
			rates[code] = json.Number(rate.Round(ratePlaces).String())
		}
	}
	body := map[string]any{
		"result": "success", "provider": site, "documentation": site + "/docs/free", "terms_of_use": site + "/terms",
	}
	if !found || len(rates) == 0 {
		body["result"], body["error-type"], body["documentation"] = "error", "unsupported-code", site+"/docs"
		delete(body, "provider")
		return format.Answer(http.StatusNotFound, body)
	}
	next := update.Add(24 * time.Hour)
	body["base_code"], body["rates"], body["time_eol_unix"] = base, rates, 0
	body["time_last_update_unix"], body["time_last_update_utc"] = update.Unix(), update.Format(time.RFC1123Z)
	body["time_next_update_unix"], body["time_next_update_utc"] = next.Unix(), next.Format(time.RFC1123Z)
	return format.Answer(http.StatusOK, body).With("Cache-Control", "public, max-age=3600")
}

// lastUpdate returns the time of the last list.
func lastUpdate(now time.Time) time.Time {
	return now.UTC().Add(-time.Second).Truncate(24 * time.Hour).Add(time.Second)
}
