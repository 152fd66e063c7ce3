package world_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/market"
	"causeway/simulator/world"
	_ "causeway/test/fixedseed"
)

// frozen is a world whose clock stands at noon.
func frozen(t testing.TB, o world.Options) *world.World {
	t.Helper()
	ws, _ := registry(t, nil)
	return frozenIn(t, ws, o)
}

func frozenIn(t testing.TB, ws *world.Registry, o world.Options) *world.World {
	t.Helper()
	at := noon
	o.ID, o.Clock = "frozen", world.ClockSetting{Now: &at, Frozen: new(true)}
	w, err := ws.Create(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// steps records when a world's work is done.
func steps(w *world.World) *[]time.Time {
	var at []time.Time
	w.OnAdvance(func(_ context.Context, now time.Time) error {
		if !now.Equal(w.Now()) {
			return errors.New("the clock does not stand at the step")
		}
		at = append(at, now)
		return nil
	})
	return &at
}

func advance(t testing.TB, w *world.World, by time.Duration) time.Time {
	t.Helper()
	at, err := w.Advance(t.Context(), by)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestAdvance_Steps(t *testing.T) {
	t.Parallel()
	for by, want := range map[time.Duration]int{
		time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 2, 37 * time.Second: 37, 2 * time.Minute: 120, 121 * time.Second: 120,
		time.Hour: 120, 400 * 24 * time.Hour: 120,
	} {
		w := frozen(t, world.Options{})
		at := steps(w)
		if got := advance(t, w, by); !got.Equal(noon.Add(by)) || !w.Now().Equal(got) || !w.ClockState().Frozen {
			t.Errorf("%s lead to %s", by, got)
		}
		if len(*at) != want || !slices.IsSortedFunc(*at, time.Time.Compare) || !(*at)[len(*at)-1].Equal(noon.Add(by)) {
			t.Errorf("%s are made in %d steps to %s, want %d", by, len(*at), (*at)[len(*at)-1], want)
		}
	}
}

func TestAdvance_Events(t *testing.T) {
	t.Parallel()
	w := frozen(t, world.Options{MagicPairs: true})
	after := noon.Add
	put(t, w.Market(), "BTC/USDT", market.Setting{Pin: "60000"}, after(61*time.Second))
	if _, err := w.Faults().Add(faults.Rule{Effect: faults.Effect{Kind: faults.Hang}, When: faults.When{TTL: input.Duration(90 * time.Second)}}, noon); err != nil {
		t.Fatal(err)
	}
	want := []time.Time{after(61 * time.Second), after(90 * time.Second), after(10 * time.Minute)}
	at := steps(w)
	for _, next := range want {
		if got := w.ClockState().NextEvent; !got.Equal(next) {
			t.Errorf("the next event is at %s, want %s", got, next)
		}
		if got, err := w.AdvanceToNext(t.Context()); err != nil || !got.Equal(next) {
			t.Errorf("moved to %s, %v; want %s", got, err, next)
		}
	}
	*at = nil
	put(t, w.Market(), "ETH/USDT", market.Setting{Pin: "2000"}, w.Now().Add(1001*time.Millisecond))
	advance(t, w, time.Hour)
	want = []time.Time{after(10*time.Minute + 1001*time.Millisecond)}
	for i := range time.Duration(120) {
		want = append(want, after(10*time.Minute+(i+1)*30*time.Second))
	}
	if !slices.EqualFunc(*at, want, time.Time.Equal) {
		t.Errorf("steps at %v, want %v", *at, want)
	}
}

func TestSetClock(t *testing.T) {
	t.Parallel()
	ws, machine := registry(t, nil)
	w := use(t, ws, "a")
	at := steps(w)
	set := func(s world.ClockSetting, want world.ClockState) {
		t.Helper()
		if err := w.SetClock(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if got := w.ClockState(); got != want {
			t.Errorf("it is %+v, want %+v", got, want)
		}
	}
	machine.pass(time.Second)
	if !w.Now().Equal(noon.Add(time.Second)) {
		t.Error("by itself it does not follow the machine")
	}
	set(world.ClockSetting{Frozen: new(true)}, world.ClockState{Now: noon.Add(time.Second), Frozen: true, Rate: 1})
	machine.pass(time.Second)
	then := noon.Add(time.Hour)
	set(world.ClockSetting{Now: &then}, world.ClockState{Now: then, Frozen: true, Rate: 1})
	if len(*at) != 120 {
		t.Errorf("it was set in %d steps", len(*at))
	}
	set(world.ClockSetting{Rate: new(int64(60))}, world.ClockState{Now: then, Rate: 60})
	machine.pass(time.Second)
	if !w.Now().Equal(then.Add(time.Minute)) {
		t.Errorf("a second is %s", w.Now().Sub(then))
	}
	if got := advance(t, w, time.Second); !got.Equal(then.Add(61 * time.Second)) {
		t.Errorf("moved to %s", got)
	}
	machine.pass(time.Second)
	set(world.ClockSetting{Frozen: new(true)}, world.ClockState{Now: then.Add(121 * time.Second), Frozen: true, Rate: 60})
	set(world.ClockSetting{Frozen: new(false)}, world.ClockState{Now: then.Add(121 * time.Second), Rate: 60})
	then = time.Date(2199, 12, 31, 0, 0, 0, 0, time.FixedZone("WAT", 3600))
	set(world.ClockSetting{Now: &then, Rate: new(int64(3600))}, world.ClockState{Now: then.UTC(), Rate: 3600})
	machine.pass(1000 * time.Hour)
	if end := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC); !w.Now().Equal(end) {
		t.Errorf("it runs on to %s", w.Now())
	}
}

func TestAdvance_Failure(t *testing.T) {
	t.Parallel()
	ws, machine := registry(t, nil)
	w := use(t, ws, "a")
	broken, other := errors.New("broken"), errors.New("this too")
	failing := true
	w.OnAdvance(func(_ context.Context, now time.Time) error {
		if failing && now.After(noon.Add(4*time.Second)) {
			return broken
		}
		return nil
	})
	at := steps(w)
	w.OnAdvance(func(_ context.Context, now time.Time) error {
		if failing && now.After(noon.Add(4*time.Second)) {
			return other
		}
		return nil
	})
	got, err := w.Advance(t.Context(), time.Minute)
	if !errors.Is(err, broken) || !errors.Is(err, other) || !got.Equal(noon.Add(5*time.Second)) || len(*at) != 5 {
		t.Errorf("%d steps to %s: %v", len(*at), got, err)
	}
	if s := w.ClockState(); s.Frozen || !s.Now.Equal(got) {
		t.Errorf("it does not run on from there: %+v", s)
	}
	machine.pass(time.Second)
	if !w.Now().Equal(got.Add(time.Second)) {
		t.Errorf("it is %s", w.Now())
	}
	then := w.Now().Add(time.Minute)
	if err := w.SetClock(t.Context(), world.ClockSetting{Now: &then, Frozen: new(true)}); !errors.Is(err, broken) || w.ClockState().Frozen {
		t.Errorf("%v: %+v", err, w.ClockState())
	}
	failing = false
	ctx, cancel := context.WithCancel(t.Context())
	w.OnAdvance(func(context.Context, time.Time) error { cancel(); return nil })
	before := w.Now()
	if got, err := w.Advance(ctx, time.Minute); !errors.Is(err, context.Canceled) || !got.Equal(before.Add(time.Second)) {
		t.Errorf("moved to %s, %v", got, err)
	}
}

func TestAdvance_Serialized(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := frozen(t, world.Options{})
		busy, done := make(chan struct{}), make(chan struct{})
		var first sync.Once
		w.OnAdvance(func(context.Context, time.Time) error {
			first.Do(func() {
				close(busy)
				<-done
			})
			return nil
		})
		go func() { _, _ = w.Advance(context.Background(), time.Minute) }()
		<-busy
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Advance(ctx, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("beside another: %v", err)
		}
		close(done)
		if got := advance(t, w, time.Minute); !got.Equal(noon.Add(2 * time.Minute)) {
			t.Errorf("afterwards: %s", got)
		}
	})
}

func TestBegin_MagicPairs(t *testing.T) {
	t.Parallel()
	for _, magic := range []bool{false, true} {
		ws, machine := registry(t, nil)
		w, err := ws.Create(world.Options{ID: "a", MagicPairs: magic})
		if err != nil {
			t.Fatal(err)
		}
		at := steps(w)
		machine.pass(time.Second)
		if err := w.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []time.Time{noon.Add(time.Second)}
		if magic {
			want = []time.Time{noon.Add(-10 * time.Second), noon.Add(time.Second)}
		}
		machine.pass(time.Second)
		if !slices.EqualFunc(*at, want, time.Time.Equal) || !w.Now().Equal(noon.Add(2*time.Second)) {
			t.Errorf("magic %t: work at %v, and it is %s", magic, *at, w.Now())
		}
	}
	w := frozen(t, world.Options{MagicPairs: true})
	broken := errors.New("broken")
	w.OnAdvance(func(context.Context, time.Time) error { return broken })
	if err := w.Begin(t.Context()); !errors.Is(err, broken) || !w.Now().Equal(noon) {
		t.Errorf("it is %s: %v", w.Now(), err)
	}
}
