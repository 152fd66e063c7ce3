package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli"
	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/server"
	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/control"
)

// serveUpstream serves the simulated providers until ctx ends, a signal arrives or a listener fails.
func serveUpstream(ctx context.Context, s cli.Upstream, log *zap.Logger) error {
	worlds, err := upstreamWorlds(s.Seed)
	if err != nil {
		return err
	}
	controls, err := control.New(worlds, control.Config{Version: version, Entropy: app.SystemEntropy, Log: log.Named("control"), Public: app.Origin(s.Listen), NoAPI: true})
	if err != nil {
		return err
	}
	health, limits := &server.Health{}, config.Default().Server
	public := server.New(server.Config{Name: "upstream", Address: s.Listen, Setting: "listen", Limits: limits}, newUpstreamWires(worlds), log)
	requests, end := context.WithCancel(context.WithoutCancel(ctx)) // sockets and responses that a fault delays have no other end
	defer end()
	public.HTTP.BaseContext = func(net.Listener) context.Context { return requests }
	public.HTTP.RegisterOnShutdown(end)
	process := server.Process{
		Public: public,
		Operator: server.New(server.Config{Name: "operator", Address: s.OperatorListen, Setting: "operator_listen", Limits: limits},
			upstreamOperatorHandler(controls, health, s.OperatorListen), log),
		Health: health, Drain: config.Drain{Timeout: upstreamTimeout}, Log: log,
		Start: func(ctx context.Context) (stop func()) {
			ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
			var work sync.WaitGroup
			work.Go(func() { worlds.Run(ctx) })
			return func() {
				cancel()
				work.Wait()
			}
		},
	}
	return process.Run(ctx)
}

func upstreamWorlds(seed string) (*simulator.Worlds, error) {
	catalog, err := config.LoadCatalog()
	if err != nil {
		return nil, err
	}
	cfg := config.Default()
	if cfg.Simulator.Seed = seed; seed == "" {
		return nil, errors.New("--seed is empty; any text will do")
	}
	return app.NewWorlds(cfg, catalog)
}

// upstreamTimeout is how long requests in flight may take when the simulated providers stop.
const upstreamTimeout = 2 * time.Second

// upstreamOperatorHandler serves the control API and the probes.
func upstreamOperatorHandler(controls http.Handler, health *server.Health, listen string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(control.Prefix+"/", controls)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { operator.WriteReply(w, http.StatusOK, "live", "") })
	mux.HandleFunc("GET /readyz", operator.ReadyHandler(health.Ready))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		operator.WriteReply(w, http.StatusNotFound, "not found", "the operator's listener of the simulated providers has /livez, /readyz and "+control.Prefix+"/; what there is below that says "+control.Prefix+"/openapi.json")
	})
	return operator.Protect(mux, listen, false)
}
