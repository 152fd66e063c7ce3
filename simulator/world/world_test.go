package world_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/world"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func newWorld(t testing.TB, seed string) *world.World {
	t.Helper()
	w, err := world.New(world.Config{Seed: seed}, func() time.Time { return noon }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNew_Invalid(t *testing.T) {
	t.Parallel()
	clock := func() time.Time { return noon }
	for _, c := range []struct {
		name  string
		seed  string
		clock core.Clock
		banks []core.Bank
		want  string
	}{
		{"an empty seed", "", clock, nil, "seed is empty"},
		{"no clock", "x", nil, nil, "no clock"},
		{
			"two banks with one code", "x", clock,
			[]core.Bank{{Country: "NG", Code: "000013"}, {Country: "GH", Code: "000013"}, {Country: "NG", Code: "000013"}},
			`two banks of NG have the code "000013"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := world.New(world.Config{Seed: c.seed}, c.clock, c.banks)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("New: %v, want an error with %q", err, c.want)
			}
		})
	}
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

func TestClock_Now(t *testing.T) {
	t.Parallel()
	machine := noon
	clock := world.NewClock(func() time.Time { return machine })
	want := func(at time.Time) {
		t.Helper()
		if got := clock.Now(); !got.Equal(at) || got.Location() != time.UTC {
			t.Errorf("Now() = %v, want %v", got, at)
		}
	}
	want(noon)
	clock.Advance(time.Hour)
	machine = machine.Add(time.Minute)
	want(noon.Add(time.Hour + time.Minute))

	then := time.Date(2020, time.March, 12, 10, 0, 0, 0, time.FixedZone("WAT", 3600))
	clock.Freeze(then)
	machine = machine.Add(time.Minute)
	want(then)
	clock.Advance(time.Second)
	want(then.Add(time.Second))
}
