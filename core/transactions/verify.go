package transactions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

// errDiffers means that the back ends, or the stored block, disagree.
var errDiffers = errors.New("the back ends do not show the same transfers")

// difference is a block that a back end shows in another way.
type difference struct {
	height  int64
	backend string
}

// verify reads the next blocks that are confirmed again, from every back end, and completes the
// transactions of the blocks that nothing contradicts. It reports whether it changed anything.
func (s *Service) verify(ctx context.Context, n *network, tip core.Tip) (bool, error) {
	state, err := s.finalized(ctx, n, tip)
	if err != nil {
		return false, err
	}
	from, to := state.Verified+1, min(n.confirmed(state), state.Verified+batchBlocks)
	if from > to && n.settled {
		return false, nil
	}
	before := state.Problem
	if before != "" {
		to = min(to, from) // the others wait for it
	}
	stored, unsettled, err := s.stored(ctx, n, from, to)
	if err != nil {
		return false, err
	}
	read, failed := each(ctx, s, from, to, func(ctx context.Context, h int64) ([]reading, error) {
		return s.reread(ctx, n, h)
	})
	batch := ports.ChainBatch{}
	late := 0
	for i, readings := range read {
		extra, differs := agree(stored[i], unsettled, readings)
		if differs >= 0 {
			state.Problem = fmt.Sprintf("the back ends, or their answers at different times, differ in block %d",
				stored[i].Height)
			failed = s.disagree(n, stored[i].Height, n.backends[differs].Name())
			break
		}
		missed, unassigned, err := s.record(ctx, n, extra, true)
		if err != nil {
			return false, err
		}
		batch.Unassigned = append(batch.Unassigned, unassigned...)
		if late = len(missed); late > 0 { // the block is verified once more when they are stored
			batch.Transactions, unsettled = missed, except(unsettled, missed)
			break
		}
		state.Verified, state.Problem = stored[i].Height, ""
	}
	done, oldest := settle(unsettled, state.Verified, n.Chain, s.now())
	batch.Transactions = append(batch.Transactions, done...)
	batch.State, batch.Forget = state, n.kept(state, oldest)
	if state.Verified >= from || state.Problem != before || len(batch.Transactions)+len(batch.Unassigned) > 0 {
		if err := s.commit(ctx, n, batch); err != nil {
			return false, err
		}
	}
	n.settled = true
	s.report(n, state.Verified, late, done)
	return late > 0 || state.Verified >= from && failed == nil, failed
}

// except returns the transactions without the changed ones: a transfer of a replaced block may be found
// late in a new block.
func except(all, changed []core.Transaction) []core.Transaction {
	return slices.DeleteFunc(all, func(t core.Transaction) bool {
		return slices.ContainsFunc(changed, func(c core.Transaction) bool { return c.ID == t.ID })
	})
}

// report reports what verify changed.
func (s *Service) report(n *network, verified int64, late int, done []core.Transaction) {
	if late > 0 {
		s.events.FoundLate(n.Network, verified+1, late)
	}
	completed := 0
	for _, t := range done {
		if t.Status == core.Completed {
			completed++
		}
	}
	if len(done) > 0 {
		s.events.Settled(n.Network, completed, len(done)-completed)
	}
}

// finalized returns the state with the last block that is final: the height that a back end says is
// not enough, because its block may be of another fork than ours.
func (s *Service) finalized(ctx context.Context, n *network, tip core.Tip) (ports.ChainState, error) {
	state, final := n.current(), tip.Final
	if final.Hash == "" || final.Height <= state.Final || final.Height > state.Tip.Height {
		return state, nil
	}
	blocks, err := s.store.Blocks(ctx, n.Network, final.Height, final.Height)
	if err == nil && len(blocks) == 1 && blocks[0].Hash == final.Hash {
		state.Final = final.Height
	}
	return state, err
}

// confirmed returns the height up to which blocks are confirmed: enough blocks follow, or they are
// final. At least one block must follow, because a back end may know only a part of the last one.
func (n *network) confirmed(state ports.ChainState) int64 {
	height := state.Final
	if n.Confirmations > 0 {
		height = max(height, state.Tip.Height-n.Confirmations+1)
	}
	return min(height, state.Tip.Height-1)
}

