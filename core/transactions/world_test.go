package transactions_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
)

const (
	bsc   = "BSC"
	usdt  = "0xusdt" // contract
	alice = "0xalice"
	bob   = "0xbob"
	pool  = "0xpool" // an address of ours that no user has
	other = "0xother"

	tampered = "tampered" // user of an address whose row is not to be trusted
)

var start = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// ledger is a network: its blocks from the height 1 on. It can be forked.
type ledger struct {
	mu     sync.Mutex
	blocks []core.Block
	forks  int
	clock  *time.Time
}

func (l *ledger) mine(transfers ...core.Transfer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	height, parent := int64(len(l.blocks)+1), "genesis"
	if height > 1 {
		parent = l.blocks[height-2].Hash
	}
	id := core.BlockID{Height: height, Hash: fmt.Sprintf("block-%d-%d", l.forks, height)}
	l.blocks = append(l.blocks, core.Block{BlockID: id, Parent: parent, Time: *l.clock, Transfers: transfers})
}

func (l *ledger) empty(n int) {
	for range n {
		l.mine()
	}
}

// fork removes the last blocks; later blocks differ.
func (l *ledger) fork(depth int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forks++
	l.blocks = slices.Clone(l.blocks[:len(l.blocks)-depth])
}

// node is a back end of a ledger.
type node struct {
	name   string
	ledger *ledger
	hangs  atomic.Bool
	slow   time.Duration // of a block

	mu       sync.Mutex
	behind   int                         // blocks that it does not show
	final    int64                       // height
	forked   bool                        // it calls another block final
	check    error                       // of Check
	failure  error                       // of all but Check
	edit     func(core.Block) core.Block // nil: it shows blocks as they are
	missing  map[int64]error             // by height
	checks   int
	requests []string
}

func (n *node) set(f func(*node)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f(n)
}

func (n *node) Name() string { return n.name }

func (n *node) Check(context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.checks++
	return n.check
}

