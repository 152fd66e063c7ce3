package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/control"
	"causeway/simulator/faults"
	"causeway/simulator/input"
	"causeway/simulator/journal"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

const (
	resolvePath = "/v1/recipients/resolve-bank-account"
	resolveBody = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer",` +
		`"bank_code":"000013","account_number":"0123456789"}`
	frozenClock = `"clock":{"now":"2026-11-16T12:00:00Z","frozen":true}`
)

var worldsBegin = time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC)

// frozenWorld creates a world whose clock stands at worldsBegin.
func (s *sandboxFixture) frozenWorld(id string) *world.World {
	s.t.Helper()
	w, err := s.Worlds.Create(world.Options{ID: id, Clock: world.ClockSetting{Now: &worldsBegin, Frozen: new(true)}})
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

// worldWithFault creates a world with a frozen clock and a fault.
func (s *sandboxFixture) worldWithFault(id string, rule faults.Rule) *world.World {
	s.t.Helper()
	w := s.frozenWorld(id)
	if _, err := w.Faults().Add(rule, w.Now()); err != nil {
		s.t.Fatal(err)
	}
	return w
}

// resolve resolves the documented example account in a world.
func (s *sandboxFixture) resolve(world string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.ask(http.MethodPost, resolvePath, resolveBody, append([]string{"Sim-World", world}, headers...)...)
}

// resolveNth resolves the n-th of many accounts, so that no cache has it.
func (s *sandboxFixture) resolveNth(world string, n int) int {
	s.t.Helper()
	account := fmt.Sprintf("%07d200", n)
	body := strings.NewReplacer("000013", accounts.MagicBank, "0123456789", account).Replace(resolveBody)
	return s.ask(http.MethodPost, resolvePath, body, "Sim-World", world).Code
}

// price returns the status and the mid price of a pair in a world.
func (s *sandboxFixture) price(world, pair string) (status string, mid decimal.Decimal) {
	s.t.Helper()
	rec := s.ask(http.MethodGet, "/v1/pairs/"+pair+"/price", "", "Sim-World", world)
	var got struct {
		Data struct {
			Status string
			Mid    decimal.Decimal
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s", world, pair, rec.Code, rec.Body)
	}
	return got.Data.Status, got.Data.Mid
}

// otherWorlds returns the number of worlds other than the default world.
func (s *sandboxFixture) otherWorlds() int { return len(s.Worlds.List()) - 1 }

// faultHits returns how often the faults of a world were applied.
func faultHits(w *world.World) (n uint64) {
	for _, f := range w.Faults().List() {
		n += f.Hits
	}
	return n
}

// TestWorlds runs checks in worlds of one sandbox. They share it, because building one is slow.
func TestWorlds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // in virtual time, so that no provider is late on a busy machine
		s := newSandboxFixture(t, "BTC", "USDT", "USD", "NGN")
		checkServices(s)
		checkUnresolvableBanks(s)
		checkPricesAge(s)
		checkFaultBeforeFirstRequest(s)
		checkPin(s)
		checkQueuedOutcomes(s)
		checkScriptedOutcomes(s)
		checkAccounts(s)
		checkMagicCurrencies(s)
		checkJournalAttempts(s)
		checkJournalSecrets(s)
	})
}

func checkServices(s *sandboxFixture) {
	s.frozenWorld("one")
	rec := s.ask(http.MethodGet, "/v1/pairs/BTCNGN", "", "Sim-World", "one")
	if rec.Code != http.StatusOK || rec.Header().Get("Sim-Time") != "2026-11-16T12:00:00.000Z" ||
		!strings.Contains(rec.Body.String(), `"updated_at":"2026-11-16T12:00:00.000Z","status":"fresh"`) {
		s.t.Errorf("%d %v %s", rec.Code, rec.Header(), rec.Body)
	}
	unknown := strings.NewReplacer("000013", "001", "0123456789", "0000000404").Replace(resolveBody)
	for range 2 { // the second response is cached
		rec := s.ask(http.MethodPost, resolvePath, unknown, "Sim-World", "one")
		if rec.Code != http.StatusNotFound || rec.Header().Get("Sim-Applied") != "magic:404" {
			s.t.Errorf("%d, applied %q, %s", rec.Code, rec.Header().Get("Sim-Applied"), rec.Body)
		}
	}
	if rec := s.resolve("one"); rec.Code != http.StatusOK || rec.Header().Get("Sim-Applied") != "none" {
		s.t.Errorf("after the scenarios: %d, applied %q", rec.Code, rec.Header().Get("Sim-Applied"))
	}
	for _, header := range [][]string{{"Sim-World", strings.Repeat("x", 200)}, {"Sim-Scenario", "nonsense"}} {
		rec := s.ask(http.MethodGet, "/v1/countries", "", header...)
		if rec.Code != http.StatusBadRequest || !strings.HasPrefix(rec.Header().Get("RateLimit"), `"list-countries";r=`) {
			s.t.Errorf("%s: %d %v", header[0], rec.Code, rec.Header())
		}
	}
}

