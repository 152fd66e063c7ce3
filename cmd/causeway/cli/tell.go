package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// operatorTimeout bounds a question to the operator's listener, which is on the same machine as a rule.
const operatorTimeout = 10 * time.Second

// operatorAnswer is a response of the operator's listener.
type operatorAnswer struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// tell posts something to the operator's listener at an address, and returns what that answers.
func tell(ctx context.Context, operator, path string, said any) (string, error) {
	if _, _, err := net.SplitHostPort(operator); err != nil {
		return "", fmt.Errorf("--operator is %q; accepted: host:port, such as 127.0.0.1:9099", operator)
	}
	body, err := json.Marshal(said)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, operatorTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+operator+path, bytes.NewReader(body))
	if err != nil {
		return "", fmt.Errorf("--operator is %q: %w", operator, err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // without a proxy: it is on this machine or near
	resp, err := client.Do(req)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "", fmt.Errorf("nobody listens at %s; start causeway serve, or give the operator_listen of the running process with --operator", operator)
	case err != nil:
		return "", fmt.Errorf("%s does not answer: %w; is it the operator_listen of a running process? Give another one with --operator", operator, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answered operatorAnswer
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&answered); err != nil || answered.Status == "" {
		return "", fmt.Errorf("%s answers %s in words of another program; give the operator_listen of causeway with --operator", operator, resp.Status)
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", answered.Status, answered.Reason)
	}
	return strings.TrimSpace(answered.Reason), nil
}
