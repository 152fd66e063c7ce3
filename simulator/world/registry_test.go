package world_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"causeway/config"
	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/input"
	"causeway/simulator/journal"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// machine is a clock of the machine that a test moves.
type machine struct{ now atomic.Pointer[time.Time] }

func newMachine() *machine {
	m := &machine{}
	at := noon
	m.now.Store(&at)
	return m
}

func (m *machine) Now() time.Time { return *m.now.Load() }

func (m *machine) pass(d time.Duration) {
	at := m.Now().Add(d)
	m.now.Store(&at)
}

// registry is a registry of worlds with the institutions of the catalog.
func registry(t testing.TB, change func(*world.RegistryConfig)) (*world.Registry, *machine) {
	t.Helper()
	m := newMachine()
	s := world.RegistryConfig{Clock: m.Now, Banks: everybody(t), Providers: wire.Offers()}
	if change != nil {
		change(&s)
	}
	ws, err := world.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	return ws, m
}

// everybody is all institutions of the catalog, and the magic ones.
func everybody(t testing.TB) []core.Bank {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(catalog.Banks, accounts.MagicBanks(catalog.Countries))
}

func use(t testing.TB, ws *world.Registry, id string) *world.World {
	t.Helper()
	w, err := ws.Use(id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func wantCode(t testing.TB, err error, code core.Code, words ...string) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	var e *core.Error
	if !errors.As(err, &e) {
		return
	}
	text := e.Message
	for _, f := range e.Fields {
		text += " | " + f.Field + " " + f.Reason
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not say %q", text, word)
		}
	}
}

func TestRegistry_Use(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	a := use(t, ws, "TestPay/in_naira#01")
	if again := use(t, ws, "TestPay/in_naira#01"); again != a {
		t.Error("the second use gets another world")
	}
	other, _ := registry(t, nil)
	b := use(t, other, "TestPay/in_naira#01")
	bank := gtbank
	if a.Accounts().Get(bank, "0000000017") != b.Accounts().Get(bank, "0000000017") || a.Entropy() != b.Entropy() || bitcoin(t, a.Market(), noon) != bitcoin(t, b.Market(), noon) {
		t.Error("two worlds of one id differ")
	}
	if c := use(t, ws, "another"); c.Accounts().Get(bank, "0000000017").Name == a.Accounts().Get(bank, "0000000017").Name || bitcoin(t, a.Market(), noon) == bitcoin(t, c.Market(), noon) {
		t.Error("two worlds of two ids are alike")
	}
	if got := a.Options(); got.ID != "TestPay/in_naira#01" || got.Seed != got.ID || a.ID() != got.ID {
		t.Errorf("options %+v", got)
	}
	home := use(t, ws, world.Default)
	var ids []string
	for _, w := range ws.List() {
		ids = append(ids, w.ID())
	}
	if want := []string{"TestPay/in_naira#01", "another", home.ID()}; !slices.Equal(ids, want) {
		t.Errorf("alive are %v, want %v", ids, want)
	}
	_, err := ws.Find("nobody")
	wantCode(t, err, core.NotFound, "nobody")
}

func TestRegistry_InvalidOptions(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	for _, id := range []string{"", " x", "x ", strings.Repeat("x", 101), "ü", "a\nb", "..", "a?b", "a%b", `a"b`} {
		_, err := ws.Use(id)
		wantCode(t, err, core.Invalid, "id ", "accepted: 1 to 100 letters")
	}
	if len(ws.List()) != 1 {
		t.Error("a world was made all the same")
	}
	if _, err := world.NewRegistry(world.RegistryConfig{}); err == nil {
		t.Error("a registry needs no clock")
	}
}

// endings is an Observer of worlds that end.
type endings struct {
	world.NoServices

	ended func(*world.World)
}

func (e endings) Ended(w *world.World) { e.ended(w) }

