package redis_test

import (
	"context"
	"strconv"
	"strings"
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

const secret = core.Secret("a secret of at least 32 characters")

// connection is a client under test with its log and metrics.
type connection struct {
	*redis.Client
	logs *observer.ObservedLogs
	reg  *prometheus.Registry
}

// open opens a client and runs it until the test ends. It does not wait for the connection.
func open(t *testing.T, url core.Secret, prefix string) connection {
	t.Helper()
	cfg := redis.Default()
	cfg.URL, cfg.Prefix = url, prefix
	log, logs := observer.New(zap.InfoLevel)
	reg := prometheus.NewRegistry()
	client, err := redis.Open(cfg, zap.New(log), reg)
	if err != nil {
		t.Fatal(err)
	}
	background(t, client.Run)
	return connection{client, logs, reg}
}

// connect opens a client and waits for the connection.
func connect(t *testing.T, url core.Secret, prefix string) connection {
	t.Helper()
	c := open(t, url, prefix)
	await(t, "connection", c.Up)
	return c
}

// background runs f until the returned function is called or the test ends.
func background(t *testing.T, f func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); f(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// await polls until a condition holds that depends on another process.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	deadline := time.NewTimer(3 * time.Minute)
	defer deadline.Stop()
	for !condition() {
		select {
		case <-poll.C:
		case <-deadline.C:
			t.Fatalf("timed out: %s", what)
		}
	}
}

// errors returns the number of failed commands.
func (c connection) errors(t *testing.T) (sum int) {
	t.Helper()
	families, err := c.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "causeway_redis_errors_total" {
			for _, m := range family.GetMetric() {
				sum += int(m.GetCounter().GetValue())
			}
		}
	}
	return sum
}

