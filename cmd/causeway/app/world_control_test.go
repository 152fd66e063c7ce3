package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"causeway/simulator"
	"causeway/simulator/control"
	"causeway/simulator/journal"
)

const frozenClock = `"clock":{"now":"2026-11-16T12:00:00Z","frozen":true}`

// price returns the status and the mid price of a pair in a world.
func (g *sandboxFixture) price(world, pair string) (status string, mid decimal.Decimal) {
	g.t.Helper()
	rec := g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/" + pair + "/price", Headers: map[string]string{"Sim-World": world}})
	var got struct {
		Data struct {
			Status string
			Mid    decimal.Decimal
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != http.StatusOK {
		g.t.Fatalf("%s %s: %d %s", world, pair, rec.Code, rec.Body)
	}
	return got.Data.Status, got.Data.Mid
}

// TestWorld_AgesBeforeFirstRequest checks worlds that are changed before their first request.
func TestWorld_AgesBeforeFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t, "BTC", "USDT", "USD")
		g.control(http.MethodPost, "/worlds", `{"id":"fault",`+frozenClock+`}`)
		g.control(http.MethodPost, "/worlds/fault/faults", `{"effect":{"kind":"refuse"}}`)
		g.control(http.MethodPost, "/worlds/fault/clock/advance", `{"by":"1h"}`)
		g.control(http.MethodPost, "/worlds", `{"id":"incident",`+frozenClock+`}`)
		g.control(http.MethodPost, "/worlds/incident/market/play", `{"scenario":"all-stale"}`)
		g.control(http.MethodPost, "/worlds/incident/clock/advance", `{"by":"75s"}`)
		for _, world := range []string{"fault", "incident"} {
			if status, _ := g.price(world, "BTCUSDT"); status != "halted" {
				t.Errorf("%s: it is %s", world, status)
			}
		}
	})
}

// TestWorld_FaultBeforeFirstRequest adds a fault before the first request.
func TestWorld_FaultBeforeFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t, "BTC", "USDT", "USD")
		g.control(http.MethodPost, "/worlds", `{"id":"a",`+frozenClock+`}`)
		g.control(http.MethodPost, "/worlds/a/faults", `{"match":{"provider":"okx"},"effect":{"kind":"times_1000"}}`)
		rec := g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/BTCUSDT/price", Headers: map[string]string{"Sim-World": "a"}})
		if body := rec.Body.String(); !strings.Contains(body, `"status":"fresh"`) || !strings.Contains(body, `"excluded":[{"source":"okx","reason":"outlier"`) {
			t.Errorf("%d %s", rec.Code, body[min(600, len(body)):])
		}
	})
}

// TestWorld_Pin pins markets to prices that jump guards would hold back: pins apply at once.
func TestWorld_Pin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t, "BTC", "USDT", "USD", "NGN")
		for _, world := range []string{"asked", "new"} {
			g.control(http.MethodPost, "/worlds", `{"id":"`+world+`",`+frozenClock+`}`)
		}
		g.price("asked", "USDTNGN")
		g.control(http.MethodPut, "/worlds/default/clock", `{"frozen":true}`)
		for _, world := range []string{"asked", "new", simulator.DefaultWorld} {
			for _, pin := range []string{"2800", "700", "1400"} {
				for _, pair := range []string{"USDTNGN", "BTCUSDT"} {
					g.control(http.MethodPut, "/worlds/"+world+"/market/"+pair, `{"pin":"`+pin+`"}`)
					status, mid := g.price(world, pair)
					if off := mid.Div(decimal.RequireFromString(pin)).Sub(decimal.New(1, 0)).Abs(); status != "fresh" || off.GreaterThan(decimal.New(1, -2)) {
						t.Errorf("%s: %s is %s %s, pinned to %s", world, pair, status, mid, pin)
					}
				}
			}
			_, pinned := g.price(world, "BTCUSDT")
			g.control(http.MethodDelete, "/worlds/"+world+"/market/BTCUSDT", "")
			if _, mid := g.price(world, "BTCUSDT"); mid.LessThan(pinned.Mul(decimal.New(2, 0))) {
				t.Errorf("%s: lifted, it is %s still", world, mid)
			}
		}
	})
}

// TestWorld_OneWrongVenue checks the first price of a world in which one venue is wrong and another
// one slow.
func TestWorld_OneWrongVenue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t)
		for _, e := range simulator.NewCatalog().Faults {
			if e.Kind != simulator.FaultSwappedPair && !strings.HasPrefix(string(e.Kind), "times_") {
				continue
			}
			g.try(string(e.Kind), e.Try)
			w, err := g.Worlds.Create(simulator.Options{ID: "late/" + string(e.Kind)})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []simulator.Rule{
				{Match: simulator.Match{Provider: simulator.OKX}, Effect: simulator.Effect{Kind: e.Kind}},
				{Match: simulator.Match{Provider: simulator.Kraken}, Effect: simulator.Effect{Kind: simulator.FaultLatency, MS: 10}},
			} {
				if _, err := w.Faults().Add(r, w.Now()); err != nil {
					t.Fatal(err)
				}
			}
			if status, _ := g.price(w.ID(), "BTCUSDT"); status != "fresh" {
				t.Errorf("%s: it is %s", e.Kind, status)
			}
			time.Sleep(time.Second) // of the bubble
		}
	})
}

