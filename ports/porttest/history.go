package porttest

import (
	"context"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

// History says how to open a ports.RateHistory.
type History struct {
	// Open opens an empty one.
	Open func(t *testing.T) ports.RateHistory
}

// archive is a history under test, with one pair.
type archive struct {
	ports.RateHistory
	t *testing.T
}

func pair() core.Pair   { return core.Pair{Base: "BTC", Counter: "NGN"} }
func monday() time.Time { return time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC) }
func (h History) archive(t *testing.T) archive {
	t.Helper()
	return archive{h.Open(t), t}
}

// note records one mid so long after Monday's midnight.
func (a archive) note(after time.Duration, mid string) {
	a.t.Helper()
	if err := a.Record(a.t.Context(), monday().Add(after), []core.PairMid{{Pair: pair(), Mid: decimal.RequireFromString(mid)}}); err != nil {
		a.t.Fatal(err)
	}
}

// want checks the points from so long after Monday's midnight on; an empty text is one that is missing.
func (a archive) want(after, every time.Duration, mids ...string) {
	a.t.Helper()
	got, err := a.Read(a.t.Context(), pair(), monday().Add(after), every, len(mids))
	if err != nil {
		a.t.Fatal(err)
	}
	i := 0
	for n, mid := range mids {
		if mid == "" {
			continue
		}
		at := monday().Add(after + time.Duration(n)*every)
		if i == len(got) || !got[i].At.Equal(at) || !got[i].Mid.Equal(decimal.RequireFromString(mid)) {
			a.t.Fatalf("got %v, want %s at %s", got, mid, at)
		}
		i++
	}
	if i != len(got) {
		a.t.Errorf("got %v, more than is known", got)
	}
}

// RateHistory checks the contract of ports.RateHistory.
func RateHistory(t *testing.T, h History) {
	t.Helper()
	need(t, h.Open != nil, "Open")
	for name, check := range promises() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(h.archive(t))
		})
	}
	for name, check := range digits() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(h.archive(t))
		})
	}
	t.Run("it returns promptly when its context is done", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := h.Open(t).Read(ctx, pair(), monday(), 5*time.Minute, 3); err != nil && core.CodeOf(err) != core.Unavailable {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

// promises are what is kept for how long.
func promises() map[string]func(archive) {
	const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour
	return map[string]func(archive){
		"the first mid of a step stands for it, at the beginning of the step": func(a archive) {
			a.note(7*minute, "1")
			a.note(9*minute, "2")
			a.note(10*minute, "3")
			a.want(0, 5*minute, "", "1", "3", "")
		},
		"a step that nothing is known of is missing": func(a archive) {
			a.note(0, "1")
			a.note(20*minute, "2")
			a.want(0, 5*minute, "1", "", "", "", "2")
			a.want(5*minute, 5*minute, "", "")
		},
		"points are read at any multiple of the fine step": func(a archive) {
			for i := range 13 {
				a.note(time.Duration(i)*5*minute, decimal.New(int64(i+1), 0).String())
			}
			a.want(0, 15*minute, "1", "4", "7", "10", "13")
		},
		"a day is kept in fine steps": func(a archive) {
			a.note(5*minute, "1")
			a.note(5*minute+day+50*minute, "2")
			a.want(5*minute, day+50*minute, "1", "2")
		},
		"a month is kept in coarse steps": func(a archive) {
			a.note(hour, "1")
			a.note(3*hour, "2")
			a.note(30*day, "3")
			a.want(0, 2*hour, "1", "2", "")
			a.want(0, 30*day, "1", "3")
		},
		"what is older is forgotten, not shown as of now": func(a archive) {
			a.note(0, "1")
			a.note(40*day, "2")
			a.want(40*day-5*minute, 5*minute, "", "2")
			a.want(9*day, 5*minute, "")
		},
		"what a clock that was ahead has left hides nothing once it is set right": func(a archive) {
			a.note(0, "1")
			a.note(400*day, "9")
			a.note(5*minute, "2")
			a.want(0, 5*minute, "1", "2", "")
		},
	}
}

// digits are about what is kept of a mid, and who may ask.
func digits() map[string]func(archive) {
	const minute = time.Minute
	return map[string]func(archive){
		"17 significant digits are kept": func(a archive) {
			a.note(0, "0.00012345678901234567")
			a.note(5*minute, "12345678901234567000")
			a.want(0, 5*minute, "0.00012345678901234567", "12345678901234567000")
			a.note(10*minute, "0.3333333333333333333333333333333333")
			if got, err := a.Read(a.t.Context(), pair(), monday().Add(10*minute), 5*minute, 1); err != nil || len(got) != 1 || !got[0].Mid.Sub(decimal.RequireFromString("0.33333333333333333")).Abs().LessThan(decimal.New(1, -17)) {
				a.t.Errorf("got %v, %v", got, err)
			}
		},
		"an unknown pair has no past, which is no error": func(a archive) {
			got, err := a.Read(a.t.Context(), pair(), monday(), 5*minute, 3)
			if err != nil || len(got) != 0 {
				a.t.Errorf("got %v, %v", got, err)
			}
		},
		"it is safe for concurrent use": func(a archive) {
			together(func() {
				a.note(0, "1")
				a.want(0, 5*minute, "1", "")
			})
		},
	}
}
