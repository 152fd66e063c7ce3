package memory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
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
	blocks       map[string][]core.Block // by network, sorted by height
	transactions map[string]core.Transaction
	users        map[core.DepositUser]*ledger
	unsettled    map[string]*unsettled // by network
	unassigned   map[txKey][]core.UnassignedTransfer
	events       map[string]*eventLog // by account
	queues       map[endpointKey]*queue
}

// txKey identifies a transaction of a network, which may have several transfers.
type txKey struct{ network, hash string }

// ledger indexes the transactions of a user.
type ledger struct {
	places   []ports.TransactionPosition // sorted
	balances map[string]core.Balance     // by currency
}

// unsettled holds the IDs of the transactions of a network that are pending or in a block above a height. It may hold
// others, which were settled since.
type unsettled struct {
	above int64
	ids   map[string]bool
}

var _ ports.TransactionStore = (*Transactions)(nil)

// NewTransactions returns an empty store.
func NewTransactions() *Transactions {
	return &Transactions{
		chains: map[string]ports.ChainState{}, blocks: map[string][]core.Block{},
		transactions: map[string]core.Transaction{}, users: map[core.DepositUser]*ledger{},
		unsettled: map[string]*unsettled{}, unassigned: map[txKey][]core.UnassignedTransfer{},
		events: map[string]*eventLog{}, queues: map[endpointKey]*queue{},
	}
}

// Clone returns a copy of the store, for a fork of the world.
func (t *Transactions) Clone() *Transactions {
	t.mu.Lock()
	defer t.mu.Unlock()
	clone := NewTransactions()
	clone.chains, clone.transactions = maps.Clone(t.chains), maps.Clone(t.transactions)
	for network, blocks := range t.blocks {
		clone.blocks[network] = slices.Clone(blocks)
	}
	for user, l := range t.users {
		clone.users[user] = &ledger{slices.Clone(l.places), maps.Clone(l.balances)}
	}
	for network, u := range t.unsettled {
		clone.unsettled[network] = &unsettled{u.above, maps.Clone(u.ids)}
	}
	for key, transfers := range t.unassigned {
		clone.unassigned[key] = slices.Clone(transfers)
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
	blocks, err := t.withBlocks(batch)
	if err != nil {
		return err
	}
	t.blocks[network] = blocks
	for _, after := range changed {
		t.put(after)
	}
	for _, e := range events {
		t.add(e)
	}
	t.putUnassigned(batch)
	state := batch.State
	state.Holder, state.Beat = stored.Holder, stored.Beat+1
	state.TipTime, state.Checked = micros(state.TipTime), micros(state.Checked)
	t.chains[network] = state
	return nil
}

// micros returns a time as a database keeps it, so that the places of transactions are the same.
func micros(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

func blockAt(b core.Block, height int64) int { return cmp.Compare(b.Height, height) }

// span returns the blocks of a network from one height to another, both included. The caller holds the lock.
func (t *Transactions) span(network string, from, to int64) []core.Block {
	all := t.blocks[network]
	first, _ := slices.BinarySearchFunc(all, from, blockAt)
	end, found := slices.BinarySearchFunc(all, to, blockAt)
	if found {
		end++
	}
	return all[first:max(first, end)]
}

// withBlocks returns the blocks of the network and of a batch, without the blocks that the batch removes.
func (t *Transactions) withBlocks(batch ports.ChainBatch) ([]core.Block, error) {
	kept := int64(math.MaxInt64)
	if batch.Undo {
		kept = batch.Kept()
	}
	blocks := t.span(batch.State.Network, batch.Forget, kept)
	for _, b := range batch.Blocks {
		if _, found := slices.BinarySearchFunc(blocks, b.Height, blockAt); found {
			return nil, errors.New("memory: a block of this height is stored")
		}
	}
	for _, b := range batch.Blocks {
		i, _ := slices.BinarySearchFunc(blocks, b.Height, blockAt)
		blocks = slices.Insert(blocks, i, core.Block{BlockID: b.BlockID, Parent: b.Parent, Time: micros(b.Time)})
	}
	return blocks, nil
}

// put stores a transaction in place of its revision before. The caller holds the lock.
func (t *Transactions) put(after core.Transaction) {
	before, known := t.transactions[after.ID]
	if known {
		l := t.users[before.User]
		if i, found := slices.BinarySearchFunc(l.places, before, compare); found {
			l.places = slices.Delete(l.places, i, i+1)
		}
		l.balances[before.Currency] = l.balances[before.Currency].Replace(before, core.Transaction{})
	}
	l := t.users[after.User]
	if l == nil {
		l = &ledger{balances: map[string]core.Balance{}}
		t.users[after.User] = l
	}
	i, _ := slices.BinarySearchFunc(l.places, after, compare)
	l.places = slices.Insert(l.places, i, ports.TransactionPosition{Created: after.Created, ID: after.ID})
	balance := l.balances[after.Currency]
	balance.User, balance.Currency = after.User, after.Currency
	l.balances[after.Currency] = balance.Replace(core.Transaction{}, after)
	t.transactions[after.ID] = after
	t.unsettledOf(after.Network).ids[after.ID] = true
}

func (t *Transactions) unsettledOf(network string) *unsettled {
	u := t.unsettled[network]
	if u == nil {
		u = &unsettled{ids: map[string]bool{}}
		t.unsettled[network] = u
	}
	return u
}

// putUnassigned stores the transfers of a batch that are credited to no user. The caller holds the lock.
func (t *Transactions) putUnassigned(batch ports.ChainBatch) {
	if batch.Undo {
		for key, transfers := range t.unassigned {
			if key.network == batch.State.Network {
				t.unassigned[key] = slices.DeleteFunc(transfers, func(u core.UnassignedTransfer) bool {
					return u.Block.Height > batch.Kept()
				})
			}
		}
	}
	for _, u := range batch.Unassigned {
		u.Seen = micros(u.Seen)
		key := txKey{u.Network, u.Hash}
		others := slices.DeleteFunc(t.unassigned[key], func(o core.UnassignedTransfer) bool { return o.Index == u.Index })
		t.unassigned[key] = append(others, u)
	}
}

// Blocks implements ports.TransactionStore.
func (t *Transactions) Blocks(ctx context.Context, network string, from, to int64) ([]core.Block, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]core.Block(nil), t.span(network, from, to)...), ctx.Err()
}