// TestNextOutcome_InvalidRequest checks that invalid requests do not use up queued outcomes.
func TestNextOutcome_InvalidRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSandboxFixture(t)
		const line = "/worlds/refused/next"
		g.control(http.MethodPost, "/worlds", `{"id":"refused",`+frozenClock+`}`)
		g.control(http.MethodPost, line, `{"operation":"resolve-account","outcomes":["unknown"]}`)
		ask := func(body string) (status int, applied string) {
			rec := g.send(simulator.Request{Method: http.MethodPost, Path: resolvePath, Body: body, Headers: map[string]string{"Sim-World": "refused"}})
			return rec.Code, rec.Header().Get("Sim-Applied")
		}
		for _, body := range []string{
			`{"country_id":"NG"}`, `{bad`, ``, `{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"58","account_number":"0123456789"}`,
		} {
			if status, applied := ask(body); status != http.StatusBadRequest || applied != "none" {
				t.Errorf("%s: %d, decided by %s", body, status, applied)
			}
		}
		if status, applied := ask(resolveBody); status != http.StatusNotFound || applied != "next:unknown" {
			t.Errorf("the first good one: %d, decided by %s", status, applied)
		}
		if status, applied := ask(resolveBody); status != http.StatusOK || applied != "none" {
			t.Errorf("the one after it: %d, decided by %s", status, applied)
		}
	})
}

// TestJournal_Attempts checks that the journal has every try of a request, retries included.
func TestJournal_Attempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // else a busy machine could let a provider be late
		g := newSandboxFixture(t)
		for effect, status := range map[string]int{`{"kind":"status","status":503}`: http.StatusServiceUnavailable, `{"kind":"reset"}`: 0} {
			const world = "tries"
			g.control(http.MethodPost, "/worlds", `{"id":"`+world+`",`+frozenClock+`}`)
			g.control(http.MethodPost, "/worlds/"+world+"/faults", `{"match":{"provider":"paystack","operation":"resolve"},"effect":`+effect+`,"when":{"max_hits":1}}`)
			rec := g.send(simulator.Request{Method: http.MethodPost, Path: resolvePath, Body: resolveBody, Headers: map[string]string{"Sim-World": world}})
			w, err := g.Worlds.Find(world)
			if err != nil {
				t.Fatal(err)
			}
			entries, err := w.Journal().Find(journal.Match{Fault: "f1"}, 0)
			if err != nil || len(entries) != 1 {
				t.Fatalf("%s: %d entries with the fault, %v", effect, len(entries), err)
			}
			got := slices.Clone(entries[0].Attempts)
			for i := range got {
				if got[i].Took < 0 {
					t.Errorf("%s: it took %v", effect, got[i].Took)
				}
				got[i].Took = 0
			}
			want := []journal.Attempt{
				{Provider: "paystack", Operation: "resolve", Attempt: 1, Outcome: "unavailable", Status: status, Breaker: "closed", Fault: "f1"},
				{Provider: "paystack", Operation: "resolve", Attempt: 2, Outcome: "found", Status: http.StatusOK, Breaker: "closed"},
			}
			if rec.Code != http.StatusOK || !slices.Equal(got, want) {
				t.Errorf("%s: %d, the journal has\n%+v, want\n%+v", effect, rec.Code, got, want)
			}
			g.control(http.MethodDelete, "/worlds/"+world, "")
		}
	})
}

// TestJournal_SecretKeys checks that journals and bundles contain no private key or seed phrase.
func TestJournal_SecretKeys(t *testing.T) {
	t.Parallel()
	const (
		key    = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
		phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
		usual  = `{"type":"address","currency":"BTC","network":"BTC","address":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}`
		path   = control.Prefix + "/worlds/TestSecrets/journal"
	)
	g := newSandboxFixture(t, "BTC", "USD", "NGN", "USDT")
	says := func(method, path, body string) string {
		rec := g.send(simulator.Request{Method: method, Path: path, Body: body, Headers: map[string]string{"Sim-World": "TestSecrets"}})
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, rec.Code, rec.Body)
		}
		return rec.Body.String()
	}
	says(http.MethodPost, "/v1/validate", usual)
	for _, secret := range []string{key, phrase, phrase[:36]} {
		body := strings.Replace(usual, "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", secret, 1)
		if answer := says(http.MethodPost, "/v1/validate", body) + says(http.MethodPost, "/v1/validate/batch", `{"items":[`+usual+`,`+body+`]}`); strings.Count(answer, `"secret_key"`) != 2 {
			t.Error(answer)
		}
	}
	bundle := says(http.MethodGet, path+"?format=bundle", "")
	b, err := journal.DecodeBundle([]byte(bundle))
	if err != nil || len(b.Requests) != 1 || b.LeftOut != 6 || b.Complete {
		t.Errorf("%v: %d requests, %d left out", err, len(b.Requests), b.LeftOut)
	}
	shown := bundle + says(http.MethodGet, path, "")
	for _, planted := range []string{key, key[:2] + "****", "winner", "le****"} {
		if strings.Contains(shown, planted) {
			t.Errorf("%q is in %s", planted, shown)
		}
	}
}
