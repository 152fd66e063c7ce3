package main

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// health is what the probes ask. Live: the process answers. Ready: it has prices to answer with and is not leaving.
type health struct {
	priced   func() bool
	draining atomic.Bool
}

// state returns why the process is not ready, or "" when it is.
func (h *health) state() string {
	switch {
	case h.draining.Load():
		return "draining"
	case !h.priced():
		return "no prices yet"
	default:
		return ""
	}
}

// operatorHandler serves health, metrics, profiles and the page of prices, and takes the operator's word about stablecoins. It is never
// reachable through the public listener. In a sandbox it has the control API and the console, too.
func operatorHandler(h *health, reg *prometheus.Registry, prices, acknowledging http.Handler, banks *bankDesk, sim simDesk) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "live", "") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if reason := h.state(); reason != "" {
			answer(w, http.StatusServiceUnavailable, "not ready", reason)
			return
		}
		answer(w, http.StatusOK, "ready", "")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(reg, promhttp.HandlerOpts{Registry: reg, EnableOpenMetrics: true}))
	mux.Handle("GET /debug/prices", prices)
	mux.HandleFunc("GET "+pricesScriptPath, servePricesScript)
	mux.HandleFunc("GET "+pageStylePath, servePageStyle)
	mux.Handle(acknowledgePath, acknowledging)
	banks.register(mux)
	sim.register(mux)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, "not found", "the operator's listener has /livez, /readyz, /metrics, /debug/prices, "+acknowledgePath+", "+banksPath+", "+acceptPath+", /debug/pprof/"+sim.places())
	})
	return mux
}

func answer(w http.ResponseWriter, status int, state, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(operatorAnswer{Status: state, Reason: reason})
}
