package cli

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"causeway/config"
)

// Where the simulated providers listen where nothing else is said. The operator's listener of causeway serve is beside it.
const (
	upstreamListen   = "127.0.0.1:9200"
	upstreamOperator = "127.0.0.1:9201"
)

// Upstream says how the simulated providers are served.
type Upstream struct{ Listen, OperatorListen, Seed string }

func upstreamCommand(o Options) *cobra.Command {
	var s Upstream
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
			log, flush, err := o.NewLogger(config.Default().Log)
			if err != nil {
				return err
			}
			defer flush()
			return o.ServeUpstream(cmd.Context(), s, log)
		},
	}
	cmd.Flags().StringVar(&s.Listen, "listen", upstreamListen, "address of the providers")
	cmd.Flags().StringVar(&s.OperatorListen, "operator-listen", upstreamOperator, "address of the operator's listener: health and the control API")
	cmd.Flags().StringVar(&s.Seed, "seed", config.Default().Simulator.Seed, "seed of the simulated world: the same seed gives the same names and prices")
	cmd.AddCommand(upstreamEnvCommand())
	return cmd
}

func upstreamEnvCommand() *cobra.Command {
	var base string
	var output string
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Print the variables that point a production-mode process at the simulated providers",
		Example: `  eval "$(causeway upstream env)"; causeway serve --mode production
  causeway upstream env --base http://upstream.test:9200 > upstream.env`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lines, err := UpstreamEnv(base)
			if err != nil {
				return err
			}
			if output == "json" {
				variables := map[string]string{}
				for _, v := range lines {
					variables[v.Name] = v.Value
				}
				return PrintJSON(cmd.OutOrStdout(), variables)
			}
			for _, v := range lines {
				if _, err := fmt.Fprintf(cmd.OutOrStdout(), "export %s='%s'\n", v.Name, v.Value); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&base, "base", "http://"+upstreamListen, "where causeway upstream is reached")
	OutputFlag(cmd.Flags(), &output)
	return cmd
}

// Variable is one of the environment.
type Variable struct{ Name, Value string }

// UpstreamEnv returns the variables for providers below a base URL. Simulated keys are no secrets. Nobody has a key of the production-mode process, so
// that account resolution is open.
func UpstreamEnv(base string) ([]Variable, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Contains(base, "'") {
		return nil, UsageError("--base is %q; accepted: http or https, a host, a path if need be, such as http://%s", base, upstreamListen)
	}
	base = strings.TrimRight(base, "/")
	out := []Variable{{"CAUSEWAY_AUTH__RESOLUTION", config.Open}}
	for _, p := range upstreamProviders {
		prefix := "CAUSEWAY_" + p.section + "__"
		out = append(out, Variable{prefix + "BASE_URL", base + "/" + p.name + p.path})
		for _, credential := range p.credentials {
			out = append(out, Variable{prefix + credential.Name, credential.Value})
		}
	}
	return out, nil
}
