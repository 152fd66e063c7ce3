package control_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/simulator/accounts"
	"causeway/simulator/faults"
)

func TestAnAccountIsSetShownAndForgotten(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	show := func(method, below, body string) accounts.View {
		return decode[accounts.View](t, l.do(method, "/worlds/a/accounts/"+below, body))
	}
	before := show(http.MethodGet, "000013/0123456780", "")
	if before.Why != "seed" || before.Country != "NG" || before.Outcome == "" {
		t.Errorf("%+v", before)
	}
	if set := show(http.MethodPut, "058/0123-456-780", `{"account_name":"TEST ADA OKAFOR"}`); set.Bank != "000013" || set.Number != "0123456780" || set.Why != "set" || *set.AccountName != "TEST ADA OKAFOR" {
		t.Errorf("%+v", set)
	}
	if set := show(http.MethodPut, "000013/0123456780", `{"outcome":"unknown"}`); set.Outcome != "unknown" || set.AccountName != nil {
		t.Errorf("%+v", set)
	}
	if set := show(http.MethodPut, "MPESA/%2B254712345678", `{"outcome":"closed","country":"ke"}`); set.Outcome != "closed" || set.Country != "KE" {
		t.Errorf("%+v", set)
	}
	if set := show(http.MethodPut, "pay_bill/888880", `{"account_name":"TEST SHOP"}`); set.Bank != "pay_bill" || set.Country != "KE" || *set.AccountName != "TEST SHOP" {
		t.Errorf("%+v", set)
	}
	if all := decode[[]accounts.Setting](t, l.do(http.MethodGet, "/worlds/a/accounts", "")); len(all) != 3 {
		t.Errorf("%+v", all)
	}
	if after := show(http.MethodDelete, "000013/0123456780", ""); after.Why != "seed" || after.Outcome != before.Outcome {
		t.Errorf("%+v, before it was %+v", after, before)
	}
	l.refused(http.MethodDelete, "/worlds/a/accounts/000013/0123456780", "", http.StatusNotFound, "not_found", "Nothing is set")
	for number, why := range map[string]string{"0000000404": "magic:404", "1234567309": "magic:309", "0000000100": "seed"} {
		if got := show(http.MethodGet, "001/"+number+"?country=NG", ""); got.Why != why {
			t.Errorf("%s: %+v", number, got)
		}
	}
}

func TestAccountsThatCannotBeSet(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	for _, c := range []struct{ below, body, word string }{
		{"000013/0123456789", `{}`, "an account_name, an outcome, or both"},
		{"000013/0123456789", `{"outcome":"rich"}`, "unknown"},
		{"000013/0123456789", `{"outcome":"error:not_found"}`, "unknown"},
		{"000013/0123456789", `{"name":"ADA"}`, "account_name, outcome, country"},
		{"000013/0123456789", `{"outcome":"unknown","account_name":"TEST"}`, "accepted"},
		{"000013/0123456789", `{"account_name":7}`, "text in quotes"},
		{"NOPE/0123456789", `{"outcome":"unknown"}`, "is no institution"},
		{"001/0123456789", `{"outcome":"unknown"}`, "country"},
		{"001/0000000404", `{"outcome":"found","country":"NG"}`, "another ending"},
		{"000013/" + "01234567890123456789012345678901234567890123456789012345678901234567", `{"outcome":"unknown"}`, "1 to 64"},
	} {
		l.refused(http.MethodPut, "/worlds/a/accounts/"+c.below, c.body, http.StatusBadRequest, "request_validation", "accepted", c.word)
	}
	l.refused(http.MethodGet, "/worlds/a/accounts/NOPE/1", "", http.StatusBadRequest, "request_validation", "is no institution")
	l.refused(http.MethodGet, "/worlds/a/accounts/001/1", "", http.StatusBadRequest, "request_validation", "country")
	l.refused(http.MethodGet, "/worlds/a/accounts/001/1?land=NG", "", http.StatusBadRequest, "request_validation", "accepted: country")
	if w := decode[worldBody](t, l.do(http.MethodGet, "/worlds/a", "")); w.Accounts != 0 {
		t.Errorf("%+v", w)
	}
}