// checkUnresolvableBanks checks that a world refuses the banks that the bank list calls unresolvable.
func checkUnresolvableBanks(s *sandboxFixture) {
	var list struct {
		Data []struct {
			Code       string
			Resolvable bool
		}
	}
	rec := s.ask(http.MethodGet, "/v1/banks?country=ZA", "")
	if err := json.Unmarshal(rec.Body.Bytes(), &list); err != nil {
		s.t.Fatalf("%v: %s", err, rec.Body)
	}
	seen := map[bool]int{}
	for _, bank := range list.Data {
		want := http.StatusBadRequest
		if bank.Resolvable {
			want = http.StatusOK
		}
		body := `{"currency_id":"ZAR","country_id":"ZA","channel":"bank_transfer","bank_code":"` + bank.Code +
			`","account_number":"1234567200","account_name":"Ann Bron","document_type":"identity_number","document_number":"8001015009087"}`
		rec := s.ask(http.MethodPost, resolvePath, body, "Sim-World", "ZA", "Sim-Scenario", "found")
		if rec.Code != want || !bank.Resolvable && !strings.Contains(rec.Body.String(), `"bank_code":[`) {
			s.t.Errorf("%s: %d %s, want %d", bank.Code, rec.Code, rec.Body, want)
		}
		seen[bank.Resolvable]++
	}
	if seen[true] == 0 || seen[false] == 0 {
		s.t.Errorf("the list has %v, want both kinds", seen)
	}
}

// checkPricesAge lets all venues fail for two minutes: fresh, stale, halted. A world with a frozen clock
// does not wait for timeouts and retries in real time.
func checkPricesAge(s *sandboxFixture) {
	for world, effect := range map[string]string{
		"503": `{"kind":"status","status":503}`, "hang": `{"kind":"hang"}`,
	} {
		began := time.Now()
		s.control(http.MethodPost, "/worlds", `{"id":"`+world+`",`+frozenClock+`}`)
		s.control(http.MethodPost, "/worlds/"+world+"/faults", `{"effect":`+effect+`}`)
		var seen []string
		for _, by := range []string{"5s", "25s", "90s"} {
			s.control(http.MethodPost, "/worlds/"+world+"/clock/advance", `{"by":"`+by+`"}`)
			status, _ := s.price(world, "BTCUSDT")
			seen = append(seen, status)
		}
		if got := strings.Join(seen, " "); got != "fresh stale halted" || time.Since(began) > 0 {
			s.t.Errorf("%s: %s after %s", world, got, time.Since(began))
		}
	}
	s.control(http.MethodPost, "/worlds", `{"id":"incident",`+frozenClock+`}`)
	s.control(http.MethodPost, "/worlds/incident/market/play", `{"scenario":"all-stale"}`)
	s.control(http.MethodPost, "/worlds/incident/clock/advance", `{"by":"75s"}`)
	if status, _ := s.price("incident", "BTCUSDT"); status != "halted" {
		s.t.Errorf("incident: %s", status)
	}
}

func checkFaultBeforeFirstRequest(s *sandboxFixture) {
	s.control(http.MethodPost, "/worlds", `{"id":"units",`+frozenClock+`}`)
	s.control(http.MethodPost, "/worlds/units/faults", `{"match":{"provider":"okx"},"effect":{"kind":"times_1000"}}`)
	rec := s.ask(http.MethodGet, "/v1/pairs/BTCUSDT/price", "", "Sim-World", "units")
	if body := rec.Body.String(); !strings.Contains(body, `"status":"fresh"`) ||
		!strings.Contains(body, `"excluded":[{"source":"okx","reason":"outlier"`) {
		s.t.Errorf("%d %s", rec.Code, body)
	}
}

