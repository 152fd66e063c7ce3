package redis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
)

func TestServerThatTakesNoWritesIsToldOfOnce(t *testing.T) {
	t.Parallel()
	set := func(name, value string) func(*redistest.Server) {
		return func(s *redistest.Server) { s.Do("CONFIG", "SET", name, value) }
	}
	for name, c := range map[string]struct {
		options    []string
		hurt, heal func(*redistest.Server)
		why        string
	}{
		"a full one": {nil, set("maxmemory", "1"), set("maxmemory", "0"), "full"},
		"a replica": {
			nil,
			func(s *redistest.Server) { s.Do("REPLICAOF", "127.0.0.1", "1") },
			func(s *redistest.Server) { s.Do("REPLICAOF", "NO", "ONE") },
			"a replica",
		},
		"one that cannot save": {
			[]string{"--dir", "/proc", "--save", "3600 1"},
			func(s *redistest.Server) { s.Do("BGSAVE") },
			set("stop-writes-on-bgsave-error", "no"),
			"its disk",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Open(t, c.options...)
			seen, told := observer.New(zap.InfoLevel)
			vault := redis.NewVault(connectTo(t, server.URL(), "x:", zap.New(seen), prometheus.NewRegistry()))
			writes := func() bool {
				vault.Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
				_, ok := vault.Load(t.Context(), [32]byte{1})
				vault.Store(t.Context(), [32]byte{1}, nil, 0)
				return ok
			}
			refusals := func() int { return told.FilterMessageSnippet("takes no writes").Len() }
			await(t, "it takes writes", writes)
			c.hurt(server)
			await(t, "the operator is told", func() bool { writes(); return refusals() > 0 })
			for range 50 {
				writes()
			}
			c.heal(server)
			await(t, "the operator is told that it is over", func() bool { return told.FilterMessageSnippet("takes writes again").Len() == 1 })
			await(t, "it takes writes again", writes)
			if refusals() != 1 {
				t.Errorf("told %d times, want once: %v", refusals(), told.All())
			}
			for _, entry := range told.FilterMessageSnippet("takes no writes").All() {
				if why, _ := entry.ContextMap()["why"].(string); !strings.Contains(why, c.why) || strings.Contains(why, "x:") {
					t.Errorf("because %q, want it to be %s", why, c.why)
				}
			}
			if left := server.Do("TYPE", "x:room"); !strings.Contains(left, "none") {
				t.Errorf("the question whether there is room left something: %s", left)
			}
		})
	}
}
