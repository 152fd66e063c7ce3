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
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/simulator/control"
	"causeway/simulator/wire"
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
			server, err := newMCPServer(cmd.Context(), build.Version, s)
			if err != nil {
				return err
			}
			return server.Run(cmd.Context(), &mcp.StdioTransport{})
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

// worldPath begins the paths of operations on a world.
const worldPath = control.Prefix + "/worlds/"

// mcpInstructions tell the assistant what the tools are for.
const mcpInstructions = `These tools call a sandbox of Causeway, an API for bank lists, account names, crypto addresses
and prices of payments. Everything in it is simulated. A world has its own accounts, clock, prices, faults and journal:
use a world of its own for each task, and read_journal to see what decided a response.`

// mcpOperations are the operations of the API and of the control API that are tools.
var mcpOperations = []string{
	"list-banks", "resolve-account", "validate-address", "list-pairs", "explain-price", "get-addresses", "create-world",
	"reset-world", "advance-clock", "set-account", "queue-outcomes", "set-market", "play-scenario", "add-faults",
	"list-faults", "remove-fault", "stop-all", "read-journal",
}

// newMCPServer returns a server whose tools call the sandbox. Their descriptions and arguments are those of the
// OpenAPI documents of this version; a tool has the name of its operation, with underscores.
func newMCPServer(ctx context.Context, version string, s mcpSandbox) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "causeway", Title: "Causeway sandbox", Version: version},
		&mcp.ServerOptions{Instructions: mcpInstructions, Capabilities: &mcp.ServerCapabilities{}})
	sandbox, err := app.New(config.Default(), app.Version(version), zap.NewNop())
	if err != nil {
		return nil, err
	}
	for path, handler := range map[string]http.Handler{
		"/openapi.json": sandbox.Handler, control.Prefix + "/openapi.json": sandbox.Operator,
	} {
		operations, err := readOperations(ctx, handler, path)
		if err != nil {
			return nil, err
		}
		for _, o := range operations {
			if slices.Contains(mcpOperations, o.OperationID) {
				s.addTool(server, o)
			}
		}
	}
	mcp.AddTool(server, newTool("list_catalog", "List what can be simulated, with examples", true), s.listCatalog)
	return server, nil
}

// apiOperation is an operation of an OpenAPI document. Its schemas have no references.
type apiOperation struct {
	method, path string

	OperationID, Summary, Description string

	Parameters []struct {
		Name, In, Description string

		Required bool
		Schema   map[string]any
	}
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Properties map[string]any
				Required   []string
			}
		}
	}
}

// readOperations returns the operations of the OpenAPI document that a handler serves.
func readOperations(ctx context.Context, handler http.Handler, path string) ([]apiOperation, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://sandbox.invalid"+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := wire.Loopback(handler).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var (
		document any
		out      []apiOperation
	)
	if err := json.NewDecoder(resp.Body).Decode(&document); err != nil {
		return nil, err
	}
	paths, _ := member(document, "paths").(map[string]any)
	for at, item := range paths {
		operations, _ := item.(map[string]any)
		for method, operation := range operations {
			text, err := json.Marshal(resolve(operation, document))
			if err != nil {
				return nil, err
			}
			o := apiOperation{method: strings.ToUpper(method), path: at}
			if err := json.Unmarshal(text, &o); err != nil {
				return nil, err
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// resolve returns a part of an OpenAPI document with what its references point to. None points to itself.
func resolve(part, document any) any {
	switch part := part.(type) {
	case map[string]any:
		out := map[string]any{}
		if ref, ok := part["$ref"].(string); ok {
			target := document
			for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
				target = member(target, name)
			}
			out, _ = resolve(target, document).(map[string]any)
		}
		for name, value := range part {
			if name != "$ref" {
				out[name] = resolve(value, document)
			}
		}
		return out
	case []any:
		out := make([]any, len(part))
		for i, element := range part {
			out[i] = resolve(element, document)
		}
		return out
	}
	return part
}

func newTool(name, description string, readOnly bool) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{
		ReadOnlyHint: readOnly, DestructiveHint: new(name == "reset_world"), OpenWorldHint: new(false),
	}}
}

// addTool adds a tool that calls an operation.
func (s mcpSandbox) addTool(server *mcp.Server, o apiOperation) {
	body := o.RequestBody.Content["application/json"].Schema
	properties, required := maps.Clone(body.Properties), body.Required
	if properties == nil {
		properties = map[string]any{}
	}
	rest, ofWorld := strings.CutPrefix(o.path, worldPath+"{id}")
	if ofWorld {
		o.path = worldPath + "{world}" + rest
		properties["world"] = map[string]any{"type": "string", "description": "Name of the world. Default: " + s.world}
	}
	for _, p := range o.Parameters {
		name := p.Name
		if p.In == "header" {
			name = argumentNames[p.Name]
		}
		if name == "" || ofWorld && p.In == "path" && name == "id" {
			continue
		}
		p.Schema["description"] = p.Description
		properties[name] = p.Schema
		if p.Required {
			required = append(required, name)
		}
	}
	tool := newTool(strings.ReplaceAll(o.OperationID, "-", "_"), o.Summary+". "+o.Description,
		o.method == http.MethodGet || strings.HasPrefix(o.path, "/v1/"))
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	tool.InputSchema = schema
	mcp.AddTool(server, tool, func(
		ctx context.Context, _ *mcp.CallToolRequest, args map[string]any,
	) (*mcp.CallToolResult, any, error) {
		data, err := s.call(ctx, o.method, o.path, args)
		return mcpResult(data), nil, err
	})
}

// mcpResult is text only: older clients accept objects alone as structured content.
func mcpResult(data json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}
}

// mcpSandbox calls a sandbox on behalf of an assistant.
type mcpSandbox struct{ server, operator, world string }

type listCatalogArgs struct {
	List string `json:"list" jsonschema:"accounts, addresses, errors, faults, operations, outcomes, pairs, presets or scenarios"`
}

func (s mcpSandbox) listCatalog(
	ctx context.Context, _ *mcp.CallToolRequest, args listCatalogArgs,
) (*mcp.CallToolResult, any, error) {
	data, err := s.call(ctx, http.MethodGet, control.Prefix+"/catalog", nil)
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

// call sends a request and returns the data of its response. Arguments go where the path has their names in braces,
// into a header, or else into the query of a GET and the body of other methods.
func (s mcpSandbox) call(ctx context.Context, method, path string, args map[string]any) (json.RawMessage, error) {
	c := apiCall{method: method, header: http.Header{}, query: url.Values{}, mayMiss: true}
	values := map[string]any{"world": s.world}
	maps.Copy(values, args)
	for name, value := range values {
		if before, after, found := strings.Cut(path, "{"+name+"}"); found {
			path = before + url.PathEscape(fmt.Sprint(value)) + after
			delete(values, name)
		}
	}
	for header, name := range argumentNames {
		if value, ok := values[name]; ok {
			c.header.Set(header, fmt.Sprint(value))
			delete(values, name)
		}
	}
	if c.path = path; method != http.MethodGet {
		c.body = values
	} else {
		for name, value := range values {
			c.query.Set(name, fmt.Sprint(value))
		}
	}
	to := remote{server: s.server}
	if strings.HasPrefix(path, control.Prefix) {
		to.server = "http://" + s.operator
	}
	return to.data(ctx, c)
}

// argumentNames are the arguments of tools for headers. Tools have no other headers.
var argumentNames = map[string]string{
	"Sim-World": "world", "Sim-Scenario": "simulate", "X-BU-PROFILE-ID": "profile_id",
}
