package afriex_test

import (
	"testing"

	"causeway/adapters/providers/afriex"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/accounts"
)

const key core.Secret = "afx_planted_0011223344"

func api() providertest.API {
	return providertest.API{
		Settings:   &afriex.Config{APIKey: key},
		Descriptor: afriex.Descriptor,
		Rejected: []providertest.BadSettings{
			{Settings: &afriex.Config{APIKey: key + "\n"}, Error: "X-Api-Key"},
		},
		Secrets: []string{"afx_planted"},
		URL:     "https://api.afriex.com/api/v1/payment-method/",
		Header:  map[string]string{"X-Api-Key": key.Reveal()},
	}
}

const (
	john   core.Private = "0123456789"    // the account of the fixtures
	akinyi core.Private = "+254712345678" // the wallet of the fixtures
)

type codes = map[string]string

func bank(country, code string, c codes) core.Bank {
	return providertest.Institution(country, "NGN", code, core.BankTransfer, c)
}

func wallet(country, code, own string) core.Bank {
	return providertest.Institution(country, "KES", code, core.MobileMoney, codes{"afriex": own})
}

// at returns a query about an account at Guaranty Trust Bank.
func at(number core.Private) core.AccountQuery {
	return providertest.Account(bank("NG", "000013", codes{"nip": "000013", "cbn": "058"}), number)
}

