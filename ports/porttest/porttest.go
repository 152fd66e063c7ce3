// Package porttest holds a test suite for the contract of each port. Every adapter runs its suite
// against recorded responses and against the simulated provider.
//
// A suite knows no provider and no transport. Its caller supplies functions that open the adapter over
// a provider in a certain state: working, broken in some way, or hanging. Each subtest opens a new
// adapter and checks one part of the contract. Paths, headers and digits of a provider are left to the
// adapter's own tests.
package porttest

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
)

// goroutines is the number of concurrent calls in tests of concurrent use.
const goroutines = 8

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkName checks the name of an adapter.
func checkName(t *testing.T, name func() string) {
	t.Helper()
	if !nameForm.MatchString(name()) {
		t.Errorf("got name %q, want lower-case letters and digits", name())
	}
	if first, second := name(), name(); first != second {
		t.Errorf("got name %q, then %q; want one name", first, second)
	}
}

// wantCode checks the code of an error.
func wantCode(t *testing.T, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

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

// checkCanceled checks that a call to a hanging provider returns an error as soon as its context is
// canceled or its deadline expires, and that the error is not core.NotFound.
func checkCanceled(t *testing.T, open func(t *testing.T) (call func(context.Context) error)) {
	t.Helper()
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"before the call": func(parent context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(parent)
			cancel()
			return ctx, cancel
		},
		"during the call": func(parent context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(parent)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		},
		"deadline": func(parent context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(parent, 1500*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				call := open(t)
				ctx, cancel := end(t.Context())
				defer cancel()
				result := make(chan error, 1)
				go func() { result <- call(ctx) }()
				<-ctx.Done()
				synctest.Wait() // all other goroutines are blocked
				select {
				case err := <-result:
					if err == nil || core.CodeOf(err) == core.NotFound {
						t.Errorf("got %v, want an error other than not_found", err)
					}
				default:
					t.Errorf("the call did not return with its context; later it returned %v", <-result)
				}
			})
		})
	}
}
