package keyring_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"causeway/adapters/keyring"
	"causeway/core"
)

// somebody is the user of a service, other than the one who changes its keys where that may be: only root can make files another's.
func somebody() int {
	const nobody = 65534
	if os.Geteuid() == 0 {
		return nobody
	}
	return os.Geteuid()
}

// belong fails the test unless a file is a user's, and nobody else's to read.
func belong(t *testing.T, path string, want int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatalf("%T does not say whose a file is", info.Sys())
	}
	if int(owner.Uid) != want || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v of user %d, want -rw------- of %d", filepath.Base(path), info.Mode(), owner.Uid, want)
	}
}

func TestChangedKeysStayTheirOwners(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(path string, owner int) error{
		"the directory is the service's":  func(path string, owner int) error { return os.Chown(filepath.Dir(path), owner, -1) },
		"the file alone is the service's": newFile,
		"the file and its directory are it": func(path string, owner int) error {
			return errors.Join(newFile(path, owner), os.Chown(filepath.Dir(path), owner, -1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, owner := place(t), somebody()
			if err := first(path, owner); err != nil {
				t.Fatal(err)
			}
			keeper := keyring.NewKeeper(keyring.File(path), time.Now, sequence())
			made, _ := create(t, keeper, payouts())
			belong(t, path, owner)
			fresh, _, err := keeper.Rotate(t.Context(), made.ID, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			belong(t, path, owner)
			if err := keeper.Revoke(t.Context(), fresh.ID); err != nil {
				t.Fatal(err)
			}
			belong(t, path, owner)
		})
	}
}

// newFile makes a file of keys that is another's.
func newFile(path string, owner int) error {
	return errors.Join(os.WriteFile(path, []byte(`{"keys":[]}`), 0o600), os.Chown(path, owner, -1))
}

func TestWhatLiesBesideTheKeysIsOfWhomTheirDirectoryIs(t *testing.T) {
	t.Parallel()
	path, owner := place(t), somebody()
	if err := os.Chown(filepath.Dir(path), owner, -1); err != nil {
		t.Fatal(err)
	}
	made, _ := create(t, keyring.NewKeeper(keyring.File(path), time.Now, sequence()), payouts())
	if err := keyring.File(path).Note(t.Context(), map[string]time.Time{made.ID: time.Now()}); err != nil {
		t.Fatal(err)
	}
	belong(t, path+".lock", owner)
	belong(t, path+".used", owner)
}

// Who has the directory could put a link to anything in the place of the lock.
func TestLockThatIsALinkGivesNothingAway(t *testing.T) {
	t.Parallel()
	path, mine := place(t), filepath.Join(t.TempDir(), "mine")
	err := errors.Join(os.Chown(filepath.Dir(path), somebody(), -1), os.WriteFile(mine, nil, 0o600), os.Symlink(mine, path+".lock"))
	if err != nil {
		t.Fatal(err)
	}
	create(t, keyring.NewKeeper(keyring.File(path), time.Now, sequence()), core.Key{Name: "a", Scopes: []string{"*"}})
	belong(t, mine, os.Geteuid())
}