// checkPin pins markets to prices that jump guards would hold back: pins apply at once.
func checkPin(s *sandboxFixture) {
	s.control(http.MethodPost, "/worlds", `{"id":"used",`+frozenClock+`}`)
	s.control(http.MethodPost, "/worlds", `{"id":"unused",`+frozenClock+`}`)
	s.price("used", "USDTNGN")
	s.control(http.MethodPut, "/worlds/default/clock", `{"frozen":true}`)
	for _, w := range []string{"used", "unused", world.Default} {
		for _, pin := range []string{"1640", "1150"} {
			for _, pair := range []string{"USDTNGN", "BTCUSDT"} {
				s.control(http.MethodPut, "/worlds/"+w+"/market/"+pair, `{"pin":"`+pin+`"}`)
				status, mid := s.price(w, pair)
				if off := mid.Div(dec(pin)).Sub(dec("1")).Abs(); status != "fresh" || off.GreaterThan(dec("0.01")) {
					s.t.Errorf("%s: %s is %s %s, pinned to %s", w, pair, status, mid, pin)
				}
			}
		}
		_, pinned := s.price(w, "BTCUSDT")
		s.control(http.MethodDelete, "/worlds/"+w+"/market/BTCUSDT", "")
		if _, mid := s.price(w, "BTCUSDT"); mid.LessThan(pinned.Mul(dec("2"))) {
			s.t.Errorf("%s: the price is still %s after its pin was removed", w, mid)
		}
		s.control(http.MethodDelete, "/worlds/"+w+"/market/USDTNGN", "")
	}
}

// checkQueuedOutcomes checks that invalid requests do not use up queued outcomes.
func checkQueuedOutcomes(s *sandboxFixture) {
	s.control(http.MethodPost, "/worlds", `{"id":"queue",`+frozenClock+`}`)
	s.control(http.MethodPost, "/worlds/queue/next", `{"operation":"resolve-account","outcomes":["unknown"]}`)
	for _, c := range []struct {
		body    string
		status  int
		applied string
	}{
		{`{"country_id":"NG"}`, http.StatusBadRequest, "none"},
		{`{bad`, http.StatusBadRequest, "none"},
		{``, http.StatusBadRequest, "none"},
		{strings.Replace(resolveBody, "000013", "58", 1), http.StatusBadRequest, "none"},
		{resolveBody, http.StatusNotFound, "next:unknown"},
		{resolveBody, http.StatusOK, "none"},
	} {
		rec := s.ask(http.MethodPost, resolvePath, c.body, "Sim-World", "queue")
		if applied := rec.Header().Get("Sim-Applied"); rec.Code != c.status || applied != c.applied {
			s.t.Errorf("%s: %d, decided by %s, want %d by %s", c.body, rec.Code, applied, c.status, c.applied)
		}
	}
}

// checkScriptedOutcomes checks that scripted outcomes are not cached, even for one request ID.
func checkScriptedOutcomes(s *sandboxFixture) {
	for scenario, want := range map[string]int{
		"unknown": 404, "found": 200, "closed": 404, "error:conflict": 409,
		"": 200,
	} {
		for range 2 {
			rec := s.resolve("scripted", "Sim-Scenario", scenario, "X-Request-Id", "req_abcdefghijkl")
			if rec.Code != want || scenario != "" && rec.Header().Get("Sim-Applied") != "scenario:"+scenario {
				s.t.Errorf("%s: %d, %s", scenario, rec.Code, rec.Header().Get("Sim-Applied"))
			}
		}
	}
}

