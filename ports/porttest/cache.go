package porttest

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"causeway/ports"
)

// NameCacheSpec says how to open a ports.NameCache.
type NameCacheSpec struct {
	// Open opens an empty one, with room for a thousand values of a kilobyte, and a function that
	// lets its time pass.
	Open func(t *testing.T) (cache ports.NameCache, pass func(time.Duration))
	// Hanging opens one whose store never answers, in a synctest bubble; nil: it has no store that
	// could hang.
	Hanging func(t *testing.T) ports.NameCache
}

// opened is a cache under test.
type opened struct {
	ports.NameCache
	t    *testing.T
	pass func(time.Duration)
}

// cacheKey is the n-th key; it differs from the others in its last byte.
func cacheKey(n byte) [32]byte { return [32]byte{31: n} }

func (s opened) put(key [32]byte, value string, ttl time.Duration) {
	s.t.Helper()
	s.Store(s.t.Context(), key, []byte(value), ttl)
}

// want checks what is under a key; an empty text is nothing.
func (s opened) want(key [32]byte, value string) {
	s.t.Helper()
	if got, ok := s.Load(s.t.Context(), key); ok != (value != "") || string(got) != value {
		s.t.Errorf("got %q, %t; want %q", got, ok, value)
	}
}

// NameCache checks the contract of ports.NameCache.
func NameCache(t *testing.T, v NameCacheSpec) {
	t.Helper()
	need(t, v.Open != nil, "Open")
	for _, duties := range []map[string]func(opened){cacheExpiry(), cacheValues()} {
		for what, check := range duties {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				cache, pass := v.Open(t)
				check(opened{cache, t, pass})
			})
		}
	}
	if v.Hanging != nil {
		t.Run("it forgets promptly when its context is done", v.forgetsPromptly)
	}
}

func (v NameCacheSpec) forgetsPromptly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache := v.Hanging(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		left := make(chan bool, 1)
		go func() {
			_, ok := cache.Load(ctx, cacheKey(1))
			cache.Store(ctx, cacheKey(1), []byte("one"), time.Hour)
			left <- ok
		}()
		<-ctx.Done()
		synctest.Wait() // everything that can happen without time passing has happened
		select {
		case ok := <-left:
			if ok {
				t.Error("a store that never answers gave a value")
			}
		default:
			t.Errorf("still waits after the end of its context; in the end: %t", <-left)
		}
	})
}

// cacheExpiry are about how long a value is kept.
func cacheExpiry() map[string]func(opened) {
	return map[string]func(opened){
		"what was never stored is not there": func(s opened) { s.want(cacheKey(1), "") },
		"what was stored is there, byte for byte, until its time is up": func(s opened) {
			value := string([]byte{0, 1, 0xff, '\n', '"'})
			s.put(cacheKey(1), value, time.Hour)
			s.want(cacheKey(1), value)
			s.pass(59 * time.Minute)
			s.want(cacheKey(1), value)
			s.pass(time.Minute + time.Second)
			s.want(cacheKey(1), "")
		},
		"each value has its own time": func(s opened) {
			s.put(cacheKey(1), "short", time.Minute)
			s.put(cacheKey(2), "long", 24*time.Hour)
			s.pass(time.Hour)
			s.want(cacheKey(1), "")
			s.want(cacheKey(2), "long")
		},
		"what is stored later takes the place of what was there, its time too": func(s opened) {
			s.put(cacheKey(1), "one", time.Hour)
			s.put(cacheKey(1), "two", time.Minute)
			s.want(cacheKey(1), "two")
			s.pass(2 * time.Minute)
			s.want(cacheKey(1), "")
			s.put(cacheKey(2), "one", time.Minute)
			s.put(cacheKey(2), "two", time.Hour)
			s.pass(2 * time.Minute)
			s.want(cacheKey(2), "two")
		},
		"no time is none, and takes away what was there": func(s opened) {
			s.put(cacheKey(1), "one", 0)
			s.want(cacheKey(1), "")
			s.put(cacheKey(1), "one", time.Hour)
			s.put(cacheKey(1), "two", -time.Second)
			s.want(cacheKey(1), "")
		},
	}
}

// cacheValues are about what is kept.
func cacheValues() map[string]func(opened) {
	return map[string]func(opened){
		"keys are not mixed up": func(s opened) {
			s.put(cacheKey(1), "one", time.Hour)
			s.put(cacheKey(2), "two", time.Hour)
			s.put([32]byte{0: 1}, "three", time.Hour)
			s.want(cacheKey(1), "one")
			s.want(cacheKey(2), "two")
			s.want([32]byte{0: 1}, "three")
			s.want(cacheKey(3), "")
		},
		"the bytes are the caller's own": func(s opened) {
			value := []byte("one")
			s.Store(s.t.Context(), cacheKey(1), value, time.Hour)
			value[0] = 'X'
			s.want(cacheKey(1), "one")
			got, _ := s.Load(s.t.Context(), cacheKey(1))
			copy(got, "XXX")
			s.want(cacheKey(1), "one")
		},
		"a thousand kilobytes have room": func(s opened) {
			big := bytes.Repeat([]byte("x"), 1<<10)
			for n := range 1000 {
				s.Store(s.t.Context(), [32]byte{byte(n), byte(n >> 8)}, big, time.Hour)
			}
			kept := 0
			for n := range 1000 {
				if got, ok := s.Load(s.t.Context(), [32]byte{byte(n), byte(n >> 8)}); ok && bytes.Equal(got, big) {
					kept++
				}
			}
			if kept < 900 {
				s.t.Errorf("%d of 1000 were kept", kept)
			}
		},
		"it is safe for concurrent use": func(s opened) {
			together(func() {
				for n := range byte(64) {
					s.put(cacheKey(n), "value", time.Hour)
					s.Load(s.t.Context(), cacheKey(n))
				}
			})
		},
	}
}
