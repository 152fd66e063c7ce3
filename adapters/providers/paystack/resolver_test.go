package paystack_test

import (
	"slices"
	"testing"

	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream"
	"causeway/core"
)

const jane core.Private = "0123456789" // the account of the fixtures

type codes = map[string]string

func bank(country, code string, c codes) core.Bank {
	return providertest.Institution(country, "NGN", code, core.BankTransfer, c)
}

// Institutions of queries and simulated worlds.
var (
	gtb     = bank("NG", "000013", codes{"cbn": "058", "swift": "GTBINGLA"})
	nipOnly = bank("NG", "090001", nil)
	ghBank  = providertest.Institution("GH", "GHS", "030100", core.BankTransfer, nil)
	mtn     = providertest.Institution("GH", "GHS", "MTN", core.MobileMoney, nil)
	kcb     = providertest.Institution("KE", "KES", "01", core.BankTransfer, nil)
	magic   = providertest.Magic(providertest.Country("NG", "NGN", false), providertest.Country("GH", "GHS", true))
)

func institutions() []core.Bank {
	return slices.Concat([]core.Bank{gtb, nipOnly, ghBank, mtn, kcb}, magic, simulatedZA)
}

func at(number core.Private) core.AccountQuery { return providertest.Account(gtb, number) }

func with(change func(q *core.AccountQuery)) core.AccountQuery {
	return providertest.With(at(jane), change)
}

