package flutterwave_test

import (
	"testing"

	"causeway/adapters/providers/flutterwave"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/accounts"
)

const (
	key    core.Secret  = "FLWSECK_TEST-0011223344-X"
	pastor core.Private = "0690000032" // the account of the fixtures
)

type codes = map[string]string

func bank(code string, c codes) core.Bank {
	return providertest.Institution("NG", "NGN", code, core.BankTransfer, c)
}

// Institutions of queries and simulated worlds.
var (
	access  = bank("000014", codes{"flutterwave": "044"})
	gtb     = bank("000013", codes{"flutterwave": "058"})
	nipOnly = bank("090001", nil)
	ghBank  = providertest.Institution("GH", "GHS", "030100", core.BankTransfer, nil)
	magic   = providertest.Magic(providertest.Country("NG", "NGN", true), providertest.Country("GH", "GHS", false))
)

func at(number core.Private) core.AccountQuery { return providertest.Account(access, number) }

func with(change func(q *core.AccountQuery)) core.AccountQuery {
	return providertest.With(at(pastor), change)
}

func api() providertest.API {
	return providertest.API{
		Settings:   &flutterwave.Config{SecretKey: key},
		Descriptor: flutterwave.Descriptor,
		Rejected: []providertest.BadSettings{
			{Settings: &flutterwave.Config{SecretKey: key + "\n"}, Error: "Authorization"},
		},
		Secrets: []string{"FLWSECK"},
		URL:     "https://api.flutterwave.com/v3/",
		Header:  map[string]string{"Authorization": "Bearer " + key.Reveal()},
	}
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	wallet := with(func(q *core.AccountQuery) { q.Channel = core.MobileMoney })
	const resolved = `{"status":"success","data":{"account_number":`
	return providertest.Resolver{
		API: api(), Query: at(pastor), Good: file(200, "resolved.json"), Name: "Pastor Bright",
		Responses: []providertest.Exception{
			{Contains: pastor.Reveal(), Respond: file(200, "resolved.json")},
			{Contains: "0000000409", Respond: file(400, "account_closed.json")},
			{Respond: file(400, "invalid_account.json")},
		},
		Found: map[string]providertest.Holder{
			"bank account": {Query: at(pastor), Name: "Pastor Bright"}, "wallet": {Query: wallet, Name: "Pastor Bright"},
		},
		Unknown: at("0000000404"), Closed: at("0000000409"),
		Unsupported: map[string]core.AccountQuery{
			"bank with a NIP code":     with(func(q *core.AccountQuery) { q.Bank = bank("090999", nil) }),
			"code of the central bank": with(func(q *core.AccountQuery) { q.Bank = bank("303", codes{"cbn": "303"}) }),
			"bank of Ghana": with(func(q *core.AccountQuery) {
				q.Country, q.Bank = "GH", ghBank
				q.Bank.Codes = codes{"flutterwave": "GH280100"}
			}),
			"unknown country": with(func(q *core.AccountQuery) { q.Country, q.Bank.Country = "CI", "CI" }),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "name_with_spaces.json"), Want: "John Madakin"},
			{Respond: file(400, "invalid_account.json"), NotFound: "No account"},
			{Respond: file(200, "invalid_account.json"), NotFound: "No account"},
			{Respond: file(400, "account_closed.json"), NotFound: "closed or dormant"},
			{Respond: file(400, "account_dormant.json"), NotFound: "closed or dormant"},
			{Respond: file(400, "not_validated.json"), NotFound: "may exist"},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(404, "not_validated.json"), file(404, "invalid_account.json"), file(200, "v2_invalid_account.json"),
				file(200, "v2_flat_invalid_account.json"), file(200, "v2_resolved.json"), file(200, "name_null.json"),
				file(200, "name_empty.json"), file(200, "name_placeholder.json"), file(200, "another_account.json"),
				file(200, "number_without_zero.json"), file(200, "number_missing.json"), file(200, "data_null.json"),
				body(400, `{"status":"error","message":"planted words","data":null}`),
				body(400, `{"status":"error","message":"Switch or issuer inoperative","data":null}`),
				body(400, `{"status":"error","message":"Account is closed for maintenance"}`),
				body(400, `{"status":"success","message":"Account is closed"}`), body(400, `{"message":"Account is closed"}`),
				body(400, "<html>Account is closed</html>"), body(400, ""),
			},
			upstream.Malformed: {
				file(200, "name_is_a_number.json"), file(200, "data_missing.json"), file(200, "data_is_a_list.json"),
				body(200, `{"status":"planted words","data":null}`),
				body(200, `{"status":"pending","data":{"account_number":"0690000032","account_name":"Pastor Bright"}}`),
				body(200, resolved+`690000032,"account_name":"planted words"}}`),
			},
			upstream.Unavailable: {
				file(500, "not_validated.json"), file(500, "invalid_account.json"), file(503, "invalid_account.json"),
				file(502, "account_closed.json"), body(302, ""),
			},
			upstream.Refused: {
				file(401, "invalid_key.json"), file(400, "only_044.json"), file(400, "only_044_misspelt.json"),
			},
		},
		Requests: []providertest.AccountRequest{
			{
				Query: providertest.Account(bank("090267", codes{"flutterwave": "090267", "cbn": "50211"}), pastor),
				Want:  `POST accounts/resolve {"account_bank":"090267","account_number":"0690000032"}`,
			},
			{Query: at(pastor), Want: `POST accounts/resolve {"account_bank":"044","account_number":"0690000032"}`},
			{
				Query: providertest.Account(bank("303", codes{"flutterwave": "303", "cbn": "303"}), pastor),
				Want:  `POST accounts/resolve {"account_bank":"303","account_number":"0690000032"}`,
			},
			{
				Query: providertest.Account(bank("001", codes{"flutterwave": "001"}), pastor), // the simulated bank
				Want:  `POST accounts/resolve {"account_bank":"001","account_number":"0690000032"}`,
			},
		},
		OtherBank:  providertest.Account(bank("000010", codes{"flutterwave": "050"}), pastor),
		FuzzStatus: 400,
		Simulated: &providertest.SimulatedResolver{
			Banks:    institutions(),
			Magic:    providertest.Account(magic[0], "0000000000"),
			Named:    []core.AccountQuery{providertest.Account(gtb, "0123456789"), providertest.Account(magic[1], "0000000200")},
			Ordinary: []core.AccountQuery{providertest.Account(gtb, "1241234000")},
		},
	}
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func directory() providertest.Directory {
	file, body := providertest.File, providertest.Body
	d := providertest.Directory{
		API: api(), Op: "banks", Country: "GH", Good: file(200, "banks_ghana.json"),
		Codes: map[string]map[string]string{
			"NG": {"560": "560", "058": "058", "044": "044", "090267": "090267"},
			"GH": {"280100": "GH280100", "030100": "GH030100", "MTN": "MTN", "VODAFONE": "VODAFONE", "GH2801000": "GH2801000"},
			"KE": {"01": "01", "10276": "10276", "MPS": "MPS"},
			"UG": {"16": "16", "MTN-UG": "MTN-UG"},
			"ZA": {"FNB": "FNB", "NEDBANK": "NedBank"},
			"TZ": {"003": "003", "TIGOPESA-TZS": "TIGOPESA-TZS"},
		},
		LeftOut: map[string][]string{"NG": {"", "58", "120003"}},
		Rows: []core.Bank{
			providertest.Row("NG", "058", "GTBank Plc", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "560", "Page MFBank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "304", "Stanbic Mobile Money", core.MobileMoneyBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "990", "Omoluabi Mortgage Bank", core.MortgageBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "090267", "Kuda Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("GH", "280100", "ACCESS BANK GH LTD", core.CommercialBank, core.BankTransfer, "GHS"),
			providertest.Row("GH", "MTN", "MTN Mobile Money", core.MobileMoneyBank, core.MobileMoney, "GHS"),
			providertest.Row("GH", "TIG", "TIGO Mobile Money", core.MobileMoneyBank, core.MobileMoney, "GHS"),
			providertest.Row("KE", "MPS", "MPESA(KN)", core.MobileMoneyBank, core.MobileMoney, "KES"),
			providertest.Row("UG", "AIRTEL-UG", "Airtel", core.MobileMoneyBank, core.MobileMoney, "UGX"),
			providertest.Row("ZA", "NEDBANK", "Nedbank Limited", core.CommercialBank, core.BankTransfer, "ZAR"),
			providertest.Row("TZ", "TIGOPESA-TZS", "Tigo Pesa", core.MobileMoneyBank, core.MobileMoney, "TZS"),
		},
		Broken: map[string]providertest.Response{
			"no list":         file(200, "banks_none.json"),
			"no usable row":   file(200, "banks_all_unusable.json"),
			"error with 200":  body(200, `{"status":"error","message":"planted words","data":[]}`),
			"no status":       body(200, `{"data":[{"id":1,"code":"044","name":"Access Bank"}]}`),
			"no data":         body(200, `{"status":"success","message":"Banks fetched successfully"}`),
			"null data":       body(200, `{"status":"success","data":null}`),
			"data not a list": body(200, `{"status":"success","data":{}}`),
		},
		Requests: map[string][]string{"GH": {"GET banks/GH"}},
		Simulated: &providertest.SimulatedDirectory{
			Banks: institutions(),
			Codes: map[string]map[string]string{
				"NG": {"058": "058", "090001": "090001"}, "GH": {"030100": "GH030100", "VODAFONE": "VODAFONE"},
				"KE": {"MPS": "MPS"}, "TZ": {"005": "005"},
			},
			LeftOut: map[string][]string{"NG": {accounts.MagicBank}, "GH": {accounts.MagicBank}},
		},
	}
	for country, name := range map[string]string{
		"NG": "nigeria", "GH": "ghana", "KE": "kenya", "UG": "uganda", "ZA": "south_africa", "TZ": "tanzania",
	} {
		d.Responses = append(d.Responses, providertest.Exception{
			Contains: "/banks/" + country, Respond: file(200, "banks_"+name+".json"),
		})
	}
	return d
}

func TestDirectory(t *testing.T) { directory().Run(t) }

func FuzzDirectory(f *testing.F) { directory().Fuzz(f) }

func institutions() []core.Bank {
	out := []core.Bank{
		gtb, nipOnly, ghBank,
		providertest.Institution("GH", "GHS", "VOD", core.MobileMoney, codes{"flutterwave": "VODAFONE"}),
		providertest.Institution("KE", "KES", "MPESA", core.MobileMoney, codes{"flutterwave": "MPS"}),
	}
	for country, currency := range map[string]string{"UG": "UGX", "ZA": "ZAR", "TZ": "TZS"} {
		out = append(out, providertest.Institution(country, currency, "005", core.BankTransfer, nil))
	}
	return append(out, magic...)
}
