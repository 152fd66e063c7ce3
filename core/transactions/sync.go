package transactions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	batchBlocks = 100              // most blocks of a batch, to catch up
	mostUndone  = 3                // reorganisations in a Sync: a back end may show two forks in turn
	lookAgain   = 30 * time.Second // longest time between two looks at the tip while there is much to read
)

// errStopped means that a network stays unread until an operator resumes it.
var errStopped = errors.New("the network is stopped")

var errForks = errors.New("the back end shows several forks in turn")

// Sync reads the blocks of a network until nothing is left to read or to verify. It does nothing if
// another process reads the network. Concurrent calls for a network wait for each other.
func (s *Service) Sync(ctx context.Context, network string) error {
	n, err := s.network(network)
	if err != nil {
		return err
	}
	now := s.clock()
	n.first.CompareAndSwap(nil, &now)
	select {
	case n.turn <- struct{}{}:
		defer func() { <-n.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	const tries = 3
	for range tries { // another process, or a rescan, may have changed the stored state
		if err = s.sync(ctx, n); !errors.Is(err, ports.ErrLeaseLost) {
			break
		}
	}
	return err
}

func (s *Service) sync(ctx context.Context, n *network) error {
	if held, err := s.hold(ctx, n); err != nil || !held {
		return err
	}
	if reason := n.current().Stopped; reason != "" {
		s.saw(n, 0)
		return errors.Join(fmt.Errorf("%w: %s", errStopped, reason), s.beat(ctx, n))
	}
	var (
		tip             core.Tip
		looked          time.Time
		readErr, chkErr error
		undone          int
	)
	for more := true; more; {
		if since := s.clock().Sub(looked); since < 0 || since > lookAgain {
			var err error
			if tip, err = s.look(ctx, n); err != nil {
				return errors.Join(err, s.beat(ctx, n))
			}
			looked = s.clock()
			readErr, chkErr, undone = nil, nil, 0 // what failed is tried again
		}
		more = false
		if readErr == nil {
			height := n.current().Tip.Height
			more, readErr = s.extend(ctx, n, tip)
			if n.current().Tip.Height < height {
				undone++
			}
			if undone > mostUndone {
				readErr = errForks
			}
		}
		if chkErr == nil && !errors.Is(readErr, ports.ErrLeaseLost) {
			checked := false
			checked, chkErr = s.verify(ctx, n, tip)
			more = more || checked
		}
		if err := errors.Join(readErr, chkErr); errors.Is(err, ports.ErrLeaseLost) || ctx.Err() != nil {
			return err
		}
	}
	return errors.Join(readErr, chkErr, s.beat(ctx, n))
}

// look returns the newest block of the network. The first back end that answers suffices, unless it
// seems to be behind.
func (s *Service) look(ctx context.Context, n *network) (core.Tip, error) {
	const blocks, least = 10, time.Minute
	var (
		best  core.Tip
		errs  []error
		now   = s.clock()
		state = n.current()
	)
	for _, b := range n.backends {
		var tip core.Tip
		err := s.do(ctx, b, func() (err error) {
			tip, err = b.Tip(ctx)
			return err
		})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if best.Hash == "" || tip.Height > best.Height {
			best = tip
		}
		old := now.Sub(best.Time) > max(least, blocks*n.BlockTime)
		if best.Height > state.Tip.Height || best.Height == state.Tip.Height && !old {
			break
		}
	}
	if best.Hash == "" {
		return best, errors.Join(errs...)
	}
	s.saw(n, best.Height)
	return best, nil
}

// reading is a block as a back end shows it, with the transfers to our addresses.
type reading struct {
	block core.Block // without transfers
	found []transfer
}

// transfer is a transfer to an address of ours.
type transfer struct {
	core.Transfer

	id    string // of its transaction
	asset core.Asset
	block core.BlockID
	match core.DepositMatch
}

// match returns a block with its transfers to our addresses.
func (s *Service) match(ctx context.Context, n *network, block core.Block) (reading, error) {
	var (
		out       = reading{block: block}
		addresses []core.DepositAddress
	)
	out.block.Transfers = nil
	for _, t := range block.Transfers {
		asset, ok := n.Asset(t.Contract)
		if !ok || t.Units.Sign() <= 0 || !t.Units.IsInteger() {
			continue
		}
		out.found = append(out.found, transfer{Transfer: t, asset: asset, block: block.BlockID})
		addresses = append(addresses, core.DepositAddress{Address: t.Address, Memo: t.Memo})
	}
	if len(addresses) == 0 {
		return out, nil
	}
	matches, err := s.owners.Match(ctx, n.Network, addresses)
	if err != nil {
		return reading{}, err
	}
	found, seen := out.found, map[string]bool{}
	out.found = nil // most addresses of a block are not ours
	for i, t := range found {
		if !matches[i].Ours {
			continue
		}
		t.match, t.id = matches[i], core.TransactionID(n.Network, t.Hash, t.Index)
		if !seen[t.id] {
			seen[t.id] = true
			out.found = append(out.found, t)
		}
	}
	return out, nil
}

// extend reads the next blocks up to a tip. It reports whether it changed anything.
func (s *Service) extend(ctx context.Context, n *network, tip core.Tip) (bool, error) {
	state := n.current()
	from := state.Tip.Height + 1
	if state.Tip.Hash == "" && state.Start == 0 { // no block was read
		from = tip.Height
		state.Start, state.Verified = from, from-1
	}
	to := min(tip.Height, from+batchBlocks-1)
	read, err := each(ctx, s, from, to, func(ctx context.Context, h int64) (reading, error) {
		block, err := s.first(ctx, n, h)
		if err != nil {
			return reading{}, err
		}
		return s.match(ctx, n, block)
	})
	if len(read) > 0 && state.Tip.Hash != "" && read[0].block.Parent != state.Tip.Hash {
		return s.undo(ctx, n)
	}
	var (
		batch ports.ChainBatch
		found []transfer
	)
	for _, r := range read {
		if last := len(batch.Blocks) - 1; last >= 0 && r.block.Parent != batch.Blocks[last].Hash {
			break // the network changed meanwhile
		}
		batch.Blocks = append(batch.Blocks, r.block)
		found = append(found, r.found...)
		state.Tip, state.TipTime = r.block.BlockID, r.block.Time
	}
	if len(batch.Blocks) == 0 {
		return false, err
	}
	var recordErr error
	if batch.Transactions, batch.Unassigned, recordErr = s.record(ctx, n, found, false); recordErr != nil {
		return false, recordErr
	}
	batch.State = state
	if err := s.commit(ctx, n, batch); err != nil {
		return false, err
	}
	s.events.Read(n.Network, state.Tip.Height, max(tip.Height, state.Tip.Height), len(found))
	for _, u := range batch.Unassigned {
		s.events.Unassigned(n.Network, u.Reason)
	}
	return true, err
}

// record returns what transfers change: new transactions, transactions that a block has again, and transfers without a
// user. A transfer that had no user when its block was read before gets none now: its address may have been assigned
// since.
func (s *Service) record(
	ctx context.Context, n *network, found []transfer, again bool,
) (changed []core.Transaction, unassigned []core.UnassignedTransfer, err error) {
	if len(found) == 0 {
		return nil, nil, nil
	}
	known, listed, err := s.recorded(ctx, n, found)
	if err != nil {
		return nil, nil, err
	}
	now, added := s.now(), map[string]bool{}
	for _, t := range found {
		before, earlier, reason := known[t.id], listed[t.id], t.match.Reason
		if again && earlier.Hash != "" && earlier.Reason != core.TamperedAddress {
			continue
		}
		switch {
		case t.match.Deposit.ID == "":
		case before.ID != "" && !t.same(before):
			reason = core.ChangedReceiver
		case before.ID == "" && t.undone(earlier):
			reason = earlier.Reason
		}
		switch {
		case added[t.id]:
		case reason != "" || t.match.Deposit.ID == "":
			added[t.id] = true
			unassigned = append(unassigned, core.UnassignedTransfer{
				Transfer: t.Transfer, Network: n.Network, Currency: t.asset.Currency, Decimals: t.asset.Decimals,
				Block: t.block, Reason: reason, Seen: now,
			})
		case before.Block == core.BlockID{}:
			after := t.receive(n.Network, before, now)
			known[t.id] = after
			changed = append(changed, after)
		}
	}
	return changed, unassigned, nil
}

// recorded returns what is stored about transfers, by ID: their transactions and, if any of the transfers has a user
// now, the transfers without a user.
func (s *Service) recorded(
	ctx context.Context, n *network, found []transfer,
) (known map[string]core.Transaction, unassigned map[string]core.UnassignedTransfer, err error) {
	var ids, hashes []string
	for _, t := range found {
		ids, hashes = append(ids, t.id), append(hashes, t.Hash)
	}
	known, unassigned = map[string]core.Transaction{}, map[string]core.UnassignedTransfer{}
	stored, err := s.store.Known(ctx, ids)
	for _, t := range stored {
		known[t.ID] = t
	}
	if err != nil || !slices.ContainsFunc(found, func(t transfer) bool { return t.match.Deposit.ID != "" }) {
		return known, unassigned, err
	}
	all, err := s.store.Unassigned(ctx, ports.UnassignedQuery{Network: n.Network, Hashes: hashes})
	for _, u := range all {
		unassigned[core.TransactionID(u.Network, u.Hash, u.Index)] = u
	}
	return known, unassigned, err
}

// undone reports whether a transfer had no user, for a reason that holds again, in a block that was undone.
func (t transfer) undone(earlier core.UnassignedTransfer) bool {
	return earlier.Block.Hash == "" && earlier.Address == t.Address && earlier.Memo == t.Memo &&
		earlier.Reason != core.TamperedAddress && earlier.Reason != core.ChangedReceiver
}

// same reports whether a transfer is for the user and in the currency of its transaction. The contract
// of a token may pay another user when a later block executes the transaction again.
func (t transfer) same(stored core.Transaction) bool {
	return t.match.Deposit.User == stored.User && t.asset.Currency == stored.Currency
}

// receive returns the transaction of a transfer in a block, which is new or which no block had.
func (t transfer) receive(network string, before core.Transaction, now time.Time) core.Transaction {
	after := before
	if before.ID == "" {
		after = core.Transaction{
			ID: t.id, Network: network, Hash: t.Hash, Index: t.Index, User: t.match.Deposit.User,
			Currency: t.asset.Currency, Created: now,
		}
	}
	after.Address = t.match.Deposit.DepositAddress
	after.Units, after.Decimals = t.Units, t.asset.Decimals
	after.Status, after.Reason, after.Block, after.Ancestor = core.Pending, "", t.block, 0
	return revise(after, now)
}

// revise returns a changed transaction with its next revision.
func revise(t core.Transaction, now time.Time) core.Transaction {
	t.Revision++
	t.Updated, t.Completed = now, time.Time{}
	if t.Status == core.Completed {
		t.Completed = now
	}
	return t
}

// now returns the time with the precision of the stores.
func (s *Service) now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }
