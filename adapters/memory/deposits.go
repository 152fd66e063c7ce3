package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"causeway/core"
	"causeway/ports"
)

// Deposits keeps deposit addresses in memory, for a simulated world.
type Deposits struct {
	clock core.Clock

	mu       sync.Mutex
	wallets  map[string]*depositWallet
	newUsers map[accountDay]int64
	users    map[core.DepositUser]map[string][]int // positions in the wallets of a user, by wallet
}

type accountDay struct {
	account string
	day     int64
}

// depositWallet holds the assignments of a wallet in the order of their indexes.
type depositWallet struct {
	core.DepositWallet

	deposits  []storedDeposit
	addresses map[core.DepositAddress]int // positions in deposits
	indexes   map[int64]int               // positions in deposits
	pool      []core.Private
	pooled    map[core.Private]int64 // indexes
}

type storedDeposit struct {
	core.Deposit

	key core.Private
}

var _ ports.DepositStore = (*Deposits)(nil)

// NewDeposits returns an empty store. The clock dates confirmations.
func NewDeposits(clock core.Clock) *Deposits {
	return &Deposits{
		clock: clock, wallets: map[string]*depositWallet{}, newUsers: map[accountDay]int64{},
		users: map[core.DepositUser]map[string][]int{},
	}
}

// Clone returns a copy of the store, for a fork of the world with another clock.
func (d *Deposits) Clone(clock core.Clock) *Deposits {
	d.mu.Lock()
	defer d.mu.Unlock()
	clone := NewDeposits(clock)
	clone.newUsers = maps.Clone(d.newUsers)
	for name, w := range d.wallets {
		clone.wallets[name] = &depositWallet{
			w.DepositWallet, slices.Clone(w.deposits), maps.Clone(w.addresses), maps.Clone(w.indexes), slices.Clone(w.pool),
			maps.Clone(w.pooled),
		}
	}
	for user, positions := range d.users {
		clone.users[user] = map[string][]int{}
		for wallet, all := range positions {
			clone.users[user][wallet] = slices.Clone(all)
		}
	}
	return clone
}

// Assign implements ports.DepositStore.
func (d *Deposits) Assign(ctx context.Context, r ports.DepositRequest) (core.Deposit, bool, error) {
	if err := ctx.Err(); err != nil {
		return core.Deposit{}, false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wallet(r.Binding.Wallet)
	if err := r.Check(w.DepositWallet); err != nil {
		return core.Deposit{}, false, err
	}
	owned := d.users[r.User][r.Binding.Wallet] // the last one is the current address
	for _, at := range owned {
		if s := w.deposits[at]; !r.Renew && s.Replaced.IsZero() || r.Renew && r.Key != "" && s.key == r.Key {
			return s.Deposit, false, nil
		}
	}
	today, known := accountDay{r.User.Account, r.Day()}, d.users[r.User] != nil
	if !known && r.NewUsers > 0 && d.newUsers[today] >= r.NewUsers {
		return core.Deposit{}, false, ports.ErrQuota
	}
	imported := core.Private("")
	if w.Next < int64(len(w.pool)) {
		imported = w.pool[w.Next]
	}
	address, err := r.Derive(w.Next, imported)
	if err != nil {
		return core.Deposit{}, false, err
	}
	made := storedDeposit{Deposit: r.Deposit(w.Next, imported, address)}
	if r.Renew {
		made.key = r.Key
	}
	if len(owned) > 0 {
		w.deposits[owned[len(owned)-1]].Replaced = made.Created
	}
	if !known {
		d.newUsers[today]++
		d.users[r.User] = map[string][]int{}
	}
	at := len(w.deposits)
	d.users[r.User][r.Binding.Wallet] = append(owned, at)
	w.addresses[made.DepositAddress], w.indexes[made.Index] = at, at
	w.deposits = append(w.deposits, made)
	w.Next++
	w.Assigned++
	return made.Deposit, true, nil
}

// List implements ports.DepositStore.
func (d *Deposits) List(ctx context.Context, user core.DepositUser, previous int) (list []core.Deposit, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	owned := d.users[user]
	for _, wallet := range slices.Sorted(maps.Keys(owned)) {
		all := owned[wallet]
		for _, at := range all[max(0, len(all)-1-previous):] {
			list = append(list, d.wallets[wallet].deposits[at].Deposit)
		}
	}
	return list, ctx.Err()
}

// Find implements ports.DepositStore.
func (d *Deposits) Find(ctx context.Context, wallet string, a core.DepositAddress) (core.Deposit, error) {
	found, err := d.FindAll(ctx, []ports.DepositKey{{DepositAddress: a, Wallet: wallet}})
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.NotFound, "No user has this deposit address")
	}
	if err != nil {
		return core.Deposit{}, err
	}
	return found[0], nil
}

