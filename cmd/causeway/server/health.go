package server

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// Health is the state of a process, for readiness probes. The zero value is starting.
type Health struct{ state atomic.Int32 }

const (
	starting = iota
	serving
	draining
)

// Ready returns nil while the public listener accepts connections and the process does not drain.
func (h *Health) Ready() error {
	switch h.state.Load() {
	case starting:
		return errors.New("starting")
	case draining:
		return errors.New("draining")
	default:
		return nil
	}
}

// closeWhileDraining asks clients to close their connection once the process drains, so that they
// do not send the next request on a connection that is about to close.
func (h *Health) closeWhileDraining(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.state.Load() == draining {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
