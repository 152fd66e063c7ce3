package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/docs"
	"causeway/simulator/chain"
	"causeway/simulator/console"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/journal"
	"causeway/simulator/market"
	"causeway/simulator/world"
	_ "causeway/test/fixedseed"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const script = `"><script>alert('x')</script>`

func newWorlds(t *testing.T) *world.Registry {
	t.Helper()
	ws, err := world.NewRegistry(world.RegistryConfig{
		Clock: func() time.Time { return noon },
		Providers: map[string]faults.Capabilities{
			"okx":      {Operations: []string{"tickers"}, Prices: []string{"tickers"}, Times: true},
			"paystack": {Operations: []string{"banks", "resolve"}, Members: []string{"resolve"}},
		},
		Chains: []core.Chain{
			{Network: "BSC", ID: "56", Confirmations: 15, Assets: []core.Asset{{Currency: "BNB", Decimals: 18}, {Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18}}},
			{Network: "XRP", ID: "0", Confirmations: 1, Assets: []core.Asset{{Currency: "XRP", Decimals: 6}}},
		},
		Default: world.Options{Clock: world.ClockSetting{Frozen: new(true)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func defaultWorld(t *testing.T, ws *world.Registry) *world.World {
	t.Helper()
	w, err := ws.Find(world.Default)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func twoPrices(context.Context, *world.World) ([]console.Price, error) {
	return []console.Price{
		{
			Pair: core.Pair{Base: "BTC", Counter: "USDT"}, Status: "fresh", Mid: decimal.RequireFromString("98000.5"), Buy: decimal.New(98100, 0), Sell: decimal.New(97900, 0),
			Votes: []journal.Vote{
				{Market: "BTC/USDT", Source: "kraken", Bid: "98000", Ask: "98001", Age: "0.5", Used: true},
				{Market: "BTC/USDT", Source: "okx", Reason: "outlier"},
			},
		},
		{Pair: core.Pair{Base: "ETH", Counter: "USDT"}, Status: "halted", Reason: "no_quorum", Mid: decimal.New(3500, 0)},
	}, nil
}

func newConsole(t *testing.T, ws *world.Registry, prices func(context.Context, *world.World) ([]console.Price, error)) http.Handler {
	t.Helper()
	return console.New(ws, console.Config{Prices: prices, Public: "http://localhost:8080", Received: noneReceived})
}

func noneReceived(context.Context, *world.World) (console.Received, error) {
	return console.Received{}, nil
}

func get(t *testing.T, h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// record writes a request into the journal of a world, as the sandbox does.
func record(t *testing.T, w *world.World, text, body string, answer journal.Answer) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/x?q="+url.QueryEscape(text), http.NoBody)
	r.Header["Accept"] = []string{text}
	o := w.Journal().Begin("resolve-account", r)
	o.Body([]byte(body))
	o.Response(text)
	o.Applied = "fault:" + text
	o.Attempts = append(o.Attempts, journal.Attempt{Provider: text, Operation: text, Attempt: 1, Outcome: text, Breaker: text, Fault: text, Status: 500, Took: 2})
	o.Attempts = append(o.Attempts, journal.Attempt{Provider: "paystack", Attempt: 1, Outcome: "found", Took: 3, Hedged: true})
	o.Votes = append(o.Votes, journal.Vote{Market: text, Source: text, Reason: text}, journal.Vote{Market: text, Source: text, Bid: text, Ask: text, Used: true})
	o.End("req_1", answer)
}

func TestConsole_Responses(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	if _, err := ws.Create(world.Options{ID: "gone"}); err != nil {
		t.Fatal(err)
	}
	if err := ws.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	c := newConsole(t, ws, twoPrices)
	for target, want := range map[string]int{
		"/console": 302, "/console/": 302, "/console/overview": 200, "/console/prices?sort=-mid&q=btc&status=fresh": 200, "/console/prices/BTCUSDT": 200,
		"/console/prices/BTCUSDT?period=7d": 200, "/console/prices/BTCUSDT?period=8d": 400, "/console/prices/NONE": 400,
		"/console/prices/BTCUSDT/chart": 200, "/console/prices/BTCUSDT/chart?world=gone": 410, "/console/prices/BTCUSDT/chart?period=x": 400,
		"/console/deposits?network=XRP&to=r1": 200, "/console/accounts": 200, "/console/accounts?bank=none&number=1": 200, "/console/faults?match.plane=edge&effect.kind=latency": 200,
		"/console/journal": 200, "/console/journal?status=x": 400, "/console/journal?status=99": 400, "/console/journal?entry=7&kind=control&live=off": 200,
		"/console/scenarios": 200, "/console/worlds?ended=gone": 200, "/console/overview?world=never": 404, "/console/overview?world=gone": 410,
		"/console/none": 404, "/console/assets/causeway.css": 200, "/console/assets/vendor/htmx-2.0.11.min.js": 200, "/console/assets/none.js": 404,
		"/console/overview?world=" + url.QueryEscape(script): 404,
	} {
		w := get(t, c, target)
		h := w.Header()
		if w.Code != want {
			t.Errorf("%s: %d, want %d", target, w.Code, want)
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'; script-src 'self'; style-src 'self'") || strings.Contains(policy, "unsafe") ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", target, h)
		}
		if strings.HasPrefix(h.Get("Content-Type"), "text/html") {
			for _, inline := range []string{"<script>", "<style", " style=", " onclick="} {
				if strings.Contains(w.Body.String(), inline) {
					t.Errorf("%s contains %s", target, inline)
				}
			}
		}
	}
}

// TestConsole_Reference checks that the reference of the control API loads files that exist here.
func TestConsole_Reference(t *testing.T) {
	t.Parallel()
	c := newConsole(t, newWorlds(t), twoPrices)
	page := get(t, c, "/console/api")
	if policy := page.Header().Get("Content-Security-Policy"); page.Code != http.StatusOK || !strings.Contains(policy, "script-src 'self'; style-src 'self' 'unsafe-inline'") {
		t.Errorf("%d %s", page.Code, policy)
	}
	if !strings.Contains(page.Body.String(), `data-url="/_sim/v1/openapi.json"`) {
		t.Error("it shows another document")
	}
	for _, link := range regexp.MustCompile(`"(/console/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1) {
		if w := get(t, c, link[1]); w.Code != http.StatusOK {
			t.Errorf("%s: %d", link[1], w.Code)
		}
	}
}

// TestConsole_ReferenceKeepsWorld goes from a view of a world to the reference of the control API and back.
func TestConsole_ReferenceKeepsWorld(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	if _, err := ws.Create(world.Options{ID: "TestCheckout/pays #1"}); err != nil {
		t.Fatal(err)
	}
	c := newConsole(t, ws, twoPrices)
	for _, step := range []struct{ from, link string }{
		{"/console/faults?world=TestCheckout%2Fpays+%231", "/console/api?world=TestCheckout%2Fpays+%231"},
		{"/console/api?world=TestCheckout%2Fpays+%231", "/console/overview?world=TestCheckout%2fpays%20%231"},
		{"/console/api?world=" + url.QueryEscape(script), "/console/overview?world=%22%3e%3cscript%3e"},
		{"/console/faults", `/console/api"`},
		{"/console/api", `/console/overview"`},
	} {
		if page := get(t, c, step.from); page.Code != http.StatusOK || !strings.Contains(html.UnescapeString(page.Body.String()), `href="`+step.link) {
			t.Errorf("%s: %d, no link to %s", step.from, page.Code, step.link)
		}
	}
}

// TestConsole_Parts checks that htmx gets parts of pages, and is sent away from a world that has ended.
func TestConsole_Parts(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	if _, err := ws.Create(world.Options{ID: "one"}); err != nil {
		t.Fatal(err)
	}
	c := newConsole(t, ws, twoPrices)
	for target, start := range map[string]string{"live": `<div id="live"`, "status": `<header id="status"`} {
		if body := get(t, c, "/console/prices?world=one", "Hx-Request", "true", "Hx-Target", target).Body.String(); !strings.HasPrefix(body, start) {
			t.Errorf("%s: %.60s", target, body)
		}
	}
	if err := ws.Delete("one"); err != nil {
		t.Fatal(err)
	}
	w := get(t, c, "/console/prices?world=one", "Hx-Request", "true", "Hx-Target", "status")
	if to := w.Header().Get("Hx-Redirect"); w.Code != http.StatusGone || to != "/console/worlds?ended=one" {
		t.Errorf("%d, redirected to %q", w.Code, to)
	}
}

func TestConsole_Views(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	w := defaultWorld(t, ws)
	record(t, w, "f3", `{"account_number":"0123456789"}`, journal.Answer{Status: 503, Error: "service_unavailable", Fields: []string{"id"}, Bytes: 2})
	if _, err := w.Faults().Add(faults.Rule{
		Match: faults.Match{Plane: faults.Edge, Operation: "get-pair"}, Effect: faults.Effect{Kind: faults.Reset},
		When: faults.When{Every: 2, MaxHits: 3},
	}, noon); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.Faults().Next(faults.Request{Plane: faults.Edge, Operation: "get-pair"}, noon)
	}
	if err := w.Queue().Add("get-pair", "error:forbidden", "error:not_found"); err != nil {
		t.Fatal(err)
	}
	scenario, err := incidents.Get("luna-2022")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Play(scenario, noon); err != nil {
		t.Fatal(err)
	}
	c := newConsole(t, ws, twoPrices)
	for target, want := range map[string][]string{
		"overview":            {"1 fresh", "1 halted", "service_unavailable", "scenario luna-2022", "error:forbidden, then error:not_found", "Stop everything", "in their order: the clock stands still"},
		"prices":              {"no_quorum", "1 of 2", "Not used: okx outlier", "2 of 2 pairs", "<polyline"},
		"prices?q=eth":        {"1 of 2 pairs"},
		"prices/BTCUSDT":      {"98,100", "not used</span> outlier", `hx-put="/_sim/v1/worlds/default/market/BTCUSDT"`},
		"deposits":            {"No payment is waiting", "Untouched chains", ">BSC</option>", ">USDT</option>"},
		"accounts":            {"0000000404", "No account is set", "TFLATNGN"},
		"faults":              {"responses to clients, get-pair", "every 2., at most 3 hits", "2 hits in 3 tries", "error:forbidden, then error:not_found", "provider_down at okx"},
		"journal?entry=1":     {"service_unavailable", "0123456789", "Copy as curl", "fault f3", "removed since, at f3", "asked because the provider before was slow", "not used</span> f3"},
		"journal?entry=req_1": {"0123456789"},
		"scenarios":           {"left", "<progress", "Play<span"},
		"worlds":              {"Reset the world default?"},
	} {
		body := html.UnescapeString(get(t, c, "/console/"+target).Body.String())
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s does not show %s", target, text)
			}
		}
	}
	w.Stop()
	if body := get(t, c, "/console/overview").Body.String(); !strings.Contains(body, "Nothing is simulated to fail") {
		t.Error("something is active after Stop")
	}
}

// TestConsole_Picture checks what the journal says about a request, and what the overview says about its providers.
func TestConsole_Picture(t *testing.T) {
	t.Parallel()
	down := journal.Attempt{Provider: "paystack", Attempt: 1, Outcome: "unavailable", Breaker: "closed", Fault: "f1", Start: 1, Took: 2}
	again, late := down, journal.Attempt{Provider: "okx", Attempt: 1, Outcome: "found", Status: 200, Fault: "f1", Start: 60, Took: 40}
	again.Attempt, again.Start, again.Status = 2, 50, 503
	for name, c := range map[string]struct {
		applied  string
		cache    journal.Cache
		status   int
		attempts []journal.Attempt
		want     []string // of the journal
		state    string   // of paystack on the overview
	}{
		"recovered": {
			"fault:f1", journal.Miss, 200,
			[]journal.Attempt{down, again, late},
			[]string{
				`badge warn">200 after 2 failures<`, "asked 2 providers", `badge bad">503</span> out of order`, "try 2", "waited 47.0 ms",
				"the connection is refused, at paystack, 2 times", "the connection is refused, at okx", `class="wait" x="3.00%" width="47.00%"`,
			},
			"fault f1 refuse, last: out of order",
		},
		"slow":         {"fault:f1", journal.Miss, 200, []journal.Attempt{late}, []string{`badge warn">200 with a fault<`, `badge good">200</span> account found`}, "fault f1 refuse, not asked yet"},
		"cached":       {"magic:200", journal.Hit, 200, nil, []string{`badge good">200<`, "answered from its cache", "account number that ends in 200"}, ""},
		"damaged":      {"fault:f1", journal.Uncached, 200, nil, []string{`badge warn">200 with a fault<`, "the response has a fault", "on the way to the client"}, ""},
		"breaker open": {"none", journal.Miss, 503, []journal.Attempt{{Provider: "paystack", Outcome: "open", Breaker: "open"}}, []string{"not asked, it failed too often"}, ""},
		"on trial":     {"none", journal.Miss, 200, []journal.Attempt{{Provider: "paystack", Attempt: 1, Outcome: "found", Breaker: "half_open"}}, []string{"a trial after many failures"}, ""},
		"by header":    {"scenario:unknown", journal.Miss, 404, nil, []string{"header Sim-Scenario: unknown", `badge warn">404<`}, ""},
		"queued":       {"next:all_down", journal.Miss, 503, nil, []string{"queued outcome all_down", `badge bad">503<`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws := newWorlds(t)
			w := defaultWorld(t, ws)
			if _, err := w.Faults().Add(faults.Rule{Match: faults.Match{Provider: "paystack"}, Effect: faults.Effect{Kind: faults.Refuse}}, noon); err != nil {
				t.Fatal(err)
			}
			o := w.Journal().Begin("resolve-account", httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/x", http.NoBody))
			o.Applied, o.Cache, o.Attempts = c.applied, c.cache, c.attempts
			o.End("req_1", journal.Answer{Status: c.status})
			page := newConsole(t, ws, twoPrices)
			body := html.UnescapeString(get(t, page, "/console/journal?entry=1").Body.String())
			for _, text := range c.want {
				if !strings.Contains(body, text) {
					t.Errorf("the journal does not show %s", text)
				}
			}
			if strings.Contains(body, "breaker closed") {
				t.Error("the journal shows what is ordinary")
			}
			overview := html.UnescapeString(get(t, page, "/console/overview").Body.String())
			if light := `title="` + c.state; !strings.Contains(overview, light) {
				t.Errorf("the overview does not show %s", light)
			}
		})
	}
}

// TestConsole_Latest checks that the overview lists the newest requests, and all of them on the time line.
func TestConsole_Latest(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	for range 10 {
		record(t, defaultWorld(t, ws), "x", "{}", journal.Answer{Status: 200})
	}
	body := get(t, newConsole(t, ws, twoPrices), "/console/overview").Body.String()
	if first, last := strings.Index(body, `id="entry-10"`), strings.Index(body, `id="entry-3"`); first < 0 || last < first || strings.Contains(body, `id="entry-2"`) {
		t.Errorf("entry 10 is at %d, entry 3 at %d", first, last)
	}
	for _, title := range []string{"<title>request 1: 1 request, 1 with trouble;", "<title>request 10: 1 request, 1 with trouble;"} {
		if !strings.Contains(body, title) {
			t.Errorf("the time line lacks %s", title)
		}
	}
}

// TestGuide_Outcomes checks that the guide explains the outcomes of attempts in the words of the console.
func TestGuide_Outcomes(t *testing.T) {
	t.Parallel()
	guide, err := docs.Files.ReadFile("sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range console.Outcomes() {
		if row := fmt.Sprintf("| `%s` | %s |", name, text); !strings.Contains(string(guide), row) {
			t.Errorf("the guide has no row %s", row)
		}
	}
}

// TestConsole_Code shows the code of the payment in the form, or why there is none.
func TestConsole_Code(t *testing.T) {
	t.Parallel()
	page := console.New(newWorlds(t), console.Config{
		Prices: twoPrices, Received: noneReceived,
		Code: func(_ context.Context, _ *world.World, user, currency, network, amount string) (console.Code, error) {
			if user == "user-1" {
				return console.Code{Missing: "no address <b>"}, nil
			}
			return console.Code{SVG: []byte("<svg/>"), Text: user + " " + currency + " " + network + " " + amount}, nil
		},
	})
	for target, want := range map[string]string{
		"?network=XRP&profile_id=a":                          `src="data:image/svg+xml;base64,PHN2Zy8`,
		"?network=XRP&profile_id=a&amount=3":                 "a XRP XRP 3<",
		"?network=BSC&currency=USDT&profile_id=a":            "a USDT BSC 10<",
		"?network=BSC&currency=NOPE&profile_id=%3Cscript%3E": "&lt;script&gt; BNB BSC 10<",
		"?network=BSC": "no address &lt;b&gt;",
		"?network=BSC&to=0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed": `id="code"`,
	} {
		if body := get(t, page, "/console/deposits"+target, "Hx-Request", "true", "Hx-Target", "code").Body.String(); !strings.Contains(body, want) || strings.Contains(body, "<html") {
			t.Errorf("%s: got %s, want %s", target, body, want)
		}
	}
}

// TestConsole_Deposits shows payments that wait, are confirmed, fail, are of another token, and are dropped.
func TestConsole_Deposits(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	c, err := defaultWorld(t, ws).Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	to := chain.Payee{To: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}
	pay := func(amount string, change func(*chain.Payment)) string {
		t.Helper()
		p := chain.Payment{Currency: "USDT", Payees: []chain.Payee{{To: to.To, Amount: amount}, {To: to.To, Amount: amount}}}
		change(&p)
		sent, err := c.Pay(p, noon)
		if err != nil {
			t.Fatal(err)
		}
		return c.Text(sent.Hash)
	}
	var hashes []string
	for i, change := range []func(*chain.Payment){
		func(*chain.Payment) {}, func(p *chain.Payment) { p.Failed = true }, func(p *chain.Payment) { p.Fake = true },
	} {
		hashes = append(hashes, pay(fmt.Sprint(10+i), change))
	}
	mine := func(blocks int64) {
		t.Helper()
		if err := c.Mine(blocks, noon); err != nil {
			t.Fatal(err)
		}
	}
	mine(3)
	seen := core.Transaction{
		Network: "BSC", Hash: hashes[0], Index: 1, Currency: "USDT", Units: decimal.New(10, 18), Decimals: 18, Status: core.Pending,
		User: core.DepositUser{Profile: "user-7"}, Address: core.DepositAddress{Address: core.Private(strings.ToLower(to.To))},
	}
	again := seen
	again.Index, again.Status, again.Reason = 2, core.Failed, core.Dropped
	page := console.New(ws, console.Config{Prices: twoPrices, Received: func(context.Context, *world.World) (console.Received, error) {
		return console.Received{Transactions: []core.Transaction{again, seen}, Problems: map[string]string{"BSC": "2 back ends differ"}}, nil
	}})
	row := func(hash string, output int) string {
		t.Helper()
		body := html.UnescapeString(get(t, page, "/console/deposits").Body.String())
		_, after, found := strings.Cut(body, fmt.Sprintf(`<tr id="BSC-%s-%d">`, hash, output))
		if !found {
			t.Fatalf("transfer %s %d is not shown", hash, output)
		}
		text, _, _ := strings.Cut(after, "</tr>")
		return text
	}
	shows := func(text string, want ...string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s lacks %s", text, w)
			}
		}
	}
	shows(row(hashes[0], 0), "10 USDT", `<progress max="15" value="3"`, `badge pending">pending`, "user-7")
	shows(row(hashes[0], 1), "3 of 15", `badge failed">failed`, "dropped")
	shows(row(hashes[1], 0), "none: the transaction fails")
	shows(row(hashes[2], 1), "none: it is another token")
	shows(html.UnescapeString(get(t, page, "/console/deposits").Body.String()), `data-body='{"blocks":13}'`, "payments: </span>3", "2 back ends differ", "next block in 5s of the frozen clock")
	last := pay("99", func(*chain.Payment) {})
	shows(row(last, 0), "the next one", "none yet", "0 of 15")
	mine(1)
	if err := c.Reorganize(1, true, noon); err != nil {
		t.Fatal(err)
	}
	shows(row(last, 0), "dropped", ">none<")
	mine(40)
	shows(get(t, page, "/console/deposits").Body.String(), "asleep", `data-body='{"blocks":0}' disabled`)
}

// TestConsole_Webhooks checks what the journal shows of webhooks.
func TestConsole_Webhooks(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	w, _ := ws.Find(world.Default)
	for _, webhook := range []journal.Webhook{
		{Receiver: "shop", Event: "evt_1", Type: "transaction.pending", Status: 204},
		{Receiver: "shop", Event: "evt_2", Type: "transaction.completed", Status: 500},
		{Receiver: "shop", Event: "evt_3", Type: "transaction.failed"},
		{Receiver: "shop", Event: "evt_4", Type: "transaction.reversed", Fault: "f1", Effect: "drop"},
	} {
		w.Journal().AddWebhook(webhook)
	}
	page := newConsole(t, ws, twoPrices)
	for seq, want := range [][]string{
		{"transaction.pending to shop", `badge good">204`, "The receiver answered 204.", "evt_1"},
		{"transaction.completed to shop", `badge bad">500`, "The receiver answered 500.", "evt_2"},
		{"transaction.failed to shop", `badge bad">–`, "The receiver did not answer.", "evt_3"},
		{"transaction.reversed to shop", `badge warn">– drop`, "The event was not sent", "fault f1 drop"},
	} {
		body := get(t, page, fmt.Sprint("/console/journal?kind=control&entry=", seq+1)).Body.String()
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("entry %d lacks %s", seq+1, text)
			}
		}
	}
}

