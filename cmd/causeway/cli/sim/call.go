package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/control"
)

// mostAnswer is the largest answer of the control API that is read, in bytes: a bundle of a full journal.
const mostAnswer = 128 << 20

// worldPath is where a world is, with more segments, each of them escaped.
func (s *sim) worldPath(segments ...string) string {
	path := []string{"/worlds", url.PathEscape(s.world)}
	for _, segment := range segments {
		path = append(path, url.PathEscape(segment))
	}
	return strings.Join(path, "/")
}

// call asks the control API, and returns the data of its answer. Body is JSON; nil: there is none. It has no time limit of its own: a world that is moved
// by a month takes a while.
func (s *sim) call(ctx context.Context, method, path string, body json.RawMessage) (json.RawMessage, error) {
	answered, err := s.fetch(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	var e struct{ Data json.RawMessage }
	if err := json.Unmarshal(answered, &e); err != nil || e.Data == nil {
		return nil, fmt.Errorf("%s answers in words of another program; give the operator_listen of a sandbox with --operator", s.operator)
	}
	return e.Data, nil
}

// fetch asks the control API, and returns the body of its answer.
func (s *sim) fetch(ctx context.Context, method, path string, body json.RawMessage) ([]byte, error) {
	if _, _, err := net.SplitHostPort(s.operator); err != nil {
		return nil, cli.UsageError("--operator is %q; accepted: host:port, such as 127.0.0.1:9099", s.operator)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.operator+control.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, cli.UsageError("--operator is %q; accepted: host:port, such as 127.0.0.1:9099", s.operator)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without a proxy: it is on this machine or near
	resp, err := client.Do(req)
	if refused, ok := errors.AsType[*url.Error](err); ok {
		err = refused.Err // the rest is the address, in which an account number may be
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("nobody listens at %s; start causeway serve, or give the operator_listen of the running sandbox with --operator", s.operator)
	case err != nil:
		return nil, fmt.Errorf("%s does not answer: %w; is it the operator_listen of a running sandbox? Give another one with --operator", s.operator, err)
	}
	defer func() { _ = resp.Body.Close() }()
	answered, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s did not finish its answer: %w", s.operator, err)
	}
	if resp.StatusCode/100 != 2 {
		return nil, s.refusal(resp.Status, answered)
	}
	return answered, nil
}

// refusal is the error that the control API answered with: its message, and what is said of each field beside that.
func (s *sim) refusal(status string, body []byte) error {
	var e struct {
		Error  struct{ Name, Message string }
		Fields map[string][]struct{ Reason string }
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Name == "" {
		return fmt.Errorf("%s has no control API: it answers %s. That of a sandbox is on its operator_listen; in production there is none", s.operator, status)
	}
	lines := []string{e.Error.Name + ": " + e.Error.Message}
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		for _, f := range e.Fields[field] {
			if line := field + " " + f.Reason; !strings.HasSuffix(lines[0], line) {
				lines = append(lines, line)
			}
		}
	}
	return &cli.ExitError{Code: simRefused, Err: errors.New(strings.Join(lines, "\n"))}
}
