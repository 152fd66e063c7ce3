package control_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/control"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/market"
)

type clockBody struct {
	Now       time.Time
	Frozen    bool
	Rate      int
	NextEvent *time.Time `json:"next_event"`
}

func TestClock(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.frozenWorld("a")
	worked := time.Time{}
	w.OnAdvance(func(_ context.Context, now time.Time) error { worked = now; return nil })
	began := noon.Add(-time.Hour)
	for _, c := range []struct {
		method, below, body string
		after               time.Duration
		frozen              bool
		rate                int
	}{
		{http.MethodPost, "/advance", `{"by":"37s"}`, 37 * time.Second, true, 1},
		{http.MethodPost, "/advance", `{"to":"2026-11-16T12:20:00+01:00"}`, 20 * time.Minute, true, 1},
		{http.MethodPut, "", `{"now":"2026-11-16T11:30:00Z","frozen":true}`, 30 * time.Minute, true, 1},
		{http.MethodPut, "", `{"rate":60}`, 30 * time.Minute, false, 60},
		{http.MethodPut, "", `{"frozen":true}`, 30 * time.Minute, true, 60},
	} {
		got := decode[clockBody](t, f.do(c.method, "/worlds/a/clock"+c.below, c.body))
		if !got.Now.Equal(began.Add(c.after)) || got.Frozen != c.frozen || got.Rate != c.rate {
			t.Errorf("%s %s: %+v", c.below, c.body, got)
		}
		if now := decode[clockBody](t, f.do(http.MethodGet, "/worlds/a/clock", "")); now != got || worked.After(got.Now) {
			t.Errorf("got %+v, then %+v; work as of %s", got, now, worked)
		}
	}
	f.do(http.MethodPost, "/worlds/a/faults", `{"match":{"provider":"okx"},"effect":{"kind":"refuse"},"when":{"ttl":"90s"}}`)
	end := began.Add(30*time.Minute + 90*time.Second)
	if c := decode[clockBody](t, f.do(http.MethodGet, "/worlds/a/clock", "")); c.NextEvent == nil || !c.NextEvent.Equal(end) {
		t.Errorf("got %+v", c)
	}
	if c := decode[clockBody](t, f.do(http.MethodPost, "/worlds/a/clock/advance", `{"to":"next-event"}`)); !c.Now.Equal(end) || !worked.Equal(end) {
		t.Errorf("got %+v, work as of %s", c, worked)
	}
	if w := decode[struct{ Faults int }](t, f.do(http.MethodGet, "/worlds/a", "")); w.Faults != 0 {
		t.Errorf("%d faults are active after the only one ended", w.Faults)
	}
}

func TestClock_WorkFails(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.frozenWorld("a")
	failure := errors.New("dial tcp 10.0.0.1: refused")
	w.OnAdvance(func(context.Context, time.Time) error { return failure })
	f.rejected(http.MethodPost, "/worlds/a/clock/advance", `{"by":"1m"}`, http.StatusInternalServerError, "internal_server_error", "Internal error")
	if f.log.FilterMessage("control call failed").Len() != 1 {
		t.Error("the cause is not in the log")
	}
	failure = nil
	ctx, cancel := context.WithCancel(t.Context())
	w.OnAdvance(func(context.Context, time.Time) error { cancel(); return nil })
	rec := httptest.NewRecorder()
	f.handler.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodPost, control.Prefix+"/worlds/a/clock/advance", strings.NewReader(`{"by":"1h"}`)))
	if rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") == "" {
		t.Errorf("cut off: %d %s", rec.Code, rec.Body)
	}
	if now := w.Now(); now.After(noon.Add(-50 * time.Minute)) {
		t.Errorf("the clock went on to %s", now)
	}
}

