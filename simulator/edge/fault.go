package edge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
)

// writeAllowance is how long a client may take to read a response with a fault, in addition to
// the delay of the fault.
const writeAllowance = 30 * time.Second

// applyFault answers a request with a fault.
func (e *Handler) applyFault(out *response, r *http.Request, next http.Handler, hit faults.Hit) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(e.open, cancel)()
	kind, call := hit.Effect.Kind, out.call
	operation, _ := core.FindOperation(call.Operation)
	if operation.Stream {
		hit.Phase = faults.Before // a stream has no end
	}
	r = buffered(r.WithContext(ctx))
	connection := http.NewResponseController(out.ResponseWriter)
	_ = connection.SetWriteDeadline(e.cfg.Worlds.Now().Add(hit.Delay() + writeAllowance))
	injector := inject.Injector{
		Next: next,
		Fail: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			call.FailWith(hit)
			r.Body = http.NoBody // it was read
			r.ContentLength = 0
			next.ServeHTTP(w, r)
		}),
		Alter: func(_ *http.Request, body []byte) []byte { return change(body, operation.Member, kind) },
	}
	if kind.Alters() {
		r = plain(r)
	}
	injector.Serve(out, r, hit)
}

// maxBody is more than any operation reads of a body, in bytes.
const maxBody = 1<<20 + 1

// buffered returns the request with its body in memory, as far as any operation reads it: net/http
// notices that a client closed the connection only when the body was read.
func buffered(r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	var kept bytes.Buffer
	_, _ = io.CopyN(&kept, r.Body, maxBody) // the next reader gets the same error
	r.Body = readCloser{io.MultiReader(&kept, r.Body), r.Body}
	return r
}

// plain returns a request for a complete, uncompressed response, which can be changed.
func plain(r *http.Request) *http.Request {
	r = r.Clone(r.Context())
	for _, name := range []string{"Accept-Encoding", "If-None-Match", "Range"} {
		r.Header.Del(name)
	}
	return r
}

// change returns a body whose member is missing or has another type.
func change(body []byte, member string, kind faults.Kind) []byte {
	return inject.Edit(body, func(document any) {
		inject.Replace(document, member, func(_ string, value any) any {
			if kind == faults.MissingField {
				return nil
			}
			return []any{value}
		})
	})
}
