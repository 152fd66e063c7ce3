package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"causeway/simulator"
)

const (
	resolvePath = "/v1/recipients/resolve-bank-account"
	resolveBody = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
)

func (s *sandboxFixture) frozenWorld(id string, at time.Time) *simulator.World {
	s.t.Helper()
	w, err := s.Worlds.Create(simulator.Options{ID: id, Clock: simulator.StartOptions{Now: &at, Frozen: true}})
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

func TestWorld_Services(t *testing.T) {
	t.Parallel()
	synctest.Test(t, servicesApart) // else a busy machine could let a provider be late
}

func servicesApart(t *testing.T) {
	s := newSandboxEnv(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s.frozenWorld("one", at)
	rec := s.ask(http.MethodGet, "/v1/pairs/BTCNGN", "", "Sim-World", "one")
	if rec.Code != http.StatusOK || rec.Header().Get("Sim-Time") != "2026-11-21T12:00:00.000Z" || !strings.Contains(rec.Body.String(), `"updated_at":"2026-11-21T12:00:00.000Z","status":"fresh"`) {
		t.Fatalf("%d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	if rec := s.ask(http.MethodPost, resolvePath, resolveBody, "Sim-World", "one"); rec.Code != http.StatusOK {
		t.Errorf("%d %s", rec.Code, rec.Body)
	}
	for scenario, want := range map[string]int{"unknown": 404, "all_down": 503, "error:too_many_requests": 429, "error:internal_server_error": 500, "first_fails": 200} {
		rec := s.ask(http.MethodPost, resolvePath, resolveBody, "Sim-World", "one", "Sim-Scenario", scenario)
		if rec.Code != want || rec.Header().Get("Sim-Applied") != "scenario:"+scenario {
			t.Errorf("%s: %d, applied %q, %s", scenario, rec.Code, rec.Header().Get("Sim-Applied"), rec.Body)
		}
	}
	nobody := strings.NewReplacer("000013", "001", "0123456789", "0000000404").Replace(resolveBody)
	for range 2 { // the second answer is remembered
		if rec := s.ask(http.MethodPost, resolvePath, nobody, "Sim-World", "one"); rec.Code != http.StatusNotFound || rec.Header().Get("Sim-Applied") != "magic:404" {
			t.Errorf("%d, applied %q, %s", rec.Code, rec.Header().Get("Sim-Applied"), rec.Body)
		}
	}
	if rec := s.ask(http.MethodPost, resolvePath, resolveBody, "Sim-World", "one"); rec.Code != http.StatusOK || rec.Header().Get("Sim-Applied") != "none" {
		t.Errorf("after the scenarios: %d, applied %q", rec.Code, rec.Header().Get("Sim-Applied"))
	}
}

// TestWorld_UnresolvableBanks checks that every world refuses the banks that the bank list calls
// unresolvable.
func TestWorld_UnresolvableBanks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, askedOfEveryBankOfSouthAfrica)
}

func askedOfEveryBankOfSouthAfrica(t *testing.T) {
	g := newSandboxFixture(t, "BTC", "USDT", "USD")
	s := g
	rec := s.ask(http.MethodGet, "/v1/banks?country=ZA", "")
	var list struct {
		Data []struct {
			Code       string
			Resolvable bool
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &list); err != nil {
		t.Fatalf("%v: %s", err, rec.Body)
	}
	asked := map[bool]int{}
	for _, bank := range list.Data {
		want := http.StatusBadRequest
		if bank.Resolvable {
			want = http.StatusOK
		}
		body := `{"currency_id":"ZAR","country_id":"ZA","channel":"bank_transfer","bank_code":"` + bank.Code + `","account_number":"1234567200","account_name":"Ann Bron"}`
		for _, world := range []string{"default", "zaw1"} {
			rec := s.ask(http.MethodPost, resolvePath, body, "Sim-World", world, "Sim-Scenario", "found")
			if rec.Code != want || want == http.StatusBadRequest && !strings.Contains(rec.Body.String(), `"bank_code":[`) {
				t.Errorf("%s in %s: %d %s, want %d", bank.Code, world, rec.Code, rec.Body, want)
			}
		}
		asked[bank.Resolvable]++
	}
	if asked[true] == 0 || asked[false] == 0 {
		t.Errorf("asked about %v, which is not both kinds", asked)
	}
}

// TestWorld_PricesAge lets all venues fail for an hour: fresh, stale, halted. A world with a frozen
// clock does not wait for timeouts in real time.
func TestWorld_PricesAge(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]simulator.Effect{
		"503": {Kind: simulator.FaultStatus, Status: 503}, "hang": {Kind: simulator.FaultHang}, "too late": {Kind: simulator.FaultLatency, MS: 20_000}, "refused": {Kind: simulator.FaultRefuse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				pricesAge(t, e)
				if took := time.Since(began); took > 0 {
					t.Errorf("resolveBody waited for %s", took)
				}
			})
		})
	}
}

