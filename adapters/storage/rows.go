package storage

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// rowsPerStatement bounds the rows that a statement looks up or writes.
const rowsPerStatement = 5_000

// elements is the table, with the column value, of the elements of the JSON array $1. It has any
// number of rows, while a statement has at most 32,766 variables in SQLite.
func (s *Store) elements() string {
	if s.postgres {
		return `jsonb_array_elements($1::jsonb)`
	}
	return `json_each($1)`
}

// lockRows ends a query whose rows are locked, in the order of the query. A transaction of SQLite locks everything.
func (s *Store) lockRows() string {
	if s.postgres {
		return ` FOR UPDATE`
	}
	return ""
}

// storable replaces what PostgreSQL refuses in a text: NUL and invalid UTF-8.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// elements encodes rows of texts and integers as the JSON array of a statement.
func elements(rows [][]any) string {
	for _, row := range rows {
		for i, column := range row {
			switch column := column.(type) {
			case string:
				row[i] = storable(column)
			case sql.NullInt64:
				row[i], _ = column.Value() // nil or an integer
			}
		}
	}
	encoded, _ := json.Marshal(rows) // cannot fail: texts, integers and nil
	return string(encoded)
}

// table is a table that rows are written to.
type table struct {
	name    string
	columns string // with # after the names of integers
	key     string // columns of the rows that are replaced; empty: none are
	keep    bool   // rows that the table has stay as they are
}

// query is a query of all columns.
func (t table) query() string {
	return `SELECT ` + strings.ReplaceAll(t.columns, "#", "") + ` FROM ` + t.name
}

// put writes rows. Rows with a known key are replaced, kept, or an error, as the table says.
func (s *Store) put(ctx context.Context, tx *sql.Tx, to table, rows [][]any) error {
	names := strings.Split(to.columns, ", ")
	values, changes := make([]string, len(names)), make([]string, len(names))
	for i, name := range names {
		values[i] = fmt.Sprint("value->>", i)
		if integer, ok := strings.CutSuffix(name, "#"); ok {
			names[i], values[i] = integer, "CAST("+values[i]+" AS BIGINT)"
		}
		changes[i] = names[i] + " = excluded." + names[i]
	}
	//nolint:gosec // names of our tables and columns
	statement := `INSERT INTO ` + to.name + ` (` + strings.Join(names, ", ") + `) SELECT ` + strings.Join(values, ", ") +
		` FROM ` + s.elements() + ` WHERE true`
	switch {
	case to.keep:
		statement += ` ON CONFLICT DO NOTHING`
	case to.key != "":
		statement += ` ON CONFLICT (` + to.key + `) DO UPDATE SET ` + strings.Join(changes, ", ")
	}
	for chunk := range slices.Chunk(rows, rowsPerStatement) {
		if _, err := tx.ExecContext(ctx, statement, elements(chunk)); err != nil {
			return err
		}
	}
	return nil
}

// scanner is a row, or the rows of a query.
type scanner interface{ Scan(columns ...any) error }

// scanValue scans the only column of a row.
func scanValue[T any](row scanner) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// timeColumn scans a column of microseconds since 1970. NULL is the zero time.
type timeColumn time.Time

// Scan implements sql.Scanner.
func (t *timeColumn) Scan(value any) error {
	var micros sql.NullInt64
	err := micros.Scan(value)
	*t = timeColumn(fromMicros(micros))
	return err
}

func toMicros(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMicro(), Valid: !t.IsZero()}
}

func fromMicros(t sql.NullInt64) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return time.UnixMicro(t.Int64).UTC()
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// all returns the rows of a query.
func all[T any](
	ctx context.Context, s *Store, scan func(scanner) (T, error), query string, args ...any,
) (found []T, err error) {
	err = s.query(ctx, func(ctx context.Context) error {
		found, err = collect(ctx, s.db, scan, query, args...)
		return err
	})
	return found, err
}

// collect returns the rows of a query, also in a transaction.
func collect[T any](
	ctx context.Context, from querier, scan func(scanner) (T, error), query string, args ...any,
) (found []T, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return found, nil
}
