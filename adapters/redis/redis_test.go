package redis_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/rueidis"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/adapters/gcra"
	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

// connect shares a server, and waits until it is in use.
func connect(t *testing.T, server *redistest.Server, prefix string) *redis.Server {
	t.Helper()
	return connectBy(t, server.URL(), prefix)
}

// connectBy shares the server behind a URL.
func connectBy(t *testing.T, url core.Secret, prefix string) *redis.Server {
	t.Helper()
	return connectTo(t, url, prefix, zap.NewNop(), prometheus.NewRegistry())
}

// connectTo is connectBy with the log and the metrics where they can be read.
func connectTo(t *testing.T, url core.Secret, prefix string, log *zap.Logger, reg *prometheus.Registry) *redis.Server {
	t.Helper()
	cfg := redis.Default()
	cfg.URL, cfg.Prefix = url, prefix
	s, err := redis.New(cfg, log, reg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	await(t, "the server answers", s.Up)
	return s
}

// counted is the sum of a counter, whatever its labels.
func counted(t *testing.T, reg *prometheus.Registry, name string) (sum int) {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			for _, m := range family.GetMetric() {
				sum += int(m.GetCounter().GetValue())
			}
		}
	}
	return sum
}

// await waits for something that happens soon, in a process that is not ours.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	patience := time.NewTimer(30 * time.Second)
	defer patience.Stop()
	for !happened() {
		select {
		case <-poll.C:
		case <-patience.C:
			t.Fatalf("never: %s", what)
		}
	}
}

// prefixes keep the tests on one server apart.
type prefixes struct {
	mu sync.Mutex
	n  int
}

func (p *prefixes) next() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return "t" + strconv.Itoa(p.n) + ":"
}

// pass lets time pass for everything under a prefix: instants come nearer, and so do the ends of keys.
func pass(t *testing.T, server *redistest.Server, prefix string, by time.Duration) {
	t.Helper()
	server.With(func(ctx context.Context, c rueidis.Client) {
		keys, err := c.Do(ctx, c.B().Keys().Pattern(prefix+"*").Build()).AsStrSlice()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			left, err := c.Do(ctx, c.B().Pttl().Key(key).Build()).AsInt64()
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(key, prefix+"limit:") {
				if err := c.Do(ctx, c.B().Decrby().Key(key).Decrement(by.Microseconds()).Build()).Error(); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Do(ctx, c.B().Pexpire().Key(key).Milliseconds(left-by.Milliseconds()).Build()).Error(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	server, names := redistest.Open(t), new(prefixes)
	porttest.RateLimiter(t, func(t *testing.T) (ports.RateLimiter, func(time.Duration)) {
		t.Helper()
		prefix := names.next()
		return redis.NewLimiter(connect(t, server, prefix), none{t}, secret), func(by time.Duration) { pass(t, server, prefix, by) }
	})
}

// none is a limiter that must not be needed.
type none struct{ t *testing.T }

func (n none) Take(context.Context, string, core.RateLimit, int) (core.Allowance, error) {
	n.t.Error("the limiter counted by itself")
	return core.Allowance{}, nil
}

func TestVault(t *testing.T) {
	t.Parallel()
	server, names := redistest.Open(t), new(prefixes)
	porttest.Vault(t, porttest.Safe{Open: func(t *testing.T) (ports.Vault, func(time.Duration)) {
		t.Helper()
		prefix := names.next()
		return redis.NewVault(connect(t, server, prefix)), func(by time.Duration) { pass(t, server, prefix, by) }
	}})
}

func TestReplicasShareALimit(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	limit := core.RateLimit{Calls: 20, Per: time.Hour}
	allowed := 0
	for range 3 {
		limiter := redis.NewLimiter(connect(t, server, "shared:"), none{t}, secret)
		for range 10 {
			a, err := limiter.Take(t.Context(), "a", limit, 1)
			if err != nil {
				t.Fatal(err)
			}
			if a.OK {
				allowed++
			}
		}
	}
	if allowed != limit.Calls {
		t.Errorf("three replicas allowed %d calls, want %d", allowed, limit.Calls)
	}
}

// Whatever happens to the server, calls are counted at the same rate by each replica alone, a question costs no more than the
// time-out, and what is shared is in use again once the server is back.
func TestServerInTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ hurt, heal func(*redistest.Server) }{
		"killed":  {(*redistest.Server).Kill, (*redistest.Server).Start},
		"stopped": {(*redistest.Server).Pause, (*redistest.Server).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, reg := redistest.Open(t), prometheus.NewRegistry()
			s := connectTo(t, server.URL(), "x:", zap.NewNop(), reg)
			waited := func() int { return counted(t, reg, "causeway_redis_failures_total") }
			limiter, vault := redis.NewLimiter(s, gcra.New(time.Now), secret), redis.NewVault(s)
			limit := core.RateLimit{Calls: 5, Per: time.Hour}
			vault.Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
			c.hurt(server)
			before, allowed := waited(), 0
			for range 20 {
				a, err := limiter.Take(t.Context(), "a", limit, 1)
				if err != nil {
					t.Fatal(err)
				}
				if a.OK {
					allowed++
				}
				if _, ok := vault.Load(t.Context(), [32]byte{1}); ok {
					t.Error("a server in trouble answered")
				}
			}
			if n := waited() - before; n > 2 {
				t.Errorf("%d of 40 questions waited for the server; only the first may, and one more where a ping was answered just before", n)
			}
			if allowed != limit.Calls {
				t.Errorf("%d calls were allowed by this replica alone, want %d", allowed, limit.Calls)
			}
			await(t, "it is known that the server is gone", func() bool { return !s.Up() })
			c.heal(server)
			await(t, "the server is in use again", s.Up)
			await(t, "what is shared is kept again", func() bool { // on a busy machine an answer may be too late
				vault.Store(t.Context(), [32]byte{2}, []byte("again"), time.Hour)
				got, ok := vault.Load(t.Context(), [32]byte{2})
				return ok && string(got) == "again"
			})
		})
	}
}

func TestFlushedAndFull(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t, "--maxmemory", "2mb", "--maxmemory-policy", "noeviction")
	s := connect(t, server, "x:")
	limiter, vault := redis.NewLimiter(s, gcra.New(time.Now), secret), redis.NewVault(s)
	vault.Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
	server.Do("FLUSHALL")
	if got, ok := vault.Load(t.Context(), [32]byte{1}); ok {
		t.Errorf("after a flush: %q", got)
	}
	server.Do("SCRIPT", "FLUSH")
	limit := core.RateLimit{Calls: 2, Per: time.Hour}
	if a, err := limiter.Take(t.Context(), "a", limit, 1); err != nil || !a.OK || a.Remaining != 1 {
		t.Errorf("after the scripts were flushed: %+v, %v", a, err)
	}
	for i := range 200 { // out of memory
		vault.Store(t.Context(), [32]byte{2, byte(i)}, make([]byte, 64<<10), time.Hour)
	}
	allowed := 0
	for range 10 {
		if a, err := limiter.Take(t.Context(), "b", limit, 1); err != nil {
			t.Fatal(err)
		} else if a.OK {
			allowed++
		}
	}
	if allowed != limit.Calls {
		t.Errorf("with a full server %d calls were allowed, want %d", allowed, limit.Calls)
	}
	if !s.Up() {
		t.Error("a full server still answers, and counts as gone")
	}
}

