package storage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"causeway/core"
	"causeway/ports"
)

// Transactions are the tables of transactions, balances and the blocks that were read.
type Transactions struct{ store *Store }

var _ ports.TransactionStore = Transactions{}

// Transactions returns the tables of transactions.
func (s *Store) Transactions() Transactions { return Transactions{s} }

const chainColumns = `network, start_height, tip_height, tip_hash, tip_time, verified, final_height, head, checked_at,
	stopped, problem, holder, epoch, beat`

func scanChain(row scanner) (c ports.ChainState, err error) {
	err = row.Scan(&c.Network, &c.Start, &c.Tip.Height, &c.Tip.Hash, (*timeColumn)(&c.TipTime), &c.Verified, &c.Final,
		&c.Head, (*timeColumn)(&c.Checked), &c.Stopped, &c.Problem, &c.Holder, &c.Epoch, &c.Beat)
	return c, err
}

// Chains implements ports.TransactionStore.
func (t Transactions) Chains(ctx context.Context) ([]ports.ChainState, error) {
	return all(ctx, t.store, scanChain, `SELECT `+chainColumns+` FROM chains ORDER BY network`)
}

// Lease implements ports.TransactionStore.
func (t Transactions) Lease(
	ctx context.Context, network, holder string, epoch int64,
) (state ports.ChainState, err error) {
	statement := `UPDATE chains SET holder = $2, epoch = epoch + 1, beat = beat + 1 WHERE network = $1 AND epoch = $3`
	if epoch == 0 {
		statement = `INSERT INTO chains (network, holder, epoch, beat) VALUES ($1, $2, $3 + 1, 1) ON CONFLICT DO NOTHING`
	}
	err = t.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		state, err = scanChain(tx.QueryRowContext(ctx, statement+` RETURNING `+chainColumns, network, holder, epoch))
		if errors.Is(err, sql.ErrNoRows) {
			return refusal{ports.ErrLeaseLost}
		}
		return err
	})
	return state, err
}

// Commit implements ports.TransactionStore. The lock on the row of the network makes the batches of that network wait
// for each other.
func (t Transactions) Commit(ctx context.Context, batch ports.ChainBatch) error {
	return t.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		events, err := t.put(ctx, tx, batch)
		if err != nil {
			return err
		}
		return Events(t).put(ctx, tx, events)
	})
}

// put stores a batch except for its events, which it returns.
func (t Transactions) put(ctx context.Context, tx *sql.Tx, batch ports.ChainBatch) ([]core.Event, error) {
	if err := putChain(ctx, tx, batch); err != nil {
		return nil, err
	}
	if err := t.putBlocks(ctx, tx, batch); err != nil {
		return nil, err
	}
	if err := t.putUnassigned(ctx, tx, batch.Unassigned); err != nil {
		return nil, err
	}
	return t.putTransactions(ctx, tx, batch)
}

// putChain stores the state of a network if its lease and last block are still as in the batch.
func putChain(ctx context.Context, tx *sql.Tx, batch ports.ChainBatch) error {
	c := batch.State
	result, err := tx.ExecContext(ctx, `UPDATE chains SET start_height = $5, tip_height = $6, tip_hash = $7, tip_time = $8,
		verified = $9, final_height = $10, head = $11, checked_at = $12, stopped = $13, problem = $14, beat = beat + 1
		WHERE network = $1 AND epoch = $2 AND tip_height = $3 AND tip_hash = $4`,
		c.Network, c.Epoch, batch.Before.Height, batch.Before.Hash, c.Start, c.Tip.Height, c.Tip.Hash, toMicros(c.TipTime),
		c.Verified, c.Final, c.Head, toMicros(c.Checked), storable(c.Stopped), storable(c.Problem))
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if n == 0 && err == nil {
		return refusal{ports.ErrLeaseLost}
	}
	return err
}

