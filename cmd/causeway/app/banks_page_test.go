package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core"
	"causeway/core/banks"
	"causeway/ports"
)

// firstPage is a network on which Paystack's list of Nigeria ends after its first page, from the moment that it is cut.
type firstPage struct {
	http.RoundTripper
	cut atomic.Bool
}

func (x *firstPage) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := x.RoundTripper.RoundTrip(r)
	if err != nil || !x.cut.Load() || r.URL.Path != "/bank" || r.URL.Query().Get("country") != "nigeria" {
		return resp, err
	}
	defer func() { _ = resp.Body.Close() }()
	var body map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		return nil, err
	}
	delete(body, "meta")
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	resp.Header.Del("Content-Length")
	return resp, nil
}

// desk is a running sandbox whose time the test can move on for the lists of banks.
type desk struct {
	*App
	server  *httptest.Server
	network *firstPage
	ahead   atomic.Int64 // of the world's clock
	log     *observer.ObservedLogs
	client  *http.Client
}

func startDesk(t *testing.T) *desk {
	t.Helper()
	recorded, log := observer.New(zap.InfoLevel)
	d := &desk{network: &firstPage{}, log: log}
	d.App = newTestApp(t, settings(t), zap.New(recorded), withEnvironment(func(env *Environment) {
		d.network.RoundTripper, env.Transport = env.Transport, d.network
		clock := env.Clock
		env.Clock = func() time.Time { return clock().Add(time.Duration(d.ahead.Load())) }
	}))
	_, d.server = running(t, d.App)
	d.client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	d.later(t) // Start waits for at most a few seconds
	return d
}

// later lets two hours pass, and every list be asked for.
func (d *desk) later(t *testing.T) {
	t.Helper()
	refreshBanks(t, d.banks, &d.ahead)
}

func (d *desk) ask(t *testing.T, method, path, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := d.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (d *desk) nigeria(t *testing.T) banks.State {
	t.Helper()
	for _, s := range d.banks.States() {
		if s.Directory == "paystack" && s.Country == "NG" {
			return s
		}
	}
	t.Fatal("paystack does not list Nigeria")
	return banks.State{}
}

// has checks that a text has all of some others.
func has(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", what, want)
		}
	}
}

// TestTheOperatorDecidesAboutAListThatLacksTooMuch cuts a provider's list short while the process runs.
func TestTheOperatorDecidesAboutAListThatLacksTooMuch(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	_, page := d.ask(t, http.MethodGet, operator.BanksPath, "")
	has(t, "the page", page, `<th scope="row">paystack</th><td>NG</td>`, `<th scope="row">NG</th>`)
	if strings.Contains(page, "Held back") || strings.Contains(page, "<script") {
		t.Error("the page of good lists tells of one that is held back, or has a script")
	}
	_, metrics := d.ask(t, http.MethodGet, "/metrics", "")
	has(t, "the metrics", metrics, `causeway_banks{country="NG"} 3`, `causeway_bank_directory_last_success_timestamp_seconds{country="NG",directory="paystack"} `,
		`causeway_bank_directory_age_seconds{country="GH",directory="paystack"} `, `causeway_bank_directory_institutions{country="NG",directory="paystack",state="joined"} `,
		`causeway_bank_directory_refreshes_total{country="NG",directory="paystack",outcome="ok"} `, `causeway_bank_directory_held_back{country="NG",directory="paystack"} 0`)
	accept := func(body string) (int, string) {
		return d.ask(t, http.MethodPost, operator.AcceptPath, body, "Content-Type", "application/json")
	}
	if status, text := accept(`{"directory":"paystack","country":"NG"}`); status != http.StatusNotFound || !strings.Contains(text, "No list of NG from paystack is held back") {
		t.Errorf("nothing is held back: %d %s", status, text)
	}

	good, list := d.nigeria(t), d.banks.List()
	d.network.cut.Store(true)
	d.later(t)
	if s := d.nigeria(t); s.HeldBack == nil || s.Listed != good.Listed || d.banks.List() != list {
		t.Fatalf("a third of the list was taken over: %+v", s.HeldBack)
	}
	if d.log.FilterMessageSnippet("bank list held back").FilterField(zap.String("country", "NG")).Len() != 1 {
		t.Errorf("the log: %v", d.log.All())
	}
	_, page = d.ask(t, http.MethodGet, operator.BanksPath, "")
	if !regexp.MustCompile(`Held back \d+s ago`).MatchString(page) {
		t.Errorf("the page does not say since when: %s", page)
	}
	has(t, "the page", page, "causeway banks accept --directory paystack --country NG")
	_, metrics = d.ask(t, http.MethodGet, "/metrics", "")
	has(t, "the metrics", metrics, `causeway_bank_directory_held_back{country="NG",directory="paystack"} 1`, `causeway_bank_directory_refreshes_total{country="NG",directory="paystack",outcome="held_back"} 1`)

	if status, _ := d.ask(t, http.MethodPost, operator.AcceptPath, `{"directory":"paystack","country":"NG"}`, "Content-Type", "application/json", "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
		t.Errorf("another page may accept the list: %d", status)
	}
	if d.nigeria(t).HeldBack == nil {
		t.Fatal("it was accepted by another page")
	}
	if status, text := accept(`{"directory":"Paystack","country":"ng"}`); status != http.StatusOK || !strings.Contains(text, "the list of NG from paystack is taken over") {
		t.Fatalf("%d %s", status, text)
	}
	s := d.nigeria(t)
	if s.HeldBack != nil || s.Listed >= good.Listed || len(s.Gone) == 0 || d.banks.List() == list {
		t.Errorf("after the operator's word: %+v", s.Outcome)
	}
	if d.log.FilterMessageSnippet("accepted by the operator").Len() != 1 {
		t.Error("the operator's word is not in the log")
	}
	_, page = d.ask(t, http.MethodGet, operator.BanksPath, "")
	has(t, "the page", page, "Vanished from the list: paystack is not asked about them.")
	d.later(t)
	if s := d.nigeria(t); s.HeldBack != nil || s.LastError != nil {
		t.Errorf("the same list again: %+v", s)
	}
}

