package test_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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

// open starts Debian's Chromium with a profile of its own.
func open(t *testing.T) *page {
	t.Helper()
	allocator, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath("/usr/bin/chromium"), chromedp.NoSandbox, chromedp.Flag("headless", "new"), chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("no-first-run", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("window-size", "1280,1600"), chromedp.UserDataDir(t.TempDir()))
	t.Cleanup(cancel)
	tab, cancel := chromedp.NewContext(allocator)
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
	return p
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

func TestDocs_Offline(t *testing.T) {
	t.Parallel()
	c := driver.Start(t, binary)
	p := open(t)
	const operation = "#operations-Pairs-get-pair"
	p.do("open", chromedp.Navigate(c.API+"/docs"))
	p.do("see the operations", chromedp.WaitVisible(chromedp.CSS(operation)))
	p.screenshot("docs")
	text, err := chromedp.Run(p.ctx, chromedp.Text(chromedp.CSS("#swagger-ui")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Causeway", "/v1/pairs", "/v1/banks", "/v1/recipients/resolve-bank-account", "/v1/validate", "/v1/currencies", "/v1/countries"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not show %s", want)
		}
	}
	// Open an operation, try it out and see the response.
	p.do("open an operation", chromedp.Click(chromedp.CSS(operation+" button.opblock-summary-control")))
	p.do("see its form", chromedp.WaitVisible(chromedp.CSS(operation+" button.execute")))
	// The form is rebuilt while it unfolds, so that a click may be lost: click again after ten
	// seconds. Each click discards the response, so clicking faster than a busy machine renders one
	// would never end.
	p.do("execute and see the response", chromedp.Evaluate[chromedp.Void](`new Promise(done => {
		let clicked = 0;
		const look = () => {
			if (document.querySelector("`+operation+` .live-responses-table")) { done(); return; }
			const button = document.querySelector("`+operation+` button.execute");
			if (button && Date.now() - clicked > 10000) { clicked = Date.now(); button.click(); }
			setTimeout(look, 200);
		};
		look();
	})`, chromedp.EvalAwaitPromise))
	answer, err := chromedp.Run(p.ctx, chromedp.Text(chromedp.CSS(operation+" .live-responses-table")))
	if err != nil || !strings.Contains(answer, "200") || !strings.Contains(answer, "buy_price") {
		t.Errorf("trying it out shows %.300q, %v", answer, err)
	}
	p.screenshot("docs-tried")
	p.clean(c.API)
}
