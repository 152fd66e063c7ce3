package main

import (
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// never is a deadline that is none.
const never = math.MaxInt64

// deadline is when the reads or writes of a connection end without success. net/http moves it for every phase of a request and for most of them
// something is there at once, so that nobody waits. An earlier deadline is armed where somebody waits; a later one is noted, and armed when the one
// before it has passed and somebody waits still.
type deadline struct {
	arm   func(time.Time) error // of the connection
	epoch time.Time             // deadlines are kept as times since then

	wanted  atomic.Int64
	waiting atomic.Int32 // who reads or writes

	mu    sync.Mutex
	armed atomic.Int64 // changed under mu
}

func (d *deadline) init(epoch time.Time, arm func(time.Time) error) {
	d.epoch, d.arm = epoch, arm
	d.wanted.Store(never)
	d.armed.Store(never)
}

// set moves the deadline. Whoever begins to wait meanwhile sees it, or is seen here.
func (d *deadline) set(t time.Time) error {
	at := int64(never)
	if !t.IsZero() {
		at = int64(t.Sub(d.epoch))
	}
	d.wanted.Store(at)
	if d.waiting.Load() > 0 && at < d.armed.Load() {
		return d.settle()
	}
	return nil
}

// settle arms the deadline that is wanted. Who wants another one meanwhile sees what is being armed, or is seen here.
func (d *deadline) settle() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.wanted.Load()
	for d.armed.Store(at); d.wanted.Load() != at; d.armed.Store(at) {
		at = d.wanted.Load()
	}
	if at == never {
		return d.arm(time.Time{})
	}
	return d.arm(d.epoch.Add(time.Duration(at)))
}

// passed reports whether the deadline that is wanted has passed.
func (d *deadline) passed() bool {
	at := d.wanted.Load()
	return at != never && int64(time.Since(d.epoch)) >= at
}

// within reads or writes, until it is done or the deadline has passed. do goes on where it stopped, and tells how far it is.
func (d *deadline) within(do func() (int, error)) (int, error) {
	d.waiting.Add(1)
	defer d.waiting.Add(-1)
	if at := d.wanted.Load(); at < 0 { // before the connection was made: who is waiting shall stop
		return 0, os.ErrDeadlineExceeded
	} else if d.armed.Load() > at {
		if err := d.settle(); err != nil {
			return 0, err
		}
	}
	for {
		n, err := do()
		if !errors.Is(err, os.ErrDeadlineExceeded) || d.passed() {
			return n, err
		}
		if err := d.settle(); err != nil {
			return n, err
		}
	}
}
