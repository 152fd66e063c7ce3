package storage

import (
	"context"
	"database/sql"
	"encoding/base64"
	"strconv"
	"time"

	"causeway/ports"
)

const lookupsKept = 25 * time.Hour

// Lookups is the table of sealed records of lookups. Every addition deletes records older than
// lookupsKept.
type Lookups struct{ store *Store }

var _ ports.LookupLog = Lookups{}

// Lookups returns the table of records of lookups.
func (s *Store) Lookups() Lookups { return Lookups{s} }

// Append implements ports.LookupLog. The lock on the row of the position makes additions wait for
// each other.
func (l Lookups) Append(ctx context.Context, record []byte) error {
	return l.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var position int64
		err := tx.QueryRowContext(ctx, `UPDATE lookup_log_position SET position = position + 1 RETURNING position`).
			Scan(&position)
		if err != nil {
			return err
		}
		now := time.Now()
		_, err = tx.ExecContext(ctx, `INSERT INTO lookup_log (position, at, record) VALUES ($1, $2, $3)`,
			position, now.UnixMicro(), base64.StdEncoding.EncodeToString(record))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM lookup_log WHERE at < $1`, now.Add(-lookupsKept).UnixMicro())
		return err
	})
}

// Read implements ports.LookupLog.
func (l Lookups) Read(ctx context.Context, after string) (page [][]byte, last string, err error) {
	position, _ := strconv.ParseInt(after, 10, 64) // empty: 0
	last = after
	page, err = all(ctx, l.store, func(row scanner) ([]byte, error) {
		var text string
		err := row.Scan(&last, &text)
		record, _ := base64.StdEncoding.DecodeString(text) // like a record of another key, a damaged one cannot be opened
		return record, err
	}, `SELECT position, record FROM lookup_log WHERE position > $1 ORDER BY position LIMIT $2`,
		position, ports.LookupPage)
	return page, last, err
}
