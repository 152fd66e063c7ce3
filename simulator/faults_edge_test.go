package simulator_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/publicapi"
	"causeway/simulator/world"
)

// requests sends n requests for an operation to a world, and marks what befalls them: a letter for each kind.
func requests(t testing.TB, w *world.World, operation string, n int) (marks string, hits []faults.Hit) {
	t.Helper()
	var out strings.Builder
	for range n {
		c, err := w.NewCall(operation, "")
		if err != nil {
			t.Fatal(err)
		}
		hit, befallen := c.Strike(http.Header{"X-Test": {"1"}})
		if !befallen {
			out.WriteString(".")
			continue
		}
		if c.Applied() != hit.By() {
			t.Errorf("decided by %s, and it says %s", hit.By(), c.Applied())
		}
		hits = append(hits, hit)
		out.WriteByte(hit.Effect.Kind[0])
	}
	return out.String(), hits
}

func TestARuleOnTheEdgeIsAboutOurAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		rule faults.Rule
		want string // of eight requests for pairs
	}{
		{"all of them", faults.Rule{}, "rrrrrrrr"},
		{"an operation", faults.Rule{Match: faults.Match{Operation: "list-pairs"}}, "rrrrrrrr"},
		{"another operation", faults.Rule{Match: faults.Match{Operation: "list-banks"}}, "........"},
		{"a header", faults.Rule{Match: faults.Match{Header: map[string]string{"x-test": "1"}}}, "rrrrrrrr"},
		{"another header", faults.Rule{Match: faults.Match{Header: map[string]string{"x-test": "2"}}}, "........"},
		{"the third", faults.Rule{Match: faults.Match{Nth: 3}}, "..r....."},
		{"every third after one, twice", faults.Rule{When: faults.When{After: 1, Every: 3, MaxHits: 2}}, ".r..r..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "causeway")
			c.rule.Match.Plane, c.rule.Effect = faults.Edge, faults.Effect{Kind: faults.Reset}
			add(t, w.Faults(), c.rule)
			if _, hit := w.Faults().Next(faults.Request{Provider: "kraken", Operation: "list-pairs", Header: http.Header{"X-Test": {"1"}}}, noon); hit {
				t.Error("it befalls a provider")
			}
			requests(t, w, "get-pair", 5) // counted by itself
			if got, _ := requests(t, w, "list-pairs", 8); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			report := w.Faults().List()[0]
			if hits := uint64(strings.Count(c.want, "r")); report.HitOperation["list-pairs"] != hits || report.HitProvider != nil {
				t.Errorf("it reports %+v", report)
			}
		})
	}
	t.Run("not of the plane upstream", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "causeway")
		add(t, w.Faults(), faults.Rule{Effect: faults.Effect{Kind: faults.Reset}})
		if got, _ := requests(t, w, "list-pairs", 2); got != ".." {
			t.Errorf("got %s", got)
		}
	})
	t.Run("not where an outcome was asked for, or for no operation", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "causeway")
		add(t, w.Faults(), faults.Rule{Match: faults.Match{Plane: faults.Edge}, Effect: faults.Effect{Kind: faults.Reset}})
		asked, err := w.NewCall(publicapi.ResolveAccount, "unknown")
		if err != nil {
			t.Fatal(err)
		}
		nothing, err := w.NewCall("", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*world.Request{asked, nothing} {
			if hit, befallen := c.Strike(http.Header{}); befallen {
				t.Errorf("%q: %+v", c.Operation, hit)
			}
		}
	})
}

