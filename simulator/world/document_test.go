package world_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
	"causeway/simulator/publicapi"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// fill fills a world with everything that a document has.
func fill(t testing.TB, w *world.World) {
	t.Helper()
	now := w.Now()
	name := "TEST HOLDER"
	for _, err := range []error{
		w.Market().Set(pairOf("BTC/USDT"), market.Setting{Pin: "50000.5", SpreadBPS: 20}, now, now.Add(time.Hour)),
		w.Market().Set(pairOf("ETH/USDT"), market.Setting{JumpBPS: -500, Drift: new(int64(3))}, now.Add(time.Minute), time.Time{}),
		w.Market().Set(pairOf("USDT/NGN"), market.Setting{Volatility: new(int64(80))}, now, time.Time{}),
		w.Market().Set(pairOf("SOL/USDT"), market.Setting{Venues: map[string]market.VenueSetting{
			"okx": {OffsetBPS: 50, LagMS: new(int64(900))}, "kraken": {State: market.Paused},
		}}, now.Add(-time.Minute), time.Time{}),
		w.Accounts().Set("058", "0123456780", accounts.Overlay{AccountName: &name}),
		w.Accounts().Set("001", "0000000017", accounts.Overlay{Outcome: "closed", Country: "gh"}),
		w.Accounts().Set("till", "123456", accounts.Overlay{Outcome: "slow", AccountName: &name}),
		w.Queue().Add(publicapi.ResolveAccount, "unknown", "all_down"),
		w.Queue().Add("list-pairs", "error:service_unavailable"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f := w.Faults()
	add := func(r faults.Rule) {
		if _, err := f.Add(r, now); err != nil {
			t.Fatal(err)
		}
	}
	add(faults.Rule{
		Match: faults.Match{Provider: "kraken", Header: map[string]string{"X-Test": "1"}}, Effect: faults.Effect{Kind: faults.Inverted},
		When: faults.When{After: 1, Every: 2, MaxHits: 3, Probability: "0.75", TTL: input.Duration(time.Hour)},
	})
	add(faults.Rule{Effect: faults.Effect{Kind: faults.Status, Status: 503, RetryAfter: input.Duration(time.Second)}, Phase: faults.After})
	pattern(f, "kraken", "ticker", 3)
	for range 5 {
		w.Entropy()
	}
}

// exported is a world as JSON.
func exported(t testing.TB, ws *world.Registry, id string) string {
	t.Helper()
	d, err := ws.Export(id)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parseDocument(text string) (d world.Document, err error) {
	err = json.Unmarshal([]byte(text), &d)
	return d, err
}

func imported(t testing.TB, ws *world.Registry, text string) *world.World {
	t.Helper()
	d, err := parseDocument(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ws.Import(d)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// behavior is everything that a world says to a series of questions.
func behavior(t testing.TB, w *world.World) string {
	t.Helper()
	var out strings.Builder
	for i := range 8 {
		at := w.Now().Add(time.Duration(1) << (4*i + 8))
		for _, pair := range []string{"BTC/USDT", "ETH/USDT", "SOL/USDT", "BTC/NGN", "USDT/NGN"} {
			for _, venue := range []string{"kraken", "okx", "quidax", "binance"} {
				book, there := w.Market().Book(venue, pairOf(pair), at)
				fmt.Fprintln(&out, venue, pair, book, there)
			}
		}
	}
	for _, number := range []string{"0123456780", "0123456789", "9876543210"} {
		fmt.Fprintln(&out, w.Accounts().Get(gtbank, number))
	}
	fmt.Fprintln(&out, pattern(w.Faults(), "kraken", "ticker", 12), pattern(w.Faults(), "paystack", "", 3), w.Entropy(), w.Queue().List())
	return out.String()
}

func TestRegistry_ExportImportFork(t *testing.T) {
	t.Parallel()
	here, _ := registry(t, nil)
	there, clock := registry(t, nil)
	clock.pass(1000 * time.Hour) // another day, elsewhere
	at := noon
	w, err := here.Create(world.Options{ID: "a", Clock: world.ClockOptions{Now: &at, Frozen: true}, TTL: input.Duration(time.Hour), MagicPairs: true})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	text := exported(t, here, "a")
	copied := imported(t, there, text)
	if again := exported(t, there, "a"); again != text {
		t.Errorf("exported again it is\n%s\nand was\n%s", again, text)
	}
	fork, err := here.Fork("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	if again := exported(t, here, "b"); again != strings.Replace(text, `"id":"a"`, `"id":"b"`, 1) {
		t.Errorf("the fork is\n%s\nof\n%s", again, text)
	}
	want := behavior(t, w)
	if got := behavior(t, copied); got != want {
		t.Errorf("the copy says\n%s\nand not\n%s", got, want)
	}
	if got := behavior(t, fork); got != want {
		t.Errorf("the fork says\n%s\nand not\n%s", got, want)
	}
}

func TestRegistry_ForkIndependent(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	at := noon
	w, err := ws.Create(world.Options{ID: "a", Clock: world.ClockOptions{Now: &at, Frozen: true}})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	before := exported(t, ws, "a")
	fork, err := ws.Fork("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	kept := exported(t, ws, "b")
	for _, change := range []func(*world.World){
		func(w *world.World) { behavior(t, w) },
		func(w *world.World) { changeAll(t, w) },
	} {
		change(fork)
		if exported(t, ws, "a") != before {
			t.Fatal("what is done to the fork shows in the other one")
		}
	}
	fork, err = ws.Fork("a", "c")
	if err != nil {
		t.Fatal(err)
	}
	changeAll(t, w)
	if got := strings.Replace(exported(t, ws, "c"), `"id":"c"`, `"id":"b"`, 1); got != kept {
		t.Error("what is done to a world shows in its fork")
	}
	if fork.Journal() == w.Journal() {
		t.Error("they share a journal")
	}
}

// changeAll changes whatever is in a crowded world.
func changeAll(t testing.TB, w *world.World) {
	t.Helper()
	if _, err := w.Advance(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	w.Entropy()
	pattern(w.Faults(), "kraken", "ticker", 5)
	if _, err := w.NewRequest(publicapi.ResolveAccount, ""); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		w.Market().Lift(pairOf("BTC/USDT"), w.Now()), w.Faults().Remove("f1"), w.Accounts().Remove("058", "0123456780", ""),
		w.Queue().Add("list-pairs", "error:conflict"), w.Accounts().Set("till", "123456", accounts.Overlay{Outcome: "unknown"}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestRegistry_ImportReplaces(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w := use(t, ws, "a")
	fill(t, w)
	text := exported(t, ws, "a")
	var ended []*world.World
	ws.OnEnd(func(w *world.World) { ended = append(ended, w) })
	again := imported(t, ws, text)
	if again == w || use(t, ws, "a") != again || !slices.Equal(ended, []*world.World{w}) {
		t.Errorf("ended %v", ended)
	}
	if err := ws.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if use(t, ws, imported(t, ws, text).ID()).Options().Seed != "a" {
		t.Error("it is not back")
	}
}

func TestRegistry_InvalidDocuments(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	fill(t, use(t, ws, "a"))
	sound := exported(t, ws, "a")
	for _, c := range []struct{ from, to, want string }{
		{`"dataset":"` + ws.Dataset(), `"dataset":"2025-01-aaaa`, "accepted: " + ws.Dataset()},
		{`"dataset":"` + ws.Dataset(), `"dataset":"2025-01-aaaa`, `"2025-01-aaaa"`},
		{`"format":1`, `"format":2`, "accepted: 1"},
		{`"id":"a"`, `"id":"ä"`, "id "},
		{`"rate":1`, `"rate":0`, "clock.rate"},
		{`"clock":{"now":"2026`, `"clock":{"now":"1926`, "clock.now"},
		{`"pair":"BTC/USDT"`, `"pair":"BTC/XYZ"`, "market.1.pair"},
		{`"pin":"50000.5"`, `"pin":"-1"`, "market.1.pin"},
		{`"level":"`, `"level":"9`, ".level"},
		{`"okx":{`, `"nobody":{`, "market.0.venues.nobody"},
		{`"id":"f1"`, `"id":"f2"`, "faults.rules.1.id"},
		{`"id":"f1"`, `"id":"first"`, "faults.rules.0.id"},
		{`"made":2`, `"made":1`, "faults.rules.1.id"},
		{`"made":2`, `"made":9999999999999`, "faults has"},
		{`"kind":"inverted"`, `"kind":"upset"`, "faults.rules.0.rule.effect.kind"},
		{`"provider":"kraken"`, `"provider":"paystack"`, "faults.rules.0.rule.effect.kind"},
		{`"bank":"000013"`, `"bank":"999"`, "accounts."},
		{`"outcome":"closed"`, `"outcome":"error:conflict"`, "accounts."},
		{`"operation":"list-pairs"`, `"operation":"list-stars"`, "next."},
		{`"unknown","all_down"`, `"unknown","nonsense"`, "next.1.outcomes.1"},
	} {
		text := strings.Replace(sound, c.from, c.to, 1)
		if text == sound {
			t.Fatalf("there is no %s in %s", c.from, sound)
		}
		d, err := parseDocument(text)
		if err == nil {
			_, err = ws.Import(d)
		}
		wantCode(t, err, core.Invalid, c.want)
		if exported(t, ws, "a") != sound {
			t.Fatalf("%s changed the world", c.to)
		}
	}
	other, err := world.NewRegistry(world.RegistryConfig{Clock: time.Now, Banks: everybody(t)[1:], Providers: wire.Offers()})
	if err != nil {
		t.Fatal(err)
	}
	d, err := parseDocument(sound)
	if err != nil {
		t.Fatal(err)
	}
	_, err = other.Import(d)
	wantCode(t, err, core.Invalid, "dataset", ws.Dataset(), other.Dataset())
}

// TestRegistry_ExportImportAnything does it to worlds in whatever state.
func TestRegistry_ExportImportAnything(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	other, _ := registry(t, nil)
	pairs := []string{"BTC/USDT", "ETH/USDT", "USDT/NGN", "BTC/NGN", "EUR/USD", "USDC/USDT", "BTC/USD"}
	rapid.Check(t, func(rt *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9._/@-]{1,20}x`).Draw(rt, "id")
		at := noon.Add(time.Duration(rapid.Int64Range(0, 1e15).Draw(rt, "now")))
		w, err := ws.Create(world.Options{
			ID: id, Seed: rapid.StringN(0, 10, -1).Draw(rt, "seed"), MagicPairs: rapid.Bool().Draw(rt, "magic"),
			Clock: world.ClockOptions{Now: &at, Rate: rapid.Int64Range(0, 3600).Draw(rt, "rate")},
		})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = ws.Delete(id) }()
		for range rapid.IntRange(0, 12).Draw(rt, "settings") {
			s := market.Setting{SpreadBPS: rapid.Int64Range(0, 100).Draw(rt, "spread")}
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				s.JumpBPS = rapid.Int64Range(-5000, 5000).Draw(rt, "jump")
			case 1:
				s.Drift = new(rapid.Int64Range(-50, 50).Draw(rt, "drift"))
			case 2:
				s.Volatility = new(rapid.Int64Range(0, 200).Draw(rt, "volatility"))
			}
			from := w.Now().Add(time.Duration(rapid.Int64Range(-1e12, 1e12).Draw(rt, "from")))
			until := time.Time{}
			if rapid.Bool().Draw(rt, "ends") {
				until = from.Add(time.Duration(rapid.Int64Range(1, 1e12).Draw(rt, "lasts")))
			}
			if err := w.Market().Set(pairOf(rapid.SampledFrom(pairs).Draw(rt, "pair")), s, from, until); err != nil {
				rt.Fatal(err)
			}
		}
		text := exported(t, ws, id)
		copied := imported(t, other, text)
		if again := exported(t, other, id); again != text {
			rt.Fatalf("exported again it is\n%s\nand was\n%s", again, text)
		}
		if behavior(t, copied) != behavior(t, w) {
			rt.Fatal("the copy says something else")
		}
	})
}