// rows is a provider's list of Nigeria.
type rows []core.Bank

func (rows) Name() string        { return "korapay" }
func (rows) Countries() []string { return []string{"NG", "GH"} }
func (r rows) Banks(_ context.Context, country string) ([]core.Bank, error) {
	if country == "GH" {
		return nil, core.Errorf(core.Unavailable, "GH is <i>down</i>")
	}
	return r, nil
}

func TestThePageShowsWhatIsNotBelieved(t *testing.T) {
	t.Parallel()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	row := func(code, name string) core.Bank {
		return core.Bank{
			Code: code, Name: name, Country: "NG", Currency: "NGN", Type: core.CommercialBank, Channels: []core.Channel{core.BankTransfer},
			Codes: map[string]string{"korapay": code},
		}
	}
	clock := func() time.Time { return time.Unix(1_795_000_000, 0) }
	service, err := banks.New(banks.Config{
		Countries: catalog.Countries, Catalog: catalog.Banks, Directories: []ports.BankDirectory{rows{row("044", "Zenith <b>Bank</b>"), row("058", "GTBank")}},
		Resolvable: func(core.Bank) bool { return true }, Clock: clock, Entropy: func() uint64 { return 0 }, Report: logBankLists(zap.NewNop()),
	})
	if err != nil {
		t.Fatal(err)
	}
	service.Tick(t.Context())
	mux := operator.New(operator.Config{Registry: prometheus.NewRegistry(), Banks: service, Clock: clock, Log: zap.NewNop()})
	r := httptest.NewRecorder()
	mux.ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, operator.BanksPath, http.NoBody))
	has(t, "the page", r.Body.String(), "Unjoined: listed, but not believed.", "<li>044 Zenith &lt;b&gt;Bank&lt;/b&gt;: different_name</li>", "GH is &lt;i&gt;down&lt;/i&gt;", "<td>never</td>", "2026-11-18T")
	if !strings.Contains(r.Header().Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error("scripts could run")
	}
}

func TestOrdersThatAreNone(t *testing.T) {
	t.Parallel()
	d := startDesk(t)
	for _, c := range []struct {
		name, method, body, kind string
		status                   int
		want                     string
	}{
		{"no POST", http.MethodGet, "", "application/json", http.StatusMethodNotAllowed, "takes POST"},
		{"a form, as a page of another origin could send it", http.MethodPost, "directory=paystack", "application/x-www-form-urlencoded", http.StatusUnsupportedMediaType, "Content-Type: application/json"},
		{"no JSON", http.MethodPost, "paystack", "application/json", http.StatusBadRequest, "the body is not"},
		{"an unknown field", http.MethodPost, `{"directory":"paystack","country":"NG","all":true}`, "application/json", http.StatusBadRequest, "unknown field"},
		{"two orders", http.MethodPost, `{"directory":"paystack","country":"NG"}{}`, "application/json", http.StatusBadRequest, "something follows it"},
		{"endless JSON", http.MethodPost, `{"directory":"` + strings.Repeat("x", 5000) + `"}`, "application/json", http.StatusRequestEntityTooLarge, "too large"},
		{"an unknown directory", http.MethodPost, `{"directory":"<b>","country":"NG"}`, "application/json", http.StatusBadRequest, "is not a directory of banks; accepted: "},
		{"a country that it does not list", http.MethodPost, `{"directory":"paystack","country":"SN"}`, "application/json", http.StatusBadRequest, `paystack does not list the banks of \"SN\"`},
	} {
		status, text := d.ask(t, c.method, operator.AcceptPath, c.body, "Content-Type", c.kind)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d and %q", c.name, status, text, c.status, c.want)
		}
	}
}
