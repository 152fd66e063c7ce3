package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/config"
	"causeway/simulator/control"
)

// newMCPSession connects a client to a server for the sandbox.
func newMCPSession(t *testing.T, sandbox Client) *mcp.ClientSession {
	t.Helper()
	fromServer, fromClient := mcp.NewInMemoryTransports()
	tools, err := newMCPServer(t.Context(), "test", sandbox)
	if err != nil {
		t.Fatal(err)
	}
	server, err := tools.Connect(t.Context(), fromServer, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), fromClient, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = server.Wait()
	})
	return session
}

// callTool returns the text of a result, and whether it is an error.
func callTool(t *testing.T, session *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// TestMCP calls all tools, one after another in one sandbox.
func TestMCP(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	a, err := app.New(cfg, "test", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	a.RefreshPrices(t.Context())
	a.RefreshBanks(t.Context())
	api, operator := httptest.NewServer(a.Handler), httptest.NewServer(a.Operator)
	defer api.Close()
	defer operator.Close()
	session := newMCPSession(t, Client{
		Server: api.URL, Operator: strings.TrimPrefix(operator.URL, "http://"), World: "TestMCP",
	})

	const account = `"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","account_number":"0123456789"`
	called := map[string]bool{}
	for _, c := range []struct {
		tool, arguments string
		want            string
		failed          bool
	}{
		{tool: "create_world", arguments: `{"id":"TestMCP","clock":{"now":"2026-11-16T12:00:00Z","frozen":true}}`, want: `"frozen":true`},
		{tool: "create_world", arguments: `{"id":"TestMCP"}`, want: "conflict: ", failed: true},
		{tool: "list_banks", arguments: `{"country":"NG","q":"zenith"}`, want: `"code":"000015"`},
		{tool: "set_account", arguments: `{"bank":"058","number":"0123456789","account_name":"TEST ADA"}`, want: `"TEST ADA"`},
		{tool: "resolve_account", arguments: `{` + account + `,"bank_code":"058"}`, want: `"account_name":"TEST ADA"`},
		{tool: "resolve_account", arguments: `{` + account + `,"bank_code":"058","world":"another"}`, want: `"account_name":"TEST `},
		{
			tool: "resolve_account", arguments: `{` + account + `,"bank_code":"058","simulate":"unknown"}`,
			want: "not_found: No account with this number exists at Guaranty Trust Bank", failed: true,
		},
		{
			tool: "resolve_account", arguments: `{` + account + `,"bank_code":"58"}`, failed: true,
			want: `bank_code "58" is not a bank of NG; did you mean "058" (Guaranty Trust Bank)?`,
		},
		{tool: "resolve_account", arguments: `{` + account + `,"bank":"058"}`, want: `bank is not an argument of resolve_account; did you mean bank_code?`, failed: true},
		{tool: "queue_outcomes", arguments: `{"operation":"resolve-account","outcomes":["all_down"]}`, want: `"all_down"`},
		{tool: "resolve_account", arguments: `{` + account + `,"bank_code":"058"}`, want: "service_unavailable: ", failed: true},
		{tool: "read_journal", arguments: `{"operation":"resolve-account","status":503}`, want: `"applied":"next:all_down"`},
		{
			tool: "validate_address", want: `"valid":false`,
			arguments: `{"currency":"BTC","address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}`,
		},
		{tool: "get_addresses", arguments: `{"currency":"BTC","profile_id":"user-1"}`, want: `"network":"BTC"`},
		{tool: "set_market", arguments: `{"pair":"USDTNGN","pin":"1400.50"}`, want: `"reference":"1400.5"`},
		{tool: "explain_price", arguments: `{"id":"USDTNGN"}`, want: `"status":"fresh"`},
		{tool: "play_scenario", arguments: `{"scenario":"dai-2020"}`, want: `"scenario":"dai-2020"`},
		{
			tool: "add_faults", want: `"id":"f1"`,
			arguments: `{"match":{"provider":"kraken"},"effect":{"kind":"inverted"},"when":{"max_hits":2}}`,
		},
		{tool: "add_faults", arguments: `{"preset":"slow_tail"}`, want: `"id":"f2"`},
		{tool: "add_faults", arguments: `{"effect":{"kind":"burn"}}`, want: "effect.kind", failed: true},
		{tool: "list_faults", arguments: `{}`, want: `"id":"f1"`},
		{tool: "remove_fault", arguments: `{"fault":"f1"}`, want: `[{"id":"f2"`},
		{tool: "stop_all", arguments: `{}`, want: `"markets":0`},
		{tool: "advance_clock", arguments: `{"by":"37s"}`, want: `"now":"2026-11-16T12:00:37Z"`},
		{tool: "list_pairs", arguments: `{"base":"BTC","counter":"NGN"}`, want: `"id":"BTCNGN"`},
		{tool: "reset_world", arguments: `{}`, want: `"now":"2026-11-16T12:00:00Z"`},
		{tool: "reset_world", arguments: `{"world":"unknown/1"}`, want: "not_found: There is no world", failed: true},
		{tool: "get_catalog", arguments: `{"list":"presets"}`, want: `slow_tail`},
		{tool: "get_catalog", arguments: `{"list":"banks"}`, want: "accepted: accounts, addresses", failed: true},
		{tool: "get_catalog", arguments: `{}`, want: "list is required", failed: true},
		{tool: "get_account", arguments: `{"bank":"058","number":"0123456789"}`, want: `"why":"seed"`},
		{tool: "list_accounts", arguments: `{}`, want: `[]`},
		{tool: "set_account", arguments: `{"bank":"058","number":"0123456789","account_name":"TEST OBI"}`, want: `"TEST OBI"`},
		{tool: "remove_account", arguments: `{"bank":"058","number":"0123456789","country":"NG"}`, want: `"why":"seed"`},
		{tool: "remove_fault", arguments: `{}`, want: "fault is required", failed: true},
		{tool: "clear_faults", arguments: `{}`, want: `[]`},
		{tool: "clear_outcomes", arguments: `{"operation":"resolve"}`, want: `operation is "resolve"; did you mean resolve-account? Accepted: `, failed: true},
		{tool: "list_outcomes", arguments: `{}`, want: `[]`},
		{tool: "set_clock", arguments: `{"frozen":true}`, want: `"frozen":true`},
		{tool: "get_clock", arguments: `{}`, want: `"frozen":true`},
		{tool: "set_market", arguments: `{"pair":"USDTNGN","pin":"1400.50"}`, want: `"reference":"1400.5"`},
		{tool: "get_market", arguments: `{"pair":"USDTNGN"}`, want: `"pair":`},
		{tool: "lift_market", arguments: `{"pair":"USDTNGN"}`, want: `"pair":`},
		{tool: "list_markets", arguments: `{}`, want: `[]`},
		{tool: "list_institutions", arguments: `{"country":"NG"}`, want: `"magic":`},
		{tool: "list_divergences", arguments: `{}`, want: `"provider":`},
		{tool: "list_chains", arguments: `{"offset":1}`, want: `"network":`},
		{tool: "mine_blocks", arguments: `{"network":"BSC","blocks":2}`, want: `"height":`},
		{
			tool: "send_transfer", want: `"amount":"1.5"`,
			arguments: `{"network":"BSC","currency":"BNB","amount":"1.5","profile_id":"user-1"}`,
		},
		{tool: "reorganize_chain", arguments: `{"network":"BSC","depth":1}`, want: `"height":`},
		{tool: "assert_journal", arguments: `{"match":{"status":404}}`, want: `"pass":`},
		{tool: "wait_journal", arguments: `{"body":{"currency":"BTC"},"timeout":"1ms"}`, want: `"pass":false`},
		{tool: "list_countries", arguments: `{}`, want: `"code":"NG"`},
		{tool: "list_currencies", arguments: `{}`, want: `"code":"NGN"`},
		{tool: "get_currency", arguments: `{"code":"BTC"}`, want: `"code":"BTC"`},
		{tool: "get_pair", arguments: `{"id":"BTCNGN"}`, want: `"id":"BTCNGN"`},
		{tool: "get_price_history", arguments: `{"id":"BTCNGN"}`, want: `"points":`},
		{
			tool: "validate_addresses", want: `"valid":false`,
			arguments: `{"items":[{"currency":"BTC","address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}]}`,
		},
		{tool: "list_addresses", arguments: `{"profile_id":"user-2"}`, want: `[]`},
		{
			tool: "regenerate_address", want: `"network":"BTC"`,
			arguments: `{"currency":"BTC","profile_id":"user-2","idempotency_key":"k"}`,
		},
		{tool: "find_address_owner", arguments: `{"network":"BTC"}`, want: "address is required", failed: true},
		{tool: "list_transactions", arguments: `{"profile_id":"user-2"}`, want: `[`},
		{tool: "list_events", arguments: `{}`, want: `[`},
		{tool: "get_transaction", arguments: `{"id":"txn_none"}`, want: "not_found", failed: true},
		{tool: "list_balances", arguments: `{"profile_id":"user-2"}`, want: `[`},
		{tool: "get_balance", arguments: `{"currency":"BTC","profile_id":"user-2"}`, want: `"currency":"BTC"`},
		{tool: "put_receiver", arguments: `{"name":"shop","url":"http://127.0.0.1:9/"}`, want: `"secret":"whsec_`},
		{tool: "list_receivers", arguments: `{}`, want: `"name":"shop"`},
		{tool: "remove_receiver", arguments: `{"name":"shop"}`, want: `[]`},
		{tool: "fork_world", arguments: `{"id":"TestMCP/copy"}`, want: `"id":"TestMCP/copy"`},
		{tool: "get_world", arguments: `{"world":"TestMCP/copy"}`, want: `"id":"TestMCP/copy"`},
		{tool: "list_worlds", arguments: `{}`, want: `"id":"TestMCP/copy"`},
		{tool: "delete_world", arguments: `{"world":"TestMCP/copy"}`, want: `"id":"TestMCP/copy"`},
	} {
		called[c.tool] = true
		text, failed := callTool(t, session, c.tool, c.arguments)
		if failed != c.failed || !strings.Contains(text, c.want) {
			t.Errorf("%s %s: failed %t, want %t with %s\n%.600s", c.tool, c.arguments, failed, c.failed, c.want, text)
		}
	}
	var writing []string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !called[tool.Name] {
			t.Errorf("%s is not tested", tool.Name)
		}
		if !tool.Annotations.ReadOnlyHint {
			writing = append(writing, tool.Name)
		}
	}
	want := strings.Fields(`add_faults advance_clock clear_faults clear_outcomes create_world delete_world fork_world
		get_addresses lift_market mine_blocks play_scenario put_receiver queue_outcomes regenerate_address remove_account remove_fault
		remove_receiver reorganize_chain reset_world send_transfer set_account set_clock set_market stop_all`)
	if slices.Sort(writing); !slices.Equal(writing, want) {
		t.Errorf("tools that are not read-only: got %q, want %q", writing, want)
	}
	checkPages(t, session)
}

// checkPages reads the long lists in parts.
func checkPages(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	for _, tool := range []string{"list_banks", "list_pairs", "list_currencies", "list_institutions"} {
		seen, next := map[string]bool{}, 0
		for {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"offset": next}})
			if err != nil || result.IsError {
				t.Fatalf("%s: %v, %v", tool, err, result)
			}
			text := result.Content[0].(*mcp.TextContent).Text
			var part []json.RawMessage
			if err := json.Unmarshal([]byte(text), &part); err != nil || len(part) == 0 || len(text) > 2*pageBytes {
				t.Fatalf("%s: %v, %d elements, %d bytes", tool, err, len(part), len(text))
			}
			for _, element := range part {
				seen[string(element)] = true
			}
			if next += len(part); len(result.Content) == 1 {
				break
			}
			if note := result.Content[1].(*mcp.TextContent).Text; !strings.Contains(note, fmt.Sprintf("offset=%d continues", next)) {
				t.Errorf("%s: %s", tool, note)
			}
		}
		if len(seen) != next || next < 50 {
			t.Errorf("%s: %d elements, %d different ones", tool, next, len(seen))
		}
	}
}

