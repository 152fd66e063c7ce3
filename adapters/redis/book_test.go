package redis_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"causeway/adapters/redis"
	"causeway/adapters/redis/redistest"
	"causeway/core"
	"causeway/ports"
	"causeway/ports/porttest"
)

func TestBook(t *testing.T) {
	t.Parallel()
	porttest.PriceBook(t, porttest.Shared{Open: func(t *testing.T) (func() ports.PriceBook, func()) {
		t.Helper()
		server := redistest.Open(t)
		return func() ports.PriceBook { return redis.NewBook(connect(t, server.URL(), "x:").Client, "prices") }, func() { server.Do("FLUSHALL") }
	}})
}

// lead is a lead that is told of when it begins and when it ends.
type lead struct {
	ports.Lead
	lost     <-chan struct{}
	returned <-chan error
	over     func()
}

func take(t *testing.T, book ports.PriceBook) lead {
	t.Helper()
	begun, over, done := make(chan lead, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- book.Lead(context.WithoutCancel(t.Context()), func(ctx context.Context, l ports.Lead) {
			begun <- lead{Lead: l, lost: ctx.Done()}
			<-over
		})
	}()
	select {
	case l := <-begun:
		l.returned, l.over = done, sync.OnceFunc(func() { close(over) })
		t.Cleanup(l.over)
		return l
	case err := <-done:
		t.Fatal(err)
	}
	return lead{}
}

// slow is too long for what takes two seconds at most, on a machine that does other things meanwhile. What does not end by itself takes for ever.
const slow = 15 * time.Second

// wins asks for the lead until it is got, and returns how long that took.
func wins(t *testing.T, book ports.PriceBook) time.Duration {
	t.Helper()
	began := time.Now()
	await(t, "the lead is free", func() bool {
		return book.Lead(t.Context(), func(context.Context, ports.Lead) {}) == nil
	})
	return time.Since(began)
}

// A leader that is cut off knows that it does not lead any more before another one does, however the server is hurt.
func TestALeaderThatIsCutOff(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	way := server.Proxy()
	one, two := redis.NewBook(connect(t, way.URL(), "x:").Client, "prices"), redis.NewBook(connect(t, server.URL(), "x:").Client, "prices")
	first := take(t, one)
	if err := first.Publish(t.Context(), 1, []byte("one")); err != nil {
		t.Fatal(err)
	}
	way.Part()
	if took := wins(t, two); took > slow {
		t.Errorf("the next one led after %s", took)
	}
	select {
	case <-first.lost:
	default:
		t.Error("there were two leaders")
	}
	way.Join()
	await(t, "the book is reached again", func() bool { return core.CodeOf(first.Publish(t.Context(), 9, []byte("nine"))) == core.Conflict })
	if e, err := two.Read(t.Context(), ports.Mark{}); err != nil || e.Number != 1 {
		t.Errorf("the book has %v, %v", e.Mark, err)
	}
}

// A leader that slept through the end of its lead, so that it does not know of it, writes nothing.
func TestALeaderThatSlept(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	one, two := redis.NewBook(connect(t, server.URL(), "x:").Client, "prices"), redis.NewBook(connect(t, server.URL(), "x:").Client, "prices")
	sleeper := take(t, one)
	server.Do("DEL", "x:book:{prices}:lead") // its time is up, which it will notice with its next renewal
	next := take(t, two)
	if err := sleeper.Publish(t.Context(), 2, []byte("late")); core.CodeOf(err) != core.Conflict {
		t.Errorf("got %v", err)
	}
	if err := next.Publish(t.Context(), 1, []byte("in time")); err != nil {
		t.Error(err)
	}
	<-sleeper.lost
	sleeper.over()
	if err := <-sleeper.returned; err != nil {
		t.Error(err)
	}
	if err := next.Publish(t.Context(), 3, []byte("still")); err != nil {
		t.Errorf("who slept took the lead along: %v", err)
	}
}

