package daraja_test

import (
	"testing"
	"time"

	"causeway/adapters/providers/daraja"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	key    core.Secret  = "PLANTEDKEY"
	secret core.Secret  = "PLANTEDSECRET"
	acme   core.Private = "666677" // the number of the fixtures
)

func payBill(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.PayBill, Number: number}
}

func with(change func(q *core.AccountQuery)) core.AccountQuery {
	return providertest.With(payBill(acme), change)
}

func api() providertest.API {
	return providertest.API{
		Settings:   &daraja.Config{ConsumerKey: key, ConsumerSecret: secret},
		Descriptor: daraja.Descriptor,
		Rejected: []providertest.BadSettings{
			{Settings: &daraja.Config{ConsumerKey: key}, Error: "set both"},
			{Settings: &daraja.Config{ConsumerSecret: secret}, Error: "set both"},
			{Settings: &daraja.Config{ConsumerKey: key + "\n", ConsumerSecret: secret}, Error: "line break"},
			{Settings: &daraja.Config{ConsumerKey: key, ConsumerSecret: secret + "\r"}, Error: "line break"},
		},
		Secrets: []string{"PLANTED", "UExBTlRF", "token-"},
		URL:     "https://api.safaricom.co.ke/",
		Timeout: 20 * time.Second,
		Login: &providertest.Login{
			Request: "GET https://api.safaricom.co.ke/oauth/v1/generate?grant_type=client_credentials",
			Header:  map[string]string{"Authorization": "Basic UExBTlRFREtFWTpQTEFOVEVEU0VDUkVU"},
			Good:    providertest.File(200, "login.json"),
			Expired: providertest.File(401, "invalid_token.json"),
			Bad: map[string]providertest.Response{
				"no token":        providertest.File(200, "login_without_token.json"),
				"token in a list": providertest.Body(200, `["token-1"]`),
			},
			Refused: map[string]providertest.Response{
				"wrong keys":          providertest.File(400, "login_refused.json"),
				"wrong keys, no text": providertest.Body(400, ""),
				"revoked keys":        providertest.File(401, "login_refused.json"),
			},
			Life: [2]string{`"expires_in": `, `"3599"`},
		},
	}
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	till := with(func(q *core.AccountQuery) { q.Channel = core.Till })
	const start = `{"ResponseCode":"4000","ResponseMessage":"Success","OrganizationShortCode":`
	return providertest.Resolver{
		API: api(), Query: payBill(acme), Good: file(200, "resolved.json"), Name: "Daraja",
		Responses: []providertest.Exception{
			{Contains: `"666677"`, Respond: file(200, "resolved.json")},
			{Contains: `"100409"`, Respond: file(200, "organization_closed.json")},
			{Respond: file(200, "invalid_identifier.json")},
		},
		Found: map[string]providertest.Holder{
			"pay bill": {Query: payBill(acme), Name: "Daraja"},
			"till":     {Query: till, Name: "Daraja"},
			"till with an institution": {Name: "Daraja", Query: providertest.With(till, func(q *core.AccountQuery) {
				q.Bank = core.Bank{Country: "KE", Code: "MPESA"}
			})},
		},
		Unknown: payBill("100404"), Closed: payBill("100409"),
		Unsupported: map[string]core.AccountQuery{
			"another country":         with(func(q *core.AccountQuery) { q.Country = "TZ" }),
			"bank of another country": with(func(q *core.AccountQuery) { q.Bank = core.Bank{Country: "TZ", Code: "MPESA"} }),
			"bank of no country":      with(func(q *core.AccountQuery) { q.Bank = core.Bank{Code: "MPESA"} }),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "resolved_with_0.json"), Want: "ACME TRADERS LTD"},
			{Respond: file(200, "invalid_identifier.json"), NotFound: "No account"},
			{Respond: file(200, "organization_closed.json"), NotFound: "closed or dormant"},
			{Respond: file(200, "organization_dormant.json"), NotFound: "closed or dormant"},
			{Name: "till of a parent", Query: till, Respond: file(200, "till_of_parent.json"), Want: "Daraja"},
			{Name: "another till", Query: till, Respond: file(200, "another_till.json"), Outcome: upstream.Undecided},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(200, "till_of_parent.json"), file(200, "invalid_identifier_with_name.json"),
				file(200, "success_with_another_code.json"), file(200, "another_number.json"), file(200, "number_missing.json"),
				file(200, "name_missing.json"), file(200, "name_empty.json"),
				file(400, "invalid_identifier.json"), file(404, "invalid_identifier.json"),
				body(200, `{"ResponseCode":"1","ResponseMessage":"planted words"}`),
				body(200, `{"ResponseCode":"planted words","ResponseMessage":"planted words"}`),
				body(200, `{"ResponseCode":"1","ResponseMessage":"Invalid Identifier or the system is busy"}`),
				body(200, start+`"666677","OrganizationName":"A\u202eB"}`),
			},
			upstream.Malformed: {
				file(200, "code_is_a_number.json"), file(200, "server_error.json"), body(200, "[]"),
				body(200, `{"ResponseCode":"4000","OrganizationShortCode":"666677","OrganizationName":"Daraja"}`),
				body(200, start+`666677,"OrganizationName":"planted words"}`),
				body(200, start+`"666677","OrganizationName":"A","OrganizationName":"B"}`),
			},
			upstream.Unavailable: {
				file(500, "server_error.json"), file(503, "server_error.json"), file(500, "invalid_identifier.json"),
				file(503, "invalid_identifier.json"), file(502, "organization_closed.json"), body(302, ""),
			},
			upstream.Refused:   {file(401, "no_apiproduct.json"), file(401, "invalid_token.json")},
			upstream.Throttled: {file(429, "spike_arrest.json")},
		},
		Requests: []providertest.AccountRequest{
			{Query: payBill(acme), Want: `POST sfcverify/v1/query/info {"Identifier":"666677","IdentifierType":"4"}`},
			{Query: till, Want: `POST sfcverify/v1/query/info {"Identifier":"666677","IdentifierType":"2"}`},
		},
		FuzzStatus: 400, NoneStatus: []int{200},
		Simulated: &providertest.SimulatedResolver{
			Magic: payBill("100000"),
			Found: map[string]providertest.Holder{ // one number, two businesses
				"pay bill": {Query: payBill("174379"), Name: "TEST AKINYI 7679"},
				"till": {Name: "TEST OTIENO 5843", Query: providertest.With(payBill("174379"), func(q *core.AccountQuery) {
					q.Channel = core.Till
				})},
			},
		},
	}
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func FuzzLogin(f *testing.F) { spec().FuzzLogin(f) }