func TestRegistry_Expired(t *testing.T) {
	t.Parallel()
	ws, clock := registry(t, nil)
	var ended []string
	ws.Subscribe(endings{ended: func(w *world.World) {
		ended = append(ended, w.ID())
		if _, err := ws.Find(w.ID()); core.CodeOf(err) != core.Expired {
			t.Errorf("%s is still there when it ends: %v", w.ID(), err)
		}
	}})
	use(t, ws, "deleted")
	use(t, ws, "idle")
	if _, err := ws.Create(world.Options{ID: "short", TTL: input.Duration(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	if err := ws.Delete("deleted"); err != nil {
		t.Fatal(err)
	}
	clock.pass(time.Minute)
	for _, id := range []string{"deleted", "short"} {
		_, err := ws.Use(id)
		wantCode(t, err, core.Expired, id, "Create it again")
		_, err = ws.Find(id)
		wantCode(t, err, core.Expired)
		_, err = ws.Reset(id)
		wantCode(t, err, core.Expired)
		_, err = ws.Fork(id, "new")
		wantCode(t, err, core.Expired)
		wantCode(t, ws.Delete(id), core.Expired)
	}
	wantCode(t, ws.Delete("never"), core.NotFound)
	wantCode(t, ws.Delete(world.Default), core.Invalid, "reset")
	clock.pass(59 * time.Minute)
	ws.Sweep()
	slices.Sort(ended)
	if !slices.Equal(ended, []string{"deleted", "idle", "short"}) {
		t.Errorf("ended are %v", ended)
	}
	use(t, ws, world.Default)
	if w, err := ws.Create(world.Options{ID: "idle"}); err != nil || use(t, ws, "idle") != w {
		t.Errorf("it cannot be created again: %v", err)
	}
	if _, err := ws.Fork("idle", "deleted"); err != nil {
		t.Errorf("nor forked: %v", err)
	}
}

func TestRegistry_Idle(t *testing.T) {
	t.Parallel()
	ws, clock := registry(t, func(s *world.RegistryConfig) { s.Idle = time.Minute })
	used, held := use(t, ws, "used"), use(t, ws, "held")
	letGo := ws.Hold(held)
	for range 10 {
		clock.pass(59 * time.Second)
		if use(t, ws, "used") != used {
			t.Fatal("it is another world")
		}
		ws.Sweep()
	}
	if got, err := ws.Find("held"); err != nil || got != held {
		t.Fatalf("the one that is held: %v", err)
	}
	letGo()
	clock.pass(59 * time.Second)
	if _, err := ws.Find("held"); err != nil {
		t.Errorf("right after it was let go of: %v", err)
	}
	clock.pass(time.Second)
	_, err := ws.Find("held")
	wantCode(t, err, core.Expired)
	if !used.Used().After(used.Born()) {
		t.Errorf("born %s, used %s", used.Born(), used.Used())
	}
}

func TestRegistry_MaxWorlds(t *testing.T) {
	t.Parallel()
	ws, clock := registry(t, func(s *world.RegistryConfig) { s.MaxWorlds = 3 })
	use(t, ws, "a")
	clock.pass(10 * time.Second)
	use(t, ws, "b")
	_, err := ws.Use("c")
	wantCode(t, err, core.TooMany, "3 worlds", "DELETE", "memory limit")
	var e *core.Error
	if !errors.As(err, &e) || e.RetryAfter != 50*time.Second {
		t.Errorf("again after %s, want 50s: then the first one makes room", e.RetryAfter)
	}
	_, err = ws.Create(world.Options{ID: "c"})
	wantCode(t, err, core.TooMany)
	_, err = ws.Fork("a", "c")
	wantCode(t, err, core.TooMany)
	if _, err = ws.Reset("a"); err != nil {
		t.Errorf("a reset needs no room: %v", err)
	}
	clock.pass(55 * time.Second)
	use(t, ws, "a")
	clock.pass(30 * time.Second)
	if _, err = ws.Fork("b", "c"); core.CodeOf(err) != core.TooMany {
		t.Errorf("got %v, want a fork that does not end its origin", err)
	}
	use(t, ws, "c") // in the place of b
	_, err = ws.Use("b")
	wantCode(t, err, core.Expired, "made room")
	if room := ws.Room(); room != (world.Room{Alive: 3, Max: 3, Early: 1}) {
		t.Errorf("got %+v", room)
	}
}

func TestRegistry_Reset(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, nil)
	at := noon.Add(-24 * time.Hour)
	w, err := ws.Create(world.Options{ID: "a", Seed: "s", Clock: world.ClockSetting{Now: &at, Frozen: new(true)}})
	if err != nil {
		t.Fatal(err)
	}
	first := w.Entropy()
	fill(t, w)
	var ended []*world.World
	ws.Subscribe(endings{ended: func(w *world.World) { ended = append(ended, w) }})
	again, err := ws.Reset("a")
	if err != nil || again == w || use(t, ws, "a") != again || !slices.Equal(ended, []*world.World{w}) {
		t.Fatalf("%v, ended %v", err, ended)
	}
	fresh, err := ws.Create(world.Options{ID: "b", Seed: "s", Clock: world.ClockSetting{Now: &at, Frozen: new(true)}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := stateOf(t, again), stateOf(t, fresh); got != want {
		t.Errorf("after the reset it is\n%s\nand not\n%s", got, want)
	}
	if again.Entropy() != first || fresh.Entropy() != first || !again.Now().Equal(at) || again.Journal() == w.Journal() {
		t.Error("it does not begin again")
	}
	if _, err := w.Journal().Wait(t.Context(), journal.Match{}, 1); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("the journal of the old one is open: %v", err)
	}
}

// TestAllocations measures 500 idle worlds.
func TestAllocations(t *testing.T) {
	ws, _ := registry(t, nil)
	use(t, ws, "first") // what all share is made by the first one
	const n = 500
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		use(t, ws, fmt.Sprint("world ", i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
	if t.Logf("%d bytes each", each); each > 16<<10 {
		t.Errorf("a world takes %d bytes, want at most 16 KiB", each)
	}
	runtime.KeepAlive(ws)
}

func TestRegistry_MaxEnded(t *testing.T) {
	t.Parallel()
	ws, _ := registry(t, func(c *world.RegistryConfig) { c.MaxEnded = 2 })
	for _, id := range []string{"first", "second"} {
		end(t, ws, id)
	}
	_, err := ws.Use("first")
	wantCode(t, err, core.Expired)
	end(t, ws, "third")
	_, err = ws.Find("first")
	wantCode(t, err, core.NotFound)
	_, err = ws.Find("second")
	wantCode(t, err, core.Expired)
}

// end uses a world and deletes it.
func end(t testing.TB, ws *world.Registry, id string) {
	t.Helper()
	use(t, ws, id)
	if err := ws.Delete(id); err != nil {
		t.Fatal(err)
	}
}
