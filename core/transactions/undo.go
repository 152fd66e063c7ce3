package transactions

import (
	"context"
	"fmt"

	"causeway/core"
	"causeway/ports"
)

// undo goes back to the last block that both forks have, and takes back what the later ones held. If
// that block is no longer stored, the network stops.
func (s *Service) undo(ctx context.Context, n *network) (bool, error) {
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
	batch := ports.ChainBatch{State: state, Undo: true}
	unsettled, err := s.store.Unsettled(ctx, n.Network, ancestor.Height)
	if err != nil {
		return false, err
	}
	takenBack := 0
	for _, t := range unsettled {
		if t.Block.Height <= ancestor.Height {
			continue
		}
		if t.Status == core.Completed {
			takenBack++
		}
		t.Status, t.Reason, t.Block, t.Ancestor = core.Pending, core.Reorganized, core.BlockID{}, ancestor.Height
		batch.Transactions = append(batch.Transactions, revise(t, s.now()))
	}
	if err := s.commit(ctx, n, batch); err != nil {
		return false, err
	}
	n.problem.Store(nil)
	s.events.Reorganized(n.Network, depth, len(batch.Transactions), takenBack)
	return true, nil
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
		for i := len(stored) - 1; i >= 0; i-- {
			block, err := s.first(ctx, n, stored[i].Height)
			switch {
			case err != nil:
				return core.Block{}, 0, err
			case block.Hash == stored[i].Hash && block.Height == state.Tip.Height:
				return core.Block{}, 0, fmt.Errorf("%w: block %d has another parent than the block before it",
					ports.ErrIncomplete, block.Height+1)
			case block.Hash == stored[i].Hash:
				return stored[i], lowest, nil
			}
			lowest = stored[i].Height
		}
	}
	return core.Block{}, lowest, nil
}
