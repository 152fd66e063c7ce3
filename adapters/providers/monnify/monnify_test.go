package monnify_test

import (
	"testing"

	"causeway/adapters/providers/monnify"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/accounts"
)

const (
	base                = "https://api.monnify.com/api/v1/"
	key    core.Secret  = "MK_TEST_0011223344"
	secret core.Secret  = "PLANTEDSECRET"
	benji  core.Private = "2085886393" // the account of the fixtures
)

type codes = map[string]string

func bank(code string, c codes) core.Bank {
	return providertest.Institution("NG", "NGN", code, core.BankTransfer, c)
}

// Institutions of queries and simulated worlds.
var (
	zenith  = bank("000015", codes{"monnify": "057"})
	gtb     = bank("000013", codes{"monnify": "058"})
	nipOnly = bank("090001", nil)
	ghBank  = providertest.Institution("GH", "GHS", "030100", core.BankTransfer, nil)
	magic   = providertest.Magic(providertest.Country("NG", "NGN", true), providertest.Country("GH", "GHS", false))
)

func at(number core.Private) core.AccountQuery { return providertest.Account(zenith, number) }

func with(change func(q *core.AccountQuery)) core.AccountQuery {
	return providertest.With(at(benji), change)
}

func api() providertest.API {
	file, body := providertest.File, providertest.Body
	return providertest.API{
		Settings:   &monnify.Config{APIKey: key, SecretKey: secret},
		Descriptor: monnify.Descriptor,
		Rejected: []providertest.BadSettings{
			{Settings: &monnify.Config{APIKey: key}, Error: "set both"},
			{Settings: &monnify.Config{SecretKey: secret}, Error: "set both"},
			{Settings: &monnify.Config{APIKey: key + "\n", SecretKey: secret}, Error: "line break"},
			{Settings: &monnify.Config{APIKey: key, SecretKey: secret + "\r"}, Error: "line break"},
		},
		Secrets: []string{"MK_TEST", "PLANTED", "TUtfVEVTVF", "token-"},
		URL:     base,
		Login: &providertest.Login{
			Request: "POST " + base + "auth/login",
			Header:  map[string]string{"Authorization": "Basic TUtfVEVTVF8wMDExMjIzMzQ0OlBMQU5URURTRUNSRVQ="},
			Good:    file(200, "login.json"),
			Expired: file(401, "unauthorized.json"),
			Bad: map[string]providertest.Response{
				"failure with 200": file(200, "login_refused.json"),
				"no token":         file(200, "login_without_token.json"),
				"null token":       file(200, "login_null_token.json"),
				"another body":     file(200, "banks.json"),
				"not found":        file(404, "login_refused.json"),
				"token in a list":  body(200, `{"requestSuccessful":true,"responseCode":"0","responseBody":["token-1"]}`),
			},
			Refused: map[string]providertest.Response{"rejected": file(401, "login_refused.json")},
			Life:    [2]string{`"expiresIn": `, `3567`},
		},
	}
}