func TestUnreachableAtTheStart(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	server.Kill()
	cfg := redis.Default()
	cfg.URL = server.URL()
	seen, told := observer.New(zap.InfoLevel)
	s, err := redis.New(cfg, zap.New(seen), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	await(t, "the operator is told", func() bool { return told.FilterLevelExact(zap.WarnLevel).Len() > 0 })
	if a, err := redis.NewLimiter(s, gcra.New(time.Now), secret).Take(t.Context(), "a", core.RateLimit{Calls: 1, Per: time.Hour}, 1); err != nil || !a.OK {
		t.Errorf("%+v, %v", a, err)
	}
	server.Start()
	await(t, "the server is in use", s.Up)
	await(t, "the operator is told of that, too", func() bool { return told.FilterLevelExact(zap.InfoLevel).Len() > 0 })
	if first := told.All()[0]; first.Level != zap.WarnLevel {
		t.Errorf("told first: %v", first)
	}
}

func TestServerThatNeverAnswersIsWarnedOfOnce(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_ = conn.Close()
		}
	}()
	seen, told := observer.New(zap.InfoLevel)
	cfg := redis.Default()
	cfg.URL = core.Secret("redis://" + listener.Addr().String())
	s, err := redis.New(cfg, zap.New(seen), prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	await(t, "it was asked often", func() bool { return asked.Load() > 9 })
	cancel()
	<-done
	if n := told.Len(); n != 1 || told.All()[0].Level != zap.WarnLevel {
		t.Errorf("told %d times, want once: %v", n, told.All())
	}
}

func TestServerThatAnswersAtOnceIsNotWarnedOf(t *testing.T) {
	t.Parallel()
	seen, told := observer.New(zap.InfoLevel)
	connectTo(t, redistest.Open(t).URL(), "x:", zap.New(seen), prometheus.NewRegistry())
	await(t, "the operator is told", func() bool { return told.Len() > 0 })
	if first := told.All()[0]; first.Level != zap.InfoLevel || !strings.Contains(first.Message, "the shared server answers") {
		t.Errorf("told first: %v", first)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg  redis.Config
		want string
	}{
		"a URL that is none": {redis.Config{URL: "http://user:hush@host", Prefix: "a", Timeout: time.Second}, "redis.url"},
		"no prefix":          {redis.Config{URL: "redis://host", Timeout: time.Second}, "redis.prefix"},
		"no time":            {redis.Config{URL: "redis://host", Prefix: "a"}, "redis.timeout"},
		"too much time":      {redis.Config{URL: "redis://host", Prefix: "a", Timeout: time.Minute}, "redis.timeout"},
	} {
		err := c.cfg.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(fmt.Sprint(err, c.cfg), "hush") {
			t.Errorf("%s: got %v, want a fault of %s", name, err, c.want)
		}
	}
	if err := redis.Default().Check(); err != nil {
		t.Error(err)
	}
}
