package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli"
	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/control"
)

// serveUpstream serves the providers until a signal, a failed listener or the end of ctx.
func serveUpstream(ctx context.Context, s cli.Upstream, log *zap.Logger) error {
	worlds, err := upstreamWorlds(s.Seed)
	if err != nil {
		return err
	}
	signals, forget := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer forget()
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // of every request: sockets and answers that never come have no other end
	var work sync.WaitGroup
	defer work.Wait()
	defer end()
	work.Go(func() { worlds.Run(life) })
	limits := config.Default().Server
	public := newListener("upstream", "--listen", s.Listen, limits, newUpstreamWires(worlds), log)
	public.server.BaseContext = func(net.Listener) context.Context { return life }
	public.server.RegisterOnShutdown(end)
	controls, err := control.New(worlds, control.Config{Version: version, Entropy: app.SystemEntropy, Log: log.Named("control"), Public: app.Origin(s.Listen), NoAPI: true})
	if err != nil {
		return err
	}
	desk := newListener("operator", "--operator-listen", s.OperatorListen, limits, upstreamOperatorHandler(controls, s.OperatorListen), log)
	failed := make(failures, 2)
	if err := desk.start(ctx, failed); err != nil {
		return err
	}
	if err := public.start(ctx, failed); err != nil {
		return errors.Join(err, desk.stop(ctx))
	}
	select {
	case <-signals.Done():
	case err = <-failed:
	}
	forget() // a second signal ends the process at once
	last, done := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer done()
	err = errors.Join(err, public.stop(last), desk.stop(last))
	log.Info("stopped")
	return err
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

// upstreamOperatorHandler has the control API, and says that the process lives, at an address as configured.
func upstreamOperatorHandler(controls http.Handler, listen string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(control.Prefix+"/", controls)
	for _, probe := range []string{"live", "ready"} {
		mux.HandleFunc("GET /"+probe+"z", func(w http.ResponseWriter, _ *http.Request) { operator.WriteReply(w, http.StatusOK, probe, "") })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		operator.WriteReply(w, http.StatusNotFound, "not found", "the operator's listener of the simulated providers has /livez, /readyz and "+control.Prefix+"/; what there is below that says "+control.Prefix+"/openapi.json")
	})
	return operator.Protect(mux, listen, false)
}
