package busha_test

import (
	"testing"

	"causeway/adapters/providers/busha"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/accounts"
)

const key core.Secret = "PLANTEDKEY0011223344"

func api() providertest.API {
	return providertest.API{
		Descriptor: busha.Descriptor, Settings: &busha.Config{APIKey: key},
		Off: &busha.Config{}, // rates need no key
		Rejected: []providertest.BadSettings{
			{Settings: &busha.Config{APIKey: key + "\n"}, Error: "Authorization"},
		},
		Secrets: []string{"PLANTED"},
		URL:     "https://api.busha.co/v1/",
		Header:  map[string]string{"Authorization": "Bearer " + key.Reveal()},
	}
}

const (
	jane   core.Private = "0123456789" // the account of the fixtures
	akinyi core.Private = "+254712345678"
	acme   core.Private = "174379"
)

type codes = map[string]string

func bank(country, code string, c codes) core.Bank {
	return providertest.Institution(country, "NGN", code, core.BankTransfer, c)
}

// Institutions of queries and simulated worlds.
var (
	gtb   = bank("NG", "000013", codes{"nip": "000013", "cbn": "058"})
	kcb   = providertest.Institution("KE", "KES", "01", core.BankTransfer, nil)
	mpesa = providertest.Institution("KE", "KES", "MPESA", core.MobileMoney, codes{"busha": "MPESA"})
)

func at(number core.Private) core.AccountQuery { return providertest.Account(gtb, number) }

