package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"causeway/adapters/history"
	"causeway/ports"
)

const pageSize = 4096 // of a SQLite file

// spoiled makes a history and overwrites it from a page on.
func spoiled(t *testing.T, from int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "history.db")
	a := opened(t)(history.OpenFile(t.Context(), file, later, nil, failed(t)))
	stop := running(t, a)
	for i := range 200 {
		if err := a.Record(t.Context(), midnight().Add(time.Duration(i)*ports.FineStep), mids(1)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	content, err := os.ReadFile(file)
	if err != nil || len(content) <= from*pageSize {
		t.Fatalf("%d bytes, %v", len(content), err)
	}
	for i := from * pageSize; i < len(content); i++ {
		content[i] = 'x'
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// locked makes a history that somebody else writes to for as long as the test goes on.
func locked(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "history.db")
	running(t, opened(t)(history.OpenFile(t.Context(), file, later, nil, failed(t))))()
	db := raw(t, "sqlite", "file:"+file+"?_txlock=immediate")
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return file
}

// What ends a start says where the file is, and what the operator can do.
func TestAFileThatCannotBeOpenedSaysWhatToDo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, do string }{
		"garbage":                          {spoiled(t, 0), "move it aside"},
		"damaged where it begins":          {spoiled(t, 1), "move it aside"},
		"damaged in its points":            {spoiled(t, 3), "move it aside"},
		"locked":                           {locked(t), "stop the other process"},
		"nobody may write there":           {"/proc/self/history.db", "make its directory, and what is in it, writable"},
		"the directory cannot be made":     {filepath.Join(file, "history.db"), "make its directory, and what is in it, writable"},
		"nobody may make a directory here": {"/proc/self/state/history.db", "make its directory, and what is in it, writable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := history.OpenFile(t.Context(), c.file, later, nil, failed(t))
			if err == nil {
				running(t, a)
			}
			if said := fmt.Sprint(err); !strings.Contains(said, c.file) || !strings.Contains(said, c.do) {
				t.Errorf("%s: want it with the path, and %q", said, c.do)
			}
		})
	}
}