func pricesAge(t *testing.T, e simulator.Effect) {
	t.Helper()
	g := newSandboxFixture(t, "BTC", "USDT", "USD")
	s := g
	w := s.frozenWorld("ages", time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	status := func() string {
		rec := s.ask(http.MethodGet, "/v1/pairs/BTCUSDT", "", "Sim-World", "ages")
		var body struct{ Data struct{ Status string } }
		if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil {
			t.Fatalf("%v: %s", err, rec.Body)
		}
		return body.Data.Status
	}
	if got := status(); got != "fresh" {
		t.Fatalf("in the beginning it is %s", got)
	}
	for _, venue := range []string{"kraken", "binance", "coinbase", "okx", "bybit", "coingecko"} {
		if _, err := w.Faults().Add(simulator.Rule{Match: simulator.Match{Provider: venue}, Effect: e}, w.Now()); err != nil {
			t.Fatal(err)
		}
	}
	var seen []string
	for _, by := range []time.Duration{5 * time.Second, 25 * time.Second, time.Hour} {
		if _, err := w.Advance(t.Context(), by); err != nil {
			t.Fatal(err)
		}
		seen = append(seen, status())
	}
	if got := strings.Join(seen, " "); got != "fresh stale halted" {
		t.Errorf("it was %s", got)
	}
}

// TestWorld_Deterministic checks that the same ID, seed and clock give the same bytes.
func TestWorld_Deterministic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, sameBytes)
}

func sameBytes(t *testing.T) {
	var answers [2]string
	for i := range answers {
		s := newSandboxEnv(t)
		s.frozenWorld("twin", time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
		for _, path := range []string{"/v1/pairs", "/v1/pairs/BTCNGN/price", "/v1/pairs/BTCNGN/history?period=7d", "/v1/banks?country=NG"} {
			answers[i] += s.ask(http.MethodGet, path, "", "Sim-World", "twin").Body.String() + "\n"
		}
		answers[i] += s.ask(http.MethodPost, resolvePath, resolveBody, "Sim-World", "twin").Body.String()
		w, err := s.Worlds.Find("twin")
		if err != nil {
			t.Fatal(err)
		}
		answers[i] += w.Journal().Fingerprint().String()
	}
	if answers[0] != answers[1] {
		t.Errorf("two answers:\n%.2000s\n%.2000s", answers[0], answers[1])
	}
}

func TestProduction_NoWorlds(t *testing.T) {
	t.Parallel()
	f := newTestApp(t, settings(t, productionEnv()...), zap.NewNop())
	if f.Worlds != nil || f.sandbox != nil {
		t.Fatal("production has a world")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/countries", http.NoBody)
	r.Header.Set("Sim-World", "a")
	r.Header.Set("Sim-Scenario", "error:internal_server_error")
	rec := httptest.NewRecorder()
	f.Handler.ServeHTTP(rec, r)
	body, err := io.ReadAll(rec.Body)
	if err != nil || rec.Code != http.StatusOK || strings.Contains(string(body), "Simulated") {
		t.Errorf("%d %s, %v", rec.Code, body, err)
	}
	for name := range rec.Header() {
		if strings.HasPrefix(name, "Sim-") {
			t.Errorf("production answers with %s", name)
		}
	}
}