// TestConsole_FaultForm checks that the form offers what fits the choices so far.
func TestConsole_FaultForm(t *testing.T) {
	t.Parallel()
	c := newConsole(t, newWorlds(t), twoPrices)
	for query, want := range map[string]struct{ has, lacks []string }{
		"":                        {[]string{`value="inverted"`, `value="latency"`, ">okx<", ">paystack<"}, []string{`name="effect.ms"`}},
		"match.provider=paystack": {[]string{`>resolve<`, `value="missing_field"`}, []string{`value="inverted"`, `value="stale_timestamp"`}},
		"match.plane=edge":        {[]string{`>get-pair<`, `value="reset"`}, []string{`value="inverted"`, `name="match.provider"`}},
		"match.plane=webhook&effect.kind=delay": {
			[]string{`>transaction.pending<`, `value="duplicate"`, `name="effect.by"`}, []string{`value="inverted"`, `name="match.provider"`, `name="phase"`},
		},
		"effect.kind=latency&effect.ms=7":                {[]string{`name="effect.ms"`, `value="7"`}, []string{`name="effect.status"`}},
		"match.provider=paystack&effect.kind=inverted":   {nil, []string{"selected>inverted"}},
		"match.provider=okx&match.operation=no-such-one": {[]string{">tickers<"}, []string{"no-such-one"}},
	} {
		form := get(t, c, "/console/faults?"+query, "Hx-Request", "true", "Hx-Target", "fault-form").Body.String()
		for _, text := range want.has {
			if !strings.Contains(form, text) {
				t.Errorf("%q lacks %s", query, text)
			}
		}
		for _, text := range want.lacks {
			if strings.Contains(form, text) {
				t.Errorf("%q has %s", query, text)
			}
		}
	}
}

