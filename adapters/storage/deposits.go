package storage

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Deposits are the tables of deposit addresses. Unique constraints rule out that an index or an address
// is used twice, whatever happens above them, and seals show rows that another program wrote.
type Deposits struct {
	sealer

	store *Store
}

var _ ports.DepositStore = Deposits{}

// Deposits returns the tables of deposit addresses. The keys are privacy.hash_key, and for Seal the
// previous one.
func (s *Store) Deposits(keys ...core.Secret) (Deposits, error) {
	sealer, err := newSealer(keys)
	return Deposits{sealer, s}, err
}

// Assign implements ports.DepositStore. The lock on the row of the wallet makes assignments of that
// wallet wait for each other, for one transaction each.
func (d Deposits) Assign(ctx context.Context, r ports.DepositRequest) (deposit core.Deposit, created bool, err error) {
	err = d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		created = false
		w, err := d.lockWallet(ctx, tx, r.Binding.Wallet)
		if err != nil {
			return err
		}
		if err := r.Check(w); err != nil {
			return refusal{err}
		}
		found, current, err := d.existing(ctx, tx, r)
		if err != nil || found.ID != "" {
			deposit = found.Deposit
			return err
		}
		if err := admitUser(ctx, tx, r, current); err != nil {
			return err
		}
		if deposit, err = d.newDeposit(ctx, tx, r, w); err != nil {
			return err
		}
		if err := d.insertDeposit(ctx, tx, r, deposit, current); err != nil {
			return err
		}
		w.Next, w.Assigned, created = w.Next+1, w.Assigned+1, true
		return d.putWallet(ctx, tx, w)
	})
	return deposit, created && err == nil, err
}

const walletColumns = `w.wallet, w.fingerprint, w.first_address, w.confirmed_at, w.next_index, w.assigned, w.pool,
	w.stopped, w.seal`

// lockWallet returns the row of a wallet, and locks it until the end of the transaction. Without a
// row, it returns the state of a wallet that is not confirmed.
func (d Deposits) lockWallet(ctx context.Context, tx *sql.Tx, wallet string) (core.DepositWallet, error) {
	query := `SELECT ` + walletColumns + ` FROM deposit_wallets w WHERE w.wallet = $1` + d.store.lockRows()
	w, err := d.scanWallet(tx.QueryRowContext(ctx, query, wallet))
	if errors.Is(err, sql.ErrNoRows) {
		return core.DepositWallet{}, nil
	}
	return w, err
}

func (d Deposits) scanWallet(row scanner, more ...any) (core.DepositWallet, error) {
	var (
		w         core.DepositWallet
		seal      string
		confirmed sql.NullInt64
	)
	err := row.Scan(append([]any{
		&w.Wallet, &w.Fingerprint, &w.First, &confirmed, &w.Next, &w.Assigned, &w.Pool, &w.Stopped, &seal,
	}, more...)...)
	w.Confirmed = fromMicros(confirmed)
	w.Fault = d.fault(seal, walletRow(w, confirmed), false)
	return w, err
}

// putWallet stores and seals the row of a wallet.
func (d Deposits) putWallet(ctx context.Context, tx *sql.Tx, w core.DepositWallet) error {
	confirmed := toMicros(w.Confirmed)
	_, err := tx.ExecContext(ctx, `UPDATE deposit_wallets SET fingerprint = $2, first_address = $3, confirmed_at = $4,
		next_index = $5, assigned = $6, pool = $7, stopped = $8, seal = $9 WHERE wallet = $1`,
		w.Wallet, w.Fingerprint, w.First.Reveal(), confirmed, w.Next, w.Assigned, w.Pool, w.Stopped,
		d.seal(walletRow(w, confirmed)))
	return err
}

// existing returns the address that a request does not have to make, or otherwise the current one,
// which it replaces. Either may be empty.
func (d Deposits) existing(
	ctx context.Context, tx *sql.Tx, r ports.DepositRequest,
) (found, current depositRow, err error) {
	find := func(condition string, more ...any) (row depositRow, err error) {
		rows, err := collect(ctx, tx, d.scanDeposit, selectDeposits+
			` WHERE a.account = $1 AND a.profile = $2 AND a.wallet = $3 AND `+condition,
			append([]any{r.User.Account, r.User.Profile.Reveal(), r.Binding.Wallet}, more...)...)
		if len(rows) > 0 {
			row = rows[0]
		}
		return row, err
	}
	if r.Renew && r.Key != "" {
		if found, err = find(`a.request_key = $4`, r.Key.Reveal()); err != nil || found.ID != "" {
			return found, current, err
		}
	}
	current, err = find(`a.replaced_at IS NULL`)
	switch {
	case err != nil:
		return found, current, err
	case !r.Renew:
		return current, depositRow{}, nil
	case current.Fault != nil && current.ID != "":
		return found, current, refusal{current.Fault}
	}
	return found, current, nil
}

