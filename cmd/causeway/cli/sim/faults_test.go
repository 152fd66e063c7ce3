package sim

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// visit reads the response to a request to a world.
func visit(t *testing.T, server *httptest.Server, world, path string) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sim-World", world)
	resp, err := (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// TestSimReplay_EdgeFaults records what went wrong at the edge, and makes it go wrong again. What never ended is given up again.
func TestSimReplay_EdgeFaults(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	l.shows("world create broken clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	server := httptest.NewServer(public)
	t.Cleanup(server.Close)
	effects := []string{
		"effect.kind=status effect.status=503", "effect.kind=truncate", "effect.kind=reset", "effect.kind=reset phase=after", "effect.kind=missing_field", "effect.kind=dribble effect.ms=40",
		"effect.kind=malformed",
	}
	for i, effect := range effects {
		l.shows("fault add match.plane=edge match.operation=list-currencies "+effect+" --world broken", "operation=list-currencies", "plane=edge")
		err := visit(t, server, "broken", "/v1/currencies")
		if fails := strings.Contains(effect, "reset") || strings.Contains(effect, "truncate"); (err != nil) != fails {
			t.Errorf("%s: %v", effect, err)
		}
		l.shows("fault list --world broken", "list-currencies=1")
		l.shows(fmt.Sprintf("journal wait applied=fault:f%d --timeout 30s --world broken", i+1), "match") // one that is slow is there when it is over
		l.shows(fmt.Sprintf("fault remove f%d --world broken", i+1), "FAULT")
	}
	l.shows("fault add match.plane=edge effect.kind=hang --world broken", "hang")
	ctx, leave := context.WithCancel(t.Context())
	t.Cleanup(leave)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/v1/currencies", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sim-World", "broken")
	left := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = resp.Body.Close()
		}
		left <- err
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !strings.Contains(l.shows("fault list --world broken"), "list-currencies=1"); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("it does not hang")
		}
	}
	leave()
	if err := <-left; err == nil {
		t.Fatal("it answers")
	}
	l.shows("journal wait applied=fault:f8 --timeout 30s --world broken", "match")
	file := filepath.Join(t.TempDir(), "bundle.json")
	l.file = file
	if err := os.WriteFile(file, []byte(l.shows("journal export --world broken", `"requests"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	l.shows("replay FILE", "All 8 responses are the same")
}
