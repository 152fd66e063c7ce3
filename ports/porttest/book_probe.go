package porttest

import (
	"bytes"
	"context"
	"sync"
	"testing"
	"time"

	"causeway/core"
	"causeway/ports"
)

// reign is a lead that lasts until it is ended.
type reign struct {
	ports.Lead
	ctx context.Context //nolint:containedctx // the one that the leader was given
	end func()
}

// leads takes the lead of a book, which must be free.
func leads(t *testing.T, book ports.PriceBook) reign {
	t.Helper()
	begun, over, done := make(chan reign, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- book.Lead(t.Context(), func(ctx context.Context, lead ports.Lead) {
			begun <- reign{Lead: lead, ctx: ctx}
			<-over
		})
	}()
	select {
	case r := <-begun:
		r.end = sync.OnceFunc(func() {
			close(over)
			wantCode(t, <-done, "")
		})
		t.Cleanup(r.end)
		return r
	case err := <-done:
		t.Fatalf("the lead is not got: %v", err)
	}
	return reign{}
}

// ledElsewhere checks that the lead is somebody else's.
func ledElsewhere(t *testing.T, book ports.PriceBook) {
	t.Helper()
	wantCode(t, book.Lead(t.Context(), func(context.Context, ports.Lead) { t.Error("there are two leaders") }), core.Conflict)
}

// reads checks what a reader finds above a mark; no body is nothing.
func reads(t *testing.T, book ports.PriceBook, above ports.Mark, want ports.Edition) {
	t.Helper()
	got, err := book.Read(t.Context(), above)
	if want.Body == nil {
		wantCode(t, err, core.NotFound)
		return
	}
	if err != nil || got.Mark != want.Mark || !bytes.Equal(got.Body, want.Body) {
		t.Errorf("got %v %q, %v; want %v %q", got.Mark, got.Body, err, want.Mark, want.Body)
	}
}

// listens follows a book, and returns what it hears.
func listens(t *testing.T, book ports.PriceBook) <-chan ports.Edition {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	heard, done := make(chan ports.Edition, 1000), make(chan struct{})
	go func() {
		defer close(done)
		book.Follow(ctx, func(e ports.Edition) { heard <- e })
	}()
	t.Cleanup(func() { cancel(); <-done })
	return heard
}

// hears waits for an edition; a zero one means that none came in time.
func hears(t *testing.T, heard <-chan ports.Edition, patience time.Duration) ports.Edition {
	t.Helper()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case e := <-heard:
		return e
	case <-timer.C:
		if patience == bookPatience {
			t.Fatal("nothing is told")
		}
		return ports.Edition{}
	}
}