func spec() providertest.Resolver {
	file, body := providertest.File, providertest.Body
	request := func(q core.AccountQuery, number, code string, key core.Secret) providertest.AccountRequest {
		return providertest.AccountRequest{
			Query: q, Want: "GET bank/resolve?account_number=" + number + "&bank_code=" + code,
			Header: map[string]string{"Authorization": "Bearer " + key.Reveal()},
		}
	}
	account := providertest.Account
	return providertest.Resolver{
		API: api(), Query: at(jane), Good: file(200, "resolved.json"), Name: "DOE JANE LOREN",
		Responses: []providertest.Exception{
			{Contains: "=0123456789", Respond: file(200, "resolved.json")},
			{Contains: "=0241234567", Respond: file(200, "wallet_in_international_form.json")},
			{Contains: "=0000000409", Respond: file(422, "account_closed.json")},
			{Respond: file(422, "could_not_resolve.json")},
		},
		Found: map[string]providertest.Holder{
			"bank account": {Query: at(jane), Name: "DOE JANE LOREN"},
			"wallet":       {Query: account(mtn, "+233241234567"), Name: "KWAME MENSAH"},
		},
		Unknown: at("0000000404"), Closed: at("0000000409"),
		Unsupported: map[string]core.AccountQuery{
			"bank with a NIP code":  with(func(q *core.AccountQuery) { q.Bank = bank("NG", "090999", nil) }),
			"bank as a wallet":      providertest.With(account(ghBank, "1"), func(q *core.AccountQuery) { q.Channel = core.MobileMoney }),
			"wallet as a bank":      providertest.With(account(mtn, "1"), func(q *core.AccountQuery) { q.Channel = core.BankTransfer }),
			"country without a key": account(bank("ZA", "250655", nil), "1"),
			"bank of Kenya":         account(kcb, "1"),
			"wallet of Kenya": account(providertest.Institution("KE", "KES", "MPESA", core.MobileMoney, nil),
				"+254712345678"),
		},
		Cases: []providertest.AccountCase{
			{Respond: file(200, "resolved_without_bank_id.json"), Want: "DOE JANE LOREN"},
			{Respond: file(200, "name_with_spaces.json"), Want: "John Madakin"},
			{Respond: file(200, "name_with_accents.json"), Want: "N'GUESSAN-KOUAMÉ, Ọlá & SONS LTD"},
			{Respond: file(422, "could_not_resolve.json"), NotFound: "number exists"},
			{Respond: file(400, "could_not_resolve.json"), NotFound: "number exists"},
			{Respond: file(422, "could_not_resolve_bare.json"), NotFound: "seems"},
			{Respond: file(400, "could_not_resolve_bare.json"), NotFound: "seems"},
			{Respond: file(400, "invalid_account_number.json"), NotFound: "number exists"},
			{Respond: file(200, "invalid_account_number.json"), NotFound: "number exists"},
			{Respond: file(422, "account_closed.json"), NotFound: "closed or dormant"},
			{Respond: file(400, "account_dormant.json"), NotFound: "closed or dormant"},
		},
		Doubtful: map[upstream.Outcome][]providertest.Response{
			upstream.Undecided: {
				file(400, "unknown_bank_code.json"), file(404, "entity_not_found.json"), file(422, "invalid_bank_code.json"),
				file(400, "invalid_bank_code.json"), file(400, "could_not_resolve_processor_error.json"),
				file(422, "could_not_resolve_processor_error.json"), file(404, "could_not_resolve.json"),
				file(200, "could_not_resolve.json"), file(200, "name_empty.json"), file(200, "name_blank.json"),
				file(200, "name_null.json"), file(200, "name_missing.json"), file(200, "name_placeholder.json"),
				file(200, "name_without_letters.json"), file(200, "name_too_long.json"),
				file(200, "name_with_control_characters.json"), file(200, "name_with_direction_override.json"),
				file(200, "another_account.json"),
				body(422, `{"status":false,"message":"Switch or issuer inoperative"}`),
				body(422, `{"status":false,"message":"Invalid account number or the bank is down"}`),
				body(422, `{"status":false,"message":"planted words","type":"planted words","code":"planted words"}`),
				body(422, `{"status":true,"message":"Invalid account number"}`),
				body(422, `{"status":"false","message":"Invalid account number"}`),
				body(422, "<html>Invalid account number</html>"), body(422, ""),
			},
			upstream.Malformed: {
				file(200, "name_is_a_number.json"), file(200, "data_is_a_list.json"), file(200, "data_missing.json"), body(201, ""),
				body(200, `{"status":true,"data":{"account_number":123456789,"account_name":"planted words"}}`),
			},
			upstream.Unavailable: {
				file(500, "could_not_resolve.json"), file(503, "could_not_resolve.json"), file(500, "invalid_account_number.json"),
				file(502, "account_closed.json"), body(302, "", "Location", "%zzplanted words"),
			},
			upstream.Refused: {
				file(401, "invalid_key.json"), file(401, "no_authorization_header.json"), file(429, "test_mode_cap.json"),
				file(400, "test_mode_cap.json"),
			},
		},
		Requests: []providertest.AccountRequest{
			request(account(bank("NG", "090267", codes{"paystack": "50211", "cbn": "50211X"}), jane), "0123456789", "50211", keyNG),
			request(at(jane), "0123456789", "058", keyNG),
			request(account(bank("NG", "FC40163", nil), jane), "0123456789", "FC40163", keyNG),
			request(account(bank("NG", "001", nil), "0000000404"), "0000000404", "001", keyNG), // the simulated bank
			request(with(func(q *core.AccountQuery) { q.Channel = core.MobileMoney }), "0123456789", "058", keyNG),
			request(with(func(q *core.AccountQuery) {
				q.Channel, q.Bank, q.Number = core.MobileMoney, bank("NG", "100004", codes{"cbn": "999992"}), "+2348031234567"
			}), "8031234567", "999992", keyNG),
			request(account(ghBank, "0031625807099"), "0031625807099", "030100", keyGH),
			request(account(mtn, "+233241234567"), "0241234567", "MTN", keyGH),
			request(account(magic[2], "+233240000200"), "0240000200", "SIM", keyGH),
		},
		OtherBank:  account(bank("NG", "000010", codes{"cbn": "050"}), jane),
		FuzzStatus: 422,
		Simulated: &providertest.SimulatedResolver{
			Banks: institutions(),
			Magic: account(magic[0], "0000000000"),
			Named: []core.AccountQuery{
				at(jane), account(magic[2], "+233241234200"), account(magic[1], "0011234567890"),
			},
			Ordinary: []core.AccountQuery{account(mtn, "+233241234000")},
			Doubtful: map[string]core.AccountQuery{
				"bank of another country": account(bank("NG", kcb.Code, nil), jane), "unknown bank": account(bank("NG", "999", nil), jane),
			},
		},
	}
}

func TestResolver(t *testing.T) { spec().Run(t) }

func FuzzResolver(f *testing.F) { spec().Fuzz(f) }
