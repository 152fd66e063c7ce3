// Package middleware holds the HTTP middleware of the public API that knows nothing of its
// operations.
package middleware

import (
	"net/http"
)

// Middleware wraps a handler.
type Middleware = func(http.Handler) http.Handler

// Chain wraps a handler in middleware. The first one is the outermost.
func Chain(h http.Handler, all ...Middleware) http.Handler {
	for i := len(all) - 1; i >= 0; i-- {
		h = all[i](h)
	}
	return h
}

// Recorder is a ResponseWriter that remembers the status and the size of the response.
type Recorder struct {
	http.ResponseWriter

	Status int   // 0 until the header is sent
	Bytes  int64 // of the body
	// OnHeader is called once, before the header is sent. It may be nil.
	OnHeader func()

	head bool
}

// NewRecorder returns a Recorder for the response to r.
func NewRecorder(w http.ResponseWriter, r *http.Request) *Recorder {
	return &Recorder{ResponseWriter: w, head: r.Method == http.MethodHead}
}

// WriteHeader sends the header.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 && status >= http.StatusOK {
		r.Status = status
		if r.OnHeader != nil {
			r.OnHeader()
		}
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body, which net/http drops in the response to HEAD.
func (r *Recorder) Write(b []byte) (int, error) {
	if r.Status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	n, err := r.ResponseWriter.Write(b)
	if !r.head {
		r.Bytes += int64(n)
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
