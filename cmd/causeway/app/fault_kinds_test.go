package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
	"causeway/simulator"
	"causeway/simulator/journal"
)

// affected returns an effect with the parameters that its kind needs. Delays exceed the timeout.
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

// TestAccountFaults_NextProvider injects every fault at Paystack, the first provider of Nigeria:
// the next provider is asked unless the fault is harmless.
func TestAccountFaults_NextProvider(t *testing.T) {
	t.Parallel()
	harmless := []simulator.Kind{simulator.FaultWrongContentType, simulator.FaultUnknownFields}
	aboutPrices := []simulator.Kind{
		simulator.FaultTimes10, simulator.FaultTimes100, simulator.FaultTimes1000, simulator.FaultTimes10000, simulator.FaultTimes100000, simulator.FaultTimes1000000,
		simulator.FaultTimes10000000, simulator.FaultTimes100000000, simulator.FaultInverted, simulator.FaultSwappedPair, simulator.FaultZero, simulator.FaultNegative, simulator.FaultCommaDecimal, simulator.FaultNaN,
		simulator.FaultStaleTimestamp, simulator.FaultFutureTimestamp, simulator.FaultSecondsForMillis,
	}
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t)
		for i, name := range simulator.Kinds() {
			kind, world := simulator.Kind(name), "kinds/"+name
			g.control(http.MethodPost, "/worlds", fmt.Sprintf(`{"id":%q}`, world))
			rule, err := json.Marshal(simulator.Rule{Match: simulator.Match{Provider: "paystack", Operation: "resolve"}, Effect: affected(kind)})
			if err != nil {
				t.Fatal(err)
			}
			made := g.send(inWorld(world, simulator.Request{Method: http.MethodPost, Path: "/_sim/v1/worlds/{world}/faults", Body: string(rule)}))
			if about := slices.Contains(aboutPrices, kind); about != (made.Code == http.StatusBadRequest) {
				t.Errorf("%s: %d %s", kind, made.Code, made.Body)
			} else if about {
				continue
			}
			rec := g.send(inWorld(world, simulator.Request{
				Method: http.MethodPost, Path: resolvePath, Headers: map[string]string{"Sim-World": "{world}"},
				Body: fmt.Sprintf(`{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"001","account_number":"00000%02d123"}`, i),
			}))
			w, err := g.Worlds.Find(world)
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

// accountAt returns an account that a provider resolves: a till if it resolves nothing else.
func accountAt(t *testing.T, w *simulator.World, r ports.AccountResolver) core.AccountQuery {
	t.Helper()
	for _, bank := range w.Banks() {
		if bank.Country != "NG" || !r.Resolves("NG", core.BankTransfer, bank) {
			continue
		}
		return core.AccountQuery{Country: "NG", Currency: "NGN", Channel: core.BankTransfer, Bank: bank, Number: found(w, bank)}
	}
	return core.AccountQuery{Country: "KE", Currency: "KES", Channel: core.Till, Number: "174601"}
}

// found returns an account number that exists at a bank.
func found(w *simulator.World, bank core.Bank) core.Private {
	number := 3000000000
	for w.Account(bank, fmt.Sprint(number)).Outcome != simulator.Found {
		number++
	}
	return core.Private(fmt.Sprint(number))
}

// TestAccountFaults injects every fault at every account provider: its adapter returns the right
// name or Unavailable, never another name or NotFound.
func TestAccountFaults(t *testing.T) {
	t.Parallel()
	harmless := []simulator.Kind{simulator.FaultWrongContentType, simulator.FaultUnknownFields}
	synctest.Test(t, func(t *testing.T) {
		a := newTestApp(t, settings(t), zap.NewNop())
		made := a.home.services.Load().Providers
		w, err := a.Worlds.Find(simulator.DefaultWorld)
		if err != nil || len(made.Resolvers) != 7 {
			t.Fatalf("%v, %d resolvers", err, len(made.Resolvers))
		}
		for _, r := range made.Resolvers {
			q := accountAt(t, w, r)
			name, err := r.Resolve(t.Context(), q)
			if err != nil || name == "" {
				t.Fatalf("%s: %q, %v", r.Name(), name.Reveal(), err)
			}
			tried := 0
			for _, kind := range simulator.Kinds() {
				rule := simulator.Rule{Match: simulator.Match{Provider: r.Name(), Operation: "resolve"}, Effect: affected(simulator.Kind(kind))}
				if _, err := w.Faults().Add(rule, w.Now()); err != nil {
					continue // prices and times, of which an account has none
				}
				got, err := r.Resolve(t.Context(), q)
				switch told := slices.Contains(harmless, simulator.Kind(kind)); {
				case w.Faults().List()[0].Hits == 0:
					t.Errorf("%s: %s befalls nothing", r.Name(), kind)
				case told && (err != nil || got != name):
					t.Errorf("%s, %s: %q, %v", r.Name(), kind, got.Reveal(), err)
				case !told && (core.CodeOf(err) != core.Unavailable || got != ""):
					t.Errorf("%s, %s: it tells %q, %v", r.Name(), kind, got.Reveal(), err)
				}
				tried++
				w.Faults().Reset()
			}
			if tried != 18 {
				t.Errorf("%d kinds can befall %s; 18 of them are about no price and no time", tried, r.Name())
			}
		}
		absa := w.Banks()[slices.IndexFunc(w.Banks(), func(b core.Bank) bool { return b.Country == "ZA" && b.Code == "632005" })]
		claim := core.AccountQuery{Country: "ZA", Currency: "ZAR", Channel: core.BankTransfer, Bank: absa, Number: found(w, absa)}
		for _, kind := range []simulator.Kind{"", simulator.FaultMissingField, simulator.FaultChangedType, simulator.FaultMalformed} {
			if kind != "" {
				if _, err := w.Faults().Add(simulator.Rule{Match: simulator.Match{Provider: "paystack", Operation: "validate"}, Effect: affected(kind)}, w.Now()); err != nil {
					t.Fatal(err)
				}
			}
			match, err := made.Confirmers[0].Confirm(t.Context(), claim, "TEST ADA")
			if told := kind == ""; told != (err == nil) || !told && (core.CodeOf(err) != core.Unavailable || match != "") {
				t.Errorf("a confirmation, %s: %v, %v", kind, match, err)
			}
			w.Faults().Reset()
		}
	})
}