func atMPESA(number core.Private) core.AccountQuery {
	return providertest.Account(wallet("KE", "MPESA", "SAFARICOM"), number)
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	with := func(change func(q *core.AccountQuery)) core.AccountQuery { return providertest.With(at(john), change) }
	mobile := func(change func(q *core.AccountQuery)) core.AccountQuery {
		return providertest.With(atMPESA(akinyi), change)
	}
	withBank := func(b core.Bank) core.AccountQuery { return providertest.Account(b, john) }
	ghana := providertest.Account(bank("GH", "300304", codes{"afriex": "SAFARICOM"}), akinyi)
	s := providertest.Resolver{
		API: api(), Query: at(john), Good: file(200, "resolved.json"), Name: "John Doe",
		Responses: []providertest.Exception{
			{Contains: "=0123456789", Respond: file(200, "resolved.json")},
			{Contains: "=254712345678", Respond: file(200, "resolved_wallet.json")},
			{Contains: "=0000000409", Respond: file(400, "account_closed.json")},
			{Respond: file(404, "not_found.json")},
		},
		Found: map[string]providertest.Holder{
			"bank account":      {Query: at(john), Name: "John Doe"},
			"wallet of Nigeria": {Query: with(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), Name: "John Doe"},
			"bank of Ghana":     {Query: ghana, Name: "AKINYI OTIENO"},
			"wallet":            {Query: atMPESA(akinyi), Name: "AKINYI OTIENO"},
		},
		Unknown: at("0000000404"), Closed: at("0000000409"),
		Unsupported: map[string]core.AccountQuery{
			"bank without a code":        with(func(q *core.AccountQuery) { q.Bank.Codes = nil }),
			"wallet without an operator": mobile(func(q *core.AccountQuery) { q.Bank = core.Bank{} }),
			"operator without a code":    mobile(func(q *core.AccountQuery) { q.Bank.Codes = nil }),
			"operator of no country":     mobile(func(q *core.AccountQuery) { q.Bank.Country = "" }),
			"pay bill":                   mobile(func(q *core.AccountQuery) { q.Channel, q.Bank = core.PayBill, core.Bank{} }),
			"bank as a wallet":           mobile(func(q *core.AccountQuery) { q.Bank.Channels = []core.Channel{core.BankTransfer} }),
			"wallet of Ghana":            providertest.Account(wallet("GH", "MTN", "MTN"), akinyi),
			"bank of Ghana without a code": providertest.With(ghana, func(q *core.AccountQuery) {
				q.Bank.Codes = codes{"ghipss": "300304"}
			}),
			"wallet as a bank": providertest.With(ghana, func(q *core.AccountQuery) {
				q.Bank.Channels = []core.Channel{core.MobileMoney}
			}),
			"bank of Kenya":   withBank(bank("KE", "01", codes{"afriex": "01"})),
			"unknown country": withBank(bank("ZA", "632005", codes{"afriex": "632005"})),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "resolved_flat.json"), Want: "JOHN DOE"},
			{
				Name: "institution that does not name itself", Query: atMPESA(akinyi),
				Respond: file(200, "resolved_name_alone.json"), Want: "DOE JOHN",
			},
			{Respond: file(404, "not_found.json"), NotFound: "No account"},
			{Respond: file(400, "account_closed.json"), NotFound: "closed or dormant"},
			{Respond: file(422, "account_dormant.json"), NotFound: "closed or dormant"},
			{
				Name: "number of another country", Query: atMPESA("+256712345678"),
				Respond: file(400, "phone_country_mismatch.json"), Outcome: upstream.Undecided,
			},
			{
				Name: "wallet of another operator", Query: providertest.Account(wallet("KE", "AIRTEL", "airtel"), akinyi),
				Respond: file(200, "resolved_wallet.json"), Outcome: upstream.Undecided,
			},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(404, "route_not_found.json"), file(400, "not_found.json"), file(200, "not_found.json"),
				file(400, "phone_country_mismatch.json"), file(400, "validation_error.json"),
				file(200, "account_closed.json"), file(200, "server_error.json"),
				file(200, "name_omitted.json"), file(200, "name_null.json"), file(200, "name_empty.json"),
				file(200, "another_institution.json"), file(200, "data_null.json"), body(200, `{}`),
				body(404, "<html>PAYMENT_METHOD_NOT_FOUND</html>"), body(404, ""),
				body(404, `{"error":"Payment method not found","details":{"errorMessage":"Payment method not found"}}`),
				body(404, `{"code":"PAYMENT_METHOD_NOT_FOUND","details":"?"}`),
				body(200, `{"code":"X","data":{"recipientName":"John Doe"}}`),
				body(200, `{"data":{"recipientName":"John Doe","institutionCode":"planted words"}}`),
				body(400, `{"code":"planted words","error":"planted words","details":{"errorMessage":"planted words"}}`),
			},
			upstream.Malformed: {
				file(200, "two_forms.json"), file(200, "data_is_a_list.json"),
				file(200, "name_is_a_number.json"), body(200, `{"data":{"recipientName":["planted words"]}}`),
			},
			upstream.Unavailable: {
				file(500, "not_found.json"), file(503, "not_found.json"), file(502, "account_closed.json"),
				file(500, "server_error.json"), file(503, "external_request_error.json"),
				body(502, "<html>Bad gateway</html>"), body(302, ""),
			},
			upstream.Refused:   {file(401, "invalid_key.json"), file(403, "invalid_key.json")},
			upstream.Throttled: {body(429, `{"code":"TOO_MANY_REQUESTS","error":"Rate limit exceeded","details":{}}`)},
		},
		Requests: []providertest.AccountRequest{
			{Query: withBank(bank("NG", "090267", codes{"afriex": "KUDA", "nip": "090267", "cbn": "50211"})), Want: nigerian + "KUDA"},
			{Query: at(john), Want: nigerian + "000013"},
			{Query: withBank(bank("NG", "50211", codes{"cbn": "50211"})), Want: nigerian + "50211"},
			{
				Query: atMPESA(akinyi),
				Want:  "GET resolve?accountNumber=254712345678&channel=MOBILE_MONEY&countryCode=KE&institutionCode=SAFARICOM",
			},
		},
		OtherBank:  withBank(bank("NG", "000010", codes{"nip": "000010"})),
		FuzzStatus: 404, NoneStatus: []int{404},
		Simulated: simulatedResolver(),
	}
	// The response names the institution by any code of it.
	cbnOnly := bank("NG", "058", codes{"cbn": "058"})
	listed := bank("NG", "058", codes{"cbn": "058", "afriex": "000013"})
	for _, c := range []struct {
		bank    core.Bank
		code    string
		outcome upstream.Outcome
	}{
		{at(john).Bank, "000013", ""},
		{at(john).Bank, "058", ""},
		{at(john).Bank, " 000013 ", ""},
		{at(john).Bank, "", ""},
		{at(john).Bank, "000015", upstream.Undecided},
		{at(john).Bank, "057", upstream.Undecided},
		{listed, "000013", ""},
		{listed, "000015", upstream.Undecided},
		{cbnOnly, "000013", ""},
	} {
		row := providertest.AccountCase{
			Name: "code " + c.code + " of " + c.bank.Code, Query: withBank(c.bank), Outcome: c.outcome,
			Respond: body(200, `{"data":{"recipientName":"John Doe","institutionCode":"`+c.code+`"}}`),
		}
		if c.outcome == "" {
			row.Want = "John Doe"
		}
		s.Cases = append(s.Cases, row)
	}
	return s
}

