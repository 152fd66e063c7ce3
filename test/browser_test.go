package test_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"causeway/test/driver"
)

// page is a browser tab that remembers what went wrong in it.
type page struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // chromedp keeps its tab in a context

	mu       sync.Mutex
	faults   []string // console errors, policy violations, exceptions
	requests []string // URLs that it loaded
}

// browser is Debian's Chromium without a user interface, in which each test has a tab. The first test starts it, and
// TestMain stops it.
var browser struct {
	once sync.Once
	ctx  context.Context //nolint:containedctx // chromedp keeps its browser in a context
	err  error
}

func startBrowser() {
	allocator, _ := chromedp.NewExecAllocator(context.Background(), // ends with the browser
		chromedp.ExecPath("/usr/bin/chromium-headless-shell"), chromedp.NoSandbox, chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("no-first-run", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("window-size", "1280,1600"))
	browser.ctx, _ = chromedp.NewContext(allocator) //nolint:fatcontext // the browser outlives the function
	browser.err = chromedp.Do(browser.ctx, chromedp.Navigate("about:blank"))
}

// open opens a tab.
func open(t *testing.T) *page {
	t.Helper()
	browser.once.Do(startBrowser)
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	tab, cancel := chromedp.NewContext(browser.ctx)
	t.Cleanup(cancel)
	tab, cancel = context.WithTimeout(tab, 10*time.Minute)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: tab}
	if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(tab, p.hear); err != nil {
		t.Fatal(err)
	}
	p.call(chromedp.Call(tab, cdplog.Enable, chromedp.Void{}))
	p.call(chromedp.Call(tab, network.Enable, network.EnableParams{}))
	// A tab in the background renders as the one in front does.
	p.call(chromedp.Call(tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}))
	return p
}

// stopBrowser closes the browser, which removes its files.
func stopBrowser() error {
	if browser.ctx == nil {
		return nil
	}
	return chromedp.Cancel(browser.ctx)
}

func (p *page) call(_ any, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *cdplog.EventEntryAdded:
		p.faults = append(p.faults, string(e.Entry.Level)+": "+e.Entry.Text)
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.faults = append(p.faults, "exception: "+text)
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

// do takes one step as a person would; a step that cannot be taken leaves a screenshot.
func (p *page) do(step string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 3*time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, action); err != nil {
		p.screenshot("failed")
		p.t.Fatalf("%s: %v %v", step, err, p.faults)
	}
}

// clean fails the test where the page logged an error or loaded anything from elsewhere.
func (p *page) clean(origin string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.faults {
		p.t.Errorf("the browser says: %s", fault)
	}
	for _, url := range p.requests {
		if !strings.HasPrefix(url, origin+"/") && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			p.t.Errorf("the page loads %s", url)
		}
	}
	if len(p.requests) == 0 {
		p.t.Error("no request was seen: the listener does not work")
	}
}

// forgive forgets what went wrong so far.
func (p *page) forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = nil
}

// screenshot keeps what a person would see, where SCREENSHOTS names a folder.
func (p *page) screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	image, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), image, 0o600)
	}
	if err != nil {
		p.t.Error(err)
	}
}

// TestReference_Accessible checks the references of the API and of the control API.
func TestReference_Accessible(t *testing.T) {
	t.Parallel()
	c := defaultSandbox.get(t)
	d, script := &desk{page: open(t), sandbox: c}, axe(t)
	for _, page := range []struct{ name, origin, path, operation string }{
		{"reference", c.API, "/docs/api", "List banks"},
		{"control", c.Operator, "/console/api", "Create a world"},
	} {
		d.emulate(1280, "light")
		d.do("open "+page.name, chromedp.Navigate(page.origin+page.path))
		d.sees("the operations", `document.querySelector("#reference").innerText.includes(`+quote(page.operation)+`)`)
		d.accessible(page.name, script, false)
	}
}

