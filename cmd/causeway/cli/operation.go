package cli

import (
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
		SetField(cmd, p.flag, p.name)
		if p.values != nil {
			_ = cmd.RegisterFlagCompletionFunc(p.flag, cobra.FixedCompletions(p.values, cobra.ShellCompDirectiveNoFileComp))
		}
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
	cmd.Annotations = map[string]string{endpointAnnotation: o.method + " " + o.path}
	values := addParameters(cmd, o.parameters)
	ofPair := strings.HasPrefix(o.path, "/v1/pairs/{}")
	if ofPair {
		cmd.ValidArgsFunction = client.completePairs
	}
	client.addFlags(cmd.Flags())
	WideFlag(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		argument := strings.Join(args, "")
		if ofPair {
			argument = pairID(argument)
		}
		call := Call{
			Wording: NewWording(cmd, nil), Method: o.method, Path: o.path, Query: values(), Header: http.Header{},
			MayMiss: o.mayMiss,
		}
		call.Path = strings.TrimSuffix(strings.ReplaceAll(call.Path, "{}", url.PathEscape(argument)), "/")
		if o.argument != "" {
			call.Query.Set(o.argument, args[0])
		}
		for _, name := range []string{"country", "country_id"} {
			if call.Query.Has(name) {
				code, err := countryCode(call.Query.Get(name))
				if err != nil {
					return err
				}
				call.Query.Set(name, code)
			}
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
		data, message, err := client.reply(cmd.Context(), call)
		if err != nil {
			return err
		}
		if strings.HasPrefix(message, "No ") { // it says why the list is empty
			cmd.PrintErrln(message)
		}
		return Print(cmd, data, o.view)
	}
	return cmd
}

// pairID returns the ID of a pair that may be written with a separator, such as BTC/NGN.
func pairID(text string) string {
	return strings.NewReplacer("/", "", "-", "", "_", "", ":", "").Replace(text)
}
