package world_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"causeway/simulator/world"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, seed string) *world.World {
	t.Helper()
	w, err := world.New(world.RegistryConfig{Clock: func() time.Time { return noon }, Providers: providers, Default: world.Options{Seed: seed}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWorld_Entropy(t *testing.T) {
	t.Parallel()
	draw := func(seed string) []uint64 {
		w := newWorld(t, seed)
		var (
			mu  sync.Mutex
			all []uint64
			wg  sync.WaitGroup
		)
		for range 4 {
			wg.Go(func() {
				for range 500 {
					x := w.Entropy()
					mu.Lock()
					all = append(all, x)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(all)
		return all
	}
	first := draw("a")
	if !slices.Equal(first, draw("a")) {
		t.Error("two worlds of one seed draw different numbers")
	}
	if slices.Equal(first, draw("b")) {
		t.Error("worlds of different seeds draw the same numbers")
	}
	if n := len(slices.Compact(first)); n != 2000 {
		t.Errorf("%d different numbers in 2000 draws", n)
	}
}

func TestWorld_Freeze(t *testing.T) {
	t.Parallel()
	ws, machine := registry(t, nil)
	w := use(t, ws, "a")
	machine.pass(time.Minute)
	then := time.Date(2020, time.March, 12, 10, 0, 0, 0, time.FixedZone("WAT", 3600))
	for _, want := range []time.Time{noon.Add(time.Minute), then} {
		if got := w.Now(); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("got %v, want %v", got, want)
		}
		w.Freeze(then)
		machine.pass(time.Minute)
	}
}
