package airtel_test

import (
	"testing"

	"causeway/adapters/providers/airtel"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	base                = "https://openapi.airtel.africa/"
	number core.Private = "+256700123123"
	keys   core.Secret  = "PLANTEDID:PLANTEDSECRET"
)

func wallet(country string, number core.Private) core.AccountQuery {
	return providertest.Account(providertest.Institution(country, "", "AIRTEL", core.MobileMoney, nil), number)
}

// only returns a configuration with keys for one country.
func only(country string, key core.Secret) *airtel.Config {
	return &airtel.Config{Keys: map[string]core.Secret{country: key}}
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	with := func(change func(q *core.AccountQuery)) core.AccountQuery {
		return providertest.With(wallet("UG", number), change)
	}
	edited := func(part, by string) providertest.Response { return providertest.Edited("resolved.json", part, by) }
	const first, last = `"first_name": "DOE"`, `"last_name": "JOHN"`
	return providertest.Resolver{
		API: providertest.API{
			Descriptor: airtel.Descriptor, Settings: &airtel.Config{Keys: map[string]core.Secret{"ug": keys, "ke": ""}},
			Rejected: []providertest.BadSettings{
				{Settings: only("NG", keys), Error: `"NG"; accepted: KE, RW, TZ, UG`},
				{Settings: only("UG", "PLANTEDID"), Error: "keys.ug is not a client ID and a client secret"},
				{Settings: only("UG", "PLANTEDID:"), Error: "client secret"},
				{Settings: only("UG", keys+"\n"), Error: "client secret"},
			},
			Secrets: []string{"PLANTED", "token-"}, URL: base,
			Header: map[string]string{"X-Country": "UG", "X-Currency": "UGX"},
			Login: &providertest.Login{
				Request: "POST " + base +
					`auth/oauth2/token {"client_id":"PLANTEDID","client_secret":"PLANTEDSECRET","grant_type":"client_credentials"}`,
				Good:    file(200, "login.json"),
				Expired: body(401, `{"error":"invalid_token"}`),
				Bad: map[string]providertest.Response{
					"no token": body(200, `{"expires_in":"180"}`), "down": body(503, ""),
				},
				Refused: map[string]providertest.Response{"rejected": file(401, "login_refused.json")},
				Life:    [2]string{`"expires_in": `, `"180"`},
			},
		},
		Query: wallet("UG", number), Good: file(200, "resolved.json"), Name: "DOE JOHN",
		Responses: []providertest.Exception{
			{Contains: "/700123123", Respond: file(200, "resolved.json")},
			{Contains: "/700000409", Respond: edited(`"is_barred": false`, `"is_barred": true`)},
			{Respond: file(404, "not_found.json")},
		},
		Unknown: wallet("UG", "+256700000404"), Closed: wallet("UG", "+256700000409"),
		Unsupported: map[string]core.AccountQuery{
			"another operator":      with(func(q *core.AccountQuery) { q.Bank.Code = "MTN" }),
			"Airtel elsewhere":      with(func(q *core.AccountQuery) { q.Bank.Country = "RW" }),
			"country without keys":  wallet("RW", "+250733123456"),
			"country without a key": wallet("KE", "+254733123456"),
		},
		BadNumbers: []core.Private{
			"", "+256", "+25670012312", "+2567001231234", "+254700123123", "700123123", "+256/../00123",
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "resolved_older.json"), Want: "DOE JOHN"},
			{Respond: edited(first, `"first_name": " Jane  A "`), Want: "Jane A JOHN"},
			{Respond: edited(last, `"last_name": ""`), Want: "DOE"},
			{Respond: file(404, "not_found.json"), NotFound: "may exist"},
			{Respond: file(200, "not_found.json"), NotFound: "may exist"},
			{Respond: file(400, "not_found.json"), NotFound: "may exist"},
			{Respond: edited(`"is_barred": false`, `"is_barred": true`), NotFound: "closed"},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(200, "failed.json"), file(400, "failed.json"), file(404, "failed.json"), file(400, "country_denied.json"),
				edited(`"success": true`, `"success": false`), edited(`DP02200000001`, `planted words`),
				edited(first+", ", ""), edited(first, `"first_name": null`), edited(last+", ", ""),
				edited(first, `"first_name": "A\u202e"`), edited(`"700123123"`, `"700123124"`), edited(`"700123123"`, "null"),
				edited(`"700123123"`, `"256700123123"`), body(200, "{}"), body(404, "<html>"), body(404, ""),
				body(404, `{"status":{"message":"DP02200000002"}}`),
			},
			upstream.Malformed: {
				edited(first, `"first_name": 1`), edited(`"is_barred": false`, `"is_barred": "N"`), edited(`"700123123"`, "700123123"),
				edited(first, first+", "+first), body(200, "[]"), edited(`"success": true`, `"success": "true"`),
			},
			upstream.Unavailable: {file(500, "not_found.json"), file(503, "failed.json")},
			upstream.Refused:     {file(403, "not_found.json")},
		},
		Requests:   []providertest.AccountRequest{{Query: wallet("UG", number), Want: "GET standard/v1/users/700123123"}},
		FuzzStatus: 404,
		Simulated: &providertest.SimulatedResolver{
			Ordinary: []core.AccountQuery{
				wallet("KE", "+254700123000"), wallet("RW", "+250700123000"),
				wallet("TZ", "+255700123000"), wallet("UG", "+256700123000"),
			},
		},
	}
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func FuzzLogin(f *testing.F) { spec().FuzzLogin(f) }
