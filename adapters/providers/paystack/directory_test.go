package paystack_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"causeway/adapters/providers/providertest"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/simulator/accounts"
)

func directory() providertest.Directory {
	file, body := providertest.File, providertest.Body
	bearer := func(key core.Secret) map[string]string {
		return map[string]string{"Authorization": "Bearer " + key.Reveal()}
	}
	return providertest.Directory{
		API: api(), Op: "banks", Country: "NG", Good: file(200, "banks_nigeria_2.json"),
		Responses: []providertest.Exception{
			{Contains: "country=nigeria&include_nip_sort_code=true&next=YmFuazo3Mg", Respond: file(200, "banks_nigeria_2.json")},
			{Contains: "country=nigeria", Respond: file(200, "banks_nigeria_1.json")},
			{Contains: "country=ghana", Respond: file(200, "banks_ghana_without_meta.json")},
			{Contains: "country=kenya", Respond: file(200, "banks_kenya.json")},
		},
		Codes: map[string]map[string]string{
			"NG": {
				"000013": "058", "000014": "044", "090267": "50211", "120001": "120001", "050006": "FC40163", "035A": "035A",
				"MFB50094": "MFB50094", "51444": "51444",
			},
			"GH": {"280100": "280100", "030100": "030100", "MTN": "MTN", "VOD": "VOD"},
			"KE": {"03": "03", "MPESA": "MPESA"},
		},
		LeftOut: map[string][]string{
			"NG": {"", "null", "NULL", "060", "50999", "50998", "030100"}, "KE": {"MPTILL", "MPPAYBILL"},
		},
		Rows: []core.Bank{
			providertest.Row("NG", "000013", "Guaranty Trust Bank", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "120001", "9mobile 9Payment Service Bank", core.PaymentServiceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "090267", "Kuda Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "050006", "Branch International Financial Services Limited", core.OtherBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "060001", "Coronation Merchant Bank", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "100004", "OPay Digital Services Limited (OPay)", core.MobileMoneyBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "035A", "ALAT by WEMA", core.OtherBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "070006", "Covenant Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "400001", "FSDH Merchant Bank", core.CommercialBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "MFB50094", "Some Microfinance Bank", core.MicrofinanceBank, core.BankTransfer, "NGN"),
			providertest.Row("NG", "268", "Platinum Mortgage Bank", core.MortgageBank, core.BankTransfer, "NGN"),
			providertest.Row("GH", "280100", "Access Bank Ghana", core.CommercialBank, core.BankTransfer, "GHS"),
			providertest.Row("GH", "030100", "Absa Bank Ghana Ltd", core.CommercialBank, core.BankTransfer, "GHS"),
			providertest.Row("GH", "300345", "Adehyeman Savings and Loans", core.OtherBank, core.BankTransfer, "GHS"),
			providertest.Row("GH", "MTN", "MTN", core.MobileMoneyBank, core.MobileMoney, "GHS"),
			providertest.Row("KE", "MPESA", "M-PESA", core.MobileMoneyBank, core.MobileMoney, "KES"),
		},
		Broken: map[string]providertest.Response{
			"no list":          file(200, "banks_none.json"),
			"no usable row":    file(200, "banks_all_unusable.json"),
			"status false":     body(200, `{"status":false,"message":"planted words","data":[]}`),
			"no data":          body(200, `{"status":true,"message":"Banks retrieved"}`),
			"null data":        body(200, `{"status":true,"message":"Banks retrieved","data":null}`),
			"data not a list":  body(200, `{"status":true,"message":"Banks retrieved","data":{}}`),
			"malformed cursor": body(200, `{"status":true,"message":"Banks retrieved","data":[],"meta":{"next":7}}`),
		},
		Halves: map[string]string{"NG": "next="},
		Requests: map[string][]string{
			"NG": {
				"GET bank?country=nigeria&include_nip_sort_code=true&perPage=100&use_cursor=true",
				"GET bank?country=nigeria&include_nip_sort_code=true&next=YmFuazo3Mg%3D%3D&perPage=100&use_cursor=true",
			},
			"GH": {"GET bank?country=ghana&perPage=100&use_cursor=true"},
			"KE": {"GET bank?country=kenya&perPage=100&use_cursor=true"},
		},
		Headers: map[string]map[string]string{"NG": bearer(keyNG), "GH": bearer(keyGH), "KE": bearer(keyKE)},
		Simulated: &providertest.SimulatedDirectory{
			Banks: institutions(),
			Codes: map[string]map[string]string{
				"NG": {"000013": "058", "090001": "090001"}, "GH": {"030100": "030100", "MTN": "MTN"}, "KE": {"01": "01"},
			},
			LeftOut: map[string][]string{
				"NG": {"", "999801", "999802", accounts.MagicBank}, "GH": {"", "999801", "999802", accounts.MagicWallet},
				"KE": {"", "999801", "999802"},
			},
		},
	}
}

func TestDirectory(t *testing.T) { directory().Run(t) }

func FuzzDirectory(f *testing.F) { directory().Fuzz(f) }

func TestDirectory_EndlessPages(t *testing.T) {
	t.Parallel()
	n := 0
	clients := open(t, upstreamtest.Saying(t, base, func(r *http.Request) (*http.Response, error) {
		n++
		page := strings.Replace(upstreamtest.Read(t, "banks_nigeria_1.json"), "YmFuazo3Mg==", strconv.Itoa(n), 1)
		return upstreamtest.Text(http.StatusOK, page)(r)
	}))
	if _, err := clients.Directory.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestDirectory_CursorOfPastPage(t *testing.T) {
	t.Parallel()
	mock := upstreamtest.Saying(t, base, upstreamtest.File(t, "banks_nigeria_1.json"))
	clients := open(t, mock)
	if _, err := clients.Directory.Banks(t.Context(), "NG"); core.CodeOf(err) != core.Unavailable || mock.GetTotalCallCount() != 2 {
		t.Errorf("got %v after %d requests, want 2", err, mock.GetTotalCallCount())
	}
}