func TestConsole_Chart(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	w := defaultWorld(t, ws)
	still := int64(0)
	pair := core.Pair{Base: "BTC", Counter: "USDT"}
	if err := w.Market().Set(pair, market.Setting{Pin: "50000", Volatility: &still}, noon.Add(-2*time.Hour), time.Time{}); err != nil {
		t.Fatal(err)
	}
	var d struct {
		X      []float64
		Series []struct {
			Label, Role string
			Values      []*float64
		}
	}
	if err := json.Unmarshal(get(t, newConsole(t, ws, twoPrices), "/console/prices/BTCUSDT/chart").Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	last := map[string]*float64{}
	for _, s := range d.Series {
		if len(s.Values) != len(d.X) {
			t.Fatalf("%s has %d values for %d times", s.Label, len(s.Values), len(d.X))
		}
		last[s.Label] = s.Values[len(s.Values)-1]
	}
	if d.X[len(d.X)-1] != float64(noon.Unix()) {
		t.Errorf("the chart ends at %v", d.X[len(d.X)-1])
	}
	for label, want := range map[string]float64{"market": 50000, "consensus": 98000.5, "buy": 98100, "sell": 97900} {
		if last[label] == nil || *last[label] != want {
			t.Errorf("%s ends at %v, want %v", label, last[label], want)
		}
	}
	if v := last["kraken"]; v == nil || *v < 49000 || *v > 51000 {
		t.Errorf("kraken ends at %v", v)
	}
}

func TestConsole_NoPrices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"none yet":    {nil, "There are no prices yet."},
		"unavailable": {core.Errorf(core.Unavailable, "Prices are not available."), "Prices are not available."},
		"unexpected":  {errors.New("planted"), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prices := func(context.Context, *world.World) ([]console.Price, error) { return nil, c.err }
			body := get(t, newConsole(t, newWorlds(t), prices), "/console/prices").Body.String()
			if !strings.Contains(body, c.want) || strings.Contains(body, "planted") {
				t.Errorf("it does not show %q", c.want)
			}
		})
	}
}

