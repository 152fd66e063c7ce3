package storage

import (
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
)

var (
	scaleSizes = flag.String("sizes", "1000,10000", "rows in BenchmarkScale; make scale takes up to a million")
	scalePlans = flag.Bool("plans", false, "print the plans of the statements in BenchmarkScale")
)

// scaleSet is a database of any size, and operations on it.
type scaleSet struct {
	name string
	fill func(b *testing.B, s *Store, n int)
	run  []scaleOperation
}

// scaleOperation is an operation and the exponent with which its cost may grow with the size: 0 or 1.
type scaleOperation struct {
	name  string
	shape float64
	run   func(ctx context.Context, s *Store, n int) error
}

// BenchmarkScale prints what operations cost in databases of several sizes, with the exponent of the growth from the
// smallest to the largest. An operation whose cost grows too fast fails.
func BenchmarkScale(b *testing.B) {
	var sizes []int
	for text := range strings.SplitSeq(*scaleSizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	for _, set := range scaleSets {
		for _, backend := range []string{"SQLite", "PostgreSQL"} {
			b.Run(set.name+"/"+backend, func(b *testing.B) {
				b.ReportMetric(0, "ns/op") // the table is the result
				set.scale(b, backend, sizes)
			})
		}
	}
}

// scale measures the operations and prints their table.
func (set scaleSet) scale(b *testing.B, backend string, sizes []int) {
	b.Helper()
	var stores []*Store
	for _, n := range sizes {
		store := open(b, backends()[backend](b))
		set.fill(b, store, n)
		if store.postgres { // PostgreSQL does so by itself, somewhat later
			if _, err := store.db.ExecContext(b.Context(), `VACUUM ANALYZE`); err != nil {
				b.Fatal(err)
			}
		}
		stores = append(stores, store)
	}
	fmt.Printf("\n%-48s%s exponent\n", set.name+", "+backend, columns(sizes, strconv.Itoa))
	for _, op := range set.run {
		took := make([]time.Duration, len(sizes))
		for tries := 2; tries > 0; tries-- { // another process may have been busy during the first one
			for i, n := range sizes {
				again := measure(b, func() error { return op.run(b.Context(), stores[i], n) })
				took[i] = min(again, cmp.Or(took[i], again))
			}
			if op.fault(took, sizes) == "" {
				break
			}
		}
		fmt.Printf("  %-46s%s %8.2f\n", op.name, columns(took, milliseconds), exponent(took, sizes))
		if fault := op.fault(took, sizes); fault != "" {
			b.Errorf("%s, %s, %s: %s", set.name, backend, op.name, fault)
		}
	}
	if last := len(sizes) - 1; *scalePlans {
		fmt.Println(strings.Join(set.plans(b, stores[last], sizes[last]), "\n"))
	}
}

// exponent returns the exponent of the growth from the first size to the last.
func exponent(took []time.Duration, sizes []int) float64 {
	last := len(sizes) - 1
	if last == 0 {
		return 0
	}
	return math.Log(float64(took[last])/float64(took[0])) / math.Log(float64(sizes[last])/float64(sizes[0]))
}

// fault says how much faster than its shape an operation grows; empty: it does not. The growth must be too fast from the
// smallest size to the largest and in the last step: one of them alone may be a cache that became too small.
func (op scaleOperation) fault(took []time.Duration, sizes []int) string {
	const tolerance, ofStep = 0.35, 0.5
	before, last := max(0, len(sizes)-2), len(sizes)-1
	step := exponent(took[before:], sizes[before:])
	if exponent(took, sizes) <= op.shape+tolerance || step <= op.shape+ofStep {
		return ""
	}
	allowed := math.Pow(float64(sizes[last])/float64(sizes[before]), op.shape+ofStep)
	return fmt.Sprintf("%s with %d rows is %.1f times %s with %d, at most %.1f is accepted; exponents %.2f and, from the "+
		"smallest size, %.2f; want about %.0f", milliseconds(took[last]), sizes[last],
		float64(took[last])/float64(took[before]), milliseconds(took[before]), sizes[before], allowed,
		step, exponent(took, sizes), op.shape)
}

func TestScaleOperation_Fault(t *testing.T) {
	t.Parallel()
	sizes := []int{1_000, 100_000, 1_000_000}
	for name, c := range map[string]struct {
		shape float64
		took  []time.Duration // in microseconds
		want  string
	}{
		"constant":               {0, []time.Duration{150, 50, 210}, ""},
		"linear":                 {1, []time.Duration{10_000, 1_575_000, 24_544_000}, ""},
		"a cache that is cold":   {1, []time.Duration{8_700, 813_000, 26_872_000}, ""},
		"constant became linear": {0, []time.Duration{150, 1_000, 10_000}, "10.00 ms with 1000000 rows is 10.0 times 1.00 ms with 100000, at most 3.2"},
		"linear became quadratic": {1, []time.Duration{1_000, 1_000_000, 100_000_000}, "at most 31.6 is accepted; exponents 2.00 and, from the " +
			"smallest size, 1.67; want about 1"},
	} {
		for i := range c.took {
			c.took[i] *= time.Microsecond
		}
		got := scaleOperation{shape: c.shape}.fault(c.took, sizes)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func milliseconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds()*1000, 'f', 2, 64) + " ms"
}

func columns[T any](values []T, format func(T) string) (text string) {
	for _, v := range values {
		text += fmt.Sprintf(" %14s", format(v))
	}
	return text
}

// measure returns the shortest time of several runs, which other processes disturbed least, without the first one unless
// it takes very long.
func measure(b *testing.B, run func() error) time.Duration {
	b.Helper()
	const least, enough, tooLong = 3, 300 * time.Millisecond, 5 * time.Second
	var times []time.Duration
	for began := time.Now(); len(times) <= least || time.Since(began) < enough; {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		if times = append(times, time.Since(start)); times[0] > tooLong {
			return times[0]
		}
	}
	return slices.Min(times[1:])
}

// plans returns the plans of the statements of all operations.
func (set scaleSet) plans(b *testing.B, s *Store, n int) (plans []string) {
	b.Helper()
	r := recordPlans(b, s)
	for _, op := range set.run {
		if err := op.run(b.Context(), s, n); err != nil {
			b.Fatal(err)
		}
		plans = append(plans, "  "+op.name+":\n    "+strings.Join(r.plans(b, s.postgres), "\n    "))
	}
	return plans
}

// bulk writes rows, without a transaction for each.
func bulk(b *testing.B, s *Store, into table, n int, row func(i int) []any) {
	b.Helper()
	var rows [][]any
	for i := range n {
		if rows = append(rows, row(i)); len(rows) < rowsPerStatement && i < n-1 {
			continue
		}
		err := s.update(b.Context(), func(ctx context.Context, tx *sql.Tx) error { return s.put(ctx, tx, into, rows) })
		if err != nil {
			b.Fatal(err)
		}
		rows = rows[:0]
	}
}

func keyID(i int) string { return fmt.Sprintf("%010d", i) }

func fillKeys(b *testing.B, s *Store, n int) {
	b.Helper()
	bulk(b, s, table{
		name: "api_keys", columns: "id, name, hash, scopes, rate_limit, created_at#, account",
	}, n, func(i int) []any {
		hash := hashOf(core.Secret(keyID(i)))
		return []any{keyID(i), "name", hash.hex(), "list-pairs,resolve-account", "600/m", int64(i), keyID(i)}
	})
}

const scaleWallet = "EVM"

func scaleAddress(i int) core.DepositAddress {
	return core.DepositAddress{Address: core.Private(fmt.Sprintf("0x%040x", i*7919))}
}

// fillDeposits assigns n addresses, to as many users or all to one.
func fillDeposits(b *testing.B, s *Store, n int, user func(i int) core.DepositUser) {
	b.Helper()
	deposits := sealed(s)
	if err := deposits.Confirm(b.Context(), core.DepositBinding{Wallet: scaleWallet, Fingerprint: "f", First: "0"}); err != nil {
		b.Fatal(err)
	}
	bulk(b, s, table{
		name:    "deposit_addresses",
		columns: "wallet, idx#, id, account, profile, address, memo, created_at#, replaced_at#, seal",
	}, n, func(i int) []any {
		row := depositRow{created: int64(i), Deposit: core.Deposit{
			Wallet: scaleWallet, Index: int64(i), ID: fmt.Sprint("da_", i), DepositAddress: scaleAddress(i), User: user(i),
		}}
		if i < n-1 && user(i) == user(i+1) {
			row.replaced = sql.NullInt64{Int64: int64(i + 1), Valid: true}
		}
		return []any{
			row.Wallet, row.Index, row.ID, row.User.Account, row.User.Profile.Reveal(), row.Address.Reveal(), "", row.created,
			row.replaced, deposits.seal(row.columns()),
		}
	})
	err := s.update(b.Context(), func(ctx context.Context, tx *sql.Tx) error {
		w, err := deposits.lockWallet(ctx, tx, scaleWallet)
		if err != nil {
			return err
		}
		w.Next, w.Assigned = int64(n), int64(n)
		return deposits.putWallet(ctx, tx, w)
	})
	if err != nil {
		b.Fatal(err)
	}
}

func scaleUser(i int) core.DepositUser {
	return core.DepositUser{Account: "a", Profile: core.Private(strconv.Itoa(i))}
}

var (
	theUser     = scaleUser(0)
	theEndpoint = ports.WebhookEndpoint{Name: "e", Account: theUser.Account}
)

// fillTransactions adds transactions of one user with their events, which were delivered except for the last ten.
func fillTransactions(b *testing.B, s *Store, n int) {
	b.Helper()
	made := func(i int) core.Transaction {
		return core.Transaction{
			ID: fmt.Sprint("tx_", i), Network: "BSC", Hash: strconv.Itoa(i), User: theUser, Address: scaleAddress(i),
			Currency: "USDT", Units: decimal.NewFromInt(1), Decimals: 18, Status: core.Completed, Revision: 1,
			Created: monday.Add(time.Duration(i) * time.Second), Updated: monday.Add(time.Duration(i) * time.Second),
		}
	}
	bulk(b, s, transactionTable, n, func(i int) []any { return transactionRow(made(i)) })
	bulk(b, s, eventTable, n, func(i int) []any {
		return eventRow(core.Event{Number: int64(i + 1), ID: fmt.Sprint("ev_", i), Type: "transaction.completed", Transaction: made(i)})
	})
	bulk(b, s, table{name: "webhook_deliveries", columns: "endpoint, account, number#, status, planned_at#, due_at#, tries#, problem"},
		n, func(i int) []any {
			status := core.DeliveryDelivered
			if i >= n-10 {
				status = core.DeliveryPending
			}
			return []any{theEndpoint.Name, theEndpoint.Account, int64(i + 1), string(status), int64(i), int64(i), int64(0), ""}
		})
	bulk(b, s, table{name: "event_counters", columns: "account, last#, pruned#"}, 1, func(int) []any {
		return []any{theUser.Account, int64(n), int64(0)}
	})
	bulk(b, s, table{name: "webhook_endpoints", columns: "name, account, position#"}, 1, func(int) []any {
		return []any{theEndpoint.Name, theEndpoint.Account, int64(n)}
	})
}

// of makes an operation of a call whose result does not matter.
func of[T any](call func(ctx context.Context, s *Store, n int) (T, error)) func(context.Context, *Store, int) error {
	return func(ctx context.Context, s *Store, n int) error {
		_, err := call(ctx, s, n)
		return err
	}
}

// page reads a page of the walk through all addresses.
func page(at func(n int) int64) func(context.Context, *Store, int) error {
	return of(func(ctx context.Context, s *Store, n int) ([]core.Deposit, error) {
		return sealed(s).selected(ctx, nextPage, scaleWallet, at(n), pageRows)
	})
}

var newUsers int // in BenchmarkScale

var scaleSets = []scaleSet{
	{"keys", fillKeys, []scaleOperation{
		{"load all keys", 1, func(ctx context.Context, s *Store, _ int) error {
			_, _, _, err := s.Keys().load(ctx, noRevision)
			return err
		}},
		{"load one changed key", 0, func(ctx context.Context, s *Store, _ int) error {
			if err := s.Keys().Revoke(ctx, keyID(0)); err != nil {
				return err
			}
			var revision int64
			if err := s.db.QueryRowContext(ctx, `SELECT revision FROM api_keys_revision`).Scan(&revision); err != nil {
				return err
			}
			_, _, _, err := s.Keys().load(ctx, revision-1)
			return err
		}},
		{"store the last use of all keys", 1, func(ctx context.Context, s *Store, n int) error {
			used, now := map[string]time.Time{}, time.Now()
			for i := range n {
				used[keyID(i)] = now
			}
			return s.Keys().setLastUsed(ctx, used)
		}},
	}},
	{"addresses", func(b *testing.B, s *Store, n int) { fillDeposits(b, s, n, scaleUser) }, []scaleOperation{
		{"address of a user", 0, of(func(ctx context.Context, s *Store, n int) ([]core.Deposit, error) {
			return sealed(s).List(ctx, scaleUser(n/2), 0)
		})},
		{"owner of an address", 0, of(func(ctx context.Context, s *Store, n int) (core.Deposit, error) {
			return sealed(s).Find(ctx, scaleWallet, scaleAddress(n/2))
		})},
		{"owners in a block of 3,000 transfers", 0, of(func(ctx context.Context, s *Store, n int) ([]core.Deposit, error) {
			var keys []ports.DepositKey
			for i := range 3_000 {
				keys = append(keys, ports.DepositKey{Wallet: scaleWallet, DepositAddress: scaleAddress(i * 7919 % (2 * n))})
			}
			return sealed(s).FindAll(ctx, keys)
		})},
		{"assign an address", 0, func(ctx context.Context, s *Store, n int) error {
			newUsers++
			_, _, err := sealed(s).Assign(ctx, ports.DepositRequest{
				User:    core.DepositUser{Account: "b", Profile: core.Private(strconv.Itoa(newUsers))},
				Binding: core.DepositBinding{Wallet: scaleWallet, Fingerprint: "f", First: "0"}, Now: monday, NewUsers: math.MaxInt64,
				Derive: func(index int64, _ core.Private) (core.DepositAddress, error) { return scaleAddress(int(index)), nil },
			})
			return err
		}},
		{"first page of 1,000 of the walk", 0, page(func(int) int64 { return -1 })},
		{"last page of 1,000 of the walk", 0, page(func(n int) int64 { return int64(n - pageRows - 1) })},
		{"walk through all", 1, func(ctx context.Context, s *Store, _ int) error {
			return sealed(s).Walk(ctx, func(core.Deposit) error { return nil })
		}},
		{"users with two current addresses", 1, of(func(ctx context.Context, s *Store, _ int) ([]core.Deposit, error) {
			return sealed(s).Doubles(ctx)
		})},
	}},
	{"replaced", func(b *testing.B, s *Store, n int) {
		fillDeposits(b, s, n, func(int) core.DepositUser { return theUser })
	}, []scaleOperation{
		{"current address of the user", 0, of(func(ctx context.Context, s *Store, _ int) ([]core.Deposit, error) {
			return sealed(s).List(ctx, theUser, 0)
		})},
		{"with 100 replaced ones", 0, of(func(ctx context.Context, s *Store, _ int) ([]core.Deposit, error) {
			return sealed(s).List(ctx, theUser, 100)
		})},
	}},
	{"transactions", fillTransactions, []scaleOperation{
		{"first page of transactions", 0, of(func(ctx context.Context, s *Store, _ int) ([]core.Transaction, error) {
			return s.Transactions().List(ctx, ports.TransactionQuery{User: theUser, Limit: 50})
		})},
		{"page of transactions in the middle", 0, of(func(ctx context.Context, s *Store, n int) ([]core.Transaction, error) {
			after := ports.TransactionPosition{Created: monday.Add(time.Duration(n/2) * time.Second), ID: "tx"}
			return s.Transactions().List(ctx, ports.TransactionQuery{User: theUser, After: after, Limit: 50})
		})},
		{"page of events in the middle", 0, of(func(ctx context.Context, s *Store, n int) ([]core.Event, error) {
			return s.Transactions().Events().Events(ctx, ports.EventQuery{Account: theUser.Account, After: int64(n / 2), Limit: 50})
		})},
		{"event by its ID", 0, of(func(ctx context.Context, s *Store, n int) (core.Event, error) {
			return s.Transactions().Events().Find(ctx, theUser.Account, fmt.Sprint("ev_", n/2))
		})},
		{"backlog of a webhook endpoint", 0, of(func(ctx context.Context, s *Store, _ int) (core.Backlog, error) {
			return s.Transactions().Deliveries().Backlog(ctx, theEndpoint)
		})},
		{"pending deliveries", 0, of(func(ctx context.Context, s *Store, _ int) ([]core.Delivery, error) {
			return s.Transactions().Deliveries().Deliveries(ctx, ports.DeliveryQuery{Status: core.DeliveryPending, Limit: 50})
		})},
		{"claim a delivery", 0, of(func(ctx context.Context, s *Store, _ int) ([]core.Delivery, error) {
			return s.Transactions().Deliveries().Claim(ctx, theEndpoint, time.Now(), time.Now(), 1)
		})},
	}},
}