// FindAll implements ports.DepositStore.
func (d *Deposits) FindAll(ctx context.Context, keys []ports.DepositKey) (found []core.Deposit, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	seen := map[ports.DepositKey]bool{}
	find := func(key ports.DepositKey) {
		if w := d.wallets[key.Wallet]; w != nil && !seen[key] {
			seen[key] = true
			if at, ok := w.addresses[key.DepositAddress]; ok {
				found = append(found, w.deposits[at].Deposit)
			}
		}
	}
	for _, key := range keys {
		find(key)
		key.Memo = "" // an address that was assigned without a memo is found with any
		find(key)
	}
	return found, ctx.Err()
}

// Pooled implements ports.DepositStore.
func (d *Deposits) Pooled(
	ctx context.Context, wallet string, addresses []core.Private,
) (pooled []core.PoolAddress, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, seen := d.wallet(wallet), map[core.Private]bool{}
	for _, address := range addresses {
		index, ok := w.pooled[address]
		if _, assigned := w.indexes[index]; ok && !assigned && !seen[address] {
			seen[address] = true
			pooled = append(pooled, core.PoolAddress{Wallet: wallet, Index: index, Address: address})
		}
	}
	return pooled, ctx.Err()
}

// Doubles implements ports.DepositStore. Assign makes none.
func (d *Deposits) Doubles(ctx context.Context) ([]core.Deposit, error) { return nil, ctx.Err() }

// Wallets implements ports.DepositStore.
func (d *Deposits) Wallets(ctx context.Context) ([]core.DepositWallet, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []core.DepositWallet
	for _, w := range d.wallets {
		state := w.DepositWallet
		if state.Pool = int64(len(w.pool)); state.Pool > 0 {
			state.PoolFirst = w.pool[0]
		}
		if state.Next < state.Pool {
			state.PoolNext = w.pool[state.Next]
		}
		all = append(all, state)
	}
	slices.SortFunc(all, func(a, b core.DepositWallet) int { return cmp.Compare(a.Wallet, b.Wallet) })
	return all, ctx.Err()
}

// wallet returns the state of a wallet. The caller holds the lock.
func (d *Deposits) wallet(name string) *depositWallet {
	w := d.wallets[name]
	if w == nil {
		w = &depositWallet{
			DepositWallet: core.DepositWallet{DepositBinding: core.DepositBinding{Wallet: name}},
			addresses:     map[core.DepositAddress]int{}, indexes: map[int64]int{}, pooled: map[core.Private]int64{},
		}
		d.wallets[name] = w
	}
	return w
}

// Confirm implements ports.DepositStore.
func (d *Deposits) Confirm(ctx context.Context, b core.DepositBinding) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wallet(b.Wallet)
	if !w.Confirmed.IsZero() {
		if w.DepositBinding != b {
			return ports.ErrOtherSource
		}
		return nil
	}
	w.DepositBinding, w.Confirmed = b, d.clock()
	return nil
}

// Import implements ports.DepositStore.
func (d *Deposits) Import(ctx context.Context, wallet string, addresses []core.Private) (known []int, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wallet(wallet)
	fresh := make(map[core.Private]int64, len(addresses))
	for i, address := range addresses {
		_, pooled := w.pooled[address]
		if _, again := fresh[address]; pooled || again {
			known = append(known, i)
		}
		fresh[address] = int64(len(w.pool) + i)
	}
	if len(known) == 0 {
		w.pool = append(w.pool, addresses...)
		maps.Copy(w.pooled, fresh)
	}
	return known, nil
}

// Walk implements ports.DepositStore.
func (d *Deposits) Walk(ctx context.Context, f func(core.Deposit) error) error {
	for _, w := range d.snapshot() {
		for _, s := range w.deposits {
			if err := f(s.Deposit); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// WalkPool implements ports.DepositStore.
func (d *Deposits) WalkPool(ctx context.Context, f func(core.PoolAddress) error) error {
	for _, w := range d.snapshot() {
		for i, address := range w.pool {
			if err := f(core.PoolAddress{Wallet: w.Wallet, Index: int64(i), Address: address}); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// snapshot returns the assignments and pools of the wallets, by name.
func (d *Deposits) snapshot() (all []depositWallet) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(d.wallets)) {
		w := d.wallets[name]
		// Assignments change in their place when they are replaced, imported addresses do not.
		all = append(all, depositWallet{DepositWallet: w.DepositWallet, deposits: slices.Clone(w.deposits), pool: w.pool})
	}
	return all
}

// Stop implements ports.DepositStore.
func (d *Deposits) Stop(ctx context.Context, wallet, reason string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wallet(wallet).Stopped = reason
	return ctx.Err()
}

// Resume implements ports.DepositStore.
func (d *Deposits) Resume(ctx context.Context, wallet string, next int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wallet(wallet)
	w.Stopped, w.Next = "", max(w.Next, next)
	return ctx.Err()
}

// Seal implements ports.DepositStore. The rows are inside of the process and have no seals.
func (d *Deposits) Seal(ctx context.Context) (int, error) { return 0, ctx.Err() }
