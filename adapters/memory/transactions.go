package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Transactions keeps transactions, their events and the blocks that were read in memory, for a simulated world.
type Transactions struct {
	mu           sync.Mutex
	chains       map[string]ports.ChainState
	blocks       map[blockKey]core.Block
	transactions map[string]core.Transaction
	unassigned   map[transferKey]core.UnassignedTransfer
	events       map[string]*eventLog // by account
	queues       map[endpointKey]*queue
}

type blockKey struct {
	network string
	height  int64
}

// transferKey identifies a transfer.
type transferKey struct {
	network, hash string
	index         int64
}

var _ ports.TransactionStore = (*Transactions)(nil)

// NewTransactions returns an empty store.
func NewTransactions() *Transactions {
	return &Transactions{
		chains: map[string]ports.ChainState{}, blocks: map[blockKey]core.Block{},
		transactions: map[string]core.Transaction{}, unassigned: map[transferKey]core.UnassignedTransfer{},
		events: map[string]*eventLog{}, queues: map[endpointKey]*queue{},
	}
}

// Clone returns a copy of the store, for a fork of the world.
func (t *Transactions) Clone() *Transactions {
	t.mu.Lock()
	defer t.mu.Unlock()
	clone := &Transactions{
		chains: maps.Clone(t.chains), blocks: maps.Clone(t.blocks),
		transactions: maps.Clone(t.transactions), unassigned: maps.Clone(t.unassigned),
		events: map[string]*eventLog{}, queues: map[endpointKey]*queue{},
	}
	for account, l := range t.events {
		clone.events[account] = l.clone()
	}
	for to, q := range t.queues {
		clone.queues[to] = q.clone()
	}
	return clone
}

// Chains implements ports.TransactionStore.
func (t *Transactions) Chains(ctx context.Context) ([]ports.ChainState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	byNetwork := func(a, b ports.ChainState) int { return cmp.Compare(a.Network, b.Network) }
	return slices.SortedFunc(maps.Values(t.chains), byNetwork), ctx.Err()
}

// Lease implements ports.TransactionStore.
func (t *Transactions) Lease(ctx context.Context, network, holder string, epoch int64) (ports.ChainState, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	state := t.chains[network]
	if err := ctx.Err(); err != nil {
		return ports.ChainState{}, err
	}
	if state.Epoch != epoch {
		return ports.ChainState{}, ports.ErrLeaseLost
	}
	state.Network, state.Holder, state.Epoch, state.Beat = network, holder, epoch+1, state.Beat+1
	t.chains[network] = state
	return state, nil
}

// Commit implements ports.TransactionStore. It changes nothing before all is checked.
func (t *Transactions) Commit(ctx context.Context, batch ports.ChainBatch) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	network := batch.State.Network
	stored := t.chains[network]
	if err := ctx.Err(); err != nil {
		return err
	}
	if stored.Epoch == 0 || stored.Epoch != batch.State.Epoch || stored.Tip != batch.Before {
		return ports.ErrLeaseLost
	}
	changed := map[string]core.Transaction{}
	var events []core.Event
	for _, after := range batch.Transactions {
		before, ok := changed[after.ID]
		if !ok {
			before = t.transactions[after.ID]
		}
		if after.Revision != before.Revision+1 {
			return ports.ErrLeaseLost
		}
		after.Created, after.Updated, after.Completed = micros(after.Created), micros(after.Updated), micros(after.Completed)
		changed[after.ID] = after
		events = append(events, core.NewEvent(before.Status, after, batch.State.Tip.Height))
	}
	undone := func(height int64) bool { return batch.Undo && height > batch.Kept() }
	removed := func(key blockKey, _ core.Block) bool {
		return key.network == network && (key.height < batch.Forget || undone(key.height))
	}
	for _, b := range batch.Blocks {
		key := blockKey{network, b.Height}
		if known, ok := t.blocks[key]; ok && !removed(key, known) {
			return errors.New("memory: a block of this height is stored")
		}
	}
	maps.DeleteFunc(t.blocks, removed)
	for _, b := range batch.Blocks {
		t.blocks[blockKey{network, b.Height}] = core.Block{BlockID: b.BlockID, Parent: b.Parent, Time: micros(b.Time)}
	}
	maps.Copy(t.transactions, changed)
	for _, e := range events {
		t.add(e)
	}
	maps.DeleteFunc(t.unassigned, func(key transferKey, u core.UnassignedTransfer) bool {
		return key.network == network && undone(u.Block.Height)
	})
	for _, u := range batch.Unassigned {
		u.Seen = micros(u.Seen)
		t.unassigned[transferKey{u.Network, u.Hash, u.Index}] = u
	}
	state := batch.State
	state.Holder, state.Beat = stored.Holder, stored.Beat+1
	state.TipTime, state.Checked = micros(state.TipTime), micros(state.Checked)
	t.chains[network] = state
	return nil
}

