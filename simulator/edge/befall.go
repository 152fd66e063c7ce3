package edge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"causeway/simulator"
	"causeway/simulator/mishap"
)

// patience is how long a client may take to read an answer that a fault befalls, beside the time that the fault takes.
const patience = 30 * time.Second

// befall answers a request as a fault has it.
func (e *Edge) befall(a *answer, r *http.Request, tenant Tenant, hit simulator.Hit) {
	ctx, cancel := context.WithCancel(r.Context())
	var work sync.WaitGroup
	work.Go(func() {
		select {
		case <-e.closed:
			cancel()
		case <-ctx.Done():
		}
	})
	defer work.Wait()
	defer cancel()
	kind, call := hit.Effect.Kind, a.call
	if simulator.MemberOf(call.Operation) == "" {
		hit.Phase = simulator.Before // a stream is never done
	}
	r = whole(r.WithContext(ctx))
	connection := http.NewResponseController(a.ResponseWriter)
	_ = connection.SetWriteDeadline(e.cfg.Worlds.Now().Add(hit.Delay() + patience))
	scene := mishap.Scene{
		Answer: tenant,
		Fail: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			call.Refuse(hit)
			r.Body = http.NoBody // the body was read
			r.ContentLength = 0
			tenant.ServeHTTP(w, r)
		}),
		Change: func(_ *http.Request, body []byte) []byte { return change(body, call.Operation, kind) },
	}
	switch {
	case kind.Slows(): // the connection, below what the journal tells
		a.slow = true
		below := a.ResponseWriter
		scene.Answer = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.ResponseWriter = w
			tenant.ServeHTTP(a, r)
		})
		scene.Play(below, r, hit)
	case kind.Spoils():
		scene.Play(a, legible(r), hit)
	default:
		scene.Play(a, r, hit)
	}
}

// whole is a request whose body was received, as far as any operation reads it: only behind it does net/http notice that a client is gone.
func whole(r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	var kept bytes.Buffer
	_, _ = io.CopyN(&kept, r.Body, longestBody) // whoever reads on meets the same error
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(&kept, r.Body), r.Body}
	return r
}

// legible is a request for an answer that can be changed: whole, and as it is.
func legible(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	for _, name := range []string{"Accept-Encoding", "If-None-Match", "Range"} {
		r.Header.Del(name)
	}
	return r
}

// change is an answer with something wrong with the member that matters most.
func change(body []byte, operation string, kind simulator.Kind) []byte {
	return mishap.Edit(body, func(document *any) {
		for _, s := range mishap.Find(document, simulator.MemberOf(operation)) {
			if kind == simulator.FaultMissingField {
				s.Drop()
			} else {
				s.Set([]any{s.Value})
			}
		}
	})
}
