package keyring_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"causeway/adapters/keyring"
	"causeway/core"
)

func TestKeysThatAreLostStay(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(path string) error{
		"a file that vanishes": os.Remove,
		"an empty file":        func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a file without keys":  func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
		"a file that is cut":   func(path string) error { return os.Truncate(path, 50) },
		"a list without a key": func(path string) error { return os.WriteFile(path, []byte(`{"keys":[]}`), 0o600) },
		"a directory in place": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link in a circle":   func(path string) error { return errors.Join(os.Remove(path), os.Symlink(path, path)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				path := place(t)
				keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
				_, credential := create(t, keeper, payouts())
				var told faults
				ring := open(t, path, told.tell)
				running(t, ring)
				before, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := lose(path); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if _, err := ring.Find(t.Context(), credential); err != nil || ring.Len() != 1 {
					t.Errorf("the key is gone: %v", err)
				}
				if _, err := ring.Find(t.Context(), "ck_0000000000_"+core.Secret(strings.Repeat("0", 52))); core.CodeOf(err) != core.Unavailable {
					t.Errorf("a key that may be new: %v", err)
				}
				if len(told.all()) != 1 {
					t.Errorf("told %v, want the fault once", told.all())
				}
				if change, err := ring.Plan(t.Context(), nil); err == nil {
					t.Errorf("a reload takes it: %v", change != nil)
				}
				if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, before, 0o600)); err != nil {
					t.Fatal(err)
				}
				create(t, keeper, core.Key{Name: "late", Scopes: []string{"*"}})
				time.Sleep(5 * time.Second)
				synctest.Wait()
				if ring.Len() != 2 {
					t.Errorf("%d keys once it is back, want 2", ring.Len())
				}
			})
		})
	}
}

// stick takes the lock of a file of keys, as a process does that hangs. It returns what lets it go.
func stick(t *testing.T, path string) (release func()) {
	t.Helper()
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Fatal(err)
	}
	return func() { _ = lock.Close() }
}

func TestStuckLockStopsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path, copied := place(t), place(t)
		made, credential := create(t, keyring.NewKeeper(keyring.File(path), time.Now, sequence()), payouts())
		var told faults
		ring := open(t, path, told.tell)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); ring.Run(ctx) }()
		if _, err := ring.Find(t.Context(), credential); err != nil {
			t.Fatal(err)
		}
		release := stick(t, path)
		time.Sleep(time.Minute + time.Second/2) // it is being written down that the key was used

		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(copied, text, 0o600)
		}
		if err = errors.Join(err, keyring.NewKeeper(keyring.File(copied), time.Now, sequence()).Revoke(t.Context(), made.ID), os.Rename(copied, path)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		if _, err := ring.Find(t.Context(), credential); core.CodeOf(err) != core.Unauthorized {
			t.Errorf("five seconds after it was revoked: %v", err)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if len(told.all()) != 1 || !errors.Is(told.all()[0], keyring.ErrNotNoted) || !strings.Contains(told.all()[0].Error(), "another process") {
			t.Errorf("told %v, want once that nothing can be written down, and why", told.all())
		}
		release()
		time.Sleep(2 * time.Minute)
		release = stick(t, path)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if len(told.all()) != 2 {
			t.Errorf("told %v, want both times that it was locked", told.all())
		}
		asked := time.Now()
		cancel()
		<-ended
		if took := time.Since(asked); took > 2*time.Second { // of the bubble
			t.Errorf("the end took %s", took)
		}
		release()
	})
}

func TestLockIsLeftWhenTheContextIsDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := place(t)
		keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
		made, _ := create(t, keeper, payouts())
		release := stick(t, path)
		ctx, done := context.WithTimeout(t.Context(), time.Second)
		defer done()
		if err := keeper.Revoke(ctx, made.ID); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := keeper.Revoke(t.Context(), made.ID); err == nil || !strings.Contains(err.Error(), ".lock") {
			t.Errorf("got %v, want the name of the lock", err)
		}
		release()
		if err := keeper.Revoke(t.Context(), made.ID); err != nil {
			t.Error(err)
		}
	})
}
