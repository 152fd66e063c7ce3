package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/simulator"
	"causeway/simulator/control"
)

// Where the simulated providers listen where nothing else is said. The operator's listener of causeway serve is beside it.
const (
	upstreamListen   = "127.0.0.1:9200"
	upstreamOperator = "127.0.0.1:9201"
)

// upstreamSettings say how the simulated providers are served.
type upstreamSettings struct{ listen, operator, seed string }

func upstreamCommand() *cobra.Command {
	var s upstreamSettings
	cmd := &cobra.Command{
		Use:   "upstream",
		Short: "Serve the simulated providers over TCP, for a production-mode process to ask",
		Long: `Every provider of Causeway as the sandbox has it, in its own wire format, at one base path each: /paystack, /kraken and so on. A
production-mode causeway serve that is pointed there runs end to end, network included, without a real provider:

  causeway upstream &
  eval "$(causeway upstream env)"
  causeway serve --mode production

What is simulated is the world "default", or the one that a request names with the header Sim-World. The operator's listener has the control API of these worlds: causeway sim --operator 127.0.0.1:9201.
There are the providers alone: outcomes of requests, faults between clients and the service (plane edge) and the journal of requests are the sandbox's, and refused here.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, flush, err := newLogger(config.Default().Log)
			if err != nil {
				return err
			}
			defer flush()
			return serveUpstream(cmd.Context(), s, log)
		},
	}
	cmd.Flags().StringVar(&s.listen, "listen", upstreamListen, "address of the providers")
	cmd.Flags().StringVar(&s.operator, "operator-listen", upstreamOperator, "address of the operator's listener: health and the control API")
	cmd.Flags().StringVar(&s.seed, "seed", config.Default().Simulator.Seed, "seed of the simulated world: the same seed gives the same names and prices")
	cmd.AddCommand(upstreamEnvCommand())
	return cmd
}

// serveUpstream serves the providers until a signal, a failed listener or the end of ctx.
func serveUpstream(ctx context.Context, s upstreamSettings, log *zap.Logger) error {
	worlds, err := upstreamWorlds(s.seed)
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
	limits.ReusePort = false // whoever starts it twice does so by mistake
	public := newListener("upstream", "--listen", s.listen, limits, newUpstreamWires(worlds), log)
	public.server.BaseContext = func(net.Listener) context.Context { return life }
	public.server.RegisterOnShutdown(end)
	controls, err := control.New(worlds, control.Config{Version: version, Entropy: systemEntropy, Log: log.Named("control"), Public: origin(s.listen), NoAPI: true})
	if err != nil {
		return err
	}
	operator := newListener("operator", "--operator-listen", s.operator, limits, upstreamOperatorHandler(controls, s.operator), log)
	failed := make(failures, 2)
	if err := operator.start(ctx, failed); err != nil {
		return err
	}
	if err := public.start(ctx, failed); err != nil {
		return errors.Join(err, operator.stop(ctx))
	}
	select {
	case <-signals.Done():
	case err = <-failed:
	}
	forget() // a second signal ends the process at once
	last, done := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
	defer done()
	err = errors.Join(err, public.stop(last), operator.stop(last))
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
	return newWorlds(cfg, catalog)
}

// upstreamOperatorHandler has the control API, and says that the process lives, at an address as configured.
func upstreamOperatorHandler(controls http.Handler, listen string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(control.Prefix+"/", controls)
	for _, probe := range []string{"live", "ready"} {
		mux.HandleFunc("GET /"+probe+"z", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, probe, "") })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, "not found", "the operator's listener of the simulated providers has /livez, /readyz and "+control.Prefix+"/; what there is below that says "+control.Prefix+"/openapi.json")
	})
	return operatorDoor(mux, listen, false)
}

func upstreamEnvCommand() *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the variables that point a production-mode process at the simulated providers",
		Example: `  eval "$(causeway upstream env)"; causeway serve --mode production
  causeway upstream env --base http://upstream.test:9200 > upstream.env`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lines, err := upstreamEnv(base)
			if err != nil {
				return err
			}
			for _, v := range lines {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "export %s='%s'\n", v.name, v.value); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&base, "base", "http://"+upstreamListen, "where causeway upstream is reached")
	return cmd
}

// variable is one of the environment.
type variable struct{ name, value string }

// upstreamEnv are the variables for providers below a base URL. Simulated keys are no secrets. Nobody has a key of the production-mode process, so
// that account resolution is open.
func upstreamEnv(base string) ([]variable, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(base, "'") {
		return nil, fmt.Errorf("--base is %q; accepted: http or https, a host, a path if need be, such as http://%s", base, upstreamListen)
	}
	base = strings.TrimRight(base, "/")
	sockets := "ws" + strings.TrimPrefix(base, "http")
	out := []variable{{"CAUSEWAY_AUTH__RESOLUTION", config.Open}}
	for _, p := range upstreamProviders {
		prefix := "CAUSEWAY_" + p.section + "__"
		out = append(out, variable{prefix + "BASE_URL", base + "/" + p.name + p.path})
		if p.socket {
			out = append(out, variable{prefix + "SOCKET_URL", sockets + "/" + p.name})
		}
		for _, credential := range p.credentials {
			out = append(out, variable{prefix + credential.name, credential.value})
		}
	}
	return out, nil
}
