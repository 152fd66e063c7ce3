package app

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
)

// TestWorld_Memory measures worlds that were asked something. docs/sandbox.md says 0.8 MiB.
func TestWorld_Memory(t *testing.T) { //nolint:paralleltest // it measures memory
	s := newSandboxed(t)
	s.ask(http.MethodGet, "/v1/countries", "", "Sim-World", "first") // what all share is made by the first one
	const n = 50
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		if code := s.ask(http.MethodGet, "/v1/countries", "", "Sim-World", fmt.Sprint("world ", i)).Code; code != http.StatusOK {
			t.Fatal(code)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
	if t.Logf("%d KiB each", each>>10); each > 3<<19 {
		t.Errorf("a world that was asked takes %d KiB, want at most 1,536", each>>10)
	}
	runtime.KeepAlive(s)
}