func TestABookInTrouble(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ hurt, heal func(*redistest.Server) }{
		"killed":  {(*redistest.Server).Kill, (*redistest.Server).Start},
		"stopped": {(*redistest.Server).Pause, (*redistest.Server).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Open(t)
			book := redis.NewBook(connect(t, server.URL(), "x:").Client, "prices")
			heard := make(chan ports.Edition, 100)
			ctx, cancel := context.WithCancel(t.Context())
			following := make(chan struct{})
			go func() {
				defer close(following)
				book.Follow(ctx, func(e ports.Edition) { heard <- e })
			}()
			t.Cleanup(func() { cancel(); <-following })
			first := take(t, book)
			c.hurt(server)
			began := time.Now()
			if err := first.Publish(t.Context(), 1, []byte("one")); core.CodeOf(err) != core.Unavailable {
				t.Errorf("publish: %v", err)
			}
			if _, err := book.Read(t.Context(), ports.Mark{}); core.CodeOf(err) != core.Unavailable {
				t.Errorf("read: %v", err)
			}
			if _, err := first.Words(t.Context()); core.CodeOf(err) != core.Unavailable {
				t.Errorf("words: %v", err)
			}
			if took := time.Since(began); took > slow {
				t.Errorf("three questions took %s", took)
			}
			<-first.lost
			if took := time.Since(began); took > slow {
				t.Errorf("the lead ended after %s", took)
			}
			first.over()
			if err := <-first.returned; err != nil {
				t.Error(err)
			}
			c.heal(server)
			await(t, "the book is reached again", func() bool { return book.Say(t.Context(), "x") == nil })
			wins(t, book)
			second := take(t, book)
			number := second.Newest()
			await(t, "editions are told again", func() bool {
				number++
				if err := second.Publish(t.Context(), number, []byte("again")); err != nil {
					t.Fatal(err)
				}
				select {
				case e := <-heard:
					return string(e.Body) == "again"
				default:
					return false
				}
			})
		})
	}
}

func TestAFullServerTakesNoEdition(t *testing.T) {
	t.Parallel()
	server := redistest.Open(t)
	book := redis.NewBook(connect(t, server.URL(), "x:").Client, "prices")
	l := take(t, book)
	if err := l.Publish(t.Context(), 1, []byte("small")); err != nil {
		t.Fatal(err)
	}
	server.Do("CONFIG", "SET", "maxmemory", "1")
	if err := l.Publish(t.Context(), 3, []byte("small")); core.CodeOf(err) != core.Unavailable {
		t.Errorf("a full server: %v", err)
	}
	server.Do("CONFIG", "SET", "maxmemory", "0")
	await(t, "there is room again", func() bool { return l.Publish(t.Context(), 4, []byte("small")) == nil })
	select {
	case <-l.lost:
		t.Error("the lead was lost: a full server still answers")
	default:
	}
}

// What somebody else wrote under our keys is no edition.
func TestSomebodyElsesKeys(t *testing.T) {
	t.Parallel()
	for name, command := range map[string][]string{
		"a list":             {"RPUSH", "x:book:{prices}:edition", "1"},
		"text":               {"SET", "x:book:{prices}:edition", "hello"},
		"a mark beyond all":  {"SET", "x:book:{prices}:edition", "99999999999999999999999 1\nx"},
		"a number beyond it": {"SET", "x:book:{prices}:edition", "1 99999999999999999999999\nx"},
		"no body":            {"SET", "x:book:{prices}:edition", "5 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Open(t)
			book := redis.NewBook(connect(t, server.URL(), "x:").Client, "prices")
			server.Do(command...)
			if e, err := book.Read(t.Context(), ports.Mark{}); err == nil {
				t.Errorf("read %v %q", e.Mark, e.Body)
			}
			server.Do("SET", "x:book:{prices}:lead", "nobody")
			if err := book.Lead(t.Context(), func(context.Context, ports.Lead) { t.Error("it leads") }); err == nil {
				t.Error("got the lead")
			}
		})
	}
}
