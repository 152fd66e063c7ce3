package history

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"causeway/core"
)

// Report is what is known of a database of the price history, without changing it.
type Report struct {
	Version    string // of the server
	Prepared   bool   // it has the table
	MayPrepare bool   // who asks may make it
	ReadOnly   bool   // nothing can be written
	Points     int64
	Newest     time.Time // zero: there is none
}

// InspectFile looks at a file. One that does not exist yet may be made.
func InspectFile(ctx context.Context, file string) (Report, error) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return Report{MayPrepare: true}, nil
	}
	settings := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}}
	place := url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: settings.Encode()}
	db, err := sql.Open("sqlite", place.String())
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = db.Close() }()
	var sound string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&sound); err != nil {
		return Report{}, err
	}
	if sound != "ok" {
		return Report{}, errors.New("the file is damaged: " + sound)
	}
	writable, err := os.OpenFile(file, os.O_WRONLY, 0) //nolint:gosec // the operator names the file
	out := Report{MayPrepare: true, ReadOnly: err != nil}
	if err == nil {
		_ = writable.Close()
	}
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'rate_points')`).Scan(&out.Prepared)
	if err != nil || !out.Prepared {
		return out, err
	}
	return out, out.count(ctx, db)
}

// InspectPostgres looks at a database. Its errors show neither the address nor the password.
func InspectPostgres(ctx context.Context, address core.Secret) (Report, error) {
	db, err := connectPostgres(address)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = db.Close() }()
	var out Report
	err = db.QueryRowContext(ctx, `SELECT current_setting('server_version'), to_regclass('rate_points') IS NOT NULL,
		coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'`).
		Scan(&out.Version, &out.Prepared, &out.MayPrepare, &out.ReadOnly)
	if err != nil {
		return Report{}, complaint(err)
	}
	if !out.Prepared {
		return out, nil
	}
	if err := inspectRights(ctx, db); err != nil {
		return Report{}, err
	}
	if err := out.count(ctx, db); err != nil {
		return Report{}, complaint(err)
	}
	return out, nil
}

// inspectRights looks whether the start, the writing and the tidying may do what they do with tables that are there.
func inspectRights(ctx context.Context, db *sql.DB) error {
	var noted, points, notes bool
	err := db.QueryRowContext(ctx, `SELECT to_regclass('goose_db_version') IS NOT NULL,
		has_table_privilege('rate_points', 'SELECT') AND has_table_privilege('rate_points', 'INSERT') AND has_table_privilege('rate_points', 'DELETE'),
		coalesce(has_table_privilege(to_regclass('goose_db_version'), 'SELECT'), false)`).Scan(&noted, &points, &notes)
	switch {
	case err != nil:
		return complaint(err)
	case !noted:
		return errors.New("it has a table rate_points without goose_db_version beside it, so the start would make both anew, and cannot")
	case !notes:
		return errors.New("the user may not read the table goose_db_version (SELECT)")
	case !points:
		return errors.New("the user may not read, write and tidy the table rate_points (SELECT, INSERT, DELETE)")
	}
	return nil
}

// count counts the points.
func (r *Report) count(ctx context.Context, db *sql.DB) error {
	var newest sql.NullInt64
	if err := db.QueryRowContext(ctx, `SELECT count(*), max(at) FROM rate_points`).Scan(&r.Points, &newest); err != nil {
		return err
	}
	if newest.Valid {
		r.Newest = time.Unix(newest.Int64, 0).UTC()
	}
	return nil
}

// complaint is an error in words of ours: the driver's shows the address, and the server's may show the user.
func complaint(err error) error {
	var dns interface{ Timeout() bool }
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch refused.Code {
		case "28P01", "28000":
			return errors.New("it does not take the user and password of storage.url")
		case "3D000":
			return errors.New("it has no database of that name")
		case "42501":
			return errors.New("the user lacks a right")
		case "57P03":
			return errors.New("it is starting up")
		}
		return errors.New("it refuses what it is asked (" + refused.Code + ")")
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("nobody listens there")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &dns) && dns.Timeout():
		return errors.New("it does not answer in time")
	}
	return errors.New("it cannot be reached, or is no PostgreSQL")
}
