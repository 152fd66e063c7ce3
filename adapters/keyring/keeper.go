package keyring

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"causeway/core"
)

// Keeper changes a file of keys, for "causeway keys". Several may work on one file: each waits for the other.
type Keeper struct {
	path    string
	clock   core.Clock
	entropy core.Entropy // of the system: credentials are made of it
}

// NewKeeper makes the keeper of a file, which need not exist.
func NewKeeper(path string, clock core.Clock, entropy core.Entropy) *Keeper {
	return &Keeper{path: path, clock: clock, entropy: entropy}
}

// Listed is a key with when it was last used; zero: never, or nobody wrote it down.
type Listed struct {
	core.Key

	LastUsed time.Time
}

// maxKeyName is the longest name of a key, in bytes.
const maxKeyName = 100

// Create makes a key and returns it with its credential, which is not kept. Name, scopes, limit and expiry are taken from the
// given key.
func (k *Keeper) Create(want core.Key) (core.Key, core.Secret, error) {
	want.Name = strings.TrimSpace(want.Name)
	switch {
	case want.Name == "" || len(want.Name) > maxKeyName:
		return core.Key{}, "", fmt.Errorf("a key needs a name of 1 to %d characters: whose it is", maxKeyName)
	case len(want.Scopes) == 0:
		return core.Key{}, "", errors.New(`a key needs scopes: operations such as resolve-account, or "*" for all`)
	case !want.Expires.IsZero() && !want.Expires.After(k.clock()):
		return core.Key{}, "", fmt.Errorf("the key would be expired already: %s", want.Expires.Format(time.RFC3339))
	}
	want.ID, want.Created, want.Revoked = letters(k.entropy, idLength), k.clock().UTC(), time.Time{}
	credential := core.Secret(prefix + want.ID + "_" + letters(k.entropy, secretLength))
	err := k.change(func(entries []entry) ([]entry, error) {
		return append(entries, entry{Key: want, Hash: digestOf(credential)}), nil
	})
	return want, credential, err
}

// Rotate makes a key like another one and lets that one expire after the overlap, in which both are good.
func (k *Keeper) Rotate(id string, overlap time.Duration) (core.Key, core.Secret, error) {
	old, err := k.find(id)
	if err != nil {
		return core.Key{}, "", err
	}
	if now := k.clock(); !old.Live(now) {
		return core.Key{}, "", fmt.Errorf("the key %s is expired or revoked; make a new one", id)
	}
	fresh, credential, err := k.Create(old.Key)
	if err != nil {
		return core.Key{}, "", err
	}
	end := k.clock().UTC().Add(overlap)
	err = k.edit(id, func(e *entry) {
		if e.Expires.IsZero() || e.Expires.After(end) {
			e.Expires = end
		}
	})
	return fresh, credential, err
}

// Revoke ends a key at once.
func (k *Keeper) Revoke(id string) error {
	return k.edit(id, func(e *entry) {
		if e.Revoked.IsZero() {
			e.Revoked = k.clock().UTC()
		}
	})
}

// List returns all keys, the oldest first.
func (k *Keeper) List() ([]Listed, error) {
	entries, err := read(k.path)
	used := readUsed(k.path)
	out := make([]Listed, 0, len(entries))
	for _, e := range sorted(entries) {
		out = append(out, Listed{Key: e.Key, LastUsed: used[e.ID]})
	}
	return out, err
}

func (k *Keeper) find(id string) (entry, error) {
	entries, err := read(k.path)
	if err != nil {
		return entry{}, err
	}
	i := slices.IndexFunc(entries, func(e entry) bool { return e.ID == id })
	if i < 0 {
		return entry{}, fmt.Errorf("there is no key %s; see causeway keys list", core.Quoted(id))
	}
	return entries[i], nil
}

func (k *Keeper) edit(id string, change func(*entry)) error {
	return k.change(func(entries []entry) ([]entry, error) {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("there is no key %s; see causeway keys list", core.Quoted(id))
		}
		change(&entries[i])
		return entries, nil
	})
}

// change replaces the file by what becomes of its keys, while no other keeper does.
func (k *Keeper) change(next func([]entry) ([]entry, error)) error {
	lock, err := os.OpenFile(k.path+".lock", os.O_CREATE|os.O_RDWR, ownerOnly)
	if err != nil {
		return fmt.Errorf("the file of keys cannot be locked: %w", err)
	}
	defer func() { _ = lock.Close() }() // which unlocks it
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("the file of keys cannot be locked: %w", err)
	}
	entries, err := read(k.path)
	if err != nil {
		return err
	}
	if entries, err = next(entries); err != nil {
		return err
	}
	return write(k.path, entries)
}
