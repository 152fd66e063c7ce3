package journal_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"causeway/simulator/journal"
)

// everything is all that a journal shows of its entries, but for a bundle.
func everything(t testing.TB, j *journal.Journal) string {
	t.Helper()
	var list []journal.Entry
	for _, control := range []bool{false, true} {
		list = append(list, find(t, j, journal.Match{Control: control})...)
	}
	text := asJSON(t, list) + asJSON(t, j.State()) + fmt.Sprintf("%v %+v %#v", list, list, list)
	for i := range list {
		report, err := j.Assert(journal.Assertion{Match: journal.Match{Operation: list[i].Operation, Path: "/nowhere", Status: 599, Control: list[i].Control}})
		if err != nil || report.Pass {
			t.Fatalf("%+v, %v", report, err)
		}
		text += asJSON(t, report) + fmt.Sprintf("%+v", report)
	}
	plain, err := url.QueryUnescape(strings.ReplaceAll(text, "%", "%25"))
	if err != nil {
		t.Fatal(err)
	}
	return text + plain
}

// bundled is the file of a bundle.
func bundled(t testing.TB, j *journal.Journal) string {
	t.Helper()
	return asJSON(t, j.Bundle(origin))
}

// host is the host of requests that are sent again.
const host = "http://localhost:8080"

var origin = journal.Origin{
	Build: "v1.2.3", Dataset: "2026-11-20",
	World: json.RawMessage(`{"id":"TestX/one","seed":"TestX/one","clock":{"now":"2026-11-21T12:00:00Z","frozen":true},"magic_pairs":true}`),
}

func TestEntry_Masked(t *testing.T) {
	t.Parallel()
	const (
		key    = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
		phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
		phone  = "+2348031234567"
	)
	for _, c := range []struct {
		name           string
		method, target string
		headers        []string
		body           string
		planted        []string
		nowhere        bool // nor in a bundle
	}{
		{name: "an account number and a name in a body", method: "POST", target: resolvePath, body: resolveBody, planted: []string{bankAccount, holder, "Okafor"}},
		{name: "an address and a memo in a body", method: "POST", target: "/v1/validate", body: validateBody, planted: []string{tronAddress, "Chidi", "invoice"}},
		{name: "every item of a batch", method: "POST", target: "/v1/validate/batch", body: `{"items":[` + validateBody + `,{"currency":"BTC","address":"` + key + `"}]}`, planted: []string{tronAddress, "Chidi", key}},
		{name: "a number as a number", method: "POST", target: resolvePath, body: `{"account_number":9876543210,"bank_code":12345678}`, planted: []string{"9876543210", "12345678"}},
		{name: "escaped characters", method: "POST", target: resolvePath, body: `{"account_name":"\u0041daeze \"Okafor\"\\"}`, planted: []string{"daeze", "Okafor"}},
		{name: "a value in the wrong field", method: "POST", target: resolvePath, body: `{"currency_id":"` + bankAccount + `","bank_code":"Adaeze Okafor","network":"` + tronAddress + `"}`, planted: []string{bankAccount, "Okafor", tronAddress}},
		{name: "a value as a name", method: "POST", target: resolvePath, body: `{"` + bankAccount + `":1,"Adaeze Okafor":2}`, planted: []string{bankAccount, "Okafor"}},
		{name: "a list in place of a value", method: "POST", target: resolvePath, body: `{"account_number":["` + bankAccount + `"],"currency":["NGN",{"x":"` + phone + `"},"` + phrase + `"]}`, planted: []string{bankAccount, phone, "sausage"}},
		{name: "a name with a harmless one around it", method: "POST", target: resolvePath, body: `{"currency":{"account_name":"Okafor"},"channel":[["Adaeze Okafor"]]}`, planted: []string{"Okafor"}},
		{name: "a name behind a harmless one", method: "POST", target: resolvePath, body: `{"account_name":[{"currency":"NGN"},"Okafor",["NGN"],"Okafor"]}`, planted: []string{"Okafor"}},
		{name: "a lone text", method: "POST", target: resolvePath, body: `"Okafor"`, planted: []string{"Okafor"}},
		{name: "a body that is no JSON", method: "POST", target: resolvePath, body: `account_number=` + bankAccount, planted: []string{bankAccount}},
		{name: "two bodies", method: "POST", target: resolvePath, body: resolveBody + resolveBody, planted: []string{bankAccount, "Okafor"}},
		{name: "a body that is too long", method: "POST", target: resolvePath, body: `{"a":"` + strings.Repeat(bankAccount, 1000) + `"}`, planted: []string{bankAccount}},
		{name: "a query", method: "GET", target: "/v1/banks?account_number=" + bankAccount + "&q=Okafor&address=" + tronAddress + "&currency=" + bankAccount, planted: []string{bankAccount, "Okafor", tronAddress}},
		{name: "an escaped query", method: "GET", target: "/v1/banks?%61ccount_number=%30123456789&q=%4Fkafor%zz&q=Okafor+Nwosu", planted: []string{bankAccount, "kafor"}},
		{name: "the name of a parameter", method: "GET", target: "/v1/banks?" + bankAccount + "&" + tronAddress + "=1", planted: []string{bankAccount, tronAddress}},
		{name: "a path", method: "GET", target: "/v1/accounts/" + bankAccount + "/" + tronAddress + "/Adaeze%20Okafor", planted: []string{bankAccount, tronAddress, "Okafor"}},
		{name: "an account of the control API", method: "PUT", target: "/_sim/v1/worlds/x/accounts/001/" + bankAccount, body: `{"account_name":"Okafor"}`, planted: []string{bankAccount, "Okafor"}},
		{name: "a method", method: "X" + tronAddress, target: "/", planted: []string{tronAddress}},
		{name: "headers that matter", method: "GET", target: "/v1/banks", headers: []string{"Accept", "text/" + bankAccount, "Sim-Scenario", "0123 456-789", "Content-Type", "Adaéze", "X-Request-Id", phone, "If-None-Match", `"` + bankAccount + `"`}, planted: []string{bankAccount, "0123 456-789", "daéze", phone}},
		{name: "credentials", method: "GET", target: "/v1/banks", headers: []string{"Authorization", "Bearer sk_planted_1", "Cookie", "session=sk_planted_1", "Proxy-Authorization", "sk_planted_1", "X-Api-Key", "sk_planted_1", "X-Bu-Profile-Id", "sk_planted_1"}, planted: []string{"sk_planted_1"}, nowhere: true},
		{name: "a user in an address", method: "GET", target: "http://sk_planted_2:sk_planted_2@localhost/v1/banks", planted: []string{"sk_planted_2"}, nowhere: true},
		{name: "the name of a header", method: "GET", target: "/v1/banks", headers: []string{"Sim-" + bankAccount, "x"}, planted: []string{bankAccount}, nowhere: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t)
			r := request(c.method, c.target, c.headers...)
			record(j, "planted", r, c.body, 400)
			o := j.BeginControl("planted", r)
			o.Body([]byte(c.body))
			o.End("", answer(400, ""))
			text := everything(t, j)
			file := bundled(t, j)
			for _, planted := range c.planted {
				if strings.Contains(text, planted) {
					t.Errorf("%q is shown in\n%s", planted, text)
				}
				if c.nowhere && strings.Contains(file, planted) {
					t.Errorf("%q is in a bundle:\n%s", planted, file)
				}
			}
		})
	}
}

