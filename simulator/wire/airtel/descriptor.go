package airtel

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "airtel"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"openapi.airtel.africa", "openapiuat.airtel.africa"},
	Credentials: map[string]string{"keys.ke": Keys, "keys.rw": Keys, "keys.tz": Keys, "keys.ug": Keys},
	New:         func(w *world.World) http.Handler { return &api{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "login", Path: "/auth/oauth2/token"},
			{Name: "resolve", Path: users + "*"},
		},
		Members: map[string]string{"login": "access_token", "resolve": "last_name"},
	},
	Divergences: []provider.Divergence{
		{
			What: "The statuses and texts of failures, and the response to rejected credentials.",
			Why:  provider.NotRecorded,
			Test: "adapters/providers/airtel.TestResolver",
		},
	},
	Examples: func(now time.Time) []provider.Example {
		token := http.Header{
			"X-Country": {"KE"}, "X-Currency": {"KES"}, "Authorization": {tokenPrefix + strconv.FormatInt(now.Unix(), 10)},
		}
		id, secret, _ := strings.Cut(Keys, ":")
		return []provider.Example{
			{
				Operation: "login", Fixture: "login", Method: http.MethodPost, Target: "/auth/oauth2/token",
				Body: `{"client_id":"` + id + `","client_secret":"` + secret + `","grant_type":"client_credentials"}`,
			},
			{Operation: "resolve", Fixture: "resolved", Method: http.MethodGet, Target: users + "733123456", Header: token},
		}
	},
}
