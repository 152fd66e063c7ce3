package test_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/simulator/wire/flutterwave"
	"causeway/simulator/wire/openexchangerates"
	"causeway/test/driver"
)

// upstreams serves the simulated providers of accounts over TCP and returns the environment of a production-mode
// process that resolves accounts with Paystack alone, caches no names and has no prices, because polling for them
// takes more processor time than most tests. Where fault returns true, it has written the response of Paystack.
func upstreams(t *testing.T, fault func(http.ResponseWriter, *http.Request) bool) []string {
	t.Helper()
	return upstreamsOf(t, accountProviders, fault)
}

// upstreamsWithPrices is upstreams with the rate sources, and without a fault.
func upstreamsWithPrices(t *testing.T) []string {
	t.Helper()
	return upstreamsOf(t, allProviders(), func(http.ResponseWriter, *http.Request) bool { return false })
}

func upstreamsOf(t *testing.T, providers []string, fault func(http.ResponseWriter, *http.Request) bool) []string {
	t.Helper()
	env := serveProviders(t, newWorld(t), providers, wrappers{"paystack": func(simulated http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !fault(w, r) {
				simulated.ServeHTTP(w, r)
			}
		})
	}})
	return append(env,
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_test_ng", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID="+openexchangerates.AppID,
		"CAUSEWAY_AUTH__KEYS="+bearer, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_UPSTREAM__TIMEOUT=3s",
		"CAUSEWAY_RECIPIENTS__CACHE__FOUND=0s",
	)
}

const resolvePublished = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"058","account_number":"0123456789"}`

// noResponse is the fault of a provider that never responds.
const noResponse = "no response"

// invalidResponses are responses of a provider that decide nothing. The tests of each provider have
// more of them.
func invalidResponses() map[string]http.HandlerFunc {
	response := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	data := func(members string) http.HandlerFunc {
		return response(200, "application/json", `{"status":true,"message":"Account number resolved","data":{`+members+`}}`)
	}
	failure := func(status int, text string) http.HandlerFunc {
		return response(status, "application/json", `{"status":false,"message":"`+text+`"}`)
	}
	const (
		number = `"account_number":"0123456789",`
		limit  = "Test mode daily limit of 3 live bank resolves exceeded. Use test bank codes 001 or upgrade to live mode."
	)
	return map[string]http.HandlerFunc{
		"HTML with 200":         response(200, "text/html", "<html>oops</html>"),
		"HTML as JSON":          response(200, "application/json", "<html>oops</html>"),
		"truncated":             response(200, "application/json", `{"status":true,"data":{"account_number":"01234567`),
		"empty body":            response(200, "application/json", ""),
		"null":                  response(200, "application/json", "null"),
		"array":                 response(200, "application/json", "[]"),
		"oversized":             response(200, "application/json", strings.Repeat(" ", 5<<20)),
		"wrong types":           data(`"account_number":123456789,"account_name":["TEST"]`),
		"blank name":            data(number + `"account_name":"  "`),
		"name with a NUL":       data(number + `"account_name":"TEST\u0000OTHER"`),
		"name right to left":    data(number + `"account_name":"TEST \u202eOTHER"`),
		"long name":             data(number + `"account_name":"` + strings.Repeat("TEST ", 1000) + `"`),
		"two names":             data(number + `"account_name":"TEST ONE","account_name":"TEST TWO"`),
		"no name":               data(`"account_number":"0123456789"`),
		"another account":       data(`"account_number":"9999999999","account_name":"TEST OTHER"`),
		"failure with 200":      failure(200, "Something odd"),
		"rejected key":          failure(401, "Invalid key"),
		"forbidden key":         failure(403, "no"),
		"test mode limit":       failure(429, limit),
		"test mode limit, 400":  failure(400, limit),
		"unknown error message": failure(422, "Never seen before"),
		"500":                   response(500, "text/plain", "oops"),
		"503":                   response(503, "text/html", "<h1>503</h1>"),
		"redirect":              response(302, "text/plain", ""),
		"lost connection":       func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		noResponse:              func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}
}

