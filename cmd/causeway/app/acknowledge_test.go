package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/cmd/causeway/operator"
	"causeway/core/pairs"
)

// unpegged is a network on which PYUSD is at 0.94 dollars with both who trade it, until it is back.
type unpegged struct {
	http.RoundTripper
	back atomic.Bool
}

func (x *unpegged) RoundTrip(r *http.Request) (*http.Response, error) {
	lie := liar{RoundTripper: x.RoundTripper, host: r.URL.Host}
	switch {
	case x.back.Load():
	case r.URL.Host == "api.kraken.com":
		lie.lie = krakenTimes("PYUSDUSD", "0.94")
	case r.URL.Path == "/products/PYUSD-USD/ticker":
		lie.lie = coinbaseTimes("0.94")
	}
	return lie.RoundTrip(r)
}

// off is a running sandbox in which PYUSD is off its peg.
type off struct {
	*App
	server  *httptest.Server
	network *unpegged
	log     *observer.ObservedLogs
	client  *http.Client
	quotes  chan pairs.Quote // of PYUSD, the newest one
}

func startOff(t *testing.T) *off {
	t.Helper()
	core, log := observer.New(zap.InfoLevel)
	o := &off{network: &unpegged{}, log: log, quotes: make(chan pairs.Quote, 1)}
	o.App = newTestApp(t, settings(t), zap.New(core), withEnvironment(func(env *Environment) {
		o.network.RoundTripper, env.Transport = env.Transport, o.network
	}))
	_, o.server = running(t, o.App)
	o.client = &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	o.home.pairs().Subscribe(func(s *pairs.Snapshot) {
		select {
		case <-o.quotes:
		default:
		}
		o.quotes <- *s.Quote("PYUSDUSD")
	})
	return o
}

// awaits waits until PYUSD is what it should be.
func (o *off) awaits(t *testing.T, status pairs.Status, reason pairs.Reason) {
	t.Helper()
	late := time.NewTimer(2 * time.Minute) // on a machine that has other things to do
	defer late.Stop()
	for {
		select {
		case q := <-o.quotes:
			if q.Status == status && q.Reason == reason {
				return
			}
		case <-late.C:
			t.Fatalf("PYUSD is never %s %q", status, reason)
		}
	}
}

// ask sends a request to the operator's listener.
func (o *off) ask(t *testing.T, method, path, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, o.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := o.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(text)
}

func TestTheOperatorLetsADepeggedCoinBeTraded(t *testing.T) {
	t.Parallel()
	o := startOff(t)
	o.awaits(t, pairs.Halted, pairs.Depegged)

	_, header, page := o.ask(t, http.MethodGet, "/debug/prices", "")
	for _, want := range []string{`data-acknowledge="PYUSD"`, "pegged to 1", `<script src="/debug/prices.js" defer></script>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "script-src 'unsafe") {
		t.Errorf("the policy of the page is %s", policy)
	}
	if status, header, script := o.ask(t, http.MethodGet, "/debug/prices.js", ""); status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/javascript") || !strings.Contains(script, operator.AcknowledgePath) {
		t.Errorf("the script: %d as %s", status, header.Get("Content-Type"))
	}

	status, _, body := o.ask(t, http.MethodPost, operator.AcknowledgePath, `{"currency":" pyusd "}`, "Content-Type", "application/json; charset=utf-8", "Origin", o.server.URL)
	if status != http.StatusOK || !strings.Contains(body, `"status":"acknowledged"`) {
		t.Fatalf("%d %s", status, body)
	}
	if said := o.log.FilterField(zap.String("currency", "PYUSD")).All(); len(said) != 1 || said[0].ContextMap()["remote"] == "" {
		t.Errorf("in the log: %v", said)
	}
	o.awaits(t, pairs.Fresh, "")
	if _, _, page := o.ask(t, http.MethodGet, "/debug/prices", ""); !strings.Contains(page, "acknowledged, it is traded") || strings.Contains(page, "<button") {
		t.Error("the page does not show that it is acknowledged")
	}

	o.network.back.Store(true) // the word is used up
	for len(o.home.pairs().Depegged()) > 0 {
		<-o.quotes
	}
	o.network.back.Store(false)
	o.awaits(t, pairs.Halted, pairs.Depegged)
}

func TestWordsThatAreNotTheOperators(t *testing.T) {
	t.Parallel()
	o := startOff(t)
	const kind, json = "Content-Type", "application/json"
	for name, test := range map[string]struct {
		method, body string
		header       []string
		status       int
		want         string
	}{
		"another method":           {http.MethodGet, "", nil, http.StatusMethodNotAllowed, "takes POST"},
		"a form of any page":       {http.MethodPost, "currency=PYUSD", []string{kind, "application/x-www-form-urlencoded"}, http.StatusUnsupportedMediaType, "Content-Type: application/json"},
		"text that is JSON":        {http.MethodPost, `{"currency":"PYUSD"}`, []string{kind, "text/plain"}, http.StatusUnsupportedMediaType, "Content-Type: application/json"},
		"no type":                  {http.MethodPost, `{"currency":"PYUSD"}`, nil, http.StatusUnsupportedMediaType, "Content-Type: application/json"},
		"a page of another origin": {http.MethodPost, `{"currency":"PYUSD"}`, []string{kind, json, "Origin", "https://evil.example"}, http.StatusForbidden, "another origin"},
		"a page of another site":   {http.MethodPost, `{"currency":"PYUSD"}`, []string{kind, json, "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden, "another origin"},
		"nothing":                  {http.MethodPost, "", []string{kind, json}, http.StatusBadRequest, "EOF"},
		"half of it":               {http.MethodPost, `{"currency":"PY`, []string{kind, json}, http.StatusBadRequest, "unexpected EOF"},
		"something else":           {http.MethodPost, `{"coin":"PYUSD"}`, []string{kind, json}, http.StatusBadRequest, `unknown field`},
		"two words":                {http.MethodPost, `{"currency":"PYUSD"}{"currency":"USDT"}`, []string{kind, json}, http.StatusBadRequest, "something follows it"},
		"an empty word":            {http.MethodPost, `{"currency":" "}`, []string{kind, json}, http.StatusBadRequest, "letters and digits"},
		"a tag":                    {http.MethodPost, `{"currency":"<b>"}`, []string{kind, json}, http.StatusBadRequest, "letters and digits"},
		"too much":                 {http.MethodPost, `{"currency":"` + strings.Repeat("X", 2000) + `"}`, []string{kind, json}, http.StatusRequestEntityTooLarge, "too large"},
		"a coin at its peg":        {http.MethodPost, `{"currency":"USDT"}`, []string{kind, json}, http.StatusNotFound, "no stablecoin USDT is off its peg; these are: PYUSD"},
		"no stablecoin":            {http.MethodPost, `{"currency":"BTC"}`, []string{kind, json}, http.StatusNotFound, "no stablecoin BTC is off its peg"},
	} {
		status, header, body := o.ask(t, test.method, operator.AcknowledgePath, test.body, test.header...)
		if status != test.status || !strings.Contains(body, test.want) || header.Get("Content-Type") != json {
			t.Errorf("%s: %d %s as %s, want %d that says %q", name, status, body, header.Get("Content-Type"), test.status, test.want)
		}
	}
	if d := o.home.pairs().Depegged(); len(d) != 1 || d[0].Acknowledged {
		t.Errorf("acknowledged nevertheless: %+v", d)
	}
	if status, _, _ := o.ask(t, http.MethodPost, "/debug/prices", ""); status != http.StatusNotFound {
		t.Errorf("the page takes POST: %d", status)
	}
}