func till(number core.Private) core.AccountQuery {
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.Till, Number: number}
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	with := func(change func(q *core.AccountQuery)) core.AccountQuery { return providertest.With(at(jane), change) }
	wallet := providertest.Account(mpesa, akinyi)
	mobile := func(change func(q *core.AccountQuery)) core.AccountQuery { return providertest.With(wallet, change) }
	business := func(change func(q *core.AccountQuery)) core.AccountQuery {
		return providertest.With(till(acme), change)
	}
	ownWallet := with(func(q *core.AccountQuery) { q.Channel = core.MobileMoney })
	return providertest.Resolver{
		API: api(), Query: at(jane), Good: file(201, "resolved.json"), Name: "DOE JANE",
		Responses: []providertest.Exception{
			{Contains: jane.Reveal(), Respond: file(201, "resolved.json")},
			{Contains: akinyi.Reveal(), Respond: file(200, "resolved_wallet.json")},
			{Contains: acme.Reveal(), Respond: file(201, "resolved_till.json")},
			{Contains: "0000000409", Respond: file(404, "account_closed.json")},
			{Respond: file(404, "account_not_found.json")},
		},
		Found: map[string]providertest.Holder{
			"bank account":      {Query: at(jane), Name: "DOE JANE"},
			"wallet of Nigeria": {Query: ownWallet, Name: "DOE JANE"},
			"wallet of Kenya":   {Query: wallet, Name: "AKINYI OTIENO"},
			"till":              {Query: till(acme), Name: "ACME TRADERS"},
			"pay bill":          {Query: business(func(q *core.AccountQuery) { q.Channel = core.PayBill }), Name: "ACME TRADERS"},
			"till with its operator": {Name: "ACME TRADERS", Query: business(func(q *core.AccountQuery) {
				q.Bank = mpesa
			})},
		},
		Unknown: at("0000000404"), Closed: at("0000000409"),
		Unsupported: map[string]core.AccountQuery{
			"bank without a NIP code":    with(func(q *core.AccountQuery) { q.Bank = bank("NG", "50211", codes{"cbn": "50211"}) }),
			"wallet without an operator": mobile(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"bank as a wallet":           mobile(func(q *core.AccountQuery) { q.Bank = kcb }),
			"bank of Kenya":              mobile(func(q *core.AccountQuery) { q.Channel, q.Bank = core.BankTransfer, kcb }),
			"unknown country":            mobile(func(q *core.AccountQuery) { q.Country, q.Bank.Country = "UG", "UG" }),
			"till of another country":    business(func(q *core.AccountQuery) { q.Country = "TZ" }),
			"till of an operator abroad": business(func(q *core.AccountQuery) { q.Bank = bank("TZ", "VODACOM", nil) }),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(404, "account_not_found.json"), NotFound: "No account"},
			{Respond: file(404, "account_not_found_bare.json"), NotFound: "No account"},
			{Respond: file(404, "account_closed.json"), NotFound: "closed or dormant"},
			{Respond: file(404, "account_dormant.json"), NotFound: "closed or dormant"},
			{Name: "wallet", Query: wallet, Respond: file(200, "resolved_wallet.json"), Want: "AKINYI OTIENO"},
			{
				Name: "wallet without a sign", Query: wallet, Respond: file(200, "resolved_wallet_without_sign.json"),
				Want: "AKINYI OTIENO",
			},
			{Name: "till for a wallet", Query: wallet, Respond: file(200, "resolved_till.json"), Outcome: upstream.Undecided},
			{Name: "account for a wallet", Query: wallet, Respond: file(200, "resolved.json"), Outcome: upstream.Undecided},
			{
				Name: "account number with a sign", Query: at("254712345678"), Respond: file(200, "resolved_wallet.json"),
				Outcome: upstream.Undecided,
			},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(400, "request_validation.json"), file(404, "request_validation.json"), file(404, "resource_not_found.json"),
				file(404, "name_not_found.json"), file(400, "account_not_found.json"), file(422, "account_closed.json"),
				file(404, "account_beside_failure.json"),
				file(200, "another_account.json"), file(201, "another_institution.json"), file(200, "number_missing.json"),
				file(201, "name_empty.json"), file(200, "name_null.json"), file(200, "error.json"),
				file(200, "account_not_found.json"),
				body(404, "<html>Account not found</html>"), body(404, ""), body(404, `"Account not found"`),
				body(404, `{"error":{"message":"Account not found"}}`), body(404, `{"error":"Account not found"}`),
				body(404, `{"error":{"name":"not_found","message":"planted words"},"request_id":"planted words"}`),
				body(400, `{"error":{"name":"planted words","message":"planted words"}}`),
				body(200, `{"status":"success","data":{"bank_code":"planted words","account_number":"0123456789","account_name":"DOE"}}`),
			},
			upstream.Malformed: {
				file(200, "name_is_a_number.json"), file(200, "data_is_a_list.json"), file(201, "data_null.json"),
				file(200, "account_beside_failure.json"),
				body(200, `{"status":"pending","data":{"account_number":"0123456789","account_name":"DOE JANE"}}`),
				body(200, `{"data":{"account_number":"0123456789","account_name":"DOE JANE"}}`),
				body(200, `{"status":"success","data":{"account_number":123456789,"account_name":"planted words"}}`),
			},
			upstream.Unavailable: {
				file(500, "account_not_found.json"), file(503, "account_not_found.json"), file(502, "account_closed.json"),
				file(500, "error.json"), file(503, "error.json"), body(302, ""),
			},
			upstream.Refused:   {file(401, "unauthorized.json")},
			upstream.Throttled: {body(429, `{"error":{"name":"too_many_requests","message":"Too many requests"}}`)},
		},
		Requests: []providertest.AccountRequest{
			{Query: at(jane), Want: post + `{"account_number":"0123456789","bank_code":"000013","channel":"bank_transfer","country_id":"NG","currency_id":"NGN"}`},
			{Query: ownWallet, Want: post + `{"account_number":"0123456789","bank_code":"000013","channel":"mobile_money","country_id":"NG","currency_id":"NGN"}`},
			{
				Query: providertest.Account(bank("NG", "090267", codes{"busha": "090268", "nip": "090267"}), jane),
				Want:  post + `{"account_number":"0123456789","bank_code":"090268","channel":"bank_transfer","country_id":"NG","currency_id":"NGN"}`,
			},
			{Query: wallet, Want: post + `{"account_number":"+254712345678","bank_code":"MPESA","channel":"mobile_money","country_id":"KE","currency_id":"KES"}`},
			{Query: till(acme), Want: post + `{"account_number":"174379","channel":"till","country_id":"KE","currency_id":"KES"}`},
		},
		OtherBank:  providertest.Account(bank("NG", "000010", codes{"nip": "000010"}), jane),
		GoodStatus: 201, FuzzStatus: 404, NoneStatus: []int{404},
		Simulated: simulatedResolver(),
	}
}

