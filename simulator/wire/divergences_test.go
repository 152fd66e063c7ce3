package wire_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	simulatedflutterwave "causeway/simulator/wire/flutterwave"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// TestEveryDivergenceIsShown looks for the test that each one names.
func TestEveryDivergenceIsShown(t *testing.T) {
	t.Parallel()
	providers := append(wire.New(newWorld(t)).Providers(), "all")
	seen := map[string]bool{}
	for _, d := range wire.Divergences() {
		folder, function, _ := strings.Cut(d.Test, ".")
		if !declares(t, filepath.Join("..", "..", folder), function) {
			t.Errorf("%s: there is no %s", d.Provider, d.Test)
		}
		if !slices.Contains(providers, d.Provider) || d.What == "" || d.Why == "" || seen[d.Provider+d.What] {
			t.Errorf("%+v is of nobody, says nothing, or comes twice", d)
		}
		seen[d.Provider+d.What] = true
	}
	for _, p := range providers {
		if !slices.ContainsFunc(wire.Divergences(), func(d provider.Divergence) bool { return d.Provider == p }) {
			t.Errorf("nothing differs from the real %s", p)
		}
	}
}

// declares reports whether a test file of a folder has a function.
func declares(t *testing.T, folder, function string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(function) + `\(t \*testing\.T\)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if declaration.Match(text) {
			return true
		}
	}
	return false
}

// answer is what a provider said.
type answer struct {
	status int
	header http.Header
}

// answered is the answer to a question, in process.
func answered(t *testing.T, w *wire.Wire, q question) (answer, string) {
	t.Helper()
	r, err := (&http.Client{Transport: w}).Do(q.request(t, "https://"+hosts[q.provider]))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answer{r.StatusCode, r.Header}, string(body)
}

// usual is a question to each provider that is answered well.
var usual = []question{
	{"", "paystack", "/bank/resolve?account_number=0000000200&bank_code=001", nigeria},
	{"", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0000000200","account_bank":"001"}`, flutterwaveKey},
	{"", "korapay", `POST /merchant/api/v1/misc/banks/resolve {"bank":"001","account":"0000000200","currency":"NGN"}`, korapayKey},
	{"", "monnify", "/api/v1/disbursements/account/validate?accountNumber=0000000200&bankCode=001", monnifyToken},
	{"", "afriex", "/api/v1/payment-method/resolve?channel=BANK_ACCOUNT&countryCode=NG&institutionCode=001&accountNumber=0000000200", afriexKey},
	{"", "busha", `POST /v1/recipients/resolve-bank-account {"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"0000000200"}`, bushaKey},
	{"", "daraja", `POST /sfcverify/v1/query/info {"IdentifierType":"4","Identifier":"100200"}`, darajaToken},
	{"", "kraken", "/0/public/Ticker?pair=XBTUSD", nil},
	{"", "binance", "/api/v3/ticker/bookTicker?symbol=BTCUSDT", nil},
	{"", "coinbase", "/products/BTC-USD/ticker", named},
	{"", "okx", "/api/v5/market/tickers?instType=SPOT", nil},
	{"", "bybit", "/v5/market/tickers?category=spot", nil},
	{"", "quidax", "/exchange-open-api/api/v1/markets/tickers", nil},
	{"", "openexchangerates", "/api/latest.json" + appID, nil},
	{"", "frankfurter", "/v2/rates?base=USD", nil},
	{"", "coingecko", "/api/v3/simple/price?ids=bitcoin&vs_currencies=usd", nil},
}

func TestProviders_NoThrottling(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	var asked []string
	for _, q := range slices.Concat(usual, examples()) {
		asked = append(asked, q.provider)
		for i := range 50 { // within one instant of the world
			if r, body := answered(t, w, q); r.status/100 != 2 {
				t.Errorf("%s, question %d: %d %s", q.provider, i+1, r.status, body)
				break
			}
		}
	}
	slices.Sort(asked)
	if asked = slices.Compact(asked); !slices.Equal(asked, w.Providers()) {
		t.Errorf("asked %v of %v", asked, w.Providers())
	}
}

func TestEveryKeyOfTheRightShapeIsTaken(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for provider, header := range map[string]http.Header{
		"paystack": anybody, "flutterwave": bearer("FLWSECK-0123456789abcdef0123456789abcdef-X"), "korapay": bearer("sk_live_0123456789abcdef"),
		"afriex": {"X-Api-Key": {"any_key_of_the_right_shape"}}, "busha": bearer("any_key_of_the_right_shape_0123456789"),
	} {
		q := usual[slices.IndexFunc(usual, func(q question) bool { return q.provider == provider })]
		q.header = header
		if r, body := answered(t, w, q); r.status/100 != 2 {
			t.Errorf("%s: %d %s", provider, r.status, body)
		}
		q.header = nil
		if r, _ := answered(t, w, q); r.status/100 == 2 {
			t.Errorf("%s answers without a key", provider)
		}
	}
}