// TestReference_Offline reads the API reference and tries an operation.
func TestReference_Offline(t *testing.T) {
	t.Parallel()
	c := defaultSandbox.get(t)
	d := &desk{page: open(t), sandbox: c}
	d.do("open", chromedp.Navigate(c.API+"/docs/api#tag/pairs/GET/v1/pairs/{id}"))
	const all = `document.querySelector("#reference").innerText`
	for _, want := range []string{"Resolve a bank account", "Validate a crypto address", "Get a currency pair", "List banks"} {
		d.sees("it lists "+want, all+`.includes(`+quote(want)+`)`)
	}
	const operation = `[...document.querySelectorAll("section")].find(s => s.id.endsWith("/v1/pairs/{id}"))`
	d.sees("a sample", operation+`?.innerText.includes("curl")`)
	d.do("open the form", chromedp.Evaluate[chromedp.Void](`[...`+operation+`.querySelectorAll("button")].find(b => b.innerText.includes("Test Request")).click()`))
	const send = `[...document.querySelectorAll("[role=dialog] button")].find(b => /^\s*send/i.test(b.innerText))`
	d.sees("the form", send)
	d.do("send", chromedp.Evaluate[chromedp.Void](send+`.click()`))
	d.sees("the response", `document.querySelector("[role=dialog]").innerText.includes("buy_price")`)
	d.screenshot("reference-tried")
	d.clean(c.API)
}

// TestPages_Accessible checks the pages of the public listener, and tries every form of the start page.
func TestPages_Accessible(t *testing.T) {
	t.Parallel()
	c := defaultSandbox.get(t)
	d, script := &desk{page: open(t), sandbox: c}, axe(t)
	paths := []string{"/", "/docs", "/errors/not_found", "/errors/bad_checksum"}
	for _, guide := range regexp.MustCompile(`"(/docs/[a-z]+)"`).FindAllStringSubmatch(string(driver.Get(t, c.API+"/docs").Body), -1) {
		if !slices.Contains(paths, guide[1]) && guide[1] != "/docs/api" { // its test is TestReference
			paths = append(paths, guide[1])
		}
	}
	if len(paths) < 20 {
		t.Errorf("few pages: %s", paths)
	}
	guides := 0
	for _, path := range paths {
		if strings.HasPrefix(path, "/docs/") {
			guides++
		}
		d.emulate(1280, "light")
		d.do("open "+path, chromedp.Navigate(c.API+path))
		d.sees("the page is ready", `document.readyState === "complete" && document.querySelector("h1")`)
		if path == "/docs" {
			d.search("sim-world header", "/docs/sandbox#1-one-world-per-test")
		}
		if path == "/" {
			d.sees("live prices", `document.querySelector("#pairs").innerText.includes("BTC/NGN")`)
			d.do("send all forms", chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("form[data-method]").forEach(f => f.requestSubmit())`))
			d.sees("a response in each", `[...document.querySelectorAll("[data-reply]")].every(o => o.querySelector(".badge").textContent === "200")`)
			d.sees("the address and the balance", `document.querySelector("[data-shows=address] output").textContent.startsWith("0x") && document.querySelector("[data-shows=balance] output").textContent.includes("USDT available")`)
			d.sees("the code to scan", `document.querySelector("[data-code] img").naturalWidth > 0`)
			d.sees("a sparkline for each pair", `document.querySelectorAll("#pairs .spark").length === document.querySelectorAll("#pairs tr").length`)
			d.expect("links to the journal", `[...document.querySelectorAll("[data-reply] a")].every(a => a.href.includes("/console/journal?entry=req_"))`)
		}
		d.clean(c.API)
		d.accessible("page"+path, script, path == "/errors/bad_checksum" || guides > 1)
		d.forgive() // the policy of the page forbids the styles of axe
	}
}

// search types words into the search of the page and expects a page among the results.
func (d *desk) search(words, url string) {
	d.t.Helper()
	d.do("search", chromedp.Evaluate[chromedp.Void](`(() => {
		const field = document.querySelector(".search input");
		field.focus();
		field.value = `+quote(words)+`;
		field.dispatchEvent(new Event("input", {bubbles: true}));
	})()`))
	d.sees("a result", `document.querySelector(".search a[href=" + CSS.escape(`+quote(url)+`) + "]")`)
}
