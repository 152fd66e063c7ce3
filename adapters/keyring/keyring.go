// Package keyring knows callers' keys: what they may do, until when, and a hash of each credential. The credential itself is
// shown once, when it is made, and kept nowhere.
//
// The keys are in a store, a file (File) or one that replicas share, and in memory: nobody who asks waits for the store. A running process
// looks every second whether it changed. A store that cannot be read or understood leaves the keys as they were, and somebody is
// told: a typing error must not lock everybody out, nor let anybody in. Nothing is revoked meanwhile, as nobody can say so; keys expire all
// the same.
package keyring

import (
	"context"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	lookEvery = time.Second            // revocations are live within five seconds
	joinFor   = 500 * time.Millisecond // how long a start waits for the store
	joinEvery = 20 * time.Millisecond
	askAgain  = 2 * time.Second // for whoever sends a key that may have been made since the store was last read
)

// Ring is the keys of a store, in memory. Make it with Open.
type Ring struct {
	store ports.KeyStore // nil: there is none
	clock core.Clock
	told  func(error)
	fixed atomic.Pointer[map[core.KeyHash]core.Key]
	keys  atomic.Pointer[map[string]core.StoredKey] // by id
	away  atomic.Bool                               // the latest look at the store failed

	mu   sync.Mutex // guards what follows
	mark string     // of the store's state that the keys are of
	last string     // the fault of the latest look

	used sync.Map // of id: *atomic.Int64, nanoseconds since 1970
}

var _ ports.KeyRing = (*Ring)(nil)

// Open reads the keys of a store; nil has none. One that cannot be understood is an error; one that cannot be reached may be so later. Besides
// them the fixed credentials are good for everything, always. told hears of later faults, each once, from several goroutines; it may be nil.
func Open(ctx context.Context, store ports.KeyStore, fixed []core.Secret, clock core.Clock, told func(error)) (*Ring, error) {
	if told == nil {
		told = func(error) {}
	}
	r := &Ring{store: store, clock: clock, told: told}
	r.keys.Store(&map[string]core.StoredKey{})
	r.fix(fixed)
	if err := r.Reload(ctx); err != nil && core.CodeOf(err) != core.Unavailable {
		return nil, err
	}
	return r, nil
}

// fix takes the credentials that are good for everything.
func (r *Ring) fix(credentials []core.Secret) {
	fixed := make(map[core.KeyHash]core.Key, len(credentials))
	for _, credential := range credentials {
		hash := core.HashOf(credential)
		fixed[hash] = core.Key{ID: "fixed_" + hex.EncodeToString(hash[:4]), Name: "configured", Scopes: []string{core.AllScopes}}
	}
	r.fixed.Store(&fixed)
}

// Find returns the key behind a credential.
func (r *Ring) Find(_ context.Context, credential core.Secret) (core.Key, error) {
	now, id := r.clock(), idOf(credential)
	k, known := (*r.keys.Load())[id]
	sent := core.HashOf(credential) // also for an unknown id: the time tells nothing
	if key, ok := (*r.fixed.Load())[sent]; ok {
		return key, nil
	}
	if subtle.ConstantTimeCompare(sent[:], k.Hash[:]) == 1 && known && k.Live(now) {
		r.note(id, now)
		return k.Key, nil
	}
	if !known && id != "" && r.away.Load() {
		return core.Key{}, core.Errorf(core.Unavailable, "Keys cannot be looked up right now; please try again in a moment").Retry(askAgain)
	}
	return core.Key{}, core.Errorf(core.Unauthorized, "The key is unknown, expired or revoked; check the header Authorization: Bearer <key>")
}

// Reload takes the keys that the store has now. With an error they stay as they were.
func (r *Ring) Reload(ctx context.Context) error {
	if r.store == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	keys, mark, err := r.store.Read(ctx, r.mark)
	if err == nil && mark != r.mark {
		err = r.lost(keys)
	}
	r.away.Store(err != nil)
	if err == nil {
		r.take(keys, mark)
	}
	return err
}

// lost is the fault of a store that has no keys any more: they are revoked and not removed, so that somebody took the store away, or emptied it.
func (r *Ring) lost(keys []core.StoredKey) error {
	if n := len(*r.keys.Load()); n > 0 && len(keys) == 0 {
		return fmt.Errorf("the store of keys is gone or empty, and had %d; put it back, or restart to go on without them", n)
	}
	return nil
}

// Len is how many keys there are, good or not, without the fixed ones.
func (r *Ring) Len() int { return len(*r.keys.Load()) }

// take makes the keys of a state of the store the ring's. The caller holds the lock.
func (r *Ring) take(keys []core.StoredKey, mark string) {
	if mark == r.mark {
		return
	}
	byID := make(map[string]core.StoredKey, len(keys))
	for _, k := range keys {
		byID[k.ID] = k
	}
	r.keys.Store(&byID)
	r.mark = mark
}

// Plan reads the store anew, and returns what takes its keys and other fixed credentials into use. A store that cannot be
// understood is an error; where it cannot be reached the keys stay.
func (r *Ring) Plan(ctx context.Context, fixed []core.Secret) (change func(), err error) {
	var keys []core.StoredKey
	mark := ""
	if r.store != nil {
		keys, mark, err = r.store.Read(ctx, "")
		if err != nil && core.CodeOf(err) != core.Unavailable {
			return nil, err
		}
		if err == nil {
			if err = r.lost(keys); err != nil {
				return nil, err
			}
		}
	}
	return func() {
		r.fix(fixed)
		if mark != "" {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.take(keys, mark)
		}
	}, nil
}

// Join waits for a moment until the store can be read, so that a process that starts knows the keys before it is asked.
func (r *Ring) Join(ctx context.Context) {
	patience, again := time.NewTimer(joinFor), time.NewTimer(0)
	defer patience.Stop()
	defer again.Stop()
	for {
		select {
		case <-again.C:
			if core.CodeOf(r.Reload(ctx)) != core.Unavailable {
				return
			}
			again.Reset(joinEvery)
		case <-patience.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Run keeps the keys as the store has them, and writes down when they were last used, until ctx ends. A writing that has to wait
// does not keep it from looking.
func (r *Ring) Run(ctx context.Context) {
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() { r.keepUsed(ctx) })
	look := time.NewTimer(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			look.Reset(lookEvery)
			r.look(ctx)
		}
	}
}

// look reads the store, and tells of a fault once as long as it stays the same.
func (r *Ring) look(ctx context.Context) {
	err := r.Reload(ctx)
	if ctx.Err() != nil {
		return
	}
	text := ""
	if err != nil {
		text = err.Error()
	}
	r.mu.Lock()
	news := text != "" && text != r.last
	r.last = text
	r.mu.Unlock()
	if news {
		r.told(err)
	}
}