const nigerian = "GET resolve?accountNumber=0123456789&channel=BANK_ACCOUNT&countryCode=NG&institutionCode="

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func directory() providertest.Directory {
	file, body := providertest.File, providertest.Body
	return providertest.Directory{
		API: api(), Op: "banks", Country: "NG", Good: file(200, "banks_nigeria.json"),
		Responses: []providertest.Exception{
			{Contains: "BANK_ACCOUNT&countryCode=NG", Respond: file(200, "banks_nigeria.json")},
			{Contains: "BANK_ACCOUNT&countryCode=GH", Respond: file(200, "banks_ghana.json")},
			{Respond: file(200, "wallets_kenya.json")},
		},
		Codes: map[string]map[string]string{
			"NG": {"000013": "000013", "000015": "000015", "100004": "100004"},
			"GH": {"300304": "300304"},
			"KE": {"SAFARICOM": "SAFARICOM", "AIRTEL": "airtel"},
			"CM": {"AIRTEL": "airtel"},
		},
		LeftOut: map[string][]string{"NG": {"", "NULL", "000017", "18"}},
		Rows: []core.Bank{
			providertest.Row("NG", "000013", "Guaranty Trust Bank (GTBank) Plc", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "100004", "OPay", core.MobileMoneyBank, core.BankTransfer, "NGN"),
			providertest.Row("GH", "300304", "GCB Bank", core.CommercialBank, core.BankTransfer, "GHS"),
			providertest.Row("KE", "SAFARICOM", "SAFARICOM", core.MobileMoneyBank, core.MobileMoney, "KES"),
			providertest.Row("CI", "AIRTEL", "Airtel", core.MobileMoneyBank, core.MobileMoney, "XOF"),
			providertest.Row("CM", "AIRTEL", "Airtel", core.MobileMoneyBank, core.MobileMoney, "XAF"),
		},
		Broken: map[string]providertest.Response{
			"error with 200":     file(200, "server_error.json"),
			"no list":            file(200, "banks_none.json"),
			"no usable row":      file(200, "banks_all_unusable.json"),
			"account":            file(200, "resolved.json"),
			"null data":          file(200, "data_null.json"),
			"list and a failure": body(200, `{"code":"X","data":[{"institutionName":"MTN","institutionCode":"MTN"}]}`),
			"bare list":          body(200, `[{"institutionName":"MTN","institutionCode":"MTN"}]`),
		},
		Requests: map[string][]string{
			"NG": {"GET institution?channel=BANK_ACCOUNT&countryCode=NG"},
			"GH": {"GET institution?channel=BANK_ACCOUNT&countryCode=GH"},
			"UG": {"GET institution?channel=MOBILE_MONEY&countryCode=UG"},
		},
		Simulated: &providertest.SimulatedDirectory{
			Banks: institutions(),
			Codes: map[string]map[string]string{
				"NG": {"000013": "000013"}, "GH": {"030100": "030100"}, "KE": {"SAFARICOM": "SAFARICOM", "AIRTEL": "AIRTEL"},
				"CI": {"ORANGE": "ORANGE"},
			},
			LeftOut: map[string][]string{
				"NG": {accounts.MagicBank, accounts.MagicWallet}, "GH": {"MTN"}, "KE": {accounts.MagicWallet},
			},
		},
	}
}

func TestDirectory(t *testing.T) { directory().Run(t) }

func FuzzDirectory(f *testing.F) { directory().Fuzz(f) }

// magic are the magic institutions: a bank and a wallet of Nigeria, the same of Kenya, and a bank
// of Ghana.
var magic = providertest.Magic(
	providertest.Country("NG", "NGN", true), providertest.Country("KE", "KES", true), providertest.Country("GH", "GHS", false),
)

// institutions are institutions of simulated worlds: one or more of each country.
func institutions() []core.Bank {
	banks := append([]core.Bank{
		at(john).Bank, atMPESA(akinyi).Bank, wallet("KE", "AIRTEL", "AIRTEL"), wallet("GH", "MTN", ""),
		bank("GH", "030100", codes{"afriex": "030100"}),
	}, magic...)
	for _, country := range []string{"CI", "UG", "TZ", "RW", "SN", "CM"} {
		banks = append(banks, providertest.Institution(country, "XOF", "ORANGE", core.MobileMoney, nil))
	}
	return banks
}

func simulatedResolver() *providertest.SimulatedResolver {
	unknownCode := bank("NG", "000013", codes{"afriex": "999999"})
	cbnOnly := at(john)
	cbnOnly.Bank.Codes = codes{"cbn": "058"}
	return &providertest.SimulatedResolver{
		Banks: institutions(),
		Magic: providertest.Account(magic[0], "0000000000"),
		Named: []core.AccountQuery{
			at(john), cbnOnly, providertest.Account(magic[1], "0000000200"),
			providertest.Account(magic[3], "+254712345302"), providertest.Account(magic[4], "0000000200"),
		},
		Ordinary: []core.AccountQuery{atMPESA("+254712345000")},
		Doubtful: map[string]core.AccountQuery{
			"number of another country": atMPESA("+256712345678"),
			"unknown code":              providertest.Account(unknownCode, "0123456789"),
		},
	}
}
