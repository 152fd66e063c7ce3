package korapay_test

import (
	"testing"

	"causeway/adapters/providers/korapay"
	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/simulator/accounts"
)

const key core.Secret = "sk_test_0011223344"

func api() providertest.API {
	return providertest.API{
		Settings:   &korapay.Config{SecretKey: key},
		Descriptor: korapay.Descriptor,
		Rejected: []providertest.BadSettings{
			{Settings: &korapay.Config{SecretKey: key + "\n"}, Error: "Authorization"},
		},
		Secrets: []string{"sk_test"},
		URL:     "https://api.korapay.com/merchant/api/v1/misc/",
		Header:  map[string]string{"Authorization": "Bearer " + key.Reveal()},
	}
}

const (
	gbenga core.Private = "5273681014"    // the account of the fixtures
	ebuka  core.Private = "+233241234567" // the wallet of the fixtures
)

func bank(code string, codes map[string]string) core.Bank {
	return providertest.Institution("NG", "NGN", code, core.BankTransfer, codes)
}

func wallet(country, code string) core.Bank {
	return providertest.Institution(country, "GHS", "MTN", core.MobileMoney, map[string]string{"korapay": code})
}

// at returns a query about an account at a bank.
func at(number core.Private) core.AccountQuery {
	return providertest.Account(bank("000003", map[string]string{"korapay": "214"}), number)
}

func spec() providertest.Resolver {
	atMTN := providertest.Account(wallet("GH", "0004"), ebuka)
	inKenya := providertest.Institution("KE", "KES", "01", core.BankTransfer, map[string]string{"korapay": "0001"})
	with := func(change func(q *core.AccountQuery)) core.AccountQuery {
		return providertest.With(at(gbenga), change)
	}
	ownWallet := with(func(q *core.AccountQuery) { q.Channel = core.MobileMoney })
	none := providertest.Body(400, `{"status":false,"message":"planted words","data":null}`)
	file, body := providertest.File, providertest.Body
	s := providertest.Resolver{
		API: api(), Query: at(gbenga), Good: file(200, "resolved.json"), Name: "ADEYI GBENGA MICHAEL",
		Responses: []providertest.Exception{
			{Contains: "233241234567", Respond: file(200, "resolved_wallet.json")},
			{Contains: gbenga.Reveal(), Respond: file(200, "resolved.json")},
			{Contains: "0000000409", Respond: file(400, "account_closed.json")},
			{Respond: file(400, "invalid_account.json")},
		},
		Found: map[string]providertest.Holder{
			"wallet of Ghana":   {Query: atMTN, Name: "EBUKA CIROMA OLADEMJI"},
			"bank account":      {Query: at(gbenga), Name: "ADEYI GBENGA MICHAEL"},
			"wallet of Nigeria": {Query: ownWallet, Name: "ADEYI GBENGA MICHAEL"},
		},
		Unknown: at("0000000404"), Closed: at("0000000409"),
		Unsupported: map[string]core.AccountQuery{
			"bank with a NIP code":     with(func(q *core.AccountQuery) { q.Bank = bank("090999", nil) }),
			"code of the central bank": with(func(q *core.AccountQuery) { q.Bank = bank("000013", map[string]string{"cbn": "058"}) }),
			"wallet of Kenya":          providertest.Account(wallet("KE", "0001"), "+254712345678"),
			"wallet as a bank": providertest.With(atMTN, func(q *core.AccountQuery) {
				q.Channel = core.BankTransfer
			}),
			"bank as a wallet": providertest.With(atMTN, func(q *core.AccountQuery) {
				q.Bank.Channels = []core.Channel{core.BankTransfer}
			}),
			"wallet without a code": providertest.With(atMTN, func(q *core.AccountQuery) { q.Bank.Codes = nil }),
			"bank of South Africa": providertest.Account(providertest.Institution("ZA", "ZAR", "632005",
				core.BankTransfer, map[string]string{"korapay": "632005"}), "1"),
			"bank of Ghana":   providertest.Account(ghBank, "1"),
			"unknown country": providertest.Account(wallet("CI", "1"), "1"),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "name_with_spaces.json"), Want: "ADEYI GBENGA"},
			{Respond: file(200, "nip_code.json"), Want: "ADEYI GBENGA MICHAEL"},
			{Respond: file(200, "without_bank.json"), Want: "ADEYI GBENGA MICHAEL"},
			{Respond: file(400, "invalid_account.json"), NotFound: "No account"},
			{Respond: file(200, "invalid_account.json"), NotFound: "No account"},
			{Respond: file(422, "invalid_account_with_stop.json"), NotFound: "No account"},
			{Respond: file(400, "account_closed.json"), NotFound: "closed or dormant"},
			{Respond: file(404, "account_dormant.json"), NotFound: "closed or dormant"},
			{Name: "wallet", Query: atMTN, Respond: file(200, "resolved_wallet.json"), Want: "EBUKA CIROMA OLADEMJI"},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				none, file(400, "unable_to_resolve.json"), file(200, "unable_to_resolve.json"),
				file(200, "name_null.json"), file(200, "name_empty.json"), file(200, "data_empty.json"),
				file(200, "another_account.json"), file(200, "another_institution.json"),
				file(200, "wallet_without_number.json"), file(200, "resolved_wallet.json"),
				file(400, "internal_server_error.json"), file(400, "invalid_request_data.json"),
				body(400, `{"status":false,"message":"Account is closed for maintenance"}`),
				body(400, `{"status":true,"message":"Account is closed"}`),
				body(400, `{"message":"Account is closed"}`),
				body(400, `{"status":"false","message":"Invalid account"}`),
				body(400, "<html>Account is closed</html>"), body(400, ""),
			},
			upstream.Malformed: {
				file(200, "account_and_wallet.json"), file(200, "name_is_a_number.json"), file(200, "data_missing.json"),
				file(200, "data_is_a_list.json"),
				body(200, `{"status":null,"data":{"account_number":"5273681014","account_name":"ADEYI"}}`),
				body(200, `{"status":"planted words","data":null}`),
			},
			upstream.Unavailable: {
				file(500, "invalid_account.json"), file(503, "invalid_account.json"), file(502, "account_closed.json"),
				file(500, "internal_server_error.json"), body(302, ""),
			},
			upstream.Refused: {file(401, "invalid_key.json"), file(403, "invalid_account.json")},
		},
		Requests: []providertest.AccountRequest{
			{
				Query: providertest.Account(bank("090267", map[string]string{"korapay": "090267", "cbn": "50211"}), gbenga),
				Want:  `POST banks/resolve {"account":"5273681014","bank":"090267","currency":"NGN"}`,
			},
			{Query: at(gbenga), Want: `POST banks/resolve {"account":"5273681014","bank":"214","currency":"NGN"}`},
			{Query: ownWallet, Want: `POST banks/resolve {"account":"5273681014","bank":"214","currency":"NGN"}`},
			{
				Query: providertest.Account(inKenya, "1234567890"),
				Want:  `POST banks/resolve {"account":"1234567890","bank":"0001","currency":"KES"}`,
			},
			{
				Query: atMTN,
				Want:  `POST mobile-money/resolve {"currency":"GHS","mobileMoneyCode":"0004","phoneNumber":"233241234567"}`,
			},
		},
		OtherBank:  providertest.Account(bank("000010", map[string]string{"korapay": "050"}), gbenga),
		FuzzStatus: 400,
		Simulated:  simulatedResolver(),
	}
	for _, name := range []string{"wallet_of_another.json", "wallet_without_number.json", "wallet_of_another_operator.json", "resolved.json"} {
		s.Cases = append(s.Cases, providertest.AccountCase{
			Name: "wallet " + name, Query: atMTN, Respond: file(200, name), Outcome: upstream.Undecided,
		})
	}
	return s
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }

