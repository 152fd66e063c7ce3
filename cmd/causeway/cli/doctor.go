package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/app"
	"causeway/config"
)

// Exit codes of doctor for a result that is not good.
const (
	exitFail = 1
	exitWarn = 3
)

// doctorTimeout bounds all checks together.
const doctorTimeout = time.Minute

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

// of returns the result with the name of its check.
func (r result) of(check string) result {
	r.Check = check
	return r
}

// doctor checks a configuration on this machine.
type doctor struct {
	cfg     config.Config
	faults  error // of cfg
	offline bool
	env     app.Environment
	clock   *clockCheck

	institutions []institution // that need attention; set by providers
}

func newDoctor(cfg config.Config, faults error, env app.Environment, offline bool) *doctor {
	cfg.Upstream.NoSockets = true // one request per source is enough
	clock := &clockCheck{next: env.Transport}
	env.Transport = clock
	return &doctor{cfg: cfg, faults: faults, offline: offline, env: env, clock: clock}
}

// run does all checks at once, each for as long as ctx allows, and returns the results in order.
func (d *doctor) run(ctx context.Context) []result {
	var work sync.WaitGroup
	results := make([][]result, 2+len(checks))
	work.Go(func() { results[0] = d.providers(ctx) })
	work.Go(func() { results[1] = d.chains(ctx) })
	for i, c := range checks {
		work.Go(func() { results[2+i] = []result{c.run(d, ctx).of(c.name)} })
	}
	work.Wait()
	return slices.Concat(results...)
}

func doctorCommand(build Build) *cobra.Command {
	var offline bool
	cmd := checkCommand(build, &offline, (*doctor).run)
	cmd.Use, cmd.Short = "doctor", "Check the configuration, the providers, the back ends and this machine"
	cmd.Long = `Reads the settings as causeway serve does and checks them, the credentials, whether each provider
can be reached and accepts them, the back ends of networks, the clock, the certificate, Redis, the
database and the state directory. Faults in the settings are reported and do not prevent the other checks.

It changes nothing, sends each provider one or two requests that cost nothing (Open Exchange Rates
counts one call), and prints no secret.

Exit code: 0 no problem, 1 a check failed, 2 usage error, 3 a warning.`
	cmd.Example = "  causeway doctor --mode production --config /etc/causeway/causeway.yaml\n" +
		"  causeway doctor --offline -o json"
	cmd.Flags().BoolVar(&offline, "offline", false, "call neither providers nor databases over the network")

	providers := checkCommand(build, new(bool), (*doctor).providers)
	providers.Use, providers.Short = "providers", "Check the credentials and reach of each configured provider"
	providers.Long = `Sends each configured provider the smallest harmless request: a login, a list of banks or a few
prices. It looks up no account. Where bank lists arrive, a table shows the institutions that no
configured provider can resolve, the rows that are new, and the rows that were left out and why.

Exit code: 0 no problem, 1 a check failed, 2 usage error, 3 a warning.`
	chains := checkCommand(build, new(bool), (*doctor).chains)
	chains.Use, chains.Short = "chains", "Check the back ends of each network whose blocks are read"
	chains.Long = `Requests the newest block and one complete block from each back end of deposits.chains. Checks that it
can be reached, serves the right network and is not behind. It prints no URL.

Exit code: 0 no problem, 1 a check failed, 2 usage error, 3 a warning.`
	cmd.AddCommand(providers, chains, doctorResolveCommand())
	return cmd
}

// checkCommand returns a command that checks and prints the results.
func checkCommand(build Build, offline *bool, checks func(*doctor, context.Context) []result) *cobra.Command {
	cmd := &cobra.Command{
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), doctorTimeout)
			defer cancel()
			cfg, err := LoadConfig(cmd.Flags())
			d := newDoctor(cfg, err, app.NewEnvironment(nil), *offline)
			results := append(configurationFaults(err), checks(d, ctx)...)
			if err := printResults(cmd, build.Version, results, d.institutions); err != nil {
				return err
			}
			return summary(results)
		},
	}
	SettingFlags(cmd.Flags())
	OutputFlag(cmd.Flags())
	WideFlag(cmd.Flags())
	return cmd
}

// configurationFaults returns a failed check for each fault.
func configurationFaults(err error) []result {
	var out []result
	if err != nil {
		for fault := range strings.Lines(err.Error()) {
			out = append(out, fail(strings.TrimSpace(fault),
				"correct it; docs/configuration.md describes every setting").of("configuration"))
		}
	}
	return out
}

func printResults(cmd *cobra.Command, version string, results []result, institutions []institution) error {
	t := Table{Head: []string{"STATE", "CHECK", "FOUND"}}
	for _, r := range results {
		text := string(r.State)
		if r.State == failed {
			text = "FAIL"
		}
		t.Row(text, r.Check, r.Found)
		if r.Do != "" {
			t.Row(more, more, "→ "+r.Do)
		}
	}
	document := map[string]any{"version": version, "checks": results, "institutions": institutions}
	if err := t.Print(cmd, document); err != nil || WantsJSON(cmd) || len(institutions) == 0 {
		return err
	}
	t = Table{Head: []string{"COUNTRY", "PROVIDER", "RESULT", "CODE", "NAME"}}
	for _, i := range institutions {
		t.Row(i.Country, i.Provider, i.Result, i.Code, i.Name)
	}
	if _, err := fmt.Fprintln(cmd.OutOrStdout()); err != nil {
		return err
	}
	return t.Print(cmd, nil)
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
