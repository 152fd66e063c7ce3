package cli

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
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/operator"
)

// operatorTimeout bounds a request to the operator listener, which is usually on the same machine.
const operatorTimeout = 10 * time.Second

// operatorClient calls the operator listener of a running process.
type operatorClient struct{ address, output string }

func (c *operatorClient) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.address, "operator", "127.0.0.1:9099", "address of the operator listener (operator_listen)")
	OutputFlag(cmd.Flags(), &c.output)
}

// post sends a JSON document and prints the response. A response with a status other than 200 is an error.
func (c *operatorClient) post(cmd *cobra.Command, path string, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), operatorTimeout)
	defer cancel()
	status, text, err := CallOperator(ctx, c.address, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	var reply operator.Reply
	if err := json.Unmarshal(text, &reply); err != nil || reply.Status == "" {
		return fmt.Errorf(
			"%s responds with %d like another program; give the operator_listen of causeway with --operator", c.address, status)
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: %s", reply.Status, reply.Reason)
	}
	return PrintResult(cmd, c.output, reply, "%s", reply.Reason)
}

// maxResponse is the size of the largest response that is read, in bytes: a bundle of a full journal.
const maxResponse = 128 << 20

// CallOperator sends a request to an operator listener, without a proxy. Its errors do not contain the path, which may
// contain an account number.
func CallOperator(
	ctx context.Context, address, method, path string, body []byte,
) (status int, response []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, bytes.NewReader(body))
	if _, _, invalid := net.SplitHostPort(address); invalid != nil || err != nil {
		return 0, nil, UsageError("--operator is %q; accepted: host:port, such as 127.0.0.1:9099", address)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if failure, ok := errors.AsType[*url.Error](err); ok {
		err = failure.Err
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return 0, nil, fmt.Errorf("nothing listens at %s; start causeway serve, "+
			"or give the operator_listen of the running process with --operator", address)
	case err != nil:
		return 0, nil, fmt.Errorf(
			"%s does not respond: %w; give the operator_listen of a running process with --operator", address, err)
	}
	defer func() { _ = resp.Body.Close() }()
	response, err = io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return 0, nil, fmt.Errorf("%s did not complete its response: %w", address, err)
	}
	return resp.StatusCode, response, nil
}

// ErrorText returns the name and the message of an error envelope, and the reason of each field that the message lacks,
// a line for each. It is empty if the body is not an error envelope.
func ErrorText(body []byte) string {
	var e struct {
		Error  struct{ Name, Message string }
		Fields map[string][]struct{ Reason string }
	}
	if err := json.Unmarshal(body, &e); err != nil || e.Error.Name == "" {
		return ""
	}
	first := e.Error.Name + ": " + e.Error.Message
	lines := []string{first}
	for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
		for _, f := range e.Fields[field] {
			if line := field + " " + f.Reason; !strings.HasSuffix(first, line) {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n")
}
