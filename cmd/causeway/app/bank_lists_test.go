package app

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"causeway/cmd/causeway/operator"
	"causeway/simulator/wire"
	"causeway/simulator/wire/paystack"
	"causeway/simulator/world"
)

// editedPaystack is a simulated Paystack whose bank list the test edits or disables.
type editedPaystack struct {
	http.RoundTripper

	down bool
	keep func(code string) bool // nil: all banks
	add  []map[string]any       // to the last page
}

// RoundTrip answers requests for bank lists with the edited list.
func (e *editedPaystack) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case r.URL.Host != "api.paystack.co":
		return nil, errors.New("unreachable")
	case e.down:
		rec := httptest.NewRecorder()
		rec.WriteHeader(http.StatusServiceUnavailable)
		return rec.Result(), nil
	case r.URL.Path != "/bank":
		return e.RoundTripper.RoundTrip(r)
	}
	r.Header.Del("If-None-Match")
	resp, err := e.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var page struct {
		Status  bool             `json:"status"`
		Message string           `json:"message"`
		Data    []map[string]any `json:"data"`
		Meta    map[string]any   `json:"meta"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		return nil, err
	}
	page.Data = slices.DeleteFunc(page.Data, func(row map[string]any) bool {
		code, _ := row["code"].(string)
		return e.keep != nil && !e.keep(code)
	})
	if page.Meta["next"] == nil {
		page.Data = append(page.Data, e.add...)
	}
	rec := httptest.NewRecorder()
	rec.Header().Set("Content-Type", "application/json")
	err = json.NewEncoder(rec).Encode(page)
	return rec.Result(), err
}

// bankListFixture is a production process with Paystack alone, whose clock the test moves.
type bankListFixture struct {
	*App
	paystack *editedPaystack
	now      time.Time
}

func newBankListFixture(t *testing.T, down bool) *bankListFixture {
	t.Helper()
	b := &bankListFixture{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return b.now }
	w, err := world.New(world.RegistryConfig{Clock: clock, Banks: loadCatalog(t).Banks, Providers: wire.Offers(), Default: world.Options{Seed: "lists"}})
	if err != nil {
		t.Fatal(err)
	}
	b.paystack = &editedPaystack{RoundTripper: wire.New(w), down: down}
	env := productionEnv("CAUSEWAY_PAYSTACK__KEYS__NG="+paystack.Key("NG"), "CAUSEWAY_RECIPIENTS__CACHE__FOUND=0s")
	b.App = newTestApp(t, settings(t, env...), zap.NewNop(), withEnvironment(func(env *Environment) {
		env.Transport, env.Clock = b.paystack, clock
	}))
	b.refresh(t)
	return b
}

// refresh moves the clock until every list is due, and requests all lists.
func (b *bankListFixture) refresh(t *testing.T) {
	t.Helper()
	b.now = b.now.Add(2 * time.Hour)
	b.RefreshBanks(t.Context())
}

// send sends a request with JSON and an API key.
func (b *bankListFixture) send(
	t *testing.T, handler http.Handler, method, path, body string,
) *httptest.ResponseRecorder {
	t.Helper()
	return serve(t, handler, method, path, body, "Content-Type", "application/json", "Authorization", "Bearer 0123456789abcdef")
}

// get returns the body of a public resource.
func (b *bankListFixture) get(t *testing.T, path string) string {
	t.Helper()
	rec := b.send(t, b.Handler, http.MethodGet, path, "")
	if rec.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
	}
	return rec.Body.String()
}

// count returns the number of banks on the list.
func (b *bankListFixture) count(t *testing.T) int {
	t.Helper()
	return strings.Count(b.get(t, "/v1/banks?country=NG"), `"code":`)
}

// operated returns a page of the operator handler.
func (b *bankListFixture) operated(t *testing.T, path string) string {
	t.Helper()
	return b.send(t, b.Operator, http.MethodGet, path, "").Body.String()
}

// resolve resolves an account and returns the status.
func (b *bankListFixture) resolve(t *testing.T, bank string) int {
	t.Helper()
	return b.send(t, b.Handler, http.MethodPost, resolvePath, strings.Replace(resolveBody, "000013", bank, 1)).Code
}

// TestBankLists starts without the provider, then lets it return, drop banks, and send half a list.
func TestBankLists(t *testing.T) {
	t.Parallel()
	const (
		onlyNIP  = "090270" // AB Microfinance Bank: the catalog has no code of Paystack's
		newcomer = `"name":"Brand New Microfinance Bank"`
	)
	b := newBankListFixture(t, true)
	listed := func(query string) string { return b.get(t, "/v1/banks?country=NG&q="+query) }

	catalog := b.count(t) // of the catalog alone: the provider is down
	if catalog < 300 || !strings.Contains(listed("ab+microfinance"), `"resolvable":false`) ||
		b.resolve(t, onlyNIP) != http.StatusServiceUnavailable || b.resolve(t, "058") != http.StatusServiceUnavailable {
		t.Fatalf("without its provider: %d banks, %s", catalog, listed("ab+microfinance"))
	}

	b.paystack.down, b.paystack.add = false, []map[string]any{{ // a new institution, and an invalid one
		"name": "Brand New Microfinance Bank", "code": "59999", "active": true, "is_deleted": false, "country": "Nigeria",
		"currency": "NGN", "type": "nuban", "nip_sort_code": "090999",
	}, {"name": "Bad Entry", "code": "", "active": true, "country": "Nigeria", "currency": "NGN", "type": "nuban"}}
	b.refresh(t)
	full := b.count(t)
	if full <= catalog || !strings.Contains(listed("brand+new"), newcomer) ||
		strings.Contains(listed("bad"), "Bad Entry") || !strings.Contains(listed("ab+microfinance"), `"resolvable":true`) {
		t.Fatalf("%d banks, %s %s", full, listed("brand+new"), listed("ab+microfinance"))
	}
	if b.resolve(t, "058") != http.StatusOK || b.resolve(t, onlyNIP) == http.StatusServiceUnavailable {
		t.Error("accounts are not resolved although the provider is back")
	}

	b.paystack.add, b.paystack.keep = nil, func(code string) bool { return code != "057" } // Zenith and the new one vanish
	b.refresh(t)
	if got := b.count(t); got != full || !strings.Contains(listed("zenith"), `"resolvable":false`) ||
		!strings.Contains(listed("brand+new"), `"resolvable":false`) {
		t.Errorf("%d banks of %d; vanished ones: %s %s", got, full, listed("zenith"), listed("brand+new"))
	}
	if status := b.resolve(t, "057"); status != http.StatusBadRequest {
		t.Errorf("a bank that no directory lists: %d", status)
	}
	checkHeldBack(t, b, catalog, full)

	b.paystack.down = true // down again: the list stays
	was := b.get(t, "/v1/banks?country=NG")
	b.refresh(t)
	if b.get(t, "/v1/banks?country=NG") != was {
		t.Error("an outage changed the list")
	}
}

// checkHeldBack lets half of a list vanish: it is held back until the operator accepts it.
func checkHeldBack(t *testing.T, b *bankListFixture, catalog, full int) {
	t.Helper()
	kept := 0 // half of the list is missing: it is held back
	b.paystack.keep = func(string) bool { kept++; return kept%2 == 0 }
	before := b.get(t, "/v1/banks?country=NG")
	b.refresh(t)
	if b.get(t, "/v1/banks?country=NG") != before || b.resolve(t, "058") != http.StatusOK {
		t.Error("half a list changed the list")
	}
	if metrics := b.operated(t, "/metrics"); !strings.Contains(metrics,
		`causeway_banks_directory_held_back{country="NG",directory="paystack"} 1`) {
		t.Error("the metrics do not say that a list is held back")
	}
	if page := b.operated(t, "/debug/banks"); !strings.Contains(page, "causeway banks accept") {
		t.Errorf("the operator's page does not say what to do: %.500s", page)
	}
	if rec := b.send(t, b.Operator, http.MethodPost, operator.AcceptPath,
		`{"directory":"paystack","country":"NG"}`); rec.Code != http.StatusOK {
		t.Fatalf("%d %s", rec.Code, rec.Body)
	}
	if got := b.count(t); got < catalog || got > full ||
		strings.Count(b.get(t, "/v1/banks?country=NG"), `"resolvable":true`) >= strings.Count(before, `"resolvable":true`) {
		t.Errorf("%d banks after the list was accepted; the catalog has %d", got, catalog)
	}
	if metrics := b.operated(t, "/metrics"); !strings.Contains(metrics,
		`causeway_banks_directory_held_back{country="NG",directory="paystack"} 0`) {
		t.Error("the list is still held back")
	}
}
