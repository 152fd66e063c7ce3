package sim

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/cmd/causeway/cli"
	"causeway/config"
	"causeway/simulator/journal"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// hangTimeout bounds the replay of a request that got no response, because it may have hung.
const hangTimeout = 2 * time.Second

// replay is the result of a replay.
type replay struct {
	World       string       `json:"world"`
	Requests    int          `json:"requests"`
	Same        int          `json:"same"`
	Complete    bool         `json:"complete"`
	Fingerprint journal.Sum  `json:"fingerprint"`
	Wanted      journal.Sum  `json:"wanted_fingerprint"`
	First       *replayFault `json:"first_difference,omitempty"`
}

// replayFault is a response that differs from the recorded one.
type replayFault struct {
	Request int             `json:"request"` // from 1
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Want    journal.Outcome `json:"want"`
	Got     journal.Outcome `json:"got"`
	Body    string          `json:"body"` // the beginning of the new one
}

func (s *sim) replay() *cobra.Command {
	return &cobra.Command{
		Use:   "replay BUNDLE",
		Short: "Send the requests of a bundle again, in a sandbox of its own, and compare the responses",
		Long: `Creates the world of a bundle (causeway sim journal export) in this process, sends its requests in
order, each at its time, and compares the responses byte by byte. It works offline. A world whose
clock stood still has the same responses; if its clock ran, times in responses may differ by
milliseconds, and so may everything that depends on them.

Exit code: 0 all responses are the same, 3 one differs: the first one is printed.`,
		Example: "  causeway sim journal export --world TestCheckout > bundle.json\n  causeway sim replay bundle.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readFile(cmd, args[0])
			if err != nil {
				return err
			}
			b, err := journal.DecodeBundle(text)
			if err != nil {
				return err
			}
			r, err := s.run(cmd.Context(), b)
			if err != nil {
				return err
			}
			return s.printReplay(cmd, b, r)
		},
	}
}

func (s *sim) printReplay(cmd *cobra.Command, b journal.Bundle, r replay) error {
	if b.Build != s.version {
		cmd.PrintErrf("The bundle is of version %s, this is %s.\n", b.Build, s.version)
	}
	if !b.Complete {
		cmd.PrintErrf("The bundle lacks %d requests that the journal did not keep: responses may differ.\n", b.LeftOut)
	}
	var err error
	if cli.WantsJSON(cmd) {
		err = cli.PrintJSON(cmd.OutOrStdout(), r)
	} else if r.First == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "All %d responses are the same; fingerprint %s\n", r.Requests, r.Fingerprint)
	}
	if f := r.First; err == nil && f != nil {
		err = &cli.ExitError{Code: exitFails, Err: fmt.Errorf(
			"%d of %d responses are the same. The first difference is request %d, %s %s: "+
				"want status %d and SHA-256 %s, got %d and %s:\n%s",
			r.Same, r.Requests, f.Request, f.Method, f.Path, f.Want.Status, f.Want.SHA256, f.Got.Status, f.Got.SHA256, f.Body)}
	}
	return err
}

// run sends the requests of a bundle to a new sandbox.
func (s *sim) run(ctx context.Context, b journal.Bundle) (replay, error) {
	a, current, err := s.newSandbox(ctx, b)
	if err != nil {
		return replay{}, err
	}
	r := replay{World: current, Complete: b.Complete, Wanted: b.Fingerprint}
	for i := range b.Requests {
		q := &b.Requests[i]
		if err := freeze(a, current, q.At); err != nil {
			return r, err
		}
		got, body, err := send(ctx, a, q)
		if err != nil {
			return r, err
		}
		if q.Control { // its response has ids and times of the machine
			if strings.HasSuffix(q.Path, "/fork") { // the requests that follow are to the copy
				err = json.Unmarshal([]byte(q.Body), &struct{ ID *string }{&current})
				r.World = current
			}
			if err != nil {
				return r, err
			}
			continue
		}
		r.Requests++
		r.Fingerprint = r.Fingerprint.Next(got.Status, got.SHA256)
		if got == q.Answer {
			r.Same++
		} else if r.First == nil {
			start := strings.ToValidUTF8(fmt.Sprintf("%.400s", body), "�")
			r.First = &replayFault{i + 1, q.Method, q.Path, q.Answer, got, start}
		}
	}
	return r, nil
}

// newSandbox creates a sandbox without listeners that has the world of a bundle, at the time at which it began. It
// returns the name of the world.
func (s *sim) newSandbox(ctx context.Context, b journal.Bundle) (*app.App, string, error) {
	cfg, options := config.Default(), world.Options{}
	if err := json.Unmarshal(b.World, &options); err != nil {
		return nil, "", fmt.Errorf("this version cannot read the options of the bundle: %w", err)
	}
	if options.Clock.Now == nil {
		return nil, "", errors.New("the bundle lacks the time at which its world began, world.clock.now")
	}
	options.Clock.Frozen, options.Clock.Rate = new(true), nil
	isDefault := options.ID == world.Default
	if isDefault {
		cfg.Simulator.Seed = options.Seed
	}
	a, err := app.New(cfg, app.Version(s.version), zap.NewNop())
	if err != nil {
		return nil, "", err
	}
	if have := a.Worlds.Dataset(); b.Dataset != have {
		return nil, "", fmt.Errorf("the bundle is of other data, %s; this version has %s, so responses would differ",
			b.Dataset, have)
	}
	if isDefault {
		err = freeze(a, options.ID, *options.Clock.Now)
	} else {
		_, err = a.Worlds.Create(options)
	}
	if err != nil {
		return nil, "", err
	}
	var first sync.WaitGroup                 // as at the start of a process
	first.Go(func() { a.RefreshBanks(ctx) }) // of all worlds
	if isDefault {
		first.Go(func() { a.RefreshPrices(ctx) })
	}
	first.Wait()
	return a, options.ID, nil
}

// freeze stops the clock of a world at an instant.
func freeze(a *app.App, world string, at time.Time) error {
	w, err := a.Worlds.Find(world)
	if err == nil && !w.Now().Equal(at) {
		w.Freeze(at)
	}
	return err
}

// send sends a request and returns its response. A connection that breaks is an outcome, too.
func send(ctx context.Context, a *app.App, q *journal.Sent) (journal.Outcome, []byte, error) {
	r, err := q.Request(ctx, "http://sandbox.invalid") // never resolved: a replay runs in process
	if err != nil {
		return journal.Outcome{}, nil, err
	}
	if q.Answer.Status == 0 {
		ctx, cancel := context.WithTimeout(ctx, hangTimeout)
		defer cancel()
		r = r.WithContext(ctx)
	}
	var handler http.Handler = a.Operator
	if !q.Control {
		handler = a.Handler
	}
	resp, _ := wire.Loopback(handler).RoundTrip(r)
	if resp == nil { // as recorded, or a difference
		return journal.Outcome{SHA256: sha256.Sum256(nil)}, nil, nil
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body) // as far as it comes
	return journal.Outcome{Status: resp.StatusCode, SHA256: sha256.Sum256(body)}, body, nil
}
