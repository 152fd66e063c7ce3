package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"causeway/config"
	"causeway/core"
)

// Verdict is how a check came out, from what may be left alone to what needs somebody.
type Verdict int

// The verdicts.
const (
	Skipped Verdict = iota
	Fine
	Worrying
	Broken
)

// String is the verdict as people are shown it.
func (v Verdict) String() string { return [...]string{"-", "ok", "warn", "FAIL"}[v] }

// MarshalJSON is the verdict as programs are shown it.
func (v Verdict) MarshalJSON() ([]byte, error) {
	return json.Marshal([...]string{"skipped", "ok", "warn", "fail"}[v])
}

// Finding is what a check found, and what to do about it.
type Finding struct {
	Check string  `json:"check"`
	State Verdict `json:"state"`
	Found string  `json:"found"`
	Do    string  `json:"do,omitempty"`
}

// The exit codes of doctor beside 0.
const (
	exitBroken   = 1
	exitWorrying = 3
)

func doctorCommand(o Options) *cobra.Command {
	var (
		output  string
		offline bool
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what a process needs here before it is started, or why it does not do well",
		Long: `It reads the same settings as causeway serve, and checks them and what they lead to: credentials, whether each provider can be reached and takes them, the
clock, the certificate, Redis, the price history, the state directory, keys, ports, file descriptors and memory. It changes nothing, beside a file that it makes in the
state directory and removes, and asks each provider one or two questions that cost nothing; Open Exchange Rates counts one call. It shows no secret.

Exit code: 0 all is well, 1 something FAILs, 2 usage error, 3 nothing fails and something is to be warned of.`,
		Example: "  causeway doctor --mode production --config /etc/causeway/causeway.yaml\n  causeway doctor --offline -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if timeout <= 0 {
				return UsageError("--timeout is %s; accepted: more than 0s", timeout)
			}
			ctx, done := context.WithTimeout(cmd.Context(), timeout)
			defer done()
			var found []Finding
			if cfg, err := LoadConfig(cmd.Flags()); err != nil {
				found = unreadable(err)
			} else {
				found = NewDoctor(o, cfg, offline).Examine(ctx)
			}
			if err := report(cmd.OutOrStdout(), o.Build.Version, output, found); err != nil {
				return err
			}
			return Diagnosis(found)
		},
	}
	SettingFlags(cmd.Flags())
	OutputFlag(cmd.Flags(), &output)
	cmd.Flags().BoolVar(&offline, "offline", false, "ask nobody over the network: neither providers nor databases")
	DurationVar(cmd.Flags(), &timeout, "timeout", 15*time.Second, "when to give up on what does not answer")
	return cmd
}

// unreadable is what is found where the settings have faults: each of them, and nothing else, since all else hangs on them.
func unreadable(err error) []Finding {
	var out []Finding
	for fault := range strings.Lines(err.Error()) {
		out = append(out, Finding{"configuration", Broken, strings.TrimSpace(fault), "correct it; docs/configuration.md lists every variable; causeway config print shows the values in force"})
	}
	return out
}

// Doctor examines one configuration in its surroundings.
type Doctor struct {
	options Options
	cfg     config.Config
	offline bool
	clock   core.Clock
	witness *witness
}

// NewDoctor returns a doctor for a configuration.
func NewDoctor(o Options, cfg config.Config, offline bool) *Doctor {
	cfg.Upstream.NoSockets = true // one request per source is enough
	return &Doctor{options: o, cfg: cfg, offline: offline, clock: time.Now, witness: &witness{clock: time.Now}}
}

// Examine does all checks at once, each for as long as ctx allows, and returns what they found in their order.
func (d *Doctor) Examine(ctx context.Context) []Finding {
	checks := []func(context.Context) []Finding{
		d.providers, d.tls, d.redis, d.database, d.stateDir, d.resolution, d.ports, d.descriptors, d.memory,
	}
	found := make([][]Finding, len(checks))
	var work sync.WaitGroup
	for i, check := range checks {
		work.Go(func() { found[i] = check(ctx) })
	}
	work.Wait()
	return slices.Concat(found...)
}

// report writes what was found.
func report(out io.Writer, version, output string, found []Finding) error {
	if output == "json" {
		return PrintJSON(out, map[string]any{"version": version, "checks": found})
	}
	t := Table{Head: []string{"STATE", "CHECK", "FOUND"}}
	for _, f := range found {
		t.Row(f.State, f.Check, f.Found)
		if f.Do != "" {
			t.Row(" ", " ", "→ "+f.Do)
		}
	}
	return t.Write(out)
}

// Diagnosis is the error that ends the process with the right code; nil where all is well.
func Diagnosis(found []Finding) error {
	count := map[Verdict]int{}
	for _, f := range found {
		count[f.State]++
	}
	text := fmt.Sprintf("%d of %d checks FAIL, %d warn", count[Broken], len(found), count[Worrying])
	switch {
	case count[Broken] > 0:
		return &ExitError{exitBroken, errors.New(text)}
	case count[Worrying] > 0:
		return &ExitError{exitWorrying, errors.New(text)}
	}
	return nil
}
