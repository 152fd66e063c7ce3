package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator"
)

// rehearsed does to a world what the set-up of a sample says.
func (th *theatre) rehearsed(t *testing.T, setup []simulator.Request) {
	t.Helper()
	for _, r := range setup {
		var body struct {
			By       simulator.Duration
			Scenario string
		}
		path := strings.TrimPrefix(r.Path, "/_sim/v1/worlds/{world}")
		if r.Body != "" && path != "/faults" {
			if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case r.Method == http.MethodGet, path == "/_sim/v1/worlds": // it is there, and its prices are
		case path == "/clock/advance":
			th.advance(t, time.Duration(body.By))
		case path == "/market/play":
			s, err := simulator.ScenarioOf(body.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			if err := th.world.Play(s, th.world.Now()); err != nil {
				t.Fatal(err)
			}
		case path == "/faults":
			var rule simulator.Rule
			if err := json.Unmarshal([]byte(r.Body), &rule); err != nil {
				t.Fatal(err)
			}
			if _, err := th.world.Faults().Add(rule, th.world.Now()); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("what is %+v?", r)
		}
	}
}

// TestThePricesOfTheCatalogComeOutAsItSays tries every incident, fault and preset as the catalog has it.
func TestThePricesOfTheCatalogComeOutAsItSays(t *testing.T) {
	t.Parallel()
	type trial struct {
		name string
		simulator.Sample
	}
	var trials []trial
	c := simulator.NewCatalog()
	for _, e := range c.Scenarios {
		trials = append(trials, trial{"scenario " + e.Name, e.Try})
	}
	for _, e := range c.Faults {
		trials = append(trials, trial{"fault " + string(e.Kind), e.Try})
	}
	for _, e := range c.Presets {
		trials = append(trials, trial{"preset " + e.Name, e.Try})
	}
	for _, x := range trials {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				th := enchanted(t, time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC), "BTC", "ETH", "TRX", "USDT", "USDC", "USD", "EUR", "NGN")
				th.rehearsed(t, x.Setup)
				th.advance(t, 5*time.Second)
				q := th.Snapshot().Quote(strings.TrimPrefix(x.Request.Path, "/v1/pairs/"))
				if q == nil || !slices.Contains(x.Want.PairStatus, string(q.Status)) {
					t.Fatalf("want %v, got %+v", x.Want.PairStatus, q)
				}
			})
		})
	}
}
