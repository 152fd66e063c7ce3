package app

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"
)

const validateBody = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`

// BenchmarkSandbox measures the first request to a world, and requests to a world whose prices are old.
func BenchmarkSandbox(b *testing.B) {
	for _, request := range []struct{ name, method, path, body string }{
		{"validate", http.MethodPost, "/v1/validate", validateBody}, {"pairs", http.MethodGet, "/v1/pairs", ""},
	} {
		b.Run("first request/"+request.name, func(b *testing.B) {
			s := newSandboxFixture(b)
			defer reportProcessor(b)()
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprint("world ", i)
				if rec := s.ask(request.method, request.path, request.body, "Sim-World", id); rec.Code != http.StatusOK {
					b.Fatal(rec.Code, rec.Body)
				}
				if err := s.Worlds.Delete(id); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("old prices/"+request.name, func(b *testing.B) {
			s := newSandboxFixture(b)
			w, err := s.Worlds.Use("world")
			if err != nil {
				b.Fatal(err)
			}
			defer reportProcessor(b)()
			for b.Loop() {
				w.Freeze(w.Now().Add(2 * time.Second))
				if rec := s.ask(request.method, request.path, request.body, "Sim-World", "world"); rec.Code != http.StatusOK {
					b.Fatal(rec.Code, rec.Body)
				}
			}
		})
	}
}

// reportProcessor measures the processor time of an operation, which other processes do not change.
func reportProcessor(b *testing.B) (stop func()) {
	b.Helper()
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
	}
	began := used()
	return func() { b.ReportMetric((used()-began)/float64(b.N), "cpu-ms/op") }
}
