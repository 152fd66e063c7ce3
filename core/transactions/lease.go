package transactions

import (
	"context"
	"errors"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	takeOver = 10 * time.Second // of our own clock without a sign of the holder
	heart    = 3 * time.Second  // longest time between two signs of the holder
)

// lease is what this process knows about who reads a network.
type lease struct {
	held    bool
	state   ports.ChainState // as stored, while it is held
	written time.Time        // of the last batch
	alive   time.Time        // when the network was last seen, or the lease was taken

	seen  beat      // of another holder
	since time.Time // first seen
}

// beat changes with each sign of a holder.
type beat struct{ epoch, count int64 }

// hold reports whether this process reads the network. It takes the lease if no process has it, or if
// its holder has not written for a while.
func (s *Service) hold(ctx context.Context, n *network) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &n.lease
	if l.held {
		return true, nil
	}
	state, err := s.state(ctx, n.Network)
	if err != nil {
		return false, err
	}
	now := s.clock()
	namesake := l.state.Epoch != 0 && l.state.Epoch != state.Epoch // took over; names need not be unique
	if state.Holder != "" && (state.Holder != s.holder || namesake) {
		if b := (beat{state.Epoch, state.Beat}); b != l.seen || now.Before(l.since) {
			l.seen, l.since = b, now
		}
		if now.Sub(l.since) < takeOver {
			for _, b := range n.backends { // they are not used while another process reads
				b.checked.Store(false)
				b.failed.Store(false)
			}
			return false, nil
		}
	}
	state, err = s.store.Lease(ctx, n.Network, s.holder, state.Epoch)
	switch {
	case errors.Is(err, ports.ErrLeaseLost): // another process was faster
		return false, nil
	case err != nil:
		return false, err
	}
	*l, n.settled = lease{held: true, state: state, written: now, alive: now}, false
	return true, nil
}

// state returns what is stored about a network.
func (s *Service) state(ctx context.Context, network string) (ports.ChainState, error) {
	all, err := s.states(ctx)
	state := all[network]
	state.Network = network
	return state, err
}

// current returns the state of a network that this process reads.
func (n *network) current() ports.ChainState {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lease.state
}

// commit stores a batch. After an error the batch may be stored or not, so the state is read again.
func (s *Service) commit(ctx context.Context, n *network, batch ports.ChainBatch) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return s.write(ctx, n, batch)
}

// write is commit for a caller that holds the lock.
func (s *Service) write(ctx context.Context, n *network, batch ports.ChainBatch) error {
	l := &n.lease
	if !l.held {
		return ports.ErrLeaseLost
	}
	batch.Before = l.state.Tip
	// The network may have been seen after the batch was made.
	batch.State.Head, batch.State.Checked = l.state.Head, l.state.Checked
	if err := s.store.Commit(ctx, batch); err != nil {
		l.held = false
		return err
	}
	l.state, l.written = batch.State, s.clock()
	return nil
}

// beat shows the other processes that this one reads the network, if it was silent for a while. A
// process that has not seen the network for long is silent, so that another one can try.
func (s *Service) beat(ctx context.Context, n *network) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	l, now := &n.lease, s.clock()
	silent, unseen := now.Sub(l.written), now.Sub(l.alive)
	if !l.held || silent >= 0 && silent < heart || unseen > lateAfter {
		return nil
	}
	return s.write(ctx, n, ports.ChainBatch{State: l.state})
}

// saw notes the height of the newest block of the network.
func (s *Service) saw(n *network, head int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l, now := &n.lease, s.clock().UTC()
	l.alive = now
	if head >= l.state.Tip.Height { // otherwise the back end is behind
		l.state.Head, l.state.Checked = head, now
	}
}

// Run syncs every network about once a block until ctx is done. Networks are independent: one that
// hangs, or has much to read, does not delay the others.
func (s *Service) Run(ctx context.Context) {
	var all sync.WaitGroup
	all.Go(func() { s.pruneEvents(ctx) })
	for code, n := range s.networks {
		all.Go(func() {
			core.Repeat(ctx, func() time.Duration {
				err := s.Sync(ctx, code)
				s.events.Synced(code, err)
				return n.pause(err)
			})
		})
		all.Go(func() { // a block may take longer than other processes wait
			core.Repeat(ctx, func() time.Duration {
				_ = s.beat(ctx, n) // Sync reports that the store is unavailable
				return heart / 2
			})
		})
	}
	all.Wait()
}

// pause returns the time until the next Sync: about a block, and longer if a back end asks for it.
func (n *network) pause(err error) time.Duration {
	const shortest, longest, afterError, asked = time.Second, 10 * time.Second, 5 * time.Second, time.Minute
	pause := min(max(n.BlockTime, shortest), longest)
	if e, ok := errors.AsType[*core.Error](err); ok {
		pause = max(pause, afterError, min(e.RetryAfter, asked))
	}
	return pause
}
