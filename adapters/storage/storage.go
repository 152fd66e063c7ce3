// Package storage keeps API keys, deposit addresses with their transactions and events, price history
// and a log of sealed account lookups in one SQL database: SQLite in a directory for a single machine,
// or PostgreSQL for several replicas.
//
// Durability: SQLite runs in WAL mode with synchronous=FULL, so a commit survives a killed process
// and a power cut. A revocation must not be lost, and the few writes per minute do not justify
// synchronous=NORMAL. Last-used times and price points are written in batches: a crash loses up to
// a minute of them.
//
// The SQL is the same for both databases: both drivers accept $1, $2, … as placeholders.
package storage

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"golang.org/x/sync/singleflight"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"causeway/core"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	fileName = "causeway.db"

	// No query takes longer than queryTimeout, and no connection attempt longer than connectTimeout.
	queryTimeout   = 15 * time.Second
	connectTimeout = 5 * time.Second
	idleTimeout    = 5 * time.Second // within a transaction, which PostgreSQL ends then

	// A file that other processes migrate at the same time is tried again after retryPause, until migrateTimeout.
	migrateTimeout = 5 * time.Second
	retryPause     = 20 * time.Millisecond

	// SQLite tries to obtain a lock again after 1, 2, 5 and 10 ms, and in the end every 100 ms (sqliteDefaultBusyCallback
	// in its main.c), so the writer that waits the longest is the least likely to obtain it. Queries therefore begin
	// anew after busyTimeout.
	busyTimeout = 20 * time.Millisecond

	// shutdownTimeout bounds the last write of a stopping process.
	shutdownTimeout = 2 * time.Second

	maxConns = 4

	// shrink returns at most so many pages of 4 KiB at a time, so that other writers do not wait for long.
	shrinkPages = 10_000
)

// Config says where the database is.
type Config struct {
	// URL is the postgres:// URL of a PostgreSQL database.
	URL core.Secret
	// Dir is the directory of the SQLite file causeway.db. It is used if URL is empty.
	Dir string
}

// Enabled reports whether a database is configured.
func (c Config) Enabled() bool { return c.URL != "" || c.Dir != "" }

// Check reports what is wrong with the configuration, without connecting.
func (c Config) Check() error {
	if c.URL == "" {
		return nil
	}
	_, err := parseURL(c.URL)
	return err
}

// Store is an open database. It is safe for concurrent use, also by several processes.
type Store struct {
	db       *sql.DB
	postgres bool
	name     string // for messages: the file, or PostgreSQL

	migrated  atomic.Bool
	migration singleflight.Group
	// lifetime returns a context that ends with Close, or after queryTimeout.
	lifetime func() (context.Context, context.CancelFunc)
	end      context.CancelFunc

	// writing holds a value while SQLite writes: goroutines wait here in order, and only one of them asks SQLite.
	writing chan struct{}
}

// Open opens the database and applies pending migrations. It creates a SQLite file that does not
// exist. A PostgreSQL server that cannot be reached is no error: until it can, every operation
// returns core.Unavailable. Other errors say what to do.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := connect(cfg)
	if err != nil {
		return nil, err
	}
	if err := s.migrate(ctx); err != nil && core.CodeOf(err) != core.Unavailable {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error {
	s.end()
	return s.db.Close()
}

// connect prepares the connection pool.
func connect(cfg Config) (*Store, error) {
	switch {
	case cfg.URL != "":
		parsed, err := parseURL(cfg.URL)
		if err != nil {
			return nil, err
		}
		// A ping before each use replaces connections that a restarted server has closed.
		ping := stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return true })
		// A process that is paused in a transaction keeps its locks, and the lease of a network, for this long only.
		idle := stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, fmt.Sprintf("SET idle_in_transaction_session_timeout = %d", idleTimeout.Milliseconds()))
			return err
		})
		return pooled(&Store{db: stdlib.OpenDB(*parsed, ping, idle), postgres: true, name: "PostgreSQL"}), nil
	case cfg.Dir != "":
		return openFile(filepath.Join(cfg.Dir, fileName))
	}
	return nil, errors.New("no database is configured: " +
		"set state.dir (CAUSEWAY_STATE__DIR) or storage.url (CAUSEWAY_STORAGE__URL)")
}

func pooled(s *Store) *Store {
	s.db.SetMaxOpenConns(maxConns)
	s.db.SetConnMaxIdleTime(time.Minute)
	lifetime, end := context.WithCancel(context.Background())
	s.end = end
	s.lifetime = func() (context.Context, context.CancelFunc) { return context.WithTimeout(lifetime, queryTimeout) }
	return s
}

