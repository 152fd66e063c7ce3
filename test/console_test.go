package test_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"causeway/test/driver"
)

// axeSum is the checksum of axe.min.js of axe-core 4.14.1, which test/tools.sh puts into the cache.
const axeSum = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"

// axe returns the accessibility checker.
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
		t.Fatalf("axe.min.js is another version: %x; delete it, and make deps fetches it again", sum)
	}
	return string(script)
}

// desk is a browser tab with the console of a sandbox. Each test has a world of its own, whose clock is frozen.
type desk struct {
	*page
	sandbox *driver.Instance
	world   string
}

// open shows a view of the world.
func (d *desk) open(view string) {
	d.t.Helper()
	separator := "?"
	if strings.Contains(view, "?") {
		separator = "&"
	}
	d.do("open "+view, chromedp.Navigate(d.sandbox.Operator+"/console/"+view+separator+"world="+url.QueryEscape(d.world)))
	d.sees("the page is ready", `document.readyState === "complete" && document.querySelector("h1")`)
}

// control calls the control API about the world.
func (d *desk) control(method, path, body string) {
	d.t.Helper()
	reply := driver.Do(d.t, method, d.sandbox.Operator+"/_sim/v1/worlds/"+url.PathEscape(d.world)+path, body, "Content-Type", "application/json")
	if reply.Status/100 != 2 {
		d.t.Fatalf("%s %s: %d %s", method, path, reply.Status, reply.Body)
	}
}

// resolve resolves an account in the world.
func (d *desk) resolve(number string) {
	d.t.Helper()
	driver.Do(d.t, http.MethodPost, d.sandbox.API+"/v1/recipients/resolve-bank-account",
		`{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"001","account_number":"`+number+`"}`,
		"Content-Type", "application/json", "Sim-World", d.world)
}

// sees waits until a condition holds on the page.
func (d *desk) sees(what, condition string) {
	d.t.Helper()
	look := chromedp.Evaluate[chromedp.Void](`new Promise((done, fail) => {
		const end = performance.now() + 120000;
		const look = () => { if (`+condition+`) { done(); } else if (performance.now() > end) { fail(new Error("never")); } else { setTimeout(look, 100); } };
		look();
	})`, chromedp.EvalAwaitPromise)
	d.do("see that "+what, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		for {
			_, err := look(ctx, target)
			if err == nil || ctx.Err() != nil || strings.Contains(err.Error(), "never") {
				return chromedp.Void{}, err
			} // otherwise the page is being replaced by another one
		}
	})
}

// shows waits until an element has a text.
func (d *desk) shows(selector, text string) {
	d.t.Helper()
	d.sees(selector+" shows "+text, `document.querySelector(`+quote(selector)+`)?.textContent.includes(`+quote(text)+`)`)
}

func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// press waits for the button or link of an element whose text begins with a label, and presses it.
func (d *desk) press(selector, label string) {
	d.t.Helper()
	find := `[...document.querySelectorAll(` + quote(selector) + ` + " :is(button, a)")].find(b => b.textContent.trim().startsWith(` + quote(label) + `))`
	press := chromedp.Evaluate[bool](`(() => {
		const button = ` + find + `;
		for (let e = button; e; e = e.parentElement) { if (e.localName === "details") { e.open = true; } }
		button?.focus();
		button?.click();
		return !!button;
	})()`)
	for pressed := false; !pressed; { // the page may be replaced in between
		d.sees("there is "+label, find)
		var err error
		if pressed, err = chromedp.Run(d.ctx, press); err != nil {
			d.t.Fatalf("press %s: %v", label, err)
		}
	}
}

// fill writes into a field of an element.
func (d *desk) fill(selector, name, text string) {
	d.t.Helper()
	d.do("fill "+name, chromedp.Evaluate[chromedp.Void](`(() => {
		const field = document.querySelector(`+quote(selector)+` + " [name='`+name+`']");
		field.value = `+quote(text)+`;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		field.dispatchEvent(new Event("change", {bubbles: true}));
	})()`))
}

