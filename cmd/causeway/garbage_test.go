package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"testing"
)

func TestGarbageFollowsTheLoad(t *testing.T) {
	t.Parallel()
	var tune tuner
	var got []int
	for _, cycles := range []uint64{0, 1, 2, 3, 9, 1, 1, 1, 2, 1, 0, 1, 0, 0, 0, 2, 3} {
		got = append(got, tune.percent(cycles))
	}
	c, b := calmGarbage, busyGarbage
	if want := []int{c, c, c, b, b, b, b, b, b, b, b, b, b, c, c, c, b}; !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestCollectionsAreCounted(t *testing.T) {
	t.Parallel()
	sample := []metrics.Sample{{Name: cycleMetric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		t.Errorf("the runtime of %s has no %s", runtime.Version(), cycleMetric)
	}
}

func TestTheTuningStops(t *testing.T) { //nolint:paralleltest // it sets what the whole process goes by
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	tuneGarbage()()
	if now := debug.SetGCPercent(100); now != busyGarbage {
		t.Errorf("a process begins with %d", now)
	}
}
