package storage

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Deliveries are the tables of webhook endpoints and their deliveries.
//
// Plan, Settle and Replay lock the row of the endpoint first, so that none of them waits for another in a circle.
// Claim skips rows that are locked.
type Deliveries struct{ store *Store }

var _ ports.DeliveryStore = Deliveries{}

// Deliveries implements ports.TransactionStore.
func (t Transactions) Deliveries() ports.DeliveryStore { return Deliveries(t) }

// deliveriesPerWrite bounds the deliveries that a transaction plans or replays.
const deliveriesPerWrite = 1_000

const deliveryColumns = `endpoint, account, number, status, planned_at, due_at, tries, updated_at, problem`

func scanDelivery(row scanner) (d core.Delivery, err error) {
	err = row.Scan(&d.Endpoint, &d.Event.Transaction.User.Account, &d.Event.Number, &d.Status, (*timeColumn)(&d.Planned),
		(*timeColumn)(&d.Due), &d.Tries, (*timeColumn)(&d.Updated), &d.Problem)
	return d, err
}

// withEvents adds their events to deliveries of an account. One whose event was pruned meanwhile is left out.
func (d Deliveries) withEvents(
	ctx context.Context, from querier, account string, deliveries []core.Delivery,
) (found []core.Delivery, err error) {
	if len(deliveries) == 0 {
		return nil, nil
	}
	var numbers [][]any
	for _, delivery := range deliveries {
		numbers = append(numbers, []any{delivery.Event.Number})
	}
	events, err := collect(ctx, from, scanEvent, selectEvents+` WHERE account = $2 AND number IN
		(SELECT CAST(value->>0 AS BIGINT) FROM `+d.store.elements()+`)`, elements(numbers), account)
	if err != nil {
		return nil, err
	}
	byNumber := map[int64]core.Event{}
	for _, e := range events {
		byNumber[e.Number] = e
	}
	for _, delivery := range deliveries {
		if e, ok := byNumber[delivery.Event.Number]; ok {
			delivery.Event = e
			found = append(found, delivery)
		}
	}
	return found, nil
}

// receives returns the condition on events that an endpoint receives, and its arguments, which follow n others.
func receives(endpoint ports.WebhookEndpoint, n int) (condition string, args []any) {
	if len(endpoint.Types) == 0 {
		return "", nil
	}
	var places []string
	for i, t := range endpoint.Types {
		places = append(places, fmt.Sprint("$", n+i+1))
		args = append(args, storable(string(t)))
	}
	return ` AND type IN (` + strings.Join(places, ", ") + `)`, args
}

