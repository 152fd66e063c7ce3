// Package keyring keeps callers' keys in a file: what they may do, until when, and a hash of each credential. The credential itself is
// shown once, when it is made, and kept nowhere.
//
// The file is JSON, made by this package alone ("causeway keys"), readable by its owner only, and replaced as a whole, so that
// a reader never sees half of it. A running process looks every second whether it was replaced. A file that cannot be read or
// understood leaves the keys as they were, and somebody is told: a typing error must not lock everybody out, nor let anybody in.
package keyring

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

// lookEvery is how often the file is looked at: revocations are live within five seconds.
const lookEvery = time.Second

var errHash = errors.New("a hash is not sha256: and 64 hex digits")

// Ring is the keys of a file, in memory. Make it with Open.
type Ring struct {
	path  string // empty: there is no file
	fixed map[digest]core.Key
	clock core.Clock
	told  func(error)
	keys  atomic.Pointer[map[string]entry] // by id

	mu   sync.Mutex // guards seen
	seen stamp
	last string // the fault of the latest look; Run's alone

	used sync.Map // of id: *atomic.Int64, nanoseconds since 1970
}

// entry is a key with the hash of its credential.
type entry struct {
	core.Key

	Hash digest
}

// stamp tells one state of a file from another.
type stamp struct {
	size int64
	at   time.Time
}

var _ ports.KeyRing = (*Ring)(nil)

// Open reads the keys of a file. A file that does not exist has none; one that cannot be understood is an error. Besides them the fixed
// credentials are good for everything, always. told hears of later faults, each once.
func Open(path string, fixed []core.Secret, clock core.Clock, told func(error)) (*Ring, error) {
	r := &Ring{path: path, clock: clock, told: told, fixed: make(map[digest]core.Key, len(fixed))}
	for _, credential := range fixed {
		hash := digestOf(credential)
		r.fixed[hash] = core.Key{ID: "fixed_" + hex.EncodeToString(hash[:4]), Name: "configured", Scopes: []string{core.AllScopes}}
	}
	r.keys.Store(&map[string]entry{})
	if path == "" {
		return r, nil
	}
	if err := r.Reload(); err != nil {
		return nil, err
	}
	return r, nil
}

// Find returns the key behind a credential.
func (r *Ring) Find(_ context.Context, credential core.Secret) (core.Key, error) {
	now := r.clock()
	e, known := (*r.keys.Load())[idOf(credential)]
	sent := digestOf(credential) // also for an unknown id: the time tells nothing
	if key, ok := r.fixed[sent]; ok {
		return key, nil
	}
	if subtle.ConstantTimeCompare(sent[:], e.Hash[:]) != 1 || !known || !e.Live(now) {
		return core.Key{}, core.Errorf(core.Unauthorized, "The key is unknown, expired or revoked; check the header Authorization: Bearer <key>")
	}
	r.note(e.ID, now)
	return e.Key, nil
}

// note remembers when a key was last used.
func (r *Ring) note(id string, now time.Time) {
	at, ok := r.used.Load(id)
	if !ok {
		at, _ = r.used.LoadOrStore(id, new(atomic.Int64))
	}
	if last, ok := at.(*atomic.Int64); ok {
		last.Store(now.UnixNano())
	}
}

// Reload reads the file if it was replaced since. With an error the keys stay as they were.
func (r *Ring) Reload() error {
	if r.path == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	info, err := os.Stat(r.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		r.seen = stamp{}
		r.keys.Store(&map[string]entry{})
		return nil
	case err != nil:
		return fmt.Errorf("the file of keys cannot be looked at: %w", err)
	}
	state := stamp{info.Size(), info.ModTime()}
	if state == r.seen {
		return nil
	}
	entries, err := read(r.path)
	if err != nil {
		return err
	}
	keys := make(map[string]entry, len(entries))
	for _, e := range entries {
		keys[e.ID] = e
	}
	r.keys.Store(&keys)
	r.seen = state
	return nil
}

// Run keeps the keys as the file has them, and writes down when they were last used, until ctx ends.
func (r *Ring) Run(ctx context.Context) {
	look := time.NewTimer(lookEvery)
	defer look.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			r.keepUsed()
			return
		case <-look.C:
			look.Reset(lookEvery)
			r.look()
			if n%usedEvery == 0 {
				r.keepUsed()
			}
		}
	}
}

// look reads the file, and tells of a fault once as long as it stays the same.
func (r *Ring) look() {
	text, err := "", r.Reload()
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != r.last && r.told != nil {
		r.told(err)
	}
	r.last = text
}

func (r *Ring) keepUsed() {
	if err := r.writeUsed(); err != nil && r.told != nil {
		r.told(err)
	}
}
