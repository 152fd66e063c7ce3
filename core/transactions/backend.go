package transactions

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"causeway/core"
	"causeway/ports"
)

// backend is a back end of a network.
type backend struct {
	ports.Chain

	checked atomic.Bool // it serves the right network, and did not fail since
	failed  atomic.Bool // the failure is reported
}

// do calls f, after a check that the back end serves the right network if it is new or had an outage.
func (s *Service) do(ctx context.Context, b *backend, f func() error) error {
	err := error(nil)
	if !b.checked.Load() {
		err = b.Check(ctx)
	}
	if err == nil {
		b.checked.Store(true)
		err = f()
	}
	switch {
	case ctx.Err() != nil: // cancelled by the caller: not a failure of the back end
		return fmt.Errorf("%s: %w", b.Name(), ctx.Err())
	case err == nil:
		if b.failed.Swap(false) {
			s.events.Backend(b.Name(), nil)
		}
		return nil
	case !errors.Is(err, ports.ErrNoBlock) && !errors.Is(err, ports.ErrIncomplete):
		b.checked.Store(false)
		if !b.failed.Swap(true) {
			s.events.Backend(b.Name(), err)
		}
	}
	return fmt.Errorf("%s: %w", b.Name(), err)
}

// block reads a block from a back end.
func (s *Service) block(ctx context.Context, n *network, b *backend, height int64) (block core.Block, err error) {
	err = s.do(ctx, b, func() error {
		block, err = b.Block(ctx, height)
		if err == nil && (block.Height != height || block.Hash == "" || block.Parent == "") {
			err = ports.ErrIncomplete
		}
		return err
	})
	if err == nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.lease.alive = s.clock() // many slow blocks may pass between two looks at the tip
	}
	return block, err
}

// first reads a block from the first back end that has it.
func (s *Service) first(ctx context.Context, n *network, height int64) (core.Block, error) {
	var errs []error
	for _, b := range n.backends {
		block, err := s.block(ctx, n, b, height)
		if err == nil {
			return block, nil
		}
		errs = append(errs, err)
	}
	return core.Block{}, fmt.Errorf("block %d: %w", height, errors.Join(errs...))
}

// each calls f for heights in order, several at once, and returns the results before the first error.
func each[T any](
	ctx context.Context, s *Service, from, to int64, f func(ctx context.Context, height int64) (T, error),
) (out []T, err error) {
	for ; from <= to && err == nil; from += s.width {
		results, errs := make([]T, min(s.width, to-from+1)), make([]error, s.width)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() { results[i], errs[i] = f(ctx, from+int64(i)) })
		}
		all.Wait()
		for i := range results {
			if err = errs[i]; err != nil {
				break
			}
			out = append(out, results[i])
		}
	}
	return out, err
}