// TestMCP_Unreachable checks what a user and an assistant read if the addresses are not, or no longer, addresses of a
// sandbox. Account numbers in paths must not be part of it.
func TestMCP_Unreachable(t *testing.T) {
	t.Parallel()
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	address := strings.TrimPrefix(page.URL, "http://")
	_, err := newMCPServer(t.Context(), "test", Client{Server: page.URL, Operator: address})
	if err == nil || !strings.Contains(err.Error(), "responds with 404 and ") {
		t.Errorf("no sandbox: got %v", err)
	}

	const document = `{"paths":{"/_sim/v1/worlds/{id}/accounts/{number}":{"put":{"operationId":"set-account","parameters":[
		{"name":"number","in":"path","schema":{"type":"string"}}],"responses":{"200":{"content":{"application/json":{
		"schema":{"properties":{"data":{"type":"object"}}}}}}}}}}}`
	sandbox := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, document)
	}))
	session := newMCPSession(t, Client{
		Server: sandbox.URL, Operator: strings.TrimPrefix(sandbox.URL, "http://"), World: "w",
	})
	sandbox.Close()
	text, failed := callTool(t, session, "set_account", `{"number":"0123456789"}`)
	if !failed || !strings.Contains(text, "operator_listen") || strings.Contains(text, "0123456789") {
		t.Errorf("stopped: got %q", text)
	}
}