// called waits until the page reports a call and its status.
func (d *desk) called(call, status string) {
	d.t.Helper()
	d.shows("#result", call+" → "+status)
}

// refreshed waits until a part of the page was replaced.
func (d *desk) refreshed(id string) {
	d.t.Helper()
	d.do("wait for a refresh", chromedp.Evaluate[chromedp.Void](`new Promise((done) => document.addEventListener("htmx:afterSettle",
		({ target }) => { if (target.id === `+quote(id)+`) { done(); } }))`, chromedp.EvalAwaitPromise))
}

// expect fails the test unless an expression is true on the page.
func (d *desk) expect(what, expression string) {
	d.t.Helper()
	if holds, err := chromedp.Run(d.ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err != nil || !holds {
		d.t.Errorf("not true: %s, %v", what, err)
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	sandbox := driver.Start(t, binary)
	tab := open(t)
	for _, test := range []struct {
		name string
		run  func(d *desk)
	}{
		{"clock", testConsoleClock},
		{"prices", testConsolePrices},
		{"accounts", testConsoleAccounts},
		{"deposits", testConsoleDeposits},
		{"faults", testConsoleFaults},
		{"second provider", testConsoleSecondProvider},
		{"journal", testConsoleJournal},
		{"scenarios", testConsoleScenarios},
		{"worlds", testConsoleWorlds},
		{"operator", testConsoleOperator},
		{"keyboard", testConsoleKeyboard},
		{"accessible", testConsoleAccessible},
		{"without scripts", testConsoleWithoutScripts},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab.t, tab.faults = t, nil
			d := &desk{page: tab, sandbox: sandbox, world: "Test/" + test.name}
			created := driver.Do(t, http.MethodPost, sandbox.Operator+"/_sim/v1/worlds",
				`{"id":`+quote(d.world)+`,"clock":{"now":"2026-11-16T12:00:00Z","frozen":true}}`, "Content-Type", "application/json")
			if created.Status != http.StatusCreated {
				t.Fatalf("%d %s", created.Status, created.Body)
			}
			test.run(d)
			d.clean(sandbox.Operator)
		})
	}
}

func testConsoleClock(d *desk) {
	d.open("overview")
	d.shows("#status", "2026-11-16 12:00:00")
	d.shows("#status", "frozen")
	d.shows("#live", "No request has reached this world yet")
	d.press("#status", "+1 m")
	d.called("POST /_sim/v1/worlds/Test%2Fclock/clock/advance", "200")
	d.shows("#status", "2026-11-16 12:01:00")
	d.press("#status", "Run ×60")
	d.shows("#status", "running ×60")
	d.expect("no menu is open yet", `!document.querySelector(":popover-open")`)
	d.press("#status", "More")
	d.refreshed("status")
	d.expect("the menu stays open while the page is refreshed", `document.getElementById("clock-menu").matches(":popover-open")`)
	d.expect("it is inside the window", `(() => { const r = document.getElementById("clock-menu").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })()`)
	d.press("#status", "World")
	d.expect("one menu is open", `document.querySelectorAll(":popover-open").length === 1 && document.getElementById("world-menu").matches(":popover-open")`)
	d.do("press Escape", chromedp.KeyEvent(kb.Escape))
	d.expect("Escape closes it", `!document.querySelector(":popover-open")`)
	d.press("#status", "Freeze")
	d.shows("#status", "frozen")
}

