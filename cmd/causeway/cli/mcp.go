package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
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
		Args:    NoArgs,
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

// mcpInstructions tell the assistant what the tools are for.
const mcpInstructions = `These tools call a sandbox of Causeway, an API for bank lists, account names, crypto addresses
and prices of payments. Everything in it is simulated. A world has its own accounts, clock, prices, faults and journal:
use a world of its own for each task, and read_journal to see what decided a response.`

// newMCPServer returns a server whose tools call the sandbox: a tool for each operation of its OpenAPI documents
// that responds with a success envelope. A tool has the name of its operation, with underscores.
func newMCPServer(ctx context.Context, version string, client Client) (*mcp.Server, error) {
	server := mcp.NewServer(&mcp.Implementation{Name: "causeway", Title: "Causeway sandbox", Version: version},
		&mcp.ServerOptions{Instructions: mcpInstructions, Capabilities: &mcp.ServerCapabilities{}})
	documents := Client{Server: client.Server, Operator: client.Operator} // of no world
	var tools []tool
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
			if o.data() != nil {
				tools = append(tools, newTool(client, o))
			}
		}
	}
	names := map[string]string{} // of the tools by method and path
	for _, t := range tools {
		names[t.operation.method+" "+t.operation.path] = t.name
	}
	for _, t := range tools {
		server.AddTool(t.describe(), t.handler(names))
	}
	return server, nil
}

// schema is a JSON schema without references.
type schema map[string]any

func (s schema) properties() map[string]any {
	properties, _ := s["properties"].(map[string]any)
	return properties
}

// apiOperation is an operation of an OpenAPI document. Its schemas have no references.
type apiOperation struct {
	method, path string

	OperationID, Summary, Description string

	Parameters  []apiParameter
	RequestBody apiContent
	Responses   map[string]apiContent
}

type apiParameter struct {
	Name, In, Description string

	Required bool
	Schema   schema
}

type apiContent struct {
	Content map[string]struct{ Schema schema }
}

// data returns the schema of the data of a success envelope; nil if the operation responds with something else.
func (o apiOperation) data() schema {
	for status, response := range o.Responses {
		if data, ok := response.Content["application/json"].Schema.properties()["data"]; ok && status[0] == '2' {
			members, _ := data.(map[string]any)
			return members
		}
	}
	return nil
}

// readOperations returns the operations of an OpenAPI document, sorted by their IDs.
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
	slices.SortFunc(out, func(a, b apiOperation) int { return strings.Compare(a.OperationID, b.OperationID) })
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

// headerArguments are the arguments of tools that are sent as headers. Tools have no other headers.
var headerArguments = map[string]string{
	"Sim-World": worldArgument, "Sim-Scenario": "simulate", userHeader: "profile_id", idempotencyHeader: "idempotency_key",
}

// The arguments of tools that have a meaning of their own.
const (
	worldArgument  = "world"
	offsetArgument = "offset"
	listArgument   = "list"
)

const (
	catalogOperation = "get-catalog" // an object of long lists: its tool returns one of them
	worldPath        = control.Prefix + "/worlds/{id}"

	pageBytes    = 12 << 10 // of a list in one result, unless its first element is larger
	limitDefault = 5        // of operations with a limit of their own

	inResult = "result" // an argument that is not sent
)

// tool is an operation as a tool.
type tool struct {
	name      string
	client    Client
	operation apiOperation

	parameters map[string]apiParameter // by argument; other arguments are members of the body
	arguments  schema
	lists      []string // of the data, if the tool returns one of them
}

func newTool(client Client, o apiOperation) tool {
	body := o.RequestBody.Content["application/json"].Schema
	t := tool{
		name: strings.ReplaceAll(o.OperationID, "-", "_"), client: client, operation: o,
		parameters: map[string]apiParameter{},
	}
	properties := map[string]any{}
	maps.Copy(properties, body.properties())
	required, _ := body["required"].([]any)
	for _, p := range o.Parameters {
		name := p.Name
		switch {
		case p.In == "header":
			name = headerArguments[p.Name]
		case p.In == "path" && p.Name == "id" && strings.HasPrefix(o.path, worldPath):
			name, p.Required = worldArgument, false
		}
		if name == "" {
			continue
		}
		p.Schema["description"] = p.Description
		if p.Name == "limit" {
			p.Schema["default"] = limitDefault
		}
		t.parameters[name], properties[name] = p, p.Schema
		if p.Required {
			required = append(required, name)
		}
	}
	if properties[worldArgument] != nil {
		properties[worldArgument] = schema{"type": "string", "description": "Name of the world. Default: " + client.World}
	}
	data := o.data()
	if o.OperationID == catalogOperation {
		for name, member := range data.properties() {
			if member, _ := member.(map[string]any); member["type"] == "array" {
				t.lists = append(t.lists, name)
			}
		}
		slices.Sort(t.lists)
		t.parameters[listArgument] = apiParameter{In: inResult, Required: true}
		properties[listArgument] = schema{"type": "string", "enum": t.lists, "description": "The list to return"}
		required = append(required, listArgument)
	}
	if _, limited := t.parameters["limit"]; data["type"] == "array" && !limited || t.lists != nil {
		properties[offsetArgument] = schema{
			"type": "integer", "minimum": 0, "description": "Number of elements to leave out. A long list comes in parts",
		}
	}
	t.arguments = schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		t.arguments["required"] = required
	}
	return t
}

