package porttest

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"causeway/ports"
)

// NameCacheSpec holds the inputs of the suite of ports.NameCache.
type NameCacheSpec struct {
	// Open opens an empty cache with room for a thousand values of a kilobyte. pass advances its clock.
	Open func(t *testing.T) (cache ports.NameCache, pass func(time.Duration))
	// Hanging opens a cache whose store never responds, in a synctest bubble; nil if it has no store.
	Hanging func(t *testing.T) ports.NameCache
}

// cacheTest is a cache under test.
type cacheTest struct {
	ports.NameCache
	t    *testing.T
	pass func(time.Duration)
}

// cacheKey is the n-th key; it differs from the others in its last byte.
func cacheKey(n byte) [32]byte { return [32]byte{31: n} }

func (s cacheTest) put(key [32]byte, value string, ttl time.Duration) {
	s.t.Helper()
	s.Store(s.t.Context(), key, []byte(value), ttl)
}

// want checks the value of a key; "" means a miss.
func (s cacheTest) want(key [32]byte, value string) {
	s.t.Helper()
	if got, ok := s.Load(s.t.Context(), key); ok != (value != "") || string(got) != value {
		s.t.Errorf("got %q, %t; want %q", got, ok, value)
	}
}

// NameCache checks the contract of ports.NameCache.
func NameCache(t *testing.T, v NameCacheSpec) {
	t.Helper()
	require(t, v.Open != nil, "Open")
	for _, checks := range []map[string]func(cacheTest){cacheExpiry(), cacheValues()} {
		for name, check := range checks {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				cache, pass := v.Open(t)
				check(cacheTest{cache, t, pass})
			})
		}
	}
	if v.Hanging != nil {
		t.Run("canceled context", v.canceled)
	}
}

func (v NameCacheSpec) canceled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cache := v.Hanging(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		result := make(chan bool, 1)
		go func() {
			_, ok := cache.Load(ctx, cacheKey(1))
			cache.Store(ctx, cacheKey(1), []byte("one"), time.Hour)
			result <- ok
		}()
		<-ctx.Done()
		synctest.Wait() // all other goroutines are blocked
		select {
		case ok := <-result:
			if ok {
				t.Error("got a value from a hanging store, want a miss")
			}
		default:
			t.Errorf("Load and Store did not return with their context; later Load returned %t", <-result)
		}
	})
}

// cacheExpiry returns the checks of expiry.
func cacheExpiry() map[string]func(cacheTest) {
	return map[string]func(cacheTest){
		"unknown key": func(s cacheTest) { s.want(cacheKey(1), "") },
		"expiry": func(s cacheTest) {
			value := string([]byte{0, 1, 0xff, '\n', '"'})
			s.put(cacheKey(1), value, time.Hour)
			s.want(cacheKey(1), value)
			s.pass(59 * time.Minute)
			s.want(cacheKey(1), value)
			s.pass(time.Minute + time.Second)
			s.want(cacheKey(1), "")
		},
		"expiry per value": func(s cacheTest) {
			s.put(cacheKey(1), "short", time.Minute)
			s.put(cacheKey(2), "long", 24*time.Hour)
			s.pass(time.Hour)
			s.want(cacheKey(1), "")
			s.want(cacheKey(2), "long")
		},
		"replaced value and expiry": func(s cacheTest) {
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
		"ttl of zero or less": func(s cacheTest) {
			s.put(cacheKey(1), "one", 0)
			s.want(cacheKey(1), "")
			s.put(cacheKey(1), "one", time.Hour)
			s.put(cacheKey(1), "two", -time.Second)
			s.want(cacheKey(1), "")
		},
	}
}

// cacheValues returns the checks of values.
func cacheValues() map[string]func(cacheTest) {
	return map[string]func(cacheTest){
		"distinct keys": func(s cacheTest) {
			s.put(cacheKey(1), "one", time.Hour)
			s.put(cacheKey(2), "two", time.Hour)
			s.put([32]byte{0: 1}, "three", time.Hour)
			s.want(cacheKey(1), "one")
			s.want(cacheKey(2), "two")
			s.want([32]byte{0: 1}, "three")
			s.want(cacheKey(3), "")
		},
		"copied bytes": func(s cacheTest) {
			value := []byte("one")
			s.Store(s.t.Context(), cacheKey(1), value, time.Hour)
			value[0] = 'X'
			s.want(cacheKey(1), "one")
			got, _ := s.Load(s.t.Context(), cacheKey(1))
			copy(got, "XXX")
			s.want(cacheKey(1), "one")
		},
		"thousand values": func(s cacheTest) {
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
				s.t.Errorf("got %d of 1000 values, want at least 900", kept)
			}
		},
		"concurrent use": func(s cacheTest) {
			concurrently(func() {
				for n := range byte(64) {
					s.put(cacheKey(n), "value", time.Hour)
					s.Load(s.t.Context(), cacheKey(n))
				}
			})
		},
	}
}
