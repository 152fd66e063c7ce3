package main

import (
	"context"
	"time"

	"causeway/ports"
)

// change makes another configuration of the prices the one in use, and another book the one that is shared. Prices stay as they are meanwhile, and
// who leads gives the lead up. It does nothing once ctx is done.
func (r *replica) change(ctx context.Context, plan func(), book ports.PriceBook) {
	done := make(chan struct{})
	select {
	case <-ctx.Done():
	case r.changes <- func() {
		defer close(done)
		plan()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.book, r.role, r.leave = book, nothing, func() {}
		r.tried, r.heard, r.adopted, r.abstains, r.worry = ports.Mark{}, time.Time{}, time.Time{}, time.Time{}, ""
	}:
		<-done
	}
}
