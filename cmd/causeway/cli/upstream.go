package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"causeway/adapters/providers"
	"causeway/adapters/web/apierror"
	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/operator"
	"causeway/cmd/causeway/server"
	"causeway/config"
	"causeway/simulator/control"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// Default addresses of the simulated providers, different from the defaults of causeway serve.
const (
	upstreamListen   = "127.0.0.1:9200"
	upstreamOperator = "127.0.0.1:9201"
)

// upstreamTimeout is how long requests in flight may take when the simulated providers stop.
const upstreamTimeout = 2 * time.Second

// upstreamServer holds the flags of causeway upstream.
type upstreamServer struct{ listen, operatorListen, seed string }

func upstreamCommand(build Build) *cobra.Command {
	var u upstreamServer
	cmd := &cobra.Command{
		Use:   "upstream",
		Short: "Serve the simulated providers over TCP, for a process in production mode",
		Long: `Serves every provider that the sandbox simulates, in its own wire format, each below a path of its
name: /paystack, /kraken and so on, and the back ends of the simulated blockchains: /evm-bsc and so on.
A process in production mode that uses them runs end to end, network included, without a real provider:

  causeway upstream &
  eval "$(causeway upstream env)"
  causeway serve --mode production

The header Sim-World selects a world; the default is "default". The operator listener has the
control API of the worlds: causeway sim --operator 127.0.0.1:9201. Outcomes of requests, faults at
the edge and the journal belong to a sandbox and are refused here.`,
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if u.seed == "" {
				return UsageError("--seed is empty; accepted: any text")
			}
			log, flush, err := app.NewLogger(config.Default().Log)
			if err != nil {
				return err
			}
			defer flush()
			return u.serve(cmd.Context(), build.Version, log)
		},
	}
	cmd.Flags().StringVar(&u.listen, "listen", upstreamListen, "address of the providers")
	cmd.Flags().StringVar(&u.operatorListen, "operator-listen", upstreamOperator,
		"address of the operator listener: health and the control API")
	cmd.Flags().StringVar(&u.seed, "seed", config.Default().Simulator.Seed,
		"seed of the simulated world: the same seed gives the same names and prices")
	cmd.AddCommand(upstreamEnvCommand())
	return cmd
}

// serve serves the simulated providers until ctx ends, a signal arrives or a listener fails.
func (u upstreamServer) serve(ctx context.Context, version string, log *zap.Logger) error {
	catalog, err := config.LoadCatalog()
	if err != nil {
		return err
	}
	cfg := config.Default()
	cfg.Simulator.Seed = u.seed
	worlds, err := app.NewWorlds(cfg, catalog)
	if err != nil {
		return err
	}
	controls := control.New(worlds, control.Config{
		Version: version, Entropy: app.SystemEntropy, Log: log.Named("control"), NoAPI: true,
	})
	health := &server.Health{}
	public := server.New(
		server.Config{Name: "upstream", Address: u.listen, Setting: "listen"},
		upstreamHandler{worlds}, log)
	requests, end := context.WithCancel(context.WithoutCancel(ctx)) // ends sockets and responses that a fault delays
	defer end()
	public.HTTP.BaseContext = func(net.Listener) context.Context { return requests }
	public.HTTP.RegisterOnShutdown(end)
	process := &server.Process{
		Public: public,
		Operator: server.New(
			server.Config{Name: "operator", Address: u.operatorListen, Setting: "operator_listen"},
			upstreamOperatorHandler(controls, health, u.operatorListen), log),
		Health: health, Drain: config.Drain{Timeout: upstreamTimeout}, Log: log,
	}
	return server.Run(ctx, fx.Supply(process, log), fx.Provide(server.NewBackground), fx.Invoke(
		(*server.Process).ServeOperator,
		func(b *server.Background) { b.Run(worlds.Run) },
		(*server.Process).ServePublic,
	))
}

