package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"causeway/core"
)

var errDamaged = errors.New("the database is damaged")

// refusal is an error of ours, such as an unknown key. explain returns it as it is.
type refusal struct{ error }

func refuse(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// explain adds to an error of the database what to do. The error is core.Unavailable if waiting
// helps. Neither driver puts passwords or stored values into its messages.
func (s *Store) explain(err error) error {
	if err == nil || core.CodeOf(err) != core.Internal {
		return err
	}
	if refused, ok := errors.AsType[refusal](err); ok {
		return refused.error
	}
	if s.postgres {
		return explainPostgres(err)
	}
	return fmt.Errorf("%s: %w; %s", s.name, err, fileRemedy(err))
}

// fileRemedy says what to do about an error of SQLite or of the file system.
func fileRemedy(err error) string {
	switch codeOf(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_INTERRUPT:
		return "stop the process that keeps it locked, or check that its disk responds"
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return "make its directory and the files in it writable for the user that runs causeway"
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return "free space on its disk, and check the disk"
	}
	return "restore a backup, or move it away with its -wal and -shm files: " +
		"the next start creates an empty one, without API keys and deposit addresses"
}

// codeOf returns the primary result code of SQLite that describes an error:
// https://sqlite.org/rescode.html.
func codeOf(err error) int {
	const primary = 0xff // the other bits are details
	if reported, ok := errors.AsType[*sqlite.Error](err); ok {
		return reported.Code() & primary
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return sqlite3.SQLITE_CANTOPEN
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return sqlite3.SQLITE_BUSY
	}
	return sqlite3.SQLITE_CORRUPT
}

// explainPostgres adds what to do to an error of PostgreSQL.
// Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
func explainPostgres(err error) error {
	reported, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		const message = "PostgreSQL (storage.url) cannot be reached: check that it runs and that this machine may connect"
		return core.Errorf(core.Unavailable, message).With(err)
	}
	remedy := ""
	switch {
	case strings.HasPrefix(reported.Code, "28"):
		remedy = "correct the user and password in storage.url"
	case reported.Code == "3D000":
		remedy = "create the database, or correct its name in storage.url"
	case reported.Code == "42501":
		remedy = "grant the user of storage.url SELECT, INSERT, UPDATE and DELETE on the tables, " +
			"and for migrations CREATE on the schema"
	case reported.Code == "25006":
		remedy = "point storage.url to the primary server"
	case reported.Code == "53100":
		remedy = "free space on its disk"
	case strings.HasPrefix(reported.Code, "53"), strings.HasPrefix(reported.Code, "57"),
		strings.HasPrefix(reported.Code, "08"):
		return core.Errorf(core.Unavailable, "PostgreSQL (storage.url) is temporarily unavailable").With(err)
	default:
		remedy = "check its log, and that the schema belongs to this version of causeway"
	}
	return fmt.Errorf("PostgreSQL: %s (%s); %s", reported.Message, reported.Code, remedy)
}

func orNop(log *zap.Logger) *zap.Logger {
	if log == nil {
		return zap.NewNop()
	}
	return log
}

// outage counts failures, and logs the first of a series and its end.
type outage struct {
	log    *zap.Logger
	failed prometheus.Counter
	active bool
}

func (o *outage) observe(err error, message string) {
	switch {
	case err != nil:
		o.failed.Inc()
		if !o.active {
			o.log.Error(message, zap.Error(err))
		}
	case o.active:
		o.log.Info("the database is available again")
	}
	o.active = err != nil
}
