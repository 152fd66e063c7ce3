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

	"causeway/core"
	"causeway/simulator/control"
)

func mcpCommand(build Build) *cobra.Command {
	var c Client
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let an AI assistant use a running sandbox, by the Model Context Protocol",
		Long: `Serves the Model Context Protocol (MCP) on standard input and output. The assistant gets tools that call
the API and the control API of a running sandbox: resolve accounts, validate addresses, read prices,
create worlds, advance clocks, inject faults and read the journal. The sandbox must be running.

CAUSEWAY_SERVER, CAUSEWAY_SIM_OPERATOR and CAUSEWAY_SIM_WORLD replace the defaults of the flags.`,
		Example: "  causeway mcp\n  causeway mcp --server http://localhost:8080 --world TestCheckout",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := newMCPServer(cmd.Context(), build.Version, c)
			if err != nil {
				return err
			}
			return server.Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.Server, "server", cmp.Or(os.Getenv("CAUSEWAY_SERVER"), defaultServer), "URL of the public API")
	c.SandboxFlags(flags, "world of calls that do not name one")
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
	core.OpListBanks, core.OpResolveAccount, core.OpValidateAddress, core.OpListPairs, core.OpExplainPrice,
	core.OpGetAddresses, "create-world", "reset-world", "advance-clock", "set-account", "queue-outcomes", "set-market",
	"play-scenario", "add-faults",
	"list-faults", "remove-fault", "stop-all", "read-journal",
}

// newMCPServer returns a server whose tools call the sandbox. Their descriptions and arguments come from the
// sandbox's OpenAPI documents; a tool has the name of its operation, with underscores.
func newMCPServer(ctx context.Context, version string, client Client) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "causeway", Title: "Causeway sandbox", Version: version},
		&mcp.ServerOptions{Instructions: mcpInstructions, Capabilities: &mcp.ServerCapabilities{}})
	documents := Client{Server: client.Server, Operator: client.Operator} // of no world
	for _, path := range []string{openAPIPath, control.Prefix + openAPIPath} {
		document, err := documents.Body(ctx, Call{Method: http.MethodGet, Path: path})
		if err != nil {
			return nil, err
		}
		operations, err := readOperations(document)
		if err != nil {
			return nil, err
		}
		for _, o := range operations {
			if slices.Contains(mcpOperations, o.OperationID) {
				client.addTool(server, o)
			}
		}
	}
	mcp.AddTool(server, newTool("list_catalog", "List what can be simulated, with examples", true), client.listCatalog)
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

// readOperations returns the operations of an OpenAPI document.
func readOperations(text []byte) ([]apiOperation, error) {
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	text, err := json.Marshal(resolve(document["paths"], document))
	if err != nil {
		return nil, err
	}
	var paths map[string]map[string]apiOperation // by path and method
	if err := json.Unmarshal(text, &paths); err != nil {
		return nil, err
	}
	var out []apiOperation
	for at, operations := range paths {
		for method, o := range operations {
			o.method, o.path = strings.ToUpper(method), at
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
				members, _ := target.(map[string]any)
				target = members[name]
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
func (c Client) addTool(server *mcp.Server, o apiOperation) {
	body := o.RequestBody.Content["application/json"].Schema
	properties, required := maps.Clone(body.Properties), body.Required
	if properties == nil {
		properties = map[string]any{}
	}
	rest, ofWorld := strings.CutPrefix(o.path, worldPath+"{id}")
	if ofWorld {
		o.path = worldPath + "{world}" + rest
		properties["world"] = map[string]any{"type": "string", "description": "Name of the world. Default: " + c.World}
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
		data, err := c.callTool(ctx, o.method, o.path, args)
		return mcpResult(data), nil, err
	})
}

// mcpResult is text only: older clients accept objects alone as structured content.
func mcpResult(data json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(data)}}}
}

type listCatalogArgs struct {
	List string `json:"list" jsonschema:"accounts, addresses, errors, faults, operations, outcomes, pairs, presets or scenarios"`
}

func (c Client) listCatalog(
	ctx context.Context, _ *mcp.CallToolRequest, args listCatalogArgs,
) (*mcp.CallToolResult, any, error) {
	data, err := c.callTool(ctx, http.MethodGet, control.Prefix+"/catalog", nil)
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

// callTool sends a request and returns the data of its response. Arguments go where the path has
// their names in braces, into a header, or else into the query of a GET and the body of other
// methods.
func (c Client) callTool(ctx context.Context, method, path string, args map[string]any) (json.RawMessage, error) {
	call := Call{Method: method, Header: http.Header{}, Query: url.Values{}, MayMiss: true}
	values := map[string]any{"world": c.World}
	maps.Copy(values, args)
	for name, value := range values {
		if before, after, found := strings.Cut(path, "{"+name+"}"); found {
			path = before + url.PathEscape(fmt.Sprint(value)) + after
			delete(values, name)
		}
	}
	for header, name := range argumentNames {
		if value, ok := values[name]; ok {
			call.Header.Set(header, fmt.Sprint(value))
			delete(values, name)
		}
	}
	if call.Path = path; method != http.MethodGet {
		call.Body = values
	} else {
		for name, value := range values {
			call.Query.Set(name, fmt.Sprint(value))
		}
	}
	return c.Data(ctx, call)
}

// argumentNames are the arguments of tools for headers. Tools have no other headers.
var argumentNames = map[string]string{
	"Sim-World": "world", "Sim-Scenario": "simulate", "X-BU-PROFILE-ID": "profile_id",
}