// admitUser counts a user without any address against the quota of the account.
func admitUser(ctx context.Context, tx *sql.Tx, r ports.DepositRequest, current depositRow) error {
	if r.NewUsers == 0 || current.ID != "" {
		return nil
	}
	var users int64
	err := tx.QueryRowContext(ctx, `INSERT INTO deposit_new_users (account, day, users)
		SELECT $1, $2, 1 WHERE NOT EXISTS (SELECT 1 FROM deposit_addresses WHERE account = $1 AND profile = $3)
		ON CONFLICT (account, day) DO UPDATE SET users = deposit_new_users.users + 1 RETURNING users`,
		r.User.Account, r.Day(), r.User.Profile.Reveal()).Scan(&users)
	switch {
	case errors.Is(err, sql.ErrNoRows): // not new
		return nil
	case err == nil && users > r.NewUsers:
		return refusal{ports.ErrQuota}
	}
	return err
}

// newDeposit derives the address with the next index of a wallet.
func (d Deposits) newDeposit(
	ctx context.Context, tx *sql.Tx, r ports.DepositRequest, w core.DepositWallet,
) (core.Deposit, error) {
	var imported, seal string
	if w.Next < w.Pool {
		err := tx.QueryRowContext(ctx, `SELECT address, seal FROM deposit_pool WHERE wallet = $1 AND idx = $2`,
			w.Wallet, w.Next).Scan(&imported, &seal)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return core.Deposit{}, err
		}
		if err := d.fault(seal, poolRow(w.Wallet, w.Next, imported), true); err != nil {
			return core.Deposit{}, refusal{err}
		}
	}
	address, err := r.Derive(w.Next, core.Private(imported))
	if err != nil {
		return core.Deposit{}, refusal{err}
	}
	return r.Deposit(w.Next, core.Private(imported), address), nil
}

// insertDeposit stores an assignment in the place of the current one, if there is one.
func (d Deposits) insertDeposit(
	ctx context.Context, tx *sql.Tx, r ports.DepositRequest, deposit core.Deposit, current depositRow,
) error {
	row := depositRow{Deposit: deposit, created: deposit.Created.UnixMicro()}
	row.key = sql.NullString{String: r.Key.Reveal(), Valid: r.Renew && r.Key != ""}
	if current.ID != "" {
		current.replaced = sql.NullInt64{Int64: row.created, Valid: true}
		_, err := tx.ExecContext(ctx,
			`UPDATE deposit_addresses SET replaced_at = $3, seal = $4 WHERE wallet = $1 AND idx = $2`,
			current.Wallet, current.Index, row.created, d.seal(current.columns()))
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO deposit_addresses
		(wallet, idx, id, account, profile, address, memo, request_key, created_at, seal)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		row.Wallet, row.Index, row.ID, row.User.Account, row.User.Profile.Reveal(), row.Address.Reveal(), row.Memo.Reveal(),
		row.key, row.created, d.seal(row.columns()))
	return err
}

const selectDeposits = `SELECT a.wallet, a.idx, a.id, a.account, a.profile, a.address, a.memo, a.request_key,
	a.created_at, a.replaced_at, a.seal, COALESCE(p.address, ''), COALESCE(w.seal, '') <> ''
	FROM deposit_addresses a LEFT JOIN deposit_pool p ON p.wallet = a.wallet AND p.idx = a.idx
	LEFT JOIN deposit_wallets w ON w.wallet = a.wallet`

func (d Deposits) scanDeposit(row scanner) (depositRow, error) {
	var (
		r            depositRow
		walletSealed bool
		seal         string
	)
	err := row.Scan(&r.Wallet, &r.Index, &r.ID, &r.User.Account, &r.User.Profile, &r.Address, &r.Memo, &r.key, &r.created,
		&r.replaced, &seal, &r.Imported, &walletSealed)
	r.Created, r.Replaced = time.UnixMicro(r.created).UTC(), fromMicros(r.replaced)
	r.Fault = d.fault(seal, r.columns(), walletSealed)
	return r, err
}

// selected returns the assignments that a condition selects.
func (d Deposits) selected(ctx context.Context, condition string, args ...any) ([]core.Deposit, error) {
	return all(ctx, d.store, func(row scanner) (core.Deposit, error) {
		r, err := d.scanDeposit(row)
		return r.Deposit, err
	}, selectDeposits+condition, args...)
}

