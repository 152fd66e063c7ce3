package wire_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	simulatedafriex "causeway/simulator/wire/afriex"
	"causeway/simulator/wire/all"
	simulatedbusha "causeway/simulator/wire/busha"
	simulatedflutterwave "causeway/simulator/wire/flutterwave"
	simulatedkorapay "causeway/simulator/wire/korapay"
	"causeway/simulator/world"
)

var update = flag.Bool("update", false, "write the golden files")

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 250_000_000, time.UTC)

// newWorld is a world with a few institutions of every kind that matters to a wire.
func newWorld(t testing.TB) *world.World {
	t.Helper()
	w, err := world.New(world.Config{Seed: "causeway"}, func() time.Time { return noon }, institutions())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func institutions() []core.Bank {
	transfer, wallet := []core.Channel{core.BankTransfer}, []core.Channel{core.MobileMoney}
	list := []core.Bank{
		{Country: "NG", Currency: "NGN", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Channels: transfer, Codes: map[string]string{"cbn": "058", "swift": "GTBINGLA"}},
		{Country: "NG", Currency: "NGN", Code: "100004", Name: "OPay", Type: core.MobileMoneyBank, Channels: wallet, Codes: map[string]string{"cbn": "999992"}},
		{Country: "NG", Currency: "NGN", Code: "090100", Name: "Alekun Microfinance Bank", Type: core.MicrofinanceBank, Channels: transfer},
		{Country: "NG", Currency: "NGN", Code: "303", Name: "Lotus Bank", Type: core.CommercialBank, Channels: transfer, Codes: map[string]string{"cbn": "303"}},
		{Country: "GH", Currency: "GHS", Code: "090100", Name: "Société Générale Ghana", Type: core.CommercialBank, Channels: transfer},
		{Country: "GH", Currency: "GHS", Code: "MTN", Name: "MTN Mobile Money", Type: core.MobileMoneyBank, Channels: wallet},
		{Country: "KE", Currency: "KES", Code: "01", Name: "KCB Bank", Type: core.CommercialBank, Channels: transfer},
		{Country: "KE", Currency: "KES", Code: "MPESA", Name: "M-PESA", Type: core.MobileMoneyBank, Channels: wallet},
		{Country: "KE", Currency: "KES", Code: "MPTILL", Name: "M-PESA Till", Type: core.OtherBank, Channels: []core.Channel{core.Till}},
		{Country: "ZA", Currency: "ZAR", Code: "632005", Name: "Absa", Type: core.CommercialBank, Channels: transfer},
		{Country: "CI", Currency: "XOF", Code: "CI008", Name: "Société Générale Côte d'Ivoire", Type: core.CommercialBank, Channels: transfer},
		{Country: "CI", Currency: "XOF", Code: "WAVE_CI", Name: "Wave", Type: core.MobileMoneyBank, Channels: wallet, Codes: map[string]string{"paystack": "WAVE"}},
		{Country: "UG", Currency: "UGX", Code: "02", Name: "A bank that Paystack does not know", Type: core.CommercialBank, Channels: transfer},
	}
	return slices.Concat(list, accounts.MagicBanks([]core.Country{
		{Code: "NG", Currencies: []string{"NGN"}},
		{Code: "GH", Currencies: []string{"GHS"}, Channels: []core.ChannelRule{{Channel: core.MobileMoney}}},
		{Code: "ZA", Currencies: []string{"ZAR"}},
	}))
}

// hosts are the first host of each provider.
var hosts = func() map[string]string {
	hosts := map[string]string{}
	for _, d := range all.Descriptors {
		hosts[d.Name] = d.Hosts[0]
	}
	return hosts
}()

// examples are the requests that descriptors have.
func examples() []question {
	var out []question
	for _, d := range all.Descriptors {
		if d.Examples == nil {
			continue
		}
		for _, e := range d.Examples(noon) {
			target := e.Target
			if e.Method == http.MethodPost {
				target = "POST " + target + " " + e.Body
			}
			out = append(out, question{e.Operation, d.Name, target, e.Header})
		}
	}
	return out
}

// goldenFile returns the file with the response to a question.
func goldenFile(q question) string {
	for _, d := range all.Descriptors {
		if d.Name == q.provider && d.Examples != nil {
			return filepath.Join(q.provider, "testdata", q.name+".txt")
		}
	}
	return filepath.Join("testdata", q.provider, q.name+".txt")
}

// question is a question to a provider.
type question struct {
	name     string
	provider string
	target   string // of a GET its path and query; else "POST", path and body with spaces between
	header   http.Header
}

// parts are the method, the path with its query, and the body.
func (q question) parts() (method, path, body string) {
	if post, ok := strings.CutPrefix(q.target, "POST "); ok {
		path, body, _ = strings.Cut(post, " ")
		return http.MethodPost, path, body
	}
	return http.MethodGet, q.target, ""
}

func (q question) request(t testing.TB, base string) *http.Request {
	t.Helper()
	method, path, body := q.parts()
	r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(r.Header, q.header)
	return r
}

func bearer(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }

var (
	nigeria = bearer("sk_test_ng_simulated")
	ghana   = bearer("sk_live_gh_simulated")
	south   = bearer("sk_test_za_simulated")
	anybody = bearer("sk_test_5f4dcc3b5aa765d61d8327deb882cf99")

	flutterwaveKey = bearer(simulatedflutterwave.Key)
	korapayKey     = bearer(simulatedkorapay.Key)
	monnifyLogin   = http.Header{"Authorization": {"Basic TUtfVEVTVF9TSU1VTEFURUQ6U0lNVUxBVEVEMFNFQ1JFVA=="}}
	monnifyToken   = bearer("simulated.1795262400") // of a login at noon
	bushaKey       = bearer(simulatedbusha.Key)
	darajaLogin    = http.Header{"Authorization": {"Basic c2ltdWxhdGVkQ29uc3VtZXJLZXkwMTIzOnNpbXVsYXRlZFNlY3JldDA="}}
	darajaToken    = bearer("daraja.1795262400") // of a login at noon
	afriexKey      = http.Header{"X-Api-Key": {simulatedafriex.Key}}
)

// named is a caller with a User-Agent, nameless one without: Go's client adds its own unless told not to.
var (
	named    = http.Header{"User-Agent": {"causeway"}}
	nameless = http.Header{"User-Agent": {""}}
)

const appID = "?app_id=5f4dcc3b5aa765d61d8327deb882cf99"

// questions has every documented answer and every documented failure, but for broken connections.
var questions = []question{
	{"banks", "paystack", "/bank?country=nigeria", nigeria},
	{"banks_nip", "paystack", "/bank?country=nigeria&include_nip_sort_code=true", nigeria},
	{"banks_first_page", "paystack", "/bank?country=nigeria&use_cursor=true&perPage=3", nigeria},
	{"banks_page_nip", "paystack", "/bank?country=nigeria&use_cursor=true&perPage=3&include_nip_sort_code=true", nigeria},
	{"banks_page_kenya", "paystack", "/bank?country=kenya&use_cursor=true&perPage=100", bearer("sk_test_ke_simulated")},
	{"banks_next_page", "paystack", "/bank?country=nigeria&use_cursor=true&perPage=3&next=YmFuazoz", nigeria},
	{"banks_bad_cursor", "paystack", "/bank?use_cursor=true&next=nonsense", nigeria},
	{"banks_ghana_by_key", "paystack", "/bank", ghana},
	{"banks_by_type", "paystack", "/bank?country=ghana&type=ghipps", nigeria},
	{"banks_kenya", "paystack", "/bank?country=kenya", nigeria},
	{"banks_south_africa", "paystack", "/bank?country=south%20africa&currency=ZAR", nigeria},
	{"banks_ivory_coast", "paystack", "/bank?country=cote%20d%27ivoire", nigeria},
	{"banks_of_another_currency", "paystack", "/bank?country=nigeria&currency=USD", nigeria},
	{"banks_unknown_country", "paystack", "/bank?country=atlantis", nigeria},
	{"no_key", "paystack", "/bank", nil},
	{"bad_key", "paystack", "/bank/resolve?account_number=0123456789&bank_code=058", bearer("pk_test_abc")},
	{"unknown_path", "paystack", "/banks", nigeria},
	{"resolved", "paystack", "/bank/resolve?account_number=0123456789&bank_code=058", nigeria},
	{"resolved_wallet", "paystack", "/bank/resolve?account_number=0241234567&bank_code=mtn", ghana},
	{"resolved_nip_only", "paystack", "/bank/resolve?account_number=0123456789&bank_code=090100", anybody},
	{"unknown_bank", "paystack", "/bank/resolve?account_number=0123456789&bank_code=999", nigeria},
	{"bank_of_another_country", "paystack", "/bank/resolve?account_number=0123456789&bank_code=01", nigeria},
	{"bad_number", "paystack", "/bank/resolve?account_number=12345&bank_code=058", nigeria},
	{"no_number", "paystack", "/bank/resolve?bank_code=058", nigeria},
	{"magic_found", "paystack", "/bank/resolve?account_number=0000000200&bank_code=001", nigeria},
	{"magic_other", "paystack", "/bank/resolve?account_number=0000000123&bank_code=001", nigeria},
	{"magic_wallet", "paystack", "/bank/resolve?account_number=0241234301&bank_code=SIM", ghana},
	{"magic_html", "paystack", "/bank/resolve?account_number=0000000207&bank_code=001", nigeria},
	{"magic_renamed_second", "paystack", "/bank/resolve?account_number=0000000300&bank_code=001", nigeria},
	{"magic_diacritics", "paystack", "/bank/resolve?account_number=0000000302&bank_code=001", nigeria},
	{"magic_empty_name", "paystack", "/bank/resolve?account_number=0000000309&bank_code=001", nigeria},
	{"magic_unknown", "paystack", "/bank/resolve?account_number=0000000404&bank_code=001", nigeria},
	{"magic_closed", "paystack", "/bank/resolve?account_number=0000000409&bank_code=001", nigeria},
	{"magic_throttled", "paystack", "/bank/resolve?account_number=0000000429&bank_code=001", nigeria},
	{"magic_failed", "paystack", "/bank/resolve?account_number=0000000500&bank_code=001", nigeria},
	{"magic_down", "paystack", "/bank/resolve?account_number=0000000503&bank_code=001", nigeria},
	{"banks_validating", "paystack", "/bank?country=south%20africa&enabled_for_verification=true", south},
	{"banks_validating_nigeria", "paystack", "/bank?country=nigeria&enabled_for_verification=true", nigeria},
	{"validated", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Somebody Else","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validated_mismatch", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"9001015009087"}`, south},
	{"validate_no_document", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber"}`, south},
	{"validated_business", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567304","account_name":"TEST OKAFOR & SONS TRADING CO. (NIG) LTD","account_type":"business","document_type":"businessRegistrationNumber","document_number":"2015/123456/07"}`, south},
	{"validate_no_type", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron","account_type":"","document_type":""}`, south},
	{"validate_nigeria", "paystack", `POST /bank/validate {"bank_code":"058","country_code":"NG","account_number":"0123456789","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_key_of_nigeria", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, nigeria},
	{"validate_no_key", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, nil},
	{"validate_unknown_bank", "paystack", `POST /bank/validate {"bank_code":"999","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_no_json", "paystack", `POST /bank/validate x=1`, south},
	{"validate_magic_closed", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567409","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_magic_unknown", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567404","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_magic_empty_name", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567309","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_magic_throttled", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567429","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_magic_failed", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567500","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},
	{"validate_magic_down", "paystack", `POST /bank/validate {"bank_code":"001","country_code":"ZA","account_number":"1234567503","account_name":"Ann Bron","account_type":"personal","document_type":"identityNumber","document_number":"8001015009087"}`, south},

	{"banks", "flutterwave", "/v3/banks/NG", flutterwaveKey},
	{"banks_ghana", "flutterwave", "/v3/banks/GH", flutterwaveKey},
	{"banks_uganda", "flutterwave", "/v3/banks/UG", flutterwaveKey},
	{"banks_of_nowhere", "flutterwave", "/v3/banks/FR", flutterwaveKey},
	{"banks_no_key", "flutterwave", "/v3/banks/NG", nil},
	{"bad_key", "flutterwave", "/v3/banks/NG", bearer("FLWPUBK-abc-X")},
	{"unknown_path", "flutterwave", "/v3/accounts", flutterwaveKey},
	{"resolved", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789","account_bank":"058"}`, bearer("FLWSECK-5f4dcc3b5aa765d6-X")},
	{"resolved_nip_only", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789","account_bank":"090100"}`, flutterwaveKey},
	{"unknown_bank", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789","account_bank":"043"}`, flutterwaveKey},
	{"bank_of_another_country", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789","account_bank":"GH090100"}`, flutterwaveKey},
	{"bad_number", "flutterwave", `POST /v3/accounts/resolve {"account_number":"12345","account_bank":"058"}`, flutterwaveKey},
	{"no_number", "flutterwave", `POST /v3/accounts/resolve {"account_bank":"058"}`, flutterwaveKey},
	{"no_bank", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789"}`, flutterwaveKey},
	{"no_json", "flutterwave", `POST /v3/accounts/resolve account_number=0123456789`, flutterwaveKey},
	{"resolve_no_key", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789","account_bank":"058"}`, nil},
	{"magic_found", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000200","account_bank":"001"}`, flutterwaveKey},
	{"magic_wallet", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000301","account_bank":"SIM"}`, flutterwaveKey},
	{"magic_html", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000207","account_bank":"001"}`, flutterwaveKey},
	{"magic_empty_name", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000309","account_bank":"001"}`, flutterwaveKey},
	{"magic_unknown", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000404","account_bank":"001"}`, flutterwaveKey},
	{"magic_closed", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000409","account_bank":"001"}`, flutterwaveKey},
	{"magic_throttled", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000429","account_bank":"001"}`, flutterwaveKey},
	{"magic_failed", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000500","account_bank":"001"}`, flutterwaveKey},
	{"magic_down", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000503","account_bank":"001"}`, flutterwaveKey},

	{"banks", "korapay", "/merchant/api/v1/misc/banks?countryCode=NG", korapayKey},
	{"banks_public_key", "korapay", "/merchant/api/v1/misc/banks?countryCode=ZA", bearer("pk_live_abc")},
	{"banks_kenya", "korapay", "/merchant/api/v1/misc/banks?countryCode=KE", korapayKey},
	{"wallets_kenya", "korapay", "/merchant/api/v1/misc/mobile-money?countryCode=KE", korapayKey},
	{"wallets_ghana", "korapay", "/merchant/api/v1/misc/mobile-money?countryCode=GH", korapayKey},
	{"banks_ghana", "korapay", "/merchant/api/v1/misc/banks?countryCode=GH", korapayKey},
	{"banks_no_country", "korapay", "/merchant/api/v1/misc/banks", korapayKey},
	{"banks_no_key", "korapay", "/merchant/api/v1/misc/banks?countryCode=NG", nil},
	{"bad_key", "korapay", "/merchant/api/v1/misc/banks?countryCode=NG", bearer("FLWSECK-abc-X")},
	{"unknown_path", "korapay", "/merchant/api/v1/misc/bank", korapayKey},
	{"resolve_by_get", "korapay", "/merchant/api/v1/misc/banks/resolve", korapayKey},
	{"resolved", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"058","account":"0123456789","currency":"NGN"}`, korapayKey},
	{"resolved_no_currency", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"058","account":"0123456789"}`, korapayKey},
	{"resolved_kenya", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"0001","account":"1234567890","currency":"KES"}`, korapayKey},
	{"resolved_wallet", "korapay", `POST /merchant/api/v1/misc/mobile-money/resolve {"mobileMoneyCode":"0004","phoneNumber":"233241234567","currency":"GHS"}`, korapayKey},
	{"unknown_bank", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"043","account":"0123456789","currency":"NGN"}`, korapayKey},
	{"unknown_wallet", "korapay", `POST /merchant/api/v1/misc/mobile-money/resolve {"mobileMoneyCode":"0009","phoneNumber":"233241234567","currency":"GHS"}`, korapayKey},
	{"wallet_as_a_bank", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"0004","account":"233241234567","currency":"KES"}`, korapayKey},
	{"wallet_of_kenya", "korapay", `POST /merchant/api/v1/misc/mobile-money/resolve {"mobileMoneyCode":"0001","phoneNumber":"254712345678","currency":"KES"}`, korapayKey},
	{"bank_of_ghana", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"090100","account":"0123456789","currency":"GHS"}`, korapayKey},
	{"bad_number", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"058","account":"12345","currency":"NGN"}`, korapayKey},
	{"no_number", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"058","currency":"NGN"}`, korapayKey},
	{"no_json", "korapay", `POST /merchant/api/v1/misc/banks/resolve bank=058`, korapayKey},
	{"resolve_public_key", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"058","account":"0123456789","currency":"NGN"}`, bearer("pk_test_abc")},
	{"magic_found", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000200","currency":"NGN"}`, korapayKey},
	{"magic_html", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000207","currency":"NGN"}`, korapayKey},
	{"magic_empty_name", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000309","currency":"NGN"}`, korapayKey},
	{"magic_unknown", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000404","currency":"NGN"}`, korapayKey},
	{"magic_closed", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000409","currency":"NGN"}`, korapayKey},
	{"magic_throttled", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000429","currency":"NGN"}`, korapayKey},
	{"magic_failed", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000500","currency":"NGN"}`, korapayKey},
	{"magic_down", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000503","currency":"NGN"}`, korapayKey},
	{"magic_wallet", "korapay", `POST /merchant/api/v1/misc/mobile-money/resolve {"mobileMoneyCode":"SIM","phoneNumber":"233241234301","currency":"GHS"}`, korapayKey},

	{"login", "monnify", "POST /api/v1/auth/login", monnifyLogin},
	{"login_no_keys", "monnify", "POST /api/v1/auth/login", nil},
	{"login_bad_keys", "monnify", "POST /api/v1/auth/login", http.Header{"Authorization": {"Basic bm9ib2R5Om5vdGhpbmc="}}},
	{"login_by_get", "monnify", "/api/v1/auth/login", monnifyLogin},
	{"banks", "monnify", "/api/v1/banks", monnifyToken},
	{"banks_no_token", "monnify", "/api/v1/banks", nil},
	{"old_token", "monnify", "/api/v1/banks", bearer("simulated.1795258833")},
	{"youngest_old_token", "monnify", "/api/v1/banks", bearer("simulated.1795258834")},
	{"token_of_tomorrow", "monnify", "/api/v1/banks", bearer("simulated.1795262401")},
	{"unknown_path", "monnify", "/api/v1/nothing", monnifyToken},
	{"unknown_path_no_token", "monnify", "/api/v1/nothing", nil},
	{"resolved", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0123456789&bankCode=058", monnifyToken},
	{"resolved_nip_only", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0123456789&bankCode=090100", monnifyToken},
	{"unknown_bank", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0123456789&bankCode=999", monnifyToken},
	{"bank_of_another_country", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0123456789&bankCode=01", monnifyToken},
	{"bad_number", "monnify", "/api/v1/disbursements/account/validate?accountNumber=12345&bankCode=058", monnifyToken},
	{"no_number", "monnify", "/api/v1/disbursements/account/validate?bankCode=058", monnifyToken},
	{"magic_found", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000200&bankCode=001", monnifyToken},
	{"magic_html", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000207&bankCode=001", monnifyToken},
	{"magic_empty_name", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000309&bankCode=001", monnifyToken},
	{"magic_unknown", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000404&bankCode=001", monnifyToken},
	{"magic_closed", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000409&bankCode=001", monnifyToken},
	{"magic_throttled", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000429&bankCode=001", monnifyToken},
	{"magic_failed", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000500&bankCode=001", monnifyToken},
	{"magic_down", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000503&bankCode=001", monnifyToken},
	{"magic_wallet", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000301&bankCode=SIM", monnifyToken},

	{"banks", "afriex", "/api/v1/payment-method/institution?channel=BANK_ACCOUNT&countryCode=NG", afriexKey},
	{"wallets_kenya", "afriex", "/api/v1/payment-method/institution?channel=MOBILE_MONEY&countryCode=KE", afriexKey},
	{"banks_of_nowhere", "afriex", "/api/v1/payment-method/institution?channel=BANK_ACCOUNT&countryCode=FR", afriexKey},
	{"banks_bad_channel", "afriex", "/api/v1/payment-method/institution?channel=CARD&countryCode=NG", afriexKey},
	{"resolved", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=000013&accountNumber=0123456789", afriexKey},
	{"resolved_cbn", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=058&accountNumber=0123456789", afriexKey},
	{"resolved_wallet", "afriex", "/api/v1/payment-method/resolve?channel=MOBILE_MONEY&countryCode=KE&institutionCode=MPESA&accountNumber=254712345678", afriexKey},
	{"no_operator", "afriex", "/api/v1/payment-method/resolve?channel=MOBILE_MONEY&countryCode=CI&accountNumber=2250701234569", afriexKey},
	{"phone_of_another_country", "afriex", "/api/v1/payment-method/resolve?channel=MOBILE_MONEY&countryCode=KE&institutionCode=MPESA&accountNumber=256712345678", afriexKey},
	{"wallet_of_ghana", "afriex", "/api/v1/payment-method/resolve?channel=MOBILE_MONEY&countryCode=GH&institutionCode=MTN&accountNumber=233241234567", afriexKey},
	{"unknown_bank", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=999&accountNumber=0123456789", afriexKey},
	{"wallet_as_a_bank", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=GH&institutionCode=MTN&accountNumber=0241234567", afriexKey},
	{"no_bank", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&accountNumber=0123456789", afriexKey},
	{"no_number", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=058", afriexKey},
	{"leading_plus", "afriex", "/api/v1/payment-method/resolve?channel=MOBILE_MONEY&countryCode=KE&institutionCode=MPESA&accountNumber=%2B254712345678", afriexKey},
	{"unknown_path", "afriex", "/api/v1/payment-method/nothing", afriexKey},
	{"magic_found", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000200", afriexKey},
	{"magic_html", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000207", afriexKey},
	{"magic_empty_name", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000309", afriexKey},
	{"magic_unknown", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000404", afriexKey},
	{"magic_closed", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000409", afriexKey},
	{"magic_throttled", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000429", afriexKey},
	{"magic_failed", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000500", afriexKey},
	{"magic_down", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000503", afriexKey},
	{"no_key", "afriex", "/api/v1/payment-method/institution?channel=BANK_ACCOUNT&countryCode=NG", nil},
	{"bad_key", "afriex", "/api/v1/payment-method/institution?channel=BANK_ACCOUNT&countryCode=NG", http.Header{"X-Api-Key": {"short"}}},

	{"login", "daraja", "/oauth/v1/generate?grant_type=client_credentials", darajaLogin},
	{"login_bad_keys", "daraja", "/oauth/v1/generate?grant_type=client_credentials", http.Header{"Authorization": {"Basic bm9ib2R5Om5vdGhpbmc="}}},
	{"login_no_grant", "daraja", "/oauth/v1/generate", darajaLogin},
	{"unknown_path", "daraja", "/mpesa/nothing", darajaToken},
	{"pay_bill", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"174379"}`, darajaToken},
	{"till", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"2","Identifier":"174379"}`, darajaToken},
	{"bad_number", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"17"}`, darajaToken},
	{"bad_type", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"1","Identifier":"174379"}`, darajaToken},
	{"no_json", "daraja", `POST /sfcverify/v1/query/info x=1`, darajaToken},
	{"no_token", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"174379"}`, nil},
	{"old_token", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"174379"}`, bearer("daraja.1795258801")},
	{"magic_found", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100200"}`, darajaToken},
	{"magic_html", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100207"}`, darajaToken},
	{"magic_empty_name", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100309"}`, darajaToken},
	{"magic_unknown", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100404"}`, darajaToken},
	{"magic_closed", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100409"}`, darajaToken},
	{"magic_throttled", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100429"}`, darajaToken},
	{"magic_failed", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100500"}`, darajaToken},
	{"magic_down", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100503"}`, darajaToken},

	{"ticker", "kraken", "/0/public/Ticker?pair=XBTUSD,ETHXBT,USDTUSD,SOLUSD,XDGUSD,EURUSD", nil},
	{"ticker_websocket_name", "kraken", "/0/public/Ticker?pair=XBT/USD", nil},
	{"ticker_canonical_name", "kraken", "/0/public/Ticker?pair=XXBTZUSD", nil},
	{"ticker_unknown_pair", "kraken", "/0/public/Ticker?pair=XBTUSD,CNGNUSD", nil},
	{"asset_pairs", "kraken", "/0/public/AssetPairs?pair=XBTUSD,SHIBUSD", nil},
	{"system_status", "kraken", "/0/public/SystemStatus", nil},
	{"time", "kraken", "/0/public/Time", nil},
	{"unknown_method", "kraken", "/0/public/Nothing", nil},
	{"unknown_path", "kraken", "/", nil},

	{"book_ticker_one", "binance", "/api/v3/ticker/bookTicker?symbol=BTCUSDT", nil},
	{"book_ticker_many", "binance", "/api/v3/ticker/bookTicker?symbols=%5B%22ETHUSDT%22,%22BTCUSDT%22%5D", nil},
	{"book_ticker_unknown", "binance", "/api/v3/ticker/bookTicker?symbols=%5B%22BTCUSDT%22,%22BTCNGN%22%5D", nil},
	{"book_ticker_twice", "binance", "/api/v3/ticker/bookTicker?symbols=%5B%22BTCUSDT%22,%22BTCUSDT%22%5D", nil},
	{"book_ticker_none", "binance", "/api/v3/ticker/bookTicker?symbols=%5B%5D", nil},
	{"book_ticker_empty", "binance", "/api/v3/ticker/bookTicker?symbol=", nil},
	{"book_ticker_lower_case", "binance", "/api/v3/ticker/bookTicker?symbol=btcusdt", nil},
	{"book_ticker_malformed", "binance", "/api/v3/ticker/bookTicker?symbols=BTCUSDT", nil},
	{"book_ticker_both", "binance", "/api/v3/ticker/bookTicker?symbol=BTCUSDT&symbols=%5B%22BTCUSDT%22%5D", nil},
	{"exchange_info", "binance", "/api/v3/exchangeInfo?symbol=SHIBUSDT", nil},
	{"exchange_info_halted", "binance", "/api/v3/exchangeInfo?symbolStatus=HALT", nil},
	{"ping", "binance", "/api/v3/ping", nil},
	{"time", "binance", "/api/v3/time", nil},
	{"unknown_path", "binance", "/api/v3/nothing", nil},

	{"ticker", "coinbase", "/products/BTC-USD/ticker", named},
	{"ticker_quiet", "coinbase", "/products/VET-USD/ticker", named},
	{"ticker_lower_case", "coinbase", "/products/shib-eur/ticker", named},
	{"ticker_unknown", "coinbase", "/products/USDC-USD/ticker", named},
	{"delisted", "coinbase", "/products/REP-USD/ticker", named},
	{"ticker_no_user_agent", "coinbase", "/products/BTC-USD/ticker", nameless},
	{"product", "coinbase", "/products/USDT-GBP", named},
	{"products_unknown_path", "coinbase", "/products/BTC-USD/nothing", named},
	{"time", "coinbase", "/time", named},
	{"unknown_path", "coinbase", "/", named},

	{"tickers", "okx", "/api/v5/market/tickers?instType=SPOT", nil},
	{"tickers_of_swaps", "okx", "/api/v5/market/tickers?instType=SWAP", nil},
	{"tickers_no_type", "okx", "/api/v5/market/tickers", nil},
	{"tickers_bad_type", "okx", "/api/v5/market/tickers?instType=spot", nil},
	{"ticker", "okx", "/api/v5/market/ticker?instId=BTC-USDT", nil},
	{"ticker_unknown", "okx", "/api/v5/market/ticker?instId=USDT-NGN", nil},
	{"ticker_no_instrument", "okx", "/api/v5/market/ticker", nil},
	{"time", "okx", "/api/v5/public/time", nil},
	{"unknown_path", "okx", "/api/v5/nothing", nil},

	{"tickers", "bybit", "/v5/market/tickers?category=spot", nil},
	{"ticker", "bybit", "/v5/market/tickers?category=spot&symbol=BTCUSDT", nil},
	{"ticker_unknown", "bybit", "/v5/market/tickers?category=spot&symbol=USDTNGN", nil},
	{"tickers_of_futures", "bybit", "/v5/market/tickers?category=linear", nil},
	{"tickers_no_category", "bybit", "/v5/market/tickers", nil},
	{"time", "bybit", "/v5/market/time", nil},
	{"unknown_path", "bybit", "/v5/nothing", nil},

	{"latest", "openexchangerates", "/api/latest.json" + appID, nil},
	{"latest_symbols", "openexchangerates", "/api/latest.json" + appID + "&symbols=NGN,ghs,NOPE,BTC", nil},
	{"latest_token", "openexchangerates", "/api/latest.json?symbols=NGN", http.Header{"Authorization": {"Token 5f4dcc3b5aa765d61d8327deb882cf99"}}},
	{"latest_not_modified", "openexchangerates", "/api/latest.json" + appID + "&symbols=NGN", http.Header{"If-None-Match": {`"6f896a1e1682be0525e3d717435f07b2"`}}},
	{"missing_app_id", "openexchangerates", "/api/latest.json", nil},
	{"invalid_app_id", "openexchangerates", "/api/latest.json?app_id=wrong", nil},
	{"not_allowed", "openexchangerates", "/api/latest.json" + appID + "&base=EUR", nil},
	{"invalid_base", "openexchangerates", "/api/latest.json" + appID + "&base=ATLANTIS-DOLLAR", nil},
	{"usage", "openexchangerates", "/api/usage.json" + appID, nil},
	{"unknown_path", "openexchangerates", "/api/nothing.json", nil},

	{"tickers", "quidax", "/exchange-open-api/api/v1/markets/tickers", nil},
	{"ticker", "quidax", "/exchange-open-api/api/v1/markets/tickers/usdtngn", nil},
	{"ticker_empty_book", "quidax", "/exchange-open-api/api/v1/markets/tickers/dashngn", nil},
	{"ticker_unknown", "quidax", "/exchange-open-api/api/v1/markets/tickers/ngnusdt", nil},
	{"ticker_upper_case", "quidax", "/exchange-open-api/api/v1/markets/tickers/USDTNGN", nil},
	{"markets", "quidax", "/exchange-open-api/api/v1/markets", nil},
	{"unknown_path", "quidax", "/exchange-open-api/api/v1/nothing", nil},

	{"pairs", "busha", "/v1/pairs", nil},
	{"pairs_stablecoins", "busha", "/v1/pairs?type=stablecoins&currency=NGN", nil},
	{"pairs_one", "busha", "/v1/pairs?base=USDT&counter=NGN", nil},
	{"pairs_none", "busha", "/v1/pairs?currency=JPY", nil},
	{"pairs_bad_type", "busha", "/v1/pairs?type=metals", nil},
	{"unknown_path", "busha", "/v1/nothing", nil},
	{"banks", "busha", "/v1/banks", nil},
	{"banks_kenya", "busha", "/v1/banks?country=KE&currency=KES", nil},
	{"banks_of_nowhere", "busha", "/v1/banks?country=FR", nil},
	{"resolve_by_get", "busha", "/v1/recipients/resolve-bank-account", bushaKey},
	{"resolved", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`, bushaKey},
	{"resolved_example", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"mobile_money","bank_code":"000013","account_number":"0123456789"}`, bushaKey},
	{"resolved_wallet", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"KES","country_id":"KE","channel":"mobile_money","bank_code":"MPESA","account_number":"254712345678"}`, bushaKey},
	{"resolved_pay_bill", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"KES","country_id":"KE","channel":"pay_bill","account_number":"174379"}`, bushaKey},
	{"no_key", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`, nil},
	{"unknown_bank", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"999","account_number":"0123456789"}`, bushaKey},
	{"bank_of_kenya", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"KES","country_id":"KE","channel":"mobile_money","bank_code":"01","account_number":"254712345678"}`, bushaKey},
	{"bad_number", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"12345"}`, bushaKey},
	{"bad_currency", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"KES","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`, bushaKey},
	{"bad_country", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"GHS","country_id":"GH","channel":"bank_transfer","bank_code":"030100","account_number":"0123456789"}`, bushaKey},
	{"bad_channel", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"KES","country_id":"KE","channel":"bank_transfer","bank_code":"01","account_number":"1234567890"}`, bushaKey},
	{"no_json", "busha", `POST /v1/recipients/resolve-bank-account x=1`, bushaKey},
	{"magic_found", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000200"}`, bushaKey},
	{"magic_html", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000207"}`, bushaKey},
	{"magic_empty_name", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000309"}`, bushaKey},
	{"magic_unknown", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000404"}`, bushaKey},
	{"magic_closed", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000409"}`, bushaKey},
	{"magic_throttled", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000429"}`, bushaKey},
	{"magic_failed", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000500"}`, bushaKey},
	{"magic_down", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000503"}`, bushaKey},

	{"rates", "frankfurter", "/v2/rates?base=USD", nil},
	{"rates_quotes", "frankfurter", "/v2/rates?base=usd&quotes=NGN,XOF,usd,KPW", nil},
	{"rates_of_the_euro", "frankfurter", "/v2/rates?quotes=XOF,USD", nil},
	{"rates_small", "frankfurter", "/v2/rates?base=UGX&quotes=GBP,EUR,KES", nil},
	{"rates_not_modified", "frankfurter", "/v2/rates?base=USD&quotes=NGN", http.Header{"If-None-Match": {frankfurterTag}}},
	{"rates_silent_base", "frankfurter", "/v2/rates?base=KPW", nil},
	{"invalid_currency", "frankfurter", "/v2/rates?base=USD&quotes=NGN,ATLANTIS-DOLLAR", nil},
	{"unknown_parameter", "frankfurter", "/v2/rates?symbols=NGN", nil},
	{"unknown_path", "frankfurter", "/v2/nothing", nil},

	{"simple_price", "coingecko", "/api/v3/simple/price?ids=bitcoin,tether,shiba-inu&vs_currencies=usd,ngn,eur,btc&include_last_updated_at=true&precision=full", nil},
	{"simple_price_short", "coingecko", "/api/v3/simple/price?ids=bitcoin,shiba-inu,tether&vs_currencies=usd", nil},
	{"simple_price_two_places", "coingecko", "/api/v3/simple/price?ids=bitcoin,shiba-inu&vs_currencies=usd,btc&precision=2", nil},
	{"simple_price_unknown", "coingecko", "/api/v3/simple/price?ids=bitcoin,nothing&vs_currencies=usd,ghs", nil},
	{"simple_price_no_coins", "coingecko", "/api/v3/simple/price?vs_currencies=usd", nil},
	{"simple_price_no_currencies", "coingecko", "/api/v3/simple/price?ids=bitcoin", nil},
	{"simple_price_bad_key", "coingecko", "/api/v3/simple/price?ids=bitcoin&vs_currencies=usd", http.Header{"X-Cg-Demo-Api-Key": {"nonsense"}}},
	{"currencies", "coingecko", "/api/v3/simple/supported_vs_currencies", nil},
	{"ping", "coingecko", "/api/v3/ping", nil},
	{"unknown_path", "coingecko", "/api/v3/nothing", nil},
}

// frankfurterTag is the ETag of the rates of Friday, 20 November 2026.
const frankfurterTag = `"87069b0c5b390896ef8fa40ad644380a"`

// dump is a response as it comes over the wire, with an indented body where that is JSON.
func dump(t testing.TB, r *http.Response) []byte {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("reading the body: %v", err)
	}
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if r.ContentLength >= 0 && r.ContentLength != int64(len(body)) {
		t.Errorf("Content-Length is %d, the body has %d bytes", r.ContentLength, len(body))
	}
	r.Body = http.NoBody
	head, err := httputil.DumpResponse(r, false)
	if err != nil {
		t.Fatal(err)
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, body, "", "  ") == nil {
		body = pretty.Bytes()
	}
	return append(bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n")), body...)
}

// inProcess is the answer to a question, dumped.
func inProcess(t testing.TB, w *wire.Wire, q question) []byte {
	t.Helper()
	r, err := (&http.Client{Transport: w}).Do(q.request(t, "https://"+hosts[q.provider]))
	if err != nil {
		t.Fatal(err)
	}
	return dump(t, r)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, q := range slices.Concat(questions, examples()) {
		t.Run(q.provider+"/"+q.name, func(t *testing.T) {
			t.Parallel()
			got := inProcess(t, w, q)
			asked := q.target
			if method, _, _ := q.parts(); method == http.MethodGet {
				asked = "GET " + asked
			}
			got = append([]byte(asked+"\n\n"), got...)
			file := goldenFile(q)
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestResponses_SameOverTCP(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	base := map[string]string{}
	for _, provider := range w.Providers() {
		server := httptest.NewServer(w.Handler(provider))
		t.Cleanup(server.Close)
		base[provider] = server.URL
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	t.Cleanup(client.CloseIdleConnections)
	for _, q := range slices.Concat(questions, examples()) {
		t.Run(q.provider+"/"+q.name, func(t *testing.T) {
			t.Parallel()
			r, err := client.Do(q.request(t, base[q.provider]))
			if err != nil {
				t.Fatal(err)
			}
			got, want := dump(t, r), inProcess(t, w, q)
			if !bytes.Equal(got, want) {
				t.Errorf("over TCP\n%s\nin process\n%s", got, want)
			}
		})
	}
}

func TestResponses_Deterministic(t *testing.T) {
	t.Parallel()
	first, second := wire.New(newWorld(t)), wire.New(newWorld(t))
	for _, q := range slices.Concat(questions, examples()) {
		want := inProcess(t, first, q)
		for range 3 {
			if got := inProcess(t, second, q); !bytes.Equal(got, want) {
				t.Errorf("%s %s: got\n%s\nbefore\n%s", q.provider, q.target, got, want)
			}
		}
	}
}

func TestProviders(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	if got, want := w.Providers(), slices.Sorted(maps.Keys(hosts)); !slices.Equal(got, want) {
		t.Errorf("Providers() = %v, want %v", got, want)
	}
	if w.Handler("nobody") != nil {
		t.Error("there is a handler of an unknown provider")
	}
}

// FuzzQueries asks every operation with queries that nobody meant: it answers, and JSON stays JSON.
func FuzzQueries(f *testing.F) {
	w := wire.New(newWorld(f))
	paths := map[string][]string{
		"monnify":  {"/api/v1/banks", "/api/v1/disbursements/account/validate"},
		"paystack": {"/bank", "/bank/resolve"}, "kraken": {"/0/public/Ticker", "/0/public/AssetPairs"},
		"binance": {"/api/v3/ticker/bookTicker", "/api/v3/exchangeInfo"}, "openexchangerates": {"/api/latest.json", "/api/usage.json"},
		"quidax": {"/exchange-open-api/api/v1/markets/tickers", "/exchange-open-api/api/v1/markets"}, "busha": {"/v1/pairs"},
		"frankfurter": {"/v2/rates"}, "coingecko": {"/api/v3/simple/price"},
		"coinbase": {"/products/BTC-USD/ticker", "/products"}, "okx": {"/api/v5/market/tickers", "/api/v5/market/ticker"},
		"bybit": {"/v5/market/tickers"},
	}
	for i, q := range questions {
		_, query, _ := strings.Cut(q.target, "?")
		if i%4 == 0 && !strings.Contains(query, "0000000") { // magic numbers break the answer on purpose
			f.Add(query, q.header.Get("Authorization"), q.header.Get("If-None-Match"))
		}
	}
	f.Add("symbols=[\"A\"][]", "Bearer sk_test_", "")
	f.Add("instType=SPOT&instId=-&category=spot&symbol=%00", "", "")
	f.Add("pair=,,/,XBT/USD,", "Bearer  sk_test_a", "*")
	f.Add("base=\xff\xfe&app_id=%00&next=YmFuazotMQ==&use_cursor=true&perPage=-1", "Token ", "")
	f.Fuzz(func(t *testing.T, query, authorization, tag string) {
		for provider, list := range paths {
			for _, path := range list {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
				r.URL.RawQuery = query
				r.Header.Set("User-Agent", "fuzz")
				r.Header.Set("Authorization", authorization)
				r.Header.Set("If-None-Match", tag)
				if number := r.URL.Query().Get("account_number") + r.URL.Query().Get("accountNumber"); len(number) >= 3 && slices.Contains(breaking, number[len(number)-3:]) {
					continue
				}
				rec := httptest.NewRecorder()
				w.Handler(provider).ServeHTTP(rec, r)
				if kind := rec.Header().Get("Content-Type"); strings.HasPrefix(kind, "application/json") && !json.Valid(rec.Body.Bytes()) {
					t.Errorf("%s %s?%q: not JSON: %s", provider, path, query, rec.Body)
				}
				if rec.Code < 200 || rec.Code >= 500 && rec.Code != http.StatusServiceUnavailable {
					t.Errorf("%s %s?%q: status %d", provider, path, query, rec.Code)
				}
			}
		}
	})
}

// breaking are the ends of magic account numbers that break an answer, or fail.
var breaking = []string{"202", "206", "207", "500", "503", "504", "555"}

// FuzzBodies asks every operation that takes a body with bodies that nobody meant: it answers JSON, and fails nobody.
func FuzzBodies(f *testing.F) {
	w := wire.New(newWorld(f))
	operations := map[string]question{}
	for _, q := range questions {
		if method, path, body := q.parts(); method == http.MethodPost {
			if !strings.Contains(body, "0000000") { // magic numbers break the answer on purpose
				f.Add(body)
			}
			if len(q.header) > 0 {
				operations[q.provider+path] = question{q.name, q.provider, "POST " + path + " ", q.header}
			}
		}
	}
	f.Add(`[]`)
	f.Add("{\"account_number\":\"\\u0000\",\"account_bank\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, body string) {
		for _, q := range operations {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, strings.Fields(q.target)[1], strings.NewReader(body))
			maps.Copy(r.Header, q.header)
			if strings.Contains(body, "001") || strings.Contains(strings.ToUpper(body), "SIM") ||
				(q.provider == "daraja" || q.provider == "busha") && slices.ContainsFunc(breaking, func(suffix string) bool { return strings.Contains(body, suffix) }) {
				continue // a magic institution, or a magic number
			}
			rec := httptest.NewRecorder()
			w.Handler(q.provider).ServeHTTP(rec, r)
			if !json.Valid(rec.Body.Bytes()) || rec.Code < 200 || rec.Code >= 500 {
				t.Errorf("%s %s%q: status %d: %s", q.provider, q.target, body, rec.Code, rec.Body)
			}
		}
	})
}
