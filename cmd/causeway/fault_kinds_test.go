package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"causeway/simulator"
	"causeway/simulator/journal"
)

// affected is an effect with what its kind needs: what takes time takes more than a provider is given.
func affected(kind simulator.Kind) simulator.Effect {
	e := simulator.Effect{Kind: kind}
	switch kind {
	case simulator.FaultStatus:
		e.Status = http.StatusBadGateway
	case simulator.FaultLatency, simulator.FaultSlowHeaders, simulator.FaultDribble:
		e.MS = 20_000
	default:
	}
	return e
}

// TestEveryKindOfFaultAtAProviderOfAccounts lets each kind befall Paystack, whom Nigeria asks first: it can tell, or the next one is asked.
func TestEveryKindOfFaultAtAProviderOfAccounts(t *testing.T) {
	t.Parallel()
	harmless := []simulator.Kind{simulator.FaultWrongContentType, simulator.FaultUnknownFields}
	aboutPrices := []simulator.Kind{
		simulator.FaultTimes10, simulator.FaultTimes100, simulator.FaultTimes1000, simulator.FaultTimes10000, simulator.FaultTimes100000, simulator.FaultTimes1000000,
		simulator.FaultTimes10000000, simulator.FaultTimes100000000, simulator.FaultInverted, simulator.FaultSwappedPair, simulator.FaultZero, simulator.FaultNegative, simulator.FaultCommaDecimal, simulator.FaultNaN,
		simulator.FaultMissingField, simulator.FaultChangedType, simulator.FaultStaleTimestamp, simulator.FaultFutureTimestamp, simulator.FaultSecondsForMillis,
	}
	synctest.Test(t, func(t *testing.T) {
		g := newPlayground(t)
		for i, name := range simulator.Kinds() {
			kind, world := simulator.Kind(name), "kinds/"+name
			g.does(http.MethodPost, "/worlds", fmt.Sprintf(`{"id":%q}`, world))
			rule, err := json.Marshal(simulator.Rule{Match: simulator.Match{Provider: "paystack", Operation: "resolve"}, Effect: affected(kind)})
			if err != nil {
				t.Fatal(err)
			}
			made := g.send(in(world, simulator.Request{Method: http.MethodPost, Path: "/_sim/v1/worlds/{world}/faults", Body: string(rule)}))
			if about := slices.Contains(aboutPrices, kind); about != (made.Code == http.StatusBadRequest) {
				t.Errorf("%s: %d %s", kind, made.Code, made.Body)
			} else if about {
				continue
			}
			rec := g.send(in(world, simulator.Request{
				Method: http.MethodPost, Path: nameOf, Headers: map[string]string{"Sim-World": "{world}"},
				Body: fmt.Sprintf(`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"00000%02d123"}`, i),
			}))
			w, err := g.Front.worlds.Find(world)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := w.Journal().Find(journal.Match{Operation: simulator.ResolveAccount}, 0)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%s: %v, %+v", kind, err, entries)
			}
			tells, told := "flutterwave", slices.Contains(harmless, kind)
			if told {
				tells = "paystack"
			}
			i := slices.IndexFunc(entries[0].Attempts, func(a journal.Attempt) bool { return a.Outcome == "found" })
			if rec.Code != http.StatusOK || i < 0 || entries[0].Attempts[i].Provider != tells || (len(entries[0].Attempts) == 1) != told || entries[0].Applied != "fault:f1" {
				t.Errorf("%s: %d %s, decided by %s: %+v", kind, rec.Code, rec.Body, entries[0].Applied, entries[0].Attempts)
			}
		}
	})
}