// TestResolve_InvalidResponses runs a production-mode process against a provider with faults. The next
// provider resolves the account. Without one the response is 503, within the budget of 8 s, never "not
// found" and never a made-up name.
func TestResolve_InvalidResponses(t *testing.T) {
	t.Parallel()
	var current atomic.Pointer[http.HandlerFunc]
	env := upstreams(t, func(w http.ResponseWriter, r *http.Request) bool {
		fault := current.Load()
		if fault == nil || !strings.HasSuffix(r.URL.Path, "/resolve") {
			return false
		}
		(*fault)(w, r)
		return true
	})
	c := startLoaded(t, append(env, "CAUSEWAY_FLUTTERWAVE__SECRET_KEY="+flutterwave.Key, "CAUSEWAY_LOG__LEVEL=debug", "CAUSEWAY_UPSTREAM__TIMEOUT=30s",
		"CAUSEWAY_RECIPIENTS__ROUTES__NG_BANK_TRANSFER=paystack,flutterwave", "CAUSEWAY_RECIPIENTS__ROUTES__NG_MOBILE_MONEY=paystack")...)
	wallet := strings.NewReplacer("bank_transfer", "mobile_money", `"058"`, `"000015"`).Replace(resolvePublished)
	resolve := func(body string) driver.Reply {
		return driver.Do(t, http.MethodPost, c.API+resolvePath, body, "Authorization", "Bearer "+bearer)
	}
	name := func(r driver.Reply) any {
		data, _ := r.JSON(t)["data"].(map[string]any)
		return data["account_name"]
	}
	bankName, walletName := name(resolve(resolvePublished)), name(resolve(wallet))
	if bankName == nil || walletName == nil {
		t.Fatalf("without a fault: names %v and %v", bankName, walletName)
	}
	for title, fault := range invalidResponses() {
		current.Store(&fault)
		if r := resolve(resolvePublished); r.Status != http.StatusOK || name(r) != bankName {
			t.Errorf("%s: the next provider did not resolve: %d %s", title, r.Status, r.Body)
		}
		began := time.Now()
		r := resolve(wallet)
		if r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s, want 503 with Retry-After", title, r.Status, r.Body)
		}
		if took := time.Since(began); title == noResponse && took < 7*time.Second || took >= time.Minute {
			t.Errorf("%s: responded after %s; the provider has most of 8 s", title, took)
		}
		for _, text := range []string{"127.0.0.1", "aystack", "sk_test", "oops", "Invalid key", "Never seen", "TEST"} {
			if strings.Contains(string(r.Body), text) {
				t.Errorf("%s: the error contains %q: %s", title, text, r.Body)
			}
		}
		current.Store(nil)
		if r := resolve(wallet); r.Status != http.StatusOK || name(r) != walletName {
			t.Errorf("after %s: %d %s", title, r.Status, r.Body)
		}
	}
	private := []string{"0123456789", fmt.Sprint(bankName), fmt.Sprint(walletName), "Never seen", "TEST O", flutterwave.Key}
	for _, page := range []string{"/metrics", "/debug/banks", "/debug/prices", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/readyz"} {
		checkPrivate(t, page, string(driver.Get(t, c.Operator+page).Body), private)
	}
	if !strings.Contains(c.Log(), `"audit"`) {
		t.Error("the log has no audit records")
	}
	checkPrivate(t, "the log", c.Log(), private)
}

// checkPrivate fails the test if a text contains a private value.
func checkPrivate(t *testing.T, where, text string, private []string) {
	t.Helper()
	for _, value := range private {
		if i := strings.Index(text, value); i >= 0 {
			t.Errorf("%s contains %q: …%s…", where, value, text[max(0, i-100):min(len(text), i+100)])
		}
	}
}

// TestProduction_PricesWithoutProviders starts a process whose providers are all unreachable.
func TestProduction_PricesWithoutProviders(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, append(production(), serveProviders(t, newWorld(t), nil, nil)...)...)
	r := driver.Get(t, c.API+"/v1/pairs")
	if r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("pairs without a price: %d %s", r.Status, r.Body)
	}
	if r := driver.Get(t, c.API+"/v1/pairs/BTCNGN"); r.Status != http.StatusServiceUnavailable {
		t.Errorf("a pair without a price: %d %s", r.Status, r.Body)
	}
	if r := driver.Get(t, c.API+"/v1/pairs/NOPE"); r.Status != http.StatusNotFound {
		t.Errorf("an unknown pair: %d %s", r.Status, r.Body)
	}
	if r := driver.Get(t, c.API+"/v1/banks?q=simulated"); r.Status != 200 || !strings.Contains(string(r.Body), `"data":[]`) {
		t.Errorf("simulated banks: %d %s, want none", r.Status, r.Body)
	}
	if r := driver.Get(t, c.Operator+"/readyz"); r.Status != http.StatusServiceUnavailable || !strings.Contains(string(r.Body), "no prices yet") {
		t.Errorf("readyz: %d %s", r.Status, r.Body)
	}
	if r := driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished, "Authorization", "Bearer "+bearer); r.Status != http.StatusServiceUnavailable {
		t.Errorf("resolution: %d %s", r.Status, r.Body)
	}
}
