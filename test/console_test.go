package test_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/console"
	"causeway/simulator/control"
	"causeway/simulator/journal"
	"causeway/simulator/wire"
)

// axeSum is that of axe.min.js of axe-core 4.14.1, which test/tools.sh puts into the cache.
const axeSum = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// axe returns the script that looks for what some people cannot use.
func axe(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(cache, "causeway", "axe-core-4.14.1", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v: make deps fetches it", err)
	}
	if sum := sha256.Sum256(script); hex.EncodeToString(sum[:]) != axeSum {
		t.Fatalf("axe.min.js is another one: %x; delete it, and make deps fetches it again", sum)
	}
	return string(script)
}

// desk is a sandbox's operator listener with a console, over worlds whose prices are what venues tell: no engine decides over them.
type desk struct {
	*page
	worlds *simulator.Worlds
	world  *simulator.World
	origin string
}

// venuePrices are the rows of two pairs, each with the votes of its venues.
func venuePrices(_ context.Context, w *simulator.World) ([]console.Price, error) {
	var out []console.Price
	for _, pair := range []core.Pair{{Base: "BTC", Counter: "USDT"}, {Base: "ETH", Counter: "USDT"}} {
		row := console.Price{Pair: pair, Status: "halted", Reason: "no_quorum"}
		for _, venue := range []string{simulator.Binance, simulator.Bybit, simulator.Kraken, simulator.OKX} {
			book, there := w.Market().Book(venue, pair, w.Now())
			vote := journal.Vote{Market: pair.String(), Source: venue, Family: venue, Bid: book.Bid.Trimmed(), Ask: book.Ask.Trimmed(), Age: "0", Used: true}
			if state := w.Market().State(venue, pair, w.Now()); !there || state != simulator.VenueUp {
				vote = journal.Vote{Market: pair.String(), Source: venue, Reason: string(state)}
			} else {
				row.Status, row.Reason, row.Mid, row.Buy, row.Sell = "fresh", "", vote.Bid, vote.Ask, vote.Bid
			}
			row.Votes = append(row.Votes, vote)
		}
		out = append(out, row)
	}
	return out, nil
}

