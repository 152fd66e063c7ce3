package test_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	simulatedopenexchangerates "causeway/simulator/wire/openexchangerates"
	"causeway/test/driver"
)

// upstreams serves the simulated providers over TCP, with paystack's answers replaced where fault says so, and returns the
// environment of a production-mode process that asks them, Paystack alone about accounts. It remembers no answers.
func upstreams(t *testing.T, fault func(http.ResponseWriter, *http.Request) bool) []string {
	t.Helper()
	env := served(t, newWorld(t), allProviders(), gates{"paystack": func(honest http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !fault(w, r) {
				honest.ServeHTTP(w, r)
			}
		})
	}})
	return append(env,
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=sk_test_ng", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID="+simulatedopenexchangerates.AppID,
		"CAUSEWAY_AUTH__KEYS="+bearer, "CAUSEWAY_DRAIN__DELAY=0s", "CAUSEWAY_UPSTREAM__TIMEOUT=1s",
		"CAUSEWAY_RESOLUTION__CACHE__FOUND=0s",
	)
}

const resolvePublished = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"058","account_number":"0123456789"}`

// TestResolve_InvalidResponses runs a production-mode process against a provider that breaks in every way we know of:
// the client is told that it cannot be told now, never that the account does not exist and never a made-up name.
func TestResolve_InvalidResponses(t *testing.T) {
	t.Parallel()
	say := func(status int, contentType, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const ok = `{"status":true,"message":"Account number resolved","data":`
	faults := map[string]func(http.ResponseWriter){
		"HTML with 200":         say(200, "text/html", "<html>oops</html>"),
		"HTML as JSON":          say(200, "application/json", "<html>oops</html>"),
		"truncated JSON":        say(200, "application/json", ok+`{"account_number":"01234567`),
		"wrong types":           say(200, "application/json", ok+`{"account_number":123456789,"account_name":["TEST"]}}`),
		"an empty name":         say(200, "application/json", ok+`{"account_number":"0123456789","account_name":"  "}}`),
		"no name":               say(200, "application/json", ok+`{"account_number":"0123456789"}}`),
		"another account":       say(200, "application/json", ok+`{"account_number":"9999999999","account_name":"TEST OTHER"}}`),
		"status false with 200": say(200, "application/json", `{"status":false,"message":"Something odd"}`),
		"an empty body":         say(200, "application/json", ""),
		"null":                  say(200, "application/json", "null"),
		"an array":              say(200, "application/json", "[]"),
		"a refused key":         say(401, "application/json", `{"status":false,"message":"Invalid key"}`),
		"a forbidden key":       say(403, "application/json", `{"status":false,"message":"no"}`),
		"the test-mode cap":     say(429, "application/json", `{"status":false,"message":"Test mode daily limit of 3 live bank resolves exceeded. Use test bank codes 001 or upgrade to live mode."}`),
		"the cap as 400":        say(400, "application/json", `{"status":false,"message":"Test mode daily limit of 3 live bank resolves exceeded. Use test bank codes 001 or upgrade to live mode."}`),
		"an unknown text":       say(422, "application/json", `{"status":false,"message":"Never seen before"}`),
		"500":                   say(500, "text/plain", "oops"),
		"503":                   say(503, "text/html", "<h1>503</h1>"),
		"a redirect":            func(w http.ResponseWriter) { w.Header().Set("Location", "http://127.0.0.1:1/"); w.WriteHeader(302) },
		"a reset":               func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
		"silence":               nil, // no answer until the client is gone
	}
	var current atomic.Value
	current.Store("")
	env := upstreams(t, func(w http.ResponseWriter, r *http.Request) bool {
		name, _ := current.Load().(string)
		if name == "" || !strings.HasSuffix(r.URL.Path, "/resolve") {
			return false
		}
		if faults[name] == nil {
			<-r.Context().Done()
			return true
		}
		faults[name](w)
		return true
	})
	c := driver.Start(t, binary, env...)
	ask := func() driver.Reply {
		return driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished, "Authorization", "Bearer "+bearer)
	}
	if r := ask(); r.Status != 200 {
		t.Fatalf("without a fault: %d %s", r.Status, r.Body)
	}
	for name := range faults {
		current.Store(name)
		began := time.Now()
		r := ask()
		if r.Status != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s, want 503 with Retry-After", name, r.Status, r.Body)
		}
		if took := time.Since(began); took >= inTime {
			t.Errorf("%s: answered after %s, the budget is 8 s", name, took)
		}
		for _, leak := range []string{"127.0.0.1", "aystack", "sk_test", "oops", "Invalid key", "Never seen"} {
			if strings.Contains(string(r.Body), leak) {
				t.Errorf("%s: the answer gives away %q: %s", name, leak, r.Body)
			}
		}
		current.Store("")
		if r := ask(); r.Status != 200 {
			t.Errorf("after %s: %d %s", name, r.Status, r.Body)
		}
	}
}

