package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"causeway/core"
	"causeway/ports"
)

// A credential is "ck_", the key's ID, "_" and a secret. The prefix lets scanners of source code
// find a leaked key, and the ID lets its owner find out which one it is.
//
// Only SHA-256 of the credential is stored. A slow or keyed hash would not add anything: the secret
// has 130 random bits, so a search through all of them is out of reach, and requests stay fast.
const (
	prefix       = "ck_"
	idLength     = 10 // 50 bits
	secretLength = 26 // 130 bits: the length of rand.Text
)

// keyHash is the SHA-256 of a credential.
type keyHash [sha256.Size]byte

func hashOf(credential core.Secret) keyHash { return sha256.Sum256([]byte(credential.Reveal())) }

func (h keyHash) hex() string { return hex.EncodeToString(h[:]) }

// wellFormed reports whether a credential may be one that Keys created.
func wellFormed(credential core.Secret) bool {
	rest, ok := strings.CutPrefix(credential.Reveal(), prefix)
	return ok && len(rest) == idLength+1+secretLength && rest[idLength] == '_'
}

// Keys is the table of API keys.
type Keys struct{ store *Store }

var _ ports.APIKeyStore = Keys{}

// Keys returns the table of API keys.
func (s *Store) Keys() Keys { return Keys{s} }

// Create makes a key with the name, scopes, limit and expiry of the given one. The credential is
// not stored.
func (k Keys) Create(ctx context.Context, key core.Key) (core.Key, core.Secret, error) {
	key.Name = strings.TrimSpace(key.Name)
	if err := CheckKey(key); err != nil {
		return core.Key{}, "", err
	}
	key.Account = ""
	key, credential := newKey(key)
	err := k.change(ctx, func(ctx context.Context, tx *sql.Tx) error { return insertKey(ctx, tx, key, credential) })
	if err != nil {
		return core.Key{}, "", err
	}
	return key, credential, nil
}

// CheckKey reports what is wrong with a key to create.
func CheckKey(key core.Key) error {
	const longestName = 100
	length := utf8.RuneCountInString(strings.TrimSpace(key.Name))
	switch {
	case length == 0 || length > longestName:
		return refuse("a key needs a name of 1 to %d characters", longestName)
	case !utf8.ValidString(key.Name) || strings.ContainsFunc(key.Name, func(c rune) bool { return !unicode.IsPrint(c) }):
		return refuse("the name %s has characters that cannot be printed; accepted: letters, digits, marks and spaces",
			core.Quoted(key.Name))
	case len(key.Scopes) == 0:
		return refuse(`a key needs scopes: operation IDs such as resolve-account, or "*" for all`)
	case !key.Expires.IsZero() && !key.Expires.After(time.Now()):
		return refuse("the expiry %s is in the past", key.Expires.Format(time.RFC3339))
	}
	return nil
}

// newKey draws an ID and a credential for a new key.
func newKey(key core.Key) (core.Key, core.Secret) {
	key.ID = strings.ToLower(rand.Text()[:idLength])
	key.Account = cmp.Or(key.Account, key.ID)
	key.Created, key.Expires = time.Now().UTC().Truncate(time.Microsecond), key.Expires.UTC().Truncate(time.Microsecond)
	key.Revoked, key.LastUsed = time.Time{}, time.Time{}
	return key, core.Secret(prefix + key.ID + "_" + strings.ToLower(rand.Text()))
}

func insertKey(ctx context.Context, tx *sql.Tx, key core.Key, credential core.Secret) error {
	const insert = `INSERT INTO api_keys (id, name, hash, scopes, rate_limit, created_at, expires_at, account, revision)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ` + newRevision + `)`
	_, err := tx.ExecContext(ctx, insert, key.ID, key.Name, hashOf(credential).hex(), strings.Join(key.Scopes, ","),
		key.Limit.String(), key.Created.UnixMicro(), toMicros(key.Expires), key.Account)
	return err
}

// Rotate makes a key like the one with the given ID, which expires after the overlap. If that key
// expires, the new one is valid for as long as it was.
func (k Keys) Rotate(ctx context.Context, id string, overlap time.Duration) (core.Key, core.Secret, error) {
	if overlap < 0 {
		return core.Key{}, "", refuse("an overlap of %s is not possible; accepted: 0s, which ends the old key now, or more",
			overlap)
	}
	var (
		fresh      core.Key
		credential core.Secret
	)
	err := k.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		old, err := scanKey(tx.QueryRowContext(ctx, selectKeys+` WHERE id = $1`, id))
		now := time.Now()
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return unknownKey(id)
		case err != nil:
			return err
		case !old.Live(now):
			return refuse("the key %s has expired or is revoked; create a new one", id)
		}
		fresh, credential = newKey(old.Key) // with the account of the old one
		if !old.Expires.IsZero() {
			fresh.Expires = fresh.Created.Add(old.Expires.Sub(old.Created))
		}
		if err := insertKey(ctx, tx, fresh, credential); err != nil {
			return err
		}
		end := now.Add(overlap)
		if !old.Expires.IsZero() && old.Expires.Before(end) {
			end = old.Expires
		}
		_, err = tx.ExecContext(ctx, `UPDATE api_keys SET expires_at = $2, revision = `+newRevision+` WHERE id = $1`,
			id, end.UnixMicro())
		return err
	})
	if err != nil {
		return core.Key{}, "", err
	}
	return fresh, credential, nil
}

