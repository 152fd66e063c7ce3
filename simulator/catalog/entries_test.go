package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

func TestErrors_OpenAPI(t *testing.T) {
	t.Parallel()
	contract := map[string]int{
		"bad_request": 400, "request_validation": 400, "unauthorized": 401, "forbidden": 403, "not_found": 404, "method_not_allowed": 405, "conflict": 409,
		"cursor_expired": 410, "world_expired": 410, "payload_too_large": 413, "unsupported_media_type": 415, "too_many_requests": 429, "internal_server_error": 500, "service_unavailable": 503,
	}
	for _, e := range catalog.New().Errors {
		if contract[e.Name] != e.Status || e.Try.Want.Status != e.Status || e.Try.Want.Error != e.Name {
			t.Errorf("%s is %d: %+v", e.Name, e.Status, e.Try.Want)
		}
		delete(contract, e.Name)
	}
	if len(contract) > 0 {
		t.Errorf("not reachable: %v", contract)
	}
}

// TestCatalog_Kinds lists them by the names that they have there.
func TestCatalog_Kinds(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"status", "latency", "hang", "slow_headers", "dribble", "truncate", "malformed", "wrong_content_type", "empty", "reset", "refuse", "redirect", "huge_body", "duplicate",
		"unknown_extra_fields", "missing_field", "changed_type", "stale_timestamp", "future_timestamp", "times", "inverted", "swapped_pair", "zero", "negative", "comma_decimal", "seconds_for_milliseconds",
	} {
		if !slices.Contains(faults.Kinds(), kind) {
			t.Errorf("there is no %s", kind)
		}
	}
	for _, preset := range []string{"provider_down:kraken", "slow_tail", "quota_exhausted", "bad_deploy", "partial_outage_30"} {
		if _, err := faults.Preset(preset); err != nil {
			t.Error(err)
		}
	}
}

// TestCatalog_Faults puts every kind and every preset to work, for all providers and as the catalog tries it.
func TestCatalog_Faults(t *testing.T) {
	t.Parallel()
	ws, err := world.NewRegistry(world.RegistryConfig{Clock: time.Now, Providers: wire.Offers()})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ws.Use("a")
	if err != nil {
		t.Fatal(err)
	}
	if got := catalog.For(ws); got.Dataset != ws.Dataset() || !strings.HasPrefix(got.Dataset, "2026-08-") {
		t.Errorf("the dataset is %q", got.Dataset)
	}
	for _, p := range catalog.New().Presets {
		for _, name := range []string{p.Name, strings.TrimSuffix(p.Name, ":<provider>") + ":okx"} {
			rules, err := faults.Preset(name)
			if strings.Contains(name, "<") { // what stands for a provider is none
				rules[0].Match.Provider = ""
			}
			if err != nil || len(rules) != len(p.Rules) {
				t.Errorf("%s: %d rules, %v", name, len(rules), err)
			}
			for _, r := range rules {
				if _, err := w.Faults().Add(r, w.Now()); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for _, e := range catalog.New().Faults {
		setups := e.Try.Setup[1:]
		if e.TryEdge != nil {
			setups = append(slices.Clone(setups), e.TryEdge.Setup[1:]...)
		}
		for _, r := range setups {
			var rule faults.Rule
			if err := json.Unmarshal([]byte(r.Body), &rule); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Faults().Add(rule, w.Now()); err != nil || rule.Effect.Kind != e.Kind {
				t.Errorf("%s: %v", e.Kind, err)
			}
		}
	}
	for name, want := range map[string]string{"nonsense": "slow_tail", "provider_down": "provider_down:kraken", "slow_tail:": "slow_tail:kraken"} {
		_, err := faults.Preset(name)
		if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to name %s", name, err, want)
		}
	}
}
