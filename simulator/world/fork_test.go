package world_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// fill fills a world with everything that a fork copies.
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
		w.Queue().Add(core.OpResolveAccount, "unknown", "all_down"),
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

// stateOf is what a test has set in a world.
func stateOf(t testing.TB, w *world.World) string {
	t.Helper()
	text, err := json.Marshal([]any{w.ClockState(), w.Faults().List(), w.Accounts().List(), w.Queue().List(), w.Market().Changed(w.Now())})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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

func TestRegistry_Fork(t *testing.T) {
	t.Parallel()
	for name, clock := range map[string]world.ClockSetting{"frozen": {Frozen: new(true)}, "running": {}, "fast": {Rate: new(int64(60))}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws, machine := registry(t, nil)
			w, err := ws.Create(world.Options{ID: "a", Clock: clock, TTL: input.Duration(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			fill(t, w)
			machine.pass(90 * time.Second)
			fork, err := ws.Fork("a", "b")
			if err != nil {
				t.Fatal(err)
			}
			if fork.Journal() == w.Journal() || fork.Origin() != w.Origin() {
				t.Errorf("the fork has the journal of its origin, or began as %+v", fork.Origin())
			}
			machine.pass(17 * time.Second)
			if got, want := stateOf(t, fork), stateOf(t, w); got != want {
				t.Errorf("the state of the fork is\n%s\nwant\n%s", got, want)
			}
			if got, want := behavior(t, fork), behavior(t, w); got != want {
				t.Errorf("the fork returns\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestRegistry_ForkIndependent(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	w, err := ws.Create(world.Options{ID: "a", Clock: world.ClockSetting{Frozen: new(true)}})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	before := stateOf(t, w)
	first, err := ws.Fork("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	changeAll(t, first)
	if got := stateOf(t, w); got != before {
		t.Errorf("a change of the fork changed its origin:\n%s\nwant\n%s", got, before)
	}
	second, err := ws.Fork("a", "c")
	if err != nil {
		t.Fatal(err)
	}
	changeAll(t, w)
	if got := stateOf(t, second); got != before {
		t.Errorf("a change of the origin changed its fork:\n%s\nwant\n%s", got, before)
	}
	_, err = ws.Fork("a", "ä")
	wantCode(t, err, core.Invalid, "id ")
}

// changeAll changes whatever is in a crowded world.
func changeAll(t testing.TB, w *world.World) {
	t.Helper()
	if _, err := w.Advance(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	w.Entropy()
	pattern(w.Faults(), "kraken", "ticker", 5)
	if _, err := w.NewRequest(core.OpResolveAccount, ""); err != nil {
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
