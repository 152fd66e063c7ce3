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

	"github.com/spf13/cobra"
)

// operatorTimeout bounds a request to the operator listener, which is on the same machine as a rule.
const operatorTimeout = 10 * time.Second

// operatorResponse is the body of a response of the operator listener.
type operatorResponse struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
}

// operatorClient posts decisions of the operator to a running process.
type operatorClient struct{ address, output string }

func (c *operatorClient) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.address, "operator", "127.0.0.1:9099", "address of the operator listener of the process (its operator_listen)")
	OutputFlag(cmd.Flags(), &c.output)
}

// post sends a JSON document and prints the response.
func (c *operatorClient) post(cmd *cobra.Command, path string, document any) error {
	if _, _, err := net.SplitHostPort(c.address); err != nil {
		return UsageError("--operator is %q; accepted: host:port, such as 127.0.0.1:9099", c.address)
	}
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), operatorTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+c.address+path, bytes.NewReader(body))
	if err != nil {
		return UsageError("--operator is %q: %w", c.address, err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy
	resp, err := client.Do(req)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("nothing listens at %s; start causeway serve, or give the operator_listen of the running process with --operator", c.address)
	case err != nil:
		return fmt.Errorf("%s does not respond: %w; is it the operator_listen of a running process? Give another one with --operator", c.address, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var response operatorResponse
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&response); err != nil || response.Status == "" {
		return fmt.Errorf("%s responds with %s like another program; give the operator_listen of causeway with --operator", c.address, resp.Status)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, response.Reason)
	}
	if c.output == "json" {
		return PrintJSON(cmd.OutOrStdout(), response)
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.TrimSpace(response.Reason))
	return err
}
