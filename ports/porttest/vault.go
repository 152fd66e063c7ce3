package porttest

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"causeway/ports"
)

// Safe says how to open a ports.Vault.
type Safe struct {
	// Open opens an empty one, with room for a thousand values of a kilobyte, and a function that lets its time pass.
	Open func(t *testing.T) (vault ports.Vault, pass func(time.Duration))
	// Hanging opens one whose store never answers, in a synctest bubble; nil: it has no store that could hang.
	Hanging func(t *testing.T) ports.Vault
}

// opened is a vault under test.
type opened struct {
	ports.Vault
	t    *testing.T
	pass func(time.Duration)
}

// vaultKey is the n-th key; it differs from the others in its last byte.
func vaultKey(n byte) [32]byte { return [32]byte{31: n} }

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

// Vault checks the contract of ports.Vault.
func Vault(t *testing.T, v Safe) {
	t.Helper()
	need(t, v.Open != nil, "Open")
	for _, duties := range []map[string]func(opened){vaultTimes(), vaultValues()} {
		for what, check := range duties {
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				vault, pass := v.Open(t)
				check(opened{vault, t, pass})
			})
		}
	}
	if v.Hanging != nil {
		t.Run("it forgets promptly when its context is done", v.forgetsPromptly)
	}
}

func (v Safe) forgetsPromptly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		vault := v.Hanging(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		left := make(chan bool, 1)
		go func() {
			_, ok := vault.Load(ctx, vaultKey(1))
			vault.Store(ctx, vaultKey(1), []byte("one"), time.Hour)
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

// vaultTimes are about how long a value is kept.
func vaultTimes() map[string]func(opened) {
	return map[string]func(opened){
		"what was never stored is not there": func(s opened) { s.want(vaultKey(1), "") },
		"what was stored is there, byte for byte, until its time is up": func(s opened) {
			value := string([]byte{0, 1, 0xff, '\n', '"'})
			s.put(vaultKey(1), value, time.Hour)
			s.want(vaultKey(1), value)
			s.pass(59 * time.Minute)
			s.want(vaultKey(1), value)
			s.pass(time.Minute + time.Second)
			s.want(vaultKey(1), "")
		},
		"each value has its own time": func(s opened) {
			s.put(vaultKey(1), "short", time.Minute)
			s.put(vaultKey(2), "long", 24*time.Hour)
			s.pass(time.Hour)
			s.want(vaultKey(1), "")
			s.want(vaultKey(2), "long")
		},
		"what is stored later takes the place of what was there, its time too": func(s opened) {
			s.put(vaultKey(1), "one", time.Hour)
			s.put(vaultKey(1), "two", time.Minute)
			s.want(vaultKey(1), "two")
			s.pass(2 * time.Minute)
			s.want(vaultKey(1), "")
			s.put(vaultKey(2), "one", time.Minute)
			s.put(vaultKey(2), "two", time.Hour)
			s.pass(2 * time.Minute)
			s.want(vaultKey(2), "two")
		},
		"no time is none, and takes away what was there": func(s opened) {
			s.put(vaultKey(1), "one", 0)
			s.want(vaultKey(1), "")
			s.put(vaultKey(1), "one", time.Hour)
			s.put(vaultKey(1), "two", -time.Second)
			s.want(vaultKey(1), "")
		},
	}
}

// vaultValues are about what is kept.
func vaultValues() map[string]func(opened) {
	return map[string]func(opened){
		"keys are not mixed up": func(s opened) {
			s.put(vaultKey(1), "one", time.Hour)
			s.put(vaultKey(2), "two", time.Hour)
			s.put([32]byte{0: 1}, "three", time.Hour)
			s.want(vaultKey(1), "one")
			s.want(vaultKey(2), "two")
			s.want([32]byte{0: 1}, "three")
			s.want(vaultKey(3), "")
		},
		"the bytes are the caller's own": func(s opened) {
			value := []byte("one")
			s.Store(s.t.Context(), vaultKey(1), value, time.Hour)
			value[0] = 'X'
			s.want(vaultKey(1), "one")
			got, _ := s.Load(s.t.Context(), vaultKey(1))
			copy(got, "XXX")
			s.want(vaultKey(1), "one")
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
					s.put(vaultKey(n), "value", time.Hour)
					s.Load(s.t.Context(), vaultKey(n))
				}
			})
		},
	}
}