// stored returns the stored blocks to verify, and the transactions that are pending or in later blocks.
func (s *Service) stored(ctx context.Context, n *network, from, to int64) ([]core.Block, []core.Transaction, error) {
	var blocks []core.Block
	if from <= to {
		var err error
		blocks, err = s.store.Blocks(ctx, n.Network, from, to)
		if err != nil {
			return nil, nil, err
		}
		if int64(len(blocks)) != to-from+1 {
			return nil, nil, fmt.Errorf("%d of the blocks %d to %d are not stored", to-from+1-int64(len(blocks)), from, to)
		}
	}
	unsettled, err := s.store.Unsettled(ctx, n.Network, from-1)
	return blocks, unsettled, err
}

// reread reads a block from every back end.
func (s *Service) reread(ctx context.Context, n *network, height int64) ([]reading, error) {
	out := make([]reading, len(n.backends))
	for i, b := range n.backends {
		block, err := s.block(ctx, n, b, height)
		if err != nil {
			return nil, fmt.Errorf("block %d again: %w", height, err)
		}
		if out[i], err = s.match(ctx, n, block); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// content is what back ends must agree on about a transfer.
type content struct {
	currency string
	address  core.DepositAddress
	units    string
}

func (r reading) contents() map[string]content {
	all := map[string]content{}
	for _, t := range r.found {
		all[t.id] = content{t.asset.Currency, t.match.Deposit.DepositAddress, t.Units.String()}
	}
	return all
}

// agree compares the readings of a block with each other and with what is stored. It returns the
// transfers that are not stored, or the back end that differs, else -1.
func agree(block core.Block, stored []core.Transaction, readings []reading) (late []transfer, differs int) {
	mine := map[string]core.Transaction{}
	for _, t := range stored {
		if t.Block == block.BlockID {
			mine[t.ID] = t
		}
	}
	want := readings[0].contents()
	for i, r := range readings {
		if r.block.Hash != block.Hash || !maps.Equal(r.contents(), want) {
			return nil, i
		}
	}
	for _, t := range readings[0].found {
		before, known := mine[t.id]
		switch {
		case !known:
			late = append(late, t)
		case t.asset.Currency != before.Currency || !t.Units.Equal(before.Units) ||
			t.match.Deposit.ID != "" && t.match.Deposit.User != before.User:
			return nil, 0
		}
		delete(mine, t.id)
	}
	if len(mine) > 0 {
		return nil, 0
	}
	return late, -1
}

// disagree reports a difference, once.
func (s *Service) disagree(n *network, height int64, name string) error {
	if d := (difference{height, name}); d != n.differs {
		n.differs = d
		s.events.Disagreement(n.Network, name, height)
	}
	return fmt.Errorf("%s: block %d: %w", name, height, errDiffers)
}

// settle returns the transactions that are completed, or that the network dropped, now that the blocks
// up to a height are verified. oldest is the height from which on the others need blocks.
func settle(
	unsettled []core.Transaction, verified int64, c core.Chain, now time.Time,
) (done []core.Transaction, oldest int64) {
	oldest = math.MaxInt64
	for _, t := range unsettled {
		switch {
		case t.Status != core.Pending:
			continue
		case t.Block != core.BlockID{} && t.Block.Height <= verified:
			t.Status, t.Reason = core.Completed, ""
		case t.Block == core.BlockID{} && verified >= t.Ancestor+max(1, c.Confirmations):
			t.Status, t.Reason = core.Failed, core.Dropped
		default:
			oldest = min(oldest, max(t.Block.Height, t.Ancestor))
			continue
		}
		done = append(done, revise(t, now))
	}
	return done, oldest
}

// kept returns the height of the first block to keep. oldest is the first with a pending transaction.
func (n *network) kept(state ports.ChainState, oldest int64) int64 {
	const least = 100
	height := min(state.Verified, oldest, state.Tip.Height-max(2*n.Confirmations, least))
	if state.Final > 0 {
		height = min(height, state.Final)
	}
	return max(0, height)
}
