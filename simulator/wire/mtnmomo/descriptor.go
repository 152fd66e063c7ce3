package mtnmomo

import (
	"net/http"
	"strconv"
	"time"

	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "mtnmomo"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:  Name,
	Hosts: []string{"proxy.momoapi.mtn.com", "sandbox.momodeveloper.mtn.com"},
	Path:  "/disbursement",
	Credentials: map[string]string{
		"keys.ci": Keys, "keys.cm": Keys, "keys.gh": Keys, "keys.rw": Keys, "keys.ug": Keys,
	},
	New: func(w *world.World) http.Handler { return &momo{world: w} },
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "login", Path: "/*/token/"},
			{Name: "resolve", Path: "/*/v1_0/accountholder/msisdn/*/basicuserinfo"},
		},
		Members: map[string]string{"login": "access_token", "resolve": "family_name"},
	},
	Divergences: []provider.Divergence{
		{
			What: "Error codes about numbers, and the texts and statuses of failures.",
			Why:  provider.NotRecorded,
			Test: "adapters/providers/mtnmomo.TestResolver",
		},
	},
	Examples: func(now time.Time) []provider.Example {
		basic := http.Header{"Ocp-Apim-Subscription-Key": {subscriptionKey}, "Authorization": {basicAuth}}
		token := http.Header{
			"Ocp-Apim-Subscription-Key": {subscriptionKey}, "X-Target-Environment": {"sandbox"},
			"Authorization": {tokenPrefix + strconv.FormatInt(now.Unix(), 10)},
		}
		return []provider.Example{
			{Operation: "login", Fixture: "login", Method: http.MethodPost, Target: "/disbursement/token/", Header: basic},
			{
				Operation: "resolve", Fixture: "resolved", Method: http.MethodGet,
				Target: "/disbursement/v1_0/accountholder/msisdn/233248888736/basicuserinfo", Header: token,
			},
		}
	},
}