// checkAccounts checks that a change of an account shows at once although results are cached.
func checkAccounts(s *sandboxFixture) {
	for _, sim := range []string{"accounts", world.Default} {
		w, err := s.Worlds.Use(sim)
		if err != nil {
			s.t.Fatal(err)
		}
		original := s.resolve(sim).Body.String()
		for round := range 3 {
			holder := fmt.Sprint("TEST HOLDER ", round)
			if err := w.Accounts().Set("058", "0123456789", accounts.Overlay{AccountName: &holder}); err != nil {
				s.t.Fatal(err)
			}
			for range 2 {
				if rec := s.resolve(sim); !strings.Contains(rec.Body.String(), holder) {
					s.t.Errorf("%s: %s, want %s", sim, rec.Body, holder)
				}
			}
		}
		if err := w.Accounts().Set("058", "0123456789", accounts.Overlay{Outcome: "unknown"}); err != nil {
			s.t.Fatal(err)
		}
		if rec := s.resolve(sim); rec.Code != http.StatusNotFound {
			s.t.Errorf("%s: set to unknown: %d %s", sim, rec.Code, rec.Body)
		}
		if err := w.Accounts().Remove("058", "0123456789", ""); err != nil {
			s.t.Fatal(err)
		}
		if again := s.resolve(sim).Body.String(); again != original {
			s.t.Errorf("%s: after the removal:\n%s, want\n%s", sim, again, original)
		}
	}
}

// checkMagicCurrencies checks that only worlds with magic pairs list their currencies.
func checkMagicCurrencies(s *sandboxFixture) {
	s.control(http.MethodPost, "/worlds", `{"id":"magic","magic_pairs":true}`)
	for w, want := range map[string]bool{"magic": true, "plain": false, world.Default: false} {
		all := s.ask(http.MethodGet, "/v1/currencies", "", "Sim-World", w).Body.String()
		for _, p := range market.MagicPairs() {
			one := s.ask(http.MethodGet, "/v1/currencies/"+p.Code, "", "Sim-World", w)
			if strings.Contains(all, `"code":"`+p.Code+`"`) != want || (one.Code == http.StatusOK) != want {
				s.t.Errorf("%s in %s: %d, want it listed: %t", p.Code, w, one.Code, want)
			}
		}
		if !strings.Contains(all, `"code":"NGN"`) {
			s.t.Errorf("%s does not list NGN", w)
		}
	}
}

// checkJournalAttempts checks that the journal has every attempt of a request, retries included.
func checkJournalAttempts(s *sandboxFixture) {
	for effect, status := range map[string]int{`{"kind":"status","status":503}`: 503, `{"kind":"reset"}`: 0} {
		world := fmt.Sprint("attempts ", status)
		s.control(http.MethodPost, "/worlds", `{"id":"`+world+`",`+frozenClock+`}`)
		s.control(http.MethodPost, "/worlds/attempts%20"+fmt.Sprint(status)+"/faults",
			`{"match":{"provider":"paystack","operation":"resolve"},"effect":`+effect+`,"when":{"max_hits":1}}`)
		rec := s.resolve(world)
		w, err := s.Worlds.Find(world)
		if err != nil {
			s.t.Fatal(err)
		}
		entries, err := w.Journal().Find(journal.Match{Fault: "f1"}, 0)
		if err != nil || len(entries) != 1 {
			s.t.Fatalf("%s: %d entries with the fault, %v", effect, len(entries), err)
		}
		got := slices.Clone(entries[0].Attempts)
		for i := range got {
			got[i].Start, got[i].Took = 0, 0
		}
		attempt := journal.Attempt{Provider: "paystack", Operation: "resolve", Breaker: "closed"}
		first, second := attempt, attempt
		first.Attempt, first.Outcome, first.Status, first.Fault = 1, "unavailable", status, "f1"
		second.Attempt, second.Outcome, second.Status = 2, "found", http.StatusOK
		if want := []journal.Attempt{first, second}; rec.Code != http.StatusOK || !slices.Equal(got, want) {
			s.t.Errorf("%s: %d, the journal has\n%+v, want\n%+v", effect, rec.Code, got, want)
		}
	}
}