// payXRP pays and returns the hash of the transaction.
func payXRP(t *testing.T, w *world.World) string {
	t.Helper()
	c, err := w.Chains().Find("XRP")
	if err != nil {
		t.Fatal(err)
	}
	sent, err := c.Pay(chain.Payment{Currency: "XRP", Payees: []chain.Payee{{To: "r1", Amount: "1"}}}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return c.Text(sent.Hash)
}

// shown returns the pages with texts of requests and prices of a world in which every text from elsewhere is the same.
func shown(t *testing.T, ws *world.Registry, text string) string {
	t.Helper()
	if _, err := ws.Reset(world.Default); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]string{"account_name": text})
	if err != nil {
		t.Fatal(err)
	}
	record(t, defaultWorld(t, ws), text, string(body), journal.Answer{Status: 503, Error: "e" + text, Fields: []string{text}, ContentType: text})
	prices := func(context.Context, *world.World) ([]console.Price, error) {
		return []console.Price{{Pair: core.Pair{Base: text, Counter: text}, Status: text, Reason: text, Votes: []journal.Vote{
			{Market: text, Source: text, Reason: text}, {Market: text, Source: text, Bid: text, Ask: text, Age: text, Used: true},
		}}}, nil
	}
	sent := payXRP(t, defaultWorld(t, ws))
	c := console.New(ws, console.Config{Prices: prices, Received: func(context.Context, *world.World) (console.Received, error) {
		return console.Received{Problems: map[string]string{"XRP": text}, Transactions: []core.Transaction{{
			Network: "XRP", Hash: sent, Currency: text, User: core.DepositUser{Profile: core.Private(text)}, Reason: text,
			Address: core.DepositAddress{Address: "r1"},
		}}}, nil
	}})
	var out strings.Builder
	for _, target := range []string{"overview", "prices", "journal?entry=1", "deposits?to=" + url.QueryEscape(text)} {
		w := get(t, c, "/console/"+target)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", target, w.Code)
		}
		out.WriteString(w.Body.String())
	}
	return out.String()
}

