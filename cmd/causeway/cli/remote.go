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
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"causeway/simulator/control"
)

const (
	defaultServer = "http://localhost:8080"
	remoteTimeout = 30 * time.Second // the server needs at most 8 seconds
)

// remote calls the API of a server. Its fields are flags.
type remote struct {
	server, key, world, output string
	wide                       bool
}

func (r *remote) addFlags(flags *pflag.FlagSet) {
	server := cmp.Or(os.Getenv("CAUSEWAY_SERVER"), defaultServer)
	r.addServerFlags(flags, server, "URL of the server; environment CAUSEWAY_SERVER")
	EnumVar(flags, &r.output, "output", "o", "table", "output: table for people, json or csv for programs",
		"table", "json", "csv")
}

func (r *remote) addServerFlags(flags *pflag.FlagSet, server, usage string) {
	flags.StringVar(&r.server, "server", server, usage)
	flags.StringVar(&r.key, "key", "", "API key; environment CAUSEWAY_KEY, which other users of the machine cannot see")
	flags.StringVar(&r.world, "world", os.Getenv("CAUSEWAY_SIM_WORLD"), "simulated world of a sandbox (default: default)")
}

// apiCall is a request to the API.
type apiCall struct {
	method, path string
	query        url.Values
	header       http.Header
	body         any  // nil: none
	mayMiss      bool // 404 can mean that there is no such thing
}

// data returns the data of the response of a call.
func (r *remote) data(ctx context.Context, c apiCall) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, remoteTimeout)
	defer cancel()
	resp, err := r.open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return nil, fmt.Errorf("%s did not complete its response: %w; try again", r.server, err)
	}
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Data == nil {
		return nil, r.foreign(resp)
	}
	return envelope.Data, nil
}

// open sends a request and returns a successful response, which the caller must close. Errors contain neither
// the query nor the body, which may contain an account number.
func (r *remote) open(ctx context.Context, c apiCall) (*http.Response, error) {
	server, err := url.Parse(r.server)
	if err != nil || server.Host == "" || server.Scheme != "http" && server.Scheme != "https" {
		return nil, UsageError("--server is %q; accepted: a URL such as %s", r.server, defaultServer)
	}
	server = server.JoinPath(c.path)
	server.RawQuery = c.query.Encode()
	var body io.Reader
	if c.body != nil {
		text, err := json.Marshal(c.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, c.method, server.String(), body)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, c.header)
	if r.world != "" {
		req.Header.Set("Sim-World", r.world)
	}
	// The control API takes no key, and its listener does not speak TLS.
	if key := cmp.Or(r.key, os.Getenv("CAUSEWAY_KEY")); key != "" && !strings.HasPrefix(c.path, control.Prefix) {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if failure, ok := errors.AsType[*url.Error](err); ok {
			err = failure.Err
		}
		return nil, fmt.Errorf("%s does not respond: %w; start a server with causeway serve, "+
			"or give its URL with --server or CAUSEWAY_SERVER", r.server, err)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	return nil, r.failure(resp, c.mayMiss)
}

// failure returns the error of a response that is not a success.
func (r *remote) failure(resp *http.Response, mayMiss bool) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxResponse)) // a part of it is no error envelope
	text := ErrorText(body)
	if text == "" {
		return r.foreign(resp)
	}
	switch resp.StatusCode {
	case http.StatusBadRequest:
		return UsageError("%s", text)
	case http.StatusUnauthorized, http.StatusForbidden:
		text += "\nGive a valid key with CAUSEWAY_KEY or --key; causeway keys create makes one at the server."
	case http.StatusNotFound:
		if !mayMiss {
			text += "\nThe server may be older than this program, or --server has a wrong path; compare causeway version."
		}
	case http.StatusTooManyRequests:
		text += "\nTry again in " + cmp.Or(resp.Header.Get("Retry-After"), "a few") + " seconds."
	}
	return errors.New(text)
}

