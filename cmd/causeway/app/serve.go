package app

import (
	"context"
	"net"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/server"
	"causeway/config"
)

// memoryRatio is the part of a control group's memory that Go may use. The rest is for what Go does
// not count: the binary, socket buffers and the page cache of SQLite.
const memoryRatio = 0.8

// Serve runs the service until ctx ends, a signal arrives or a listener fails, and then drains it.
// GOMEMLIMIT follows the memory limit of the control group, unless it is set.
//
// It calls serving once both listeners accept connections, with their addresses.
func Serve(
	ctx context.Context, cfg config.Config, version Version, log *zap.Logger, serving func(public, operator net.Addr),
) error {
	if _, err := memlimit.Set(memlimit.WithRatio(memoryRatio)); err != nil {
		log.Debug("the memory limit of the control group is unknown", zap.Error(err))
	}
	var a *App
	var reg prometheus.Registerer
	modules := fx.New(Module(cfg, version, log), fx.Populate(&a, &reg))
	if err := modules.Err(); err != nil {
		return dig.RootCause(err)
	}
	loading, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	certificate, err := server.LoadCertificate(loading, cfg.TLS, time.Now, log, reg)
	if err != nil {
		return err
	}
	if cfg.Mode == config.Sandbox {
		log.Warn("sandbox mode: every bank, name and price is simulated", zap.String("seed", cfg.Simulator.Seed))
	}
	process := newProcess(a, certificate, cfg, log, reg)
	process.Serving = func() { serving(process.Public.Addr(), process.Operator.Addr()) }
	process.Start = func(ctx context.Context) func() {
		stopApp := a.Start(ctx)
		go certificate.Watch(ctx) // not waited for: a read may hang
		return func() {
			stopApp()
			_ = modules.Stop(context.WithoutCancel(ctx)) // sends the last traces; the process limits the time
		}
	}
	if err := modules.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	return process.Run(ctx)
}

// newProcess connects the App with the two servers.
func newProcess(
	a *App, certificate *server.Certificate, cfg config.Config, log *zap.Logger, reg prometheus.Registerer,
) *server.Process {
	proxies, _ := cfg.Proxies() // newAPI returns the error
	public := server.New(server.Config{
		Name: "public", Address: cfg.Listen, Setting: "listen", TLS: certificate.Config(),
		MaxPerAddress: cfg.Limits.Share(server.ConnectionLimit()), Trusted: proxies,
	}, a.Handler, log)
	public.HTTP.RegisterOnShutdown(a.CloseStreams)
	desk := server.New(server.Config{
		Name: "operator", Address: cfg.OperatorListen, Setting: "operator_listen",
	}, operator.Protect(a.Operator, cfg.OperatorListen, cfg.Mode == config.Production), log)
	for _, s := range []*server.Server{public, desk} {
		s.RegisterMetrics(reg)
	}
	return &server.Process{Public: public, Operator: desk, Health: a.Operator.Health, Drain: cfg.Drain, Log: log}
}