// List implements ports.DepositStore. A user with replaced addresses in a wallet has a current one there.
func (d Deposits) List(ctx context.Context, user core.DepositUser, previous int) (list []core.Deposit, err error) {
	const owned = ` WHERE a.account = $1 AND a.profile = $2`
	account, profile := user.Account, user.Profile.Reveal()
	current, err := d.selected(ctx, owned+` AND a.replaced_at IS NULL ORDER BY a.wallet, a.idx`, account, profile)
	if err != nil || previous == 0 {
		return current, err
	}
	for _, c := range current {
		replaced, err := d.selected(ctx, owned+` AND a.wallet = $3 AND a.replaced_at IS NOT NULL
			ORDER BY a.idx DESC LIMIT $4`, account, profile, c.Wallet, previous)
		if err != nil {
			return nil, err
		}
		slices.Reverse(replaced)
		list = append(append(list, replaced...), c)
	}
	return list, nil
}

// Doubles implements ports.DepositStore. An index makes them impossible, unless it is dropped.
func (d Deposits) Doubles(ctx context.Context) ([]core.Deposit, error) {
	return d.selected(ctx, ` WHERE a.replaced_at IS NULL AND (a.account, a.profile, a.wallet) IN
		(SELECT account, profile, wallet FROM deposit_addresses WHERE replaced_at IS NULL
			GROUP BY account, profile, wallet HAVING count(*) > 1)
		ORDER BY a.wallet, a.idx LIMIT $1`, pageRows)
}

// Find implements ports.DepositStore.
func (d Deposits) Find(ctx context.Context, wallet string, a core.DepositAddress) (core.Deposit, error) {
	found, err := d.selected(ctx, ` WHERE a.wallet = $1 AND a.address = $2 AND a.memo IN ($3, '')`,
		wallet, a.Address.Reveal(), a.Memo.Reveal())
	if err == nil && len(found) == 0 {
		err = core.Errorf(core.NotFound, "No user has this deposit address")
	}
	if err != nil {
		return core.Deposit{}, err
	}
	return found[0], nil
}

// FindAll implements ports.DepositStore.
func (d Deposits) FindAll(ctx context.Context, keys []ports.DepositKey) (found []core.Deposit, err error) {
	var rows [][]any
	seen := map[ports.DepositKey]bool{}
	add := func(key ports.DepositKey) {
		if !seen[key] {
			seen[key] = true
			rows = append(rows, []any{key.Wallet, key.Address.Reveal(), key.Memo.Reveal()})
		}
	}
	for _, key := range keys {
		add(key)
		key.Memo = "" // an address that was assigned without a memo is found with any
		add(key)
	}
	for chunk := range slices.Chunk(rows, rowsPerStatement) {
		some, err := d.selected(ctx, ` WHERE (a.wallet, a.address, a.memo) IN
			(SELECT value->>0, value->>1, value->>2 FROM `+d.store.elements()+`)`, elements(chunk))
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return found, nil
}

// Pooled implements ports.DepositStore.
func (d Deposits) Pooled(
	ctx context.Context, wallet string, addresses []core.Private,
) (pooled []core.PoolAddress, err error) {
	for chunk := range slices.Chunk(addresses, rowsPerStatement) {
		var rows [][]any
		for _, address := range chunk {
			rows = append(rows, []any{wallet, address.Reveal()})
		}
		some, err := all(ctx, d.store, d.scanPool, selectPool+
			` WHERE (a.wallet, a.address) IN (SELECT value->>0, value->>1 FROM `+d.store.elements()+`)
			AND NOT EXISTS (SELECT 1 FROM deposit_addresses d WHERE d.wallet = a.wallet AND d.idx = a.idx)`, elements(rows))
		if err != nil {
			return nil, err
		}
		pooled = append(pooled, some...)
	}
	return pooled, nil
}

// Wallets implements ports.DepositStore.
func (d Deposits) Wallets(ctx context.Context) ([]core.DepositWallet, error) {
	return all(ctx, d.store, func(row scanner) (core.DepositWallet, error) {
		var first, firstSeal, next, nextSeal string
		w, err := d.scanWallet(row, &first, &firstSeal, &next, &nextSeal)
		w.PoolFirst, w.PoolNext = core.Private(first), core.Private(next)
		if w.Fault == nil && w.Pool > 0 {
			w.Fault = d.fault(firstSeal, poolRow(w.Wallet, 0, first), true)
		}
		if w.Fault == nil && w.Next < w.Pool {
			w.Fault = d.fault(nextSeal, poolRow(w.Wallet, w.Next, next), true)
		}
		return w, err
	}, `SELECT `+walletColumns+`, COALESCE(f.address, ''), COALESCE(f.seal, ''), COALESCE(n.address, ''),
		COALESCE(n.seal, '') FROM deposit_wallets w LEFT JOIN deposit_pool f ON f.wallet = w.wallet AND f.idx = 0
		LEFT JOIN deposit_pool n ON n.wallet = w.wallet AND n.idx = w.next_index ORDER BY w.wallet`)
}

// change changes the row of a wallet that is as Causeway wrote it. It adds the row if there is
// none.
func (d Deposits) change(
	ctx context.Context, wallet string, fn func(ctx context.Context, tx *sql.Tx, w *core.DepositWallet) error,
) error {
	return d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		fresh := core.DepositWallet{DepositBinding: core.DepositBinding{Wallet: wallet}}
		_, err := tx.ExecContext(ctx, `INSERT INTO deposit_wallets (wallet, fingerprint, first_address, next_index, seal)
			VALUES ($1, '', '', 0, $2) ON CONFLICT (wallet) DO NOTHING`, wallet, d.seal(walletRow(fresh, sql.NullInt64{})))
		if err != nil {
			return err
		}
		w, err := d.lockWallet(ctx, tx, wallet)
		if err != nil {
			return err
		}
		if w.Fault != nil {
			return refusal{w.Fault}
		}
		if err := fn(ctx, tx, &w); err != nil {
			return err
		}
		return d.putWallet(ctx, tx, w)
	})
}