// sit opens the console of a new world in a browser.
func sit(t *testing.T, prepare ...chromedp.Action[chromedp.Void]) *desk {
	t.Helper()
	ws, err := simulator.NewWorlds(simulator.Shared{Clock: time.Now, Offers: wire.Offers(), KeepRequests: true})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	w, err := ws.Create(simulator.Options{ID: "Test/console", Clock: simulator.StartOptions{Now: &start, Frozen: true}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := console.New(ws, console.Config{Clock: time.Now, Prices: venuePrices, Public: "http://127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	api, err := control.New(ws, control.Config{Version: "test", Entropy: w.Entropy})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(console.Path, c)
	mux.Handle(console.Path+"/", c)
	mux.Handle(control.Prefix+"/", api)
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		c.Close()
		server.CloseClientConnections()
		server.Close()
	})
	d := &desk{page: open(t), worlds: ws, world: w, origin: server.URL}
	for _, action := range prepare {
		d.do("prepare", action)
	}
	d.do("open", chromedp.Navigate(server.URL+"/console?world=Test%2Fconsole"))
	d.sees("it is live", `document.getElementById("live").textContent === "Live."`)
	return d
}

// sees waits until something is so on the page.
func (d *desk) sees(what, condition string) {
	d.t.Helper()
	d.do("see that "+what, chromedp.Evaluate[chromedp.Void](`new Promise((done, fail) => {
		const end = performance.now() + 120000;
		const look = () => { if (`+condition+`) { done(); } else if (performance.now() > end) { fail(new Error("never")); } else { setTimeout(look, 20); } };
		look();
	})`, chromedp.EvalAwaitPromise))
}

// shows waits until a panel has a text.
func (d *desk) shows(panel, text string) {
	d.t.Helper()
	quoted, _ := json.Marshal(text)
	d.sees(panel+" shows "+text, `document.querySelector("#`+panel+`").innerText.includes(`+string(quoted)+`)`)
}

// press presses the button of a panel that begins with a text, after unfolding what it is in.
func (d *desk) press(panel, label string) {
	d.t.Helper()
	quoted, _ := json.Marshal(label)
	d.do("press "+label, chromedp.Evaluate[chromedp.Void](`(() => {
		const button = [...document.querySelectorAll("#`+panel+` button")].find(b => b.textContent.startsWith(`+string(quoted)+`));
		for (let e = button; e; e = e.parentElement) { if (e.localName === "details") { e.open = true; } }
		button.scrollIntoView({block: "center"});
		button.focus();
		button.click();
	})()`))
}

// fill writes into a field of a panel.
func (d *desk) fill(panel, name, text string) {
	d.t.Helper()
	value, _ := json.Marshal(text)
	d.do("fill "+name, chromedp.Evaluate[chromedp.Void](`(() => {
		const field = document.querySelector("#`+panel+` [name='`+name+`']");
		field.value = `+string(value)+`;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		field.dispatchEvent(new Event("change", {bubbles: true}));
	})()`))
}

// called waits until a call was made, and shown as a command.
func (d *desk) called(call string, status string, command ...string) {
	d.t.Helper()
	quoted, _ := json.Marshal(call + " → " + status)
	d.sees(call+" is answered with "+status, `document.getElementById("said").textContent.startsWith(`+string(quoted)+`)`)
	shown, err := chromedp.Run(d.ctx, chromedp.Text(chromedp.CSS("#call")))
	for _, want := range command {
		if err != nil || !strings.Contains(shown, want) {
			d.t.Errorf("the call is shown as %q, without %q, %v", shown, want, err)
		}
	}
}

const consoleBase = "/_sim/v1/worlds/Test%2Fconsole"

func TestConsole_Clock(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.shows("clock", "2026-11-16T12:00:00Z")
	d.shows("clock", "frozen")
	d.press("clock", "+1 m")
	d.called("POST "+consoleBase+"/clock/advance", "200", "curl -X POST", `{"by":"1m"}`, "Content-Type: application/json")
	d.shows("clock", "2026-11-16T12:01:00Z")
	d.press("clock", "+1 h")
	d.shows("clock", "2026-11-16T13:01:00Z")
	d.press("clock", "×60")
	d.called("PUT "+consoleBase+"/clock", "200", `{"rate":60}`)
	d.shows("clock", "running ×60")
	d.press("clock", "×1")
	d.shows("clock", "running ×1")
	d.press("clock", "Freeze")
	d.shows("clock", "frozen")
	if !d.world.ClockState().Frozen {
		t.Error("the clock of the world runs")
	}
	d.press("clock", "Run")
	d.shows("clock", "running")
	d.clean(d.origin)
}

func TestConsole_Worlds(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.shows("worlds", "Test/console")
	d.press("worlds", "Create") // unfolds; without an id the browser stops it
	d.fill("worlds", "id", "made here")
	d.fill("worlds", "seed", "42")
	d.press("worlds", "Create")
	d.called("POST /_sim/v1/worlds", "201", `"id":"made here"`, `"seed":"42"`)
	d.shows("worlds", "made here")
	d.do("name a fork", chromedp.SetValue(chromedp.CSS(`#worlds form[data-path$="/fork"] [name=id]`), "forked"))
	d.press("worlds", "Fork")
	d.called("POST "+consoleBase+"/fork", "201")
	d.shows("worlds", "forked")
	if err := d.world.QueueNext("get-pair", "error:forbidden"); err != nil {
		t.Fatal(err)
	}
	d.shows("queue", "error:forbidden")
	d.press("worlds", "Reset")
	d.shows("queue", "Nothing is queued")
	d.press("worlds", "Delete")
	d.sees("the world is over", `document.getElementById("live").textContent.includes("has ended")`)
	if _, err := d.worlds.Find("made here"); err != nil {
		t.Error(err)
	}
	d.clean(d.origin)
}

func TestConsole_ExportImport(t *testing.T) {
	t.Parallel()
	d := sit(t)
	dir := t.TempDir()
	d.call(chromedp.Call(d.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir}))
	if _, err := d.world.Faults().Add(simulator.Rule{Match: simulator.Match{Provider: "okx"}, Effect: simulator.Effect{Kind: simulator.FaultHang}}, d.world.Now()); err != nil {
		t.Fatal(err)
	}
	d.press("worlds", "Export")
	d.called("GET "+consoleBase+"/export", "200")
	file := filepath.Join(dir, "Test_console.json")
	d.do("wait for the file", func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		for {
			if text, err := os.ReadFile(file); err == nil && json.Valid(text) {
				return chromedp.Void{}, nil
			}
			if err := ctx.Err(); err != nil {
				return chromedp.Void{}, err
			}
		}
	})
	d.world.Faults().Reset()
	d.shows("faults", "Nothing goes wrong")
	d.do("choose the file", chromedp.SetUploadFiles(chromedp.CSS("#worlds input[type=file]"), []string{file}))
	d.press("worlds", "Import")
	d.called("POST "+consoleBase+"/import", "20")
	d.shows("faults", "hang")
	d.clean(d.origin)
}

