package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/cmd/causeway/operator"
	"causeway/simulator/world"
)

const (
	defaultServer   = "http://localhost:8080"
	defaultOperator = "127.0.0.1:9099"

	apiTimeout      = 30 * time.Second // the server needs at most 8 seconds
	controlTimeout  = time.Hour        // to advance a world by a month takes a while
	decisionTimeout = 10 * time.Second

	// maxResponse is the size of the largest response that is read, in bytes: a bundle of a full
	// journal.
	maxResponse = 128 << 20
)

// Client calls a running process: its public API, and the control API and the decisions of
// operators on its operator listener. The fields are flags.
type Client struct {
	Server   string // of the public API: a URL, or host and port
	Operator string // of the operator listener, likewise
	Key      string
	World    string
}

// openAPIPath is the path of the OpenAPI document of the public API.
const openAPIPath = "/openapi.json"

// Call is a request. The paths of the public API begin with /v1/; all others, except for its OpenAPI
// document, are at the operator listener.
type Call struct {
	Wording      Wording // of errors
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         any  // nil: none
	MayMiss      bool // 404 can mean that there is no such thing
}

func (c Call) toOperator() bool { return !strings.HasPrefix(c.Path, "/v1/") && c.Path != openAPIPath }

func (c *Client) addFlags(flags *pflag.FlagSet) {
	server := cmp.Or(os.Getenv("CAUSEWAY_SERVER"), defaultServer)
	c.addServerFlags(flags, server, "URL, or host and port, of the server; environment CAUSEWAY_SERVER")
	EnumVar(flags, new(string), "output", "o", "table", "output: table for people, json or csv for programs",
		"table", "json", "csv")
}

func (c *Client) addServerFlags(flags *pflag.FlagSet, server, usage string) {
	flags.StringVar(&c.Server, "server", server, usage)
	flags.StringVar(&c.Key, "key", "", "API key; environment CAUSEWAY_KEY, which other users of the machine cannot see")
	flags.StringVar(&c.World, "world", os.Getenv("CAUSEWAY_SIM_WORLD"), "simulated world of a sandbox (default: default)")
}

// SandboxFlags adds --operator and --world, whose defaults are in the environment.
func (c *Client) SandboxFlags(flags *pflag.FlagSet, usage string) {
	c.operatorFlag(flags, cmp.Or(os.Getenv("CAUSEWAY_SIM_OPERATOR"), defaultOperator))
	flags.StringVar(&c.World, "world", cmp.Or(os.Getenv("CAUSEWAY_SIM_WORLD"), world.Default), usage)
}

func (c *Client) operatorFlag(flags *pflag.FlagSet, address string) {
	flags.StringVar(&c.Operator, "operator", address,
		"host and port, or URL, of the operator listener (operator_listen)")
}

// Data returns the data of the response to a call.
func (c *Client) Data(ctx context.Context, call Call) (json.RawMessage, error) {
	data, _, err := c.reply(ctx, call)
	return data, err
}

// reply returns the data of the response to a call, and its message in the words of the caller.
func (c *Client) reply(ctx context.Context, call Call) (data json.RawMessage, message string, err error) {
	var envelope struct {
		Data    json.RawMessage
		Message string
	}
	_, err = c.read(ctx, call, func(body []byte) bool {
		return json.Unmarshal(body, &envelope) == nil && envelope.Data != nil
	})
	return envelope.Data, call.Wording.text(envelope.Message), err
}

// Body returns the body of the response to a call, which is JSON.
func (c *Client) Body(ctx context.Context, call Call) ([]byte, error) {
	return c.read(ctx, call, json.Valid)
}

// read returns the body of a response if it is one that this version accepts.
func (c *Client) read(ctx context.Context, call Call, accept func(body []byte) bool) ([]byte, error) {
	timeout := apiTimeout
	if call.toOperator() {
		timeout = controlTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	resp, err := c.open(ctx, call)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s did not complete its response: %w; try again", c.address(call), err)
	case !accept(body):
		return nil, c.foreign(resp, call)
	}
	return body, nil
}

// open sends a request and returns a successful response, which the caller must close.
func (c *Client) open(ctx context.Context, call Call) (*http.Response, error) {
	resp, err := c.send(ctx, call)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, c.failure(resp, call)
}