// advance simulates the passing of time for all keys of a prefix: it moves arrival times and expiries closer.
func advance(t *testing.T, server *redistest.Server, prefix string, by time.Duration) {
	t.Helper()
	server.With(func(ctx context.Context, c rueidis.Client) {
		keys, err := c.Do(ctx, c.B().Keys().Pattern(prefix+"*").Build()).AsStrSlice()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if key == prefix+"lookups" {
				age(ctx, t, c, key, by)
				continue
			}
			left, err := c.Do(ctx, c.B().Pttl().Key(key).Build()).AsInt64()
			if err == nil && strings.HasPrefix(key, prefix+"limit:") {
				err = c.Do(ctx, c.B().Decrby().Key(key).Decrement(by.Microseconds()).Build()).Error()
			}
			if err == nil {
				err = c.Do(ctx, c.B().Pexpire().Key(key).Milliseconds(left-by.Milliseconds()).Build()).Error()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// age simulates the passing of time for a stream: it writes all entries again with earlier IDs.
func age(ctx context.Context, t *testing.T, c rueidis.Client, key string, by time.Duration) {
	t.Helper()
	entries, err := c.Do(ctx, c.B().Xrange().Key(key).Start("-").End("+").Build()).AsXRange()
	if err != nil {
		t.Fatal(err)
	}
	commands := rueidis.Commands{c.B().Del().Key(key).Build()}
	for _, e := range entries {
		at, n, _ := strings.Cut(e.ID, "-")
		ms, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		id := strconv.FormatInt(ms-by.Milliseconds(), 10) + "-" + n
		commands = append(commands, c.B().Xadd().Key(key).Id(id).FieldValue().FieldValue("r", e.FieldValues["r"]).Build())
	}
	for _, reply := range c.DoMulti(ctx, commands...) {
		if err := reply.Error(); err != nil {
			t.Fatal(err)
		}
	}
}

// prefixes returns a function that returns a new prefix for each caller, so that tests can share a server.
func prefixes() func() string {
	var n atomic.Int64
	return func() string { return "t" + strconv.FormatInt(n.Add(1), 10) + ":" }
}

// unused is a limiter that fails the test when it is called.
type unused struct{ t *testing.T }

func (u unused) Take(context.Context, string, core.RateLimit, int) (core.Allowance, error) {
	u.t.Error("the local limiter was used")
	return core.Allowance{}, nil
}

func TestLimiter(t *testing.T) {
	t.Parallel()
	server, prefix := redistest.Open(t), prefixes()
	porttest.RateLimiter(t, func(t *testing.T) (ports.RateLimiter, func(time.Duration)) {
		t.Helper()
		p := prefix()
		limiter := redis.NewLimiter(connect(t, server.URL(), p).Client, unused{t}, secret)
		return limiter, func(by time.Duration) { advance(t, server, p, by) }
	})
}

func TestLimiter_Shared(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	limit := core.RateLimit{Calls: 20, Per: time.Hour}
	allowed := 0
	for range 3 {
		limiter := redis.NewLimiter(connect(t, server.URL(), "x:").Client, unused{t}, secret)
		for range 10 {
			if a, err := limiter.Take(t.Context(), "198.51.100.7", limit, 1); err != nil {
				t.Fatal(err)
			} else if a.OK {
				allowed++
			}
		}
	}
	if allowed != limit.Calls {
		t.Errorf("three replicas allowed %d calls, want %d", allowed, limit.Calls)
	}
	if keys := server.Do("KEYS", "*"); strings.Contains(keys, "198.51") {
		t.Errorf("got keys %s, want no clear text of a caller", keys)
	}
}

func TestNameCache(t *testing.T) {
	t.Parallel()
	server, prefix := redistest.Open(t), prefixes()
	porttest.NameCache(t, porttest.NameCacheSpec{Open: func(t *testing.T) (ports.NameCache, func(time.Duration)) {
		t.Helper()
		p := prefix()
		return redis.NewNameCache(connect(t, server.URL(), p).Client), func(by time.Duration) { advance(t, server, p, by) }
	}})
}

func TestLookups(t *testing.T) {
	t.Parallel()
	server, prefix := redistest.Open(t), prefixes()
	porttest.LookupLog(t, func(t *testing.T) (a, b ports.LookupLog, pass func(time.Duration)) {
		t.Helper()
		p := prefix()
		log := func() ports.LookupLog { return redis.NewLookups(connect(t, server.URL(), p).Client) }
		return log(), log(), func(by time.Duration) { advance(t, server, p, by) }
	})
}

// TestLookups_Lost checks that a position of a stream that was lost does not hide new records,
// although the clock of the new server is late.
func TestLookups_Lost(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	log := redis.NewLookups(connect(t, server.URL(), "x:").Client)
	if err := log.Append(t.Context(), []byte("lost")); err != nil {
		t.Fatal(err)
	}
	_, position, err := log.Read(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	server.Do("FLUSHALL")
	server.Do("XADD", "x:lookups", "1-1", "r", "new")
	if got, last, err := log.Read(t.Context(), position); err != nil || len(got) != 1 || last != "1-1" {
		t.Errorf("got %q and position %q, %v", got, last, err)
	}
	server.Kill()
	if err := log.Append(t.Context(), nil); core.CodeOf(err) != core.Unavailable {
		t.Errorf("server away: got %v, want unavailable", err)
	}
}

func TestLayered(t *testing.T) {
	t.Parallel()
	server, prefix := redistest.Open(t), prefixes()
	cache := func(t *testing.T, p string) redis.NameCache {
		t.Helper()
		return redis.NewNameCache(connect(t, server.URL(), p).Client)
	}
	porttest.NameCache(t, porttest.NameCacheSpec{Open: func(t *testing.T) (ports.NameCache, func(time.Duration)) {
		t.Helper()
		local, shared := prefix(), prefix()
		return redis.Layered(cache(t, local), cache(t, shared)), func(by time.Duration) {
			advance(t, server, local, by)
			advance(t, server, shared, by)
		}
	}})
	t.Run("values of others are copied for a minute", func(t *testing.T) {
		t.Parallel()
		local, shared := prefix(), prefix()
		cache(t, shared).Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
		cache(t, shared).Store(t.Context(), [32]byte{2}, []byte("sealed"), 30*time.Second)
		layered := redis.Layered(cache(t, local), cache(t, shared))
		for _, c := range []struct {
			after time.Duration
			want  [2]bool // whether the local cache has a copy
		}{{0, [2]bool{true, true}}, {29 * time.Second, [2]bool{true, true}}, {2 * time.Second, [2]bool{true, false}}, {30 * time.Second, [2]bool{}}} {
			if advance(t, server, local, c.after); c.after == 0 {
				for key := range c.want {
					if value, ok := layered.Load(t.Context(), [32]byte{byte(key + 1)}); !ok || string(value) != "sealed" {
						t.Errorf("shared cache, key %d: got %q, %t", key, value, ok)
					}
				}
			}
			for key, want := range c.want {
				if _, ok := cache(t, local).Load(t.Context(), [32]byte{byte(key + 1)}); ok != want {
					t.Errorf("%s later, key %d: got %t in the local cache, want %t", c.after, key, ok, want)
				}
			}
		}
	})
}

// TestClient_Outage checks that an outage costs no more than one time-out, and that the client recovers.
func TestClient_Outage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ fail, recover func(*redistest.Server) }{
		"killed":  {(*redistest.Server).Kill, (*redistest.Server).Start},
		"stopped": {(*redistest.Server).Pause, (*redistest.Server).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Open(t)
			client := connect(t, server.URL(), "x:")
			limiter := redis.NewLimiter(client.Client, gcra.New(time.Now), secret)
			cache := redis.NewNameCache(client.Client)
			limit := core.RateLimit{Calls: 5, Per: time.Hour}
			cache.Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
			c.fail(server)
			before, allowed := client.errors(t), 0
			for range 20 {
				if a, err := limiter.Take(t.Context(), "a", limit, 1); err != nil {
					t.Fatal(err)
				} else if a.OK {
					allowed++
				}
				if _, ok := cache.Load(t.Context(), [32]byte{1}); ok {
					t.Error("server down: got a value, want a miss")
				}
			}
			if n := client.errors(t) - before; n > 2 { // a ping may have succeeded just before
				t.Errorf("got %d of 40 calls that waited for the server", n)
			}
			if allowed != limit.Calls {
				t.Errorf("the local limiter allowed %d calls, want %d", allowed, limit.Calls)
			}
			await(t, "outage is detected", func() bool { return !client.Up() })
			c.recover(server)
			await(t, "commands work again", func() bool {
				cache.Store(t.Context(), [32]byte{2}, []byte("again"), time.Hour)
				value, ok := cache.Load(t.Context(), [32]byte{2})
				return ok && string(value) == "again"
			})
		})
	}
}

// TestClient_ImpatientCallers checks that calls which end before the server replies are misses: the
// server stays in use, over the same connection, and limits stay shared.
func TestClient_ImpatientCallers(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	network := server.Proxy()
	client := connect(t, network.URL(), "x:")
	cache := redis.NewNameCache(client.Client)
	cache.Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
	connection := func() string {
		list, _, _ := strings.Cut(server.Do("CLIENT", "LIST"), " name=causeway ")
		id, _, _ := strings.Cut(list[strings.LastIndex(list, "id="):], " ")
		return id
	}
	before := connection()
	network.Slow(20 * time.Millisecond)
	for name, impatient := range map[string]func() (context.Context, context.CancelFunc){
		"deadline": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(t.Context(), 10*time.Millisecond)
		},
		"canceled": func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			timer := time.AfterFunc(10*time.Millisecond, cancel)
			return ctx, func() { timer.Stop(); cancel() }
		},
	} {
		for range 10 {
			ctx, end := impatient()
			if _, ok := cache.Load(ctx, [32]byte{1}); ok {
				t.Errorf("%s: got a value before the server replied", name)
			}
			end()
			limiter := redis.NewLimiter(client.Client, unused{t}, secret)
			if _, err := limiter.Take(t.Context(), "a", core.RateLimit{Calls: 100, Per: time.Hour}, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if value, ok := cache.Load(t.Context(), [32]byte{1}); !ok || string(value) != "sealed" {
		t.Errorf("a patient caller: got %q, %t", value, ok)
	}
	if warnings := client.logs.FilterLevelExact(zap.WarnLevel).All(); len(warnings) > 0 || client.errors(t) > 0 {
		t.Errorf("got warnings %v and %d errors, want none", warnings, client.errors(t))
	}
	if after := connection(); after != before {
		t.Errorf("connection: got %s, want %s", after, before)
	}
}

func TestClient_StartWithoutServer(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	server.Kill()
	client := open(t, server.URL(), "x:")
	warnings := func() int { return client.logs.FilterLevelExact(zap.WarnLevel).Len() }
	await(t, "warning", func() bool { return warnings() > 0 })
	limiter := redis.NewLimiter(client.Client, gcra.New(time.Now), secret)
	if a, err := limiter.Take(t.Context(), "a", core.RateLimit{Calls: 1, Per: time.Hour}, 1); err != nil || !a.OK {
		t.Errorf("%+v, %v", a, err)
	}
	server.Start()
	await(t, "connection", client.Up)
	if n := warnings(); n != 1 {
		t.Errorf("%d warnings, want 1: %v", n, client.logs.All())
	}
}

// TestClient_FullServer checks that a server that rejects writes is used for reads, and that the log says so once.
func TestClient_FullServer(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	client := connect(t, server.URL(), "x:")
	limiter := redis.NewLimiter(client.Client, gcra.New(time.Now), secret)
	cache := redis.NewNameCache(client.Client)
	server.Do("CONFIG", "SET", "maxmemory", "1")
	limit, allowed := core.RateLimit{Calls: 2, Per: time.Hour}, 0
	for range 10 {
		if a, err := limiter.Take(t.Context(), "b", limit, 1); err != nil {
			t.Fatal(err)
		} else if a.OK {
			allowed++
		}
	}
	if allowed != limit.Calls {
		t.Errorf("%d calls were allowed, want %d", allowed, limit.Calls)
	}
	if !client.Up() {
		t.Error("full server: got unreachable, want reachable")
	}
	rejected := client.logs.FilterMessageSnippet("redis rejects commands").All()
	if len(rejected) != 1 || !strings.Contains(rejected[0].ContextMap()["error"].(string), "full") {
		t.Errorf("warnings: %v", rejected)
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	server.Do("SCRIPT", "FLUSH")
	if a, err := redis.NewLimiter(client.Client, unused{t}, secret).Take(t.Context(), "c", limit, 1); err != nil || !a.OK {
		t.Errorf("after the scripts were flushed: %+v, %v", a, err)
	}
	cache.Store(t.Context(), [32]byte{1}, []byte("sealed"), time.Hour)
	if value, ok := cache.Load(t.Context(), [32]byte{1}); !ok {
		t.Errorf("with room again: %q, %t", value, ok)
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cfg  redis.Config
		want string
	}{
		"malformed URL": {redis.Config{URL: "http://user:hush@host", Prefix: "a"}, "redis.url"},
		"sentinel":      {redis.Config{URL: "redis://user:hush@host?master_set=m", Prefix: "a"}, "redis.url"},
		"no prefix":     {redis.Config{URL: "redis://host"}, "redis.prefix"},
	} {
		err := c.cfg.Check()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: got %v, want an error about %s", name, err, c.want)
		}
	}
	if err := redis.Default().Check(); err != nil {
		t.Error(err)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	command := func(words ...string) func(*redistest.Server) core.Secret {
		return func(s *redistest.Server) core.Secret { s.Do(words...); return s.URL() }
	}
	user := func(s *redistest.Server, rules ...string) core.Secret {
		s.Do(append([]string{"ACL", "SETUSER", "causeway", "on", ">planted"}, rules...)...)
		return core.Secret(strings.Replace(s.URL().Reveal(), "redis://", "redis://causeway:planted@", 1))
	}
	for name, c := range map[string]struct {
		prepare func(*redistest.Server) core.Secret
		want    string // part of the error; empty: none
	}{
		"default user": {(*redistest.Server).URL, ""},
		"documented ACL": {func(s *redistest.Server) core.Secret {
			return user(s, "~causeway:*", "&causeway:*",
				"+@read", "+@write", "+@connection", "+@pubsub", "+@scripting", "+time", "-@dangerous")
		}, ""},
		"read-only user": {func(s *redistest.Server) core.Secret {
			return user(s, "~*", "&*", "+@read", "+@connection")
		}, "permissions"},
		"other prefix": {func(s *redistest.Server) core.Secret { return user(s, "~a:*", "&a:*", "+@all") }, "permissions"},
		"no password":  {command("CONFIG", "SET", "requirepass", "planted"), "wrong user or password"},
		"wrong password": {func(s *redistest.Server) core.Secret {
			return core.Secret(strings.Replace(user(s).Reveal(), ":planted@", ":planted-too@", 1))
		}, "wrong user or password"},
		"full":    {command("CONFIG", "SET", "maxmemory", "1"), "full"},
		"replica": {command("REPLICAOF", "127.0.0.1", "1"), "replica"},
		"down":    {func(s *redistest.Server) core.Secret { s.Kill(); return s.URL() }, "connection refused"},
		"stopped": {func(s *redistest.Server) core.Secret { s.Pause(); return s.URL() }, "no reply in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, cfg := redistest.Open(t), redis.Default()
			cfg.URL = c.prepare(server)
			const slow = "no reply in time" // as a server on a busy machine, too
			err := redis.Inspect(t.Context(), cfg)
			for c.want != slow && err != nil && strings.Contains(err.Error(), slow) {
				err = redis.Inspect(t.Context(), cfg)
			}
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v; want an error about %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "planted") {
				t.Errorf("error contains the password: %v", err)
			}
		})
	}
}