func TestProduction_NoSandbox(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary, upstreams(t, func(http.ResponseWriter, *http.Request) bool { return false })...)
	if r := driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished); r.Status != http.StatusUnauthorized {
		t.Errorf("resolution without a key: %d %s", r.Status, r.Body)
	}
	if r := driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished, "Authorization", "Bearer "+bearer); r.Status != 200 {
		t.Errorf("resolution with a key: %d %s", r.Status, r.Body)
	}
	if body := string(driver.Get(t, c.API+"/v1/banks?q=simulated").Body); !strings.Contains(body, `"data":[]`) {
		t.Errorf("production lists simulated banks: %s", body)
	}
	testnet := `{"type":"address","currency":"BTC","address":"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"}`
	r := driver.Do(t, http.MethodPost, c.API+"/v1/validate", testnet)
	if got := r.JSON(t)["data"].(map[string]any); got["valid"] != false || got["reason"] != "wrong_environment" || got["environment"] != "testnet" {
		t.Errorf("a testnet address in production: %v", got)
	}
	if r := driver.Get(t, c.API+"/v1/pairs"); r.Status != 200 || len(r.JSON(t)["data"].([]any)) < 80 {
		t.Errorf("pairs: %d %.200s", r.Status, r.Body)
	}
	if strings.Contains(c.Log(), "sandbox") {
		t.Errorf("production speaks of a sandbox: %s", c.Log())
	}
}

// TestProduction_PricesWithoutProviders starts a process whose providers are all gone: it serves what it can and says so of the rest.
func TestProduction_PricesWithoutProviders(t *testing.T) {
	t.Parallel()
	env := []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_PAYSTACK__KEYS__NG=k", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=k", "CAUSEWAY_AUTH__KEYS=" + bearer, "CAUSEWAY_DRAIN__DELAY=0s",
	}
	for _, key := range []string{"PAYSTACK", "KRAKEN", "BINANCE", "COINBASE", "OKX", "BYBIT", "BITSTAMP", "GEMINI", "LUNO", "OPEN_EXCHANGE_RATES", "QUIDAX", "BUSHA", "FRANKFURTER", "COINGECKO"} {
		env = append(env, fmt.Sprintf("CAUSEWAY_PROVIDERS__BASE_URLS__%s=http://127.0.0.1:1", key)) // nobody listens there
	}
	c := driver.Start(t, binary, env...)
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
	if r := driver.Get(t, c.API+"/v1/banks"); r.Status != 200 {
		t.Errorf("banks: %d %s", r.Status, r.Body)
	}
	if r := driver.Get(t, c.Operator+"/readyz"); r.Status != http.StatusServiceUnavailable || !strings.Contains(string(r.Body), "no prices yet") {
		t.Errorf("readyz: %d %s", r.Status, r.Body)
	}
	if r := driver.Do(t, http.MethodPost, c.API+resolvePath, resolvePublished, "Authorization", "Bearer "+bearer); r.Status != http.StatusServiceUnavailable {
		t.Errorf("resolution: %d %s", r.Status, r.Body)
	}
}
