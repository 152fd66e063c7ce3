package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"causeway/simulator/catalog"
	"causeway/simulator/world"
)

// try sends the request of a sample and compares the response. A sample that changes its world has a
// world of its own.
func (g *sandboxFixture) try(what string, s catalog.Sample) {
	g.t.Helper()
	w := world.Default // building one is slow
	if len(s.Setup) > 0 || s.Want.Broken {
		w = "catalog/" + what
	}
	for _, r := range s.Setup {
		if rec := g.send(inWorld(w, r)); rec.Code >= http.StatusBadRequest {
			g.t.Errorf("%s: %s %s: %d %s", what, r.Method, r.Path, rec.Code, rec.Body)
			return
		}
	}
	rec := g.send(inWorld(w, s.Request))
	var got struct {
		Data  json.RawMessage
		Error struct{ Name string }
	}
	err := json.Unmarshal(rec.Body.Bytes(), &got)
	if want := s.Want; want.Broken {
		if err == nil || rec.Code != want.Status || want.Applied != rec.Header().Get("Sim-Applied") {
			g.t.Errorf("%s: %d %.200q, applied %q; want %+v", what, rec.Code, rec.Body, rec.Header().Get("Sim-Applied"), want)
		}
		return
	}
	if err != nil && !strings.HasPrefix(rec.Header().Get("Content-Type"), "text/event-stream") {
		g.t.Errorf("%s: %v in %s", what, err, rec.Body)
		return
	}
	want := s.Want
	if rec.Code != want.Status || got.Error.Name != want.Error || want.Applied != "" &&
		rec.Header().Get("Sim-Applied") != want.Applied {
		g.t.Errorf("%s: %d %q, applied %q; want %d %q, applied %q\n%s", what, rec.Code, got.Error.Name,
			rec.Header().Get("Sim-Applied"), want.Status, want.Error, want.Applied, rec.Body)
		return
	}
	if named := s.Request.Headers["Sim-World"] != "" && want.Error != "world_expired"; named &&
		rec.Header().Get("Sim-World") != w {
		g.t.Errorf("%s: it came from the world %q", what, rec.Header().Get("Sim-World"))
	}
	if want.Valid == nil && want.Reason == "" && want.Warning == "" && want.PairStatus == nil {
		return
	}
	var data struct {
		Valid          *bool
		Reason, Status string
		Warnings       []string
	}
	if err := json.Unmarshal(got.Data, &data); err != nil {
		g.t.Errorf("%s: %v in %s", what, err, got.Data)
		return
	}
	if want.Valid != nil && (data.Valid == nil || *data.Valid != *want.Valid) || data.Reason != want.Reason ||
		want.Warning != "" && !slices.Contains(data.Warnings, want.Warning) ||
		want.PairStatus != nil && !slices.Contains(want.PairStatus, data.Status) {
		g.t.Errorf("%s: %s, want %+v", what, got.Data, want)
	}
}

// TestCatalog_Entries sends the sample request of every entry of the catalog of the simulator.
func TestCatalog_Entries(t *testing.T) {
	t.Parallel()
	c := catalog.New()
	requests, faults := map[string]catalog.Sample{}, map[string]catalog.Sample{}
	for _, e := range c.Accounts {
		requests["account "+e.Suffix] = e.Try
	}
	for _, e := range c.Pairs {
		requests["pair "+e.ID] = e.Try
	}
	for _, e := range c.Outcomes {
		requests["outcome "+e.Name] = e.Try
	}
	for _, e := range c.Errors {
		requests["error "+e.Name] = e.Try
	}
	for i, e := range c.Addresses {
		requests[fmt.Sprintf("address %s %d", e.Code, i)] = e.Try
	}
	for _, e := range c.Faults {
		faults[string(e.Kind)] = e.Try
		if e.TryEdge != nil {
			faults[string(e.Kind)+"/edge"] = *e.TryEdge
		}
	}
	for _, e := range c.Presets {
		requests["preset "+strings.NewReplacer("<", "(", ">", ")").Replace(e.Name)] = e.Try
	}
	for _, e := range c.Scenarios {
		if e.Name == "dai-2020" { // the samples of all are made alike; TestScenarios plays every scenario
			requests["scenario "+e.Name] = e.Try
		}
	}
	for name, samples := range map[string]map[string]catalog.Sample{"requests": requests, "faults": faults} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newSandboxFixture(t, "BTC", "USDT", "USDC", "USD", "NGN") // one, because building it is slow
				for _, what := range slices.Sorted(maps.Keys(samples)) {
					g.try(what, samples[what])
				}
			})
		})
	}
}
