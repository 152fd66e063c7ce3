package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"causeway/cmd/causeway/cli"
	"causeway/cmd/causeway/operator"
	"causeway/simulator/journal"
)

// simLab runs causeway sim against the shared sandbox.
type simLab struct {
	t        *testing.T
	operator string // host and port; empty: of the shared sandbox
	file     string // an argument of commands, named FILE in their lines
}

// run runs causeway sim, and returns what it prints and its exit code.
func (l simLab) run(args ...string) (out string, code int, said string) {
	l.t.Helper()
	cmd := cli.Group("causeway", "", Command("test"))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	var stdout, stderr bytes.Buffer
	cmd.SetOut(&stdout)
	cmd.SetErr(&stderr)
	cmd.SetArgs(append([]string{"sim", "--operator", cmp.Or(l.operator, address)}, args...))
	err := cli.Execute(l.t.Context(), cmd)
	if err == nil {
		return stdout.String(), 0, stderr.String()
	}
	if e, ok := errors.AsType[*cli.ExitError](err); ok {
		return stdout.String(), e.Code, stderr.String() + err.Error()
	}
	return stdout.String(), 1, stderr.String() + err.Error()
}

// words splits a line. FILE stands for l.file, whose path may have spaces.
func (l simLab) words(line string) []string {
	words := strings.Fields(line)
	if i := slices.Index(words, "FILE"); i >= 0 {
		words[i] = l.file
	}
	return words
}

// shows runs a command that must succeed, and holds what it prints against words.
func (l simLab) shows(line string, words ...string) string {
	l.t.Helper()
	out, code, said := l.run(l.words(line)...)
	if code != 0 {
		l.t.Fatalf("%s: %d %s", line, code, said)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			l.t.Errorf("%s: no %q in\n%s", line, word, out)
		}
	}
	return out
}

// fails runs a command that must fail with a code and words.
func (l simLab) fails(line string, want int, words ...string) {
	l.t.Helper()
	out, code, said := l.run(l.words(line)...)
	if code != want {
		l.t.Errorf("%s: exit code %d, want %d\n%s%s", line, code, want, out, said)
	}
	for _, word := range words {
		if !strings.Contains(said, word) {
			l.t.Errorf("%s: no %q in\n%s", line, word, said)
		}
	}
}