// foreign returns the error of a response that this version of the API does not send.
func (r *remote) foreign(resp *http.Response) error {
	return fmt.Errorf("%s responds with %d and %s, unlike this version of Causeway; "+
		"check --server, proxies on the way (HTTP_PROXY, HTTPS_PROXY), and the version of the server",
		r.server, resp.StatusCode, cmp.Or(resp.Header.Get("Content-Type"), "no content type"))
}

// print writes data as JSON, or as a table or CSV with columns.
func (r *remote) print(cmd *cobra.Command, data json.RawMessage, columns string) error {
	if r.output == "json" {
		return PrintJSON(cmd.OutOrStdout(), data)
	}
	t, err := JSONTable(data, columns)
	switch {
	case err != nil:
		return err
	case r.output == "csv":
		return t.WriteCSV(cmd.OutOrStdout(), true)
	case r.wide:
		return t.Write(cmd.OutOrStdout())
	}
	return t.WriteFitted(cmd.OutOrStdout())
}

// The parameters that are sent as headers.
const (
	userHeader        = "X-BU-PROFILE-ID"
	idempotencyHeader = "Idempotency-Key"
)

// parameter is a flag that becomes a parameter of the query, or a member of the body.
type parameter struct {
	flag, name, usage string
	values            []string // for completion; the server checks them
}

// addParameters adds flags, and returns a function that returns those that are given.
func addParameters(cmd *cobra.Command, parameters []parameter) func() url.Values {
	given := map[string]*string{}
	for _, p := range parameters {
		given[p.name] = cmd.Flags().String(p.flag, "", p.usage)
		_ = cmd.RegisterFlagCompletionFunc(p.flag, cobra.FixedCompletions(p.values, cobra.ShellCompDirectiveNoFileComp))
	}
	return func() url.Values {
		values := url.Values{}
		for name, value := range given {
			if *value != "" {
				values.Set(name, *value)
			}
		}
		return values
	}
}

// operation is a command that prints the data of one operation of the API. Its argument, if any, is a parameter, or
// replaces {} in the path.
type operation struct {
	use, short, long, example string
	argument                  string // name of the parameter; empty: the path has it
	args                      cobra.PositionalArgs
	method, path, columns     string
	parameters                []parameter
	mayMiss                   bool
}

func (o operation) command() *cobra.Command {
	r := &remote{}
	cmd := &cobra.Command{Use: o.use, Short: o.short, Long: o.long, Example: o.example, Args: o.args}
	values := addParameters(cmd, o.parameters)
	if strings.HasPrefix(o.path, "/v1/pairs/{}") {
		cmd.ValidArgsFunction = r.completePairs
	}
	r.addFlags(cmd.Flags())
	cmd.Flags().BoolVar(&r.wide, "wide", false, "do not cut the table to the width of the terminal")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := strings.ReplaceAll(o.path, "{}", url.PathEscape(strings.Join(args, "")))
		c := apiCall{
			method: o.method, path: strings.TrimSuffix(path, "/"), query: values(), header: http.Header{}, mayMiss: o.mayMiss,
		}
		if o.argument != "" {
			c.query.Set(o.argument, args[0])
		}
		for _, name := range []string{userHeader, idempotencyHeader} {
			if c.query.Has(name) {
				c.header.Set(name, c.query.Get(name))
				c.query.Del(name)
			}
		}
		if o.method == http.MethodPost {
			body := map[string]string{}
			for name := range c.query {
				body[name] = c.query.Get(name)
			}
			c.query, c.body = nil, body
		}
		data, err := r.data(cmd.Context(), c)
		if err != nil {
			return err
		}
		return r.print(cmd, data, o.columns)
	}
	return cmd
}

// completePairs completes the ID of a pair. Without a server there is nothing to complete.
func (r *remote) completePairs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var pairs []struct{ ID string }
	list := apiCall{method: http.MethodGet, path: "/v1/pairs"}
	if data, err := r.data(cmd.Context(), list); err == nil && len(args) == 0 {
		_ = json.Unmarshal(data, &pairs) // of another version: nothing to complete
	}
	ids := make([]string, len(pairs))
	for i, p := range pairs {
		ids[i] = p.ID
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
