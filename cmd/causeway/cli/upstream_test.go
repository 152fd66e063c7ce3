package cli

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"causeway/adapters/providers"
	"causeway/cmd/causeway/server"
	"causeway/config"
	"causeway/simulator/wire"
	"causeway/simulator/wire/format"
)

// TestUpstreamEnv compares the table with the simulated providers, and loads the variables.
func TestUpstreamEnv(t *testing.T) {
	t.Parallel()
	for _, d := range providers.Descriptors {
		if !slices.ContainsFunc(wire.Descriptors, func(s format.Descriptor) bool { return s.Name == d.Name }) {
			t.Errorf("%s is not simulated", d.Name)
		}
	}
	lines, err := upstreamEnv("http://127.0.0.1:9200/")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"CAUSEWAY_MODE=production"}
	for name, value := range lines {
		env = append(env, name+"="+value)
	}
	cfg, err := config.Load(config.Sources{Env: env})
	if err != nil {
		t.Fatalf("production does not start with them: %v", err)
	}
	if key := lines["CAUSEWAY_KEY"]; !cfg.RecipientsNeedKey() || len(cfg.Auth.Keys) != 1 || cfg.Auth.Keys[0].Reveal() != key {
		t.Errorf("account resolution needs a key: %t, %q is the key", cfg.RecipientsNeedKey(), key)
	}
	for section, path := range map[string]string{"paystack": "/paystack", "flutterwave": "/flutterwave/v3"} {
		if got, want := cfg.Endpoints.BaseURLs[section], "http://127.0.0.1:9200"+path; got != want {
			t.Errorf("%s: got %q, want %q", section, got, want)
		}
	}
	if got := cfg.Deposits.URLs()["bsc"]; len(cfg.Deposits.Chains) != len(wire.Chains) || len(got) != 1 ||
		got[0] != "http://127.0.0.1:9200/evm-bsc" {
		t.Errorf("BSC has the back ends %v, and %d networks have some", got, len(cfg.Deposits.Chains))
	}
}

func TestUpstreamEnv_Base(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "localhost:9200", "ftp://localhost", "http://", "http://user:pass@localhost", "http://localhost?x=1", "http://localhost/'; rm"} {
		if out, err := run(t, "", "upstream", "env", "--base", bad); ExitCode(err) != exitUsage || !strings.Contains(err.Error(), "--base") {
			t.Errorf("%q: %v %s", bad, err, out)
		}
	}
	out, err := run(t, "", "upstream", "env", "--base", "https://upstream.test/x/")
	if err != nil || !strings.Contains(out, "export CAUSEWAY_PROVIDERS__BASE_URLS__KORAPAY='https://upstream.test/x/korapay/merchant/api/v1'\n") {
		t.Errorf("%v\n%s", err, out)
	}
	for base, want := range map[string]bool{"https://upstream.test": true, "http://upstream.test": false} {
		if out, err := run(t, "", "upstream", "env", "--base", base); err != nil || strings.Contains(out, "CAUSEWAY_DEPOSITS__CHAINS") != want {
			t.Errorf("%s: %v\n%s", base, err, out)
		}
	}
}

func TestUpstream_ForeignHost(t *testing.T) {
	t.Parallel()
	controls := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	api := httptest.NewServer(upstreamOperatorHandler(controls, &server.Health{}, "127.0.0.1:9201"))
	defer api.Close()
	for host, want := range map[string]int{"localhost:9201": http.StatusTeapot, "evil.example:9201": http.StatusMisdirectedRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, api.URL+"/_sim/v1/worlds", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := api.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", host, resp.StatusCode, want)
		}
	}
}