// checkJournalSecrets checks that journals and bundles contain no private key or seed phrase.
func checkJournalSecrets(s *sandboxFixture) {
	const (
		key     = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
		phrase  = "legal winner thank year wave sausage worth useful legal winner thank yellow"
		address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
		usual   = `{"type":"address","currency":"BTC","network":"BTC","address":"` + address + `"}`
		path    = control.Prefix + "/worlds/secrets/journal"
	)
	send := func(method, path, body string) string {
		headers := map[string]string{"Sim-World": "secrets"}
		rec := s.send(catalog.Request{Method: method, Path: path, Body: body, Headers: headers})
		if rec.Code != http.StatusOK {
			s.t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
		return rec.Body.String()
	}
	send(http.MethodPost, "/v1/validate", usual)
	for _, secret := range []string{key, phrase, phrase[:36]} {
		body := strings.Replace(usual, address, secret, 1)
		both := send(http.MethodPost, "/v1/validate", body) +
			send(http.MethodPost, "/v1/validate/batch", `{"items":[`+usual+`,`+body+`]}`)
		if strings.Count(both, `"secret_key"`) != 2 {
			s.t.Error(both)
		}
	}
	bundle := send(http.MethodGet, path+"/bundle", "")
	b, err := journal.DecodeBundle([]byte(bundle))
	if err != nil || len(b.Requests) != 1 || b.LeftOut != 6 || b.Complete {
		s.t.Errorf("%v: %d requests, %d left out", err, len(b.Requests), b.LeftOut)
	}
	shown := bundle + send(http.MethodGet, path, "")
	for _, planted := range []string{key, key[:2] + "****", "winner", "le****"} {
		if strings.Contains(shown, planted) {
			s.t.Errorf("%q is in %s", planted, shown)
		}
	}
}

// TestWorld_Breakers checks that circuit breakers belong to a world and follow its clock.
func TestWorld_Breakers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxEnv(t)
		paystack := faults.Match{Provider: "paystack"}
		fails := s.worldWithFault("fails", faults.Rule{
			Match: paystack, Effect: faults.Effect{Kind: faults.Status, Status: http.StatusInternalServerError},
		})
		works := s.worldWithFault("works", faults.Rule{
			Match: paystack, Effect: faults.Effect{Kind: faults.WrongContentType},
		})
		const requests = 30
		for n := range requests {
			for _, world := range []string{"fails", "works"} {
				if code := s.resolveNth(world, n); code != http.StatusOK {
					t.Fatalf("%s: %d", world, code)
				}
			}
		}
		opened := faultHits(fails)
		if n := faultHits(works); opened < 5 || opened > requests/2 || n < requests {
			t.Errorf("%d calls of %d where it fails, %d where it works", opened, requests, n)
		}
		entries, err := fails.Journal().Find(journal.Match{Breaker: "open"}, 1)
		if err != nil || len(entries) != 1 || entries[0].Attempts[0].Attempt != 0 || entries[0].Attempts[0].Fault != "" {
			t.Errorf("%v, the journal has %+v", err, entries)
		}
		s.resolveNth("fails", requests)
		if n := faultHits(fails); n != opened {
			t.Errorf("called again although the clock is frozen: %d, then %d times", opened, n)
		}
		if _, err := fails.Advance(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
		s.resolveNth("fails", requests+1)
		if n := faultHits(fails); n != opened+1 {
			t.Errorf("a minute later: %d calls, want %d", n, opened+1)
		}
	})
}

// TestWorld_RateLimits checks that rate limits belong to a world that enforces them and follow its
// clock.
func TestWorld_RateLimits(t *testing.T) {
	t.Parallel()
	s := newSandboxEnv(t, "CAUSEWAY_LIMITS__OPERATIONS__LIST_COUNTRIES=2/h")
	s.control(http.MethodPost, "/worlds", `{"id":"strict","enforce_limits":true,`+frozenClock+`}`)
	s.control(http.MethodPost, "/worlds", `{"id":"another","enforce_limits":true,`+frozenClock+`}`)
	third := func(sim string) (code int, wait string) {
		for range 3 {
			rec := s.ask(http.MethodGet, "/v1/countries", "", "Sim-World", sim)
			if code, wait = rec.Code, rec.Header().Get("Retry-After"); rec.Header().Get("RateLimit-Policy") == "" {
				t.Errorf("%s: %v", sim, rec.Header())
			}
		}
		return code, wait
	}
	for range 2 {
		if code, wait := third("strict"); code != http.StatusTooManyRequests || wait != "1800" {
			t.Errorf("the third call: %d, Retry-After %q", code, wait)
		}
	}
	w, err := s.Worlds.Find("strict")
	if err != nil {
		t.Fatal(err)
	}
	w.Freeze(w.Now().Add(30 * time.Minute))
	if rec := s.ask(http.MethodGet, "/v1/countries", "", "Sim-World", "strict"); rec.Code != http.StatusOK {
		t.Errorf("after Retry-After by the world's clock: %d %s", rec.Code, rec.Body)
	}
	for sim, want := range map[string]int{
		"another": http.StatusTooManyRequests, "easy": http.StatusOK, world.Default: http.StatusOK,
	} {
		if code, _ := third(sim); code != want {
			t.Errorf("the third call in %s: %d, want %d", sim, code, want)
		}
	}
}