// lock locks the row of an endpoint and returns the number of the last event that was planned, or sql.ErrNoRows.
func (d Deliveries) lock(ctx context.Context, tx *sql.Tx, endpoint ports.WebhookEndpoint) (position int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT position FROM webhook_endpoints WHERE name = $1 AND account = $2`+
		d.store.lockRows(), endpoint.Name, endpoint.Account).Scan(&position)
	return position, err
}

// Plan implements ports.DeliveryStore. It writes nothing if there are no new events.
func (d Deliveries) Plan(ctx context.Context, endpoint ports.WebhookEndpoint, now time.Time) (added int, err error) {
	idle, err := all(ctx, d.store, scanValue[int64], `SELECT position FROM webhook_endpoints
		WHERE name = $1 AND account = $2
			AND position >= COALESCE((SELECT last FROM event_counters WHERE account = $2), 0)`,
		endpoint.Name, endpoint.Account)
	if err != nil || len(idle) > 0 {
		return 0, err
	}
	err = d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		added, err = d.plan(ctx, tx, endpoint, now)
		return err
	})
	return added, err
}

func (d Deliveries) plan(
	ctx context.Context, tx *sql.Tx, endpoint ports.WebhookEndpoint, now time.Time,
) (added int, err error) {
	position, err := d.lock(ctx, tx, endpoint)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = tx.ExecContext(ctx, `INSERT INTO webhook_endpoints (name, account, position) VALUES ($1, $2,
			COALESCE((SELECT last FROM event_counters WHERE account = $2), 0)) ON CONFLICT DO NOTHING`,
			endpoint.Name, endpoint.Account)
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	var last int64
	err = tx.QueryRowContext(ctx, `SELECT COALESCE(max(last), 0) FROM event_counters WHERE account = $1`,
		endpoint.Account).Scan(&last)
	if err != nil || last <= position {
		return 0, err
	}
	args := []any{endpoint.Name, endpoint.Account, position, last, now.UnixMicro(), deliveriesPerWrite}
	types, more := receives(endpoint, len(args))
	numbers, err := collect(ctx, tx, scanValue[int64], `INSERT INTO webhook_deliveries (`+deliveryColumns+`)
		SELECT $1, account, number, 'pending', CAST($5 AS BIGINT), CAST($5 AS BIGINT), 0, NULL, '' FROM events
		WHERE account = $2 AND number > $3 AND number <= $4`+types+` ORDER BY number LIMIT $6 RETURNING number`,
		append(args, more...)...)
	if err != nil {
		return 0, err
	}
	if len(numbers) == deliveriesPerWrite {
		last = slices.Max(numbers)
	}
	_, err = tx.ExecContext(ctx, `UPDATE webhook_endpoints SET position = $3 WHERE name = $1 AND account = $2`,
		endpoint.Name, endpoint.Account, last)
	return len(numbers), err
}

// Claim implements ports.DeliveryStore.
func (d Deliveries) Claim(
	ctx context.Context, endpoint ports.WebhookEndpoint, now, until time.Time, limit int,
) (claimed []core.Delivery, err error) {
	skip := ""
	if d.store.postgres {
		skip = ` FOR UPDATE SKIP LOCKED`
	}
	err = d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		claimed, err = collect(ctx, tx, scanDelivery, `WITH due AS MATERIALIZED (
				SELECT number AS due_number FROM webhook_deliveries
				WHERE endpoint = $1 AND account = $2 AND status = 'pending' AND due_at <= $3
				ORDER BY due_at, number LIMIT $5`+skip+`)
			UPDATE webhook_deliveries SET due_at = $4, tries = tries + 1 FROM due
			WHERE endpoint = $1 AND account = $2 AND number = due_number RETURNING `+deliveryColumns,
			endpoint.Name, endpoint.Account, now.UnixMicro(), until.UnixMicro(), limit)
		if err != nil {
			return err
		}
		slices.SortFunc(claimed, func(a, b core.Delivery) int { return cmp.Compare(a.Event.Number, b.Event.Number) })
		claimed, err = d.withEvents(ctx, tx, endpoint.Account, claimed)
		return err
	})
	return claimed, err
}

// Next implements ports.DeliveryStore.
func (d Deliveries) Next(ctx context.Context, endpoint ports.WebhookEndpoint) (time.Time, error) {
	next, err := all(ctx, d.store, scanValue[timeColumn], `SELECT min(due_at) FROM webhook_deliveries
		WHERE endpoint = $1 AND account = $2 AND status = 'pending'`, endpoint.Name, endpoint.Account)
	if err != nil {
		return time.Time{}, err
	}
	return time.Time(next[0]), nil
}

// Settle implements ports.DeliveryStore. Together, planned_at and tries identify a claim. With a condition on the
// status, PostgreSQL would read the index of pending deliveries, all of the endpoint for each row.
func (d Deliveries) Settle(ctx context.Context, deliveries []core.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	var rows [][]any
	for _, s := range deliveries {
		rows = append(rows, []any{
			s.Endpoint, s.Event.Transaction.User.Account, s.Event.Number, s.Planned.UnixMicro(), s.Tries, string(s.Status),
			s.Due.UnixMicro(), toMicros(s.Updated), s.Problem,
		})
	}
	settled := elements(rows)
	return d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		//nolint:gosec // elements returns a constant of the database
		lock := `SELECT position FROM webhook_endpoints WHERE (name, account) IN
			(SELECT value->>0, value->>1 FROM ` + d.store.elements() + `) ORDER BY name, account` + d.store.lockRows()
		if _, err := tx.ExecContext(ctx, lock, settled); err != nil {
			return err
		}
		//nolint:gosec // elements returns a constant of the database
		_, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET status = value->>5,
				due_at = CAST(value->>6 AS BIGINT), updated_at = CAST(value->>7 AS BIGINT), problem = value->>8
			FROM `+d.store.elements()+` WHERE endpoint = value->>0 AND account = value->>1
				AND number = CAST(value->>2 AS BIGINT) AND planned_at = CAST(value->>3 AS BIGINT)
				AND tries = CAST(value->>4 AS BIGINT)`, settled)
		return err
	})
}