func TestAStreamIsNotSpoiled(t *testing.T) {
	t.Parallel()
	for _, name := range faults.Kinds() {
		kind := faults.Kind(name)
		if !kind.OnEdge("") {
			continue
		}
		w := newWorld(t, "causeway")
		add(t, w.Faults(), faults.Rule{Match: faults.Match{Plane: faults.Edge}, Effect: effectOf(kind)})
		if got, _ := requests(t, w, "stream-pairs", 1); (got == ".") != kind.Spoils() {
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
	default:
	}
	return e
}

func TestRulesOnTheEdgeAreRefusedByName(t *testing.T) {
	t.Parallel()
	f := venueOf(t, "causeway")
	for _, c := range []struct{ name, rule, want string }{
		{"a provider", `{"match":{"plane":"edge","provider":"kraken"},"effect":{"kind":"reset"}}`, `match.provider "kraken"; accepted: nothing`},
		{"an operation of a provider", `{"match":{"plane":"edge","operation":"ticker"},"effect":{"kind":"reset"}}`, `match.operation "ticker"; accepted: explain-price, find-address-owner, get-addresses, get-currency`},
		{"an operation of ours upstream", `{"match":{"operation":"list-pairs"},"effect":{"kind":"reset"}}`, `match.operation "list-pairs"; accepted: banks, resolve, ticker`},
		{"an effect on prices", `{"match":{"plane":"edge"},"effect":{"kind":"inverted"}}`, "effect.kind inverted, which does not fit the plane edge; accepted: changed_type, dribble, duplicate, empty, hang"},
		{"an effect on times", `{"match":{"plane":"edge"},"effect":{"kind":"stale_timestamp"}}`, "effect.kind stale_timestamp, which does not fit the plane edge"},
		{"nobody there", `{"match":{"plane":"edge"},"effect":{"kind":"refuse"}}`, "effect.kind refuse, which does not fit the plane edge"},
		{"a spoiled stream", `{"match":{"plane":"edge","operation":"stream-pairs"},"effect":{"kind":"truncate"}}`, "effect.kind truncate, which does not fit stream-pairs, whose answer has no end; accepted: dribble, empty, hang"},
		{"a stream that is done", `{"match":{"plane":"edge","operation":"stream-pairs"},"effect":{"kind":"reset"},"phase":"after"}`, "phase after; accepted: before"},
		{"a status that the API has not", `{"match":{"plane":"edge"},"effect":{"kind":"status","status":418}}`, "effect.status 418; accepted: 400, 401, 403, 404, 405, 409, 410, 413, 415, 429, 500, 503"},
		{"a status of success", `{"match":{"plane":"edge"},"effect":{"kind":"status","status":200}}`, "effect.status 200; accepted: 400 to 599"},
		{"an error of another status", `{"match":{"plane":"edge"},"effect":{"kind":"status","status":400,"code":"not_found"}}`, `effect.code "not_found"; accepted: bad_request, request_validation`},
		{"an unknown kind", `{"match":{"plane":"edge"},"effect":{"kind":"gremlins"}}`, `effect.kind "gremlins"; accepted: changed_type`},
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

func TestARefusalIsAnErrorOfTheContract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		effect string
		status int
		name   string
	}{
		{`{"kind":"status","status":503}`, 503, "service_unavailable"},
		{`{"kind":"status","status":400}`, 400, "bad_request"},
		{`{"kind":"status","status":400,"code":"request_validation"}`, 400, "request_validation"},
		{`{"kind":"status","status":429,"retry_after":"7s"}`, 429, "too_many_requests"},
	} {
		w := newWorld(t, "causeway")
		rule := faults.Rule{Match: faults.Match{Plane: faults.Edge}}
		if err := json.Unmarshal([]byte(c.effect), &rule.Effect); err != nil {
			t.Fatal(err)
		}
		add(t, w.Faults(), rule)
		call, err := w.NewCall("list-pairs", "")
		if err != nil {
			t.Fatal(err)
		}
		hit, _ := call.Strike(http.Header{})
		if _, fails := call.Fail(); fails {
			t.Error("it fails before anybody said so")
		}
		call.Refuse(hit)
		got, fails := call.Fail()
		if !fails || got.Status != c.status || got.Error != c.name || input.Duration(got.RetryAfter) != rule.Effect.RetryAfter || got.Name != "fault:f1" {
			t.Errorf("%s: %+v", c.effect, got)
		}
	}
}

func TestChaosBefallsItsShare(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	create := func(id, seed, share string) *world.World {
		w, err := ws.Create(world.Options{ID: id, Seed: seed, EdgeChaos: share})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	const n = 20_000
	marks, hits := requests(t, create("a", "s", "0.01"), "list-pairs", n)
	if len(hits) < 140 || len(hits) > 260 {
		t.Errorf("of %d requests %d are hit, want about 200", n, len(hits))
	}
	kinds := map[string]int{}
	for _, h := range hits {
		kinds[h.By()]++
		if h.Fault != "" {
			t.Errorf("a rule did it: %+v", h)
		}
	}
	if want := []string{"chaos:latency", "chaos:reset", "chaos:status", "chaos:truncate"}; !slices.Equal(slices.Sorted(maps.Keys(kinds)), want) {
		t.Errorf("what happens is %v, want %v", kinds, want)
	}
	again := create("b", "s", "0.01")
	requests(t, again, "list-banks", 99) // whoever asks for something else
	if other, _ := requests(t, again, "list-pairs", n); other != marks {
		t.Error("two worlds of one seed have other chaos")
	}
	if other, _ := requests(t, create("c", "another", "0.01"), "list-pairs", n); other == marks {
		t.Error("worlds of two seeds have the same chaos")
	}
	for _, h := range func() []faults.Hit { _, all := requests(t, create("d", "s", "1"), "stream-pairs", 200); return all }() {
		if h.Effect.Kind.Spoils() {
			t.Errorf("a stream: %+v", h)
		}
	}
	if none, _ := requests(t, use(t, ws, "TestOfQA"), "list-pairs", 2000); strings.Trim(none, ".") != "" {
		t.Error("a world that nobody created with it has chaos")
	}
	if none, _ := requests(t, create("e", "s", "0"), "list-pairs", 2000); strings.Trim(none, ".") != "" || !use(t, ws, "e").Faults().Quiet() {
		t.Error("none of the answers is some of them")
	}
	for _, share := range []string{"often", "1.1", "-0.1", "0.0000000001"} {
		_, err := ws.Create(world.Options{ID: "f", EdgeChaos: share})
		wantCode(t, err, core.Invalid, "edge_chaos", "a decimal from 0 to 1")
		if err := (world.Config{Seed: "s", Idle: time.Hour, EdgeChaos: share}).Check(); err == nil || !strings.Contains(err.Error(), "simulator.edge_chaos is ") {
			t.Errorf("%s: %v", share, err)
		}
	}
}

func TestARuleComesBeforeChaos(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w, err := ws.Create(world.Options{ID: "a", EdgeChaos: "1"})
	if err != nil {
		t.Fatal(err)
	}
	add(t, w.Faults(), faults.Rule{Match: faults.Match{Plane: faults.Edge}, Effect: faults.Effect{Kind: faults.HTML}, When: faults.When{Every: 2}})
	got, hits := requests(t, w, "list-pairs", 4)
	if got[0] != 'h' || got[2] != 'h' || len(hits) != 4 || hits[1].Fault != "" || hits[3].Fault != "" {
		t.Errorf("got %s", got)
	}
}

func TestChaosGoesOnInADocument(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	a, err := ws.Create(world.Options{ID: "a", EdgeChaos: "0.5"})
	if err != nil {
		t.Fatal(err)
	}
	requests(t, a, "list-pairs", 77)
	fork, err := ws.Fork("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	document, err := ws.Export("a")
	if err != nil {
		t.Fatal(err)
	}
	document.World.ID = "c"
	imported, err := ws.Import(document)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := requests(t, a, "list-pairs", 50)
	for _, w := range []*world.World{fork, imported} {
		if got, _ := requests(t, w, "list-pairs", 50); got != want {
			t.Errorf("%s goes on with %s, want %s", w.ID(), got, want)
		}
	}
	document.Faults.Chaos = map[string]uint64{"no-such": 1}
	_, err = ws.Import(document)
	wantCode(t, err, core.Invalid, "faults.chaos", "list-pairs")
	document.World.EdgeChaos, document.Faults.Chaos = "", map[string]uint64{"list-pairs": 1}
	_, err = ws.Import(document)
	wantCode(t, err, core.Invalid, "faults.chaos", "edge_chaos")
}
