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
	query := `SELECT ` + walletColumns + ` FROM deposit_wallets w WHERE w.wallet = $1`
	if d.store.postgres { // a transaction of SQLite locks everything
		query += ` FOR UPDATE`
	}
	w, err := d.scanWallet(tx.QueryRowContext(ctx, query, wallet))
	if errors.Is(err, sql.ErrNoRows) {
		return core.DepositWallet{}, nil
	}
	return w, err
}

func (d Deposits) scanWallet(row interface{ Scan(...any) error }, more ...any) (core.DepositWallet, error) {
	var (
		w           core.DepositWallet
		first, seal string
		confirmed   sql.NullInt64
	)
	err := row.Scan(append([]any{
		&w.Wallet, &w.Fingerprint, &first, &confirmed, &w.Next, &w.Assigned, &w.Pool, &w.Stopped, &seal,
	}, more...)...)
	w.First, w.Confirmed = core.Private(first), fromMicros(confirmed)
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
	find := func(condition string, more ...any) (depositRow, error) {
		row, err := d.scanDeposit(tx.QueryRowContext(ctx, selectDeposits+
			` WHERE a.account = $1 AND a.profile = $2 AND a.wallet = $3 AND `+condition,
			append([]any{r.User.Account, r.User.Profile.Reveal(), r.Binding.Wallet}, more...)...))
		if errors.Is(err, sql.ErrNoRows) {
			return depositRow{}, nil
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

func (d Deposits) scanDeposit(row interface{ Scan(...any) error }) (depositRow, error) {
	var (
		r            depositRow
		walletSealed bool
		// core.Private is a string, which both drivers scan into
		profile, address, memo, imported, seal string
	)
	err := row.Scan(&r.Wallet, &r.Index, &r.ID, &r.User.Account, &profile, &address, &memo, &r.key, &r.created,
		&r.replaced, &seal, &imported, &walletSealed)
	r.User.Profile, r.Imported = core.Private(profile), core.Private(imported)
	r.DepositAddress = core.DepositAddress{Address: core.Private(address), Memo: core.Private(memo)}
	r.Created, r.Replaced = time.UnixMicro(r.created).UTC(), fromMicros(r.replaced)
	r.Fault = d.fault(seal, r.columns(), walletSealed)
	return r, err
}

// List implements ports.DepositStore.
func (d Deposits) List(ctx context.Context, user core.DepositUser) (all []core.Deposit, err error) {
	err = d.each(ctx, func(deposit core.Deposit) error {
		all = append(all, deposit)
		return nil
	}, ` WHERE a.account = $1 AND a.profile = $2 ORDER BY a.wallet, a.idx`, user.Account, user.Profile.Reveal())
	return all, err
}

// each calls f with the assignments that a condition selects.
func (d Deposits) each(ctx context.Context, f func(core.Deposit) error, condition string, args ...any) error {
	return d.store.query(ctx, func(ctx context.Context) error {
		return d.store.each(ctx, func(rows *sql.Rows) error {
			row, err := d.scanDeposit(rows)
			if err != nil {
				return err
			}
			if err := f(row.Deposit); err != nil {
				return refusal{err}
			}
			return nil
		}, selectDeposits+condition, args...)
	})
}

// Find implements ports.DepositStore.
func (d Deposits) Find(ctx context.Context, wallet string, a core.DepositAddress) (deposit core.Deposit, err error) {
	err = d.store.query(ctx, func(ctx context.Context) error {
		row, err := d.scanDeposit(d.store.db.QueryRowContext(ctx, selectDeposits+
			` WHERE a.wallet = $1 AND a.address = $2 AND a.memo IN ($3, '')`, wallet, a.Address.Reveal(), a.Memo.Reveal()))
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.NotFound, "No user has this deposit address")
		}
		deposit = row.Deposit
		return err
	})
	return deposit, err
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
		err := d.each(ctx, func(deposit core.Deposit) error {
			found = append(found, deposit)
			return nil
		}, ` WHERE (a.wallet, a.address, a.memo) IN
			(SELECT value->>0, value->>1, value->>2 FROM `+d.store.elements()+`)`, elements(chunk))
		if err != nil {
			return nil, err
		}
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
		err := d.eachPool(ctx, func(a core.PoolAddress) error {
			pooled = append(pooled, a)
			return nil
		}, ` WHERE (a.wallet, a.address) IN (SELECT value->>0, value->>1 FROM `+d.store.elements()+`)
			AND NOT EXISTS (SELECT 1 FROM deposit_addresses d WHERE d.wallet = a.wallet AND d.idx = a.idx)`, elements(rows))
		if err != nil {
			return nil, err
		}
	}
	return pooled, nil
}

