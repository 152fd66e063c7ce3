package history

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"causeway/core"
)

//go:embed migrations
var migrations embed.FS

// store is a database of points: SQLite and PostgreSQL by the same SQL, but for their dialects.
type store struct {
	db *sql.DB
	dialect
}

// dialect is what SQLite and PostgreSQL say in different words.
type dialect struct {
	dir     string // of the migrations
	numbers bool   // parameters are $1, $2, … and not ?
	begin   string // what makes a transaction of migrations wait for that of another process; empty: every transaction waits
	noted   string // whether there is a table of the migrations that were run
}

const ownerOnly = 0o700 // of the directory that is made for a file

// openSQLite opens a file. Write-ahead logging survives the end of the process at any instant; at a power cut the last
// transactions may be missing, and nothing is broken (sqlite.org/wal.html, synchronous=NORMAL).
func openSQLite(ctx context.Context, file string) (store, error) {
	if err := os.MkdirAll(filepath.Dir(file), ownerOnly); err != nil {
		return store{}, err
	}
	settings := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(NORMAL)", "busy_timeout(5000)"}, "_txlock": {"immediate"}}
	place := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", place.String())
	if err != nil {
		return store{}, err
	}
	db.SetMaxOpenConns(1) // one writer
	return prepare(ctx, store{db, dialect{
		dir:   "migrations/sqlite",
		noted: `SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'goose_db_version')`,
	}})
}

// postgres is a store in PostgreSQL, of which nothing is asked yet.
func postgres(address core.Secret) (store, error) {
	db, err := connectPostgres(address)
	if err != nil {
		return store{}, err
	}
	const few = 2 // connections: one writes
	db.SetMaxOpenConns(few)
	return store{db, dialect{
		dir: "migrations/postgres", numbers: true,
		begin: `SELECT pg_advisory_xact_lock(hashtext('causeway rate_points'))`,
		noted: `SELECT to_regclass('goose_db_version') IS NOT NULL`,
	}}, nil
}

// prepare brings the database to the newest form.
func prepare(ctx context.Context, s store) (store, error) {
	if err := s.migrate(ctx); err != nil {
		return store{}, errors.Join(err, s.close())
	}
	return s, nil
}

// migrate runs the migrations that the database has not seen, each with a note of its number: all or none. Processes that start at once do
// it one after another. The table of notes is that of goose, which kept it first. It is made only where it is missing, so that who may not
// make tables can use a database that somebody else has prepared; what a newer release has added to it stays.
func (s store) migrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, s.dir+"/*.sql") // in their order
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing to do after Commit
	if s.begin != "" {
		if _, err := tx.ExecContext(ctx, s.begin); err != nil {
			return err
		}
	}
	newest, err := s.newestMigration(ctx, tx)
	if err != nil {
		return err
	}
	for _, file := range files {
		digits, _, _ := strings.Cut(path.Base(file), "_")
		number, err := strconv.Atoi(digits)
		if err != nil {
			return err
		}
		if number <= newest {
			continue
		}
		text, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("migration %s: %w", file, err)
		}
		if _, err := tx.ExecContext(ctx, s.query(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, TRUE)`), number); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// newestMigration is the number of the last migration that was run; 0 where none was.
func (s store) newestMigration(ctx context.Context, tx *sql.Tx) (int, error) {
	var noted bool
	if err := tx.QueryRowContext(ctx, s.noted).Scan(&noted); err != nil {
		return 0, err
	}
	if !noted {
		_, err := tx.ExecContext(ctx, `CREATE TABLE goose_db_version (version_id BIGINT PRIMARY KEY, is_applied BOOLEAN NOT NULL)`)
		return 0, err
	}
	var number int
	err := tx.QueryRowContext(ctx, `SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&number)
	return number, err
}

func (s store) close() error { return s.db.Close() }

// query spells the parameters as the database wants them.
func (s store) query(text string) string {
	if !s.numbers {
		return text
	}
	var out strings.Builder
	n := 0
	for _, r := range text {
		if r == '?' {
			n++
			fmt.Fprintf(&out, "$%d", n)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

const mostAtOnce = 200 // rows of a statement

// write adds points, all or none. A point that is there already stays.
func (s store) write(ctx context.Context, rows []row) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing to do after Commit
	for some := range slices.Chunk(rows, mostAtOnce) {
		values := strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?, ?), ", len(some)), ", ")
		args := make([]any, 0, 5*len(some))
		for _, r := range some {
			args = append(args, seconds(r.step), r.at.Unix(), r.pair.Base, r.pair.Counter, r.mid.String())
		}
		if _, err := tx.ExecContext(ctx, s.query(`INSERT INTO rate_points (step, at, base, counter, mid) VALUES `+values+` ON CONFLICT DO NOTHING`), args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// read returns the points of a step from one instant to another, oldest first, and how many there are besides whose mid is none.
func (s store) read(ctx context.Context, step time.Duration, since, until time.Time) (out []row, odd int, err error) {
	rows, err := s.db.QueryContext(ctx, s.query(`SELECT at, base, counter, mid FROM rate_points WHERE step = ? AND at BETWEEN ? AND ? ORDER BY at`),
		seconds(step), since.Unix(), until.Unix())
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var (
			at  int64
			mid string
			ok  bool
			r   = row{step: step}
		)
		if err := rows.Scan(&at, &r.pair.Base, &r.pair.Counter, &mid); err != nil {
			return nil, 0, err
		}
		if r.mid, ok = kept(mid); !ok {
			odd++
			continue
		}
		r.at = time.Unix(at, 0).UTC()
		out = append(out, r)
	}
	return out, odd, rows.Err()
}

const longest = 100 // characters of a mid: far more than any price has, and few enough to calculate with

// kept reads a mid as write spells it. Anybody may have changed it since: what is no plain decimal above 0, or has more digits than an int64 holds, is none.
func kept(text string) (decimal.Decimal, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	all := whole + fraction
	significant := strings.TrimRight(all, "0")
	coefficient, err := strconv.ParseInt(significant, 10, 64)
	if err != nil || coefficient <= 0 || len(text) > longest {
		return decimal.Zero, false
	}
	return decimal.New(coefficient, int32(len(all)-len(significant)-len(fraction))), true //nolint:gosec // at most longest
}

// newest is the instant of the latest point that is not after until; zero where there is none.
func (s store) newest(ctx context.Context, until time.Time) (time.Time, error) {
	var at sql.NullInt64
	if err := s.db.QueryRowContext(ctx, s.query(`SELECT max(at) FROM rate_points WHERE at <= ?`), until.Unix()).Scan(&at); err != nil || !at.Valid {
		return time.Time{}, err
	}
	return time.Unix(at.Int64, 0).UTC(), nil
}

// forget deletes the points of a step before an instant.
func (s store) forget(ctx context.Context, step time.Duration, before time.Time) error {
	_, err := s.db.ExecContext(ctx, s.query(`DELETE FROM rate_points WHERE step = ? AND at < ?`), seconds(step), before.Unix())
	return err
}
