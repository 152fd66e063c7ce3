package storage

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Deposits are the tables of deposit addresses. Unique constraints rule out that an index or an address
// is used twice, whatever happens above them.
type Deposits struct{ store *Store }

var _ ports.DepositStore = Deposits{}

// Deposits returns the tables of deposit addresses.
func (s *Store) Deposits() Deposits { return Deposits{s} }

// errAssigned ends a transaction that has nothing to assign.
var errAssigned = errors.New("assigned before")

// Assign implements ports.DepositStore. The lock on the row of the wallet makes assignments of that
// wallet wait for each other, for one transaction each.
func (d Deposits) Assign(ctx context.Context, r ports.DepositRequest) (deposit core.Deposit, created bool, err error) {
	err = d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		index, err := nextIndex(ctx, tx, r.Binding)
		if err != nil {
			return err
		}
		deposit, err = existing(ctx, tx, r)
		if err == nil {
			return refusal{errAssigned}
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if deposit, err = newDeposit(ctx, tx, r, index); err != nil {
			return err
		}
		return insertDeposit(ctx, tx, r, deposit)
	})
	if errors.Is(err, errAssigned) {
		return deposit, false, nil
	}
	return deposit, err == nil, err
}

// nextIndex increments and returns the next index of a wallet with the given binding.
func nextIndex(ctx context.Context, tx *sql.Tx, b core.DepositBinding) (index int64, err error) {
	err = tx.QueryRowContext(ctx, `UPDATE deposit_wallets SET next_index = next_index + 1
		WHERE wallet = $1 AND fingerprint = $2 AND (first_address = $3 OR $3 = '') AND confirmed_at IS NOT NULL
		RETURNING next_index - 1`, b.Wallet, b.Fingerprint, b.First.Reveal()).Scan(&index)
	if !errors.Is(err, sql.ErrNoRows) {
		return index, err
	}
	var confirmed sql.NullInt64
	err = tx.QueryRowContext(ctx, `SELECT confirmed_at FROM deposit_wallets WHERE wallet = $1`, b.Wallet).Scan(&confirmed)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !confirmed.Valid:
		return 0, refusal{ports.ErrNotConfirmed}
	case err != nil:
		return 0, err
	}
	return 0, refusal{ports.ErrOtherSource}
}

// existing returns the address that a request does not have to make.
func existing(ctx context.Context, tx *sql.Tx, r ports.DepositRequest) (core.Deposit, error) {
	condition, key := `a.replaced_at IS NULL AND $4 = ''`, ""
	switch {
	case r.Renew && r.Key == "":
		return core.Deposit{}, sql.ErrNoRows
	case r.Renew:
		condition, key = `a.request_key = $4`, r.Key.Reveal()
	}
	return scanDeposit(tx.QueryRowContext(ctx, selectDeposits+` WHERE a.account = $1 AND a.profile = $2 AND a.wallet = $3
		AND `+condition, r.User.Account, r.User.Profile.Reveal(), r.Binding.Wallet, key))
}

// newDeposit derives the address with an index.
func newDeposit(ctx context.Context, tx *sql.Tx, r ports.DepositRequest, index int64) (core.Deposit, error) {
	var imported string
	err := tx.QueryRowContext(ctx, `SELECT address FROM deposit_pool WHERE wallet = $1 AND idx = $2`,
		r.Binding.Wallet, index).Scan(&imported)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return core.Deposit{}, err
	}
	address, err := r.Derive(index, core.Private(imported))
	if err != nil {
		return core.Deposit{}, refusal{err}
	}
	return r.Deposit(index, core.Private(imported), address), nil
}

