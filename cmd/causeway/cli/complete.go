package cli

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"causeway/config"
)

// CompletionTimeout bounds the time that a shell waits for a server.
const CompletionTimeout = time.Second

// choice is a value that a flag accepts.
type choice struct {
	Code, Name, Country string

	Networks []choice
}

// choices are the values of the flags of one name.
type choices struct {
	path    string // of the list at a server
	catalog func(config.Catalog) []choice
	of      func([]choice) []choice // nil: the list itself
}

// flagChoices are the values of flags by their names, which are the same in all commands.
var flagChoices = map[string]choices{
	"country": {path: "/v1/countries", catalog: func(c config.Catalog) (list []choice) {
		for _, country := range c.Countries {
			list = append(list, choice{Code: country.Code, Name: country.Name})
		}
		return list
	}},
	"bank": {path: "/v1/banks", catalog: func(c config.Catalog) (list []choice) {
		for _, b := range c.Banks {
			list = append(list, choice{Code: b.Code, Name: b.Name, Country: b.Country})
		}
		return list
	}},
	"currency": {path: "/v1/currencies", catalog: currencyChoices},
	"network": {path: "/v1/currencies", catalog: currencyChoices, of: func(list []choice) (networks []choice) {
		for _, currency := range list {
			networks = append(networks, currency.Networks...)
		}
		slices.SortFunc(networks, func(a, b choice) int { return strings.Compare(a.Code, b.Code) })
		return slices.CompactFunc(networks, func(a, b choice) bool { return a.Code == b.Code })
	}},
}

func currencyChoices(c config.Catalog) (list []choice) {
	for _, currency := range c.Currencies {
		one := choice{Code: currency.Code, Name: currency.Name}
		for _, network := range currency.Networks {
			one.Networks = append(one.Networks, choice{Code: network})
		}
		list = append(list, one)
	}
	return list
}

// completeFlags completes the flags of a command and its commands that flagChoices has.
func completeFlags(cmd *cobra.Command) {
	for name, c := range flagChoices {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, c.complete) // unless the command completes the flag itself
		}
	}
	for _, below := range cmd.Commands() {
		completeFlags(below)
	}
}

// complete lists the values at the server of the command or, without one, in the catalog, with their names as
// descriptions. Banks are the banks of --country.
func (c choices) complete(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	country, _ := countryCode(flagValue(cmd, "country")) // misspelled: banks of all countries
	list := c.fromServer(cmd, country)
	if catalog, err := config.LoadCatalog(); list == nil && err == nil {
		list = c.catalog(catalog)
	}
	if c.of != nil {
		list = c.of(list)
	}
	var out []string
	for _, one := range list {
		if country == "" || one.Country == "" || one.Country == country {
			out = append(out, cobra.CompletionWithDesc(one.Code, one.Name))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// fromServer returns the list of a server, and nil without one.
func (c choices) fromServer(cmd *cobra.Command, country string) (list []choice) {
	client := Client{Server: flagValue(cmd, "server"), Key: flagValue(cmd, "key"), World: flagValue(cmd, "world")}
	if client.Server == "" {
		return nil
	}
	query := url.Values{}
	if country != "" && c.path == "/v1/banks" {
		query.Set("country", country)
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), CompletionTimeout)
	defer cancel()
	if data, err := client.Data(ctx, Call{Method: http.MethodGet, Path: c.path, Query: query}); err == nil {
		_ = json.Unmarshal(data, &list) // of another version: as without a server
	}
	return list
}

// flagValue returns the value of a flag; nothing if the command does not have it.
func flagValue(cmd *cobra.Command, name string) string {
	if f := cmd.Flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// countryCode returns the code of a country of the catalog that is given by its name, and other texts as they are. Its
// error suggests countries for a misspelled name.
func countryCode(text string) (string, error) {
	catalog, err := config.LoadCatalog()
	if err != nil || utf8.RuneCountInString(text) <= len("NG") {
		return text, nil //nolint:nilerr // the server knows the countries
	}
	codes := map[string]string{} // by name in lower case
	for _, country := range catalog.Countries {
		codes[strings.ToLower(country.Name)] = country.Code
	}
	name := strings.ToLower(strings.TrimSpace(text))
	if code := codes[name]; code != "" {
		return code, nil
	}
	meant := nearest(name, slices.Collect(maps.Keys(codes)))
	if meant == nil {
		return text, nil
	}
	for i, name := range meant {
		meant[i] = codes[name]
	}
	return "", UsageError("--country %q is no country; did you mean %s?", text, strings.Join(meant, " or "))
}

// completePairs completes the ID of a pair. Without a server there is nothing to complete.
func (c *Client) completePairs(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var pairs []struct{ ID string }
	ctx, cancel := context.WithTimeout(cmd.Context(), CompletionTimeout)
	defer cancel()
	list := Call{Method: http.MethodGet, Path: "/v1/pairs"}
	if data, err := c.Data(ctx, list); err == nil && len(args) == 0 {
		_ = json.Unmarshal(data, &pairs) // of another version: nothing to complete
	}
	return Column(pairs, func(p struct{ ID string }) string { return p.ID }), cobra.ShellCompDirectiveNoFileComp
}
