package history

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"causeway/core"
)

var errURL = errors.New("storage.url is not the URL of a PostgreSQL database; accepted: postgres://user:password@host:port/database")

// connectPostgres opens a database for database/sql, without asking it anything yet. It does so by the protocol alone: pgx's own driver brings the types
// of the whole server into the program, 3 MB of them, and here there are texts and whole numbers. The error shows no password.
func connectPostgres(address core.Secret) (*sql.DB, error) {
	place, err := parse(address)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(server{place}), nil
}

// CheckURL returns what is wrong with the address of a database, without asking anybody.
func CheckURL(address core.Secret) error {
	_, err := parse(address)
	return err
}

// parse reads an address. What is no URL would be read as a list of settings, and a database of this machine be meant.
func parse(address core.Secret) (*pgconn.Config, error) {
	text := address.Reveal()
	if !strings.HasPrefix(text, "postgres://") && !strings.HasPrefix(text, "postgresql://") {
		return nil, errURL
	}
	place, err := pgconn.ParseConfig(text)
	if err != nil {
		return nil, errURL // the driver's text may show the password
	}
	return place, nil
}

// server is where connections go to.
type server struct{ place *pgconn.Config }

// Connect opens a connection.
func (s server) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := pgconn.ConnectConfig(ctx, s.place)
	if err != nil {
		return nil, err
	}
	return connection{conn}, nil
}

// Driver is what database/sql asks for and does not use.
func (s server) Driver() driver.Driver { return nil }

// connection speaks text both ways: the server reads arguments as what they are compared with or stored in, database/sql reads what is asked for.
type connection struct{ *pgconn.PgConn }

var (
	_ driver.ExecerContext   = connection{}
	_ driver.QueryerContext  = connection{}
	_ driver.ConnBeginTx     = connection{}
	_ driver.SessionResetter = connection{}
	_ driver.Validator       = connection{}
)

// ExecContext runs one statement with arguments, or several without.
func (c connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 {
		return driver.ResultNoRows, c.Exec(ctx, query).Close()
	}
	done := c.ExecParams(ctx, query, texts(args), nil, nil, nil).Read()
	return driver.RowsAffected(done.CommandTag.RowsAffected()), done.Err
}

// QueryContext runs one statement and keeps what it yields.
func (c connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	done := c.ExecParams(ctx, query, texts(args), nil, nil, nil).Read()
	if done.Err != nil {
		return nil, done.Err
	}
	return &rows{done}, nil
}

// texts spells arguments; nothing is NULL.
func texts(args []driver.NamedValue) [][]byte {
	out := make([][]byte, len(args))
	for i, a := range args {
		if a.Value != nil {
			out[i] = fmt.Append(nil, a.Value)
		}
	}
	return out
}

type rows struct{ *pgconn.Result }

// Columns are the names of what was asked for.
func (r *rows) Columns() []string {
	names := make([]string, len(r.FieldDescriptions))
	for i, f := range r.FieldDescriptions {
		names[i] = f.Name
	}
	return names
}

// Next takes the next row.
func (r *rows) Next(dest []driver.Value) error {
	if len(r.Rows) == 0 {
		return io.EOF
	}
	for i, v := range r.Rows[0] {
		if dest[i] = nil; v != nil {
			dest[i] = string(v)
		}
	}
	r.Rows = r.Rows[1:]
	return nil
}

// Close has nothing to do: all rows are here.
func (r *rows) Close() error { return nil }

// BeginTx begins a transaction of the server's usual kind.
func (c connection) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	return c, c.Exec(ctx, "BEGIN").Close()
}

// Commit ends the transaction. What failed before has rolled it back already, which the server does not call an error.
func (c connection) Commit() error {
	ctx, done := context.WithTimeout(context.Background(), writeLimit)
	defer done()
	results, err := c.Exec(ctx, "COMMIT").ReadAll()
	if err == nil && len(results) == 1 && results[0].CommandTag.String() == "ROLLBACK" {
		err = errors.New("the transaction had failed before, and is rolled back")
	}
	return err
}

// Rollback gives the transaction up.
func (c connection) Rollback() error {
	ctx, done := context.WithTimeout(context.Background(), writeLimit)
	defer done()
	return c.Exec(ctx, "ROLLBACK").Close()
}

// ResetSession is asked before a connection is used again: one that the server has given up meanwhile is not.
func (c connection) ResetSession(ctx context.Context) error {
	if c.IsClosed() || c.TxStatus() != 'I' || c.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	return nil
}

// IsValid reports whether the connection is of further use.
func (c connection) IsValid() bool { return !c.IsClosed() }

// Close says goodbye.
func (c connection) Close() error {
	ctx, done := context.WithTimeout(context.Background(), writeLimit)
	defer done()
	return c.PgConn.Close(ctx)
}

var errUnused = errors.New("the history uses no such thing")

// Prepare is what database/sql would ask for if ExecContext and QueryContext were not there.
func (c connection) Prepare(string) (driver.Stmt, error) { return nil, errUnused }

// Begin is what database/sql would ask for if BeginTx were not there.
func (c connection) Begin() (driver.Tx, error) { return nil, errUnused }

// refuses reports whether a server answered that it does not take who asks, or what is asked, which waiting does not mend: the classes 28 (invalid
// authorization), 3D (no such database) and 42 (no such right, or table) of its codes.
func refuses(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.ContainsFunc([]string{"28", "3D", "42"}, func(class string) bool { return strings.HasPrefix(said.Code, class) })
}
