package wire_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/adapters/providers"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// TestDivergences checks that each one is complete and names an existing test.
func TestDivergences(t *testing.T) {
	t.Parallel()
	names := append(wire.New(newWorld(t)).Providers(), "all")
	seen := map[string]bool{}
	for _, d := range wire.Divergences() {
		folder, function, _ := strings.Cut(d.Test, ".")
		declaration := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(function) + `\(t \*testing\.T\)`)
		if !declaration.MatchString(sources(t, filepath.Join("..", "..", folder, "*_test.go"))) {
			t.Errorf("%s: there is no %s", d.Provider, d.Test)
		}
		if !slices.Contains(names, d.Provider) || d.What == "" || d.Why == "" || seen[d.Provider+d.What] {
			t.Errorf("%+v has an unknown provider, is incomplete, or a duplicate", d)
		}
		seen[d.Provider+d.What] = true
	}
	for _, p := range names {
		if !slices.ContainsFunc(wire.Divergences(), func(d wire.Divergence) bool { return d.Provider == p }) {
			t.Errorf("%s has no divergence", p)
		}
	}
}

// sources returns the text of all files that match a pattern.
func sources(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(text)
	}
	return out.String()
}

// TestAdapters_RunSuitesOverWire checks that the adapter of each provider runs the suites of its
// ports over its simulated wire.
func TestAdapters_RunSuitesOverWire(t *testing.T) {
	t.Parallel()
	for i, clients := range connect(t, newWorld(t)) {
		name := providers.Descriptors[i].Name
		tests := sources(t, filepath.Join("..", "..", "adapters", "providers", name, "*_test.go"))
		for port, implemented := range map[string]bool{
			"Rates": clients.Rates != nil, "Directory": clients.Directory != nil, "Resolver": clients.Resolver != nil,
			"Confirmer": clients.Confirmer != nil,
		} {
			if implemented && !strings.Contains(tests, "&providertest.Simulated"+port+"{") {
				t.Errorf("%s does not run the suite of %s over its simulated wire", name, port)
			}
		}
	}
}

func TestNoThrottling(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, e := range usual(t) {
		for i := range 15 { // at one instant of the world
			if r := send(w, e.request(t, "")); r.StatusCode/100 != 2 {
				t.Errorf("%s, request %d: got %d %s", e.provider, i+1, r.StatusCode, r.body)
				break
			}
		}
	}
}

func TestKeys_Form(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	bearer := func(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }
	for provider, header := range map[string]http.Header{
		"paystack":    bearer("sk_test_5f4dcc3b5aa765d61d8327deb882cf99"),
		"flutterwave": bearer("FLWSECK-0123456789abcdef0123456789abcdef-X"),
		"korapay":     bearer("sk_live_0123456789abcdef"),
		"afriex":      {"X-Api-Key": {"any_key_of_the_right_form"}},
		"busha":       bearer("any_key_of_the_right_form_0123456789"),
	} {
		e := golden(t, provider, "magic_found")
		for _, header := range []http.Header{header, nil} {
			e.header = header
			if r := send(w, e.request(t, "")); (r.StatusCode/100 == 2) != (header != nil) {
				t.Errorf("%s with %v: got %d %s", provider, header, r.StatusCode, r.body)
			}
		}
	}
}

func TestOtherOperations_NotFound(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, e := range usual(t) {
		e.method = http.MethodPost
		if r := send(w, e.with("/v1/transfers").request(t, "")); r.StatusCode/100 == 2 && !strings.Contains(string(r.body), "error") {
			t.Errorf("%s: got %d %s", e.provider, r.StatusCode, r.body)
		}
	}
}

func TestAfriex_MagicInstitutions(t *testing.T) {
	t.Parallel()
	banks := accounts.MagicBanks([]core.Country{{Code: "NG", Currencies: []string{"NGN"}}})
	alone, err := world.New(world.RegistryConfig{Clock: func() time.Time { return noon }, Banks: banks, Providers: wire.Offers(), Default: world.Options{Seed: "causeway"}})
	if err != nil {
		t.Fatal(err)
	}
	for sim, listed := range map[*world.World]bool{newWorld(t): false, alone: true} {
		r := send(wire.New(sim), golden(t, "afriex", "banks").request(t, ""))
		if strings.Contains(string(r.body), "Simulated Bank") != listed {
			t.Errorf("got %s", r.body)
		}
	}
}

func TestUnknownHost(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	for _, host := range []string{"example.com", "paystack.co", "api.kraken.com.evil.test"} {
		r := send(w, get("", "/").request(t, "https://"+host+":443"))
		if r.err == nil || !strings.Contains(r.err.Error(), "no such host") {
			t.Errorf("%q: got %v", host, r.err)
		}
	}
	for _, host := range []string{"API.Kraken.com", "api.kraken.com:443"} {
		if r := send(w, get("", "/0/public/Ticker?pair=XBTUSD").request(t, "https://"+host)); r.StatusCode != http.StatusOK {
			t.Errorf("%q: got %d, %v", host, r.StatusCode, r.err)
		}
	}
}