// describe returns the description of the tool.
func (t tool) describe() *mcp.Tool {
	o := t.operation
	readOnly := o.method == http.MethodGet || o.OperationID == "assert-journal"
	if operation, ok := core.FindOperation(o.OperationID); ok {
		readOnly = !operation.Writes
	}
	destructive := o.method == http.MethodDelete ||
		slices.Contains([]string{"reset-world", "stop-all", "reorganize-chain"}, o.OperationID)
	arguments, _ := withoutConstants(map[string]any(t.arguments)).(map[string]any)
	return &mcp.Tool{
		Name: t.name, Description: o.Summary + ". " + o.Description, InputSchema: arguments,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint: readOnly, DestructiveHint: &destructive, OpenWorldHint: new(false),
			IdempotentHint: readOnly || o.method == http.MethodPut || o.method == http.MethodDelete,
		},
	}
}

// handler returns what calls the operation. names are the tools by method and path, for errors.
func (t tool) handler(names map[string]string) mcp.ToolHandler {
	wording := Wording{Fields: map[string]string{}, Endpoint: func(method, path string, query url.Values) string {
		name := names[method+" "+path]
		if name != "" && len(query) > 0 {
			name += " with " + query.Encode()
		}
		return name
	}}
	for name := range t.arguments.properties() {
		wording.Fields[name] = name
	}
	for name, p := range t.parameters {
		wording.Fields[p.Name] = name
	}
	return func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		data, note, err := t.call(ctx, request.Params.Arguments, wording)
		result := &mcp.CallToolResult{}
		if err != nil {
			result.SetError(err)
			return result, nil
		}
		// Text only: older clients accept objects alone as structured content.
		for _, text := range []string{string(data), note} {
			if text != "" {
				result.Content = append(result.Content, &mcp.TextContent{Text: text})
			}
		}
		return result, nil
	}
}

// call calls the operation, and returns the data of the response, and a note if a part of it is missing.
func (t tool) call(ctx context.Context, text json.RawMessage, wording Wording) (json.RawMessage, string, error) {
	var args map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&args); err != nil {
		return nil, "", fmt.Errorf("the arguments of %s are not a JSON object: %w", t.name, err)
	}
	if err := t.checkNames(args); err != nil {
		return nil, "", err
	}
	own := map[string]string{} // arguments that are not sent
	for _, name := range []string{listArgument, offsetArgument} {
		if p, ok := t.parameters[name]; args[name] != nil && (!ok || p.In == inResult) {
			own[name] = fmt.Sprint(args[name])
			delete(args, name)
		}
	}
	body, err := t.client.Body(ctx, t.request(args, wording))
	if err != nil {
		return nil, "", err
	}
	var envelope struct {
		Data       json.RawMessage
		Pagination struct {
			Next string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal(body, &envelope); err != nil || envelope.Data == nil {
		return nil, "", errOtherVersion
	}
	if envelope.Pagination.Next != "" {
		cursor := "cursor"
		if _, ok := t.parameters["after"]; ok {
			cursor = "after"
		}
		return envelope.Data, cursor + "=" + envelope.Pagination.Next + " continues.", nil
	}
	if t.lists != nil {
		var lists map[string]json.RawMessage
		_ = json.Unmarshal(envelope.Data, &lists) // of another version: no lists
		if envelope.Data = lists[own[listArgument]]; envelope.Data == nil {
			return nil, "", fmt.Errorf("list is %q; accepted: %s", own[listArgument], strings.Join(t.lists, ", "))
		}
	}
	offset, _ := strconv.Atoi(own[offsetArgument]) // absent: 0
	return t.page(envelope.Data, max(offset, 0))
}

// checkNames returns an error for arguments that the tool does not have, and for missing parts of the path.
func (t tool) checkNames(args map[string]any) error {
	names := slices.Sorted(maps.Keys(t.arguments.properties()))
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(names, name) {
			continue
		}
		if meant := nearest(name, names); meant != nil {
			return fmt.Errorf("%s is not an argument of %s; did you mean %s?", name, t.name, strings.Join(meant, " or "))
		}
		return fmt.Errorf("%s is not an argument of %s; accepted: %s", name, t.name, strings.Join(names, ", "))
	}
	for _, name := range names {
		if p := t.parameters[name]; p.Required && args[name] == nil {
			return fmt.Errorf("%s is required", name)
		}
	}
	return nil
}

