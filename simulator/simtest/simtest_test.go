package simtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"causeway/simulator/simtest"
)

var noon = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// pair is a pair as the API shows it.
type pair struct {
	Status string
	Buy    struct{ Amount string } `json:"buy_price"`
}

func get[T any](t *testing.T, w *simtest.World, path string, header ...string) (data T, status int, told http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := w.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var body struct{ Data T }
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return body.Data, resp.StatusCode, resp.Header
}

func TestEveryTestHasAWorldOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pins one", "pins [another] «one»", strings.Repeat("long", 50)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := simtest.NewWorld(t, simtest.At(noon), simtest.Seed("all alike"))
			before, _, told := get[pair](t, w, "/v1/pairs/USDTNGN")
			if told.Get("Sim-World") != w.ID || !strings.HasPrefix(w.ID, "TestEveryTestHasAWorldOfItsOwn/") || told.Get("Sim-Time") != "2026-11-16T12:00:00.000Z" {
				t.Errorf("asked in %s, answered %v", w.ID, told)
			}
			w.Pin("USDTNGN", "1234.50")
			if now := w.Advance(time.Minute); !now.Equal(noon.Add(time.Minute)) {
				t.Errorf("a minute later it is %s", now)
			}
			if after, _, _ := get[pair](t, w, "/v1/pairs/USDTNGN"); after.Buy == before.Buy || !strings.HasPrefix(after.Buy.Amount, "12") {
				t.Errorf("the price was %+v and is %+v", before, after)
			}
		})
	}
}

// TestTheSandboxOutlivesTheGarbageOfItsStart collects what the start left, since a file that is garbage is closed, and the sandbox ends with its standard input.
func TestTheSandboxOutlivesTheGarbageOfItsStart(t *testing.T) {
	t.Parallel()
	w := simtest.NewWorld(t)
	for range 20 {
		runtime.GC()
		if _, status, _ := get[any](t, w, "/v1/countries"); status != http.StatusOK {
			t.Fatalf("after a collection it answers %d", status)
		}
	}
}

func TestOneTestMayHaveTwoWorlds(t *testing.T) {
	t.Parallel()
	a, b := simtest.NewWorld(t), simtest.NewWorld(t)
	if a.ID == b.ID || a.URL != b.URL || a.Operator != b.Operator {
		t.Errorf("%+v and %+v", a, b)
	}
	a.Next("list-countries", "error:conflict")
	if _, status, _ := get[any](t, b, "/v1/countries"); status != http.StatusOK {
		t.Errorf("the other world answers %d", status)
	}
	if _, status, told := get[any](t, b, "/v1/countries", "Sim-World", a.ID); status != http.StatusConflict || told.Get("Sim-World") != a.ID {
		t.Errorf("a request that names its world itself: %d of %s", status, told.Get("Sim-World"))
	}
}

func TestAWorldEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var ended *simtest.World
	client := &http.Client{}
	t.Run("within", func(t *testing.T) {
		ended = simtest.NewWorld(t, simtest.MagicPairs(), simtest.EnforceLimits(), simtest.MainnetOnly())
		if flat, _, _ := get[pair](t, ended, "/v1/pairs/TFLATNGN"); flat.Status != "fresh" {
			t.Errorf("a magic pair is %+v", flat)
		}
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, ended.URL+"/v1/countries", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sim-World", ended.ID)
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusGone {
		t.Errorf("after its test the world answers %s", resp.Status)
	}
}

func TestFaultsAndIncidentsOfAWorld(t *testing.T) {
	t.Parallel()
	w := simtest.NewWorld(t, simtest.At(noon))
	if before, _, _ := get[pair](t, w, "/v1/pairs/BTCUSDT"); before.Status != "fresh" {
		t.Fatalf("in the beginning it is %s", before.Status)
	}
	ids := w.Fault(`{"preset": "provider_down:kraken"}`)
	ids = append(ids, w.Fault(`{"match": {"provider": "okx"}, "effect": {"kind": "inverted"}, "when": {"max_hits": 1}}`)...)
	w.Advance(10 * time.Second)
	var listed []struct {
		ID   string
		Hits int
	}
	w.Control(http.MethodGet, "/faults", nil, &listed)
	if len(listed) != len(ids) || listed[0].ID != ids[0] || listed[0].Hits == 0 {
		t.Errorf("made %v, there are %+v", ids, listed)
	}
	w.Play("dai-2020")
	w.Wait(simtest.Match{Operation: "get-pair", Status: http.StatusOK}, 1, time.Second)
}

// failing is a test that takes note of what it is told, and does not fail.
type failing struct {
	testing.TB

	said  []string
	fatal bool
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func (f *failing) Fatalf(format string, args ...any) {
	f.said, f.fatal = append(f.said, fmt.Sprintf(format, args...)), true
	panic(f)
}

// TestWhatDoesNotHoldFailsTheTest makes mistakes of each kind.
func TestWhatDoesNotHoldFailsTheTest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(w *simtest.World)
		fatal bool
		said  string
	}{
		"an assertion":       {func(w *simtest.World) { w.Assert(simtest.Match{Status: 500}, 1) }, false, "Expected 1 entry"},
		"a wait":             {func(w *simtest.World) { w.Wait(simtest.Match{}, 1, time.Millisecond) }, true, "Waited for 1 entry"},
		"an unknown outcome": {func(w *simtest.World) { w.Next("resolve-account", "nothing") }, true, "is no outcome of resolve-account; accepted: "},
		"no JSON":            {func(w *simtest.World) { w.Fault("kraken is down") }, true, "invalid character"},
		"an unknown fault":   {func(w *simtest.World) { w.Fault(`{"effect": {"kind": "bad"}}`) }, true, "effect.kind"},
		"an unknown bank":    {func(w *simtest.World) { w.SetAccount("nobody's", "1", simtest.Account{Name: "X"}) }, true, "bank"},
		"an unknown pair":    {func(w *simtest.World) { w.Pin("NOPE", "1") }, true, "NOPE"},
		"an unknown path":    {func(w *simtest.World) { w.Control(http.MethodGet, "/nothing", nil, nil) }, true, "not_found"},
		"a clock set back":   {func(w *simtest.World) { w.Advance(-time.Second) }, true, "by"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &failing{TB: t}
			w := simtest.NewWorld(f)
			func() {
				defer func() {
					if r := recover(); r != nil && r != any(f) {
						panic(r)
					}
				}()
				c.do(w)
			}()
			if f.fatal != c.fatal || len(f.said) != 1 || !strings.Contains(f.said[0], c.said) {
				t.Errorf("fatal: %t, said: %q", f.fatal, f.said)
			}
		})
	}
}

// TestItWorksFromAnyModuleThatRequiresCauseway runs a test in a module elsewhere. The sandbox that it started ends with it.
func TestItWorksFromAnyModuleThatRequiresCauseway(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module shop\n\ngo 1.26\n\nrequire causeway v0.0.0\n\nreplace causeway => " + root + "\n",
		"shop_test.go": "package shop\n\nimport (\n\t\"net/http\"\n\t\"testing\"\n\n\t\"causeway/simulator/simtest\"\n)\n\nfunc TestShop(t *testing.T) {\n\tw := simtest.NewWorld(t)\n\tif resp, err := w.Client().Get(w.URL + \"/v1/countries\"); err != nil || resp.StatusCode != http.StatusOK {\n\t\tt.Fatal(resp, err)\n\t}\n\tt.Log(w.URL)\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, url, _ := strings.Cut(string(out), "http://")
	url, _, _ = strings.Cut(url, "\n")
	deadline := time.NewTimer(3 * time.Minute)
	defer deadline.Stop()
	for {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+strings.TrimSpace(url)+"/v1/countries", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err != nil {
			return // nobody listens there any more
		}
		_ = resp.Body.Close()
		select {
		case <-deadline.C:
			t.Fatal("the sandbox outlives the tests that started it")
		default:
		}
	}
}
