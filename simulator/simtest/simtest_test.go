package simtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"causeway/simulator/simtest"
	"causeway/test/driver"
)

// TestMain gives the tests the binary that all black-box tests share.
func TestMain(m *testing.M) {
	binary, remove, err := driver.Build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.Setenv("SIMTEST_BINARY", binary); err != nil {
		panic(err)
	}
	code := m.Run()
	remove()
	os.Exit(code)
}

var noon = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// pair is a pair of the API.
type pair struct {
	Status string
	Buy    struct{ Amount string } `json:"buy_price"`
}

func get[T any](t *testing.T, w *simtest.World, path string, header ...string) (data T, status int, got http.Header) {
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

func TestNewWorld_Isolated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pins one", "pins [another] «one»", strings.Repeat("long", 50)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := simtest.NewWorld(t, simtest.At(noon), simtest.Seed("all alike"))
			before, _, got := get[pair](t, w, "/v1/pairs/USDTNGN")
			if got.Get("Sim-World") != w.ID || !strings.HasPrefix(w.ID, "TestNewWorld_Isolated/") || got.Get("Sim-Time") != "2026-11-16T12:00:00.000Z" {
				t.Errorf("sent to %s, got %v", w.ID, got)
			}
			w.Pin("USDTNGN", "1234.50")
			if now := w.Advance(time.Minute); !now.Equal(noon.Add(time.Minute)) {
				t.Errorf("a minute later got %s", now)
			}
			if after, _, _ := get[pair](t, w, "/v1/pairs/USDTNGN"); after.Buy == before.Buy || !strings.HasPrefix(after.Buy.Amount, "12") {
				t.Errorf("the price was %+v and is %+v", before, after)
			}
		})
	}
}

// TestNewWorld_GarbageCollection collects the garbage of the start: the sandbox ends if its
// standard input is closed.
func TestNewWorld_GarbageCollection(t *testing.T) {
	t.Parallel()
	w := simtest.NewWorld(t)
	for range 20 {
		runtime.GC()
		if _, status, _ := get[any](t, w, "/v1/countries"); status != http.StatusOK {
			t.Fatalf("after a collection: %d", status)
		}
	}
}

func TestNewWorld_Twice(t *testing.T) {
	t.Parallel()
	a, b := simtest.NewWorld(t), simtest.NewWorld(t)
	if a.ID == b.ID || a.URL != b.URL || a.Operator != b.Operator {
		t.Errorf("%+v and %+v", a, b)
	}
	a.Next("list-countries", "error:conflict")
	if _, status, _ := get[any](t, b, "/v1/countries"); status != http.StatusOK {
		t.Errorf("the other world returns %d", status)
	}
	if _, status, got := get[any](t, b, "/v1/countries", "Sim-World", a.ID); status != http.StatusConflict || got.Get("Sim-World") != a.ID {
		t.Errorf("a request with its own Sim-World: %d of %s", status, got.Get("Sim-World"))
	}
}

func TestNewWorld_Deleted(t *testing.T) {
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
		t.Errorf("after its test the world returns %s", resp.Status)
	}
}

func TestWorld_Faults(t *testing.T) {
	t.Parallel()
	w := simtest.NewWorld(t, simtest.At(noon))
	if before, _, _ := get[pair](t, w, "/v1/pairs/BTCUSDT"); before.Status != "fresh" {
		t.Fatalf("the status is %s before the faults", before.Status)
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
		t.Errorf("created %v, listed %+v", ids, listed)
	}
	w.Play("dai-2020")
	w.Wait(simtest.Match{Operation: "get-pair", Status: http.StatusOK}, 1, time.Minute)
}

// checkBundle checks that the failure of an assertion names a bundle of the world, and removes it.
func checkBundle(t *testing.T, w *simtest.World, said []string) {
	t.Helper()
	for _, text := range said {
		if _, file, ok := strings.Cut(text, "causeway sim replay "); ok {
			var bundle struct{ World struct{ ID string } }
			data, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(data, &bundle)
			}
			if err != nil || bundle.World.ID != w.ID {
				t.Errorf("the bundle is of %q: %v", bundle.World.ID, err)
			}
			_ = os.Remove(file)
		} else if strings.Contains(text, "Expected") || strings.Contains(text, "Waited") {
			t.Errorf("no bundle in %s", text)
		}
	}
}

// failing records the failures of a test instead of failing it.
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

// TestWorld_Failures makes one mistake of each kind.
func TestWorld_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    func(w *simtest.World)
		fatal bool
		said  string
	}{
		"an assertion":       {func(w *simtest.World) { w.Assert(simtest.Match{Status: 500}, 1) }, false, "Expected 1 entry"},
		"a wait":             {func(w *simtest.World) { w.Wait(simtest.Match{}, 1, time.Millisecond) }, true, "The time is up"},
		"an unknown outcome": {func(w *simtest.World) { w.Next("resolve-account", "nothing") }, true, "is not an outcome of resolve-account; accepted: "},
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
			checkBundle(t, w, f.said)
			if f.fatal != c.fatal || len(f.said) != 1 || !strings.Contains(f.said[0], c.said) {
				t.Errorf("fatal: %t, said: %q", f.fatal, f.said)
			}
		})
	}
}
