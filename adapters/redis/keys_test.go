package redis_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

const secret = core.Secret("0123456789abcdef0123456789abcdef")

func TestKeys(t *testing.T) {
	t.Parallel()
	server, names := redistest.Open(t), new(prefixes)
	porttest.KeyStore(t, func(t *testing.T, n int) (ways []ports.KeyStore) {
		t.Helper()
		prefix := names.next()
		for range n {
			ways = append(ways, redis.NewKeys(connect(t, server, prefix), secret))
		}
		return ways
	})
}

// alices is a key that is good for everything.
func alices() core.StoredKey {
	return core.StoredKey{
		Key:  core.Key{ID: "0000000001", Name: "alice", Scopes: []string{"*"}, Created: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)},
		Hash: core.HashOf("alice's"),
	}
}

func write(t *testing.T, s ports.KeyStore, keys ...core.StoredKey) {
	t.Helper()
	await(t, "the keys are written", func() bool { // on a busy machine an answer may be too late
		return s.Change(t.Context(), func([]core.StoredKey) ([]core.StoredKey, error) { return keys, nil }) == nil
	})
}

// ids are the ids of the keys that are there, with an exclamation mark behind those that are revoked; "-" where nobody can tell.
func ids(t *testing.T, s ports.KeyStore) string {
	t.Helper()
	keys, _, err := s.Read(t.Context(), "")
	if core.CodeOf(err) == core.Unavailable {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, k := range keys {
		id := k.ID
		if !k.Revoked.IsZero() {
			id += "!"
		}
		out = append(out, id)
	}
	return strings.Join(out, " ")
}

func TestServerForgetsKeys(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	current, outdated := redis.NewKeys(connect(t, server, "x:"), secret), redis.NewKeys(connect(t, server, "x:"), secret)
	key := alices()
	write(t, current, key)
	await(t, "both know the key", func() bool { return ids(t, current) == key.ID && ids(t, outdated) == key.ID })
	key.Revoked = key.Created.Add(time.Hour)
	write(t, current, key)
	await(t, "one knows that it is revoked", func() bool { return ids(t, current) == key.ID+"!" })

	server.Do("FLUSHALL")
	await(t, "who does not know puts it back", func() bool { return ids(t, outdated) == key.ID })
	fresh := redis.NewKeys(connect(t, server, "x:"), secret)
	await(t, "who knows puts that back, too", func() bool { return ids(t, current) == key.ID+"!" && ids(t, fresh) == key.ID+"!" })
	await(t, "all know it", func() bool { return ids(t, outdated) == key.ID+"!" })

	server.Kill()
	await(t, "nobody can tell", func() bool { return ids(t, current) == "-" })
	server.Start()
	await(t, "the keys are there again", func() bool { return ids(t, fresh) == key.ID+"!" })
}

// A server may throw the keys out, as one that is full does, and keep the mark of their state.
func TestServerKeepsTheMarkAlone(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	s, key, mark := redis.NewKeys(connect(t, server, "x:"), secret), alices(), ""
	read := func() bool { // as a ring does
		keys, next, err := s.Read(t.Context(), mark)
		if err == nil {
			mark = next
		}
		return err == nil && len(keys) == 1
	}
	write(t, s, key)
	await(t, "the key is known", read)
	server.Do("DEL", "x:{keys}")
	if server.Do("GET", "x:{keys}:mark") == "" {
		t.Fatal("the mark went with the keys")
	}
	fresh := redis.NewKeys(connect(t, server, "x:"), secret)
	await(t, "who comes later knows it, since who knows puts it back", func() bool { read(); return ids(t, fresh) == key.ID })
	await(t, "it can be revoked", func() bool {
		return s.Change(t.Context(), func(keys []core.StoredKey) ([]core.StoredKey, error) {
			for i := range keys {
				keys[i].Revoked = key.Created.Add(time.Hour)
			}
			return keys, nil
		}) == nil && ids(t, fresh) == key.ID+"!"
	})
}

// A server that is full keeps what it has, and takes what it lost once it has room again.
func TestFullServerAndKeys(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	s := redis.NewKeys(connect(t, server, "x:"), secret)
	write(t, s, alices())
	await(t, "the key is known", func() bool { return ids(t, s) == alices().ID })
	server.Do("FLUSHALL")
	server.Do("CONFIG", "SET", "maxmemory", "1")
	await(t, "the key is known to whoever read it", func() bool { return ids(t, s) == alices().ID })
	err := s.Change(t.Context(), func(keys []core.StoredKey) ([]core.StoredKey, error) { return append(keys, alices()), nil })
	if core.CodeOf(err) != core.Unavailable {
		t.Errorf("a full server took a key: %v", err)
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	other := redis.NewKeys(connect(t, server, "x:"), secret)
	await(t, "others know it again", func() bool { return ids(t, s) == alices().ID && ids(t, other) == alices().ID })
}

// While lost keys cannot be put back, what others revoke is heard of all the same, and the operator is told once.
func TestKeysThatCannotBePutBack(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	seen, told := observer.New(zap.ErrorLevel)
	s := redis.NewKeys(connectTo(t, server.URL(), "x:", zap.New(seen), prometheus.NewRegistry()), secret)
	second := alices()
	second.ID = "0000000002"
	write(t, s, alices(), second)
	await(t, "the keys are known", func() bool { return ids(t, s) == alices().ID+" "+second.ID })
	server.Do("FLUSHALL")
	server.Do("CONFIG", "SET", "maxmemory", "1")
	mark := ""
	read := func() (out string) {
		keys, next, err := s.Read(t.Context(), mark)
		if err != nil || next == mark { // as a ring does: what has the mark that it knows is nothing new
			return ""
		}
		mark = next
		for _, k := range keys {
			out += map[bool]string{true: k.ID + " ", false: k.ID + "! "}[k.Revoked.IsZero()]
		}
		return out
	}
	await(t, "they are known still", func() bool { return read() == alices().ID+" "+second.ID+" " })

	server.Do("CONFIG", "SET", "maxmemory", "0")
	revoked := alices()
	revoked.Revoked = revoked.Created.Add(time.Hour)
	write(t, redis.NewKeys(connect(t, server, "x:"), secret), revoked)
	server.Do("CONFIG", "SET", "maxmemory", "1")
	await(t, "one was revoked", func() bool { return read() == alices().ID+"! "+second.ID+" " })
	if n := told.FilterMessageSnippet("cannot be put back").Len(); n != 1 {
		t.Errorf("told %d times, want once: %v", n, told.All())
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	other := redis.NewKeys(connect(t, server, "x:"), secret)
	await(t, "both are put back", func() bool { read(); return ids(t, other) == revoked.ID+"! "+second.ID })
	await(t, "nothing is new from then on", func() bool { return read() == "" })
}

func TestKeysThatNobodySigned(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	s := redis.NewKeys(connect(t, server, "x:"), secret)
	forged := alices()
	forged.ID = "0000000002"
	text, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}
	write(t, redis.NewKeys(connect(t, server, "x:"), "another secret of 32 characters."), forged)
	server.Do("HSET", "x:{keys}", "0000000003", string(text))
	write(t, s, alices())
	server.Do("HSET", "x:{keys}", "0000000004", server.Do("HGET", "x:{keys}", alices().ID))
	await(t, "only what is signed, where it was written, is believed", func() bool { return ids(t, s) == alices().ID })
	if stored := server.Do("HGET", "x:{keys}", alices().ID); strings.Contains(stored, "alice's") {
		t.Errorf("the server has a credential: %s", stored)
	}
}

// A server that never answers costs a reading no more than its time.
func TestKeysOfASilentServer(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	s := redis.NewKeys(connect(t, server, "x:"), secret)
	server.Pause()
	defer server.Resume()
	await(t, "nobody can tell", func() bool { return ids(t, s) == "-" })
}
