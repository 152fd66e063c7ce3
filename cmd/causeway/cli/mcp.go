package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"causeway/simulator/control"
	"causeway/simulator/world"
)

func mcpCommand(build Build) *cobra.Command {
	var s mcpSandbox
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an AI assistant use a running sandbox, by the Model Context Protocol",
		Long: `Serves the Model Context Protocol (MCP) on standard input and output. The assistant gets tools that call
the API and the control API of a running sandbox: resolve accounts, validate addresses, read prices,
create worlds, advance clocks, inject faults and read the journal.

CAUSEWAY_SERVER, CAUSEWAY_SIM_OPERATOR and CAUSEWAY_SIM_WORLD replace the defaults of the flags.`,
		Example: "  causeway mcp\n  causeway mcp --server http://localhost:8080 --world TestCheckout",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if u, err := url.Parse(s.server); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
				return UsageError("--server is %q; accepted: a URL such as http://localhost:8080", s.server)
			}
			return newMCPServer(build.Version, s).Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
	cmd.Flags().StringVar(&s.server, "server", cmp.Or(os.Getenv("CAUSEWAY_SERVER"), "http://localhost:8080"),
		"URL of the public API")
	cmd.Flags().StringVar(&s.operator, "operator", cmp.Or(os.Getenv("CAUSEWAY_SIM_OPERATOR"), "127.0.0.1:9099"),
		"address of the operator listener (operator_listen)")
	cmd.Flags().StringVar(&s.world, "world", cmp.Or(os.Getenv("CAUSEWAY_SIM_WORLD"), world.Default),
		"world of calls that do not name one")
	return cmd
}

// mcpInstructions tell the assistant what the tools are for.
const mcpInstructions = `These tools call a sandbox of Causeway, an API for bank lists, account names, crypto addresses
and prices of payments. Everything in it is simulated. A world has its own accounts, clock, prices, faults and journal:
use a world of its own for each task, and read_journal to see what decided a response.`

// newMCPServer returns a server whose tools call the sandbox.
func newMCPServer(version string, s mcpSandbox) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "causeway", Title: "Causeway sandbox", Version: version},
		&mcp.ServerOptions{Instructions: mcpInstructions, Capabilities: &mcp.ServerCapabilities{}})
	const ofWorld = control.Prefix + "/worlds/{world}"
	addTool[listBanksArgs](server, s, "GET /v1/banks", "list_banks",
		"List the banks and mobile-money operators of a country")
	addTool[resolveAccountArgs](server, s, "POST /v1/recipients/resolve-bank-account", "resolve_account",
		"Resolve a bank account or wallet to the name of its holder")
	addTool[validateAddressArgs](server, s, "POST /v1/validate", "validate_address", "Validate a crypto address")
	addTool[listPairsArgs](server, s, "GET /v1/pairs", "list_pairs",
		"List currency pairs with prices and limits. Give a filter: each pair takes a kilobyte")
	addTool[explainPriceArgs](server, s, "GET /v1/pairs/{pair}/price", "explain_price",
		"Explain the price of a pair: route, sources used and excluded, margin")
	addTool[depositAddressArgs](server, s, "GET /v1/addresses/{currency}", "get_deposit_address",
		"Get the deposit addresses of a user for a currency")
	addTool[createWorldArgs](server, s, "POST "+control.Prefix+"/worlds", "create_world", "Create a world")
	addTool[inWorld](server, s, "POST "+ofWorld+"/reset", "reset_world",
		"Reset a world to its beginning: clock, accounts, markets, faults and journal")
	addTool[advanceClockArgs](server, s, "POST "+ofWorld+"/clock/advance", "advance_clock",
		"Advance the clock of a world and wait for everything that is due on the way")
	addTool[setAccountArgs](server, s, "PUT "+ofWorld+"/accounts/{bank}/{number}", "set_account",
		"Set the holder of an account, or how providers respond to requests for it")
	addTool[queueOutcomesArgs](server, s, "POST "+ofWorld+"/next", "queue_outcomes",
		"Decide the outcomes of the next requests for an operation")
	addTool[setMarketArgs](server, s, "PUT "+ofWorld+"/market/{pair}", "set_market", "Set the market price of a pair")
	addTool[playScenarioArgs](server, s, "POST "+ofWorld+"/market/play", "play_scenario", "Play an incident in the market")
	addTool[addFaultArgs](server, s, "POST "+ofWorld+"/faults", "add_fault",
		"Make requests to providers, or responses to clients, fail")
	addTool[inWorld](server, s, "GET "+ofWorld+"/faults", "list_faults", "List the faults of a world and their hits")
	addTool[removeFaultArgs](server, s, "DELETE "+ofWorld+"/faults/{fault}", "remove_fault", "Stop a fault")
	addTool[inWorld](server, s, "POST "+ofWorld+"/stop", "stop_simulation",
		"End all faults, market settings and scenarios of a world, and drop queued outcomes")
	addTool[readJournalArgs](server, s, "GET "+ofWorld+"/journal", "read_journal",
		"Read the requests to a world, with cache use, provider attempts and votes of prices")
	mcp.AddTool(server, newTool("list_catalog", "List what can be simulated, with examples", true), s.listCatalog)
	return server
}

