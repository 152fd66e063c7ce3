package history

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/ports"
)

// Write writes what is queued.
func Write(ctx context.Context, a *Archive) error { return a.write(ctx) }

// Break takes the database away.
func Break(a *Archive) { _ = a.store.close() }

// Mend brings it back.
func Mend(t *testing.T, a *Archive, path string) {
	t.Helper()
	var err error
	if a.store, err = openSQLite(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.store.close() })
}

// Tidied writes what is queued, forgets what is old, and counts what is left.
func Tidied(ctx context.Context, a *Archive) (fine, coarse int, err error) {
	if err = a.write(ctx); err == nil {
		err = a.tidy(ctx)
	}
	if err != nil {
		return 0, 0, err
	}
	return Points(ctx, a)
}

// Points counts what is in the database.
func Points(ctx context.Context, a *Archive) (fine, coarse int, err error) {
	fines, _, err := a.store.read(ctx, ports.FineStep, time.Time{}, a.clock())
	if err != nil {
		return 0, 0, err
	}
	coarses, _, err := a.store.read(ctx, ports.CoarseStep, time.Time{}, a.clock())
	return len(fines), len(coarses), err
}

// Kept reads a mid as the database has it.
func Kept(text string) (decimal.Decimal, bool) { return kept(text) }

// Integrity is what SQLite says of a file.
func Integrity(t *testing.T, path string) string {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var said string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&said); err != nil {
		t.Fatal(err)
	}
	return said
}