func (n *node) Tip(ctx context.Context) (core.Tip, error) {
	if n.hangs.Load() {
		<-ctx.Done()
		return core.Tip{}, ctx.Err()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	if n.failure != nil {
		return core.Tip{}, n.failure
	}
	last := n.ledger.blocks[len(n.ledger.blocks)-1-n.behind]
	tip := core.Tip{BlockID: last.BlockID, Time: last.Time}
	if n.final > 0 {
		tip.Final = n.ledger.blocks[n.final-1].BlockID
	}
	if n.forked {
		tip.Final.Hash = "another fork"
	}
	return tip, nil
}

func (n *node) Block(_ context.Context, height int64) (core.Block, error) {
	time.Sleep(n.slow)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ledger.mu.Lock()
	defer n.ledger.mu.Unlock()
	n.requests = append(n.requests, fmt.Sprint(height))
	switch err := n.missing[height]; {
	case n.failure != nil:
		return core.Block{}, n.failure
	case err != nil:
		return core.Block{}, err
	case height > int64(len(n.ledger.blocks)-n.behind):
		return core.Block{}, ports.ErrNoBlock
	}
	b := n.ledger.blocks[height-1]
	if n.edit != nil {
		b = n.edit(b)
	}
	return b, nil
}

// owners are the users of addresses.
type owners map[string]string

func (o owners) Match(_ context.Context, _ string, addresses []core.DepositAddress) ([]core.DepositMatch, error) {
	if o[""] != "" {
		return nil, core.Errorf(core.Unavailable, "The database is away")
	}
	out := make([]core.DepositMatch, len(addresses))
	for i, a := range addresses {
		a.Address = core.Private(strings.ToLower(a.Address.Reveal()))
		switch user, ok := o[a.Address.Reveal()]; {
		case a.Address == pool && !ok:
			out[i] = core.DepositMatch{Ours: true, Reason: core.UnassignedAddress, Deposit: core.Deposit{DepositAddress: a}}
		case user == tampered:
			out[i] = core.DepositMatch{Ours: true, Reason: core.TamperedAddress, Deposit: core.Deposit{DepositAddress: a}}
		case ok:
			out[i] = core.DepositMatch{Ours: true, Deposit: core.Deposit{ID: "da", DepositAddress: a, User: person(user)}}
		}
	}
	return out, nil
}

func person(profile string) core.DepositUser {
	return core.DepositUser{Account: "account", Profile: core.Private(profile)}
}

// world is a service that reads a ledger, with what it reported.
type world struct {
	*transactions.Service

	ledger *ledger
	nodes  []*node
	owners owners
	store  ports.TransactionStore
	now    time.Time
	log    []string
	cfg    transactions.Config
}

// flaky is a store that fails commits.
type flaky struct {
	ports.TransactionStore

	fail func(batch ports.ChainBatch) error // before the commit
	lose func(batch ports.ChainBatch) error // after it
}

func (f *flaky) Commit(ctx context.Context, b ports.ChainBatch) error {
	if f.fail != nil {
		if err := f.fail(b); err != nil {
			return err
		}
	}
	err := f.TransactionStore.Commit(ctx, b)
	if err == nil && f.lose != nil {
		err = f.lose(b)
	}
	return err
}

func chain() core.Chain {
	return core.Chain{Network: bsc, BlockTime: time.Second, Confirmations: 3, Finality: true, Assets: []core.Asset{
		{Currency: "BNB", Decimals: 18}, {Currency: "USDT", Contract: usdt, Decimals: 18},
	}}
}

func newWorld(t *testing.T, backends int, options ...func(*transactions.Config)) *world {
	t.Helper()
	w := &world{now: start, owners: owners{alice: "alice", bob: "bob"}, store: memory.NewTransactions()}
	w.ledger = &ledger{clock: &w.now}
	w.ledger.empty(200)
	var list []ports.Chain
	for i := range backends {
		w.nodes = append(w.nodes, &node{name: fmt.Sprintf("evm-bsc-%d", i+1), ledger: w.ledger})
		list = append(list, w.nodes[i])
	}
	say := func(format string, args ...any) {
		w.log = append(w.log, fmt.Sprintf(format, args...))
		private(t, w.log[len(w.log)-1])
	}
	w.cfg = transactions.Config{
		Chains: []core.Chain{chain()}, Backends: map[string][]ports.Chain{bsc: list}, Store: w.store, Owners: w.owners,
		Clock: func() time.Time { return w.now }, Holder: "one", Serial: true,
		Events: transactions.Events{
			Unassigned:   func(_ string, reason core.Unassigned) { say("unassigned: %s", reason) },
			FoundLate:    func(_ string, _ int64, n int) { say("late %d", n) },
			Settled:      func(_ string, done, dropped int) { say("completed %d dropped %d", done, dropped) },
			Reorganized:  func(_ string, depth int64, n, back int) { say("reorganized %d: %d, %d back", depth, n, back) },
			Disagreement: func(_, name string, height int64) { say("%s differs at %d", name, height) },
			Stopped:      func(_, reason string) { say("stopped: %s", reason) },
			Backend:      func(name string, err error) { say("%s: %v", name, err) },
		},
	}
	for _, option := range options {
		option(&w.cfg)
	}
	w.Service = service(t, w.cfg)
	return w
}

func service(t *testing.T, cfg transactions.Config) *transactions.Service {
	t.Helper()
	s, err := transactions.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sync syncs and expects no error.
func (w *world) sync(t *testing.T) {
	t.Helper()
	if err := w.Sync(t.Context(), bsc); err != nil {
		t.Fatal(err)
	}
}

// fails syncs and expects an error.
func (w *world) fails(t *testing.T, want error) {
	t.Helper()
	err := w.Sync(t.Context(), bsc)
	if !errors.Is(err, want) {
		t.Fatalf("got %v, want %v", err, want)
	}
	private(t, err.Error())
}

// private expects that a text for the log has no address and no hash.
func private(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, "0x") || strings.Contains(text, "block-") {
		t.Errorf("%q discloses an address or a hash", text)
	}
}

// missing makes all back ends fail for a block.
func (w *world) missing(height int64, err error) {
	for _, n := range w.nodes {
		n.set(func(n *node) { n.missing = map[int64]error{height: err} })
	}
}

// mine adds blocks and syncs.
func (w *world) mine(t *testing.T, n int) {
	t.Helper()
	w.ledger.empty(n)
	w.sync(t)
}

// pays is a transfer of USDT.
func pays(hash string, index int64, address string, amount int64) core.Transfer {
	return core.Transfer{
		Hash: hash, Index: index, Contract: usdt, Address: core.Private(address),
		Units: decimal.New(amount, 18),
	}
}

// brief describes the transactions of a user: hash, status, reason, revision and height.
func (w *world) brief(t *testing.T, profile string) string {
	t.Helper()
	page, err := w.List(t.Context(), transactions.Query{User: person(profile), Oldest: true, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, i := range page.Items {
		out = append(out, strings.Join(strings.Fields(fmt.Sprintf("%s#%d %s %s r%d @%d",
			i.Hash, i.Index, i.Status, i.Reason, i.Revision, i.Block.Height)), " "))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// balance returns the balances of a user: pending/available.
func (w *world) balance(t *testing.T, profile string) string {
	t.Helper()
	all, err := w.Balances(t.Context(), person(profile))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, b := range all {
		out = append(out, fmt.Sprintf("%s %s/%s", b.Currency, b.Pending, b.Available))
	}
	return strings.Join(out, ", ")
}

// expect compares what alice sees.
func (w *world) expect(t *testing.T, brief, balance string) {
	t.Helper()
	if got := w.brief(t, "alice"); got != brief {
		t.Errorf("got transactions %q, want %q", got, brief)
	}
	if got := w.balance(t, "alice"); got != balance {
		t.Errorf("got balance %q, want %q", got, balance)
	}
}

// logged compares and empties the log.
func (w *world) logged(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(w.log, want) {
		t.Errorf("got events %q, want %q", w.log, want)
	}
	w.log = nil
}

// problem returns the problem of the network.
func (w *world) problem(t *testing.T) string {
	t.Helper()
	all, err := w.Status(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d networks, %v", len(all), err)
	}
	late, err := w.Delayed(t.Context())
	if err != nil || (len(late) == 1) != (all[0].Problem != "") {
		t.Errorf("got delayed %v, %v for the problem %q", late, err, all[0].Problem)
	}
	return all[0].Problem
}

// state returns what is stored about the network.
func (w *world) state(t *testing.T) ports.ChainState {
	t.Helper()
	all, err := w.store.Chains(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("got %d networks, %v", len(all), err)
	}
	return all[0]
}

// onMain returns the sums of the transfers of the ledger by address, from a height on.
func (l *ledger) onMain(from int64) map[string]decimal.Decimal {
	sums, seen := map[string]decimal.Decimal{}, map[string]bool{}
	for _, b := range l.blocks[from-1:] {
		for _, t := range b.Transfers {
			if id := core.TransactionID(bsc, t.Hash, t.Index); !seen[id] {
				seen[id] = true
				sums[t.Address.Reveal()] = sums[t.Address.Reveal()].Add(t.Units.Shift(-18))
			}
		}
	}
	return maps.Clone(sums)
}