// Wallets implements ports.DepositStore.
func (d Deposits) Wallets(ctx context.Context) (wallets []core.DepositWallet, err error) {
	err = d.store.query(ctx, func(ctx context.Context) error {
		return d.store.each(ctx, func(rows *sql.Rows) error {
			var first, firstSeal, next, nextSeal string
			w, err := d.scanWallet(rows, &first, &firstSeal, &next, &nextSeal)
			if err != nil {
				return err
			}
			w.PoolFirst, w.PoolNext = core.Private(first), core.Private(next)
			if w.Fault == nil && w.Pool > 0 {
				w.Fault = d.fault(firstSeal, poolRow(w.Wallet, 0, first), true)
			}
			if w.Fault == nil && w.Next < w.Pool {
				w.Fault = d.fault(nextSeal, poolRow(w.Wallet, w.Next, next), true)
			}
			wallets = append(wallets, w)
			return nil
		}, `SELECT `+walletColumns+`, COALESCE(f.address, ''), COALESCE(f.seal, ''), COALESCE(n.address, ''),
			COALESCE(n.seal, '') FROM deposit_wallets w LEFT JOIN deposit_pool f ON f.wallet = w.wallet AND f.idx = 0
			LEFT JOIN deposit_pool n ON n.wallet = w.wallet AND n.idx = w.next_index ORDER BY w.wallet`)
	})
	return wallets, err
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

// inPages calls read with the position of the last row before each page, until a page is not full.
// A whole table may take longer than a query may.
func inPages(read func(after position, row func(position)) error) error {
	last := position{index: -1}
	for rows := pageRows; rows == pageRows; {
		rows = 0
		err := read(last, func(p position) { last, rows = p, rows+1 })
		if err != nil {
			return err
		}
	}
	return nil
}

// Walk implements ports.DepositStore.
func (d Deposits) Walk(ctx context.Context, f func(core.Deposit) error) error {
	return inPages(func(after position, row func(position)) error {
		return d.each(ctx, func(deposit core.Deposit) error {
			row(position{deposit.Wallet, deposit.Index})
			return f(deposit)
		}, nextPage, after.wallet, after.index, pageRows)
	})
}

// WalkPool implements ports.DepositStore.
func (d Deposits) WalkPool(ctx context.Context, f func(core.PoolAddress) error) error {
	return inPages(func(after position, row func(position)) error {
		return d.eachPool(ctx, func(a core.PoolAddress) error {
			row(position{a.Wallet, a.Index})
			return f(a)
		}, nextPage, after.wallet, after.index, pageRows)
	})
}

// eachPool calls f with the addresses of pools that a condition selects.
func (d Deposits) eachPool(ctx context.Context, f func(core.PoolAddress) error, condition string, args ...any) error {
	return d.store.query(ctx, func(ctx context.Context) error {
		return d.store.each(ctx, func(rows *sql.Rows) error {
			a, err := d.scanPool(rows)
			if err != nil {
				return err
			}
			if err := f(a); err != nil {
				return refusal{err}
			}
			return nil
		}, selectPool+condition, args...)
	})
}

const selectPool = `SELECT a.wallet, a.idx, a.address, a.seal, COALESCE(w.seal, '') <> ''
	FROM deposit_pool a LEFT JOIN deposit_wallets w ON w.wallet = a.wallet`

func (d Deposits) scanPool(row interface{ Scan(...any) error }) (core.PoolAddress, error) {
	var (
		a             core.PoolAddress
		address, seal string
		walletSealed  bool
	)
	err := row.Scan(&a.Wallet, &a.Index, &address, &seal, &walletSealed)
	a.Address, a.Fault = core.Private(address), d.fault(seal, poolRow(a.Wallet, a.Index, address), walletSealed)
	return a, err
}

// resealed is a row with the seal that it gets.
type resealed struct {
	position

	seal string
}

// Seal implements ports.DepositStore. The row of a wallet comes last, so that a wallet is used only
// after all its rows have a seal, and so that Seal can be repeated after it was killed.
func (d Deposits) Seal(ctx context.Context) (rows int, err error) {
	const sealPool = `UPDATE deposit_pool SET seal = $3 WHERE wallet = $1 AND idx = $2`
	rows, err = d.sealRows(ctx, selectPool, sealPool, func(r *sql.Rows) (resealed, error, error) {
		a, err := d.scanPool(r)
		return resealed{position{a.Wallet, a.Index}, d.seal(poolRow(a.Wallet, a.Index, a.Address.Reveal()))}, a.Fault, err
	})
	if err != nil {
		return rows, err
	}
	const sealDeposits = `UPDATE deposit_addresses SET seal = $3 WHERE wallet = $1 AND idx = $2`
	n, err := d.sealRows(ctx, selectDeposits, sealDeposits, func(r *sql.Rows) (resealed, error, error) {
		row, err := d.scanDeposit(r)
		return resealed{position{row.Wallet, row.Index}, d.seal(row.columns())}, row.Fault, err
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
	ctx context.Context, query, update string, scan func(*sql.Rows) (row resealed, fault, err error),
) (sealed int, err error) {
	err = inPages(func(after position, seen func(position)) error {
		return d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
			var page []resealed
			rows, err := tx.QueryContext(ctx, query+nextPage, after.wallet, after.index, pageRows)
			if err != nil {
				return err
			}
			defer func() { _ = rows.Close() }()
			for rows.Next() {
				row, fault, err := scan(rows)
				if err != nil {
					return err
				}
				if seen(row.position); errors.Is(fault, ports.ErrTampered) {
					return refuse("%s, index %d: %w", row.wallet, row.index, fault)
				}
				if fault != nil {
					page = append(page, row)
				}
			}
			if err := rows.Err(); err != nil {
				return err
			}
			for _, row := range page {
				if _, err := tx.ExecContext(ctx, update, row.wallet, row.index, row.seal); err != nil {
					return err
				}
			}
			sealed += len(page)
			return nil
		})
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
