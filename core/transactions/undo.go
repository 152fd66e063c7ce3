package transactions

import (
	"context"
	"fmt"
	"slices"

	"causeway/core"
	"causeway/ports"
)

// undo goes back to the last block that both forks have, and takes back what the later ones held. If
// that block is no longer stored, the network stops.
func (s *Service) undo(ctx context.Context, n *network) (bool, error) {
	for _, b := range n.backends {
		b.checked.Store(false) // a network that was changed for another one looks like a reorganization
	}
	state := n.current()
	ancestor, lowest, err := s.ancestor(ctx, n, state)
	switch {
	case err != nil:
		return false, err
	case ancestor.Hash == "":
		return false, s.stop(ctx, n, fmt.Sprintf("it replaced block %d, and no block before it is stored", lowest))
	}
	depth := state.Tip.Height - ancestor.Height
	state.Tip, state.TipTime = ancestor.BlockID, ancestor.Time
	state.Verified, state.Final = min(state.Verified, ancestor.Height), min(state.Final, ancestor.Height)
	state.Problem = ""
	batch := ports.ChainBatch{State: state, Undo: true}
	takenBack, err := s.takeBack(ctx, &batch)
	if err != nil {
		return false, err
	}
	if err := s.commit(ctx, n, batch); err != nil {
		return false, err
	}
	s.events.Reorganized(n.Network, depth, len(batch.Transactions), takenBack)
	return true, nil
}

// takeBack adds to a batch what its undone blocks held, without the blocks, and returns how many of the
// transactions were completed. Transfers without a user stay known: their addresses may have been
// assigned since, and a later block may have them again.
func (s *Service) takeBack(ctx context.Context, batch *ports.ChainBatch) (completed int, err error) {
	network, ancestor := batch.State.Network, batch.State.Tip.Height
	unsettled, err := s.store.Unsettled(ctx, network, ancestor)
	if err != nil {
		return 0, err
	}
	for _, t := range unsettled {
		if t.Block.Height <= ancestor {
			continue
		}
		if t.Status == core.Completed {
			completed++
		}
		t.Status, t.Reason, t.Block, t.Ancestor = core.Pending, core.Reorganized, core.BlockID{}, ancestor
		batch.Transactions = append(batch.Transactions, revise(t, s.now()))
	}
	unassigned, err := s.store.Unassigned(ctx, ports.UnassignedQuery{Network: network})
	for _, u := range unassigned {
		if u.Block.Height > ancestor {
			u.Block = core.BlockID{}
			batch.Unassigned = append(batch.Unassigned, u)
		}
	}
	return completed, err
}

// Resume lets a stopped network be read again. It undoes all blocks that are still stored, and returns
// the height of the lowest one: the blocks that came instead are read from there on. Transfers in
// replaced blocks below it stay as they are, and a Rescan finds the transfers of the new blocks.
func (s *Service) Resume(ctx context.Context, network string) (lowest int64, err error) {
	state, err := s.state(ctx, network)
	if err != nil {
		return 0, err
	}
	if state.Stopped == "" {
		return 0, core.Errorf(core.Conflict, "%s is not stopped", core.Quoted(network))
	}
	stored, err := s.store.Blocks(ctx, network, 0, state.Tip.Height)
	if err != nil || len(stored) == 0 {
		return 0, err
	}
	lowest = stored[0].Height
	batch := ports.ChainBatch{State: state, Before: state.Tip, Undo: true}
	batch.State.Start, batch.State.Tip = lowest, core.BlockID{Height: lowest - 1}
	batch.State.Stopped, batch.State.Problem = "", ""
	batch.State.Verified, batch.State.Final = min(state.Verified, lowest-1), min(state.Final, lowest-1)
	if _, err = s.takeBack(ctx, &batch); err != nil {
		return 0, err
	}
	return lowest, s.store.Commit(ctx, batch)
}

// stop stops a network: what it replaced cannot be known.
func (s *Service) stop(ctx context.Context, n *network, reason string) error {
	state := n.current()
	state.Stopped = reason
	if err := s.commit(ctx, n, ports.ChainBatch{State: state}); err != nil {
		return err
	}
	s.events.Stopped(n.Network, reason)
	return fmt.Errorf("%w: %s", errStopped, reason)
}

// ancestor returns the last stored block that the network still has, or none, and the lowest block
// that the network replaced.
func (s *Service) ancestor(
	ctx context.Context, n *network, state ports.ChainState,
) (ancestor core.Block, lowest int64, err error) {
	lowest = state.Tip.Height + 1
	for lowest > state.Start {
		stored, err := s.store.Blocks(ctx, n.Network, max(state.Start, lowest-batchBlocks), lowest-1)
		if err != nil {
			return core.Block{}, 0, err
		}
		if len(stored) == 0 {
			break
		}
		for _, old := range slices.Backward(stored) {
			block, err := s.first(ctx, n, old.Height)
			switch {
			case err != nil:
				return core.Block{}, 0, err
			case block.Hash == old.Hash && block.Height == state.Tip.Height:
				return core.Block{}, 0, fmt.Errorf("%w: block %d has another parent than the block before it",
					ports.ErrIncomplete, block.Height+1)
			case block.Hash == old.Hash:
				return old, lowest, nil
			}
			lowest = old.Height
		}
	}
	return core.Block{}, lowest, nil
}