func (t Transactions) putBlocks(ctx context.Context, tx *sql.Tx, batch ports.ChainBatch) error {
	network := batch.State.Network
	if batch.Undo {
		for _, statement := range []string{
			`DELETE FROM blocks WHERE network = $1 AND height > $2`,
			`DELETE FROM unassigned_transfers WHERE network = $1 AND height > $2`,
		} {
			_, err := tx.ExecContext(ctx, statement, network, batch.Kept())
			if err != nil {
				return err
			}
		}
	}
	if batch.Forget > 0 {
		_, err := tx.ExecContext(ctx, `DELETE FROM blocks WHERE network = $1 AND height < $2`, network, batch.Forget)
		if err != nil {
			return err
		}
	}
	var rows [][]any
	for _, b := range batch.Blocks {
		rows = append(rows, []any{network, b.Height, b.Hash, b.Parent, toMicros(b.Time)})
	}
	return t.store.put(ctx, tx, blockTable, rows)
}

func (t Transactions) putUnassigned(ctx context.Context, tx *sql.Tx, transfers []core.UnassignedTransfer) error {
	var rows [][]any
	for _, u := range transfers {
		rows = append(rows, []any{
			u.Network, u.Hash, u.Index, u.Contract, u.Address.Reveal(), u.Memo.Reveal(), u.Currency, u.Units.String(),
			u.Decimals, u.Block.Height, u.Block.Hash, string(u.Reason), u.Seen.UnixMicro(),
		})
	}
	return t.store.put(ctx, tx, unassignedTable, rows)
}

// putTransactions stores the next revisions of transactions and their balances, and returns their events.
func (t Transactions) putTransactions(
	ctx context.Context, tx *sql.Tx, batch ports.ChainBatch,
) (events []core.Event, err error) {
	var ids []string
	for _, after := range batch.Transactions {
		ids = append(ids, after.ID)
	}
	known := map[string]core.Transaction{}
	for chunk := range slices.Chunk(ids, rowsPerStatement) {
		found, err := collect(ctx, tx, scanTransaction, t.selectKnown(), idElements(chunk))
		if err != nil {
			return nil, err
		}
		for _, before := range found {
			known[before.ID] = before
		}
	}
	added := map[balanceKey]core.Balance{}
	last := map[string][]any{} // the rows by ID: a batch may have several revisions of a transaction
	for _, after := range batch.Transactions {
		before := known[after.ID]
		if after.Revision != before.Revision+1 {
			return nil, refusal{ports.ErrLeaseLost}
		}
		old, current := balanceKey{before.User, before.Currency}, balanceKey{after.User, after.Currency}
		if before.ID != "" {
			added[old] = added[old].Replace(before, core.Transaction{})
		}
		added[current] = added[current].Replace(core.Transaction{}, after)
		known[after.ID], last[after.ID] = after, transactionRow(after)
		events = append(events, core.NewEvent(before.Status, after, batch.State.Tip.Height))
	}
	if err := t.store.put(ctx, tx, transactionTable, slices.Collect(maps.Values(last))); err != nil {
		return nil, err
	}
	return events, t.addBalances(ctx, tx, added)
}

type balanceKey struct {
	core.DepositUser

	currency string
}

func (k balanceKey) row() []any { return []any{k.Account, k.Profile.Reveal(), k.currency} }

func (k balanceKey) compare(other balanceKey) int {
	return cmp.Or(cmp.Compare(k.Account, other.Account), cmp.Compare(k.Profile, other.Profile),
		cmp.Compare(k.currency, other.currency))
}

