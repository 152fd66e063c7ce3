package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// operatorTimeout bounds a question to the operator's listener, which is on the same machine as a rule.
const operatorTimeout = 10 * time.Second

func pricesCommand() *cobra.Command {
	parent := &cobra.Command{
		Use: "prices", Short: "Say something to the price engine of a running process", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var operator string
	acknowledge := &cobra.Command{
		Use:   "acknowledge CURRENCY",
		Short: "Let a stablecoin be traded although it is off its peg",
		Long: `A stablecoin that is further from its peg than its class allows (5 % by default) is shown and not traded, and neither is what is
priced by way of it. This lets it be traded at the price that it has.

It holds until the coin is back within half that limit (2.5 %), or the process ends: whoever breaks its peg again is to be
acknowledged again. It is written to the log of the process. /debug/prices on the same listener shows which coins wait for it.`,
		Example: "  causeway prices acknowledge USDT\n  causeway prices acknowledge USDC --operator 10.0.0.5:9099",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("give one stablecoin, such as USDT")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			said, err := acknowledge(cmd.Context(), operator, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			return err
		},
	}
	acknowledge.Flags().StringVar(&operator, "operator", "127.0.0.1:9099", "address of the operator's listener of the process (its operator_listen)")
	parent.AddCommand(acknowledge)
	return parent
}

// acknowledge says it to the operator's listener at an address, and returns what that answers.
func acknowledge(ctx context.Context, operator, currency string) (string, error) {
	if _, _, err := net.SplitHostPort(operator); err != nil {
		return "", fmt.Errorf("--operator is %q; accepted: host:port, such as 127.0.0.1:9099", operator)
	}
	body, err := json.Marshal(word{Currency: currency})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, operatorTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+operator+acknowledgePath, bytes.NewReader(body))
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
		if failure, ok := errors.AsType[*url.Error](err); ok {
			err = failure.Err
		}
		return "", fmt.Errorf("%s does not answer: %w; is it the operator_listen of a running process? Give another one with --operator", operator, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var said operatorAnswer
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(&said); err != nil || said.Status == "" {
		return "", fmt.Errorf("%s answers %s in words of another program; give the operator_listen of causeway with --operator", operator, resp.Status)
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", said.Status, said.Reason)
	}
	return strings.TrimSpace(said.Reason), nil
}