func TestConsole_Prices(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.shows("prices", "4 of 4 votes used")
	d.do("unfold the votes", chromedp.Click(chromedp.CSS("#prices li[data-key='BTC/USDT'] summary")))
	d.shows("prices", "BTC/USDT at kraken")
	d.fill("pair", "venues.okx.state", "down")
	d.fill("pair", "venues.kraken.offset_bps", "150")
	d.press("pair", "Set BTC/USDT")
	d.called("PUT "+consoleBase+"/market/BTCUSDT", "200", `"okx":{"state":"down"}`, `"kraken":{"offset_bps":150}`)
	d.shows("prices", "3 of 4 votes used; not used: okx: down")
	d.sees("the votes are still unfolded", `document.querySelector("#prices li[data-key='BTC/USDT'] details").open`)
	d.fill("pair", "pin", "12345")
	d.press("pair", "Set BTC/USDT")
	d.called("PUT "+consoleBase+"/market/BTCUSDT", "200", `"pin":"12345"`)
	d.sees("the chart follows", `document.querySelector("#pair [data-last]").textContent === "12345"`)
	d.press("pair", "7 days")
	d.sees("the chart is of a week", `document.querySelector("#pair svg").getAttribute("aria-label").includes("7 days")`)
	d.press("pair", "Lift")
	d.called("DELETE "+consoleBase+"/market/BTCUSDT", "200")
	d.shows("prices", "4 of 4 votes used")
	d.do("look for a pair", chromedp.SendKeys(chromedp.CSS("[data-filter=prices]"), "ETH"))
	d.sees("the other one is hidden", `document.querySelector("#prices li[data-key='BTC/USDT']").hidden && !document.querySelector("#prices li[data-key='ETH/USDT']").hidden`)
	d.do("choose it", chromedp.Click(chromedp.CSS("#prices li[data-key='ETH/USDT'] a")))
	d.do("see it chosen", chromedp.WaitVisible(chromedp.CSS("#prices li[data-key='ETH/USDT'].close")))
	d.sees("its knobs are there", `document.querySelector("#pair h2")?.textContent === "ETH/USDT" && document.querySelector("#pair form[data-path$='ETHUSDT']")`)
	d.clean(d.origin)
}

func TestConsole_Incidents(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.press("scenarios", "Play provider-outage")
	d.called("POST "+consoleBase+"/market/play", "200", `{"scenario":"provider-outage"}`)
	d.shows("clock", "Next event at")
	before := d.world.Now()
	d.press("clock", "Next event")
	d.called("POST "+consoleBase+"/clock/advance", "200", `{"to":"next-event"}`)
	if !d.world.Now().After(before) {
		t.Error("the clock did not move")
	}
	d.clean(d.origin)
}

func TestConsole_Faults(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.shows("faults", "Nothing goes wrong")
	d.fill("faults", "effect.kind", "status")
	d.fill("faults", "match.provider", "okx")
	d.fill("faults", "effect.status", "503")
	d.fill("faults", "when.max_hits", "2")
	d.press("faults", "Add")
	d.called("POST "+consoleBase+"/faults", "201", `"status":503`, `"max_hits":2`, `"provider":"okx"`)
	d.shows("faults", "0 hits of 0")
	d.world.Faults().Next(simulator.Question{Provider: "okx", Operation: "tickers"}, d.world.Now())
	d.shows("faults", "1 hits of 1")
	d.fill("faults", "effect.kind", "latency")
	d.press("faults", "Add") // a latency needs its milliseconds
	d.sees("the refusal is told with its reason", `document.getElementById("said").textContent.includes("effect.ms")`)
	d.fill("faults", "effect.kind", "hang")
	d.sees("a hang takes nothing", `[...document.querySelectorAll("#faults [data-take]")].every(label => label.hidden)`)
	d.fill("faults", "match.plane", "edge")
	d.sees("nothing that is about providers alone is offered", `document.querySelector("#faults [name='match.provider']").disabled && [...document.querySelectorAll("#faults [data-kinds] option")].every(o => o.disabled === !o.dataset.planes.includes("edge")) && document.querySelector("#faults [data-kinds] option[value=inverted]").disabled`)
	d.fill("faults", "effect.kind", "reset")
	d.press("faults", "Add")
	d.called("POST "+consoleBase+"/faults", "201", `"plane":"edge"`, `"kind":"reset"`)
	d.shows("faults", "our answers")
	d.press("faults", "Remove f2")
	d.called("DELETE "+consoleBase+"/faults/f2", "200")
	d.fill("faults", "match.plane", "upstream")
	d.do("choose a preset", chromedp.Evaluate[chromedp.Void](`(() => { const s = document.getElementById("preset"); s.value = [...s.options].find(o => o.text.startsWith("bad_deploy:kraken")).value; })()`))
	d.press("faults", "Arm the preset")
	d.called("POST "+consoleBase+"/faults", "201", "unknown_extra_fields")
	d.shows("faults", "Remove f6")
	d.press("faults", "Remove f1")
	d.called("DELETE "+consoleBase+"/faults/f1", "200")
	d.press("faults", "Remove all")
	d.called("DELETE "+consoleBase+"/faults", "200")
	d.shows("faults", "Nothing goes wrong")
	if left := d.world.Faults().List(); len(left) > 0 {
		t.Errorf("the world still has %v", left)
	}
	d.mu.Lock()
	if len(d.faults) == 1 && strings.Contains(d.faults[0], "400") { // that of the latency, which browsers log
		d.faults = nil
	}
	d.mu.Unlock()
	d.clean(d.origin)
}