// direct calls operator listeners, which no proxy reaches.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// send sends a request. Errors contain neither the path, the query nor the body, which may contain
// an account number.
func (c *Client) send(ctx context.Context, call Call) (*http.Response, error) {
	base, err := c.base(call)
	if err != nil {
		return nil, err
	}
	base = base.JoinPath(call.Path)
	base.RawQuery = call.Query.Encode()
	var body io.Reader
	if call.Body != nil {
		text, err := json.Marshal(call.Body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, base.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	client, start := direct, "start causeway serve, or give the operator_listen of the running process with --operator"
	if !call.toOperator() {
		client, start = http.DefaultClient,
			"start a server with causeway serve, or give its URL with --server or CAUSEWAY_SERVER"
		if c.World != "" {
			req.Header.Set("Sim-World", c.World)
		}
		if key := cmp.Or(c.Key, os.Getenv("CAUSEWAY_KEY")); key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
	}
	maps.Copy(req.Header, call.Header)
	resp, err := client.Do(req)
	if failure, ok := errors.AsType[*url.Error](err); ok {
		err = failure.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not respond: %w; %s", c.address(call), err, start)
	}
	return resp, nil
}

// base returns the URL that the path of a call is appended to.
func (c *Client) base(call Call) (*url.URL, error) {
	if call.toOperator() {
		return listenerURL("--operator", c.Operator, defaultOperator)
	}
	return listenerURL("--server", c.Server, defaultServer)
}

// listenerURL returns the URL of a listener that a flag gives as a URL, or as host and port.
func listenerURL(flag, given, example string) (*url.URL, error) {
	text := given
	if _, _, err := net.SplitHostPort(given); err == nil {
		text = "http://" + given
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, UsageError("%s is %q; accepted: a URL, or host and port, such as %s", flag, given, example)
	}
	return u, nil
}

// address returns the URL of the listener that a call goes to for messages, with its password
// redacted.
func (c *Client) address(call Call) string {
	u, err := c.base(call)
	if err != nil {
		return err.Error()
	}
	return u.Redacted()
}

// failure returns the error of a response that is not a success.
func (c *Client) failure(resp *http.Response, call Call) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxResponse)) // a part of it is no error envelope
	text := call.Wording.errorText(body)
	switch {
	case text == "":
		return c.foreign(resp, call)
	case call.toOperator() && strings.Contains(text, "nothing at this path"): // the public listener
		return c.foreign(resp, call)
	case call.toOperator():
		return UsageError("%s", text)
	}
	switch resp.StatusCode {
	case http.StatusBadRequest:
		return UsageError("%s", text)
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "\nGive a valid key with CAUSEWAY_KEY or --key; causeway keys create makes one at the server."
	case http.StatusNotFound:
		if !call.MayMiss {
			text += "\nThe server may be older than this program, or --server has a wrong path; compare causeway version."
		}
	case http.StatusTooManyRequests:
		text += "\nTry again in " + cmp.Or(resp.Header.Get("Retry-After"), "a few") + " seconds."
	}
	return errors.New(text)
}

// foreign returns the error of a response that this version does not send.
func (c *Client) foreign(resp *http.Response, call Call) error {
	check := "check --server, which is not the operator listener, proxies on the way (HTTP_PROXY, HTTPS_PROXY), and " +
		"the version of the server"
	if call.toOperator() {
		check = "give the operator_listen of a running process with --operator; only a sandbox has a control API"
	}
	return fmt.Errorf("%s responds with %d and %s, unlike this version of Causeway; %s", c.address(call),
		resp.StatusCode, cmp.Or(resp.Header.Get("Content-Type"), "no content type"), check)
}

// decide sends a decision of an operator and prints the reply.
func (c *Client) decide(cmd *cobra.Command, path string, decision any) error {
	ctx, cancel := context.WithTimeout(cmd.Context(), decisionTimeout)
	defer cancel()
	call := Call{Method: http.MethodPost, Path: path, Body: decision}
	resp, err := c.send(ctx, call)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var reply operator.Reply
	err = json.NewDecoder(io.LimitReader(resp.Body, maxResponse)).Decode(&reply)
	switch {
	case err != nil || reply.Status == "":
		return c.foreign(resp, call)
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", reply.Status, reply.Reason)
	}
	return PrintResult(cmd, reply, "%s", reply.Reason)
}
