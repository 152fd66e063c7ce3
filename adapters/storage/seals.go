package storage

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"causeway/core"
	"causeway/ports"
)

// sealer seals rows: a seal is an HMAC-SHA-256 of the name of the table and of all columns. The key
// comes from privacy.hash_key, so that a writer to the database without the key can neither change
// nor add a row unnoticed. Counts in the row of the wallet, which also has a seal, show that rows
// are missing.
type sealer struct {
	keys [][]byte // the present key first, and previous ones, which are accepted by Seal only
}

func newSealer(secrets []core.Secret) (sealer, error) {
	var s sealer
	for _, secret := range secrets {
		if secret == "" {
			return s, errors.New("privacy.hash_key (CAUSEWAY_PRIVACY__HASH_KEY) is empty: deposit addresses need it, " +
				"the same in all processes and commands")
		}
		key, err := hkdf.Key(sha256.New, []byte(secret.Reveal()), nil, "causeway deposits seal v1", sha256.Size)
		if err != nil {
			return s, err
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}

// seal returns the seal of a row with the present key.
func (s sealer) seal(row []string) string { return sealWith(s.keys[0], row) }

func sealWith(key []byte, row []string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%q", row) // quoted, so that different rows never look the same
	return hex.EncodeToString(mac.Sum(nil))
}

// fault compares a row with its seal. A row without a seal is as old as its wallet, or forged.
func (s sealer) fault(seal string, row []string, walletSealed bool) error {
	for i, key := range s.keys {
		switch {
		case !hmac.Equal([]byte(seal), []byte(sealWith(key, row))):
		case i == 0:
			return nil
		default:
			return ports.ErrOldSeal
		}
	}
	if seal == "" && !walletSealed {
		return ports.ErrUnsealed
	}
	return ports.ErrTampered
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// micros returns a time of a row as it is sealed.
func micros(t sql.NullInt64) string {
	if !t.Valid {
		return ""
	}
	return number(t.Int64)
}

func walletRow(w core.DepositWallet, confirmed sql.NullInt64) []string {
	return []string{
		"deposit_wallets", w.Wallet, w.Fingerprint, w.First.Reveal(), micros(confirmed), number(w.Next),
		number(w.Assigned), number(w.Pool), w.Stopped,
	}
}

func poolRow(wallet string, index int64, address string) []string {
	return []string{"deposit_pool", wallet, number(index), address}
}

// depositRow is a row of deposit_addresses.
type depositRow struct {
	core.Deposit

	key      sql.NullString // of the request
	created  int64
	replaced sql.NullInt64
}

func (r depositRow) columns() []string {
	key := ""
	if r.key.Valid {
		key = "=" + r.key.String
	}
	return []string{
		"deposit_addresses", r.Wallet, number(r.Index), r.ID, r.User.Account, r.User.Profile.Reveal(), r.Address.Reveal(),
		r.Memo.Reveal(), key, number(r.created), micros(r.replaced),
	}
}