// addBalances adds to balances. Batches of several networks change the balances of a user at the same time: rows are
// added and then locked, each in one order, so that no batch misses another, and none waits for another in a circle.
func (t Transactions) addBalances(ctx context.Context, tx *sql.Tx, added map[balanceKey]core.Balance) error {
	if len(added) == 0 {
		return nil
	}
	var rows [][]any
	for _, key := range slices.SortedFunc(maps.Keys(added), balanceKey.compare) {
		rows = append(rows, append(key.row(), "0", "0"))
	}
	if err := t.store.put(ctx, tx, newBalances, rows); err != nil {
		return err
	}
	query := selectBalances + ` WHERE (account, profile, currency) IN
		(SELECT value->>0, value->>1, value->>2 FROM ` + t.store.elements() + `) ORDER BY account, profile, currency`
	before, err := collect(ctx, tx, scanBalance, query+t.store.lockRows(), elements(rows))
	if err != nil {
		return err
	}
	rows = nil
	for _, b := range before {
		key := balanceKey{b.User, b.Currency}
		pending, available := b.Pending.Add(added[key].Pending), b.Available.Add(added[key].Available)
		rows = append(rows, append(key.row(), pending.String(), available.String()))
		delete(added, key)
	}
	if len(added) > 0 {
		return errors.New("balances are missing")
	}
	return t.store.put(ctx, tx, balanceTable, rows)
}

var (
	blockTable      = table{name: "blocks", columns: "network, height#, hash, parent, time#"}
	unassignedTable = table{
		name: "unassigned_transfers", key: "network, hash, idx",
		columns: "network, hash, idx#, contract, address, memo, currency, amount, decimals#, height#, block, reason," +
			" seen_at#",
	}
	transactionTable = table{
		name: "transactions", key: "id",
		columns: "id, network, hash, idx#, account, profile, address, memo, currency, amount, decimals#, status, reason, " +
			"revision#, height#, block, ancestor#, created_at#, updated_at#, completed_at#",
	}
	balanceTable = table{
		name: "balances", key: "account, profile, currency", columns: "account, profile, currency, pending, available",
	}
	newBalances = table{name: balanceTable.name, columns: balanceTable.columns, keep: true}

	selectTransactions = transactionTable.query()
	selectBalances     = balanceTable.query()
)

func transactionRow(t core.Transaction) []any {
	return []any{
		t.ID, t.Network, t.Hash, t.Index, t.User.Account, t.User.Profile.Reveal(), t.Address.Address.Reveal(),
		t.Address.Memo.Reveal(), t.Currency, t.Units.String(), t.Decimals, string(t.Status), t.Reason, t.Revision,
		t.Block.Height, t.Block.Hash, t.Ancestor, t.Created.UnixMicro(), t.Updated.UnixMicro(), toMicros(t.Completed),
	}
}

func scanTransaction(row scanner) (t core.Transaction, err error) {
	err = row.Scan(&t.ID, &t.Network, &t.Hash, &t.Index, &t.User.Account, &t.User.Profile, &t.Address.Address,
		&t.Address.Memo, &t.Currency, &t.Units, &t.Decimals, &t.Status, &t.Reason, &t.Revision, &t.Block.Height,
		&t.Block.Hash, &t.Ancestor, (*timeColumn)(&t.Created), (*timeColumn)(&t.Updated), (*timeColumn)(&t.Completed))
	return t, err
}

func scanUnassigned(row scanner) (u core.UnassignedTransfer, err error) {
	err = row.Scan(&u.Network, &u.Hash, &u.Index, &u.Contract, &u.Address, &u.Memo, &u.Currency, &u.Units, &u.Decimals,
		&u.Block.Height, &u.Block.Hash, &u.Reason, (*timeColumn)(&u.Seen))
	return u, err
}

func scanBalance(row scanner) (b core.Balance, err error) {
	err = row.Scan(&b.User.Account, &b.User.Profile, &b.Currency, &b.Pending, &b.Available)
	return b, err
}

func scanBlock(row scanner) (b core.Block, err error) {
	var network string
	err = row.Scan(&network, &b.Height, &b.Hash, &b.Parent, (*timeColumn)(&b.Time))
	return b, err
}

// Blocks implements ports.TransactionStore.
func (t Transactions) Blocks(ctx context.Context, network string, from, to int64) ([]core.Block, error) {
	return all(ctx, t.store, scanBlock, blockTable.query()+
		` WHERE network = $1 AND height BETWEEN $2 AND $3 ORDER BY height`, network, from, to)
}

