package storage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"causeway/ports"
	"causeway/ports/porttest"
)

func TestMarks_Contract(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	porttest.DepositMarks(t, func() ports.DepositMarks { return openMarks(t, dir) })
	info, err := os.Stat(filepath.Join(dir, marksFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want a file that only its owner can read", info, err)
	}
}

func openMarks(t testing.TB, dir string) *Marks {
	t.Helper()
	m, err := OpenMarks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// An index that cannot be remembered is an error, and so is a file that cannot be read.
func TestMarks_Failures(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	m := openMarks(t, dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Raise(t.Context(), "BTC", 1); err == nil {
		t.Error("without the directory: got no error, want one")
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Raise(t.Context(), "BTC", 1); got != 1 || err != nil {
		t.Errorf("with the directory: got %d, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, marksFile), []byte(`{"BTC":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenMarks(dir); err == nil || !strings.Contains(err.Error(), marksFile) {
		t.Errorf("a damaged file: got %v", err)
	}
}

func BenchmarkMarks(b *testing.B) {
	m, next := openMarks(b, b.TempDir()), int64(0)
	for b.Loop() {
		next++
		if _, err := m.Raise(b.Context(), "BTC", next); err != nil {
			b.Fatal(err)
		}
	}
}