// ask writes a request into the journal of the world, as the edge does.
func (d *desk) ask(operation, path, applied string, a journal.Answer, attempts ...journal.Attempt) {
	o := d.world.Journal().Begin(operation, httptest.NewRequest(http.MethodGet, path, nil))
	o.Applied(applied)
	for _, attempt := range attempts {
		o.Attempt(attempt)
	}
	o.Votes(journal.Vote{Market: "BTC/USDT", Source: "okx", Reason: "outlier"})
	o.End("req_test", a)
}

func TestConsole_Journal(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.call(chromedp.Call(d.ctx, browser.SetPermission, browser.SetPermissionParams{
		Permission: &browser.PermissionDescriptor{Name: "clipboard-write"}, Setting: browser.PermissionSettingGranted, Origin: d.origin,
	}))
	d.shows("journal", "Nothing was asked yet")
	d.shows("errors", "No error was answered")
	d.ask("get-pair", "/v1/pairs/BTCUSDT", "none", journal.Answer{Status: 200})
	d.shows("journal", "/v1/pairs/BTCUSDT")
	d.ask("list-banks", "/v1/banks", "fault:f3", journal.Answer{Status: 503, Error: "service_unavailable"}, journal.Attempt{Provider: "paystack", Attempt: 1, Outcome: "timeout", Breaker: "closed", Fault: "f3"})
	d.shows("journal", "fault:f3")
	d.shows("errors", "service_unavailable")
	d.do("unfold", chromedp.Click(chromedp.CSS("#journal li[data-operation=list-banks] summary")))
	d.shows("journal", "attempt 1 at paystack: timeout, breaker closed, fault f3")
	d.shows("journal", "vote of okx on BTC/USDT, not used: outlier")
	d.do("look for a fault", chromedp.SendKeys(chromedp.CSS("#journal [data-by=applied]"), "fault"))
	d.ask("get-pair", "/v1/pairs/ETHUSDT", "none", journal.Answer{Status: 200})
	d.sees("the others are hidden, the new one too", `[...document.querySelectorAll("#journal [data-live] > li")].filter(li => !li.hidden).length === 1 && document.querySelectorAll("#journal [data-live] > li").length === 3`)
	d.press("clock", "+1 m")
	d.do("look for nothing", chromedp.Evaluate[chromedp.Void](`(() => { const f = document.querySelector("#journal [data-by=applied]"); f.value = ""; f.dispatchEvent(new Event("input", {bubbles: true})); })()`))
	d.shows("journal", "advance-clock")
	d.press("magic", "Copy 0000000404")
	d.sees("a magic number is copied", `document.getElementById("said").textContent === "Copied: 0000000404"`)
	d.press("magic", "Copy 404 as curl")
	d.sees("its request is copied", `document.getElementById("said").textContent.includes("-H 'Sim-World: Test/console'")`)
	d.clean(d.origin)
}

func TestConsole_QueuedOutcomes(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.fill("queue", "outcomes", "unknown, all_down")
	d.press("queue", "Queue")
	d.called("POST "+consoleBase+"/next", "20", `{"operation":"resolve-account","outcomes":["unknown","all_down"]}`)
	d.shows("queue", "resolve-account: unknown, then all_down")
	d.press("queue", "Forget")
	d.shows("queue", "Nothing is queued")
	d.clean(d.origin)
}