func testConsolePrices(d *desk) {
	d.open("prices")
	d.sees("the prices are there", `document.querySelectorAll("#live tbody tr").length > 20`)
	d.expect("each has a sparkline", `document.querySelectorAll("#live .spark").length > 20`)
	d.fill("main form", "q", "btc")
	d.sees("the others are gone", `[...document.querySelectorAll("#live tbody th")].every(th => th.innerText.includes("BTC"))`)
	d.expect("the filter is in the address", `location.search.includes("q=btc")`)
	d.press("#live thead", "Price")
	d.sees("they are sorted", `document.querySelector("#live th[aria-sort=ascending]")?.innerText.includes("Price")`)
	d.press("#live", "BTC/USDT")
	d.shows("h1", "BTC/USDT")
	d.sees("the chart is drawn", `document.querySelector(".chart canvas")`)
	d.sees("it has a line for each venue and what is published", `["kraken", "consensus", "buy", "sell"].every(label => document.querySelector(".chart .u-legend").innerText.includes(label))`)
	d.fill("#controls", "venues.okx.state", "down")
	d.fill("#controls", "venues.kraken.offset_bps", "5")
	d.shows("#controls", "causeway sim market set BTCUSDT venues.kraken.offset_bps=5 venues.okx.state=down --world Test/prices")
	d.press("#controls", "Set BTC/USDT")
	d.called("PUT /_sim/v1/worlds/Test%2Fprices/market/BTCUSDT", "200")
	d.press("#status", "+1 m")
	d.sees("a venue is not used", `[...document.querySelectorAll("#live tbody tr")].some(tr => tr.innerText.includes("okx") && tr.innerText.includes("not used"))`)
	d.shows("#status", "market of BTC/USDT changed")
	d.press("#controls", "Remove the setting")
	d.called("DELETE /_sim/v1/worlds/Test%2Fprices/market/BTCUSDT", "200")
	d.shows("#status", "Nothing is simulated to fail")
}

func testConsoleAccounts(d *desk) {
	d.open("accounts")
	d.shows("#live", "No account is set")
	form := "form[data-words='bank number']"
	d.fill(form, "bank", "058")
	d.fill(form, "number", "0123456789")
	d.fill(form, "account_name", "TEST <b>ADA</b>")
	d.press(form, "Set")
	d.called("PUT /_sim/v1/worlds/Test%2Faccounts/accounts/058/0123456789", "200")
	d.shows("#live", "TEST <b>ADA</b>")
	d.shows("#live", "0123456789")
	d.open("accounts?bank=058&number=0123456789")
	d.shows("main", "TEST <b>ADA</b>")
}

// testConsoleDeposits pays, sees the payment complete, and takes it back by a reorganization.
func testConsoleDeposits(d *desk) {
	d.open("deposits")
	d.shows("#live", "No payment is waiting")
	d.fill("#pay", "network", "BSC")
	d.sees("its currencies are offered", `document.querySelector("#pay [name=currency]").innerText.startsWith("BNB")`)
	d.fill("#pay", "currency", "USDT")
	d.fill("#pay", "amount", "12.5")
	d.shows("#pay", "causeway sim deposit --network BSC --currency USDT --amount 12.5 --profile user-1 --world Test/deposits")
	d.press("#pay", "Send")
	d.called("POST /_sim/v1/worlds/Test%2Fdeposits/chains/BSC/transfers", "201")
	d.sees("the code to scan", `document.querySelector("#code img")?.naturalWidth > 0`)
	d.shows("#live tbody", "none yet")
	d.press("#chain-BSC", "Mine 1 block")
	d.shows("#live tbody", "pending 12.5 USDT, user-1")
	d.expect("its block is marked", `document.querySelector("#chain-BSC .paid").textContent.endsWith("1")`)
	d.expect("the bar has begun", `document.querySelector("#live progress").value === 1`)
	d.press("#chain-BSC", "Mine until confirmed")
	d.shows("#live", "15 of 15")
	d.shows("#live", "completed 12.5 USDT, user-1")
	d.fill("#chain-BSC", "depth", "16")
	d.refreshed("live")
	d.expect("a refresh keeps what was entered", `document.querySelector("#chain-BSC [name=depth]").value === "16"`)
	d.press("#chain-BSC", "Reorganize")
	d.called("POST /_sim/v1/worlds/Test%2Fdeposits/chains/BSC/reorganize", "200")
	d.shows("#live tbody", "pending 12.5 USDT, user-1")
	d.open("journal?kind=control")
	d.press("#live tbody", "BSC block")
	d.shows("#live", "The block has 1 payment")
}