// Revoke ends a key. A key that is revoked keeps its first revocation time.
func (k Keys) Revoke(ctx context.Context, id string) error {
	return k.change(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $2),
			revision = `+newRevision+` WHERE id = $1`, id, time.Now().UnixMicro())
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(unknownKey(id), err)
		}
		return nil
	})
}

func unknownKey(id string) error {
	return refuse("there is no key %s; see causeway keys list", core.Quoted(id))
}

// newRevision is the revision that a change writes to the keys that it changes.
const newRevision = `(SELECT revision FROM api_keys_revision)`

// change runs fn in a transaction that increments the revision first. The lock on that row makes
// changes wait for each other.
func (k Keys) change(ctx context.Context, fn func(ctx context.Context, tx *sql.Tx) error) error {
	return k.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE api_keys_revision SET revision = revision + 1`); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// List returns the keys in the order of their creation.
func (k Keys) List(ctx context.Context) (keys []core.Key, err error) {
	if err := k.store.migrate(ctx); err != nil {
		return nil, err
	}
	stored, err := k.store.readAllKeys(ctx)
	for _, s := range stored {
		keys = append(keys, s.Key)
	}
	return keys, k.store.explain(err)
}

// load returns the revision and the keys that changed after the seen one. It returns all keys if the seen revision is
// noRevision or newer than the stored one, or if no key has a newer one: an earlier version of Causeway or a
// statement of the operator changed the keys then.
func (k Keys) load(ctx context.Context, seen int64) (keys []storedKey, revision int64, all bool, err error) {
	err = k.store.query(ctx, func(ctx context.Context) error {
		// The revision comes first: a change in between is read again, and not missed.
		err := k.store.db.QueryRowContext(ctx, `SELECT revision FROM api_keys_revision`).Scan(&revision)
		if err != nil || revision <= seen || seen == noRevision {
			return err
		}
		keys, err = collect(ctx, k.store.db, scanKey, selectKeys+` WHERE revision > $1`, seen)
		return err
	})
	if err != nil || revision == seen || len(keys) > 0 {
		return keys, revision, false, err
	}
	keys, err = k.store.readAllKeys(ctx)
	return keys, revision, true, k.store.explain(err)
}

// setLastUsed stores when keys were used last, by ID. Several replicas write: the latest time wins. Each statement has
// a transaction of its own, so that what was written stays written if a later one fails.
func (k Keys) setLastUsed(ctx context.Context, used map[string]time.Time) error {
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(used)), rowsPerStatement) {
		var rows [][]any
		for _, id := range ids {
			rows = append(rows, []any{id, used[id].UnixMicro()})
		}
		written := elements(rows)
		err := k.store.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
			//nolint:gosec // elements returns a constant of the database
			lock := `SELECT id FROM api_keys WHERE id IN (SELECT value->>0 FROM ` + k.store.elements() + `) ORDER BY id` +
				k.store.lockRows() // so that replicas do not wait for each other in a circle
			if _, err := tx.ExecContext(ctx, lock, written); err != nil {
				return err
			}
			//nolint:gosec // elements returns a constant of the database
			_, err := tx.ExecContext(ctx, `UPDATE api_keys SET last_used_at = CAST(value->>1 AS BIGINT)
				FROM `+k.store.elements()+` WHERE api_keys.id = value->>0
					AND (last_used_at IS NULL OR last_used_at < CAST(value->>1 AS BIGINT))`, written)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// storedKey is a row of api_keys.
type storedKey struct {
	core.Key
	hash keyHash
}

const selectKeys = `SELECT id, name, hash, scopes, rate_limit, created_at, expires_at, revoked_at, last_used_at, account
	FROM api_keys`

// readAllKeys returns all keys in the order of their creation. It reads them page by page, because all of them may take
// longer than a query may.
func (s *Store) readAllKeys(ctx context.Context) (keys []storedKey, err error) {
	last := ""
	for more := true; more; {
		page, err := s.readKeyPage(ctx, last)
		if err != nil {
			return nil, err
		}
		keys = append(keys, page...)
		if more = len(page) == rowsPerStatement; more {
			last = page[len(page)-1].ID
		}
	}
	slices.SortFunc(keys, func(a, b storedKey) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return keys, nil
}

// readKeyPage returns the keys that follow an ID.
func (s *Store) readKeyPage(ctx context.Context, after string) ([]storedKey, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return collect(ctx, s.db, scanKey, selectKeys+` WHERE id > $1 ORDER BY id LIMIT $2`, after, rowsPerStatement)
}

// scanKey reads a row. A row that is damaged is a revoked key: it grants no access, and keys list
// shows it.
func scanKey(row scanner) (key storedKey, err error) {
	var digits, scopes, limit string
	err = row.Scan(&key.ID, &key.Name, &digits, &scopes, &limit, (*timeColumn)(&key.Created), (*timeColumn)(&key.Expires),
		(*timeColumn)(&key.Revoked), (*timeColumn)(&key.LastUsed), &key.Account)
	if err != nil {
		return key, err
	}
	key.Scopes = strings.Split(scopes, ",")
	raw, hashErr := hex.DecodeString(digits)
	parsed, limitErr := core.ParseRateLimit(limit)
	if damaged := hashErr != nil || limitErr != nil || len(raw) != len(key.hash); damaged && key.Revoked.IsZero() {
		key.Revoked = time.UnixMicro(0).UTC()
	}
	copy(key.hash[:], raw)
	key.Limit = parsed
	return key, nil
}
