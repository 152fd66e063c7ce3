package faults_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/core"
	"causeway/simulator/faults"
)

// requests sends n requests of an operation and marks their effects: a letter for each kind.
func requests(f *faults.Set, operation string, n int) string {
	var out strings.Builder
	for range n {
		hit, ok := f.Next(faults.Request{Plane: faults.Edge, Operation: operation, Header: http.Header{"X-Test": {"1"}}}, noon)
		if ok {
			out.WriteByte(hit.Effect.Kind[0])
		} else {
			out.WriteByte('.')
		}
	}
	return out.String()
}

func TestSet_Edge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rule faults.Rule
		want string // of eight requests for pairs
	}{
		{"an operation", faults.Rule{Match: faults.Match{Operation: "list-pairs"}}, "rrrrrrrr"},
		{"another operation", faults.Rule{Match: faults.Match{Operation: "list-banks"}}, "........"},
		{"every third after one, twice", faults.Rule{When: faults.When{After: 1, Every: 3, MaxHits: 2}}, ".r..r..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := venueOf(t, "causeway")
			c.rule.Match.Plane, c.rule.Effect = faults.Edge, faults.Effect{Kind: faults.Reset}
			add(t, f, c.rule)
			if _, hit := f.Next(faults.Request{Provider: "kraken", Operation: "list-pairs", Header: http.Header{"X-Test": {"1"}}}, noon); hit {
				t.Error("it hits a provider")
			}
			requests(f, "get-pair", 5) // counted by itself
			if got := requests(f, "list-pairs", 8); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			report := f.List()[0]
			if hits := uint64(strings.Count(c.want, "r")); report.HitOperation["list-pairs"] != hits || report.HitProvider != nil {
				t.Errorf("it reports %+v", report)
			}
		})
	}
	t.Run("not of the plane upstream", func(t *testing.T) {
		t.Parallel()
		f := venueOf(t, "causeway")
		add(t, f, faults.Rule{Effect: faults.Effect{Kind: faults.Reset}})
		if got := requests(f, "list-pairs", 2); got != ".." {
			t.Errorf("got %s", got)
		}
	})
}

func TestSet_Stream(t *testing.T) {
	t.Parallel()
	for _, name := range faults.Kinds() {
		kind := faults.Kind(name)
		if !slices.Contains(kind.Planes(), faults.Edge) {
			continue
		}
		f := venueOf(t, "causeway")
		add(t, f, faults.Rule{Match: faults.Match{Plane: faults.Edge}, Effect: effectOf(kind)})
		if got := requests(f, "stream-pairs", 1); (got == ".") != (kind.Alters() || kind.Slows()) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// effectOf is an effect with what its kind needs.
func effectOf(kind faults.Kind) faults.Effect {
	e := faults.Effect{Kind: kind}
	switch kind {
	case faults.Status:
		e.Status = http.StatusServiceUnavailable
	case faults.Latency, faults.SlowHeaders, faults.Dribble:
		e.MS = 300
	case faults.Times:
		e.Factor = 10
	default:
	}
	return e
}

func TestSet_InvalidEdgeRules(t *testing.T) {
	t.Parallel()
	f := venueOf(t, "causeway")
	for _, c := range []struct{ name, rule, want string }{
		{"a provider", `{"match":{"plane":"edge","provider":"kraken"},"effect":{"kind":"reset"}}`, `match.provider "kraken"; accepted: nothing`},
		{"an operation of a provider", `{"match":{"plane":"edge","operation":"ticker"},"effect":{"kind":"reset"}}`, `match.operation "ticker"; accepted: explain-price, find-address-owner, get-address-qr, get-addresses, get-balance, get-currency`},
		{"an operation of ours upstream", `{"match":{"operation":"list-pairs"},"effect":{"kind":"reset"}}`, `match.operation "list-pairs"; accepted: banks, resolve, ticker`},
		{"an effect on prices", `{"match":{"plane":"edge"},"effect":{"kind":"inverted"}}`, "effect.kind inverted, which fits no response that matches; accepted: changed_type, dribble, duplicate, empty, hang"},
		{"a spoiled stream", `{"match":{"plane":"edge","operation":"stream-pairs"},"effect":{"kind":"truncate"}}`, "effect.kind truncate, which fits no response that matches; accepted: empty, hang"},
		{"a stream that is done", `{"match":{"plane":"edge","operation":"stream-pairs"},"effect":{"kind":"reset"},"phase":"after"}`, "phase after; accepted: before"},
		{"a status that the API has not", `{"match":{"plane":"edge"},"effect":{"kind":"status","status":418}}`, "effect.status 418; accepted: a status of the public API"},
		{"an error of another status", `{"match":{"plane":"edge"},"effect":{"kind":"status","status":400,"code":"not_found"}}`, "effect.status 400 not_found; accepted: a status of the public API"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var r faults.Rule
			if err := json.Unmarshal([]byte(c.rule), &r); err != nil {
				t.Fatal(err)
			}
			_, err := f.Add(r, noon)
			if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
			if len(f.List()) != 0 {
				t.Error("it is at work all the same")
			}
		})
	}
}
