package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"causeway/cmd/causeway/operator"
	"causeway/config"
	"causeway/core/banks"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// editor is a Paystack whose bank list the test edits or disables.
type editor struct {
	honest http.Handler

	mu   sync.Mutex
	down bool
	keep func(code string) bool // nil: all
	add  []map[string]any       // to the last page
}

func (e *editor) become(down bool, keep func(string) bool, add ...map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.down, e.keep, e.add = down, keep, add
}

func (e *editor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.down:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.URL.Path != "/bank":
		e.honest.ServeHTTP(w, r)
		return
	}
	r.Header.Del("If-None-Match")
	answer := httptest.NewRecorder()
	e.honest.ServeHTTP(answer, r)
	var page struct {
		Status  bool             `json:"status"`
		Message string           `json:"message"`
		Data    []map[string]any `json:"data"`
		Meta    map[string]any   `json:"meta"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &page); err != nil {
		http.Error(w, "the test does not understand Paystack: "+err.Error(), http.StatusInternalServerError)
		return
	}
	rows := []map[string]any{}
	for _, row := range page.Data {
		if code, _ := row["code"].(string); e.keep == nil || e.keep(code) {
			rows = append(rows, row)
		}
	}
	if page.Meta["next"] == nil {
		rows = append(rows, e.add...)
	}
	page.Data = rows
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(page)
}

// branch is a production process with Paystack alone, whose clock the test moves.
type branch struct {
	*App
	public, operator *httptest.Server
	paystack         *editor
	ahead            atomic.Int64
	log              *observer.ObservedLogs
	client           *http.Client
}

func startBranch(t *testing.T, down bool) *branch {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	w, err := simulator.New(simulator.Config{Seed: "lists"}, time.Now, catalog.Banks)
	if err != nil {
		t.Fatal(err)
	}
	b := &branch{paystack: &editor{honest: wire.New(w).Handler(wire.Paystack), down: down}}
	server := httptest.NewServer(b.paystack)
	t.Cleanup(server.Close)
	env := []string{
		"CAUSEWAY_MODE=production", "CAUSEWAY_AUTH__KEYS=client-0123456789abcdef", "CAUSEWAY_OPEN_EXCHANGE_RATES__APP_ID=" + wire.AppID,
		"CAUSEWAY_PAYSTACK__KEYS__NG=" + wire.PaystackKey("NG"), "CAUSEWAY_RESOLUTION__CACHE__FOUND=0s",
	}
	for _, variable := range config.Variables() {
		if strings.HasSuffix(variable, "__BASE_URL") {
			env = append(env, variable+"=http://127.0.0.1:1")
		}
	}
	env = append(env, "CAUSEWAY_PAYSTACK__BASE_URL="+server.URL)
	recorded, log := observer.New(zap.InfoLevel)
	b.log = log
	b.App = newTestApp(t, settings(t, env...), zap.New(recorded), withEnvironment(func(env *Environment) {
		env.Clock = func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) }
	}))
	b.public, b.operator = running(t, b.App)
	b.client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	return b
}

// later moves the clock until every list is due, and waits for the requests.
func (b *branch) later(t *testing.T) {
	t.Helper()
	refreshBanks(t, b.banks, &b.ahead)
}

// refreshBanks moves the clock until every list of banks is due and waits for one more outcome of each. The
// service's own goroutine may hold a request that Tick then skips, so it does not suffice to call Tick once.
func refreshBanks(t *testing.T, service *banks.Service, clock *atomic.Int64) {
	t.Helper()
	outcomes := func() []uint64 {
		var counts []uint64
		for _, s := range service.States() {
			counts = append(counts, s.Answered+s.Failed+s.Held)
		}
		return counts
	}
	before := outcomes()
	clock.Add(int64(2 * time.Hour))
	for deadline := time.Now().Add(patience); ; {
		service.Tick(t.Context())
		missing := false
		for i, n := range outcomes() {
			missing = missing || n == before[i]
		}
		switch {
		case !missing:
			return
		case time.Now().After(deadline):
			t.Fatalf("not every list of banks was requested within %s", patience)
		}
		runtime.Gosched()
	}
}

func (b *branch) get(t *testing.T, path string) string {
	t.Helper()
	resp, err := b.client.Get(b.public.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, resp.StatusCode, body, err)
	}
	return string(body)
}

// operated returns a page of the operator handler.
func (b *branch) operated(t *testing.T, path string) string {
	t.Helper()
	resp, err := b.client.Get(b.operator.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// resolve resolves an account and returns the status.
func (b *branch) resolve(t *testing.T, bank string) int {
	t.Helper()
	question := `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"` + bank + `","account_number":"0123456789"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.public.URL+"/v1/recipients/resolve-bank-account", strings.NewReader(question))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer client-0123456789abcdef")
	resp, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// TestBankLists starts without the provider, then lets it return, drop banks, and send half a list.