func TestOutcomesAreQueuedAndForgotten(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	l.do(http.MethodPost, "/worlds/a/next", `{"operation":"resolve-account","outcomes":["unknown","all_down"]}`)
	l.do(http.MethodPost, "/worlds/a/next", `{"operation":"list-pairs","outcomes":["error:service_unavailable"]}`)
	got := decode[[]accounts.Queued](t, l.do(http.MethodPost, "/worlds/a/next", `{"operation":"resolve-account","outcomes":["error:conflict"]}`))
	if len(got) != 2 || got[0].Operation != "list-pairs" || len(got[1].Outcomes) != 3 || got[1].Outcomes[2] != "error:conflict" {
		t.Errorf("%+v", got)
	}
	if got := decode[[]accounts.Queued](t, l.do(http.MethodDelete, "/worlds/a/next?operation=resolve-account", "")); len(got) != 1 || got[0].Operation != "list-pairs" {
		t.Errorf("%+v", got)
	}
	for body, word := range map[string]string{
		`{"operation":"fly","outcomes":["unknown"]}`: "resolve-account", `{"operation":"list-pairs","outcomes":["unknown"]}`: "error:not_found", `{"operation":"resolve-account","outcomes":["unknown","rich"]}`: "outcomes.1",
		`{"operation":"resolve-account","outcomes":[]}`: "one at least", `{"operation":"resolve-account","outcomes":"unknown"}`: "a list", `{"operation":"resolve-account","outcomes":[1]}`: "text in quotes",
		`{"operation":"resolve-account","outcome":"unknown"}`: "operation, outcomes", `{}`: "resolve-account",
	} {
		l.refused(http.MethodPost, "/worlds/a/next", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	l.refused(http.MethodDelete, "/worlds/a/next?operation=fly", "", http.StatusBadRequest, "request_validation", "accepted", "resolve-account")
	l.refused(http.MethodPost, "/worlds/a/next", `{"operation":"list-pairs","outcomes":["error:conflict"`+strings.Repeat(`,"error:conflict"`, 1000)+`]}`, http.StatusBadRequest, "request_validation", "are 1001", "up to 1000")
	if got := string(l.do(http.MethodGet, "/worlds/a/next", "")); got != `[{"operation":"list-pairs","outcomes":["error:service_unavailable"]}]` {
		t.Errorf("%s", got)
	}
	if got := string(l.do(http.MethodDelete, "/worlds/a/next", "")); got != "[]" {
		t.Errorf("%s", got)
	}
}

func TestFaultsAreMadeListedAndEnded(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	one := l.ask(http.MethodPost, "/worlds/a/faults", `{"match":{"plane":"upstream","provider":"kraken"},"effect":{"kind":"inverted"},"when":{"max_hits":2},"phase":"after"}`)
	made := decode[[]faults.Fault](t, one.Data)
	if one.status != http.StatusCreated || len(made) != 1 || made[0].ID != "f1" || made[0].Rule.When.MaxHits != 2 || made[0].Rule.Phase != faults.After {
		t.Fatalf("%d %s", one.status, one.body)
	}
	w, err := l.worlds.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.Faults().Next(faults.Request{Provider: "kraken", Operation: "ticker"}, w.Now())
	}
	for preset, rules := range map[string]int{"provider_down:okx": 1, "slow_tail": 1, "quota_exhausted": 1, "bad_deploy": 4, "partial_outage_30:paystack": 1} {
		if got := decode[[]faults.Fault](t, l.do(http.MethodPost, "/worlds/a/faults", `{"preset":"`+preset+`"}`)); len(got) != rules {
			t.Errorf("%s: %+v", preset, got)
		}
	}
	all := decode[[]faults.Fault](t, l.do(http.MethodGet, "/worlds/a/faults", ""))
	if len(all) != 9 || all[0].Matched != 3 || all[0].Hits != 2 || all[0].HitProvider["kraken"] != 2 {
		t.Errorf("%+v", all)
	}
	if left := decode[[]faults.Fault](t, l.do(http.MethodDelete, "/worlds/a/faults/f1", "")); len(left) != 8 || left[0].ID != "f2" {
		t.Errorf("%+v", left)
	}
	l.refused(http.MethodDelete, "/worlds/a/faults/f1", "", http.StatusNotFound, "not_found", "f1")
	if left := string(l.do(http.MethodDelete, "/worlds/a/faults", "")); left != "[]" {
		t.Errorf("%s", left)
	}
}

func TestFaultsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	for body, word := range map[string]string{
		`{}`: "effect", `{"match":{"provider":"kraken"}}`: "preset", `{"effect":{}}`: "inverted", `{"effect":{"kind":"gremlins"}}`: "inverted", `{"match":{"provider":"lehman"},"effect":{"kind":"reset"}}`: "kraken",
		`{"match":{"provider":"paystack"},"effect":{"kind":"inverted"}}`: "kraken", `{"match":{"provider":"paystack","operation":"banks"},"effect":{"kind":"missing_field"}}`: "operations resolve, validate", `{"match":{"plane":"edge"},"effect":{"kind":"inverted"}}`: "accepted", `{"match":{"plane":"astral"},"effect":{"kind":"reset"}}`: "upstream",
		`{"match":{"operation":"fly"},"effect":{"kind":"reset"}}`: "ticker", `{"match":{"nth":-1},"effect":{"kind":"reset"}}`: "1 or more", `{"match":{"host":"x"},"effect":{"kind":"reset"}}`: "plane, provider, operation, header, nth",
		`{"effect":{"kind":"reset","status":500}}`: "nothing", `{"effect":{"kind":"status"}}`: "400 to 599", `{"effect":{"kind":"status","status":"503"}}`: "a whole number", `{"effect":{"kind":"latency","ms":0}}`: "1 to",
		`{"effect":{"kind":"reset"},"when":{"probability":0.5}}`: "in quotes", `{"effect":{"kind":"reset"},"when":{"probability":"2"}}`: "from 0 to 1", `{"effect":{"kind":"reset"},"when":{"ttl":"1x"}}`: `\"1x\" is not accepted here; accepted: a duration`,
		`{"effect":{"kind":"reset"},"when":{"often":true}}`: "probability, after, every, max_hits, ttl", `{"effect":{"kind":"reset"},"phase":"during"}`: "before, after", `{"preset":"meteor"}`: "slow_tail",
		`{"preset":"provider_down"}`: "kraken", `{"preset":"slow_tail:lehman"}`: "kraken", `{"preset":"slow_tail","effect":{"kind":"reset"}}`: "one of them",
		`{"preset":"slow_tail","match":{"provider":"okx"}}`: "slow_tail:okx", `{"preset":"slow_tail","when":{"every":2}}`: "accepted", `{"kind":"reset"}`: "preset, match, effect, when, phase",
	} {
		l.refused(http.MethodPost, "/worlds/a/faults", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	if left := string(l.do(http.MethodGet, "/worlds/a/faults", "")); left != "[]" {
		t.Errorf("%s", left)
	}
	if made := decode[[]faults.Fault](t, l.do(http.MethodPost, "/worlds/a/faults", `{"effect":{"kind":"reset"}}`)); made[0].ID != "f1" {
		t.Errorf("what was refused counts: %+v", made)
	}
}
