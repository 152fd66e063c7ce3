package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Events are the tables of events.
type Events struct{ store *Store }

var _ ports.EventStore = Events{}

// Events implements ports.TransactionStore.
func (t Transactions) Events() ports.EventStore { return Events(t) }

var (
	eventTable   = table{name: "events", columns: "number#, event_id, type, tip#, " + transactionTable.columns}
	selectEvents = eventTable.query()
)

func eventRow(e core.Event) []any {
	return append([]any{e.Number, e.ID, string(e.Type), e.Tip}, transactionRow(e.Transaction)...)
}

func scanEvent(row scanner) (e core.Event, err error) {
	e.Transaction, err = scanTransaction(columnsBefore{row, []any{&e.Number, &e.ID, &e.Type, &e.Tip}})
	return e, err
}

// eventCounter is the row of an account.
type eventCounter struct {
	ports.EventRange

	account string
}

const selectCounter = `SELECT account, last, pruned FROM event_counters WHERE account = $1`

func scanCounter(row scanner) (c eventCounter, err error) {
	err = row.Scan(&c.account, &c.Last, &c.Pruned)
	return c, err
}

// columnsBefore is a row whose first columns are scanned into the same variables each time.
type columnsBefore struct {
	scanner

	first []any
}

func (r columnsBefore) Scan(columns ...any) error {
	return r.scanner.Scan(append(r.first, columns...)...)
}

// put numbers and stores events, as the last thing in a transaction. The row of each account stays locked until the
// end of the transaction, so that the events of another one get higher numbers and become visible later. Rows are
// locked in one order, so that no batch waits for another in a circle.
func (e Events) put(ctx context.Context, tx *sql.Tx, events []core.Event) error {
	if len(events) == 0 {
		return nil
	}
	counts := map[string]int64{}
	for _, event := range events {
		counts[event.Transaction.User.Account]++
	}
	var rows [][]any
	for account, count := range counts {
		rows = append(rows, []any{account, count})
	}
	counters, err := collect(ctx, tx, scanCounter, `INSERT INTO event_counters (account, last, pruned)
		SELECT value->>0, CAST(value->>1 AS BIGINT), 0 FROM `+e.store.elements()+` WHERE true ORDER BY 1
		ON CONFLICT (account) DO UPDATE SET last = event_counters.last + excluded.last RETURNING account, last, pruned`,
		elements(rows))
	if err != nil {
		return err
	}
	next := map[string]int64{}
	for _, c := range counters {
		next[c.account] = c.Last - counts[c.account] + 1
	}
	if len(next) != len(counts) {
		return errors.New("counters of events are missing")
	}
	rows = nil
	for _, event := range events {
		account := event.Transaction.User.Account
		event.Number = next[account]
		next[account]++
		rows = append(rows, eventRow(event))
	}
	return e.store.put(ctx, tx, eventTable, rows)
}

// Range implements ports.EventStore.
func (e Events) Range(ctx context.Context, account string) (ports.EventRange, error) {
	found, err := all(ctx, e.store, scanCounter, selectCounter, storable(account))
	if err != nil || len(found) == 0 {
		return ports.EventRange{}, err
	}
	return found[0].EventRange, nil
}

// Events implements ports.EventStore.
func (e Events) Events(ctx context.Context, q ports.EventQuery) ([]core.Event, error) {
	query, args := selectEvents+` WHERE account = $1 AND number > $2`, []any{storable(q.Account), q.After, q.Limit}
	if q.Type != "" {
		query += ` AND type = $4`
		args = append(args, storable(string(q.Type)))
	}
	return all(ctx, e.store, scanEvent, query+` ORDER BY number LIMIT $3`, args...)
}

// Find implements ports.EventStore.
func (e Events) Find(ctx context.Context, account, id string) (core.Event, error) {
	found, err := all(ctx, e.store, scanEvent, selectEvents+` WHERE event_id = $1 AND account = $2`,
		storable(id), storable(account))
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.NotFound, "The account has no event with this ID")
	}
	if err != nil {
		return core.Event{}, err
	}
	return found[0], nil
}

const (
	pruneAccounts = 500 // whose events are pruned after one query
	pruneEvents   = 500 // per transaction
)

// Prune implements ports.EventStore, in short transactions.
func (e Events) Prune(ctx context.Context, before time.Time) (count int64, err error) {
	for last, more := "", true; more; {
		accounts, err := all(ctx, e.store, scanValue[string], `SELECT c.account FROM event_counters c
			JOIN events e ON e.account = c.account AND e.number = c.pruned + 1
			WHERE c.account > $1 AND e.updated_at < $2 ORDER BY c.account LIMIT $3`,
			last, before.UnixMicro(), pruneAccounts)
		if err != nil {
			return count, err
		}
		for _, account := range accounts {
			for removed := int64(1); removed > 0; count += removed {
				if removed, err = e.prune(ctx, account, before); err != nil {
					return count, err
				}
			}
			last = account
		}
		more = len(accounts) == pruneAccounts
	}
	return count, nil
}

// prune removes up to pruneEvents of the oldest events of an account. The locks on endpoints keep other writers of
// deliveries out.
func (e Events) prune(ctx context.Context, account string, before time.Time) (removed int64, err error) {
	err = e.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		//nolint:gosec // lockRows returns a constant of the database
		if _, err := tx.ExecContext(ctx, `SELECT name FROM webhook_endpoints WHERE account = $1 ORDER BY name`+
			e.store.lockRows(), account); err != nil {
			return err
		}
		stored, err := scanCounter(tx.QueryRowContext(ctx, selectCounter+e.store.lockRows(), account))
		if err != nil {
			return err
		}
		last := min(stored.Last, stored.Pruned+pruneEvents)
		err = tx.QueryRowContext(ctx, `SELECT COALESCE(min(number) - 1, $3) FROM events
			WHERE account = $1 AND number > $2 AND number <= $3 AND updated_at >= $4`,
			account, stored.Pruned, last, before.UnixMicro()).Scan(&last)
		if removed = last - stored.Pruned; err != nil || removed == 0 {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM webhook_deliveries WHERE account = $1 AND number <= $2 AND endpoint IN
				(SELECT name FROM webhook_endpoints WHERE account = $1)`,
			`DELETE FROM events WHERE account = $1 AND number <= $2`,
			`UPDATE event_counters SET pruned = $2 WHERE account = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, account, last); err != nil {
				return err
			}
		}
		return nil
	})
	return removed, err
}
