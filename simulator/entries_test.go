package simulator_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/market"
	"causeway/simulator/publicapi"
)

// published is what the API's own document says.
func published(t *testing.T) (operations map[string]string, text string) {
	t.Helper()
	file, err := os.ReadFile("../adapters/httpapi/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(file, &document); err != nil {
		t.Fatal(err)
	}
	operations = map[string]string{}
	for path, methods := range document.Paths {
		for method, raw := range methods {
			var operation struct {
				ID string `json:"operationId"`
			}
			if json.Unmarshal(raw, &operation) == nil && operation.ID != "" {
				operations[operation.ID] = strings.ToUpper(method) + " " + path
			}
		}
	}
	return operations, string(file)
}

func TestTheOperationsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	left, _ := published(t)
	for _, o := range publicapi.Operations() {
		if left[o.Name] != o.Method+" "+o.Path {
			t.Errorf("%s is %s %s here, and %q in the API", o.Name, o.Method, o.Path, left[o.Name])
		}
		delete(left, o.Name)
	}
	if len(left) > 0 {
		t.Errorf("not known here: %v", left)
	}
}

func TestTheErrorsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	contract := map[string]int{
		"bad_request": 400, "request_validation": 400, "unauthorized": 401, "forbidden": 403, "not_found": 404, "method_not_allowed": 405, "conflict": 409,
		"world_expired": 410, "payload_too_large": 413, "unsupported_media_type": 415, "too_many_requests": 429, "internal_server_error": 500, "service_unavailable": 503,
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

func TestEverythingInTheCatalogCanBeTried(t *testing.T) {
	t.Parallel()
	c := catalog.New()
	seen := map[string]bool{}
	try := func(what, title string, s catalog.Sample) {
		t.Helper()
		if seen[what] || what == "" || title == "" {
			t.Errorf("%q (%q) is nameless or there twice", what, title)
		}
		seen[what] = true
		if nothing := s.Want.Status == 0 && s.Want.Broken; !nothing && (s.Want.Status < 200 || s.Want.Status > 599) || (s.Want.Status >= 400) != (s.Want.Error != "") {
			t.Errorf("%s: %+v", what, s.Want)
		}
		for i, r := range append(slices.Clone(s.Setup), s.Request) {
			public := strings.HasPrefix(r.Path, "/v1/")
			if r.Method == "" || !public && !strings.HasPrefix(r.Path, "/_sim/v1/worlds") || public != (r.Headers["Sim-World"] == "{world}") {
				t.Errorf("%s: request %d is %+v", what, i, r)
			}
			if r.Body != "" && !json.Valid([]byte(r.Body)) && what != "error bad_request" {
				t.Errorf("%s: the body is %s", what, r.Body)
			}
		}
	}
	for _, e := range c.Accounts {
		try("account "+e.Suffix, e.Title, e.Try)
	}
	for _, e := range c.Pairs {
		try("pair "+e.ID, e.Title, e.Try)
	}
	for _, e := range c.Outcomes {
		try("outcome "+e.Name, e.Title, e.Try)
	}
	for _, e := range c.Errors {
		try("error "+e.Name, e.Name, e.Try)
	}
	for _, e := range c.Addresses {
		try("address "+e.Code, e.Code, e.Try)
	}
	for _, e := range c.Faults {
		try("fault "+string(e.Kind), e.Title, e.Try)
		if e.TryEdge != nil {
			try("fault "+string(e.Kind)+" at the edge", e.Title, *e.TryEdge)
		}
		if !slices.Contains(e.Planes, faults.Upstream) || slices.Contains(e.Planes, faults.Edge) != (e.TryEdge != nil) {
			t.Errorf("%s fits %v, and is not tried there", e.Kind, e.Planes)
		}
	}
	for _, e := range c.Presets {
		try("preset "+e.Name, e.Title, e.Try)
	}
	for _, e := range c.Scenarios {
		try("scenario "+e.Name, e.Title, e.Try)
	}
	want := len(accounts.MagicNumbers()) + len(market.MagicPairs()) + len(accounts.Outcomes()) + 13 + 36 + len(faults.Kinds()) + 17 + 5 + len(incidents.Names())
	if len(seen) != want {
		t.Errorf("%d entries, want %d", len(seen), want)
	}
	ws, _ := registry(t, nil)
	if got := ws.Catalog(); got.Dataset != ws.Dataset() || !strings.HasPrefix(got.Dataset, "2026-08-") {
		t.Errorf("the dataset is %q", got.Dataset)
	}
}

// TestEveryEffectOfTheSpecificationIsThere lists them by the names that they have there.
func TestEveryEffectOfTheSpecificationIsThere(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{
		"status", "latency", "hang", "slow_headers", "dribble", "truncate", "malformed", "wrong_content_type", "empty", "reset", "refuse", "redirect", "huge_body", "duplicate",
		"unknown_extra_fields", "missing_field", "changed_type", "stale_timestamp", "future_timestamp", "times_10", "times_100", "times_1000", "times_10000", "times_100000", "times_1000000",
		"times_10000000", "times_100000000", "inverted", "swapped_pair", "zero", "negative", "comma_decimal", "seconds_for_milliseconds",
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

// TestTheFaultsOfTheCatalogAreAccepted puts every kind and every preset to work, for all providers and as the catalog tries it.
func TestTheFaultsOfTheCatalogAreAccepted(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w := use(t, ws, "a")
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
		wantCode(t, err, core.Invalid, "preset ", want)
	}
}
