package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"causeway/cmd/causeway/app"
	"causeway/config"
)

// newServer serves a handler until the test ends, and returns its URL.
func newServer(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// newSandbox returns the URL of a sandbox with prices and bank lists.
func newSandbox(t *testing.T) string {
	t.Helper()
	a, err := app.New(config.Default(), "test", zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	a.RefreshPrices(t.Context())
	a.RefreshBanks(t.Context())
	return newServer(t, a.Handler)
}

func TestRemote(t *testing.T) {
	t.Parallel()
	server := newSandbox(t)
	for _, c := range []struct {
		line string
		code int
		want []string
	}{
		{"banks --country NG --name zenith", 0, []string{"CODE ", "000015  Zenith Bank", "057"}},
		{"banks --country NG --name zenith -o csv", 0, []string{"code,name,country,", "\n000015,Zenith Bank,NG,NGN,bank,"}},
		{"banks --country NG --name zenith -o json", 0, []string{`"code": "000015"`}},
		{"banks --account 0123456789", 0, []string{"000003  First City"}},
		{
			"resolve --country NG --currency NGN --bank 058 --account 0123456789 --name bello",
			0,
			[]string{"TEST BELLO 6746", "Guaranty Trust Bank", "no_match"},
		},
		{"resolve --country NG --currency NGN --bank 001 --account 0000000404", 1, []string{"not_found: No account"}},
		{"resolve --country NG", 2, []string{"--currency is required", "--account is required"}},
		{
			"resolve --country NG --currency NGN --channel bank --bank 058 --account 0123456789",
			2,
			[]string{"did you mean bank_transfer? Accepted: bank_transfer"},
		},
		{"pairs --counter NGN --sort-by price_change --sort desc", 0, []string{"PAIR ", "BTCNGN", "fresh"}},
		{"pairs --type shell", 2, []string{"shell", "stablecoins"}},
		{"price BTCNGN", 0, []string{"SOURCES", "BTCNGN", "busha, luno, quidax"}},
		{"watch --currency GHS --events 1", 0, []string{"TIME ", "BTCGHS"}},
		{"watch BTCNGN --events 1 -o csv", 0, []string{"time,pair,buy,", ",BTCNGN,"}},
		{"watch BTCNGN --events 1 -o json", 0, []string{`"event":"snapshot"`, `"id":"BTCNGN"`}},
		{"watch NOPE --events 1", 0, []string{"No pair with a price"}},
		{"watch --type shell", 2, []string{"shell"}},
		{"deposits list BTC --user u1", 0, []string{"ADDRESS", "tb1q"}},
		{"deposits list --user u2", 0, nil},
		{"deposits regenerate BTC --user u3 --idempotency-key k -o csv", 0, []string{"currency,network,", "\nBTC,BTC,tb1q"}},
		{"deposits regenerate", 2, nil},
		{"deposits owner tb1q --network BTC", 1, []string{"not_found"}},
		{"deposits owner tb1q", 2, []string{"network"}},
		{"validate BTC tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", 0, []string{"testnet"}},
		{"validate ETH " + segwit + " -o json", 1, []string{`"valid": false`}},
		{"validate XLM GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ --memo 12 --memo-type id", 0, []string{"valid"}},
		{"validate NOPE " + segwit, 2, []string{"NOPE"}},
		{"validate BTC " + wif, 2, []string{"not sent"}},
		{"validate --file -", 2, nil},
		{"watch --events -1", 2, []string{"--events"}},
		{"mcp --operator localhost", 2, []string{"host and port"}},
	} {
		args := strings.Fields(c.line)
		if !strings.Contains(c.line, "--server") {
			args = append(args, "--server", server)
		}
		out, notes, err := runBoth(t, "", args...)
		if ExitCode(err) != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s%v", c.line, ExitCode(err), c.code, out, err)
		}
		for _, want := range c.want {
			if text := out + notes + fmt.Sprint(err); !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", c.line, want, text)
			}
		}
	}
	checkDepositOwner(t, server)
}

// checkDepositOwner finds the user of a regenerated address, which the same idempotency key returns again.
func checkDepositOwner(t *testing.T, server string) {
	t.Helper()
	var addresses [2]string
	for i := range addresses {
		out, err := run(t, "", "deposits", "regenerate", "XRP", "--user", "u1", "--idempotency-key", "k1",
			"-o", "json", "--server", server)
		var item struct{ Address, Memo string }
		if err != nil || json.Unmarshal([]byte(out), &item) != nil {
			t.Fatal(err, out)
		}
		addresses[i] = item.Address + " --memo " + item.Memo
	}
	if addresses[0] != addresses[1] {
		t.Errorf("two addresses for an idempotency key: %q", addresses)
	}
	line := "deposits owner " + addresses[0] + " --network XRP -o csv --server " + server
	out, err := run(t, "", strings.Fields(line)...)
	if err != nil || !strings.Contains(out, "\nu1,public,XRP,") {
		t.Error(err, out)
	}
}