func TestProviders_ReturnRequestedItems(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for provider, target := range map[string]string{
		"paystack": "POST /transfer {}", "flutterwave": "POST /v3/transfers {}", "korapay": "POST /merchant/api/v1/transactions/disburse {}",
		"monnify": "POST /api/v2/disbursements/single {}", "afriex": "POST /api/v1/transaction {}", "daraja": "POST /mpesa/b2c/v3/paymentrequest {}",
		"busha": "POST /v1/transfers {}", "kraken": "POST /0/private/AddOrder {}", "binance": "POST /api/v3/order {}", "coinbase": "POST /orders {}",
		"okx": "POST /api/v5/trade/order {}", "bybit": "POST /v5/order/create {}", "quidax": "POST /exchange-open-api/api/v1/users/me/orders {}",
		"coingecko": "/api/v3/coins/bitcoin/history", "openexchangerates": "/api/historical/2026-01-01.json" + appID, "frankfurter": "/v2/providers",
	} {
		q := usual[slices.IndexFunc(usual, func(q question) bool { return q.provider == provider })]
		q.target = target
		if r, body := answered(t, w, q); r.status == http.StatusOK && !strings.Contains(strings.ToLower(body), "error") {
			t.Errorf("%s %s: %d %s", provider, target, r.status, body)
		}
	}
}

func TestMagicInstitutionsAreKnown(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, q := range usual[:6] {
		if _, body := answered(t, w, q); !strings.Contains(body, "TEST ") {
			t.Errorf("%s: %s", q.provider, body)
		}
	}
	if _, body := answered(t, w, question{"", "paystack", "/bank?country=nigeria", nigeria}); strings.Contains(body, "Simulated Bank") {
		t.Errorf("Paystack lists it: %s", body)
	}
}

func TestAfriexListsMagicInstitutionsWhereThereAreNoOthers(t *testing.T) {
	t.Parallel()
	alone, err := world.New(world.Config{Seed: "causeway"}, func() time.Time { return noon }, accounts.MagicBanks([]core.Country{{Code: "NG", Currencies: []string{"NGN"}}}))
	if err != nil {
		t.Fatal(err)
	}
	q := question{"", "afriex", "/api/v1/payment-method/institution?channel=BANK_ACCOUNT&countryCode=NG", afriexKey}
	for w, listed := range map[*world.World]bool{newWorld(t): false, alone: true} {
		if r, body := answered(t, wire.New(w), q); r.status != http.StatusOK || strings.Contains(body, "Simulated Bank") != listed {
			t.Errorf("%d %s", r.status, body)
		}
	}
}

func TestUsageIsNotCounted(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for range 3 {
		if r, _ := answered(t, w, question{"", "binance", "/api/v3/ticker/bookTicker?symbol=BTCUSDT", nil}); r.header.Get("X-Mbx-Used-Weight-1m") != "2" {
			t.Errorf("Binance counts %v", r.header)
		}
		if _, body := answered(t, w, question{"", "openexchangerates", "/api/usage.json" + appID, nil}); !strings.Contains(body, `"requests":0`) {
			t.Errorf("Open Exchange Rates counts: %s", body)
		}
	}
}

func TestTokensAreNotRemembered(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t)) // nobody has logged in
	for _, q := range usual {
		if q.provider != "monnify" && q.provider != "daraja" {
			continue
		}
		if r, body := answered(t, w, q); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", q.provider, r.status, body)
		}
	}
}

func TestFlutterwaveTestKeysAskAboutEveryBank(t *testing.T) {
	t.Parallel()
	if !strings.HasPrefix(simulatedflutterwave.Key, "FLWSECK_TEST-") {
		t.Fatal("that is no test key")
	}
	q := question{"", "flutterwave", `POST /v3/accounts/resolve {"account_number":"0123456789","account_bank":"058"}`, flutterwaveKey}
	if r, body := answered(t, wire.New(newWorld(t)), q); r.status != http.StatusOK || !strings.Contains(body, "TEST ") {
		t.Errorf("%d %s", r.status, body)
	}
}

func TestPaystackValidate(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		"8001015009087": `"accountHolderMatch":true`, "9001015009087": `"verified":false`, "": `document_number\" is required`,
	} {
		body := strings.Replace(`{"bank_code":"001","country_code":"ZA","account_number":"1234567200","account_name":"Ann Bron",`+
			`"account_type":"personal","document_type":"identityNumber","document_number":"?"}`, "?", document, 1)
		_, got := answered(t, wire.New(newWorld(t)), question{"", "paystack", "POST /bank/validate " + body, south})
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", document, got)
		}
	}
}