// ask sends a request to a world of the sandbox.
func (l simLab) ask(world, method, path, body string) *httptest.ResponseRecorder {
	l.t.Helper()
	r := httptest.NewRequestWithContext(l.t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Sim-World", world)
	rec := httptest.NewRecorder()
	public.ServeHTTP(rec, r)
	return rec
}

func TestSimWorlds(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	l.shows("world create TestCheckout/pays seed=checkout clock.now=2026-11-16T12:00:00Z clock.frozen=true ttl=2h magic_pairs=true", "TestCheckout/pays", "checkout", "2026-11-16T12:00:00Z", "true")
	l.shows("world list", "default", "TestCheckout/pays")
	l.shows("world fork copy --world TestCheckout/pays", "copy", "checkout")
	l.shows("world show --world copy", "2026-11-16T12:00:00Z")
	l.shows("account set 000013 0123456789 account_name=ADA --world copy", "ADA", "set")
	l.shows("world fork again --world copy", "again")
	l.shows("world reset --world copy", "copy")
	l.shows("account list --world copy", "OUTCOME")
	l.shows("account show 000013 0123456789 --world again", "ADA", "set")
	l.shows("account remove 000013 0123456789 --world again", "seed")
	l.shows("account set 001 0123456789 country=GH account_name=AMA --world again", "GH", "AMA")
	l.fails("account show 001 0123456789 --world again", 2, "country")
	l.shows("account show 001 0123456789 country=GH --world again", "AMA")
	l.shows("account remove 001 0123456789 country=GH --world again", "GH", "seed")
	l.fails("account remove 001 0123456789 bank=GH --world again", 2, "BANK is not a parameter")
	l.shows("world delete --world again", "again")
	l.fails("world show --world again", 2, "world_expired", "again")
	l.fails("world show --world never", 2, "not_found", "never")
	l.fails("world create default", 2, "conflict")
	l.fails("world create x ttl=1ms", 2, "ttl")
	l.fails("world create x colour=red", 2, "colour is not a known field")
}

func TestSimMarket(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	l.shows("world create trades clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	l.fails("play nothing --world trades", 2, "SCENARIO", "dai-2020")
	l.fails("market set NOPE pin=1 --world trades", 2, "NOPE")
	l.fails("market set USDTNGN pin=cheap spread_bps=-1 --world trades", 2, "pin", "spread_bps")
	l.fails("market set USDTNGN venues.quidax=down --world trades", 2, "venues.quidax")
	l.fails("market set USDTNGN pin.x=1 --world trades", 2, "pin must be a string")
	l.fails("market set USDTNGN pin=1 pin=2 --world trades", 2, "twice")
}

func TestSim_OutcomesAndJournal(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	l.fails("next resolve-account unknown --world TestPayout/fails", 2, "not_found") // the world does not exist yet
	l.shows("world create TestPayout/fails")
	l.shows("next resolve-account unknown all_down --world TestPayout/fails", "resolve-account", "unknown, all_down")
	l.shows("next list --world TestPayout/fails", "unknown, all_down")
	for i, want := range []int{http.StatusNotFound, http.StatusServiceUnavailable, http.StatusOK} {
		if r := l.ask("TestPayout/fails", http.MethodPost, nameOf, resolveBody); r.Code != want {
			t.Errorf("request %d: %d %s", i+1, r.Code, r.Body)
		}
	}
	l.shows("journal list --world TestPayout/fails", "next:unknown", "404 not_found", "next:all_down", "paystack")
	l.shows("journal list status=200 --world TestPayout/fails -o json", `"status": 200`)
	l.shows("journal assert operation=resolve-account --count 3 --world TestPayout/fails", "3 entries")
	l.fails("journal assert status=500 --world TestPayout/fails", 3, "Expected", "closest")
	l.fails("journal assert status=404 --never --world TestPayout/fails", 3, "Expected")
	for step, code := range map[string]int{"--order=status=404 applied=next:unknown --order=applied=next:all_down": 0, "--order=applied=next:all_down --order=status=404 applied=next:unknown": 3, "--order=colour=red": 2} {
		args := []string{"journal", "assert", "--world", "TestPayout/fails"}
		for one := range strings.SplitSeq(step, " --order=") {
			args = append(args, "--order", strings.TrimPrefix(one, "--order="))
		}
		if out, got, said := l.run(args...); got != code {
			t.Errorf("%s: %d, want %d: %s%s", step, got, code, out, said)
		}
	}
	l.shows("journal wait applied=next:all_down --world TestPayout/fails", "match")
	l.fails("journal wait status=500 --timeout 10ms --world TestPayout/fails", 3, "The time is up")
	l.fails("journal wait --timeout 1h --world TestPayout/fails", 2, "timeout")
	l.fails("journal list status=many --world TestPayout/fails", 2, "status")
	l.shows("next get-pair error:too_many_requests --world TestPayout/fails", "get-pair")
	l.shows("next clear get-pair --world TestPayout/fails", "OPERATION")
	l.fails("next resolve-account nothing --world TestPayout/fails", 2, "OUTCOME", "unknown")
	l.fails("next nothing unknown --world TestPayout/fails", 2, "OPERATION", "resolve-account")
	l.fails("next clear nothing --world TestPayout/fails", 2, "OPERATION")
}

func TestSim_Errors(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	l.fails("world list -o yaml", 2, "yaml", "table, json")
	l.fails("world show --world "+strings.Repeat("x", 101), 2, "not_found")
	l.fails("world list --operator localhost", 2, "host and port")
	l.fails("world list --operator 127.0.0.1:1", 1, "127.0.0.1:1 does not respond", "causeway serve")
	for name, handler := range map[string]http.Handler{
		"only a sandbox has a control API": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			operator.WriteReply(w, http.StatusNotFound, "not found", "")
		}),
		"unlike this version": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }),
		"not of this version": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":7}`)) }),
	} {
		other := httptest.NewServer(handler)
		t.Cleanup(other.Close)
		l.fails("world list --operator "+strings.TrimPrefix(other.URL, "http://"), 1, name)
	}
}

