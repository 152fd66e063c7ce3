package sim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/core"
	"causeway/simulator/journal"
	"causeway/simulator/wire"
)

// The hosts of a replay. They are never resolved: the network of a replay is in process.
const (
	replayPublic  = "http://sandbox.invalid"
	replayControl = "http://operator.invalid"
)

// Sandbox is a sandbox without listeners, with the world of one bundle.
type Sandbox struct {
	Public  http.Handler
	Control http.Handler
	Freeze  func(time.Time) error // stops the clock of the world at an instant
}

func (s *sim) replay() *cobra.Command {
	return &cobra.Command{
		Use: "replay BUNDLE", Short: "Send the requests of a bundle again, in a sandbox of its own, and compare the answers",
		Long: `Makes the world of a bundle again (causeway sim journal export), sends its requests in their order, each at its time, and compares the answers byte by
byte. Nothing listens and nothing else is asked: it works offline. What a bundle was recorded with is fixed by its seed, its options and its clock, so a world of its own whose clock
stood still comes out the same; while a clock runs, times in answers may differ by milliseconds, and so may all that depends on them.

Exit code: 0 all answers are the same, 3 one differs: the first one is shown.`,
		Example: "  causeway sim journal export --world TestCheckout > bundle.json\n  causeway sim replay bundle.json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := readFile(args[0])
			if err != nil {
				return err
			}
			b, err := journal.DecodeBundle(text)
			if err != nil {
				return plain(err)
			}
			r, err := s.replayed(cmd.Context(), b)
			if err != nil {
				return plain(err)
			}
			return s.showReplay(cmd, b, r)
		},
	}
}

// replay is what came of a bundle's requests.
type replay struct {
	World       string       `json:"world"`
	Requests    int          `json:"requests"`
	Same        int          `json:"same"`
	Complete    bool         `json:"complete"`
	Fingerprint journal.Sum  `json:"fingerprint"`
	Wanted      journal.Sum  `json:"wanted_fingerprint"`
	First       *replayFault `json:"first_difference,omitempty"`
}

// replayFault is an answer that is not what it was.
type replayFault struct {
	Request int             `json:"request"` // from 1
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Want    journal.Outcome `json:"want"`
	Got     journal.Outcome `json:"got"`
	Body    string          `json:"body"` // its beginning, as it is now
}

// showReplay says how it went.
func (s *sim) showReplay(cmd *cobra.Command, b journal.Bundle, r replay) error {
	if b.Build != s.options.Version {
		cmd.PrintErrf("The bundle is of build %s, this is %s.\n", b.Build, s.options.Version)
	}
	if !b.Complete {
		cmd.PrintErrf("The bundle lacks %d requests that were not kept: the world may have been in another state.\n", b.LeftOut)
	}
	if s.output == "json" {
		if err := cli.PrintJSON(cmd.OutOrStdout(), r); err != nil {
			return err
		}
	}
	if f := r.First; f != nil {
		return &cli.ExitError{Code: simFails, Err: fmt.Errorf("%d of %d answers are the same. The first one that is not is that to request %d, %s %s: it was %d with a body of SHA-256 %s, and is %d with %s:\n%s",
			r.Same, r.Requests, f.Request, f.Method, f.Path, f.Want.Status, f.Want.SHA256, f.Got.Status, f.Got.SHA256, f.Body)}
	}
	if s.output == "json" {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "All %d answers are the same; fingerprint %s\n", r.Requests, r.Fingerprint)
	return err
}

// send sends a request at its time, and returns its answer.
func (st Sandbox) send(ctx context.Context, q *journal.Sent) (out journal.Outcome, body []byte, err error) {
	if err := st.Freeze(q.At); err != nil {
		return out, nil, err
	}
	r, err := q.Request(ctx, journal.Hosts{Public: replayPublic, Control: replayControl})
	if err != nil {
		return out, nil, err
	}
	handler := st.Public
	if q.Control {
		handler = st.Control
	}
	if q.Answer.Status == 0 { // nothing came: it may have been a hang, which has no end
		ended, cancel := context.WithTimeout(ctx, replayPatience)
		defer cancel()
		r = r.WithContext(ended)
	}
	resp, err := wire.Loopback(handler).RoundTrip(r)
	if err != nil {
		return journal.Outcome{SHA256: sha256.Sum256(nil)}, nil, nil //nolint:nilerr // the connection ended without an answer: that is one of the outcomes
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ = io.ReadAll(resp.Body) // as far as it comes: an answer that is cut off is one of the outcomes, too
	return journal.Outcome{Status: resp.StatusCode, SHA256: sha256.Sum256(body)}, body, nil
}

// replayPatience is how long a request may take that ended without an answer when it was recorded.
const replayPatience = 2 * time.Second

// replayed sends the requests of a bundle.
func (s *sim) replayed(ctx context.Context, b journal.Bundle) (replay, error) {
	st, err := s.options.NewSandbox(ctx, b)
	if err != nil {
		return replay{}, err
	}
	r := replay{World: b.World, Complete: b.Complete, Wanted: b.Fingerprint}
	for i := range b.Requests {
		q := &b.Requests[i]
		got, body, err := st.send(ctx, q)
		if err != nil {
			return r, err
		}
		if q.Control { // its answer has ids and times of the machine
			continue
		}
		r.Requests++
		r.Fingerprint = r.Fingerprint.Next(got.Status, got.SHA256)
		if got == q.Answer {
			r.Same++
			continue
		}
		if r.First == nil {
			r.First = &replayFault{i + 1, q.Method, q.Path, q.Answer, got, beginning(body)}
		}
	}
	return r, nil
}

// beginning is as much of a body as tells what it is.
func beginning(body []byte) string {
	const shown = 400
	if len(body) <= shown {
		return strings.ToValidUTF8(string(body), "�")
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(string(body[:shown]), "�"), len(body))
}

// plain is an error of the core in its own words.
func plain(err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		lines := []string{e.Message}
		for _, f := range e.Fields[min(1, len(e.Fields)):] {
			lines = append(lines, f.Field+" "+f.Reason)
		}
		return errors.New(strings.Join(lines, "\n"))
	}
	return err
}
