package app

import (
	"context"
	"time"

	"causeway/core/pairs"
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
		r.anew(book)
	}:
		<-done
	}
}

// anew forgets what it was part of. Nobody runs the prices meanwhile.
func (r *replica) anew(book ports.PriceBook) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.book, r.role, r.leave = book, nothing, func() {}
	r.tried, r.heard, r.adopted, r.abstains, r.worry = ports.Mark{}, time.Time{}, time.Time{}, time.Time{}, ""
}

// move has the prices of another service kept from now on, instead of those before: they are of a world that took the place of the one that was reset.
func (r *replica) move(to *pairs.Service) {
	r.now.Store(to)
	select {
	case r.moved <- struct{}{}:
	default: // it will see the newest one
	}
}
