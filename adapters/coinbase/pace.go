package coinbase

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pace keeps calls within a rate by places: a call takes one, and gives it back when it is answered, but not before a fixed time has
// passed. So no more calls are under way than there are places, and each place begins one call per hold. All callers share them. It runs by the
// time of this machine, whatever the world's clock says: the provider's limit does.
type pace struct {
	places chan struct{}
	hold   time.Duration
}

// newPace allows a rate, with a burst of what a second and a half allow: the provider's own limit (10 a second, 15 at once) in the same
// proportion. There is no pace for no rate.
func newPace(rate int) *pace {
	if rate == 0 {
		return nil
	}
	places := max(1, rate*3/2)
	return &pace{places: make(chan struct{}, places), hold: time.Duration(places) * time.Second / time.Duration(rate)}
}

// each calls do for 0 to n-1, and returns when all calls have. After the end of ctx nobody waits for a place any more: do is called
// at once, and is to see for itself that it is too late to ask.
func (p *pace) each(ctx context.Context, n int, do func(i int)) {
	if p == nil {
		for i := range n {
			do(i)
		}
		return
	}
	var work sync.WaitGroup
	for i := range n {
		work.Go(func() {
			defer p.take(ctx)()
			do(i)
		})
	}
	work.Wait()
}

// take waits for a place, and returns what gives it back.
func (p *pace) take(ctx context.Context) (leave func()) {
	select {
	case p.places <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	var left atomic.Int32
	free := func() {
		if left.Add(1) == 2 { // answered, and held long enough
			<-p.places
		}
	}
	time.AfterFunc(p.hold, free)
	return free
}