// openFile opens a SQLite file, which only its owner can read.
func openFile(path string) (*Store, error) {
	const ownerOnly, ownerOnlyDir = 0o600, 0o700
	s := &Store{name: path, writing: make(chan struct{}, 1)}
	if err := os.MkdirAll(filepath.Dir(path), ownerOnlyDir); err != nil {
		return nil, s.explain(err)
	}
	// SQLite would make a file that everyone can read. An existing file must not be opened here,
	// because closing it again would drop the locks that SQLite has on it in this process.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, ownerOnly)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, s.explain(err)
	}
	s.db, err = sql.Open("sqlite", fileURL(path, url.Values{
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)", "synchronous(FULL)"},
		"_txlock": {"immediate"},
	}))
	if err != nil {
		return nil, s.explain(err)
	}
	return pooled(s), nil
}

func fileURL(path string, settings url.Values) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: settings.Encode()}
	return u.String()
}

// parseURL parses a PostgreSQL URL. The error does not contain the URL, because it has a password.
func parseURL(address core.Secret) (*pgx.ConnConfig, error) {
	text := address.Reveal()
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		parsed, err := pgx.ParseConfig(text)
		if err == nil {
			if parsed.ConnectTimeout == 0 {
				parsed.ConnectTimeout = connectTimeout
			}
			return parsed, nil
		}
	}
	return nil, errors.New("storage.url is not a PostgreSQL URL; accepted: postgres://user:password@host:port/database")
}

// migrate applies pending migrations once. Every operation calls it first, so that a server that is
// down at the start is used as soon as it is back. Operations share an attempt, which continues in
// the background when the deadline of an operation passes.
func (s *Store) migrate(ctx context.Context) error {
	if s.migrated.Load() {
		return nil
	}
	attempt := s.migration.DoChan("", func() (any, error) {
		ctx, cancel := s.lifetime()
		defer cancel()
		err := s.applyMigrations(ctx)
		s.migrated.Store(err == nil)
		return nil, err
	})
	select {
	case result := <-attempt:
		return s.explain(result.Err)
	case <-ctx.Done():
		return s.explain(ctx.Err())
	}
}

func (s *Store) applyMigrations(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	if s.postgres {
		// Replicas that start together migrate one after the other.
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, uint64(queryTimeout.Seconds())))
		if err != nil {
			return err
		}
		return up(ctx, goose.DialectPostgres, s.db, files, goose.WithSessionLocker(locker))
	}
	// Processes that create a file together disturb each other: SQLite refuses at once, whatever the
	// busy timeout, if two connections switch a file to WAL, and goose has no lock for SQLite.
	retry, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	for {
		if err = errors.Join(quickCheck(ctx, s.db), vacuumLater(ctx, s.db)); err == nil {
			err = up(ctx, goose.DialectSQLite3, s.db, files)
		}
		if !isConflict(err) {
			return err
		}
		select {
		case <-retry.Done():
			return err
		case <-time.After(retryPause):
		}
	}
}

// isConflict reports whether an error of SQLite may be due to another process that migrates.
func isConflict(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT:
		return true
	}
	return false
}

func up(ctx context.Context, dialect goose.Dialect, db *sql.DB, files fs.FS, options ...goose.ProviderOption) error {
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// quickCheck looks for damage in a SQLite file.
func quickCheck(ctx context.Context, db *sql.DB) error {
	var result string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return errDamaged
	}
	return nil
}

// vacuumLater prepares an empty SQLite file for shrink.
func vacuumLater(ctx context.Context, db *sql.DB) error {
	var tables int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&tables); err != nil || tables > 0 {
		return err
	}
	_, err := db.ExecContext(ctx, `PRAGMA auto_vacuum = INCREMENTAL; VACUUM`)
	return err
}

// query runs fn after pending migrations.
func (s *Store) query(ctx context.Context, fn func(ctx context.Context) error) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.try(ctx, fn)
}

// try runs fn with a deadline and explains its error. It runs fn again while another process has a lock that SQLite
// needs.
func (s *Store) try(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	for {
		err := fn(ctx)
		if s.postgres || ctx.Err() != nil || codeOf(err) != sqlite3.SQLITE_BUSY {
			return s.explain(err)
		}
	}
}

// update runs fn in a transaction.
func (s *Store) update(ctx context.Context, fn func(ctx context.Context, tx *sql.Tx) error) error {
	return s.query(ctx, func(ctx context.Context) error {
		if s.writing != nil {
			select {
			case s.writing <- struct{}{}:
				defer func() { <-s.writing }()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // does nothing after Commit
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return tx.Commit()
	})
}

// shrink returns free pages of a SQLite file to the file system. A file without incremental vacuum, of an earlier
// version, keeps them; see docs/operations.md.
func (s *Store) shrink(ctx context.Context) error {
	if s.postgres {
		return nil
	}
	return s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// Each step of this statement frees a page.
		_, err := collect(ctx, tx, func(scanner) (any, error) { return nil, nil },
			fmt.Sprintf(`PRAGMA incremental_vacuum(%d)`, shrinkPages))
		return err
	})
}
