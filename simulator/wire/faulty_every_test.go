package wire_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/simulator/faults"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// spoilable finds a question to each operation of a provider that is answered with success and has what matters most in it.
func spoilable(t *testing.T, sim *world.World, w *wire.Wire, provider string) map[string]question {
	t.Helper()
	told := map[string]bool{"magic_found": true, "validated": true, "wallet_found": true}
	all := []question{{provider: "coinbase", target: "/products", header: http.Header{"User-Agent": {"test"}}}}
	for _, p := range tellers() {
		all = append(all, question{provider: p.provider, target: p.target, header: http.Header{"User-Agent": {"test"}}})
	}
	all = append(all, examples()...)
	for _, first := range []bool{true, false} {
		for _, q := range questions {
			if told[q.name] == first {
				all = append(all, q)
			}
		}
	}
	found := map[string]question{}
	for _, operation := range sim.Faults().Offers()[provider].Operations {
		r := rule(provider, faults.Effect{Kind: faults.Status, Status: http.StatusTeapot})
		r.Match.Operation = operation
		id, err := sim.Faults().Add(r, noon)
		if err != nil {
			t.Fatal(err)
		}
		about := slices.DeleteFunc(slices.Clone(all), func(q question) bool {
			return q.provider != provider || hear(t, w, q.request(t, "https://"+hosts[provider])).status != http.StatusTeapot
		})
		if err := sim.Faults().Remove(id); err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(about, func(q question) bool {
			return hear(t, w, q.request(t, "https://"+hosts[provider])).status/100 == 2
		})
		if i < 0 {
			t.Errorf("no question to %s of %s is answered", operation, provider)
			continue
		}
		found[operation] = about[i]
	}
	return found
}

// TestFaults_ChangeResponses lets every kind that spoils answers befall every operation of every provider. What is accepted is a hit and is seen, and
// what would change nothing is refused, or is no hit where the rule is about other operations, too.
func TestFaults_ChangeResponses(t *testing.T) {
	t.Parallel()
	for _, provider := range wire.New(newWorld(t)).Providers() {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			world := newWorld(t)
			w := wire.New(world)
			for operation, q := range spoilable(t, world, w, provider) {
				ask := func() string {
					r := hear(t, w, q.request(t, "https://"+hosts[provider]))
					return fmt.Sprint(r.status, r.header.Get("Content-Type"), r.err, string(r.body))
				}
				plain := ask()
				for _, name := range faults.Kinds() {
					kind := faults.Kind(name)
					if !kind.Spoils() {
						continue
					}
					r := rule(provider, faults.Effect{Kind: kind})
					if kind == faults.HugeBody {
						r.Effect.Bytes = 100
					}
					r.Match.Operation = operation
					_, err := world.Faults().Add(r, noon)
					if err != nil && !strings.Contains(err.Error(), "have nothing for") {
						t.Fatal(err)
					}
					if err != nil { // and where the rule is about all operations, it is no hit
						r.Match.Operation = ""
						_, _ = world.Faults().Add(r, noon)
					}
					spoilt, hits := ask() != plain, uint64(0)
					for _, f := range world.Faults().List() {
						hits += f.Hits
					}
					if fits := err == nil; spoilt != fits || (hits == 1) != fits {
						t.Errorf("%s of %s, accepted %t: %d hits, and the answer is another one: %t", kind, operation, fits, hits, spoilt)
					}
					world.Faults().Reset()
				}
			}
		})
	}
}