// upstreamOperatorHandler serves the control API and the probes.
func upstreamOperatorHandler(controls http.Handler, health *server.Health, listen string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(control.Prefix+"/", controls)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		operator.WriteReply(w, http.StatusOK, "live", "")
	})
	mux.HandleFunc("GET /readyz", operator.ReadyHandler(health.Ready))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		operator.WriteReply(w, http.StatusNotFound, "not found",
			"this listener has /livez, /readyz and "+control.Prefix+"/openapi.json")
	})
	return operator.Protect(mux, listen, false)
}

// upstreamHandler serves the providers of all worlds, each provider below a path of its name.
type upstreamHandler struct{ worlds *world.Registry }

// ServeHTTP passes a request to a provider of the world that the request names.
func (h upstreamHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sim, err := h.worlds.Use(cmp.Or(r.Header.Get("Sim-World"), world.Default))
	if err != nil {
		apierror.From(err).Write(w, r)
		return
	}
	defer h.worlds.Hold(sim)()
	wired := wire.New(sim)
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	provider := wired.Handler(name)
	if provider == nil {
		operator.WriteReply(w, http.StatusNotFound, "no such provider",
			"the simulated providers are at /"+strings.Join(wired.Providers(), ", /"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(sim.Alive(), cancel)() // sockets and delayed responses outlive the world otherwise
	http.StripPrefix("/"+name, provider).ServeHTTP(w, r.WithContext(ctx))
}

func upstreamEnvCommand() *cobra.Command {
	var base string
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the variables that point a process in production mode at the simulated providers",
		Long: `Prints the variables that point a process in production mode at the simulated providers, and the API key
CAUSEWAY_KEY, which this process takes in place of auth.keys. No other setting of yours changes: operations that need
a key in production need it in the rehearsal.`,
		Example: `  eval "$(causeway upstream env)"; causeway serve --mode production
  causeway upstream env --base http://upstream.test:9200 > upstream.env`,
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			variables, err := upstreamEnv(base)
			if err != nil {
				return err
			}
			if WantsJSON(cmd) {
				return PrintJSON(cmd.OutOrStdout(), variables)
			}
			for _, name := range slices.Sorted(maps.Keys(variables)) {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "export %s='%s'\n", name, variables[name]); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintln(cmd.ErrOrStderr(), "The API key of this rehearsal is "+rehearsalKey+": "+
				`curl -H "Authorization: Bearer $CAUSEWAY_KEY" …`)
			return err
		},
	}
	cmd.Flags().StringVar(&base, "base", "http://"+upstreamListen, "URL of causeway upstream")
	OutputFlag(cmd.Flags())
	return cmd
}

// rehearsalKey is an API key for a process in production mode whose providers are simulated.
const rehearsalKey = "rehearsal-with-simulated-providers"

// upstreamEnv returns the variables for providers and back ends of blockchains below a base URL, and an API key for the
// rehearsal, which the commands of this binary send too. The keys of simulated providers are no secrets. Which
// operations need a key remains the decision of the settings. Back ends are left out where production refuses them:
// without TLS on another machine.
func upstreamEnv(base string) (map[string]string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(base, "'") {
		return nil, UsageError("--base is %q; accepted: http or https, a host and a path, such as http://%s",
			base, upstreamListen)
	}
	base = strings.TrimRight(base, "/")
	out := map[string]string{"CAUSEWAY_AUTH__KEYS": rehearsalKey, "CAUSEWAY_KEY": rehearsalKey}
	for _, p := range wire.Descriptors {
		described, known := providers.Find(p.Name)
		if !known {
			return nil, fmt.Errorf("the simulated provider %s has no adapter", p.Name)
		}
		section := described.SectionName() + "."
		out[config.Variable(config.BaseURLKey(described))] = base + "/" + p.Name + p.Path
		for setting, value := range p.Credentials {
			out[config.Variable(section+setting)] = value
		}
	}
	if config.IsPlain(base) {
		return out, nil
	}
	for _, b := range wire.Chains {
		kind, network, _ := strings.Cut(b.Name, "-")
		out[config.Variable("deposits.chains."+network)] = kind + ":" + base + "/" + b.Name + b.Path
	}
	return out, nil
}