// Known implements ports.TransactionStore.
func (t *Transactions) Known(ctx context.Context, ids []string) ([]core.Transaction, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var known []core.Transaction
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if tx, ok := t.transactions[id]; ok {
			known = append(known, tx)
		}
	}
	return sorted(known), ctx.Err()
}

// Unsettled implements ports.TransactionStore. It looks at transactions that were unsettled at the last call. Only a
// deep reorganization leads to a lower height than before.
func (t *Transactions) Unsettled(ctx context.Context, network string, above int64) ([]core.Transaction, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.unsettledOf(network)
	if above < u.above {
		for id, tx := range t.transactions {
			if tx.Network == network {
				u.ids[id] = true
			}
		}
	}
	u.above = above
	var found []core.Transaction
	for id := range u.ids {
		if tx := t.transactions[id]; tx.Status == core.Pending || tx.Block.Height > above {
			found = append(found, tx)
		} else {
			delete(u.ids, id)
		}
	}
	return sorted(found), ctx.Err()
}

// All returns the transactions of all users, by creation and ID.
func (t *Transactions) All(ctx context.Context) ([]core.Transaction, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return sorted(slices.Collect(maps.Values(t.transactions))), ctx.Err()
}

// sorted sorts transactions by creation and ID.
func sorted(transactions []core.Transaction) []core.Transaction {
	slices.SortFunc(transactions, func(a, b core.Transaction) int {
		return compare(ports.TransactionPosition{Created: a.Created, ID: a.ID}, b)
	})
	return transactions
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
	if q.Hashes != nil && q.Network != "" {
		for _, hash := range slices.Compact(slices.Sorted(slices.Values(q.Hashes))) {
			all = append(all, t.unassigned[txKey{q.Network, hash}]...)
		}
	} else {
		for key, transfers := range t.unassigned {
			if (q.Network == "" || key.network == q.Network) && (q.Hashes == nil || slices.Contains(q.Hashes, key.hash)) {
				all = append(all, transfers...)
			}
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
func (t *Transactions) List(ctx context.Context, q ports.TransactionQuery) (list []core.Transaction, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var places []ports.TransactionPosition
	if l := t.users[q.User]; l != nil {
		places = l.places
	}
	after := core.Transaction{Created: micros(q.After.Created), ID: q.After.ID}
	i, found := slices.BinarySearchFunc(places, after, compare)
	step := -1
	switch {
	case q.Oldest:
		step = 1
		if found {
			i++
		}
	case q.After.ID == "":
		i = len(places) - 1
	default:
		i--
	}
	for ; i >= 0 && i < len(places) && len(list) < q.Limit; i += step {
		tx := t.transactions[places[i].ID]
		if (q.Currency == "" || tx.Currency == q.Currency) && (q.Network == "" || tx.Network == q.Network) &&
			(q.Status == "" || tx.Status == q.Status) {
			list = append(list, tx)
		}
	}
	return list, ctx.Err()
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

// Balances implements ports.TransactionStore.
func (t *Transactions) Balances(ctx context.Context, user core.DepositUser) ([]core.Balance, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.users[user]
	if l == nil {
		return nil, ctx.Err()
	}
	byCurrency := func(a, b core.Balance) int { return cmp.Compare(a.Currency, b.Currency) }
	return slices.SortedFunc(maps.Values(l.balances), byCurrency), ctx.Err()
}