// micros returns a time as a database keeps it, so that the places of transactions are the same.
func micros(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Blocks implements ports.TransactionStore.
func (t *Transactions) Blocks(ctx context.Context, network string, from, to int64) ([]core.Block, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var blocks []core.Block
	for key, b := range t.blocks {
		if key.network == network && key.height >= from && key.height <= to {
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(a, b core.Block) int { return cmp.Compare(a.Height, b.Height) })
	return blocks, ctx.Err()
}

// Known implements ports.TransactionStore.
func (t *Transactions) Known(ctx context.Context, ids []string) ([]core.Transaction, error) {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	return t.selected(ctx, func(tx core.Transaction) bool { return wanted[tx.ID] })
}

// Unsettled implements ports.TransactionStore.
func (t *Transactions) Unsettled(ctx context.Context, network string, above int64) ([]core.Transaction, error) {
	return t.selected(ctx, func(tx core.Transaction) bool {
		return tx.Network == network && (tx.Status == core.Pending || tx.Block.Height > above)
	})
}

// All returns the transactions of all users, by creation and ID.
func (t *Transactions) All(ctx context.Context) ([]core.Transaction, error) {
	return t.selected(ctx, func(core.Transaction) bool { return true })
}

// selected returns the transactions that satisfy a condition, by creation and ID.
func (t *Transactions) selected(ctx context.Context, ok func(core.Transaction) bool) ([]core.Transaction, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []core.Transaction
	for _, tx := range t.transactions {
		if ok(tx) {
			all = append(all, tx)
		}
	}
	slices.SortFunc(all, func(a, b core.Transaction) int {
		return compare(ports.TransactionPosition{Created: a.Created, ID: a.ID}, b)
	})
	return all, ctx.Err()
}

// compare compares a place in the order of creation with the place of a transaction.
func compare(a ports.TransactionPosition, b core.Transaction) int {
	return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
}

// Unassigned implements ports.TransactionStore.
func (t *Transactions) Unassigned(ctx context.Context, q ports.UnassignedQuery) ([]core.UnassignedTransfer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []core.UnassignedTransfer
	for key, u := range t.unassigned {
		if (q.Network == "" || key.network == q.Network) && (q.Hashes == nil || slices.Contains(q.Hashes, key.hash)) {
			all = append(all, u)
		}
	}
	slices.SortFunc(all, func(a, b core.UnassignedTransfer) int {
		return cmp.Or(b.Seen.Compare(a.Seen), strings.Compare(a.Network, b.Network), strings.Compare(a.Hash, b.Hash),
			cmp.Compare(a.Index, b.Index))
	})
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	return all, ctx.Err()
}

// List implements ports.TransactionStore.
func (t *Transactions) List(ctx context.Context, q ports.TransactionQuery) ([]core.Transaction, error) {
	after := ports.TransactionPosition{Created: micros(q.After.Created), ID: q.After.ID}
	all, err := t.selected(ctx, func(tx core.Transaction) bool {
		passed := after.ID == "" || q.Oldest && compare(after, tx) < 0 || !q.Oldest && compare(after, tx) > 0
		return passed && tx.User == q.User && (q.Currency == "" || tx.Currency == q.Currency) &&
			(q.Network == "" || tx.Network == q.Network) && (q.Status == "" || tx.Status == q.Status)
	})
	if !q.Oldest {
		slices.Reverse(all)
	}
	return all[:min(q.Limit, len(all))], err
}

// Find implements ports.TransactionStore.
func (t *Transactions) Find(ctx context.Context, user core.DepositUser, id string) (core.Transaction, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tx := t.transactions[id]
	if err := ctx.Err(); err != nil {
		return core.Transaction{}, err
	}
	if tx.ID == "" || tx.User != user {
		return core.Transaction{}, core.Errorf(core.NotFound, "The user has no transaction with this ID")
	}
	return tx, nil
}

// Balances implements ports.TransactionStore. It adds the transactions of the user.
func (t *Transactions) Balances(ctx context.Context, user core.DepositUser) ([]core.Balance, error) {
	all, err := t.selected(ctx, func(tx core.Transaction) bool { return tx.User == user })
	sums := map[string]core.Balance{}
	for _, tx := range all {
		b := core.Balance{User: user, Currency: tx.Currency}
		if known, ok := sums[tx.Currency]; ok {
			b = known
		}
		sums[tx.Currency] = b.Replace(core.Transaction{}, tx)
	}
	byCurrency := func(a, b core.Balance) int { return cmp.Compare(a.Currency, b.Currency) }
	return slices.SortedFunc(maps.Values(sums), byCurrency), err
}