// TestRemote_Header checks the key, the world and the path of a request.
func TestRemote_Header(t *testing.T) {
	t.Setenv("CAUSEWAY_KEY", "k1")
	var got *http.Request
	t.Setenv("CAUSEWAY_SERVER", newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		_, _ = w.Write([]byte(`{"data":[]}`))
	}))+"/base")
	for line, key := range map[string]string{"banks --world w1": "Bearer k1", "deposits list A/B --world w1 --key k2": "Bearer k2"} {
		if out, err := run(t, "", strings.Fields(line)...); err != nil || strings.Count(out, "\n") != 1 {
			t.Error(out, err)
		}
		if got.Header.Get("Authorization") != key || got.Header.Get("Sim-World") != "w1" ||
			!strings.HasPrefix(got.URL.EscapedPath(), "/base/v1/") || strings.Contains(got.URL.EscapedPath(), "A/B") {
			t.Errorf("%s: %s %v", line, got.URL, got.Header)
		}
	}
	if out, _ := run(t, "", "banks", "--help"); strings.Contains(out, "k1") {
		t.Errorf("the help shows the key:\n%s", out)
	}
}

func TestRemote_Failures(t *testing.T) {
	t.Parallel()
	respond := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	envelope := func(name string) string {
		return `{"error":{"name":"` + name + `","message":"A sentence"},"request_id":"req_1"}`
	}
	const page, app = "text/html", "application/json"
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		command string
		want    string
	}{
		"wrong key":      {respond(401, app, envelope("unauthorized")), "banks", "CAUSEWAY_KEY"},
		"forbidden":      {respond(403, app, envelope("forbidden")), "pairs", "causeway keys create"},
		"too many":       {respond(429, app, envelope("too_many_requests")), "price BTCNGN", "Try again in 7 seconds"},
		"older server":   {respond(404, app, envelope("not_found")), "watch", "may be older"},
		"no such pair":   {respond(404, app, envelope("not_found")), "price BTCNGN", "not_found: A sentence"},
		"proxy":          {respond(502, page, "<html>planted</html>"), "pairs", "proxies on the way"},
		"login page":     {respond(200, page, "<html>planted</html>"), "banks", "200 and text/html"},
		"stream page":    {respond(200, page, "<html>planted</html>"), "watch", "200 and text/html"},
		"older response": {respond(200, app, `{"banks":[]}`), "banks", "version of the server"},
		"older data":     {respond(200, app, `{"data":"planted"}`), "banks", "compare causeway version"},
		"older verdict":  {respond(200, app, `{"data":{}}`), "validate BTC " + segwit, "compare causeway version"},
		"older event":    {respond(200, "text/event-stream", "data: 7\n\n"), "watch", "compare causeway version"},
		"no event":       {respond(200, "text/event-stream", ""), "watch", "EOF"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"data":[`))
		}, "banks --account 0123456789", "did not complete its response"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := run(t, "", append(strings.Fields(c.command), "--server", newServer(t, c.handler))...)
			code := 1
			if strings.HasPrefix(c.command, "validate") {
				code = exitNoVerdict
			}
			if ExitCode(err) != code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("exit code %d, want %d and %q: %v", ExitCode(err), code, c.want, err)
			}
			if text := out + err.Error(); strings.Contains(text, "planted") || strings.Contains(text, "0123456789") {
				t.Errorf("output: %s", text)
			}
		})
	}
}

func TestRemote_Unreachable(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	closing := newServer(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	for url, want := range map[string]string{
		server.URL:                               "does not respond: dial tcp",
		closing:                                  "does not respond",
		"https://" + server.URL[len("http://"):]: "does not respond: dial tcp",
	} {
		for _, command := range []string{"banks", "watch"} {
			_, err := run(t, "", command, "--server", url)
			if ExitCode(err) != 1 || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "causeway serve") {
				t.Errorf("%s --server %s: %v", command, url, err)
			}
		}
	}
}

func TestPrices_Acknowledge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status     int
		body, want string
		code       int
	}{
		{200, `{"status":"acknowledged","reason":"A sentence"}`, "A sentence\n", 0},
		{404, `{"status":"not found","reason":"A sentence"}`, "not found: A sentence", 1},
		{200, "<html>planted</html>", "operator_listen", 1},
	} {
		address := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Authorization") != "" {
				t.Errorf("request headers: %v", r.Header)
			}
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))[len("http://"):]
		out, err := run(t, "", "prices", "acknowledge", "USDT", "--operator", address)
		if text := out + fmt.Sprint(err); ExitCode(err) != c.code || !strings.Contains(text, c.want) ||
			strings.Contains(text, "planted") {
			t.Errorf("%d %s: exit code %d, %s", c.status, c.body, ExitCode(err), text)
		}
	}
}

func TestRemote_Password(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"http://u:planted@127.0.0.1:1/base", newServer(t, http.NotFoundHandler())} {
		_, err := run(t, "", "banks", "--server", strings.Replace(server, "http://127", "http://u:planted@127", 1))
		if err == nil || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "http://u:xxxxx@127") {
			t.Error(err)
		}
	}
}

// TestWatch_Reconnects cuts the first connection, and rejects the third.
func TestWatch_Reconnects(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		pair := `[{"id":"BTCNGN","buy_price":{"amount":"2"}}]`
		switch n := connections.Add(1); {
		case n == 1:
			_, _ = fmt.Fprintf(w, "id: 5\nevent: snapshot\ndata: %s\n\nid: 6\nevent: ch", pair)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case r.Header.Get("Last-Event-ID") != "5":
			t.Errorf("connection %d: Last-Event-ID %q", n, r.Header.Get("Last-Event-ID"))
		default:
			_, _ = fmt.Fprintf(w, ": ping\n\nid: 7\nevent: change\ndata: %s\n\n", pair)
		}
	}))
	out, err := run(t, "", "watch", "--events", "2", "-o", "csv", "--server", server)
	rows, csvErr := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || csvErr != nil || len(rows) != 3 || rows[0][1] != "pair" || rows[2][1] != "BTCNGN" {
		t.Errorf("%v, %v\n%s", err, csvErr, out)
	}
}

func TestPrice_Completion(t *testing.T) {
	t.Parallel()
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"BTCNGN"},{"id":"ETHNGN"}]}`))
	}))
	for _, c := range []struct{ line, want string }{
		{"price", "BTCNGN\nETHNGN\n:4"},
		{"watch", "BTCNGN\nETHNGN\n:4"},
		{"price BTCNGN", ":4"},
		{"banks --channel", "bank_transfer\nmobile_money\npay_bill\ntill\n:4"},
	} {
		args := append([]string{"__complete"}, strings.Fields(c.line)...)
		if !strings.HasPrefix(c.line, "banks") {
			args = append(args, "--server", server)
		}
		if out, err := run(t, "", append(args, "")...); err != nil || !strings.HasPrefix(out, c.want) {
			t.Errorf("%s: %v\n%s", c.line, err, out)
		}
	}
}

