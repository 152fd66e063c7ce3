package test_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/test/driver"
)

// TestUpstream_Production runs a production-mode process against `causeway upstream`, as the guide
// describes it.
func TestUpstream_Production(t *testing.T) {
	t.Parallel()
	providers := readUpstream(t)
	c := driver.Start(t, binary, append(providers.env, "CAUSEWAY_DRAIN__DELAY=0s")...)

	if body := string(driver.Get(t, c.API+"/v1/banks?q=guaranty").Body); !strings.Contains(body, `"code":"000013"`) {
		t.Errorf("banks: %s", body)
	}
	account := driver.Do(t, http.MethodPost, c.API+resolvePath, `{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`)
	if name, _ := account.JSON(t)["data"].(map[string]any)["account_name"].(string); account.Status != http.StatusOK || !strings.HasPrefix(name, "TEST ") {
		t.Errorf("the published example: %d %s", account.Status, account.Body)
	}
	if simulated := driver.Get(t, c.API+"/v1/pairs").Header; simulated.Get("Sim-World") != "" || simulated.Get("Sim-Applied") != "" {
		t.Errorf("a production response has sandbox headers: %v", simulated)
	}
	till := driver.Do(t, http.MethodPost, c.API+resolvePath, `{"country_id":"KE","currency_id":"KES","channel":"till","account_number":"100200"}`)
	if till.Status != http.StatusOK {
		t.Errorf("a till: %d %s", till.Status, till.Body)
	}
	address := driver.Do(t, http.MethodPost, c.API+"/v1/validate", `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`)
	if valid := address.JSON(t)["data"].(map[string]any)["valid"]; valid != true {
		t.Errorf("an address: %d %s", address.Status, address.Body)
	}
	v := venues{t, providers, c}
	v.waitFor("most pairs are fresh, and none is halted", func() bool {
		statuses := map[string]int{}
		var listed struct{ Data []struct{ ID, Status string } }
		if err := json.Unmarshal(driver.Get(t, c.API+"/v1/pairs").Body, &listed); err != nil {
			t.Fatal(err)
		}
		for _, p := range listed.Data {
			statuses[p.Status]++
		}
		const most = 80 // pairs that need Coinbase may be a round behind, which is polled eight times a second
		return statuses["fresh"] >= most && statuses["halted"] == 0
	})
	for _, provider := range allProviders() {
		v.waitFor(provider+" responds", func() bool {
			return v.metric("causeway_upstream_requests_total", `op="[a-z_]+"`, `outcome="ok"`, `provider="`+provider+`"`) > 0
		})
	}
	if strings.Contains(c.Log(), "sandbox") {
		t.Errorf("the log of a production process mentions a sandbox: %s", c.Log())
	}
}

// TestUpstream_Unknown requests paths of no provider. A response lists the providers.
func TestUpstream_Unknown(t *testing.T) {
	t.Parallel()
	providers := readUpstream(t)
	for _, path := range []string{"/", "/unknown/bank", "/v1/banks", "/paystackbank"} {
		if r := driver.Get(t, providers.API+path); r.Status != http.StatusNotFound || !strings.Contains(string(r.Body), "/paystack") {
			t.Errorf("%s: %d %.300s", path, r.Status, r.Body)
		}
	}
	for _, probe := range []string{"/livez", "/readyz"} {
		if r := driver.Get(t, providers.Operator+probe); r.Status != http.StatusOK {
			t.Errorf("%s: %d %s", probe, r.Status, r.Body)
		}
	}
}

// TestUpstream_Worlds selects worlds by a header.
func TestUpstream_Worlds(t *testing.T) {
	t.Parallel()
	providers := readUpstream(t)
	ticker := func(world string) string {
		return string(driver.Get(t, providers.API+"/frankfurter/v2/rates?base=USD&quotes=NGN", "Sim-World", world).Body)
	}
	if a, b := ticker("one"), ticker("two"); a == b || a != ticker("one") {
		t.Errorf("the worlds one and two have the rates %s and %s", a, b)
	}
	if r := driver.Get(t, providers.API+"/kraken/0/public/Ticker?pair=XBTUSD", "Sim-World", "no such name!"); r.Status != http.StatusBadRequest {
		t.Errorf("an invalid name of a world: %d %s", r.Status, r.Body)
	}
}

type upstreamInstance struct {
	*driver.Instance

	env []string
}

// readUpstream returns providers that other tests use too. Nothing in their default world may be changed.
func readUpstream(t *testing.T) upstreamInstance {
	t.Helper()
	return upstreamInstance{defaultUpstream.get(t), slices.Clone(defaultUpstream.env)}
}

// startUpstream runs the providers until the test ends.
func startUpstream(t *testing.T) upstreamInstance {
	t.Helper()
	i, env, err := driver.Upstream(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := i.Stop(); err != nil {
			t.Error(err)
		}
	})
	return upstreamInstance{i, env}
}

// TestUpstream_Control sets an account and a fault at one provider. A production-mode process resolves
// the account with the next.
func TestUpstream_Control(t *testing.T) {
	t.Parallel()
	providers := startUpstream(t)
	control := venues{t: t, providers: providers}.control
	control(http.MethodPut, "/accounts/000013/0690000032", `{"account_name":"TEST ADA SET BY HAND"}`)
	control(http.MethodPost, "/faults", `{"match":{"provider":"paystack"},"effect":{"kind":"status","status":500}}`)
	c := driver.Start(t, binary, append(providers.env, "CAUSEWAY_DRAIN__DELAY=0s")...)
	r := driver.Do(t, http.MethodPost, c.API+resolvePath, `{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"000013","account_number":"0690000032"}`)
	if r.Status != http.StatusOK || !strings.Contains(string(r.Body), "TEST ADA SET BY HAND") {
		t.Errorf("with the first provider down: %d %s", r.Status, r.Body)
	}
	if faults := string(control(http.MethodGet, "/faults", "").Body); !strings.Contains(faults, `"hit_provider":{"paystack":`) && !strings.Contains(faults, `"paystack":`) {
		t.Errorf("the fault hit no request: %s", faults)
	}
	control(http.MethodPost, "/reset", "")
	if r := driver.Get(t, providers.API+"/kraken/0/public/Ticker?pair=XBTUSD"); r.Status != http.StatusOK {
		t.Errorf("after a reset: %d %s", r.Status, r.Body)
	}
}