// Known implements ports.TransactionStore.
func (t Transactions) Known(ctx context.Context, ids []string) (known []core.Transaction, err error) {
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	for chunk := range slices.Chunk(distinct, rowsPerStatement) {
		found, err := all(ctx, t.store, scanTransaction, t.selectKnown(), idElements(chunk))
		if err != nil {
			return nil, err
		}
		known = append(known, found...)
	}
	return known, nil
}

func (t Transactions) selectKnown() string {
	return selectTransactions + ` WHERE id IN (SELECT value->>0 FROM ` + t.store.elements() + `)`
}

func idElements(ids []string) string {
	rows := [][]any{}
	for _, id := range ids {
		rows = append(rows, []any{id})
	}
	return elements(rows)
}

// Unsettled implements ports.TransactionStore. With OR, SQLite would read all transactions of the network.
func (t Transactions) Unsettled(ctx context.Context, network string, above int64) ([]core.Transaction, error) {
	return all(ctx, t.store, scanTransaction, selectTransactions+` WHERE network = $1 AND status = 'pending' UNION `+
		selectTransactions+` WHERE network = $1 AND height > $2 ORDER BY created_at, id`, network, above)
}

// Unassigned implements ports.TransactionStore.
func (t Transactions) Unassigned(ctx context.Context, q ports.UnassignedQuery) ([]core.UnassignedTransfer, error) {
	query, args := unassignedTable.query()+` WHERE true`, []any(nil)
	add := func(condition string, value any) {
		args = append(args, value)
		query += fmt.Sprintf(condition, len(args))
	}
	if q.Hashes != nil {
		query += ` AND hash IN (SELECT value->>0 FROM ` + t.store.elements() + `)`
		args = append(args, idElements(q.Hashes))
	}
	if q.Network != "" {
		add(` AND network = $%d`, storable(q.Network))
	}
	query += ` ORDER BY seen_at DESC, network, hash, idx`
	if q.Limit > 0 {
		add(` LIMIT $%d`, q.Limit)
	}
	return all(ctx, t.store, scanUnassigned, query, args...)
}

// List implements ports.TransactionStore.
func (t Transactions) List(ctx context.Context, q ports.TransactionQuery) ([]core.Transaction, error) {
	query := selectTransactions + ` WHERE account = $1 AND profile = $2`
	args := []any{q.User.Account, q.User.Profile.Reveal()}
	add := func(format string, values ...any) {
		places := make([]any, len(values))
		for i := range values {
			places[i] = fmt.Sprint("$", len(args)+i+1)
		}
		query += fmt.Sprintf(format, places...)
		args = append(args, values...)
	}
	for _, c := range [][2]string{{"currency", q.Currency}, {"network", q.Network}, {"status", string(q.Status)}} {
		if c[1] != "" {
			add(" AND "+c[0]+" = %s", storable(c[1]))
		}
	}
	sign, order := "<", "DESC"
	if q.Oldest {
		sign, order = ">", "ASC"
	}
	if q.After.ID != "" {
		add(" AND (created_at, id) "+sign+" (%s, %s)", q.After.Created.UnixMicro(), storable(q.After.ID))
	}
	add(" ORDER BY created_at "+order+", id "+order+" LIMIT %s", q.Limit)
	return all(ctx, t.store, scanTransaction, query, args...)
}

// Find implements ports.TransactionStore.
func (t Transactions) Find(ctx context.Context, user core.DepositUser, id string) (core.Transaction, error) {
	found, err := all(ctx, t.store, scanTransaction, selectTransactions+` WHERE id = $1 AND account = $2 AND profile = $3`,
		storable(id), user.Account, user.Profile.Reveal())
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.NotFound, "The user has no transaction with this ID")
	}
	if err != nil {
		return core.Transaction{}, err
	}
	return found[0], nil
}

// Balances implements ports.TransactionStore.
func (t Transactions) Balances(ctx context.Context, user core.DepositUser) ([]core.Balance, error) {
	return all(ctx, t.store, scanBalance, selectBalances+` WHERE account = $1 AND profile = $2 ORDER BY currency`,
		user.Account, user.Profile.Reveal())
}
