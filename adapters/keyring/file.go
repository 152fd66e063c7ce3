package keyring

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"causeway/core"
)

const (
	ownerOnly = 0o600
	usedEvery = 60 // looks at the file between two writings of when keys were last used
	usedFile  = ".used"
	maxFile   = 16 << 20 // bytes; some fifty thousand keys
)

// record is a key in the file.
type record struct {
	ID      string         `json:"id"`
	Name    string         `json:"name"`
	Hash    digest         `json:"hash"`
	Scopes  []string       `json:"scopes"`
	Limit   core.RateLimit `json:"rate"`
	Created time.Time      `json:"created"`
	Expires *time.Time     `json:"expires,omitempty"`
	Revoked *time.Time     `json:"revoked,omitempty"`
}

type document struct {
	Keys []record `json:"keys"`
}

// read reads a file of keys; one that does not exist has none.
func read(path string) ([]entry, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("the file of keys %s has %d bytes; at most %d are read", path, info.Size(), maxFile)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return nil, fmt.Errorf("the file of keys cannot be read: %w", err)
	}
	return parse(path, text)
}

func parse(path string, text []byte) ([]entry, error) {
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("the file of keys %s is not what \"causeway keys\" writes: %w", path, err)
	}
	var faults []error
	seen := map[string]bool{}
	out := make([]entry, 0, len(d.Keys))
	for i, k := range d.Keys {
		switch {
		case len(k.ID) != idLength || strings.Trim(k.ID, alphabet) != "":
			faults = append(faults, fmt.Errorf("the file of keys %s: key %d has no id of %d characters", path, i+1, idLength))
		case seen[k.ID]:
			faults = append(faults, fmt.Errorf("the file of keys %s: two keys have the id %s", path, k.ID))
		case k.Hash == digest{}:
			faults = append(faults, fmt.Errorf("the file of keys %s: key %s has no hash", path, k.ID))
		}
		seen[k.ID] = true
		e := entry{Key: core.Key{ID: k.ID, Name: k.Name, Scopes: k.Scopes, Limit: k.Limit, Created: k.Created}, Hash: k.Hash}
		if k.Expires != nil {
			e.Expires = *k.Expires
		}
		if k.Revoked != nil {
			e.Revoked = *k.Revoked
		}
		out = append(out, e)
	}
	return out, errors.Join(faults...)
}

// write replaces a file of keys.
func write(path string, entries []entry) error {
	d := document{Keys: make([]record, 0, len(entries))}
	for _, e := range entries {
		k := record{ID: e.ID, Name: e.Name, Hash: e.Hash, Scopes: e.Scopes, Limit: e.Limit, Created: e.Created}
		if !e.Expires.IsZero() {
			k.Expires = &e.Expires
		}
		if !e.Revoked.IsZero() {
			k.Revoked = &e.Revoked
		}
		d.Keys = append(d.Keys, k)
	}
	return replace(path, d)
}

// replace writes JSON to a file beside the one that is meant, and puts it in its place.
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
	err = errors.Join(err, file.Chmod(ownerOnly), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("the file of keys cannot be written: %w", err)
	}
	return nil
}

// readUsed reads when keys were last used, by id. What cannot be read is not known.
func readUsed(path string) map[string]time.Time {
	used := map[string]time.Time{}
	if text, err := os.ReadFile(path + usedFile); err == nil { //nolint:gosec // beside the file that the operator names
		_ = json.Unmarshal(text, &used)
	}
	return used
}

// writeUsed writes down when keys were last used, where some were. The file is beside that of the keys, which stays its owner's alone.
func (r *Ring) writeUsed() error {
	if r.path == "" {
		return nil
	}
	fresh := map[string]time.Time{}
	r.used.Range(func(id, at any) bool {
		name, _ := id.(string)
		if last, ok := at.(*atomic.Int64); ok {
			fresh[name] = time.Unix(0, last.Load()).UTC()
		}
		return true
	})
	if len(fresh) == 0 {
		return nil
	}
	used := readUsed(r.path)
	known := *r.keys.Load()
	for id, at := range fresh {
		if at.After(used[id]) {
			used[id] = at
		}
	}
	for id := range used {
		if _, ok := known[id]; !ok {
			delete(used, id)
		}
	}
	return replace(r.path+usedFile, used)
}

// sorted puts keys in the order in which they were made.
func sorted(entries []entry) []entry {
	return slices.SortedStableFunc(slices.Values(entries), func(a, b entry) int { return a.Created.Compare(b.Created) })
}
