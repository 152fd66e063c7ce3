package main

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
)

// verdict is how a check came out, from what may be left alone to what needs somebody.
type verdict int

// The verdicts.
const (
	skipped verdict = iota
	fine
	worrying
	broken
)

// String is the verdict as people are shown it.
func (v verdict) String() string { return [...]string{"-", "ok", "warn", "FAIL"}[v] }

// MarshalJSON is the verdict as programs are shown it.
func (v verdict) MarshalJSON() ([]byte, error) {
	return json.Marshal([...]string{"skipped", "ok", "warn", "fail"}[v])
}

// finding is what a check found, and what to do about it.
type finding struct {
	Check string  `json:"check"`
	State verdict `json:"state"`
	Found string  `json:"found"`
	Do    string  `json:"do,omitempty"`
}

// The exit codes of doctor beside 0.
const (
	exitBroken   = 1
	exitWorrying = 2
)

func doctorCommand() *cobra.Command {
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

Exit code: 0 all is well, 1 something FAILs (or the command is misspelt), 2 nothing fails and something is to be warned of.`,
		Example: "  causeway doctor --mode production --config /etc/causeway/causeway.yaml\n  causeway doctor --offline -o json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case output != "table" && output != "json":
				return fmt.Errorf("--output is %s; accepted: table, json", output)
			case timeout <= 0:
				return fmt.Errorf("--timeout is %s; accepted: more than 0s", timeout)
			}
			ctx, done := context.WithTimeout(cmd.Context(), timeout)
			defer done()
			var found []finding
			if cfg, err := load(cmd.Flags()); err != nil {
				found = unreadable(err)
			} else {
				found = newDoctor(cfg, network(), offline).examine(ctx)
			}
			if err := report(cmd.OutOrStdout(), output, found); err != nil {
				return err
			}
			return diagnosis(found)
		},
	}
	settingFlags(cmd.Flags())
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table for people, json for programs")
	cmd.Flags().BoolVar(&offline, "offline", false, "ask nobody over the network: neither providers nor databases")
	cmd.Flags().DurationVar(&timeout, "timeout", 15*time.Second, "when to give up on what does not answer")
	return cmd
}

// unreadable is what is found where the settings have faults: each of them, and nothing else, since all else hangs on them.
func unreadable(err error) []finding {
	var out []finding
	for fault := range strings.Lines(err.Error()) {
		out = append(out, finding{"configuration", broken, strings.TrimSpace(fault), "correct it; the README has every variable, causeway config print what is in force"})
	}
	return out
}

// doctor examines one configuration in its surroundings.
type doctor struct {
	cfg     config.Config
	outside surroundings
	offline bool
	witness *witness
}

func newDoctor(cfg config.Config, outside surroundings, offline bool) *doctor {
	d := &doctor{cfg: cfg, outside: outside, offline: offline, witness: &witness{next: outside.Transport, clock: outside.Clock}}
	d.outside.Transport = d.witness
	d.cfg.Kraken.Socket, d.cfg.Binance.Socket = false, false // one question is enough
	return d
}

// examine does all checks at once, each for as long as ctx allows, and returns what they found in their order.
func (d *doctor) examine(ctx context.Context) []finding {
	checks := []func(context.Context) []finding{
		d.providers, d.tls, d.redis, d.history, d.stateDir, d.keys, d.resolution, d.ports, d.descriptors, d.memory,
	}
	found := make([][]finding, len(checks))
	var work sync.WaitGroup
	for i, check := range checks {
		work.Go(func() { found[i] = check(ctx) })
	}
	work.Wait()
	return slices.Concat(found...)
}

// report writes what was found.
func report(out io.Writer, output string, found []finding) error {
	if output == "json" {
		text, err := json.Marshal(map[string]any{"version": version, "checks": found})
		if err != nil {
			return err
		}
		return printJSON(out, text)
	}
	t := table{head: []string{"STATE", "CHECK", "FOUND"}}
	for _, f := range found {
		t.row(f.State, f.Check, f.Found)
		if f.Do != "" {
			t.row(" ", " ", "→ "+f.Do)
		}
	}
	return t.write(out)
}

// diagnosis is the error that ends the process with the right code; nil where all is well.
func diagnosis(found []finding) error {
	count := map[verdict]int{}
	for _, f := range found {
		count[f.State]++
	}
	text := fmt.Sprintf("%d of %d checks FAIL, %d warn", count[broken], len(found), count[worrying])
	switch {
	case count[broken] > 0:
		return &exitError{exitBroken, errors.New(text)}
	case count[worrying] > 0:
		return &exitError{exitWorrying, errors.New(text)}
	}
	return nil
}
