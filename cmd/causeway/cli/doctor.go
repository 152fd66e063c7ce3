package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/cmd/causeway/app"
	"causeway/config"
)

// Exit codes of doctor beside 0.
const (
	exitFail = 1
	exitWarn = 3
)

// state is the outcome of a check.
type state string

const (
	skipped state = "skipped"
	passed  state = "ok"
	warning state = "warn"
	failed  state = "fail"
)

// result is what a check found and what to do about it.
type result struct {
	Check string `json:"check"`
	State state  `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

func skip(found string) result     { return result{State: skipped, Found: found} }
func pass(found string) result     { return result{State: passed, Found: found} }
func warn(found, do string) result { return result{State: warning, Found: found, Do: do} }
func fail(found, do string) result { return result{State: failed, Found: found, Do: do} }

// doctor checks a configuration on this machine.
type doctor struct {
	cfg     config.Config
	faulty  bool // cfg has faults
	offline bool
	env     app.Environment
	clocks  *clockComparison
}

func newDoctor(cfg config.Config, env app.Environment, offline bool) *doctor {
	cfg.Upstream.NoSockets = true // one request per source is enough
	clocks := &clockComparison{next: env.Transport, offsets: map[string]offset{}}
	env.Transport = clocks
	return &doctor{cfg: cfg, offline: offline, env: env, clocks: clocks}
}

// check is one question that doctor answers.
type check struct {
	name string
	run  func(*doctor, context.Context) result
}

// checks are those with one result. Providers have several; see doctor.providers.
var checks = []check{
	{"certificate", (*doctor).certificate},
	{"redis", (*doctor).redis},
	{"database", (*doctor).database},
	{"state directory", (*doctor).stateDir},
	{"public address", (*doctor).publicAddress},
	{"operator address", (*doctor).operatorAddress},
	{"memory", (*doctor).memory},
}

// run does all checks at once, each for as long as ctx allows, and returns the results in order.
func (d *doctor) run(ctx context.Context) []result {
	var (
		work      sync.WaitGroup
		providers []result
		rest      = make([]result, len(checks))
	)
	work.Go(func() { providers = d.providers(ctx) })
	for i, c := range checks {
		work.Go(func() {
			rest[i] = c.run(d, ctx)
			rest[i].Check = c.name
		})
	}
	work.Wait()
	return slices.Concat(providers, rest)
}

// doctorFlags are the flags of doctor and doctor providers.
type doctorFlags struct {
	output  string
	offline bool
	timeout time.Duration
}

func (f *doctorFlags) add(flags *pflag.FlagSet) {
	SettingFlags(flags)
	OutputFlag(flags, &f.output)
	DurationVar(flags, &f.timeout, "timeout", 15*time.Second, "time limit of all checks")
}

// run checks what a command checks and prints the results.
func (f *doctorFlags) run(cmd *cobra.Command, build Build, checks func(*doctor, context.Context) []result) error {
	if f.timeout <= 0 {
		return UsageError("--timeout is %s; accepted: more than 0s", f.timeout)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), f.timeout)
	defer cancel()
	cfg, err := LoadConfig(cmd.Flags())
	d := newDoctor(cfg, app.NewEnvironment(nil), f.offline)
	d.faulty = err != nil
	results := append(configurationFaults(err), checks(d, ctx)...)
	if err := printResults(cmd, build.Version, f.output, results); err != nil {
		return err
	}
	return summary(results)
}

func doctorCommand(build Build) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the configuration, the providers and this machine",
		Long: `Reads the settings as causeway serve does and checks them, the credentials, whether each provider
can be reached and accepts them, the clock, the certificate, Redis, the database, the state
directory, ports and memory. Faults in the settings are reported and do not prevent the other
checks.

It changes nothing, sends each provider one or two requests that cost nothing (Open Exchange Rates
counts one call), and prints no secret.

Exit code: 0 no problem, 1 a check failed, 2 usage error, 3 a warning.`,
		Example: "  causeway doctor --mode production --config /etc/causeway/causeway.yaml\n" +
			"  causeway doctor --offline -o json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, build, (*doctor).run) },
	}
	cmd.AddCommand(doctorProvidersCommand(build), doctorResolveCommand())
	f.add(cmd.Flags())
	cmd.Flags().BoolVar(&f.offline, "offline", false, "call neither providers nor databases over the network")
	return cmd
}

// configurationFaults returns a failed check for each fault.
func configurationFaults(err error) []result {
	var out []result
	if err != nil {
		for fault := range strings.Lines(err.Error()) {
			r := fail(strings.TrimSpace(fault), "correct it; docs/configuration.md describes every setting")
			r.Check = "configuration"
			out = append(out, r)
		}
	}
	return out
}

func printResults(cmd *cobra.Command, version, output string, results []result) error {
	t := Table{Head: []string{"STATE", "CHECK", "FOUND"}}
	for _, r := range results {
		text := string(r.State)
		if r.State == failed {
			text = "FAIL"
		}
		t.Row(text, r.Check, r.Found)
		if r.Do != "" {
			t.Row(" ", " ", "→ "+r.Do)
		}
	}
	return t.Print(cmd, output, map[string]any{"version": version, "checks": results})
}

// summary returns the error that ends the process with the exit code of the worst result.
func summary(results []result) error {
	count := map[state]int{}
	for _, r := range results {
		count[r.State]++
	}
	err := fmt.Errorf("%d of %d checks failed, %d warnings", count[failed], len(results), count[warning])
	switch {
	case count[failed] > 0:
		return &ExitError{exitFail, err}
	case count[warning] > 0:
		return &ExitError{exitWarn, err}
	}
	return nil
}
