package cli

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

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

// addParameters adds flags, and returns a function that returns the given flags.
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

// operation is a command that prints the data of one operation of the API. Its argument, if any, is
// a parameter, or replaces {} in the path.
type operation struct {
	use, short, long, example string
	argument                  string // name of the parameter; empty: the path has it
	args                      cobra.PositionalArgs
	method, path              string
	view                      View
	parameters                []parameter
	mayMiss                   bool
}

func (o operation) command() *cobra.Command {
	client := &Client{}
	cmd := &cobra.Command{Use: o.use, Short: o.short, Long: o.long, Example: o.example, Args: o.args}
	values := addParameters(cmd, o.parameters)
	if strings.HasPrefix(o.path, "/v1/pairs/{}") {
		cmd.ValidArgsFunction = client.completePairs
	}
	client.addFlags(cmd.Flags())
	WideFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path := strings.ReplaceAll(o.path, "{}", url.PathEscape(strings.Join(args, "")))
		call := Call{
			Method: o.method, Path: strings.TrimSuffix(path, "/"), Query: values(), Header: http.Header{}, MayMiss: o.mayMiss,
		}
		if o.argument != "" {
			call.Query.Set(o.argument, args[0])
		}
		for _, name := range []string{userHeader, idempotencyHeader} {
			if call.Query.Has(name) {
				call.Header.Set(name, call.Query.Get(name))
				call.Query.Del(name)
			}
		}
		if o.method == http.MethodPost {
			body := map[string]string{}
			for name := range call.Query {
				body[name] = call.Query.Get(name)
			}
			call.Query, call.Body = nil, body
		}
		data, err := client.Data(cmd.Context(), call)
		if err != nil {
			return err
		}
		return Print(cmd, data, o.view)
	}
	return cmd
}

// completePairs completes the ID of a pair. Without a server there is nothing to complete.
func (c *Client) completePairs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var pairs []struct{ ID string }
	list := Call{Method: http.MethodGet, Path: "/v1/pairs"}
	if data, err := c.Data(cmd.Context(), list); err == nil && len(args) == 0 {
		_ = json.Unmarshal(data, &pairs) // of another version: nothing to complete
	}
	ids := make([]string, len(pairs))
	for i, p := range pairs {
		ids[i] = p.ID
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
