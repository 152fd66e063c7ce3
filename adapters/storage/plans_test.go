package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"sync"
	"testing"

	"causeway/core"
	"causeway/ports"
)

// recorder hands out the connections of a database, and records their statements.
type recorder struct {
	db *sql.DB

	mu         sync.Mutex
	statements []statement
}

type statement struct {
	text string
	args []any
}

// recordPlans makes a store record its statements.
func recordPlans(t testing.TB, s *Store) *recorder {
	t.Helper()
	r := &recorder{db: s.db}
	s.db = sql.OpenDB(r)
	s.db.SetMaxOpenConns(maxConns)
	t.Cleanup(func() { _ = r.db.Close() })
	return r
}

// Connect implements driver.Connector.
func (r *recorder) Connect(ctx context.Context) (driver.Conn, error) {
	pooled, err := r.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := recordedConn{recorder: r, pooled: pooled}
	err = pooled.Raw(func(conn any) error { c.Conn = conn.(driver.Conn); return nil })
	return c, err
}

// Driver implements driver.Connector.
func (r *recorder) Driver() driver.Driver { return r.db.Driver() }

type recordedConn struct {
	driver.Conn

	recorder *recorder
	pooled   *sql.Conn
}

func (c recordedConn) record(text string, named []driver.NamedValue) {
	var args []any
	for _, arg := range named {
		args = append(args, arg.Value)
	}
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	c.recorder.statements = append(c.recorder.statements, statement{text, args})
}

func (c recordedConn) Close() error { return c.pooled.Close() }

func (c recordedConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, options)
}

func (c recordedConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	c.record(text, args)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, text, args)
}

func (c recordedConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	c.record(text, args)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
}

// plans returns the plans of the statements since the last call, each statement once.
func (r *recorder) plans(t testing.TB, postgres bool) (plans []string) {
	t.Helper()
	r.mu.Lock()
	statements := r.statements
	r.statements = nil
	r.mu.Unlock()
	explain, plan := `EXPLAIN QUERY PLAN `, func(row scanner) (text string, err error) {
		var ignored any
		return text, row.Scan(&ignored, &ignored, &ignored, &text)
	}
	if postgres {
		explain, plan = `EXPLAIN `, scanValue[string]
	}
	seen := map[string]bool{}
	for _, s := range statements {
		if seen[s.text] || strings.HasPrefix(s.text, "PRAGMA") {
			continue
		}
		seen[s.text] = true
		lines, err := collect(t.Context(), r.db, plan, explain+s.text, s.args...)
		if err != nil {
			t.Fatalf("%s: %v", s.text, err)
		}
		plans = append(plans, strings.Join(strings.Fields(s.text), " ")+"\n      "+strings.Join(lines, "\n      "))
	}
	return plans
}

// SQLite finds the pending deliveries of an endpoint by their index, however many are delivered.
func TestDeliveries_BacklogPlan(t *testing.T) {
	t.Parallel()
	store := open(t, backends()["SQLite"](t))
	recorder := recordPlans(t, store)
	execute(t, store, `INSERT INTO webhook_endpoints (name, account, position) VALUES ('e', 'a', 0)`)
	deliveries := store.Transactions().Deliveries()
	if _, err := deliveries.Backlog(t.Context(), ports.WebhookEndpoint{Name: "e", Account: "a"}); err != nil {
		t.Fatal(err)
	}
	if _, err := deliveries.Deliveries(t.Context(), ports.DeliveryQuery{Status: core.DeliveryPending, Limit: 1}); err != nil {
		t.Fatal(err)
	}
	for _, plan := range recorder.plans(t, false) {
		if strings.Contains(plan, "SCAN webhook_deliveries") || strings.Contains(plan, "sqlite_autoindex_webhook_deliveries") {
			t.Errorf("walks through all deliveries:\n%s", plan)
		}
	}
}