func testConsoleFaults(d *desk) {
	d.open("faults")
	d.shows("#live", "No fault is active")
	d.expect("no parameter is asked for before the kind is known", `!document.querySelector("#fault-form [name='effect.status']")`)
	d.fill("#fault-form", "effect.kind", "status")
	d.sees("a status is asked for", `document.querySelector("#fault-form [name='effect.status']")`)
	d.expect("latency is not", `!document.querySelector("#fault-form [name='effect.ms']")`)
	d.fill("#fault-form", "match.operation", "resolve")
	d.sees("kinds that do not fit are gone", `!document.querySelector("#fault-form option[value=inverted]")`)
	d.fill("#fault-form", "when.max_hits", "1")
	d.shows("#fault-form", `causeway sim fault add match.plane=upstream match.operation=resolve effect.kind=status effect.status=503 when.max_hits=1 --world Test/faults`)
	d.press("#fault-form", "Add the fault")
	d.called("POST /_sim/v1/worlds/Test%2Ffaults/faults", "201")
	d.shows("#live", "0 hits in 0 tries")
	d.resolve("0000000200")
	d.shows("#live", "1 hit in")
	d.shows("#status", "f1 status")
	d.fill("#fault-form", "match.plane", "edge")
	d.sees("providers are not offered", `!document.querySelector("#fault-form [name='match.provider']")`)
	d.fill("#next", "outcomes", "unknown all_down")
	d.fill("#next", "operation", "list-pairs")
	d.refreshed("queue")
	d.expect("a refresh keeps what was entered", `document.querySelector("#next input").value === "unknown all_down"`)
	d.expect("a refresh keeps what was chosen", `document.querySelector("#next select").value === "list-pairs"`)
	d.fill("#next", "operation", "resolve-account")
	d.press("#next", "Queue")
	d.shows("#next", "unknown, then all_down")
	d.press("#status", "Stop everything")
	d.called("POST /_sim/v1/worlds/Test%2Ffaults/stop", "200")
	d.shows("#live", "No fault is active")
	d.shows("#status", "Nothing is simulated to fail")
	d.fill("#next", "outcomes", "no_such_outcome")
	d.press("#next", "Queue")
	d.shows("#result", "no_such_outcome")
	d.forgive() // the browser logs the refused call
}

// testConsoleSecondProvider follows the steps of docs/sandbox.md to a 503 from the second provider.
func testConsoleSecondProvider(d *desk) {
	d.open("faults")
	d.fill("#live + section", "preset", "provider_down:paystack")
	d.press("#live + section", "Add the preset")
	d.shows("#live", "requests to paystack")
	d.fill("#fault-form", "match.provider", "flutterwave")
	d.sees("only its operations are offered", `!document.querySelector("#fault-form option[value=inverted]")`)
	d.fill("#fault-form", "effect.kind", "status")
	d.sees("a status is asked for", `document.querySelector("#fault-form [name='effect.status']")?.value === "503"`)
	d.press("#fault-form", "Add the fault")
	d.shows("#live", "requests to flutterwave")
	d.resolve("0000000200")
	d.press("nav", "Journal")
	d.shows("#live", "POST /v1/recipients/resolve-bank-account")
	d.press("#live tbody", "POST")
	d.sees("the second provider responds with 503", `[...document.querySelectorAll("#entry .lane")].some((lane) =>
		lane.textContent.includes("flutterwave") && lane.textContent.includes("503"))`)
}