var links = regexp.MustCompile(` (?:href|src|action|hx-get|hx-post|hx-put|hx-delete)="([^"]*)"`)

// checkInert fails the test if a text changes the tags of a page, or makes it load from elsewhere.
func checkInert(t interface{ Errorf(string, ...any) }, page, plain, text string) {
	for _, mark := range []string{"<", ">", `"`} {
		if strings.Count(page, mark) != strings.Count(plain, mark) {
			t.Errorf("%q adds %s: %d, want %d", text, mark, strings.Count(page, mark), strings.Count(plain, mark))
		}
	}
	if !utf8.ValidString(page) || strings.Contains(page, "\x00") {
		t.Errorf("%q leaves bytes that are not text", text)
	}
	for _, link := range links.FindAllStringSubmatch(page, -1) {
		to := html.UnescapeString(link[1])
		if !strings.HasPrefix(to, "/console") && !strings.HasPrefix(to, "/_sim/v1/") && !strings.HasPrefix(to, "/docs/") && !strings.HasPrefix(to, "#") && to != "data:," {
			t.Errorf("%q makes a link to %s", text, to)
		}
	}
}

// TestForeignText_Inert puts texts into paths, headers, bodies, names, responses and prices.
func TestForeignText_Inert(t *testing.T) {
	t.Parallel()
	ws := newWorlds(t)
	plain := shown(t, ws, "x")
	for _, text := range []string{
		script, `' onclick='alert(1)`, `javascript:alert(1)`, "a\x00b", "cut off \xe2\x80", "\xff\"", `</title><script>`, `--><script>`,
		`&#60;script&#62;`, `{{.}}`, "\u2028\"", `\"]`,
	} {
		checkInert(t, shown(t, ws, text), plain, text)
	}
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 20).Draw(r, "text"))
		checkInert(r, shown(t, ws, text), plain, text)
	})
}
