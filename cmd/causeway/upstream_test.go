package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// TestEveryProviderHasItsVariables holds the table against the wires that there are and the configuration that takes the variables.
func TestEveryProviderHasItsVariables(t *testing.T) {
	t.Parallel()
	world, err := simulator.New(simulator.Config{Seed: "x"}, time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, p := range upstreamProviders {
		named = append(named, p.name)
	}
	slices.Sort(named)
	if all := wire.New(world).Providers(); !slices.Equal(named, all) {
		t.Errorf("variables of %v, wires of %v", named, all)
	}
	lines, err := upstreamEnv("http://127.0.0.1:9200/")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"CAUSEWAY_MODE=production"}
	for _, v := range lines {
		env = append(env, v.name+"="+v.value)
	}
	cfg, err := config.Load(config.Sources{Env: env})
	if err != nil {
		t.Fatalf("production does not start with them: %v", err)
	}
	if cfg.Paystack.BaseURL != "http://127.0.0.1:9200/paystack" || cfg.Flutterwave.BaseURL != "http://127.0.0.1:9200/flutterwave/v3" || cfg.Kraken.SocketURL != "ws://127.0.0.1:9200/kraken" {
		t.Errorf("got %s, %s and %s", cfg.Paystack.BaseURL, cfg.Flutterwave.BaseURL, cfg.Kraken.SocketURL)
	}
}

func TestNoPageReachesTheSimulatedProvidersOperatorByANameOfItsOwn(t *testing.T) {
	t.Parallel()
	controls := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	server := httptest.NewServer(upstreamOperatorHandler(controls, upstreamOperator))
	defer server.Close()
	for host, want := range map[string]int{"localhost:9201": http.StatusTeapot, "evil.example:9201": http.StatusMisdirectedRequest} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/_sim/v1/worlds", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = resp.Body.Close(); resp.StatusCode != want {
			t.Errorf("%s: got %d, want %d", host, resp.StatusCode, want)
		}
	}
}