// Confirm implements ports.DepositStore.
func (d Deposits) Confirm(ctx context.Context, b core.DepositBinding) error {
	return d.change(ctx, b.Wallet, func(_ context.Context, _ *sql.Tx, w *core.DepositWallet) error {
		switch {
		case w.Confirmed.IsZero():
			w.DepositBinding, w.Confirmed = b, time.Now()
		case w.DepositBinding != b:
			return refusal{ports.ErrOtherSource}
		}
		return nil
	})
}

// Stop implements ports.DepositStore.
func (d Deposits) Stop(ctx context.Context, wallet, reason string) error {
	return d.change(ctx, wallet, func(_ context.Context, _ *sql.Tx, w *core.DepositWallet) error {
		w.Stopped = reason
		return nil
	})
}

// Resume implements ports.DepositStore.
func (d Deposits) Resume(ctx context.Context, wallet string, next int64) error {
	return d.change(ctx, wallet, func(_ context.Context, _ *sql.Tx, w *core.DepositWallet) error {
		w.Stopped, w.Next = "", max(w.Next, next)
		return nil
	})
}

// Import implements ports.DepositStore.
func (d Deposits) Import(ctx context.Context, wallet string, addresses []core.Private) (known []int, err error) {
	errKnown := errors.New("known addresses")
	err = d.change(ctx, wallet, func(ctx context.Context, tx *sql.Tx, w *core.DepositWallet) error {
		known = nil
		for i, address := range addresses {
			index := w.Pool + int64(i)
			result, err := tx.ExecContext(ctx, `INSERT INTO deposit_pool (wallet, idx, address, seal) VALUES ($1, $2, $3, $4)
				ON CONFLICT (wallet, address) DO NOTHING`,
				wallet, index, address.Reveal(), d.seal(poolRow(wallet, index, address.Reveal())))
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			if n == 0 {
				known = append(known, i)
			}
		}
		if len(known) > 0 {
			return refusal{errKnown}
		}
		w.Pool += int64(len(addresses))
		return nil
	})
	if errors.Is(err, errKnown) {
		return known, nil
	}
	return nil, err
}

// position is the place of a row in the order of wallets and indexes.
type position struct {
	wallet string
	index  int64
}

const (
	pageRows = 1_000 // so few that a page is sealed within queryTimeout over a network
	// nextPage selects the rows after a position.
	nextPage = ` WHERE (a.wallet, a.idx) > ($1, $2) ORDER BY a.wallet, a.idx LIMIT $3`
)

// inPages reads the rows of a table page by page, each after a position, and calls f with every row. A whole table may
// take longer than a query may.
func inPages[T any](read func(after position) ([]T, error), at func(T) position, f func(T) error) error {
	last := position{index: -1}
	for {
		page, err := read(last)
		if err != nil {
			return err
		}
		for _, row := range page {
			if err := f(row); err != nil {
				return err
			}
			last = at(row)
		}
		if len(page) < pageRows {
			return nil
		}
	}
}

