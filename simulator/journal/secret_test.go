package journal_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"causeway/core/addresses"
	"causeway/simulator/journal"
)

// Published test vectors, as in core/addresses.
const (
	bitcoinKey = "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"
	rippleSeed = "sn259rEFXrQrWyx3Q7XneWcwV6dfL"
	hexKey     = "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35"
	phrase     = "legal winner thank year wave sausage worth useful legal winner thank yellow"
)

// careful gives a journal the rules for secrets of a sandbox.
func careful(cfg *journal.Config) {
	cfg.Secret = func(text string, prose bool) bool {
		if prose {
			return addresses.SecretInProse(text)
		}
		return addresses.Secret(text)
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	words := strings.ReplaceAll(phrase, " ", `","`)
	commas := strings.ReplaceAll(phrase, " ", ",")
	for _, c := range []struct {
		name, target, body string
		headers            []string
		planted            []string // what of it must be nowhere; nil: the key
	}{
		{name: "a key as an address", target: "/v1/validate", body: `{"currency":"BTC","address":"` + bitcoinKey + `"}`},
		{name: "a key in a batch", target: "/v1/validate/batch", body: `{"items":[` + validateBody + `,{"address":"` + bitcoinKey + `"}]}`},
		{name: "a key behind much else", target: "/v1/validate/batch", body: `{"items":[` + strings.Repeat(validateBody+",", 200) + `{"address":"` + bitcoinKey + `"}]}`},
		{name: "a key deep in a long text", target: "/v1/validate", body: `{"memo":"` + strings.Repeat("so it is, ", 700) + bitcoinKey + `"}`},
		{name: "a key as a name", target: "/v1/validate", body: `{"` + bitcoinKey + `":1}`},
		{name: "a key in escapes", target: "/v1/validate", body: `{"address":"\u004b` + bitcoinKey[1:] + `"}`, planted: []string{bitcoinKey[1:]}},
		{name: "a key in a body that breaks off", target: "/v1/validate", body: `{"address":"` + bitcoinKey},
		{name: "a key in a form", target: "/v1/validate", body: "type=address&address=" + bitcoinKey + "&memo=1"},
		{name: "a key in a query", target: "/v1/validate?q=" + bitcoinKey},
		{name: "a key in a path", target: "/v1/pairs/" + bitcoinKey},
		{name: "a key as the id of a request", target: "/v1/pairs", headers: []string{"X-Request-Id", "req_" + bitcoinKey}},
		{name: "a key in a header of the sandbox", target: "/v1/pairs", headers: []string{"Sim-Scenario", rippleSeed}, planted: []string{rippleSeed}},
		{name: "digits of a key", target: "/v1/validate", body: `{"address":"0x` + hexKey + `"}`, planted: []string{hexKey}},
		{name: "a seed", target: "/v1/validate", body: `{"address":"` + rippleSeed + `"}`, planted: []string{rippleSeed}},
		{name: "a phrase", target: "/v1/validate", body: `{"address":"` + phrase + `"}`, planted: []string{"sausage"}},
		{name: "half a phrase", target: "/v1/validate", body: `{"address":"` + phrase[:36] + `"}`, planted: []string{"winner", "legal"}},
		{name: "a phrase as a memo", target: "/v1/validate", body: `{"memo":"` + phrase + `"}`, planted: []string{"sausage"}},
		{name: "a phrase as a list", target: "/v1/validate", body: `{"address":["` + words + `"],"x":[1]}`, planted: []string{"sausage"}},
		{name: "a phrase in a harmless field", target: "/v1/validate", body: `{"network":"` + commas + `"}`, planted: []string{"sausage"}},
		{name: "a phrase in a form", target: "/v1/validate", body: "address=" + url.QueryEscape(phrase), planted: []string{"sausage"}},
		{name: "a phrase in a query", target: "/v1/banks?country=" + url.QueryEscape(commas), planted: []string{"sausage"}},
		{name: "the bytes of a key pair", target: "/v1/validate", body: `{"address":[` + strings.Repeat("17,", 63) + `17]}`, planted: []string{"17,17", "17, 17"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, careful)
			record(j, "planted", request("POST", c.target, c.headers...), c.body, 400)
			record(j, "list-pairs", request("GET", "/v1/pairs"), "", 200)
			if b := j.Bundle(origin); b.LeftOut != 1 || b.Complete || len(b.Requests) != 1 {
				t.Errorf("%d left out, complete %t, %d requests", b.LeftOut, b.Complete, len(b.Requests))
			}
			if c.planted == nil {
				c.planted = []string{bitcoinKey}
			}
			all := everything(t, j) + bundled(t, j)
			for _, planted := range append(c.planted, bitcoinKey[:2]+"****") {
				if strings.Contains(all, planted) {
					t.Errorf("%q is in\n%s", planted, all)
				}
			}
		})
	}
}

func TestSecret_Harmless(t *testing.T) {
	t.Parallel()
	long := "TestX/" + strings.Repeat("every-word-counts-", 3) + "here"
	j := newJournal(t, careful, func(cfg *journal.Config) { cfg.World = long })
	record(j, "a", request("POST", resolvePath, "Sim-World", long, "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), resolveBody, 200)
	record(j, "b", request("GET", "/v1/banks?currency=NGN,GHS,KES,ZAR,UGX,TZS,RWF"), "", 200)
	record(j, "c", request("POST", "/v1/validate"), validateBody, 200)
	record(j, "d", request("PUT", "/_sim/v1/worlds/x/accounts/000013/"+bankAccount), `{"account_name":"TEST GLOBAL LOGISTICS AND TRADING COMPANY LIMITED"}`, 200)
	record(j, "e", request("POST", "/_sim/v1/worlds/"+url.PathEscape(long)+"/next"),
		`{"operation":"resolve-account","outcomes":["unknown","closed","throttled","truncated","unknown","closed","hang","reset","unknown","closed","hang","reset","unknown"]}`, 200)
	record(j, "f", request("POST", "/v1/validate/batch"), `{"items":[`+strings.Repeat(validateBody+",", 99)+validateBody+`]}`, 200)
	if b := j.Bundle(origin); !b.Complete || len(b.Requests) != 6 {
		t.Errorf("%d left out of %d", b.LeftOut, len(b.Requests)+b.LeftOut)
	}
}

func TestSecret_Anywhere(t *testing.T) {
	t.Parallel()
	secrets := []string{bitcoinKey, rippleSeed, hexKey, phrase}
	rapid.Check(t, func(rt *rapid.T) {
		secret := rapid.SampledFrom(secrets).Draw(rt, "secret")
		var body any = secret
		for range rapid.IntRange(0, 4).Draw(rt, "depth") {
			name := rapid.SampledFrom([]string{"address", "memo", "items", "currency", "account_name"}).Draw(rt, "name")
			if rapid.Bool().Draw(rt, "list") {
				body = []any{name, body, 1}
			} else {
				body = map[string]any{name: body, "other": []any{"x"}}
			}
		}
		text, err := json.Marshal(body)
		if err != nil {
			rt.Fatal(err)
		}
		sent := string(text)[:rapid.SampledFrom([]int{len(text), len(text) - 1}).Draw(rt, "length")]
		j := newJournal(t, careful)
		record(j, "a", request("POST", "/v1/validate"), sent, 400)
		if b := j.Bundle(origin); len(b.Requests) > 0 || strings.Contains(fmt.Sprint(everything(t, j)), secret) {
			rt.Fatalf("%s is kept: %+v", sent, b.Requests)
		}
	})
}