func directory() providertest.Directory {
	file, body := providertest.File, providertest.Body
	return providertest.Directory{
		API: api(), Op: "banks", Country: "GH", Good: file(200, "wallets_ghana.json"),
		Responses: []providertest.Exception{
			{Contains: "/banks?countryCode=NG", Respond: file(200, "banks_nigeria.json")},
			{Contains: "/banks?countryCode=KE", Respond: file(200, "banks_kenya.json")},
			{Contains: "/banks?countryCode=ZA", Respond: file(200, "banks_south_africa.json")},
			{Contains: "/mobile-money?countryCode=GH", Respond: file(200, "wallets_ghana.json")},
			{Contains: "/mobile-money?countryCode=KE", Respond: file(200, "wallets_kenya.json")},
		},
		Codes: map[string]map[string]string{
			"NG": {"044": "044", "214": "214", "100004": "100004", "090267": "090267", "100002": "916", "090116": "914", "323": "323", "901": "901", "902": "902"},
			"GH": {"MTN": "0004", "VOD": "0005", "ATL": "0006", "0007": "0007"},
			"KE": {"35": "0035", "01": "0001", "12345": "12345", "MPESA": "0001", "AIRTEL": "0002", "TELKOM-KE": "0003"},
			"ZA": {"632005": "632005"},
		},
		LeftOut: map[string][]string{"NG": {"", "121", "58", "0035"}},
		Rows: []core.Bank{
			providertest.Row("NG", "044", "Access Bank Nigeria", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "100004", "OPay", core.MobileMoneyBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "090267", "Kuda Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "100002", "PAGA", core.MobileMoneyBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "090116", "AMML Micro-finance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("GH", "MTN", "MTN", core.MobileMoneyBank, core.MobileMoney, "GHS"),
			providertest.Row("KE", "35", "ABC Bank", core.CommercialBank, core.BankTransfer, "KES"),
			providertest.Row("KE", "01", "KCB", core.CommercialBank, core.BankTransfer, "KES"),
			providertest.Row("KE", "MPESA", "Safaricom", core.MobileMoneyBank, core.MobileMoney, "KES"),
			providertest.Row("KE", "TELKOM-KE", "Telkom", core.MobileMoneyBank, core.MobileMoney, "KES"),
			providertest.Row("ZA", "632005", "ABSA", core.CommercialBank, core.BankTransfer, "ZAR"),
		},
		Broken: map[string]providertest.Response{
			"no list":         file(200, "banks_none.json"),
			"no usable row":   file(200, "banks_all_unusable.json"),
			"status false":    body(200, `{"status":false,"message":"planted words","data":[]}`),
			"no status":       body(200, `{"data":[{"code":"0004","slug":"mtn-gh","name":"MTN"}]}`),
			"no data":         body(200, `{"status":true,"message":"Banks fetched successfully"}`),
			"null data":       body(200, `{"status":true,"data":null}`),
			"data not a list": body(200, `{"status":true,"data":{}}`),
			"status as text":  body(200, `{"status":"true","data":[{"code":"0004","slug":"mtn-gh","name":"MTN"}]}`),
		},
		Halves: map[string]string{"KE": "mobile-money"},
		Requests: map[string][]string{
			"NG": {"GET banks?countryCode=NG"}, "ZA": {"GET banks?countryCode=ZA"}, "GH": {"GET mobile-money?countryCode=GH"},
			"KE": {"GET banks?countryCode=KE", "GET mobile-money?countryCode=KE"},
		},
		Simulated: &providertest.SimulatedDirectory{
			Banks: institutions(),
			Codes: map[string]map[string]string{
				"NG": {"058": "058", "090001": "090001"}, "GH": {"MTN": "0004"}, "KE": {"35": "0035", "MPESA": "0001"},
				"ZA": {"632005": "632005"},
			},
			LeftOut: map[string][]string{"NG": {accounts.MagicBank, accounts.MagicWallet}, "GH": {accounts.MagicWallet, "030100"}},
		},
	}
}

func TestDirectory(t *testing.T) { directory().Run(t) }

func FuzzDirectory(f *testing.F) { directory().Fuzz(f) }

// Institutions of simulated worlds.
var (
	gtb     = providertest.Institution("NG", "NGN", "000013", core.BankTransfer, map[string]string{"korapay": "058"})
	nipOnly = providertest.Institution("NG", "NGN", "090001", core.BankTransfer, nil)
	abc     = providertest.Institution("KE", "KES", "35", core.BankTransfer, map[string]string{"korapay": "0035"})
	zaBank  = providertest.Institution("ZA", "ZAR", "632005", core.BankTransfer, nil)
	ghBank  = providertest.Institution("GH", "GHS", "030100", core.BankTransfer, nil)
	mpesa   = providertest.Institution("KE", "KES", "MPESA", core.MobileMoney, nil)
	magic   = providertest.Magic(providertest.Country("NG", "NGN", true), providertest.Country("GH", "GHS", true), providertest.Country("KE", "KES", false))
)

func institutions() []core.Bank {
	return append([]core.Bank{gtb, nipOnly, ghBank, wallet("GH", "0004"), abc, mpesa, zaBank}, magic...)
}

func simulatedResolver() *providertest.SimulatedResolver {
	unknownCode := gtb
	unknownCode.Codes = map[string]string{"korapay": "043"}
	return &providertest.SimulatedResolver{
		Banks: institutions(),
		Magic: providertest.Account(magic[0], "0000000000"),
		Named: []core.AccountQuery{
			providertest.Account(gtb, "0123456789"), providertest.Account(wallet("GH", "0004"), ebuka),
			providertest.Account(magic[3], "+233241234302"), providertest.Account(magic[4], "0000000200"),
			providertest.Account(magic[1], "0000000200"),
		},
		Ordinary: []core.AccountQuery{providertest.Account(gtb, "1241234000")},
		Doubtful: map[string]core.AccountQuery{"unknown code": providertest.Account(unknownCode, "0123456789")},
	}
}
