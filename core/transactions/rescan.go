package transactions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"causeway/core"
	"causeway/ports"
)

// Rescan reads the blocks of a network again, from every back end, from the last one that was read
// down to a height, and adds the transfers that are not stored. Each block must be the parent of the
// block above it. The process that reads the network may go on meanwhile, and completes what is
// added. It may be interrupted and repeated. It returns how many transactions it added.
func (s *Service) Rescan(
	ctx context.Context, network string, from int64, progress func(height int64),
) (found int, err error) {
	n, err := s.network(network)
	if err != nil {
		return 0, err
	}
	state, err := s.state(ctx, network)
	if err != nil {
		return 0, err
	}
	if state.Tip.Hash == "" {
		return 0, core.Errorf(core.Conflict, "No block of %s was read yet", core.Quoted(network))
	}
	if from < 1 || from > state.Tip.Height {
		return 0, core.InvalidField("from", "is %d; accepted: 1 to %d, the last block that was read", from, state.Tip.Height)
	}
	for wanted, to := state.Tip.Hash, state.Tip.Height; to >= from; {
		low := max(from, to-batchBlocks+1)
		read, err := each(ctx, s, low, to, func(ctx context.Context, h int64) ([]reading, error) {
			return s.reread(ctx, n, h)
		})
		if err != nil {
			return found, err
		}
		var all []transfer
		for _, readings := range slices.Backward(read) {
			block := readings[0].block
			block.Hash = wanted
			transfers, differs := agree(block, nil, readings)
			if differs >= 0 {
				return found, fmt.Errorf("%s: block %d: %w, or it is not the parent of the next block; try again",
					n.backends[differs].Name(), block.Height, errDiffers)
			}
			all, wanted = append(all, transfers...), block.Parent
		}
		added, err := s.add(ctx, n, all)
		if err != nil {
			return found, err
		}
		found += added
		progress(low)
		to = low - 1
	}
	return found, nil
}

// add stores transfers of linked blocks while another process may read the network, and returns the
// number of new transactions.
func (s *Service) add(ctx context.Context, n *network, found []transfer) (added int, err error) {
	const tries = 20
	var batch ports.ChainBatch
	for range tries {
		if batch.State, err = s.state(ctx, n.Network); err != nil {
			return 0, err
		}
		if err = s.linked(ctx, n, batch.State, found); err != nil {
			return 0, err
		}
		if batch.Transactions, batch.Unassigned, err = s.record(ctx, n, found, true); err != nil {
			return 0, err
		}
		if len(batch.Transactions)+len(batch.Unassigned) == 0 {
			return 0, nil
		}
		batch.Before = batch.State.Tip
		if err = s.store.Commit(ctx, batch); !errors.Is(err, ports.ErrLeaseLost) {
			break
		}
	}
	return len(batch.Transactions), err
}

// linked returns an error if the network replaced the block of a transfer since it was read.
func (s *Service) linked(ctx context.Context, n *network, state ports.ChainState, found []transfer) error {
	for _, t := range found {
		stored, err := s.store.Blocks(ctx, n.Network, t.block.Height, t.block.Height)
		if err != nil {
			return err
		}
		if t.block.Height > state.Tip.Height || len(stored) > 0 && stored[0].Hash != t.block.Hash {
			return fmt.Errorf("the network replaced block %d meanwhile; try again", t.block.Height)
		}
	}
	return nil
}
