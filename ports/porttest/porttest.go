// Package porttest holds a test suite for the contract of each port that stores something. Every
// adapter runs the suite of its port. Providers have suites in adapters/providers/providertest.
package porttest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goroutines is the number of concurrent calls in tests of concurrent use.
const goroutines = 8

// require fails a suite that lacks an input, which would otherwise pass without checking anything.
func require(t *testing.T, given bool, what string) {
	t.Helper()
	if !given {
		t.Fatalf("the suite requires %s", what)
	}
}

// concurrently calls f in several goroutines at once and waits for them.
func concurrently(f func()) {
	var work sync.WaitGroup
	for range goroutines {
		work.Go(f)
	}
	work.Wait()
}

// run runs checks in parallel.
func run(t *testing.T, checks map[string]func(*testing.T)) {
	t.Helper()
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// canceled returns a context that is canceled.
func canceled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// equal compares what a store has with what it should have.
func equal[T any](t *testing.T, what string, want, got T, errs ...error) {
	t.Helper()
	if diff, err := cmp.Diff(want, got), errors.Join(errs...); diff != "" || err != nil {
		t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
	}
}