func TestBankLists(t *testing.T) {
	t.Parallel()
	const (
		onlyNIP  = "090270" // AB Microfinance Bank: the catalog has no code of Paystack's
		newcomer = `"name":"Brand New Microfinance Bank"`
	)
	b := startBranch(t, true)
	count := func() int { return strings.Count(b.get(t, "/v1/banks?country=NG"), `"code":`) }
	listed := func(query string) string { return b.get(t, "/v1/banks?country=NG&q="+query) }

	catalog := count() // the provider is down at the start: the embedded list is there
	if catalog < 300 || !strings.Contains(listed("ab+microfinance"), `"resolvable":false`) || b.resolve(t, onlyNIP) != http.StatusServiceUnavailable || b.resolve(t, "058") != http.StatusServiceUnavailable {
		t.Fatalf("without its provider: %d banks, %s", catalog, listed("ab+microfinance"))
	}

	b.paystack.become(false, nil, map[string]any{ // it is back, and has a new institution
		"name": "Brand New Microfinance Bank", "code": "59999", "active": true, "is_deleted": false, "country": "Nigeria", "currency": "NGN", "type": "nuban", "nip_sort_code": "090999",
	}, map[string]any{"name": "Bad Entry", "code": "", "active": true, "country": "Nigeria", "currency": "NGN", "type": "nuban"})
	b.later(t)
	full := count()
	if full <= catalog || !strings.Contains(listed("brand+new"), newcomer) || strings.Contains(listed("bad"), "Bad Entry") || !strings.Contains(listed("ab+microfinance"), `"resolvable":true`) {
		t.Fatalf("%d banks, %s %s", full, listed("brand+new"), listed("ab+microfinance"))
	}
	if b.resolve(t, "058") != http.StatusOK || b.resolve(t, onlyNIP) == http.StatusServiceUnavailable {
		t.Error("nobody is asked although the provider is back")
	}

	b.paystack.become(false, func(code string) bool { return code != "057" }) // Zenith and the newcomer vanish
	b.later(t)
	if got := count(); got != full || !strings.Contains(listed("zenith"), `"resolvable":false`) || !strings.Contains(listed("brand+new"), `"resolvable":false`) {
		t.Errorf("%d banks of %d; vanished ones: %s %s", got, full, listed("zenith"), listed("brand+new"))
	}
	if status := b.resolve(t, "057"); status != http.StatusBadRequest {
		t.Errorf("a bank that nobody lists any more: %d", status)
	}

	kept := 0 // half of the list is missing: it is held back
	b.paystack.become(false, func(string) bool { kept++; return kept%2 == 0 })
	before := b.get(t, "/v1/banks?country=NG")
	b.later(t)
	if b.get(t, "/v1/banks?country=NG") != before || b.resolve(t, "058") != http.StatusOK {
		t.Error("half a list changed the list")
	}
	if metrics := b.operated(t, "/metrics"); !strings.Contains(metrics, `causeway_bank_directory_held_back{country="NG",directory="paystack"} 1`) {
		t.Error("the metrics do not say that a list is held back")
	}
	if page := b.operated(t, "/debug/banks"); !strings.Contains(page, "causeway banks accept") {
		t.Errorf("the operator's page does not say what to do: %.500s", page)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, operator.AcceptPath, strings.NewReader(`{"directory":"paystack","country":"NG"}`))
	r.Header.Set("Content-Type", "application/json")
	if rec := operated(t, b.App, r); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "is in use") {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	if got := count(); got < catalog || got > full || strings.Count(b.get(t, "/v1/banks?country=NG"), `"resolvable":true`) >= strings.Count(before, `"resolvable":true`) {
		t.Errorf("%d banks after the operator's word; the catalog has %d", got, catalog)
	}
	if metrics := b.operated(t, "/metrics"); !strings.Contains(metrics, `causeway_bank_directory_held_back{country="NG",directory="paystack"} 0`) {
		t.Error("the list is held back still")
	}

	b.paystack.become(true, nil) // down again: what was known stays
	was := b.get(t, "/v1/banks?country=NG")
	b.later(t)
	if b.get(t, "/v1/banks?country=NG") != was {
		t.Error("an outage changed the list")
	}
}

// TestBankLists_Filters asks for parts of the list, the banks that an account number may be of among them.
func TestBankLists_Filters(t *testing.T) {
	t.Parallel()
	b := startBranch(t, false)
	for path, want := range map[string][]string{
		"/v1/banks?country=NG&q=zenith":                             {`"code":"000015"`},
		"/v1/banks?currency=KES&channel=mobile_money":               {`"code":"MPESA"`},
		"/v1/banks?channel=pay_bill":                                {`"data":[]`},
		"/v1/banks?account_number=2085886393":                       {`"code":"000015"`}, // Zenith's documented one
		"/v1/banks?account_number=2085886393&q=zenith&currency=NGN": {`"code":"000015"`},
		"/v1/banks?account_number=2085886393&q=access":              {`"data":[]`},
		"/v1/banks?country=NG&q=simulated":                          {`"data":[]`},
	} {
		body := b.get(t, path)
		has(t, path, body, want...)
		if first, _, _ := strings.Cut(body, "},{"); strings.Contains(path, "account_number=2085886393") && !strings.Contains(body, `"data":[]`) && !strings.Contains(first, `"000015"`) {
			t.Errorf("%s: the likeliest bank is not the first: %s", path, first)
		}
	}
}

// has checks that a text contains others.
func has(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q", what, want)
		}
	}
}
