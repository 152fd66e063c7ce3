package console_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/console"
	"causeway/simulator/journal"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// evil is what must never come out as it went in.
const evil = `"><script>alert('x')</script>`

func board(context.Context, *simulator.World) ([]console.Price, error) {
	return []console.Price{
		{Pair: core.Pair{Base: "BTC", Counter: "USDT"}, Status: "fresh", Mid: "98000.5", Buy: "98100", Sell: "97900", Votes: []journal.Vote{
			{Market: "BTC/USDT", Source: "kraken", Bid: "98000", Ask: "98001", Age: "0.5", Used: true},
			{Market: "BTC/USDT", Source: "okx", Reason: "outlier"},
		}},
		{Pair: core.Pair{Base: "ETH", Counter: "USDT"}, Status: "stale", Reason: evil, Mid: "3500"},
	}, nil
}

func worlds(t *testing.T) *simulator.Worlds {
	t.Helper()
	ws, err := simulator.NewWorlds(simulator.Shared{
		Clock: noon, KeepRequests: true, Offers: map[string]simulator.Offer{"okx": {Operations: []string{"tickers"}, Prices: []string{"tickers"}, Times: true}},
		Default: simulator.Options{Clock: simulator.StartOptions{Frozen: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func open(t *testing.T, ws *simulator.Worlds, cfg console.Config) *console.Console {
	t.Helper()
	if cfg.Prices == nil {
		cfg.Prices = board
	}
	cfg.Clock, cfg.Public = time.Now, "http://localhost:8080"
	c, err := console.New(ws, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func get(t *testing.T, h http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
	return w
}

func TestEveryAnswerForbidsWhatThePageDoesNotNeed(t *testing.T) {
	t.Parallel()
	ws := worlds(t)
	if _, err := ws.Create(simulator.Options{ID: "gone"}); err != nil {
		t.Fatal(err)
	}
	if err := ws.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	c := open(t, ws, console.Config{})
	for _, row := range []struct {
		target string
		status int
		kind   string
	}{
		{"/console", 200, "text/html"},
		{"/console?world=default&pair=ETH/USDT", 200, "text/html"},
		{"/console?pair=" + url.QueryEscape(evil), 200, "text/html"},
		{"/console?world=never", 404, "text/html"},
		{"/console?world=gone", 410, "text/html"},
		{"/console?world=" + url.QueryEscape(evil), 404, "text/html"},
		{"/console/events?world=never", 404, "text/html"},
		{"/console/chart?pair=BTC/USDT", 200, "image/svg+xml"},
		{"/console/chart?pair=BTC/USDT&period=7d", 200, "image/svg+xml"},
		{"/console/chart?pair=BTC/USDT&period=8d", 400, "text/html"},
		{"/console/chart?pair=NO/USDT", 404, "text/html"},
		{"/console/chart?pair=" + url.QueryEscape(evil), 404, "text/html"},
		{"/console/chart?world=gone&pair=BTC/USDT", 410, "text/html"},
		{"/console/assets/console.css", 200, "text/css"},
		{"/console/assets/live.js", 200, "text/javascript"},
		{"/console/assets/none.js", 404, "text/html"},
		{"/console/assets/..%2Fconsole.go", 404, "text/html"},
		{"/console/elsewhere", 404, "text/html"},
	} {
		w := get(t, c, row.target)
		h := w.Header()
		if w.Code != row.status || !strings.HasPrefix(h.Get("Content-Type"), row.kind+";") {
			t.Errorf("%s: %d %s, want %d %s", row.target, w.Code, h.Get("Content-Type"), row.status, row.kind)
		}
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, part) || strings.Contains(policy, "unsafe") {
				t.Errorf("%s: its policy is %q", row.target, policy)
			}
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", row.target, h)
		}
		if strings.Contains(w.Body.String(), evil) || strings.Contains(w.Body.String(), "<script>") {
			t.Errorf("%s shows a foreign text as it came", row.target)
		}
	}
}

func TestNothingIsChangedHere(t *testing.T) {
	t.Parallel()
	c := open(t, worlds(t), console.Config{})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		w := httptest.NewRecorder()
		c.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/console", strings.NewReader("{}")))
		if w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

func TestThePageShowsTheWorldAndItsCalls(t *testing.T) {
	t.Parallel()
	ws := worlds(t)
	w, err := ws.Create(simulator.Options{ID: "TestPay/slow lane"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.QueueNext("get-pair", "error:forbidden", "error:not_found"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Faults().Add(simulator.Rule{Match: simulator.Match{Provider: "okx"}, Effect: simulator.Effect{Kind: simulator.FaultInverted}}, w.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Faults().Add(simulator.Rule{Match: simulator.Match{Plane: simulator.Edge, Operation: "get-pair"}, Effect: simulator.Effect{Kind: simulator.FaultReset}}, w.Now()); err != nil {
		t.Fatal(err)
	}
	w.Faults().Next(simulator.Question{Plane: simulator.Edge, Operation: "get-pair"}, w.Now())
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs/X?q="+url.QueryEscape(evil), nil)
	o := w.Journal().Begin("get-pair", r)
	o.Applied("fault:f1")
	o.Attempt(journal.Attempt{Provider: "okx", Operation: "tickers", Attempt: 1, Outcome: evil, Breaker: "closed"})
	o.Votes(journal.Vote{Market: "BTC/USDT", Source: "okx", Reason: "outlier"})
	o.End("req_1", journal.Answer{Status: 503, Error: "service_unavailable", Fields: []string{"id"}})
	page := get(t, open(t, ws, console.Config{}), "/console?world="+url.QueryEscape("TestPay/slow lane")).Body.String()
	for _, want := range []string{
		`/_sim/v1/worlds/TestPay%2Fslow%20lane/clock`, `1 of 2 votes used; not used: okx: outlier`, `not used: outlier`, `98000.5`,
		`error:forbidden, then error:not_found`, `Remove f1`, `0 hits of 0`, `at okx`, `our answers, get-pair · get-pair 1`, `data-planes="upstream edge"`, `data-planes="upstream"`, `fault:f1`, `service_unavailable`, `/console?world=TestPay%2Fslow%20lane`,
		`Play dai-2020`, `400 seconds old, 2m20s<`, `Play unit-error`, `Copy 0000000404`, `provider_down:okx`, `Delete TestPay/slow lane`, `<noscript>`, `class="skip"`,
		`<svg`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	if strings.Contains(page, evil) || strings.Contains(page, "<script>") || strings.Contains(page, "style=") || strings.Contains(page, "onclick") {
		t.Error("the page has a foreign text, or something inline")
	}
}

// event is one of a stream.
type event struct {
	name string
	data []byte
}

// stream reads events until the stream ends or enough is seen.
func stream(body io.Reader, enough func(event) bool) (seen []event, ended bool) {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<22)
	var e event
	for lines.Scan() {
		switch text := lines.Text(); {
		case strings.HasPrefix(text, "event: "):
			e.name = text[7:]
		case strings.HasPrefix(text, "data: "):
			e.data = []byte(text[6:])
		case text == "" && e.name != "":
			seen = append(seen, e)
			if enough(e) {
				return seen, false
			}
			e = event{}
		}
	}
	return seen, true
}

type patch struct {
	Panel string
	Order []string
	Items map[string]string
}

func TestAStreamTellsWhatChangedAndEndsWithTheWorld(t *testing.T) {
	t.Parallel()
	ws := worlds(t)
	w, err := ws.Create(simulator.Options{ID: "one", Clock: simulator.StartOptions{Frozen: true}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(open(t, ws, console.Config{Every: time.Millisecond}))
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/console/events?world=one")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Errorf("its type is %s", resp.Header.Get("Content-Type"))
	}
	last := func(e event) bool { return bytes.Contains(e.data, []byte(`"panel":"errors"`)) }
	first, _ := stream(resp.Body, last)
	var panels []string
	for _, e := range first {
		var p patch
		if err := json.Unmarshal(e.data, &p); err != nil || len(p.Order) == 0 || len(p.Items) != len(p.Order) {
			t.Fatalf("a first patch is not whole: %.200s %v", e.data, err)
		}
		panels = append(panels, p.Panel)
	}
	if want := []string{"clock", "worlds", "prices", "venues", "faults", "queue", "journal", "errors"}; !slices.Equal(panels, want) {
		t.Errorf("it begins with %q, want %q", panels, want)
	}
	if err := w.QueueNext("get-pair", "error:forbidden"); err != nil {
		t.Fatal(err)
	}
	second, _ := stream(resp.Body, func(event) bool { return true })
	var p patch
	if err := json.Unmarshal(second[0].data, &p); err != nil || p.Panel != "queue" || !slices.Equal(p.Order, []string{"get-pair"}) {
		t.Errorf("what was queued shows as %s, %v", second[0].data, err)
	}
	if _, err := ws.Reset("one"); err != nil { // the one in its place is shown
		t.Fatal(err)
	}
	third, _ := stream(resp.Body, func(e event) bool { return bytes.Contains(e.data, []byte("queue")) })
	if got := string(third[len(third)-1].data); !strings.Contains(got, "Nothing is queued") {
		t.Errorf("after a reset the queue is %s", got)
	}
	if err := ws.Delete("one"); err != nil {
		t.Fatal(err)
	}
	rest, ended := stream(resp.Body, func(event) bool { return false })
	if !ended || len(rest) == 0 || rest[len(rest)-1].name != "over" || !strings.Contains(string(rest[len(rest)-1].data), "has ended") {
		t.Errorf("after its end the world says %v, %v", rest, ended)
	}
}

func TestStreamsAreBoundedAndEndWithTheConsole(t *testing.T) {
	t.Parallel()
	c := open(t, worlds(t), console.Config{Streams: 1})
	server := httptest.NewServer(c)
	defer server.Close()
	one, err := server.Client().Get(server.URL + "/console/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = one.Body.Close() }()
	two, err := server.Client().Get(server.URL + "/console/events")
	if err != nil {
		t.Fatal(err)
	}
	_ = two.Body.Close()
	if two.StatusCode != http.StatusServiceUnavailable || two.Header.Get("Retry-After") == "" {
		t.Errorf("the second stream is %d", two.StatusCode)
	}
	c.Close()
	c.Close()
	if _, err := io.Copy(io.Discard, one.Body); err != nil {
		t.Errorf("the stream ends with %v", err)
	}
}

// counted counts what is written to it.
type counted struct {
	*httptest.ResponseRecorder
	writes atomic.Int64
}

func (c *counted) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.ResponseRecorder.Write(b)
}

func TestAStreamSpeaksTwiceASecondAtMostAndEndsWithItsClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		c := open(t, worlds(t), console.Config{Prices: func(ctx context.Context, w *simulator.World) ([]console.Price, error) {
			rows, err := board(ctx, w)
			rows[0].Mid = time.Duration(n.Add(1)).String()
			return rows, err
		}})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		w := &counted{ResponseRecorder: httptest.NewRecorder()}
		c.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/console/events", nil))
		if got := w.writes.Load(); got < 19 || got > 21 {
			t.Errorf("%d times in ten seconds", got)
		}
	})
}

func TestAStreamWithoutNewsKeepsItsConnection(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := open(t, worlds(t), console.Config{})
		ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
		defer cancel()
		w := &counted{ResponseRecorder: httptest.NewRecorder()}
		c.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/console/events", nil))
		if got := w.writes.Load(); got != 3 || !strings.HasSuffix(w.Body.String(), ":\n\n") {
			t.Errorf("%d times in forty seconds, in the end %q", got, w.Body.String()[max(0, w.Body.Len()-20):])
		}
	})
}

func TestAWorldWithoutPricesSaysSo(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"none yet": {nil, "There are no prices yet."},
		"outage":   {core.Errorf(core.Unavailable, "The prices are on holiday").With(io.ErrUnexpectedEOF), "There are no prices: The prices are on holiday"},
		"ours":     {io.ErrUnexpectedEOF, "There are no prices: That did not work."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := open(t, worlds(t), console.Config{Prices: func(context.Context, *simulator.World) ([]console.Price, error) { return nil, row.err }})
			page := get(t, c, "/console").Body.String()
			if !strings.Contains(page, row.want) || strings.Contains(page, "unexpected EOF") {
				t.Errorf("it does not say %q", row.want)
			}
		})
	}
}

func TestAChartIsOfTheWorldsMarket(t *testing.T) {
	t.Parallel()
	ws := worlds(t)
	w, err := ws.Find(simulator.DefaultWorld)
	if err != nil {
		t.Fatal(err)
	}
	pair := core.Pair{Base: "BTC", Counter: "USDT"}
	still := int64(0)
	if err := w.Market().Set(pair, simulator.Setting{Pin: "50000", Volatility: &still}, w.Now().Add(-2*time.Hour), time.Time{}); err != nil {
		t.Fatal(err)
	}
	c := open(t, ws, console.Config{})
	chart := get(t, c, "/console/chart?pair=BTC/USDT&period=1h").Body.String()
	for _, want := range []string{`data-low="50000"`, `data-high="50000"`, `data-last="50000"`, `points="0,900 40,900`, `6400,900"`, `role="img"`} {
		if !strings.Contains(chart, want) {
			t.Errorf("a pinned price is drawn without %s: %.300s", want, chart)
		}
	}
	if day := get(t, c, "/console/chart?pair=BTC/USDT&period=24h").Body.String(); strings.Contains(day, `data-low="50000" data-high="50000"`) {
		t.Error("before the pin the price did not move either")
	}
}

func TestWhatTheJournalDroppedIsCounted(t *testing.T) {
	t.Parallel()
	ws, err := simulator.NewWorlds(simulator.Shared{Clock: noon, Journal: journal.Limits{Entries: 2, Bytes: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ws.Find(simulator.DefaultWorld)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		w.Journal().Begin("get-pair", httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs/X", nil)).End("req_1", journal.Answer{Status: 200})
	}
	if page := get(t, open(t, ws, console.Config{}), "/console").Body.String(); !strings.Contains(page, "2 in the journal, 3 dropped") {
		t.Error("the page does not count what was dropped")
	}
}

func TestNewSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	ws := worlds(t)
	for name, cfg := range map[string]console.Config{
		"no clock":  {Prices: board},
		"no prices": {Clock: noon},
		"streams":   {Clock: noon, Prices: board, Streams: -1},
		"every":     {Clock: noon, Prices: board, Every: -1},
	} {
		if _, err := console.New(ws, cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := console.New(nil, console.Config{Clock: noon, Prices: board}); err == nil {
		t.Error("no worlds: no error")
	}
}
