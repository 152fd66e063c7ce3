// Package operator serves the operator's listener: health, metrics, profiles, debug pages, and the
// actions of an operator. None of it is reachable through the public listener.
package operator

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"causeway/cmd/causeway/server"
	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
	"causeway/docs/assets"
)

// Config is what the handler shows and changes.
type Config struct {
	Registry     *prometheus.Registry
	Pairs        func() *pairs.Service         // a function, because a sandbox replaces the service
	Families     func() map[core.Pair][]string // of the sources on each route; a reload changes them
	Acknowledger Acknowledger
	Banks        *banks.Service
	Clock        core.Clock
	Log          *zap.Logger
}

// Handler is the HTTP handler of the operator's listener.
type Handler struct {
	cfg Config
	mux *http.ServeMux

	Health *server.Health // of the process
}

// Reply is the JSON body of every response that is neither a page nor metrics.
type Reply struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// BanksPath is the path of the page of bank lists.
const BanksPath = "/debug/banks"

// New returns the handler.
func New(cfg Config) *Handler {
	h := &Handler{cfg: cfg, mux: http.NewServeMux(), Health: &server.Health{}}
	h.Handle("GET /livez", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		WriteReply(w, http.StatusOK, "live", "")
	}))
	h.Handle("GET /readyz", ReadyHandler(h.ready))
	metrics := promhttp.HandlerOpts{Registry: cfg.Registry, EnableOpenMetrics: true}
	h.Handle("GET /metrics", promhttp.HandlerFor(cfg.Registry, metrics))
	h.Handle("GET /debug/prices", http.HandlerFunc(h.prices))
	h.Handle("GET "+BanksPath, http.HandlerFunc(h.banks))
	h.Handle("GET /debug/assets/", assets.Handler("/debug/assets/"))
	h.Handle("GET /debug/pprof/", sameOrigin(profiles()))
	h.Handle(AcknowledgePath, newAcknowledge(cfg.Acknowledger, cfg.Log))
	h.Handle(AcceptPath, newAccept(cfg.Banks, cfg.Log))
	h.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		WriteReply(w, http.StatusNotFound, "not found", "the operator listener has /livez, /readyz, /metrics, "+
			"/debug/prices, "+BanksPath+", "+DepositsPath+", "+WebhooksPath+", /debug/pprof/, "+
			AcknowledgePath+", "+AcceptPath+
			" and, in a sandbox, /console and /_sim/v1/")
	})
	return h
}

// Handle adds a handler for a pattern of http.ServeMux.
func (h *Handler) Handle(pattern string, handler http.Handler) { h.mux.Handle(pattern, handler) }

// ServeHTTP serves one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// ready returns nil while the process accepts requests and has prices.
func (h *Handler) ready() error {
	if err := h.Health.Ready(); err != nil {
		return err
	}
	if h.cfg.Pairs().Snapshot() == nil {
		return errors.New("no prices yet")
	}
	return nil
}

// ReadyHandler responds to a readiness probe: 200 if ready returns nil, otherwise 503 with the reason.
func ReadyHandler(ready func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			WriteReply(w, http.StatusServiceUnavailable, "not ready", err.Error())
			return
		}
		WriteReply(w, http.StatusOK, "ready", "")
	}
}

// WriteReply responds with a Reply.
func WriteReply(w http.ResponseWriter, status int, state, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Reply{Status: state, Reason: reason})
}