// TestWorld_Tokens checks that access tokens of providers expire by the clock of the world.
func TestWorld_Tokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSandboxEnv(t, "CAUSEWAY_RECIPIENTS__ROUTES__NG_BANK_TRANSFER=monnify")
		w := s.worldWithFault("moves", faults.Rule{
			Match:  faults.Match{Provider: "monnify", Operation: "login"},
			Effect: faults.Effect{Kind: faults.WrongContentType}, // harmless, but counted
		})
		for n := range 6 {
			if code := s.resolveNth("moves", n); code != http.StatusOK {
				t.Fatal(code)
			}
			if hours, logins := uint64(n/2), faultHits(w); logins != hours+1 {
				t.Errorf("after %d hours: %d logins", hours, logins)
			}
			if n%2 == 1 {
				w.Freeze(w.Now().Add(time.Hour))
			}
		}
	})
}

// newIdleSandbox builds a sandbox whose worlds end after a time without requests.
func newIdleSandbox(t *testing.T, idle time.Duration) *sandboxFixture {
	t.Helper()
	cfg := settings(t)
	cfg.Simulator.Idle = idle
	return &sandboxFixture{newTestApp(t, cfg, zap.NewNop(), withCurrencies(t, "BTC", "USDT", "USD", "NGN")), t}
}

// TestWorld_Idle checks that an idle world ends with its services.
func TestWorld_Idle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const idle = 90 * time.Second
		s := newIdleSandbox(t, idle)
		defer background(t.Context(), s.Worlds.Run)()
		if _, err := s.Worlds.Create(world.Options{ID: "long", TTL: input.Duration(3 * idle)}); err != nil {
			t.Fatal(err)
		}
		for _, w := range []string{"idle", "long"} {
			if rec := s.resolve(w); rec.Code != http.StatusOK {
				t.Fatalf("%d %s", rec.Code, rec.Body)
			}
		}
		time.Sleep(idle - time.Second)
		if n := s.otherWorlds(); n != 2 {
			t.Errorf("%d worlds are alive before their time is up", n)
		}
		time.Sleep(time.Second + time.Minute) // worlds are checked once a minute
		synctest.Wait()
		rec := s.resolve("idle")
		if rec.Code != http.StatusGone || !strings.Contains(rec.Body.String(), `"world_expired"`) || s.otherWorlds() != 1 {
			t.Errorf("%d %s, %d worlds are alive", rec.Code, rec.Body, s.otherWorlds())
		}
		if rec := s.resolve("long"); rec.Code != http.StatusOK {
			t.Errorf("the one with a TTL of its own: %d %s", rec.Code, rec.Body)
		}
	})
}

// TestWorld_Stream checks that a stream keeps its world from being idle, and ends with it.
func TestWorld_Stream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newIdleSandbox(t, 10*time.Second)
		defer background(t.Context(), s.Worlds.Run)()
		rec := httptest.NewRecorder()
		wait := background(t.Context(), func(ctx context.Context) {
			r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/pairs/stream?id=BTCUSDT", http.NoBody)
			r.Header.Set("Sim-World", "followed")
			s.Handler.ServeHTTP(rec, r)
		})
		defer wait()
		time.Sleep(30 * time.Second)
		if err := s.Worlds.Delete("followed"); err != nil {
			t.Errorf("the world ended while it had a stream: %v", err)
		}
		synctest.Wait()
		if body := rec.Body.String(); rec.Code != http.StatusOK || !strings.Contains(body, "event: snapshot") ||
			!strings.Contains(body, "event: change") || s.otherWorlds() != 0 {
			t.Errorf("%d worlds are alive, %d %.300s", s.otherWorlds(), rec.Code, body)
		}
	})
}