// request returns the request with arguments.
func (t tool) request(args map[string]any, wording Wording) Call {
	call := Call{
		Wording: wording, Method: t.operation.method, Path: t.operation.path, Query: url.Values{}, Header: http.Header{},
		MayMiss: true,
	}
	if p := t.parameters[worldArgument]; p.In == "path" && args[worldArgument] == nil {
		args[worldArgument] = t.client.World
	}
	if _, ok := t.parameters["limit"]; ok && args["limit"] == nil {
		args["limit"] = limitDefault
	}
	body := map[string]any{}
	for name, value := range args {
		p, ok := t.parameters[name]
		object, deep := value.(map[string]any)
		switch {
		case !ok:
			body[name] = value
		case p.In == "path":
			call.Path = strings.ReplaceAll(call.Path, "{"+p.Name+"}", url.PathEscape(fmt.Sprint(value)))
		case p.In == "header":
			call.Header.Set(p.Name, fmt.Sprint(value))
		case deep:
			for member, value := range object {
				call.Query.Set(p.Name+"["+member+"]", fmt.Sprint(value))
			}
		default:
			call.Query.Set(p.Name, fmt.Sprint(value))
		}
	}
	if schema := t.operation.RequestBody.Content["application/json"].Schema; schema != nil {
		addConstants(schema, body)
		call.Body = body
	}
	return call
}

// page returns the elements of a list after an offset that fit into a result, and a note if there are more. Other data
// is returned as it is.
func (t tool) page(data json.RawMessage, offset int) (json.RawMessage, string, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil || offset == 0 && len(data) <= pageBytes {
		return data, "", nil //nolint:nilerr // the data is not a list
	}
	first := min(offset, len(all))
	end, size := first, 0
	for end < len(all) && (end == first || size+len(all[end]) <= pageBytes) {
		size += len(all[end])
		end++
	}
	part, err := json.Marshal(all[first:end])
	if err != nil || end == len(all) {
		return part, "", err
	}
	note := fmt.Sprintf("These are %d of %d elements. offset=%d continues", end-first, len(all), end)
	var filters []string
	for _, p := range t.operation.Parameters {
		if p.In == "query" {
			filters = append(filters, p.Name)
		}
	}
	if len(filters) > 0 {
		note += "; fewer match with " + strings.Join(filters, ", ")
	}
	return part, note + ".", nil
}

// constant returns the only value of a required property of a schema.
func (s schema) constant(name string) (value any, ok bool) {
	required, _ := s["required"].([]any)
	property, _ := s.properties()[name].(map[string]any)
	accepted, _ := property["enum"].([]any)
	if len(accepted) != 1 || !slices.Contains(required, any(name)) {
		return nil, false
	}
	return accepted[0], true
}

// withoutConstants returns a part of a schema without properties that have one value, which addConstants adds.
func withoutConstants(part any) any {
	switch part := part.(type) {
	case schema:
		return withoutConstants(map[string]any(part))
	case map[string]any:
		out := map[string]any{}
		for name, value := range part {
			out[name] = withoutConstants(value)
		}
		properties, _ := out["properties"].(map[string]any)
		for name := range schema(part).properties() {
			if _, ok := schema(part).constant(name); ok {
				delete(properties, name)
				required, _ := out["required"].([]any)
				out["required"] = slices.DeleteFunc(slices.Clone(required), func(other any) bool { return other == name })
			}
		}
		return out
	}
	return part
}

// addConstants adds the properties that withoutConstants removed to an object, or to the objects of a list.
func addConstants(s schema, value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, property := range s.properties() {
			if constant, ok := s.constant(name); ok {
				value[name] = constant
			} else if property, ok := property.(map[string]any); ok {
				addConstants(property, value[name])
			}
		}
	case []any:
		items, _ := s["items"].(map[string]any)
		for _, item := range value {
			addConstants(items, item)
		}
	}
}