// insertDeposit stores an assignment in the place of the current one.
func insertDeposit(ctx context.Context, tx *sql.Tx, r ports.DepositRequest, d core.Deposit) error {
	created, profile := d.Created.UnixMicro(), d.User.Profile.Reveal()
	_, err := tx.ExecContext(ctx, `UPDATE deposit_addresses SET replaced_at = $4
		WHERE account = $1 AND profile = $2 AND wallet = $3 AND replaced_at IS NULL`,
		d.User.Account, profile, d.Wallet, created)
	if err != nil {
		return err
	}
	key := sql.NullString{String: r.Key.Reveal(), Valid: r.Renew && r.Key != ""}
	_, err = tx.ExecContext(ctx, `INSERT INTO deposit_addresses
		(wallet, idx, id, account, profile, address, memo, request_key, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		d.Wallet, d.Index, d.ID, d.User.Account, profile, d.Address.Reveal(), d.Memo.Reveal(), key, created)
	return err
}

const selectDeposits = `SELECT a.wallet, a.idx, a.id, a.account, a.profile, a.address, a.memo, a.created_at,
	a.replaced_at,
	COALESCE(p.address, '') FROM deposit_addresses a LEFT JOIN deposit_pool p ON p.wallet = a.wallet AND p.idx = a.idx`

func scanDeposit(row interface{ Scan(...any) error }) (core.Deposit, error) {
	var (
		d        core.Deposit
		created  int64
		replaced sql.NullInt64
		// core.Private is a string, which both drivers scan into
		profile, address, memo, imported string
	)
	err := row.Scan(&d.Wallet, &d.Index, &d.ID, &d.User.Account, &profile, &address, &memo, &created, &replaced, &imported)
	d.User.Profile, d.Imported = core.Private(profile), core.Private(imported)
	d.DepositAddress = core.DepositAddress{Address: core.Private(address), Memo: core.Private(memo)}
	d.Created, d.Replaced = time.UnixMicro(created).UTC(), fromMicros(replaced)
	return d, err
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
			deposit, err := scanDeposit(rows)
			if err != nil {
				return err
			}
			if err := f(deposit); err != nil {
				return refusal{err}
			}
			return nil
		}, selectDeposits+condition, args...)
	})
}

// Find implements ports.DepositStore.
func (d Deposits) Find(ctx context.Context, wallet string, a core.DepositAddress) (deposit core.Deposit, err error) {
	err = d.store.query(ctx, func(ctx context.Context) error {
		deposit, err = scanDeposit(d.store.db.QueryRowContext(ctx, selectDeposits+
			` WHERE a.wallet = $1 AND a.address = $2 AND a.memo IN ($3, '')`, wallet, a.Address.Reveal(), a.Memo.Reveal()))
		if errors.Is(err, sql.ErrNoRows) {
			return core.Errorf(core.NotFound, "No user has this deposit address")
		}
		return err
	})
	return deposit, err
}

// Wallets implements ports.DepositStore.
func (d Deposits) Wallets(ctx context.Context) (wallets []core.DepositWallet, err error) {
	err = d.store.query(ctx, func(ctx context.Context) error {
		return d.store.each(ctx, func(rows *sql.Rows) error {
			var (
				w                core.DepositWallet
				first, poolFirst string
				confirmed        sql.NullInt64
			)
			if err := rows.Scan(&w.Wallet, &w.Fingerprint, &first, &confirmed, &w.Next, &w.Pool, &poolFirst); err != nil {
				return err
			}
			w.First, w.PoolFirst, w.Confirmed = core.Private(first), core.Private(poolFirst), fromMicros(confirmed)
			wallets = append(wallets, w)
			return nil
		}, `SELECT w.wallet, w.fingerprint, w.first_address, w.confirmed_at, w.next_index,
			(SELECT count(*) FROM deposit_pool p WHERE p.wallet = w.wallet),
			COALESCE((SELECT p.address FROM deposit_pool p WHERE p.wallet = w.wallet AND p.idx = 0), '')
			FROM deposit_wallets w ORDER BY w.wallet`)
	})
	return wallets, err
}

// Confirm implements ports.DepositStore.
func (d Deposits) Confirm(ctx context.Context, b core.DepositBinding) error {
	return d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := addWallet(ctx, tx, b.Wallet); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `UPDATE deposit_wallets
			SET fingerprint = $2, first_address = $3, confirmed_at = COALESCE(confirmed_at, $4)
			WHERE wallet = $1 AND (confirmed_at IS NULL OR fingerprint = $2 AND first_address = $3)`,
			b.Wallet, b.Fingerprint, b.First.Reveal(), time.Now().UnixMicro())
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		if err == nil && n == 0 {
			err = refusal{ports.ErrOtherSource}
		}
		return err
	})
}

// addWallet adds the row of a wallet, unless it is there, and locks it.
func addWallet(ctx context.Context, tx *sql.Tx, wallet string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO deposit_wallets (wallet, fingerprint, first_address, next_index)
		VALUES ($1, '', '', 0) ON CONFLICT (wallet) DO UPDATE SET next_index = deposit_wallets.next_index`, wallet)
	return err
}

// Import implements ports.DepositStore.
func (d Deposits) Import(ctx context.Context, wallet string, addresses []core.Private) (known []int, err error) {
	errKnown := errors.New("known addresses")
	err = d.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		known = nil
		if err := addWallet(ctx, tx, wallet); err != nil { // imports of a wallet wait for each other
			return err
		}
		var next int64
		err := tx.QueryRowContext(ctx, `SELECT count(*) FROM deposit_pool WHERE wallet = $1`, wallet).Scan(&next)
		if err != nil {
			return err
		}
		for i, address := range addresses {
			result, err := tx.ExecContext(ctx, `INSERT INTO deposit_pool (wallet, idx, address) VALUES ($1, $2, $3)
				ON CONFLICT (wallet, address) DO NOTHING`, wallet, next+int64(i), address.Reveal())
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
		return nil
	})
	if errors.Is(err, errKnown) {
		return known, nil
	}
	return nil, err
}

// Walk implements ports.DepositStore. It reads in pages, because the whole log may take longer than a
// query may.
func (d Deposits) Walk(ctx context.Context, f func(core.Deposit) error) error {
	const page = 10_000
	var wallet string
	index := int64(-1)
	for {
		rows := 0
		err := d.each(ctx, func(deposit core.Deposit) error {
			rows++
			wallet, index = deposit.Wallet, deposit.Index
			return f(deposit)
		}, ` WHERE a.wallet > $1 OR a.wallet = $1 AND a.idx > $2 ORDER BY a.wallet, a.idx LIMIT $3`, wallet, index, page)
		if err != nil || rows < page {
			return err
		}
	}
}