// Walk implements ports.DepositStore.
func (d Deposits) Walk(ctx context.Context, f func(core.Deposit) error) error {
	return inPages(func(after position) ([]core.Deposit, error) {
		return d.selected(ctx, nextPage, after.wallet, after.index, pageRows)
	}, func(deposit core.Deposit) position { return position{deposit.Wallet, deposit.Index} }, f)
}

// WalkPool implements ports.DepositStore.
func (d Deposits) WalkPool(ctx context.Context, f func(core.PoolAddress) error) error {
	return inPages(func(after position) ([]core.PoolAddress, error) {
		return all(ctx, d.store, d.scanPool, selectPool+nextPage, after.wallet, after.index, pageRows)
	}, func(a core.PoolAddress) position { return position{a.Wallet, a.Index} }, f)
}

const selectPool = `SELECT a.wallet, a.idx, a.address, a.seal, COALESCE(w.seal, '') <> ''
	FROM deposit_pool a LEFT JOIN deposit_wallets w ON w.wallet = a.wallet`

func (d Deposits) scanPool(row scanner) (a core.PoolAddress, err error) {
	var (
		seal         string
		walletSealed bool
	)
	err = row.Scan(&a.Wallet, &a.Index, &a.Address, &seal, &walletSealed)
	a.Fault = d.fault(seal, poolRow(a.Wallet, a.Index, a.Address.Reveal()), walletSealed)
	return a, err
}

// resealed is a row with the seal that it gets.
type resealed struct {
	position

	seal  string
	fault error // of its present seal
}

// Seal implements ports.DepositStore. The row of a wallet comes last, so that a wallet is used only
// after all its rows have a seal, and so that Seal can be repeated after it was killed.
func (d Deposits) Seal(ctx context.Context) (rows int, err error) {
	const sealPool = `UPDATE deposit_pool SET seal = $3 WHERE wallet = $1 AND idx = $2`
	rows, err = d.sealRows(ctx, selectPool, sealPool, func(row scanner) (resealed, error) {
		a, err := d.scanPool(row)
		return resealed{position{a.Wallet, a.Index}, d.seal(poolRow(a.Wallet, a.Index, a.Address.Reveal())), a.Fault}, err
	})
	if err != nil {
		return rows, err
	}
	const sealDeposits = `UPDATE deposit_addresses SET seal = $3 WHERE wallet = $1 AND idx = $2`
	n, err := d.sealRows(ctx, selectDeposits, sealDeposits, func(row scanner) (resealed, error) {
		r, err := d.scanDeposit(row)
		return resealed{position{r.Wallet, r.Index}, d.seal(r.columns()), r.Fault}, err
	})
	if rows += n; err != nil {
		return rows, err
	}
	wallets, err := d.Wallets(ctx)
	for _, w := range wallets {
		if err == nil && w.Fault != nil {
			err = d.sealWallet(ctx, w.Wallet)
			rows++
		}
	}
	return rows, err
}

// sealRows seals the rows of a table, one page in a transaction.
func (d Deposits) sealRows(
	ctx context.Context, query, update string, scan func(scanner) (resealed, error),
) (sealed int, err error) {
	err = inPages(func(after position) (page []resealed, err error) {
		err = d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
			page, err = collect(ctx, tx, scan, query+nextPage, after.wallet, after.index, pageRows)
			for _, row := range page {
				if errors.Is(row.fault, ports.ErrTampered) {
					return refuse("%s, index %d: %w", row.wallet, row.index, row.fault)
				}
				if row.fault == nil {
					continue
				}
				if _, err := tx.ExecContext(ctx, update, row.wallet, row.index, row.seal); err != nil {
					return err
				}
			}
			return err
		})
		return page, err
	}, func(row resealed) position { return row.position }, func(row resealed) error {
		if row.fault != nil {
			sealed++
		}
		return nil
	})
	return sealed, err
}

// sealWallet counts and seals a wallet whose rows are sealed. With an old seal, the counts are
// known.
func (d Deposits) sealWallet(ctx context.Context, wallet string) error {
	return d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		w, err := d.lockWallet(ctx, tx, wallet)
		if err != nil {
			return err
		}
		switch {
		case errors.Is(w.Fault, ports.ErrTampered):
			return refusal{w.Fault}
		case errors.Is(w.Fault, ports.ErrUnsealed):
			err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM deposit_addresses WHERE wallet = $1),
				(SELECT count(*) FROM deposit_pool WHERE wallet = $1)`, wallet).Scan(&w.Assigned, &w.Pool)
		}
		if err != nil {
			return err
		}
		return d.putWallet(ctx, tx, w)
	})
}