func testConsoleJournal(d *desk) {
	d.open("journal")
	d.shows("#live", "No request has reached this world")
	d.resolve("0000000500")
	d.shows("#live", "magic:500")
	d.resolve("0000000404")
	d.shows("#live", "404")
	d.press("#live tbody tr:last-child", "POST")
	d.shows("#entry", "200 after 1 failure")
	d.expect("the account number is not masked", `document.querySelector("#live pre").innerText.includes("0000000500")`)
	d.expect("the response is there", `document.querySelectorAll("#live pre")[1].innerText.includes("account_name")`)
	d.expect("client, Causeway and both providers are there", `document.querySelectorAll("#entry .lane").length === 4`)
	d.emulate(390, "light")
	d.expect("it fills the screen of a phone", `(() => { const r = document.getElementById("entry").getBoundingClientRect(); return r.top === 0 && r.left === 0 && r.width === innerWidth && r.height === innerHeight; })()`)
	d.emulate(1280, "light")
	d.press("#live", "Close")
	d.fill("main form", "status", "404")
	d.sees("one is left", `document.querySelectorAll("#live tbody tr").length === 1 && location.search.includes("status=404")`)
	// A click must be handled as soon as the button is there.
	d.do("press Pause, and Resume at once", chromedp.Evaluate[chromedp.Void](`new Promise((done) => {
		new MutationObserver((_, observer) => {
			const button = document.querySelector("#pause");
			if (button.textContent === "Resume") { observer.disconnect(); button.click(); done(); }
		}).observe(document.querySelector("main"), {childList: true, subtree: true, characterData: true});
		document.querySelector("#pause").click();
	})`, chromedp.EvalAwaitPromise))
	d.shows("#live", "live")
	d.press("#live", "Pause")
	d.shows("#live", "paused")
	d.resolve("0000000409")
	d.press("#live", "Resume")
	d.sees("the new entry is there", `document.querySelectorAll("#live tbody tr").length === 2`)
	d.open("journal?q=" + url.QueryEscape(`<script>alert(1)</script>`))
	d.shows("#live", "No entry matches the filter")
}

func testConsoleScenarios(d *desk) {
	d.open("scenarios")
	d.shows("#live", "No scenario is playing")
	d.press("main", "Play provider-outage")
	d.called("POST /_sim/v1/worlds/Test%2Fscenarios/market/play", "200")
	d.shows("#status", "scenario provider-outage")
	d.sees("its progress is shown", `document.querySelector("#live progress")`)
	d.press("#status", "Next event")
	d.called("POST /_sim/v1/worlds/Test%2Fscenarios/clock/advance", "200")
	d.press("#status", "Stop everything")
	d.shows("#live", "No scenario is playing")
}

func testConsoleWorlds(d *desk) {
	d.open("worlds")
	form := "form[hx-post='/_sim/v1/worlds']"
	d.fill(form, "id", "made here")
	d.fill(form, "seed", "42")
	d.shows(form, "causeway sim world create 'made here' seed=42")
	d.press(form, "Create")
	d.called("POST /_sim/v1/worlds", "201")
	d.shows("#live", "made here")
	answer := func(yes string) {
		d.do("answer "+yes, chromedp.Evaluate[chromedp.Void](`window.confirm = (text) => { window.asked = text; return `+yes+`; }`))
	}
	answer("false")
	d.press("#live", "Delete Test/worlds")
	d.expect("it asks", `window.asked.includes("Delete the world Test/worlds?")`)
	d.expect("it is still there", `document.querySelector("#live").innerText.includes("Test/worlds")`)
	answer("true")
	d.press("#live", "Reset Test/worlds")
	d.called("POST /_sim/v1/worlds/Test%2Fworlds/reset", "200")
	d.press("#live", "Delete Test/worlds")
	d.shows("main", "The world Test/worlds has ended")
	d.expect("the page left it", `document.querySelector("#world-menu").innerText.includes("default")`)
	d.forgive() // the browser logs that the world is gone
}