func TestConsole_CrossOrigin(t *testing.T) {
	t.Parallel()
	d := sit(t)
	for name, headers := range map[string]map[string]string{
		"a page of another site":        {"Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain"},
		"a page of another origin here": {"Sec-Fetch-Site": "same-site", "Content-Type": "application/json"},
		"an old browser":                {"Origin": "https://evil.example", "Content-Type": "application/json"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.origin+consoleBase+"/clock/advance", strings.NewReader(`{"by":"1h"}`))
		if err != nil {
			t.Fatal(err)
		}
		for header, value := range headers {
			r.Header.Set(header, value)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, resp.StatusCode)
		}
	}
	if now := d.world.Now(); now.Hour() != 12 {
		t.Errorf("the clock was moved to %s", now)
	}
}

// unfold shows everything that the page has.
const unfold = `document.querySelectorAll("details").forEach(d => { d.open = true; })`

func TestConsole_Accessible(t *testing.T) {
	t.Parallel()
	script := axe(t)
	screen := func(width, height int64) chromedp.Action[chromedp.Void] {
		return chromedp.EmulateViewport(width, height)
	}
	dark := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		return chromedp.Void{}, err
	}
	for name, prepare := range map[string][]chromedp.Action[chromedp.Void]{
		"desktop, light": {screen(1280, 1600)},
		"phone, dark":    {screen(360, 740), dark}, // colours and layout are independent
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := sit(t, prepare...)
			d.ask("list-banks", "/v1/banks", "fault:f3", journal.Answer{Status: 503, Error: "service_unavailable"}, journal.Attempt{Provider: "paystack", Attempt: 1, Outcome: "timeout"})
			if _, err := d.world.Faults().Add(simulator.Rule{Effect: simulator.Effect{Kind: simulator.FaultHang}}, d.world.Now()); err != nil {
				t.Fatal(err)
			}
			d.shows("journal", "503")
			d.shows("faults", "hang")
			d.screenshot("console " + name)
			d.do("unfold everything", chromedp.Evaluate[chromedp.Void](unfold))
			wide, err := chromedp.Run(d.ctx, chromedp.Evaluate[int64](`document.documentElement.scrollWidth - document.documentElement.clientWidth`))
			if err != nil || wide > 0 {
				t.Errorf("the page is %d pixels too wide, %v", wide, err)
			}
			d.do("bring axe", chromedp.Evaluate[chromedp.Void](script+`;undefined`))
			found, err := chromedp.Run(d.ctx, chromedp.Evaluate[[]string](`axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r =>
				r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
			if err != nil {
				t.Fatal(err)
			}
			for _, violation := range found {
				t.Error(violation)
			}
			d.clean(d.origin)
		})
	}
}

func TestConsole_Keyboard(t *testing.T) {
	t.Parallel()
	d := sit(t)
	focused := func() string {
		t.Helper()
		text, err := chromedp.Run(d.ctx, chromedp.Evaluate[string](`document.activeElement.textContent`))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	d.do("tab", chromedp.KeyEvent("\t"))
	if got := focused(); got != "Skip to the world" {
		t.Fatalf("the first stop is %q", got)
	}
	d.do("skip", chromedp.KeyEvent("\r"))
	d.do("tab into the world", chromedp.KeyEvent("\t"))
	if got := focused(); got != "Run" {
		t.Fatalf("the first stop in the world is %q", got)
	}
	d.sees("its call is shown before it is made", `document.getElementById("call").textContent.includes('{"frozen":false}')`)
	d.sees("it is seen to be focused", `getComputedStyle(document.activeElement).outlineStyle === "solid"`)
	d.do("press", chromedp.KeyEvent("\r"))
	d.shows("clock", "running ×1")
	if got := focused(); got != "Freeze" { // the same button says what it does now
		t.Errorf("the focus went to %q", got)
	}
	d.clean(d.origin)
}

func TestConsole_WithoutScripts(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.call(chromedp.Call(d.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	d.do("open again", chromedp.Reload())
	d.do("read", chromedp.WaitVisible(chromedp.CSS("noscript p")))
	text, err := chromedp.Run(d.ctx, chromedp.Text(chromedp.CSS("header")))
	if err != nil || !strings.Contains(text, "need JavaScript") {
		t.Errorf("it says %q, %v", text, err)
	}
	d.clean(d.origin)
}
