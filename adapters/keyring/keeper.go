package keyring

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"causeway/core"
	"causeway/ports"
)

// Keeper makes and ends the keys of a store, for "causeway keys". Several may work on one store.
type Keeper struct {
	store   ports.KeyStore
	clock   core.Clock
	entropy core.Entropy // of the system: credentials are made of it
}

// NewKeeper makes the keeper of a store.
func NewKeeper(store ports.KeyStore, clock core.Clock, entropy core.Entropy) *Keeper {
	return &Keeper{store: store, clock: clock, entropy: entropy}
}

// maxKeyName is the longest name of a key, in characters.
const maxKeyName = 100

// Create makes a key and returns it with its credential, which is not kept. Name, scopes, limit and expiry are taken from the
// given key.
func (k *Keeper) Create(ctx context.Context, want core.Key) (core.Key, core.Secret, error) {
	want.Name = strings.TrimSpace(want.Name)
	switch {
	case want.Name == "" || utf8.RuneCountInString(want.Name) > maxKeyName:
		return core.Key{}, "", fmt.Errorf("a key needs a name of 1 to %d characters: whose it is", maxKeyName)
	case !utf8.ValidString(want.Name) || strings.ContainsFunc(want.Name, func(c rune) bool { return !unicode.IsPrint(c) }):
		return core.Key{}, "", fmt.Errorf("the name %s has characters that cannot be printed; accepted: letters, digits, marks and spaces", core.Quoted(want.Name))
	case len(want.Scopes) == 0:
		return core.Key{}, "", errors.New(`a key needs scopes: operations such as resolve-account, or "*" for all`)
	case !want.Expires.IsZero() && !want.Expires.After(k.clock()):
		return core.Key{}, "", fmt.Errorf("the key would be expired already: %s", want.Expires.Format(time.RFC3339))
	}
	fresh, credential := k.draw(want)
	err := k.store.Change(ctx, func(keys []core.StoredKey) ([]core.StoredKey, error) { return append(keys, fresh), nil })
	return fresh.Key, credential, err
}

// draw makes a key like another one, with a credential of its own.
func (k *Keeper) draw(like core.Key) (core.StoredKey, core.Secret) {
	like.ID, like.Created, like.Revoked = letters(k.entropy, idLength), k.clock().UTC(), time.Time{}
	credential := core.Secret(prefix + like.ID + "_" + letters(k.entropy, secretLength))
	return core.StoredKey{Key: like, Hash: core.HashOf(credential)}, credential
}

// Rotate makes a key like another one and lets that one expire after the overlap, in which both are good.
func (k *Keeper) Rotate(ctx context.Context, id string, overlap time.Duration) (core.Key, core.Secret, error) {
	if overlap < 0 {
		return core.Key{}, "", fmt.Errorf("both keys cannot be good for %s; accepted: 0s, which ends the old one now, or more", overlap)
	}
	now := k.clock().UTC()
	fresh, credential := k.draw(core.Key{})
	err := k.edit(ctx, id, func(old *core.StoredKey) ([]core.StoredKey, error) {
		if !old.Live(now) {
			return nil, fmt.Errorf("the key %s is expired or revoked; make a new one", id)
		}
		fresh.Name, fresh.Scopes, fresh.Limit, fresh.Expires = old.Name, old.Scopes, old.Limit, old.Expires
		if end := now.Add(overlap); old.Expires.IsZero() || old.Expires.After(end) {
			old.Expires = end
		}
		return []core.StoredKey{fresh}, nil
	})
	if err != nil {
		return core.Key{}, "", err
	}
	return fresh.Key, credential, nil
}

// Revoke ends a key at once.
func (k *Keeper) Revoke(ctx context.Context, id string) error {
	return k.edit(ctx, id, func(key *core.StoredKey) ([]core.StoredKey, error) {
		if key.Revoked.IsZero() {
			key.Revoked = k.clock().UTC()
		}
		return nil, nil
	})
}

// List returns all keys, the oldest first.
func (k *Keeper) List(ctx context.Context) ([]core.Key, error) {
	keys, _, err := k.store.Read(ctx, "")
	if err != nil {
		return nil, err
	}
	used, err := k.store.Used(ctx)
	out := make([]core.Key, 0, len(keys))
	for _, key := range keys {
		key.LastUsed = used[key.ID]
		out = append(out, key.Key)
	}
	return out, err
}

// edit changes one key, and adds those that change returns.
func (k *Keeper) edit(ctx context.Context, id string, change func(*core.StoredKey) ([]core.StoredKey, error)) error {
	return k.store.Change(ctx, func(keys []core.StoredKey) ([]core.StoredKey, error) {
		i := slices.IndexFunc(keys, func(key core.StoredKey) bool { return key.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("there is no key %s; see causeway keys list", core.Quoted(id))
		}
		more, err := change(&keys[i])
		return append(keys, more...), err
	})
}