func TestMarket(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	type marketBody struct {
		Pair, ID, Reference string
		Setting             *market.Setting
		Venues              []struct{ Venue, State, Bid, Ask string }
	}
	call := func(method, pair, body string) marketBody {
		return decode[marketBody](t, f.do(method, "/worlds/a/market/"+pair, body))
	}
	before := call(http.MethodGet, "USDTNGN", "")
	if before.Pair != "USDT/NGN" || before.ID != "USDTNGN" || before.Setting != nil || len(before.Venues) != 3 || before.Reference == "" {
		t.Fatalf("got %+v", before)
	}
	set := call(http.MethodPut, "usdt%2Fngn", `{"pin":"1400.50","spread_bps":20,"venues":{"quidax":{"offset_bps":-150,"lag_ms":0},"busha":{"state":"down"}}}`)
	if set.Reference != "1400.5" || set.Setting == nil || set.Venues[0].State != "down" || !strings.HasPrefix(set.Venues[2].Bid, "1378") {
		t.Errorf("got %+v", set)
	}
	if all := decode[[]marketBody](t, f.do(http.MethodGet, "/worlds/a/market", "")); len(all) != 1 || all[0].ID != "USDTNGN" {
		t.Errorf("got %+v", all)
	}
	if replaced := call(http.MethodPut, "USDTNGN", `{"volatility":0}`); replaced.Setting == nil || replaced.Setting.Pin != "" || replaced.Venues[0].State != "up" {
		t.Errorf("got %+v", replaced)
	}
	if lifted := call(http.MethodDelete, "USDTNGN", ""); lifted.Setting != nil || lifted.Reference != before.Reference {
		t.Errorf("got %+v, before %+v", lifted, before)
	}
}

func TestPlay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, name := range incidents.Names() {
		f.frozenWorld(name)
		got := decode[struct {
			Scenario, Title string
			From, Until     time.Time
			Verdicts        []incidents.Verdict
		}](t, f.do(http.MethodPost, "/worlds/"+name+"/market/play", `{"scenario":"`+name+`","speed":1}`))
		if got.Scenario != name || got.Title == "" || !got.From.Equal(noon.Add(-time.Hour)) || !got.Until.After(got.From) || len(got.Verdicts) == 0 {
			t.Errorf("got %+v", got)
		}
		f.do(http.MethodDelete, "/worlds/"+name, "")
	}
	f.do(http.MethodPost, "/worlds", `{"id":"runs"}`)
	f.do(http.MethodPost, "/worlds/runs/market/play", `{"scenario":"luna-2022","speed":60}`)
	if c := decode[clockBody](t, f.do(http.MethodGet, "/worlds/runs/clock", "")); c.Rate != 60 || c.Frozen {
		t.Errorf("got %+v", c)
	}
}

func TestInstitutions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	type bank struct {
		Country, Code, Name string
		Aliases             []string
		Magic               bool
	}
	all := decode[[]bank](t, f.do(http.MethodGet, "/worlds/default/banks", ""))
	nigeria := decode[[]bank](t, f.do(http.MethodGet, "/worlds/default/banks?country=ng", ""))
	if len(all) <= len(nigeria) || len(nigeria) < 100 {
		t.Fatalf("%d, and %d in Nigeria", len(all), len(nigeria))
	}
	if !slices.ContainsFunc(nigeria, func(b bank) bool { return b.Code == "001" && b.Magic }) {
		t.Error("no magic bank")
	}
	if !slices.ContainsFunc(nigeria, func(b bank) bool { return b.Code == "000013" && slices.Contains(b.Aliases, "058") && !b.Magic }) {
		t.Error("no Guaranty Trust Bank")
	}
}

func TestAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	call := func(method, below, body string) accounts.View {
		return decode[accounts.View](t, f.do(method, "/worlds/a/accounts/"+below, body))
	}
	before := call(http.MethodGet, "000013/0123456780", "")
	if before.Why != "seed" || before.Country != "NG" || before.Outcome == "" {
		t.Errorf("got %+v", before)
	}
	if set := call(http.MethodPut, "058/0123-456-780", `{"account_name":"TEST ADA OKAFOR"}`); set.Bank != "000013" || set.Number != "0123456780" || set.Why != "set" || *set.AccountName != "TEST ADA OKAFOR" {
		t.Errorf("got %+v", set)
	}
	if set := call(http.MethodPut, "MPESA/%2B254712345678", `{"outcome":"closed","country":"ke"}`); set.Outcome != "closed" || set.Country != "KE" {
		t.Errorf("got %+v", set)
	}
	if set := call(http.MethodPut, "pay_bill/888880", `{"account_name":"TEST SHOP"}`); set.Bank != "pay_bill" || set.Country != "KE" {
		t.Errorf("got %+v", set)
	}
	if all := decode[[]accounts.View](t, f.do(http.MethodGet, "/worlds/a/accounts", "")); len(all) != 3 {
		t.Errorf("got %+v", all)
	}
	if after := call(http.MethodDelete, "000013/0123456780", ""); after.Why != "seed" || after.Outcome != before.Outcome {
		t.Errorf("got %+v, before %+v", after, before)
	}
	for number, why := range map[string]string{"0000000404": "magic:404", "0000000100": "seed"} {
		if got := call(http.MethodGet, "001/"+number+"?country=NG", ""); got.Why != why {
			t.Errorf("%s: %+v", number, got)
		}
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	f.do(http.MethodPost, "/worlds/a/next", `{"operation":"resolve-account","outcomes":["unknown","all_down"]}`)
	f.do(http.MethodPost, "/worlds/a/next", `{"operation":"list-pairs","outcomes":["error:service_unavailable"]}`)
	got := decode[[]accounts.Queued](t, f.do(http.MethodPost, "/worlds/a/next", `{"operation":"resolve-account","outcomes":["error:conflict"]}`))
	if len(got) != 2 || got[0].Operation != "list-pairs" || len(got[1].Outcomes) != 3 || got[1].Outcomes[2] != "error:conflict" {
		t.Errorf("got %+v", got)
	}
	const left = `[{"operation":"list-pairs","outcomes":["error:service_unavailable"]}]`
	if got := string(f.do(http.MethodDelete, "/worlds/a/next?operation=resolve-account", "")); got != left {
		t.Errorf("got %s", got)
	}
	if got := string(f.do(http.MethodGet, "/worlds/a/next", "")); got != left {
		t.Errorf("got %s", got)
	}
	if got := string(f.do(http.MethodDelete, "/worlds/a/next", "")); got != "[]" {
		t.Errorf("got %s", got)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	w := f.frozenWorld("a")
	one := f.ask(http.MethodPost, "/worlds/a/faults", `{"match":{"plane":"upstream","provider":"kraken"},"effect":{"kind":"inverted"},"when":{"max_hits":2},"phase":"after"}`)
	added := decode[[]faults.Fault](t, one.Data)
	if one.status != http.StatusCreated || len(added) != 1 || added[0].ID != "f1" || added[0].Rule.When.MaxHits != 2 || added[0].Rule.Phase != faults.After {
		t.Fatalf("%d %s", one.status, one.body)
	}
	for range 3 {
		w.Faults().Next(faults.Request{Provider: "kraken", Operation: "ticker"}, w.Now())
	}
	for preset, rules := range map[string]int{"provider_down:okx": 1, "slow_tail": 1, "bad_deploy": 4} {
		if got := decode[[]faults.Fault](t, f.do(http.MethodPost, "/worlds/a/faults", `{"preset":"`+preset+`"}`)); len(got) != rules {
			t.Errorf("%s: %+v", preset, got)
		}
	}
	all := decode[[]faults.Fault](t, f.do(http.MethodGet, "/worlds/a/faults", ""))
	if len(all) != 7 || all[0].Matched != 3 || all[0].Hits != 2 || all[0].HitProvider["kraken"] != 2 {
		t.Errorf("got %+v", all)
	}
	if left := decode[[]faults.Fault](t, f.do(http.MethodDelete, "/worlds/a/faults/f1", "")); len(left) != 6 || left[0].ID != "f2" {
		t.Errorf("got %+v", left)
	}
	if left := string(f.do(http.MethodDelete, "/worlds/a/faults", "")); left != "[]" {
		t.Errorf("got %s", left)
	}
}
