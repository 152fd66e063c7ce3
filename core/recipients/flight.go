package recipients

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"causeway/core"
)

// flights let those who ask the same thing at the same time share one lookup. A lookup belongs to none of them: it goes on until the last
// one has left. Its key has the caller in it, as the cache's has: who joined another caller's lookup would see by the time it takes that
// somebody is asking about that account just now.
type flights struct {
	mu sync.Mutex
	of map[[32]byte]*flight
}

// flight is a lookup that some wait for.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{} // closed when verdict is there
	verdict verdict
}

// verdict is what a lookup came to.
type verdict struct {
	answer   answer
	err      error // core.NotFound, core.Unavailable, or a panic of the cache
	provider string
	cached   bool
}

// share returns what look says, asking it only where nobody asks for the same key already. A ctx that is done ends the waiting of
// its own owner alone.
func (f *flights) share(ctx context.Context, key [32]byte, look func(context.Context) verdict) (verdict, error) {
	f.mu.Lock()
	one := f.of[key]
	if one == nil {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		one = &flight{cancel: cancel, done: make(chan struct{})}
		f.of[key] = one
		go f.fly(own, key, one, look)
	}
	one.waiting++
	f.mu.Unlock()

	select {
	case <-one.done:
		return one.verdict, nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.waiting--; one.waiting == 0 {
		one.cancel()
		f.land(key, one) // who comes now must not wait for a lookup that was given up
	}
	return verdict{}, ctx.Err()
}

func (f *flights) fly(ctx context.Context, key [32]byte, one *flight, look func(context.Context) verdict) {
	defer func() {
		if v := recover(); v != nil { // here it would end the process, not the request
			one.verdict = verdict{err: core.Errorf(core.Internal, "Internal error").With(fmt.Errorf("a lookup panicked with a %T: %s", v, debug.Stack()))}
		}
		one.cancel()
		f.mu.Lock()
		f.land(key, one)
		f.mu.Unlock()
		close(one.done)
	}()
	one.verdict = look(ctx)
}

// land forgets a flight, unless another one has its key by now.
func (f *flights) land(key [32]byte, one *flight) {
	if f.of[key] == one {
		delete(f.of, key)
	}
}
