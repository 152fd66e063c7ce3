package keyring

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"causeway/core"
	"causeway/ports"
)

const (
	ownerOnly = 0o600
	usedFile  = ".used"
	maxFile   = 16 << 20 // bytes; some fifty thousand keys
	noFile    = "none"   // the mark of a file that does not exist

	lockFor   = 10 * time.Second // how long a change waits for others
	lockEvery = 10 * time.Millisecond
)

// File is a store of keys in the file of a path, which need not exist: then it has none. It is JSON, made by this package alone
// ("causeway keys"), readable by its owner only, and replaced as a whole, so that a reader never sees half of it. When keys were
// used is in a file beside it.
type File string

var _ ports.KeyStore = File("")

type document struct {
	Keys []core.StoredKey `json:"keys"`
}

// Read reads the file, unless it is the one that was seen.
func (f File) Read(_ context.Context, seen string) ([]core.StoredKey, string, error) {
	info, err := os.Stat(string(f))
	if errors.Is(err, os.ErrNotExist) {
		return nil, noFile, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("the file of keys cannot be looked at: %w", err)
	}
	if info.Size() > maxFile {
		return nil, "", fmt.Errorf("the file of keys %s has %d bytes; at most %d are read", f, info.Size(), maxFile)
	}
	mark := fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	if mark == seen {
		return nil, mark, nil
	}
	text, err := os.ReadFile(string(f))
	if err != nil {
		return nil, "", fmt.Errorf("the file of keys cannot be read: %w", err)
	}
	keys, err := f.parse(text)
	return keys, mark, err
}

func (f File) parse(text []byte) ([]core.StoredKey, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("the file of keys %s is not what \"causeway keys\" writes: %w", f, err)
	}
	var faults []error
	seen := map[string]bool{}
	for i, k := range d.Keys {
		switch {
		case len(k.ID) != idLength || strings.Trim(k.ID, alphabet) != "":
			faults = append(faults, fmt.Errorf("the file of keys %s: key %d has no id of %d characters", f, i+1, idLength))
		case seen[k.ID]:
			faults = append(faults, fmt.Errorf("the file of keys %s: two keys have the id %s", f, k.ID))
		case k.Hash == core.KeyHash{}:
			faults = append(faults, fmt.Errorf("the file of keys %s: key %s has no hash", f, k.ID))
		}
		seen[k.ID] = true
	}
	slices.SortStableFunc(d.Keys, func(a, b core.StoredKey) int { return a.Created.Compare(b.Created) })
	return d.Keys, errors.Join(faults...)
}

// Change replaces the file by what becomes of its keys, while no other process does.
func (f File) Change(ctx context.Context, edit func([]core.StoredKey) ([]core.StoredKey, error)) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	keys, _, err := f.Read(ctx, "")
	if err != nil {
		return err
	}
	if keys, err = edit(keys); err != nil {
		return err
	}
	return replace(string(f), document{Keys: slices.Concat([]core.StoredKey{}, keys)})
}

// lock keeps other processes from changing the file. It asks again and again: a system call that waits would not hear of the end of ctx.
func (f File) lock(ctx context.Context) (unlock func(), err error) {
	lock, err := f.openLock()
	if err != nil {
		return nil, fmt.Errorf("the file of keys cannot be locked: %w", err)
	}
	patience, again := time.NewTimer(lockFor), time.NewTimer(lockEvery)
	defer patience.Stop()
	defer again.Stop()
	for {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = lock.Close() }, nil // which unlocks it
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(fmt.Errorf("the file of keys cannot be locked: %w", err), lock.Close())
		}
		select {
		case <-again.C:
			again.Reset(lockEvery)
		case <-patience.C:
			return nil, errors.Join(fmt.Errorf("the file of keys stays locked: another process has had %s for %s", lock.Name(), lockFor), lock.Close())
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("the file of keys is locked by another process: %w", ctx.Err()), lock.Close())
		}
	}
}

// openLock opens the lock, or makes it. One that is there is not given away: it may be a link to something else.
func (f File) openLock() (*os.File, error) {
	lock, err := os.OpenFile(string(f)+".lock", os.O_CREATE|os.O_EXCL|os.O_RDWR, ownerOnly)
	if errors.Is(err, os.ErrExist) {
		return os.OpenFile(string(f)+".lock", os.O_CREATE|os.O_RDWR, ownerOnly)
	}
	if err != nil {
		return nil, err
	}
	inherit(lock)
	return lock, nil
}

// give gives a file to the owner of what is at a path, if that is somebody else.
func give(file *os.File, path string) error {
	there, err := os.Stat(path)
	if err != nil {
		return err
	}
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	now, is := mine.Sys().(*syscall.Stat_t)
	owner, known := there.Sys().(*syscall.Stat_t)
	if !is || !known || now.Uid == owner.Uid {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

// inherit gives a file that root made to the owner of its directory: a service that is not root's. Where root may not, it stays root's.
func inherit(file *os.File) {
	if os.Geteuid() == 0 {
		_ = give(file, filepath.Dir(file.Name()))
	}
}

// replace writes JSON to a file beside the one that is meant, and puts it in its place. It stays its owner's, whoever writes: a service
// goes on reading what root changed.
func replace(path string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("the file of keys cannot be written: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone, where all went well
	_, err = file.Write(append(text, '\n'))
	given := give(file, path)
	if errors.Is(given, os.ErrNotExist) {
		inherit(file)
		given = nil
	}
	err = errors.Join(err, given, file.Chmod(ownerOnly), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("the file of keys cannot be written: %w", err)
	}
	return nil
}

// Used reads when keys were last used. What cannot be read is not known.
func (f File) Used(context.Context) (map[string]time.Time, error) {
	used := map[string]time.Time{}
	if text, err := os.ReadFile(string(f) + usedFile); err == nil {
		_ = json.Unmarshal(text, &used)
	}
	return used, nil
}

// Note writes down when keys were used, of those that there are. The file is beside that of the keys, which stays its owner's alone.
func (f File) Note(ctx context.Context, fresh map[string]time.Time) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	keys, _, err := f.Read(ctx, "")
	if err != nil {
		return err
	}
	used, err := f.Used(ctx)
	if err != nil {
		return err
	}
	latest := make(map[string]time.Time, len(keys))
	for _, k := range keys {
		if at := used[k.ID]; fresh[k.ID].After(at) {
			latest[k.ID] = fresh[k.ID]
		} else if !at.IsZero() {
			latest[k.ID] = at
		}
	}
	return replace(string(f)+usedFile, latest)
}