// Replay implements ports.DeliveryStore, in short transactions.
func (d Deliveries) Replay(
	ctx context.Context, endpoint ports.WebhookEndpoint, since, now time.Time,
) (replayed int64, err error) {
	for added := 1; added > 0; {
		if added, err = d.Plan(ctx, endpoint, now); err != nil {
			return 0, err
		}
	}
	bounds, err := all(ctx, d.store, scanCounter, `SELECT $1, COALESCE(max(number), 0), COALESCE(min(number) - 1, 0)
		FROM events WHERE account = $1 AND updated_at >= $2 AND number <=
			(SELECT position FROM webhook_endpoints WHERE name = $3 AND account = $1)`,
		endpoint.Account, since.UnixMicro(), endpoint.Name)
	if err != nil {
		return 0, err
	}
	for from := bounds[0].Pruned; from < bounds[0].Last; from += deliveriesPerWrite {
		args := []any{
			endpoint.Name, endpoint.Account, from, min(from+deliveriesPerWrite, bounds[0].Last), now.UnixMicro(),
			since.UnixMicro(),
		}
		types, more := receives(endpoint, len(args))
		err := d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
			if _, err := d.lock(ctx, tx, endpoint); err != nil {
				return err
			}
			//nolint:gosec // constants, and placeholders of the types
			result, err := tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (`+deliveryColumns+`)
				SELECT $1, account, number, 'pending', CAST($5 AS BIGINT), CAST($5 AS BIGINT), 0, NULL, '' FROM events
				WHERE account = $2 AND number > $3 AND number <= $4 AND updated_at >= $6`+types+`
				ON CONFLICT (endpoint, account, number) DO UPDATE SET status = excluded.status, due_at = excluded.due_at,
					tries = excluded.tries, updated_at = excluded.updated_at, problem = excluded.problem,
					planned_at = CASE WHEN webhook_deliveries.planned_at < excluded.planned_at THEN excluded.planned_at
						ELSE webhook_deliveries.planned_at + 1 END`, append(args, more...)...)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			replayed += n
			return err
		})
		if err != nil {
			return replayed, err
		}
	}
	return replayed, nil
}

// Deliveries implements ports.DeliveryStore.
func (d Deliveries) Deliveries(ctx context.Context, q ports.DeliveryQuery) (found []core.Delivery, err error) {
	statuses := []core.DeliveryStatus{"", core.DeliveryPending, core.DeliveryDelivered, core.DeliveryExpired}
	if !slices.Contains(statuses, q.Status) {
		return nil, nil
	}
	query, order := `SELECT `+deliveryColumns+` FROM webhook_deliveries WHERE endpoint = $1 AND account = $2`, `number`
	if q.Status != "" {
		query += ` AND status = '` + string(q.Status) + `'` // a constant, so that the database can use partial indexes
	}
	if q.Status == core.DeliveryPending {
		order = `+number` // see Backlog
	}
	endpoints, err := d.endpoints(ctx, q.Endpoint)
	if err != nil {
		return nil, err
	}
	for _, endpoint := range endpoints {
		err := d.store.query(ctx, func(ctx context.Context) error {
			deliveries, err := collect(ctx, d.store.db, scanDelivery, query+` ORDER BY `+order+` DESC LIMIT $3`,
				endpoint.Name, endpoint.Account, q.Limit)
			if err != nil {
				return err
			}
			deliveries, err = d.withEvents(ctx, d.store.db, endpoint.Account, deliveries)
			found = append(found, deliveries...)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, newestFirst)
	return found[:min(q.Limit, len(found))], nil
}

// endpoints returns the endpoints with a name, or all of them.
func (d Deliveries) endpoints(ctx context.Context, name string) ([]ports.WebhookEndpoint, error) {
	query, args := `SELECT name, account FROM webhook_endpoints`, []any(nil)
	if name != "" {
		query, args = query+` WHERE name = $1`, []any{storable(name)}
	}
	return all(ctx, d.store, func(row scanner) (e ports.WebhookEndpoint, err error) {
		err = row.Scan(&e.Name, &e.Account)
		return e, err
	}, query, args...)
}

// newestFirst compares deliveries by the time of their events.
func newestFirst(a, b core.Delivery) int {
	return cmp.Or(b.Event.Transaction.Updated.Compare(a.Event.Transaction.Updated),
		cmp.Compare(b.Event.Number, a.Event.Number), strings.Compare(a.Endpoint, b.Endpoint),
		strings.Compare(a.Event.Transaction.User.Account, b.Event.Transaction.User.Account))
}

// Backlog implements ports.DeliveryStore. The expression +number and the condition on due_at keep SQLite from walking
// through all deliveries to the pending ones.
func (d Deliveries) Backlog(ctx context.Context, endpoint ports.WebhookEndpoint) (core.Backlog, error) {
	backlog, err := all(ctx, d.store, func(row scanner) (b core.Backlog, err error) {
		err = row.Scan(&b.Pending, (*timeColumn)(&b.Oldest), &b.Expired, &b.Problem)
		return b, err
	}, `SELECT
		(SELECT count(*) FROM webhook_deliveries WHERE endpoint = $1 AND account = $2 AND status = 'pending'),
		(SELECT updated_at FROM events WHERE account = $2 AND number = (SELECT min(+number) FROM webhook_deliveries
			WHERE endpoint = $1 AND account = $2 AND status = 'pending')),
		(SELECT count(*) FROM webhook_deliveries WHERE endpoint = $1 AND account = $2 AND status = 'expired'),
		COALESCE((SELECT problem FROM webhook_deliveries
			WHERE endpoint = $1 AND account = $2 AND status = 'pending' AND due_at >= 0 AND problem <> ''
			ORDER BY updated_at DESC, number DESC LIMIT 1), '')`,
		endpoint.Name, endpoint.Account)
	if err != nil {
		return core.Backlog{}, err
	}
	return backlog[0], nil
}