const post = "POST recipients/resolve-bank-account "

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func directory() providertest.Directory {
	file, body := providertest.File, providertest.Body
	return providertest.Directory{
		API: api(), Op: "banks", Country: "KE", Good: file(200, "banks_kenya.json"),
		Responses: []providertest.Exception{
			{Contains: "country=NG", Respond: file(200, "banks_nigeria.json")},
			{Contains: "country=KE", Respond: file(200, "banks_kenya.json")},
		},
		Codes: map[string]map[string]string{
			"NG": {"000013": "000013", "100004": "100004"}, "KE": {"MPESA": "MPESA", "AIRTEL": "AIRTEL", "01": "01"},
		},
		LeftOut: map[string][]string{"NG": {"", "030100", "000017", "18"}},
		Rows: []core.Bank{
			providertest.Row("NG", "000013", "Guaranty Trust Bank", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "100004", "OPay", core.MobileMoneyBank, core.BankTransfer, "NGN"),
			providertest.Row("KE", "MPESA", "M-PESA", core.MobileMoneyBank, core.MobileMoney, "KES"),
			providertest.Row("KE", "AIRTEL", "Airtel Money", core.MobileMoneyBank, core.MobileMoney, "KES"),
			providertest.Row("KE", "01", "KCB Bank", core.CommercialBank, core.BankTransfer, "KES"),
		},
		Broken: map[string]providertest.Response{
			"no list":        file(200, "banks_none.json"),
			"null data":      file(200, "data_null.json"),
			"account":        file(200, "resolved.json"),
			"error with 200": file(200, "error.json"),
			"no usable row":  body(200, `{"status":"success","data":[{"code":""},7]}`),
			"no status":      body(200, `{"data":[{"code":"000013","name":"Guaranty Trust Bank"}]}`),
			"bare list":      body(200, `[{"code":"000013","name":"Guaranty Trust Bank"}]`),
		},
		Requests: map[string][]string{
			"KE": {"GET banks?country=KE&currency=KES"}, "NG": {"GET banks?country=NG&currency=NGN"},
		},
		Simulated: &providertest.SimulatedDirectory{
			Banks:   institutions(),
			Codes:   map[string]map[string]string{"NG": {"000013": "000013"}, "KE": {"MPESA": "MPESA"}},
			LeftOut: map[string][]string{"NG": {accounts.MagicBank, accounts.MagicWallet}, "KE": {"01", accounts.MagicWallet}},
		},
	}
}

func TestDirectory(t *testing.T) { directory().Run(t) }

func FuzzDirectory(f *testing.F) { directory().Fuzz(f) }

// magic are the magic institutions: a bank and a wallet of Nigeria, and the same of Kenya.
var magic = providertest.Magic(providertest.Country("NG", "NGN", true), providertest.Country("KE", "KES", true))

func institutions() []core.Bank { return append([]core.Bank{gtb, kcb, mpesa}, magic...) }

func simulatedResolver() *providertest.SimulatedResolver {
	return &providertest.SimulatedResolver{
		Banks: institutions(),
		Magic: providertest.Account(magic[0], "0000000000"),
		Named: []core.AccountQuery{
			at(jane), providertest.Account(magic[1], "0000000200"), providertest.Account(magic[3], "+254712345302"),
		},
		Found: map[string]providertest.Holder{
			"till": {Query: till("100306"), Name: "TESTPERSON"},
			"pay bill": {Name: "TEST ỌLÁDÉJÌ KÙ́FỌ́RÌJÌ HÉLÈNE ÇAĞLA", Query: providertest.With(till("100302"), func(q *core.AccountQuery) {
				q.Channel = core.PayBill
			})},
		},
		Ordinary: []core.AccountQuery{providertest.Account(mpesa, "+254712345000")},
		Doubtful: map[string]core.AccountQuery{
			"unknown code":     providertest.Account(bank("NG", "000013", codes{"busha": "999999"}), jane),
			"malformed number": at("12345"),
		},
	}
}
