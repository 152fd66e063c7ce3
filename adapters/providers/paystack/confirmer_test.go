package paystack_test

import (
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/providers/paystack"
	"causeway/adapters/providers/provider"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/wiretest"
)

const (
	keyZA    core.Secret  = "sk_test_za_3344556677"
	identity core.Private = "8001015009087" // the document of the fixtures
)

func southAfrican(code string) core.Bank {
	return providertest.Institution("ZA", "ZAR", code, core.BankTransfer, nil)
}

var (
	absa = southAfrican("632005")
	// simulatedZA are the magic bank and some others. One of them takes no part in the validation.
	simulatedZA = append(providertest.Magic(providertest.Country("ZA", "ZAR", false)), southAfrican("250655"),
		southAfrican("470010"), absa, southAfrican("679000"), southAfrican("051001"), southAfrican("198765"))
)

func configZA(key core.Secret) *paystack.Config {
	return &paystack.Config{Keys: map[string]core.Secret{"ZA": key}}
}

// claim claims that an account belongs to the person with an identity number.
func claim(bank core.Bank, number, identity core.Private) providertest.Claim {
	document := core.Document{Type: core.IdentityNumber, Number: identity}
	return providertest.Claim{
		Query: providertest.Account(bank, number), Holder: core.HolderClaim{Name: "Ann Bron", Document: document},
	}
}

// documented returns the claim about the account of the fixtures with another type of document.
func documented(kind core.DocumentType) providertest.Claim {
	c := claim(absa, jane, identity)
	c.Holder.Document.Type = kind
	return c
}

func confirmer() providertest.Confirmer {
	file, body := providertest.File, providertest.Body
	said := func(status int, before, after string) providertest.Response {
		return body(status, before+jane.Reveal()+"Ann Bron"+identity.Reveal()+keyZA.Reveal()+after)
	}
	at := func(change func(q *core.AccountQuery)) providertest.Claim {
		c := claim(absa, jane, identity)
		change(&c.Query)
		return c
	}
	request := func(kind core.DocumentType, account, document string) providertest.ClaimRequest {
		return providertest.ClaimRequest{
			Claim: documented(kind),
			Want: `POST bank/validate {"account_name":"Ann Bron","account_number":"0123456789","account_type":"` + account +
				`","bank_code":"632005","country_code":"ZA","document_number":"8001015009087","document_type":"` + document + `"}`,
		}
	}
	return providertest.Confirmer{
		API: providertest.API{
			Settings: configZA(keyZA), Secrets: []string{"sk_test"}, URL: "https://api.paystack.co/",
			Header: map[string]string{"Authorization": "Bearer " + keyZA.Reveal()},
		},
		Op: "validate", Claim: claim(absa, jane, identity), Good: file(200, "validated.json"),
		Responses: []providertest.Exception{
			{Contains: "0000000404", Respond: file(400, "validated_unknown.json")},
			{Contains: "0000000409", Respond: file(200, "validated_not_open.json")},
			{Contains: "0000000503", Respond: file(200, "not_verified.json")},
			{Contains: identity.Reveal(), Respond: file(200, "validated.json")},
			{Respond: file(200, "validated_no_match.json")},
		},
		Contract: providertest.Claims{
			Matching:  map[string]providertest.Claim{"person": claim(absa, jane, identity)},
			Different: map[string]providertest.Claim{"another person": claim(absa, jane, "9001015009086")},
			Unknown:   claim(absa, "0000000404", identity), Closed: claim(absa, "0000000409", identity),
			Doubtful: map[string]providertest.Claim{"account that was not verified": claim(absa, "0000000503", identity)},
			Unsupported: map[string]providertest.Claim{
				"wallet":                      at(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }),
				"no bank":                     at(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
				"bank without a code":         at(func(q *core.AccountQuery) { q.Bank.Code = "" }),
				"bank of another country":     at(func(q *core.AccountQuery) { q.Bank.Country = "NG" }),
				"another country":             at(func(q *core.AccountQuery) { q.Country, q.Bank.Country = "NG", "NG" }),
				"bank without bank transfers": at(func(q *core.AccountQuery) { q.Bank.Channels = nil }),
			},
		},
		Cases: []providertest.ClaimCase{
			{Respond: file(200, "validated.json"), Want: core.Match},
			{Respond: file(200, "validated_no_match.json"), Want: core.NoMatch},
			{Respond: file(200, "validated_mismatch.json"), Want: core.NoMatch},
			{Respond: file(400, "validated_unknown.json"), NotFound: "No account"},
			{Respond: file(200, "validated_not_open.json"), NotFound: "closed or dormant"},
			{Respond: file(400, "invalid_account_number.json"), NotFound: "No account"},
			{Name: "no document", Claim: claim(absa, jane, ""), Respond: file(200, "validated.json")},
			{
				Name: "claim in a match", Want: core.Match, Respond: said(200, `{"status":true,"message":"`,
					`","data":{"verified":true,"accountHolderMatch":true,"accountOpen":true}}`),
			},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(200, "not_verified.json"), file(200, "verified_without_flags.json"), file(200, "match_is_null.json"),
				file(400, "document_number_required.json"), file(422, "validated_unknown.json"), file(200, "resolved.json"),
				file(404, "entity_not_found.json"), body(200, `{"status":true,"data":null}`),
				body(400, `{"status":false,"message":"Bank is not supported"}`),
				body(200, `{"status":false,"message":"?","data":{"verified":true,"accountHolderMatch":true,"accountOpen":true}}`),
				said(400, `{"status":false,"message":"`, `"}`),
				said(200, `{"status":true,"data":{"verified":false,"verificationMessage":"`,
					`","accountHolderMatch":false,"accountOpen":false}}`),
			},
			upstream.Malformed: {
				file(200, "match_is_a_text.json"), file(200, "data_is_a_list.json"), said(200, "<html>", ""),
				body(200, `{"status":true,"message":"Personal Account Verification attempted"}`),
				said(200, `{"status":true,"data":{"verified":"`, `"}}`),
			},
			upstream.Unavailable: {
				file(500, "validated.json"), file(500, "validated_unknown.json"), file(503, "validated_not_open.json"),
				said(500, "", ""),
			},
			upstream.Refused: {file(401, "invalid_key.json"), file(400, "test_mode_cap.json")},
		},
		Requests: []providertest.ClaimRequest{
			request(core.IdentityNumber, "personal", "identityNumber"),
			request(core.PassportNumber, "personal", "passportNumber"),
			request(core.BusinessRegistrationNumber, "business", "businessRegistrationNumber"),
		},
		FuzzStatus: 400,
		Simulated:  simulatedConfirmer(),
	}
}

