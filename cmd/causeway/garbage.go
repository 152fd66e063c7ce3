package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"causeway/config"
)

// How much garbage may pile up before it is collected, in per cent of what is in use. Collecting costs by what is in use, not by what is
// garbage: a process that answers thousands of requests a second would spend a tenth of its time on it with the little that an idle one may
// have, which is to stay below 40 MiB.
const (
	calmGarbage = 40
	busyGarbage = 250 // below 80 MiB under load, and while a start makes more garbage than it leaves in use

	busyCycles  = 3 // collections in a second that make a calm process a busy one
	calmSeconds = 5 // seconds with at most one collection that make a busy one calm
	cycleMetric = "/gc/cycles/automatic:gc-cycles"
)

// tuner decides how much garbage may pile up, second by second.
type tuner struct {
	busy  bool
	quiet int // seconds in a row with at most one collection, while busy
}

// percent says how much from now on, after a second with so many collections.
func (t *tuner) percent(cycles uint64) int {
	switch {
	case !t.busy:
		t.busy, t.quiet = cycles >= busyCycles, 0
	case cycles > 1:
		t.quiet = 0
	default:
		t.quiet++
		t.busy = t.quiet < calmSeconds
	}
	if t.busy {
		return busyGarbage
	}
	return calmGarbage
}

// tuneGarbage lets as much garbage pile up as the process is busy, until it is told to stop. A start is busy for a second.
func tuneGarbage() (stop func()) {
	debug.SetGCPercent(busyGarbage)
	ctx, cancel := context.WithCancel(context.Background())
	var tuning sync.WaitGroup
	tuning.Go(func() { keepTuning(ctx) })
	return func() {
		cancel()
		tuning.Wait()
	}
}

func keepTuning(ctx context.Context) {
	sample := []metrics.Sample{{Name: cycleMetric}}
	count := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	var t tuner
	set, before := busyGarbage, count()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if first {
			debug.FreeOSMemory() // what reading the catalog and the first lists took is not needed again
			_ = unmapBinary()    // nor is the code that did it; where it stays, it stays
		}
		now := count()
		if p := t.percent(now - before); p != set {
			debug.SetGCPercent(p)
			set = p
		}
		before = now
	}
}

// newCatalog loads the catalog, and collects what reading it took while little else is in use: it lies in small pieces between what stays, and
// would keep a megabyte and a half from ever being given back.
func newCatalog(cfg config.Config) (config.Catalog, error) {
	catalog, err := cfg.LoadCatalog()
	runtime.GC()
	return catalog, err
}
