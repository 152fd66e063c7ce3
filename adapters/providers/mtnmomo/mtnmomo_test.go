package mtnmomo_test

import (
	"testing"

	"causeway/adapters/providers/mtnmomo"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/wire/wiretest"
)

const (
	base                = "https://proxy.momoapi.mtn.com/disbursement/"
	number core.Private = "+256772123456"
	keys   core.Secret  = "PLANTEDSUBSCRIPTION:user:PLANTEDKEY"
)

func wallet(country string, number core.Private) core.AccountQuery {
	return providertest.Account(providertest.Institution(country, "", "MTN", core.MobileMoney, nil), number)
}

// only returns a configuration with keys for one country.
func only(country string, key core.Secret) *mtnmomo.Config {
	return &mtnmomo.Config{Keys: map[string]core.Secret{country: key}}
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	with := func(change func(q *core.AccountQuery)) core.AccountQuery {
		return providertest.With(wallet("UG", number), change)
	}
	return providertest.Resolver{
		API: providertest.API{
			Descriptor: mtnmomo.Descriptor, Settings: &mtnmomo.Config{Keys: map[string]core.Secret{"ug": keys, "gh": ""}},
			Rejected: []providertest.BadSettings{
				{Settings: only("KE", keys), Error: `"KE"; accepted: CI, CM, GH, RW, UG`},
				{Settings: only("UG", "PLANTEDKEY"), Error: "keys.ug is not a subscription key"},
				{Settings: only("UG", "PLANTEDKEY:a:"), Error: "subscription key"},
				{Settings: only("UG", keys+"\n"), Error: "subscription key"},
			},
			Secrets: []string{"PLANTED", "token-"}, URL: base + "v1_0/accountholder/msisdn/",
			Header: map[string]string{
				"X-Target-Environment": "mtnuganda", "Ocp-Apim-Subscription-Key": "PLANTEDSUBSCRIPTION",
			},
			Login: &providertest.Login{
				Request: "POST " + base + "token/",
				Header: map[string]string{
					"Authorization": "Basic dXNlcjpQTEFOVEVES0VZ", "Ocp-Apim-Subscription-Key": "PLANTEDSUBSCRIPTION",
				},
				Good:    file(200, "login.json"),
				Expired: body(401, ""),
				Bad: map[string]providertest.Response{
					"no token": body(200, `{"expires_in":3600}`), "down": body(503, ""), "not found": body(404, ""),
				},
				Refused: map[string]providertest.Response{"rejected": body(401, `{"error":"login_failed"}`)},
				Life:    [2]string{`"expires_in": `, `3600`},
			},
		},
		Query: wallet("UG", number), Good: file(200, "resolved.json"), Name: "Sand Box",
		Responses: []providertest.Exception{
			{Contains: "/256772123456/", Respond: file(200, "resolved.json")},
			{Contains: "/256772000409/", Respond: file(404, "not_active.json")},
			{Respond: file(404, "not_found.json")},
		},
		Unknown: wallet("UG", "+256772000404"), Closed: wallet("UG", "+256772000409"),
		Unsupported: map[string]core.AccountQuery{
			"another operator":      with(func(q *core.AccountQuery) { q.Bank.Code = "AIRTEL" }),
			"MTN elsewhere":         with(func(q *core.AccountQuery) { q.Bank.Country = "RW" }),
			"country without keys":  wallet("RW", "+250788123456"),
			"country without a key": wallet("GH", "+233241234567"),
		},
		BadNumbers: []core.Private{"", "+256/../77"},
		Cases: []providertest.AccountCase{
			{Respond: body(200, `{"given_name":"  Najja ","family_name":" A  B"}`), Want: "Najja A B"},
			{Respond: body(200, `{"given_name":"Najja","family_name":""}`), Want: "Najja"},
			{Respond: file(404, "not_found.json"), NotFound: "may exist"},
			{Respond: file(404, "not_active.json"), NotFound: "closed"},
			{Respond: file(404, "resource_not_found.json"), NotFound: "may exist"},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(200, "not_found.json"), body(200, `{"code":"X","given_name":"A","family_name":"B"}`),
				body(404, `{"statusCode":404,"message":"Resource not found"}`), body(404, "<html>"), body(404, ""),
				body(400, `{"code":"planted words"}`), body(404, `{"code":404}`), body(404, `{"message":"ACCOUNTHOLDER_NOT_FOUND"}`),
				body(200, `{"given_name":"A"}`), body(200, `{"given_name":null,"family_name":"A"}`),
				body(200, `{"given_name":" ","family_name":""}`), body(200, `{"given_name":"A\u202e","family_name":"B"}`),
			},
			upstream.Malformed: {
				body(200, `{"given_name":"A","given_name":"B","family_name":"C"}`), body(200, "[]"),
				body(200, `{"given_name":1,"family_name":"planted words"}`),
			},
			upstream.Unavailable: {
				file(500, "not_found.json"), file(500, "environment.json"), file(503, "resolved.json"), file(302, "resolved.json"),
			},
			upstream.Refused:   {file(403, "not_found.json"), file(401, "resolved.json")},
			upstream.Throttled: {file(429, "resolved.json")},
		},
		Requests:   []providertest.AccountRequest{{Query: wallet("UG", number), Want: "GET 256772123456/basicuserinfo"}},
		FuzzStatus: 404, NoneStatus: []int{404},
		Simulated: &providertest.SimulatedResolver{
			Ordinary: []core.AccountQuery{
				wallet("CI", "+225700000000"), wallet("CM", "+237700000000"),
				wallet("GH", "+233700000000"), wallet("UG", "+256700000000"),
			},
		},
	}
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func TestResolver_Sandbox(t *testing.T) {
	t.Parallel()
	_, w := wiretest.Open(t)
	cfg := only("RW", wiretest.Credential(mtnmomo.Name, "keys.rw"))
	cfg.BaseURL = "https://sandbox.momodeveloper.mtn.com/disbursement"
	clients := providertest.Connect(t, cfg, upstreamtest.OpenAt(t, w, upstreamtest.Noon))
	name, err := clients.Resolver.Resolve(t.Context(), wallet("RW", "+250788123456"))
	if err != nil || name != "Sand Box" {
		t.Errorf("got %q, %v", name.Reveal(), err)
	}
}