func TestEntry_Codes(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	record(j, "a", request("GET", "/v1/pairs?currency=NGN,%20GHS&type=stablecoins&sort=desc", "Accept", "text/html,application/xml;q=0.9,*/*;q=0.8", "Sim-Scenario", "all_down"), "", 200)
	record(j, "b", request("PUT", "/_sim/v1/worlds/x/clock"), `{"now":"2026-11-21T09:00:00.250Z","frozen":true,"rate":null,"status":503}`, 200)
	text := asJSON(t, find(t, j, journal.Match{}))
	for _, want := range []string{"NGN, GHS", "stablecoins", "desc", "text/html,application/xml;q=0.9,*/*;q=0.8", "all_down", "2026-11-21T09:00:00.250Z", "true", "null", "503"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// FuzzBodies checks that any body is shown as valid JSON or not at all, and that it can be sent again.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{resolveBody, validateBody, `[1,"a",{"currency":"NGN"},true,null,-1.5e9]`, `{"a":"\ud800"}`, `{"a":{"b":[{}]}}`, ` {"a" : 1 } `, `"`, `{"a":`, "\xff", `{"a":1}{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		j := newJournal(t)
		record(j, "a", request("POST", "/v1/validate"), string(body), 200)
		q := find(t, j, journal.Match{})[0].Request
		if q.BodyBytes != len(body) || q.Body != nil && (!json.Valid(q.Body) || !json.Valid(body)) {
			t.Fatalf("%q is shown as %q", body, q.Body)
		}
		if b := j.Bundle(origin); b.Complete != utf8.Valid(body) {
			t.Fatalf("got %+v", b)
		}
	})
}

// FuzzQueries checks that any query is masked, and that what was recorded can be sent again.
func FuzzQueries(f *testing.F) {
	for _, seed := range []string{"", "a=b", "account_number=0123456789", "%zz&&=;", "currency=NGN,GHS&currency=" + bankAccount, "a=%0d%0a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := request("GET", "/v1/banks")
		if r.URL.RawQuery = query; strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '#' }) {
			return // no request line has it
		}
		j := newJournal(t)
		record(j, "a", r, "", 200)
		b := j.Bundle(origin)
		if len(b.Requests) != 1 {
			t.Fatalf("got %+v", b)
		}
		again, err := b.Requests[0].Request(t.Context(), host)
		if err != nil || again.URL.RawQuery != query {
			t.Fatalf("%q is sent again as %q, %v", query, again.URL, err)
		}
		if strings.Contains(query, bankAccount) && strings.Contains(everything(t, j), bankAccount) {
			t.Fatalf("a number is shown of %q", query)
		}
	})
}