// TestMCP_Guide checks that the configuration in the guide is a valid command line.
func TestMCP_Guide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```json no-test\n")
	block, _, _ := strings.Cut(rest, "```")
	var file struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(block), &file); err != nil {
		t.Fatal(err)
	}
	server, cmd := file.MCPServers["causeway"], mcpCommand(Build{})
	if server.Command != "causeway" || len(server.Args) == 0 || server.Args[0] != cmd.Use {
		t.Fatalf("the guide runs %s %s", server.Command, server.Args)
	}
	if err := cmd.ParseFlags(server.Args[1:]); err != nil || cmd.Flags().NArg() > 0 {
		t.Errorf("%s: %v", server.Args, err)
	}
}

// TestRemote_KeyNotToControl checks that an API key reaches the API and not the control API.
func TestRemote_KeyNotToControl(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/v1/banks": "Bearer planted", control.Prefix + "/worlds": ""} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != want {
				t.Errorf("%s: got Authorization %q, want %q", path, got, want)
			}
			_, _ = io.WriteString(w, `{"data":[]}`)
		}))
		defer server.Close()
		to := Client{Server: server.URL, Operator: strings.TrimPrefix(server.URL, "http://"), Key: "planted"}
		if _, err := to.Data(t.Context(), Call{Method: http.MethodGet, Path: path}); err != nil {
			t.Error(err)
		}
	}
}
