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
	deposits []storedDeposit // in the order of their assignment
}

type accountDay struct {
	account string
	day     int64
}

type depositWallet struct {
	core.DepositWallet

	pool []core.Private
}

type storedDeposit struct {
	core.Deposit

	key core.Private
}

var _ ports.DepositStore = (*Deposits)(nil)

// NewDeposits returns an empty store. The clock dates confirmations.
func NewDeposits(clock core.Clock) *Deposits {
	return &Deposits{clock: clock, wallets: map[string]*depositWallet{}, newUsers: map[accountDay]int64{}}
}

// Clone returns a copy of the store, for a fork of the world with another clock.
func (d *Deposits) Clone(clock core.Clock) *Deposits {
	d.mu.Lock()
	defer d.mu.Unlock()
	clone := &Deposits{
		clock: clock, wallets: map[string]*depositWallet{}, newUsers: maps.Clone(d.newUsers),
		deposits: slices.Clone(d.deposits),
	}
	for name, w := range d.wallets {
		clone.wallets[name] = &depositWallet{w.DepositWallet, slices.Clone(w.pool)}
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
	current, known := -1, false
	for i, s := range d.deposits {
		known = known || s.User == r.User
		if s.User != r.User || s.Wallet != r.Binding.Wallet {
			continue
		}
		if !r.Renew && s.Replaced.IsZero() || r.Renew && r.Key != "" && s.key == r.Key {
			return s.Deposit, false, nil
		}
		if s.Replaced.IsZero() {
			current = i
		}
	}
	today := accountDay{r.User.Account, r.Day()}
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
	if current >= 0 {
		d.deposits[current].Replaced = made.Created
	}
	if !known {
		d.newUsers[today]++
	}
	w.Next++
	w.Assigned++
	d.deposits = append(d.deposits, made)
	return made.Deposit, true, nil
}

// List implements ports.DepositStore.
func (d *Deposits) List(ctx context.Context, user core.DepositUser) ([]core.Deposit, error) {
	var all []core.Deposit
	err := d.Walk(ctx, func(deposit core.Deposit) error {
		if deposit.User == user {
			all = append(all, deposit)
		}
		return nil
	})
	return all, err
}

// Find implements ports.DepositStore.
func (d *Deposits) Find(ctx context.Context, wallet string, a core.DepositAddress) (core.Deposit, error) {
	found, err := core.Deposit{}, error(core.Errorf(core.NotFound, "No user has this deposit address"))
	walked := d.Walk(ctx, func(deposit core.Deposit) error {
		if deposit.Wallet == wallet && deposit.Address == a.Address && (deposit.Memo == a.Memo || deposit.Memo == "") {
			found, err = deposit, nil
		}
		return nil
	})
	return found, cmp.Or(walked, err)
}

// FindAll implements ports.DepositStore.
func (d *Deposits) FindAll(ctx context.Context, keys []ports.DepositKey) ([]core.Deposit, error) {
	wanted := map[ports.DepositKey]bool{}
	for _, key := range keys {
		wanted[key] = true
		key.Memo = "" // an address that was assigned without a memo is found with any
		wanted[key] = true
	}
	var found []core.Deposit
	err := d.Walk(ctx, func(deposit core.Deposit) error {
		if wanted[ports.DepositKey{DepositAddress: deposit.DepositAddress, Wallet: deposit.Wallet}] {
			found = append(found, deposit)
		}
		return nil
	})
	return found, err
}

// Pooled implements ports.DepositStore.
func (d *Deposits) Pooled(
	ctx context.Context, wallet string, addresses []core.Private,
) (pooled []core.PoolAddress, err error) {
	assigned := map[int64]bool{}
	err = d.Walk(ctx, func(deposit core.Deposit) error {
		if deposit.Wallet == wallet {
			assigned[deposit.Index] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = d.WalkPool(ctx, func(a core.PoolAddress) error {
		if a.Wallet == wallet && !assigned[a.Index] && slices.Contains(addresses, a.Address) {
			pooled = append(pooled, a)
		}
		return nil
	})
	return pooled, err
}

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
		w = &depositWallet{DepositWallet: core.DepositWallet{DepositBinding: core.DepositBinding{Wallet: name}}}
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
	for i, address := range addresses {
		if slices.Contains(w.pool, address) || slices.Contains(addresses[:i], address) {
			known = append(known, i)
		}
	}
	if len(known) == 0 {
		w.pool = append(w.pool, addresses...)
	}
	return known, nil
}

// Walk implements ports.DepositStore.
func (d *Deposits) Walk(ctx context.Context, f func(core.Deposit) error) error {
	d.mu.Lock()
	all := slices.Clone(d.deposits)
	d.mu.Unlock()
	slices.SortFunc(all, func(a, b storedDeposit) int {
		return cmp.Or(cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.Index, b.Index))
	})
	for _, s := range all {
		if err := f(s.Deposit); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// WalkPool implements ports.DepositStore.
func (d *Deposits) WalkPool(ctx context.Context, f func(core.PoolAddress) error) error {
	d.mu.Lock()
	var all []core.PoolAddress
	for name, w := range d.wallets {
		for i, address := range w.pool {
			all = append(all, core.PoolAddress{Wallet: name, Index: int64(i), Address: address})
		}
	}
	d.mu.Unlock()
	for _, a := range all {
		if err := f(a); err != nil {
			return err
		}
	}
	return ctx.Err()
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