func newTool(name, description string, readOnly bool) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{
		ReadOnlyHint: readOnly, DestructiveHint: new(name == "reset_world"), OpenWorldHint: new(false),
	}}
}

// addTool adds a tool that makes one request. The endpoint is a method and a path.
func addTool[Args any](server *mcp.Server, s mcpSandbox, endpoint, name, description string) {
	method, path, _ := strings.Cut(endpoint, " ")
	tool := newTool(name, description, method == http.MethodGet || strings.HasPrefix(path, "/v1/"))
	call := func(ctx context.Context, _ *mcp.CallToolRequest, args Args) (*mcp.CallToolResult, any, error) {
		data, err := s.call(ctx, method, path, args)
		return mcpResult(data), nil, err
	}
	mcp.AddTool(server, tool, call)
}

// mcpResult is text only: older clients accept objects alone as structured content.
func mcpResult(data json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}
}

// mcpSandbox calls a sandbox on behalf of an assistant.
type mcpSandbox struct{ server, operator, world string }

func (s mcpSandbox) listCatalog(
	ctx context.Context, _ *mcp.CallToolRequest, args listCatalogArgs,
) (*mcp.CallToolResult, any, error) {
	data, err := s.call(ctx, http.MethodGet, control.Prefix+"/catalog", struct{}{})
	if err != nil {
		return nil, nil, err
	}
	var lists map[string]json.RawMessage
	if err := json.Unmarshal(data, &lists); err != nil {
		return nil, nil, err
	}
	if lists[args.List] == nil {
		return nil, nil, fmt.Errorf("%q is not a list of the catalog; accepted: %s", args.List,
			strings.Join(slices.Sorted(maps.Keys(lists)), ", "))
	}
	return mcpResult(lists[args.List]), nil, nil
}

// call sends a request and returns the data of its response.
func (s mcpSandbox) call(ctx context.Context, method, path string, args any) (json.RawMessage, error) {
	c, err := s.request(method, path, args)
	if err != nil {
		return nil, err
	}
	to := remote{server: s.server}
	if strings.HasPrefix(path, control.Prefix) {
		to.server = "http://" + s.operator
	}
	return to.data(ctx, c)
}

// argumentHeaders are the headers of arguments that no path has.
var argumentHeaders = map[string]string{
	"world": "Sim-World", "simulate": "Sim-Scenario", "profile_id": "X-BU-PROFILE-ID",
}

// request returns the request of a call. Arguments go where the path has their names in braces, into a header, or else
// into the query of a GET and the body of other methods.
func (s mcpSandbox) request(method, path string, args any) (apiCall, error) {
	encoded, err := json.Marshal(args)
	if err != nil {
		return apiCall{}, err
	}
	values := map[string]any{"world": s.world}
	if err := json.Unmarshal(encoded, &values); err != nil {
		return apiCall{}, err
	}
	for name, value := range values {
		if before, after, found := strings.Cut(path, "{"+name+"}"); found {
			path = before + url.PathEscape(fmt.Sprint(value)) + after
			delete(values, name)
		}
	}
	c := apiCall{method: method, path: path, header: http.Header{}, query: url.Values{}, mayMiss: true}
	for name, key := range argumentHeaders {
		if value, ok := values[name]; ok {
			c.header.Set(key, fmt.Sprint(value))
			delete(values, name)
		}
	}
	if method != http.MethodGet {
		c.body = values
		return c, nil
	}
	for name, value := range values {
		c.query.Set(name, fmt.Sprint(value))
	}
	return c, nil
}