func simulatedConfirmer() *providertest.SimulatedConfirmer {
	magic := func(suffix core.Private) providertest.Claim { return claim(simulatedZA[0], "0000000"+suffix, identity) }
	company := magic("304")
	company.Holder.Document = core.Document{Type: core.BusinessRegistrationNumber, Number: "2015/123456/07"}
	doubts := map[string]providertest.Claim{}
	for _, suffix := range []core.Private{"206", "207", "309", "429", "500", "503", "555"} {
		doubts[suffix.Reveal()] = magic(suffix)
	}
	key := wiretest.Credential(paystack.Name, "keys.za")
	return &providertest.SimulatedConfirmer{
		Settings: configZA(key), Banks: simulatedZA,
		Contract: providertest.Claims{
			Matching:  map[string]providertest.Claim{"person": magic("200"), "company": company},
			Different: map[string]providertest.Claim{"another document": claim(simulatedZA[0], "0000000200", "9001015009086")},
			Unknown:   magic("404"), Closed: magic("409"), Doubtful: doubts,
		},
	}
}

func TestConfirmer(t *testing.T) { confirmer().Run(t) }

func FuzzConfirmer(f *testing.F) { confirmer().Fuzz(f) }

// openZA returns the provider with a business in South Africa over the recorded lists. The list of
// banks that take part in the validation fails once *broken is set.
func openZA(t *testing.T, broken *httpmock.Responder) provider.Clients {
	t.Helper()
	world := upstreamtest.Open(t, upstreamtest.Saying(t, base, func(r *http.Request) (*http.Response, error) {
		switch {
		case !r.URL.Query().Has("enabled_for_verification"):
			return upstreamtest.File(t, "banks_south_africa.json")(r)
		case *broken != nil:
			return (*broken)(r)
		default:
			return upstreamtest.File(t, "banks_south_africa_validating.json")(r)
		}
	}))
	return providertest.Connect(t, configZA(keyZA), world)
}

func wantConfirms(t *testing.T, p provider.Clients, bank core.Bank, want bool) {
	t.Helper()
	if got := p.Confirmer.Confirms("ZA", core.BankTransfer, bank); got != want {
		t.Errorf("bank %s: got %t", bank.Code, got)
	}
}

// TestConfirmer_ParticipatingBanks checks that any bank is accepted until the list of participants is
// known, and that the last list is kept when one of the two requests fails.
func TestConfirmer_ParticipatingBanks(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]httpmock.Responder{
		"outage": upstreamtest.Text(500, "oops"), "empty list": upstreamtest.File(t, "banks_none.json"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var broken httpmock.Responder
			p, capitec := openZA(t, &broken), southAfrican("470010")
			wantConfirms(t, p, absa, true)
			wantConfirms(t, p, capitec, true)
			if banks, err := p.Directory.Banks(t.Context(), "ZA"); err != nil || len(banks) != 2 {
				t.Fatalf("got %v, %v", banks, err)
			}
			broken = failure
			if banks, err := p.Directory.Banks(t.Context(), "ZA"); core.CodeOf(err) != core.Unavailable || len(banks) != 0 {
				t.Errorf("got %v, %v", banks, err)
			}
			wantConfirms(t, p, absa, true)
			wantConfirms(t, p, capitec, false)
			capitec.Codes = codes{"paystack": "632005"}
			wantConfirms(t, p, capitec, true)
		})
	}
}

// TestConfirmer_SimulatedParticipants checks that the simulated list of participants is shorter than
// the list of banks, and that claims about accounts at participants are answered.
func TestConfirmer_SimulatedParticipants(t *testing.T) {
	t.Parallel()
	world, w := wiretest.Open(t, simulatedZA...)
	p := providertest.Connect(t, configZA(wiretest.Credential(paystack.Name, "keys.za")), upstreamtest.OpenAt(t, w, wiretest.Noon))
	if _, err := p.Directory.Banks(t.Context(), "ZA"); err != nil {
		t.Fatal(err)
	}
	participants := 0
	for _, bank := range simulatedZA {
		if !p.Confirmer.Confirms("ZA", core.BankTransfer, bank) {
			continue
		}
		participants++
		number := "1234567890"
		for world.Accounts().Get(bank, number).Outcome != accounts.Found {
			number += "1"
		}
		c := claim(bank, core.Private(number), identity)
		if got, err := p.Confirmer.Confirm(t.Context(), c.Query, c.Holder); err != nil || got != core.Match {
			t.Errorf("%s: got %q, %v", bank.Code, got, err)
		}
	}
	wantConfirms(t, p, simulatedZA[0], true)
	if participants != 6 {
		t.Errorf("%d of %d banks take part, want 6", participants, len(simulatedZA))
	}
}