// TestSimReplay_SharedLists records the banks of every country in a world of its own, and who holds an account at a bank that is known to be resolvable
// by what its providers list.
func TestSimReplay_SharedLists(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	const world = "TestReplay/lists"
	l.shows("world create TestReplay/lists clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	for _, country := range []string{"", "?country=NG", "?country=GH", "?country=KE", "?country=ZA"} {
		l.ask(world, http.MethodGet, "/v1/banks"+country, "")
	}
	const kenyan = `{"currency_id":"KES","country_id":"KE","channel":"bank_transfer","bank_code":"68","account_number":"1234567890"}`
	if rec := l.ask(world, http.MethodPost, nameOf, kenyan); rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	file := filepath.Join(t.TempDir(), "bundle.json")
	l.file = file
	if err := os.WriteFile(file, []byte(l.shows("journal export --world TestReplay/lists")), 0o600); err != nil {
		t.Fatal(err)
	}
	l.shows("replay FILE", "All 6 responses are the same")
}

// TestSimReplay records what happened in a world, and makes it happen again in another sandbox.
func TestSimReplay(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	const world = "TestReplay/recorded"
	l.shows("world create TestReplay/recorded clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	l.shows("account set 000013 0690000032 account_name=ADA --world TestReplay/recorded")
	l.shows("next resolve-account all_down --world TestReplay/recorded")
	for range 2 {
		l.ask(world, http.MethodPost, nameOf, resolveBody)
	}
	l.ask(world, http.MethodGet, "/v1/pairs/BTCNGN", "")
	l.shows("clock advance 4s --world TestReplay/recorded")
	l.shows("market set BTCUSDT jump_bps=200 --world TestReplay/recorded")
	l.shows("clock advance 4s --world TestReplay/recorded")
	l.ask(world, http.MethodGet, "/v1/pairs/BTCNGN/price", "")
	l.ask(world, http.MethodGet, "/v1/pairs?currency=NGN", "")
	l.ask(world, http.MethodGet, "/v1/pairs?type=nothing", "")
	l.ask(world, http.MethodPost, nameOf, strings.Replace(resolveBody, "0123456789", "0690000032", 1))

	text := l.shows("journal export --world TestReplay/recorded", `"requests"`)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/banks?country=NG", http.NoBody)
	r.Header["Sim-World"], r.Header["Accept"] = []string{"TestReplay/large"}, slices.Repeat([]string{strings.Repeat("a", 10_000)}, 40) // too large to keep
	public.ServeHTTP(httptest.NewRecorder(), r)
	if out, code, said := l.run("journal", "export", "--world", "TestReplay/large"); code != 0 || !strings.Contains(said, "lacks 1 requests") || !strings.Contains(out, `"left_out":1`) {
		t.Errorf("%d: %s%s", code, said, out)
	}
	file := filepath.Join(t.TempDir(), "bundle.json")
	l.file = file
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	b, err := journal.DecodeBundle([]byte(text))
	if err != nil || !b.Complete || len(b.Requests) != 12 {
		t.Fatalf("%v, complete: %t, %d requests", err, b.Complete, len(b.Requests))
	}
	l.shows("replay FILE", "All 7 responses are the same", b.Fingerprint.String())
	l.shows("replay -o json FILE", `"same": 7`)

	l.shows("world fork TestReplay/copy --world TestReplay/recorded")
	l.ask("TestReplay/copy", http.MethodGet, "/v1/pairs/BTCNGN/price", "")
	l.shows("clock advance 4s --world TestReplay/copy")
	l.ask("TestReplay/copy", http.MethodPost, nameOf, resolveBody)
	write(l.shows("journal export --world TestReplay/copy", `"complete":true`))
	l.shows("replay -o json FILE", `"world": "TestReplay/copy"`, `"same": 9`, `"requests": 9`)
	write(strings.Replace(text, `"now":"2026-11-16T12:00:00Z",`, "", 1))
	l.fails("replay FILE", 1, "world.clock.now")

	for i := range b.Requests {
		b.Requests[i].Headers = append(b.Requests[i].Headers, journal.Field{Name: "Sim-Scenario", Value: "error:conflict"})
	}
	changed, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	write(string(changed))
	l.fails("replay FILE", 3, "0 of 7 responses are the same", "request 3, POST "+nameOf, "got 409", `"name":"conflict"`)
	write(strings.Replace(text, b.Fingerprint.String(), strings.Repeat("0", 64), 1))
	l.fails("replay FILE", 1, "fingerprint")
	write(strings.Replace(text, `"dataset":"`, `"dataset":"x`, 1))
	l.fails("replay FILE", 1, "other data")
	write("no bundle")
	l.fails("replay FILE", 1, "not a bundle")
	l.fails("replay /no/such/file", 1, "no such file")
}

func TestSim_WorldByNameOrVariable(t *testing.T) {
	l := simLab{t: t}
	l.shows("world create TestVariable/pays seed=one")
	l.shows("world show TestVariable/pays", "TestVariable/pays", "one")
	l.shows("world reset TestVariable/pays", "TestVariable/pays")
	l.fails("world show a b", 2, "1 arg")
	l.fails("world show "+strings.Repeat("x", 101), 2, "not_found")
	t.Setenv("CAUSEWAY_SIM_WORLD", "TestVariable/pays")
	l.shows("clock freeze", "true")
	l.shows("world show", "TestVariable/pays", "true")
	l.shows("world show default", "default", "false")
	t.Setenv("CAUSEWAY_SIM_OPERATOR", "127.0.0.1:1")
	if cmd := Command("test"); cmd.PersistentFlags().Lookup("operator").DefValue != "127.0.0.1:1" {
		t.Error("CAUSEWAY_SIM_OPERATOR is not the default of --operator")
	}
	l.shows("world delete TestVariable/pays", "TestVariable/pays")
	l.fails("world show", 2, "world_expired")
}

func TestSim_Completion(t *testing.T) {
	t.Parallel()
	l := simLab{t: t}
	l.shows("world create TestCompletion/pays")
	complete := func(args ...string) string {
		cmd := cli.Group("causeway", "", Command("test"))
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.SetErr(&out)
		cmd.SetArgs(append([]string{"__complete", "sim", "--operator", address}, args...))
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"world", "delete", ""}, "TestCompletion/pays\n"},
		{[]string{"clock", "show", "--world", ""}, "TestCompletion/pays\n"},
		{[]string{"next", ""}, "resolve-account\n"},
		{[]string{"next", "resolve-account", ""}, "all_down\n"},
		{[]string{"next", "clear", ""}, "resolve-account\n"},
		{[]string{"play", ""}, "dai-2020\n"},
		{[]string{"play", "dai-2020", ""}, "speed=\n"},
		{[]string{"fault", "add", ""}, "effect.kind=\n"},
		{[]string{"fault", "add", "effect.kind="}, "effect.kind=inverted\t"},
		{[]string{"fault", "add", "preset="}, "preset=slow_tail\t"},
		{[]string{"fault", "add", "match.plane="}, "match.plane=edge\n"},
		{[]string{"world", "create", "x", "clock.frozen="}, "clock.frozen=true\n"},
		{[]string{"fault", "add", "--operator", "127.0.0.1:1", "effect.kind="}, "effect.kind=inverted\t"},
	} {
		if got := complete(c.args...); !strings.Contains(got, c.want) {
			t.Errorf("%v: got %s, want %s", c.args, got, c.want)
		}
	}
	if got := complete("next", "get-pair", ""); strings.Contains(got, "\nunknown\n") || !strings.Contains(got, "error:not_found") {
		t.Errorf("outcomes of get-pair: %s", got)
	}
}
