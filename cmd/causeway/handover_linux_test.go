package main

import (
	"context"
	"io"
	"net/http"
	"testing"

	"go.uber.org/zap"

	"causeway/config"
)

// TestNewConnectionsGoToOneProcess: to the one that came last, and, once that is called back, to the one that was there before. Which one answers
// is never a matter of luck: the kernel would else leave some in the queue of the one that closes.
func TestNewConnectionsGoToOneProcess(t *testing.T) {
	t.Parallel()
	failed := make(failures, 2)
	begin := func(name, address string) *listener {
		l := newListener("public", "--listen", address, config.Default().Server, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, name)
		}), zap.NewNop())
		l.joins = true
		if err := l.start(t.Context(), failed); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.stop(context.Background()) })
		return l
	}
	first := begin("first", "127.0.0.1:0")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answers := func(want string) {
		t.Helper()
		for range 50 {
			resp, err := client.Get("http://" + first.bound.String())
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || string(body) != want {
				t.Fatalf("got %q (%v), want %q", body, err, want)
			}
		}
	}
	answers("first")
	second := begin("second", first.bound.String())
	answers("second")
	if !first.shared() || !second.shared() {
		t.Error("nobody notices that they are two")
	}
	first.yield() // who was replaced has nothing to give back
	answers("second")
	second.yield()
	answers("first")
	if err := second.stop(t.Context()); err != nil {
		t.Error(err)
	}
	answers("first")
	third := begin("third", first.bound.String()) // where another one was before
	answers("third")
	if err := first.stop(t.Context()); err != nil {
		t.Error(err)
	}
	answers("third")
	third.yield()
	answers("third")
	if third.shared() || len(failed) > 0 {
		t.Error("it is not alone, or a listener failed")
	}
}

func TestAnOperatorsListenerThatOthersReach(t *testing.T) {
	t.Parallel()
	for address, alone := range map[string]bool{"127.0.0.1:0": true, "localhost:0": true, "0.0.0.0:0": false, ":0": false} {
		l := newListener("operator", "--operator-listen", address, config.Default().Server, http.NotFoundHandler(), zap.NewNop())
		if err := l.start(t.Context(), make(failures, 1)); err != nil {
			t.Fatal(err)
		}
		if l.loopback() != alone {
			t.Errorf("%s: reached by this machine alone: %t", address, !alone)
		}
		if err := l.stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
