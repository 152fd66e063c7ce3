package cli

import (
	"slices"
	"strings"
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
	lines, err := UpstreamEnv("http://127.0.0.1:9200/")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"CAUSEWAY_MODE=production"}
	for _, v := range lines {
		env = append(env, v.Name+"="+v.Value)
	}
	cfg, err := config.Load(config.Sources{Env: env})
	if err != nil {
		t.Fatalf("production does not start with them: %v", err)
	}
	for _, line := range []string{"http://127.0.0.1:9200/paystack\n", "http://127.0.0.1:9200/flutterwave/v3\n"} {
		if !strings.Contains(string(cfg.YAML()), "base_url: "+line) {
			t.Errorf("no base URL %s", line)
		}
	}
}