// testConsoleOperator acknowledges a stablecoin that is off its peg on the operator's page of prices.
func testConsoleOperator(d *desk) {
	driver.Do(d.t, http.MethodPut, d.sandbox.Operator+"/_sim/v1/worlds/default/market/USDTUSD", `{"pin":"0.90"}`, "Content-Type", "application/json")
	d.open("../debug/prices")
	d.sees("trouble comes first", `document.querySelector("#live tbody .badge")?.classList.contains("halted")`)
	d.press("#live", "Trade USDT off its peg")
	d.called("POST /prices/acknowledge", "200")
	d.shows("#live", "acknowledged, traded")
	d.press("#live tbody", "▸")
	d.shows("#live", "quorum")
	driver.Do(d.t, http.MethodPost, d.sandbox.Operator+"/_sim/v1/worlds/default/stop", "")
}

// testConsoleKeyboard checks that the controls of every page are reached with few tab stops.
func testConsoleKeyboard(d *desk) {
	d.open("overview")
	focused := func() string {
		d.t.Helper()
		text, err := chromedp.Run(d.ctx, chromedp.Evaluate[string](`document.activeElement.textContent.trim()`))
		if err != nil {
			d.t.Fatal(err)
		}
		return text
	}
	d.do("tab", chromedp.KeyEvent("\t"))
	if got := focused(); got != "Skip to content" {
		d.t.Fatalf("the first stop is %q", got)
	}
	d.do("skip", chromedp.KeyEvent("\r"))
	d.do("tab into the page", chromedp.KeyEvent("\t"))
	d.expect("the next stop is in the main part", `document.getElementById("main").contains(document.activeElement)`)
	d.expect("it is visibly focused", `getComputedStyle(document.activeElement).outlineStyle === "solid"`)
	const stops = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter(e => !e.disabled && e.tabIndex >= 0 && e.checkVisibility() && e.type !== "hidden")`
	for view, limit := range map[string]string{"overview": "30", "prices": "30", "deposits": "30", "journal": "30", "faults": "50", "scenarios": "45", "worlds": "65"} {
		d.open(view)
		count, err := chromedp.Run(d.ctx, chromedp.Evaluate[int64](stops+`.length`))
		d.t.Logf("%s has %d tab stops, %v", view, count, err)
		d.expect(view+" has at most "+limit+" tab stops", stops+`.length <= `+limit)
	}
	d.open("prices")
	const row = `[...document.querySelectorAll("tbody[data-rows] th a")].indexOf(document.activeElement)`
	d.do("focus the first row", chromedp.Evaluate[chromedp.Void](`document.querySelector("tbody[data-rows] th a").focus()`))
	for _, step := range []struct{ key, row string }{{kb.ArrowDown, "1"}, {kb.ArrowDown, "2"}, {kb.ArrowUp, "1"}, {kb.Home, "0"}} {
		d.do("press a key", chromedp.KeyEvent(step.key))
		d.expect("the row has the focus", row+` === `+step.row)
	}
	d.open("overview")
	d.do("focus a button", chromedp.Evaluate[chromedp.Void](`document.getElementById("clock-run").focus()`))
	d.do("press it", chromedp.KeyEvent("\r"))
	d.shows("#status", "running ×1")
	if got := focused(); got != "Freeze" { // the same button
		d.t.Errorf("the focus went to %q", got)
	}
}

// testConsoleAccessible runs axe on every view.
func testConsoleAccessible(d *desk) {
	script := axe(d.t)
	d.resolve("0000000500")
	d.resolve("0000000404")
	d.control(http.MethodPost, "/faults", `{"match":{"provider":"okx"},"effect":{"kind":"hang"}}`)
	d.control(http.MethodPost, "/market/play", `{"scenario":"luna-2022"}`)
	d.control(http.MethodPost, "/clock/advance", `{"by":"1m"}`)
	d.control(http.MethodPut, "/accounts/058/0123456789", `{"account_name":"TEST ADA"}`)
	d.control(http.MethodPost, "/chains/BSC/transfers", `{"profile_id":"user-1","currency":"USDT","amount":"10.5"}`)
	d.control(http.MethodPost, "/chains/BSC/mine", `{"blocks":16}`)
	d.control(http.MethodPost, "/chains/BSC/transfers", `{"profile_id":"user-1","currency":"BNB","amount":"0.25"}`)
	d.control(http.MethodPost, "/chains/BSC/mine", `{}`)
	for _, view := range []string{
		"overview", "prices?q=BTC", "prices/BTCNGN", "accounts", "deposits", "faults", "journal?entry=1", "scenarios",
		"worlds", "../debug/prices?open=BTCNGN", "../debug/banks",
	} {
		d.emulate(1280, "light")
		d.open(view)
		if strings.HasPrefix(view, "prices/") {
			d.sees("the chart is drawn", `document.querySelector(".chart canvas")`)
		}
		d.accessible(view, script, false)
	}
	d.emulate(1280, "light")
}

// emulate changes the width of the page and the colour scheme that it prefers.
func (d *desk) emulate(width int64, scheme string) {
	d.t.Helper()
	d.do("resize", chromedp.EmulateViewport(width, 900))
	d.call(chromedp.Call(d.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}))
}

// accessible checks that the page fits and runs axe on it: on a desktop, on a desktop in the dark, where only the
// colours differ, and on a phone, where the colours are the same. Of a page whose template was checked already, axe
// runs on a desktop only, and not on the colours, which the template decides.
func (d *desk) accessible(view, script string, again bool) {
	d.t.Helper()
	d.do("bring axe", chromedp.Evaluate[chromedp.Void](script+`;undefined`))
	name := strings.NewReplacer(".", "-", "/", "-", "?", "-", "=", "-").Replace(view)
	const (
		tags     = `resultTypes: ["violations"], selectors: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`
		all      = `{` + tags + `}`
		colours  = `{resultTypes: ["violations"], selectors: false, runOnly: {type: "rule", values: ["color-contrast"]}}`
		noColour = `{` + tags + `, rules: {"color-contrast": {enabled: false}}}`
	)
	checks := []struct {
		width         int64
		scheme, rules string
	}{{1280, "light", all}, {1280, "dark", colours}, {390, "light", noColour}}
	if again {
		checks[0].rules, checks[1].rules, checks[2].rules = noColour, "", ""
	}
	for _, c := range checks {
		d.emulate(c.width, c.scheme)
		d.screenshot(fmt.Sprintf("%s-%s-%d", name, c.scheme, c.width))
		d.sees(view+" is not too wide", `document.documentElement.scrollWidth <= document.documentElement.clientWidth`)
		if c.rules == "" {
			continue
		}
		found, err := chromedp.Run(d.ctx, chromedp.Evaluate[[]string](`axe.run(document, `+c.rules+`).then(r =>
			r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`, chromedp.EvalAwaitPromise))
		if err != nil {
			d.t.Fatal(err)
		}
		for _, violation := range found {
			d.t.Errorf("%s at %d, %s: %s", view, c.width, c.scheme, violation)
		}
	}
}

func testConsoleWithoutScripts(d *desk) {
	d.call(chromedp.Call(d.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	d.do("open", chromedp.Navigate(d.sandbox.Operator+"/console/prices?status=fresh&world="+url.QueryEscape(d.world)))
	d.do("read", chromedp.WaitVisible(chromedp.CSS("noscript p")))
	text, err := chromedp.Run(d.ctx, chromedp.Text(chromedp.CSS("main")))
	if err != nil || !strings.Contains(text, "Without JavaScript") || !strings.Contains(text, "BTC/USDT") {
		d.t.Errorf("it shows %.300q, %v", text, err)
	}
}