// about returns the response of a file about another account.
func about(name, number string) providertest.Response {
	return providertest.Response{Status: 400, File: name, Edit: [2]string{benji.Reveal(), number}}
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	wallet := with(func(q *core.AccountQuery) { q.Channel = core.MobileMoney })
	const resolved = `{"requestSuccessful":true,"responseCode":"0","responseBody":{"accountNumber":`
	request := func(b core.Bank, code string) providertest.AccountRequest {
		return providertest.AccountRequest{
			Query: providertest.Account(b, benji),
			Want:  "GET disbursements/account/validate?accountNumber=2085886393&bankCode=" + code,
		}
	}
	return providertest.Resolver{
		API: api(), Query: at(benji), Good: file(200, "resolved.json"), Name: "MARVELOUS BENJI",
		Responses: []providertest.Exception{
			{Contains: benji.Reveal(), Respond: file(200, "resolved.json")},
			{Contains: "0000000409", Respond: about("closed_account.json", "0000000409")},
			{Respond: about("invalid_account.json", "0000000404")},
		},
		Found: map[string]providertest.Holder{
			"bank account": {Query: at(benji), Name: "MARVELOUS BENJI"}, "wallet": {Query: wallet, Name: "MARVELOUS BENJI"},
		},
		Unknown: at("0000000404"), Closed: at("0000000409"),
		Unsupported: map[string]core.AccountQuery{
			"bank with a NIP code":     with(func(q *core.AccountQuery) { q.Bank = bank("090999", nil) }),
			"code of the central bank": with(func(q *core.AccountQuery) { q.Bank = bank("000013", codes{"cbn": "058"}) }),
			"unknown country": with(func(q *core.AccountQuery) {
				q.Country, q.Bank = "GH", ghBank
				q.Bank.Codes = codes{"monnify": "1"}
			}),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "name_with_spaces.json"), Want: "MARVELOUS BENJI"},
			{Respond: file(200, "nip_code.json"), Want: "MARVELOUS BENJI"},
			{Respond: file(200, "without_bank.json"), Want: "MARVELOUS BENJI"},
			{Respond: file(400, "invalid_account.json"), NotFound: "No account"},
			{Respond: file(422, "invalid_account_bare.json"), NotFound: "No account"},
			{Respond: file(404, "invalid_account_without_preface.json"), NotFound: "No account"},
			{Respond: file(400, "closed_account.json"), NotFound: "closed or dormant"},
			{Respond: file(200, "dormant_account.json"), NotFound: "closed or dormant"},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(400, "issuer_inoperative.json"), file(400, "invalid_account_or_outage.json"),
				file(400, "invalid_account_of_another.json"), file(400, "invalid_account_at_another_bank.json"),
				file(200, "name_null.json"), file(200, "name_empty.json"), file(200, "another_account.json"),
				file(200, "another_institution.json"), file(200, "number_missing.json"), file(200, "body_null.json"),
				body(400, `{"requestSuccessful":false,"responseMessage":"planted words","responseCode":"99"}`),
				body(400, `{"requestSuccessful":false,"responseMessage":"Name inquiry failed. Account  2085886393 Bank  057.  planted words","responseCode":"99"}`),
				body(400, `{"requestSuccessful":false,"responseCode":"99"}`),
				body(400, `{"requestSuccessful":true,"responseMessage":"Invalid Account","responseCode":"99"}`),
				body(400, `{"responseMessage":"Invalid Account","responseCode":"99"}`),
				body(400, "<html>Invalid Account</html>"), body(400, ""),
			},
			upstream.Malformed: {
				file(200, "contradiction.json"), file(200, "code_is_a_number.json"), file(200, "name_is_a_number.json"),
				file(200, "bank_is_a_number.json"), file(200, "body_missing.json"), file(200, "body_is_a_list.json"),
				body(200, `{"requestSuccessful":true,"responseCode":"planted words","responseBody":null}`),
				body(200, resolved+`2085886393,"accountName":"planted words"}}`),
			},
			upstream.Unavailable: {
				file(500, "invalid_account.json"), file(503, "invalid_account.json"), file(502, "closed_account.json"), body(302, ""),
			},
			upstream.Refused: {file(401, "unauthorized.json"), file(401, "invalid_account.json")},
		},
		Requests: []providertest.AccountRequest{
			request(bank("090267", codes{"monnify": "090267", "cbn": "50211"}), "090267"),
			request(zenith, "057"),
			request(bank("303", codes{"monnify": "303", "cbn": "303"}), "303"),
			request(bank("001", codes{"monnify": "001"}), "001"), // the simulated bank
		},
		OtherBank:  providertest.Account(bank("000010", codes{"monnify": "050"}), benji),
		FuzzStatus: 400,
		Simulated: &providertest.SimulatedResolver{
			Banks:    institutions(),
			Magic:    providertest.Account(magic[0], "0000000000"),
			Named:    []core.AccountQuery{providertest.Account(gtb, "0123456789"), providertest.Account(magic[1], "0000000200")},
			Ordinary: []core.AccountQuery{providertest.Account(gtb, "1241234000")},
			Doubtful: map[string]core.AccountQuery{
				"unknown code": providertest.Account(bank("000013", codes{"monnify": "043"}), "0123456789"),
			},
		},
	}
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func directory() providertest.Directory {
	file := providertest.File
	return providertest.Directory{
		API: api(), Op: "banks", Country: "NG", Good: file(200, "banks.json"),
		Responses: []providertest.Exception{{Respond: file(200, "banks.json")}},
		Codes:     map[string]map[string]string{"NG": {"044": "044", "058": "058", "50515": "50515", "090267": "090267"}},
		LeftOut:   map[string][]string{"NG": {"", "121", "70"}},
		Rows: []core.Bank{
			providertest.Row("NG", "044", "Access bank", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "058", "GTBank", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "50515", "Moniepoint MFB", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "090267", "Kuda Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
		},
		Broken: map[string]providertest.Response{
			"no list":          file(200, "banks_none.json"),
			"no usable row":    file(200, "banks_all_unusable.json"),
			"null list":        file(200, "banks_null.json"),
			"failure with 200": file(200, "failed_with_200.json"),
			"contradiction":    file(200, "contradiction.json"),
			"no body":          file(200, "body_missing.json"),
			"body not a list":  file(200, "resolved.json"),
		},
		Requests: map[string][]string{"NG": {"GET banks"}},
		Simulated: &providertest.SimulatedDirectory{
			Banks:   institutions(),
			Codes:   map[string]map[string]string{"NG": {"058": "058", "090001": "090001"}},
			LeftOut: map[string][]string{"NG": {accounts.MagicBank, accounts.MagicWallet}},
		},
	}
}

func TestDirectory(t *testing.T) { directory().Run(t) }

func FuzzDirectory(f *testing.F) { directory().Fuzz(f) }

func institutions() []core.Bank { return append([]core.Bank{gtb, nipOnly, ghBank}, magic...) }
