package app

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"causeway/simulator"
	"causeway/simulator/journal"
)

// TestJournal_Attempts lets a provider fail once, so that it is asked again for the same request.
func TestJournal_Attempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // else a busy machine could let a provider be late
		g := newPlayground(t)
		for effect, status := range map[string]int{`{"kind":"status","status":503}`: http.StatusServiceUnavailable, `{"kind":"reset"}`: 0} {
			const world = "tries"
			g.does(http.MethodPost, "/worlds", `{"id":"`+world+`",`+standing+`}`)
			g.does(http.MethodPost, "/worlds/"+world+"/faults", `{"match":{"provider":"paystack","operation":"resolve"},"effect":`+effect+`,"when":{"max_hits":1}}`)
			rec := g.send(simulator.Request{Method: http.MethodPost, Path: nameOf, Body: somebody, Headers: map[string]string{"Sim-World": world}})
			w, err := g.Worlds.Find(world)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := w.Journal().Find(journal.Match{Fault: "f1"}, 0)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%s: %d entries with the fault, %v", effect, len(entries), err)
			}
			got := slices.Clone(entries[0].Attempts)
			for i := range got {
				if got[i].Took < 0 {
					t.Errorf("%s: it took %v", effect, got[i].Took)
				}
				got[i].Took = 0
			}
			want := []journal.Attempt{
				{Provider: "paystack", Operation: "resolve", Attempt: 1, Outcome: "unavailable", Status: status, Breaker: "closed", Fault: "f1"},
				{Provider: "paystack", Operation: "resolve", Attempt: 2, Outcome: "found", Status: http.StatusOK, Breaker: "closed"},
			}
			if rec.Code != http.StatusOK || !slices.Equal(got, want) {
				t.Errorf("%s: %d, the journal has\n%+v, want\n%+v", effect, rec.Code, got, want)
			}
			g.does(http.MethodDelete, "/worlds/"+world, "")
		}
	})
}