// TestCompletion_Flags completes flags from a server, and without one from the catalog.
func TestCompletion_Flags(t *testing.T) {
	t.Parallel()
	server := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"data":[{"code":"X1","name":"At %s","networks":[{"code":"N1"}]}]}`, r.URL.RequestURI())
	}))
	const none = "127.0.0.1:1"
	for _, c := range []struct{ server, line, want string }{
		{server, "banks --country", "X1\tAt /v1/countries\n:4"},
		{server, "resolve --country Nigeria --bank", "X1\tAt /v1/banks?country=NG\n:4"},
		{server, "resolve --currency", "X1\tAt /v1/currencies\n:4"},
		{server, "deposits list --network", "N1\n:4"},
		{none, "banks --country", "NG\tNigeria\n"},
		{none, "resolve --country NG --bank", "000013\tGuaranty Trust Bank\n"},
		{none, "deposits list --network", "\nBSC\n"},
		{"", "validate --network", "\nBSC\n"},
		{"", "deposits unassigned --network", "\nBSC\n"},
		{"", "doctor resolve --country NG --bank", "000013\tGuaranty Trust Bank\n"},
	} {
		t.Run(c.line, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"__complete"}, strings.Fields(c.line)...)
			if c.server != "" {
				args = slices.Insert(args, len(args)-1, "--server", c.server)
			}
			out, err := run(t, "", append(args, "")...)
			if err != nil || !strings.Contains("\n"+out, c.want) {
				t.Errorf("%v\n%.300s", err, out)
			}
		})
	}
}

func TestMan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := run(t, "", "man", dir); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"causeway.1": "causeway", "causeway-watch.1": "causeway watch BTCNGN", "causeway-deposits-list.1": "--user user-4711",
	} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		if err != nil || !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s: %v, no %q in\n%s", page, err, want, text)
		}
	}
	if _, err := run(t, "", "man", filepath.Join(dir, "none")); ExitCode(err) != 1 {
		t.Errorf("a directory that does not exist: %v", err)
	}
}

func TestTable_WriteCSV(t *testing.T) {
	t.Parallel()
	type row struct {
		A string
		B []string
	}
	view := NewView("FIRST HEAD,B", func(t *Table, r row) { t.Row(r.A, r.B) })
	table, err := view(json.RawMessage(`[{"a":"x, y","b":null},{"a":"\"z\"","b":["1","2"]}]`))
	var out bytes.Buffer
	if err := table.WriteCSV(&out, true); err != nil {
		t.Fatal(err)
	}
	want := "first_head,b\n\"x, y\",\n\"\"\"z\"\"\",\"1, 2\"\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}
