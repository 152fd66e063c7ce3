package redis_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/core"
)

func TestAServerIsAskedAboutItself(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	cfg := redis.Default()
	cfg.URL = server.URL()
	server.Do("CONFIG", "SET", "maxmemory", "67108864")
	server.Do("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	got, err := redis.Inspect(t.Context(), cfg, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if got.Engine != "redis" || got.Version == "" || got.Policy != "allkeys-lru" || got.Most != 64<<20 || got.Used == 0 || got.ReadOnly || got.Latency <= 0 || got.Old() {
		t.Errorf("%+v", got)
	}

	server.Do("CONFIG", "SET", "requirepass", "planted")
	cfg.URL = core.Secret(strings.Replace(server.URL().Reveal(), "redis://", "redis://:planted-wrong@", 1))
	if _, err := redis.Inspect(t.Context(), cfg, time.Now); err == nil || !strings.Contains(err.Error(), "another user or password") || strings.Contains(err.Error(), "planted") {
		t.Errorf("a wrong password: %v", err)
	}
	cfg.URL = server.URL()
	if _, err := redis.Inspect(t.Context(), cfg, time.Now); err == nil || !strings.Contains(err.Error(), "another user or password") {
		t.Errorf("no password: %v", err)
	}
}

func TestAServerThatCannotBeAskedIsComplainedOfInOurWords(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	mute, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0") // takes connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for url, want := range map[string]string{
		"redis://:planted@127.0.0.1:1": "nobody listens",
		"planted":                      "not a URL",
		"redis://:planted@" + mute.Addr().String(): "it ",
	} {
		cfg := redis.Default()
		cfg.URL = core.Secret(url)
		if _, err := redis.Inspect(over, cfg, time.Now); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "planted") || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestOldServersAreToldByTheirMajorVersion(t *testing.T) {
	t.Parallel()
	for r, want := range map[redis.Report]bool{
		{Engine: "redis", Version: "5.0.14"}: true, {Engine: "redis", Version: "6.2.0"}: false, {Engine: "redis", Version: "10.1"}: false,
		{Engine: "redis", Version: ""}: true, {Engine: "valkey", Version: "8.1.0"}: false,
	} {
		if r.Old() != want {
			t.Errorf("%+v", r)
		}
	}
}
