package redis

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

const (
	keysUse    = "keys" // in metrics
	readAgain  = "-"    // begins a mark that no state has
	changeMost = 10     // attempts at a change, where others change the same keys
)

// Keys is a store of callers' keys that replicas share. Each key is signed with a secret that they have in common: who can write to the server,
// and does not know that, makes no keys. A server that forgets is reminded: whoever read a key puts it back, and one that was
// known to be revoked stays so.
type Keys struct {
	server *Client
	secret []byte
	at     []string // the keys, the mark of their state, when they were used

	mu    sync.Mutex
	known map[string]core.StoredKey // by id: all that were read so far
	odd   int                       // how many were not signed at the latest reading
	again int                       // readings after which the server had to be reminded
	stuck bool                      // at the latest of them it took nothing back
}

var _ ports.KeyStore = (*Keys)(nil)

// NewKeys makes a store that signs with a key made of a secret.
func NewKeys(server *Client, secret core.Secret) *Keys {
	k := &Keys{server: server, secret: deriveKey(secret, "keys"), known: map[string]core.StoredKey{}}
	for _, part := range []string{"", ":mark", ":used"} {
		k.at = append(k.at, server.cfg.Prefix+"{keys}"+part) // in braces: all of them on one node of a cluster
	}
	return k
}

// Read reads the keys, unless nothing changed.
func (k *Keys) Read(ctx context.Context, seen string) ([]core.StoredKey, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	written, mark, err := k.load(ctx, seen)
	if err != nil || mark == seen && mark != readAgain {
		return nil, mark, err
	}
	if lost := k.merge(written); len(lost) > 0 {
		_, err := k.put(ctx, written, lost)
		k.tell(err, len(lost))
		k.again++
		mark = readAgain + strconv.Itoa(k.again) // each its own: what was read is new, whatever else becomes of it
	}
	out := make([]core.StoredKey, 0, len(k.known))
	for _, key := range k.known {
		out = append(out, key)
	}
	return byAge(out), mark, nil
}

// tell tells once that the server does not take keys back, until it does.
func (k *Keys) tell(err error, lost int) {
	if err != nil && !k.stuck {
		k.server.log.Error("keys that the shared server lost cannot be put back; they are good in processes that know them alone", zap.Int("keys", lost), zap.Error(err))
	}
	k.stuck = err != nil
}

func byAge(keys []core.StoredKey) []core.StoredKey {
	slices.SortFunc(keys, func(a, b core.StoredKey) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return keys
}

// load reads what is written, by id, and the mark of that. There is nothing where it is the one that was seen.
func (k *Keys) load(ctx context.Context, seen string) (map[string]string, string, error) {
	told, err := k.run(ctx, readKeys, seen)
	if err != nil {
		return nil, "", err
	}
	const both = 2
	parts, err := told.ToArray()
	if err != nil || len(parts) != both {
		return nil, "", errKeysAway(err)
	}
	mark, err := parts[0].ToString()
	if err != nil {
		return nil, "", errKeysAway(err)
	}
	written, err := parts[1].AsStrMap()
	if err != nil {
		return nil, "", errKeysAway(err)
	}
	return written, cmp.Or(mark, readAgain), nil
}

// merge learns what is written, and returns the keys that are known better.
func (k *Keys) merge(written map[string]string) (lost []core.StoredKey) {
	odd := 0
	for id, text := range written {
		key, ok := k.decode(id, text)
		if !ok {
			odd++
			continue
		}
		if known, ok := k.known[id]; ok {
			key = key.Join(known)
		}
		k.known[id] = key
	}
	if odd > k.odd {
		k.server.log.Error("keys on the shared server are not signed with our secret (privacy.hash_key), and are not believed", zap.Int("keys", odd))
	}
	k.odd = odd
	for id, key := range k.known {
		if written[id] != k.encode(key) {
			lost = append(lost, key)
		}
	}
	return lost
}

// put writes keys, unless one of them is not any more what was written.
func (k *Keys) put(ctx context.Context, written map[string]string, keys []core.StoredKey) (stored bool, err error) {
	args := make([]string, 0, 3*len(keys))
	for _, key := range keys {
		args = append(args, key.ID, written[key.ID], k.encode(key))
	}
	told, err := k.run(ctx, putKeys, args...)
	if err != nil {
		return false, err
	}
	n, err := told.AsInt64()
	return n == 1, err
}

// Change changes keys, once nobody else does.
func (k *Keys) Change(ctx context.Context, edit func([]core.StoredKey) ([]core.StoredKey, error)) error {
	for range changeMost {
		written, _, err := k.load(ctx, "")
		if err != nil {
			return err
		}
		var keys []core.StoredKey
		for id, text := range written {
			if key, ok := k.decode(id, text); ok {
				keys = append(keys, key)
			}
		}
		if keys, err = edit(byAge(keys)); err != nil {
			return err
		}
		keys = slices.DeleteFunc(keys, func(key core.StoredKey) bool { return written[key.ID] == k.encode(key) })
		if len(keys) == 0 {
			return nil
		}
		if stored, err := k.put(ctx, written, keys); err != nil || stored {
			return err
		}
	}
	return core.Errorf(core.Conflict, "the keys are being changed by others; try again")
}

// Note writes down when keys were used, of those that there are.
func (k *Keys) Note(ctx context.Context, used map[string]time.Time) error {
	args := make([]string, 0, 2*len(used))
	for id, at := range used {
		args = append(args, id, strconv.FormatInt(at.Unix(), 10))
	}
	_, err := k.run(ctx, noteKeys, args...)
	return err
}

// Used reads when keys were last used.
func (k *Keys) Used(ctx context.Context) (map[string]time.Time, error) {
	var seconds map[string]int64
	err := k.server.do(ctx, keysUse, func(ctx context.Context, client rueidis.Client) error {
		var err error
		seconds, err = client.Do(ctx, client.B().Hgetall().Key(k.at[2]).Build()).AsIntMap()
		return err
	})
	if err != nil {
		return nil, errKeysAway(err)
	}
	used := make(map[string]time.Time, len(seconds))
	for id, at := range seconds {
		used[id] = time.Unix(at, 0).UTC()
	}
	return used, nil
}

func (k *Keys) run(ctx context.Context, script *rueidis.Lua, args ...string) (rueidis.RedisMessage, error) {
	var told rueidis.RedisMessage
	err := k.server.do(ctx, keysUse, func(ctx context.Context, client rueidis.Client) error {
		var err error
		told, err = script.Exec(ctx, client, k.at, args).ToMessage()
		return err
	})
	if err != nil {
		err = errKeysAway(err)
	}
	return told, err
}

func errKeysAway(cause error) error {
	return core.Errorf(core.Unavailable, "the shared store of keys cannot be reached, or is full").With(cause)
}
