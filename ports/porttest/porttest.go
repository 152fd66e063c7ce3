// Package porttest turns the duties of the ports into suites that every adapter runs: over recorded
// answers, and over the simulator's wire of its provider. Each sentence of a port's contract is a
// subtest.
//
// A suite knows no provider and no transport. It is given functions that open the implementation
// over a provider in a certain state (working, broken in some way, never answering), opens it
// afresh for each subtest, and asks. It checks what the contract says and nothing more: paths,
// headers and digits of a provider's own are for the adapter's tests.
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

// askers is how many goroutines ask at once where a contract promises that they may.
const askers = 8

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// named checks an implementation's name.
func named(t *testing.T, name func() string) {
	t.Helper()
	if !nameForm.MatchString(name()) {
		t.Errorf("got name %q, want lower-case letters and digits", name())
	}
	if first, second := name(), name(); first != second {
		t.Errorf("the name changed from %q to %q", first, second)
	}
}

// wantCode checks the code of an error.
func wantCode(t *testing.T, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// need stops a suite that was not given what it needs, rather than passing for want of questions.
func need(t *testing.T, given bool, what string) {
	t.Helper()
	if !given {
		t.Fatalf("the suite needs %s", what)
	}
}

// together runs ask in many goroutines at once, for the race detector and for whatever ask checks.
func together(ask func()) {
	var work sync.WaitGroup
	for range askers {
		work.Go(ask)
	}
	work.Wait()
}

// leavesPromptly checks that ask, over a provider that never answers, returns an error as soon as
// its context ends, whether that is before, while or because time is up; and that it never takes
// the silence for an answer.
func leavesPromptly(t *testing.T, open func(t *testing.T) (ask func(context.Context) error)) {
	t.Helper()
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"before it asks": func(parent context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(parent)
			cancel()
			return ctx, cancel
		},
		"while it waits": func(parent context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(parent)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		},
		"at a deadline": func(parent context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(parent, 1500*time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ask := open(t)
				ctx, cancel := end(t.Context())
				defer cancel()
				answered := make(chan error, 1)
				go func() { answered <- ask(ctx) }()
				<-ctx.Done()
				synctest.Wait() // everything that can happen without time passing has happened
				select {
				case err := <-answered:
					if err == nil || core.CodeOf(err) == core.NotFound {
						t.Errorf("got %v for an answer", err)
					}
				default:
					t.Errorf("still asks after the end of its context; in the end: %v", <-answered)
				}
			})
		})
	}
}
