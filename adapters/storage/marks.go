package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"causeway/ports"
)

// Marks is a file with the next index of every deposit wallet. It is not part of the database, so
// that it shows that an older state of the database was restored.
type Marks struct {
	path string

	mu   sync.Mutex       // held while the file is written
	next map[string]int64 // by wallet

	waiting sync.Mutex       // guards wanted
	wanted  map[string]int64 // indexes of calls that wait: one write serves them all
}

var _ ports.DepositMarks = (*Marks)(nil)

const marksFile = "deposit-indexes.json"

// OpenMarks reads the file in a directory. Neither needs to exist.
func OpenMarks(dir string) (*Marks, error) {
	const ownerOnlyDir = 0o700
	m := &Marks{path: filepath.Join(dir, marksFile), next: map[string]int64{}, wanted: map[string]int64{}}
	if err := os.MkdirAll(dir, ownerOnlyDir); err != nil {
		return nil, err
	}
	return m, m.read()
}

// read takes over higher indexes from the file.
func (m *Marks) read() error {
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	stored := map[string]int64{}
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w; see docs/deposits.md, \"After the restore of a backup\"", m.path, err)
	}
	for wallet, next := range stored {
		m.next[wallet] = max(m.next[wallet], next)
	}
	return nil
}

// Raise implements ports.DepositMarks. It reads the file again before it writes, because other
// processes may use the directory. If two write at the same moment, the higher index returns with
// the next write.
func (m *Marks) Raise(_ context.Context, wallet string, next int64) (int64, error) {
	m.waiting.Lock()
	m.wanted[wallet] = max(m.wanted[wallet], next)
	m.waiting.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if next <= m.next[wallet] {
		return m.next[wallet], nil
	}
	if err := m.read(); err != nil {
		return 0, err
	}
	if next <= m.next[wallet] {
		return m.next[wallet], nil
	}
	raised := maps.Clone(m.next)
	m.waiting.Lock()
	for wallet, wanted := range m.wanted {
		raised[wallet] = max(raised[wallet], wanted)
	}
	m.waiting.Unlock()
	if err := writeFile(m.path, raised); err != nil {
		return 0, err
	}
	m.next = raised
	return raised[wallet], nil
}

// writeFile replaces a file. The new content survives a power cut after writeFile has returned, and
// the old content one before.
func writeFile(path string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	if runtime.GOOS == "windows" { // cannot sync a directory
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
