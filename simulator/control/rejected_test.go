package control_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestRejected sends malformed requests: each gets one error that names the field, and changes nothing.
func TestRejected(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.frozenWorld("a")
	f.do(http.MethodPost, "/worlds", `{"id":"runs"}`)
	before := f.state("a")
	const post, put, get = http.MethodPost, http.MethodPut, http.MethodGet
	for _, c := range []struct{ method, path, body, word string }{
		{post, "", `{}`, "id is required"},
		{post, "", `{"id":""}`, "1 to 100"},
		{post, "", `{"id":"a\nb"}`, "1 to 100"},
		{post, "", `{"id":"x","seed":"` + strings.Repeat("s", 201) + `"}`, "at most 200 characters"},
		{post, "", `{"id":7}`, "id must be a string in quotes"},
		{post, "", `{"id":"x","ttl":"1ms"}`, "1s to"},
		{post, "", `{"id":"x","ttl":"soon"}`, "a duration such as 30s"},
		{post, "", `{"id":"x","clock":{"now":"tomorrow"}}`, "2026-11-16T12:00:00Z"},
		{post, "", `{"id":"x","clock":{"now":"1999-01-01T00:00:00Z"}}`, "2000-01-01"},
		{post, "", `{"id":"x","clock":{"rate":0.5}}`, "clock.rate must be a whole number"},
		{post, "", `{"id":"x","clock":{"speed":2}}`, "clock.speed is not a known field"},
		{post, "", `{"id":"x","magic_pairs":"yes"}`, "must be true or false"},
		{post, "/a/fork", `{}`, "id is required"},
		{post, "/a/fork", `{"id":"a"}`, "another name"},
		{http.MethodDelete, "/default", "", "any other world"},

		{put, "/a/clock", `{}`, "now, frozen, rate"},
		{put, "/a/clock", `{"now":"2026-11-16T10:59:59Z"}`, "a clock only moves forward"},
		{put, "/a/clock", `{"rate":0}`, "rate must be at least 1"},
		{put, "/a/clock", `{"rate":2,"frozen":true}`, "none if the clock is frozen"},
		{post, "/a/clock/advance", `{}`, "is needed"},
		{post, "/a/clock/advance", `{"by":"1s","to":"next-event"}`, "not both"},
		{post, "/a/clock/advance", `{"by":"-1s"}`, "a duration such as 30s"},
		{post, "/a/clock/advance", `{"by":"0s"}`, "a duration above 0s"},
		{post, "/a/clock/advance", `{"by":"37"}`, "a duration such as 30s"},
		{post, "/a/clock/advance", `{"to":"noon"}`, "by takes a duration such as 37s"},
		{post, "/a/clock/advance", `{"to":"next-event"}`, "there is none"},
		{post, "/a/clock/advance", `{"to":"2300-01-01T00:00:00Z"}`, "2200-01-01"},

		{put, "/a/market/USDTNGN", `{}`, "pin and all other fields are missing"},
		{put, "/a/market/USDTNGN", `{"pin":1400.50}`, "pin must be a string in quotes"},
		{put, "/a/market/USDTNGN", `{"pin":"-3"}`, "a decimal from"},
		{put, "/a/market/USDTNGN", `{"pin":"1400","jump_bps":5}`, "either a pin or a jump"},
		{put, "/a/market/USDTNGN", `{"price":"1"}`, "price is not a known field"},
		{put, "/a/market/USDTNGN", `{"venues":{"nyse":{}}}`, "busha, luno, quidax"},
		{put, "/a/market/USDTNGN", `{"venues":{"busha":{"state":"asleep"}}}`, "up, down, paused, absent"},
		{put, "/a/market/BTCXYZ", `{"pin":"1"}`, "BTC/USDT"},
		{get, "/a/market/BTCXYZ", "", "BTC/USDT"},
		{post, "/a/market/play", `{"scenario":"moon"}`, "dai-2020"},
		{post, "/a/market/play", `{}`, "dai-2020"},
		{post, "/a/market/play", `{"scenario":"luna-2022","speed":3601}`, "speed must be at most 3600"},
		{post, "/a/market/play", `{"scenario":"luna-2022","speed":60}`, "a clock that runs"},

		{put, "/a/accounts/000013/0123456789", `{}`, "an account_name, an outcome, or both"},
		{put, "/a/accounts/000013/0123456789", `{"outcome":"rich"}`, "unknown"},
		{put, "/a/accounts/000013/0123456789", `{"outcome":"unknown","account_name":"TEST"}`, "accepted"},
		{put, "/a/accounts/NOPE/0123456789", `{"outcome":"unknown"}`, "is not an institution"},
		{put, "/a/accounts/001/0123456789", `{"outcome":"unknown"}`, "country"},
		{put, "/a/accounts/001/0000000404", `{"outcome":"found","country":"NG"}`, "another ending"},
		{put, "/a/accounts/000013/" + strings.Repeat("0", 65), `{"outcome":"unknown"}`, "1 to 64"},
		{get, "/a/accounts/001/1?land=NG", "", "land is not a parameter of this operation"},
		{get, "/a/banks?country=XX", "", "NG"},

		{post, "/a/next", `{}`, "operation is required"},
		{post, "/a/next", `{"operation":"fly","outcomes":["unknown"]}`, "resolve-account"},
		{post, "/a/next", `{"operation":"list-pairs","outcomes":["unknown"]}`, "error:not_found"},
		{post, "/a/next", `{"operation":"resolve-account","outcomes":["unknown","rich"]}`, "outcomes.1"},
		{post, "/a/next", `{"operation":"resolve-account","outcomes":[1]}`, "must be a string in quotes"},
		{post, "/a/next", `{"operation":"list-pairs","outcomes":["error:conflict"` + strings.Repeat(`,"error:conflict"`, 1000) + `]}`, "are 1001"},
		{http.MethodDelete, "/a/next?operation=fly", "", "resolve-account"},

		{post, "/a/faults", `{}`, "effect is required"},
		{post, "/a/faults", `{"effect":{}}`, "effect.kind is required"},
		{post, "/a/faults", `{"effect":{"kind":"gremlins"}}`, "inverted"},
		{post, "/a/faults", `{"match":{"provider":"lehman"},"effect":{"kind":"reset"}}`, "kraken"},
		{post, "/a/faults", `{"match":{"provider":"paystack"},"effect":{"kind":"inverted"}}`, "missing_field"},
		{post, "/a/faults", `{"match":{"plane":"astral"},"effect":{"kind":"reset"}}`, "upstream"},
		{post, "/a/faults", `{"match":{"host":"x"},"effect":{"kind":"reset"}}`, "match.host is not a known field"},
		{post, "/a/faults", `{"effect":{"kind":"status"}}`, "400 to 599"},
		{post, "/a/faults", `{"match":{"nth":-1},"effect":{"kind":"reset"}}`, "match.nth must be at least 0"},
		{post, "/a/faults", `{"effect":{"kind":"status","status":200}}`, "effect.status must be at least 400"},
		{post, "/a/faults", `{"effect":{"kind":"latency","ms":600001}}`, "effect.ms must be at most 600000"},
		{post, "/a/faults", `{"effect":{"kind":"latency","ms":1,"distribution":"cauchy"}}`, "fixed, uniform, lognormal"},
		{post, "/a/faults", `{"effect":{"kind":"huge_body","bytes":99999999}}`, "effect.bytes 99999999; accepted: up to 16777216"},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"when":{"after":-1}}`, "when.after must be at least 0"},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"when":{"probability":"1.1"}}`, "a decimal from 0 to 1"},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"when":{"probability":"0.0.0"}}`, "a decimal from 0 to 1"},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"when":{"probability":0.5}}`, "in quotes"},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"when":{"ttl":"-4s"}}`, "must be a duration such as 30s"},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"when":{"ttl":"1x"}}`, `is \"1x\"; must be a duration`},
		{post, "/a/faults", `{"effect":{"kind":"reset"},"phase":"during"}`, "accepted: before, after"},
		{post, "/a/faults", `{"preset":"meteor"}`, "slow_tail"},
		{post, "/a/faults", `{"preset":"slow_tail","match":{"provider":"okx"}}`, "slow_tail:okx"},

		{get, "/a/journal?limit=0", "", "at least 1"},
		{get, "/a/journal?limit=1001", "", "at most 1000"},
		{get, "/a/journal?status=99", "", "at least 100"},
		{get, "/a/journal?status=ok", "", "status"},
		{get, "/a/journal?after=-1", "", "after"},
		{get, "/a/journal?cache=warm", "", "hit, miss, none"},
		{get, "/a/journal?colour=red", "", "colour is not a parameter"},
		{get, "/a/journal?path=[", "", "a path in which"},
		{get, "/a/journal?operation=resolve_account", "", "resolve-account"},
		{get, "/a/journal?operation=resolve-account&control=true", "", "queue-outcomes"},
		{get, "/a/journal/wait?timeout=61s", "", "up to 1m0s"},
		{get, "/a/journal/wait?timeout=5", "", "up to 1m0s"},
		{get, "/a/journal/wait?count=501", "", "at most 500"},
		{post, "/a/journal/assert", `{"match":{"stats":404}}`, "match.stats is not a known field"},
		{post, "/a/journal/assert", `{"match":{"provider":"paystak"},"never":true}`, "match.provider is"},
		{post, "/a/journal/assert", `{"order":[{},{"provider":"paystak"}]}`, "order[1].provider"},
		{post, "/a/journal/assert", `{"order":[{"after":1}]}`, "order[0]"},
		{post, "/a/journal/assert", `{"count":-1}`, "at least 0"},
		{post, "/a/journal/assert", `{"never":true,"count":2}`, "beside never"},
	} {
		f.rejected(c.method, "/worlds"+c.path, c.body, http.StatusBadRequest, "request_validation", c.word)
	}
	f.rejected(http.MethodDelete, "/worlds/a/faults/f1", "", http.StatusNotFound, "not_found", "f1")
	f.rejected(http.MethodDelete, "/worlds/a/market/USDTNGN", "", http.StatusNotFound, "not_found", "Nothing is set")
	f.rejected(http.MethodDelete, "/worlds/a/accounts/000013/0123456780", "", http.StatusNotFound, "not_found", "Nothing is set")
	if after := f.state("a"); after != before {
		t.Errorf("the world changed:\n%s\n%s", before, after)
	}
	if worlds := decode[[]worldBody](t, f.do(http.MethodGet, "/worlds", "")); len(worlds) != 3 || worlds[0].Journal.Last != 0 {
		t.Errorf("got %+v", worlds)
	}
}

func TestRejected_UnknownWorld(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bodies := map[string]string{
		"/clock": `{"frozen":true}`, "/clock/advance": `{"by":"1s"}`, "/market/BTCUSDT": `{"pin":"1"}`,
		"/market/play": `{"scenario":"dai-2020"}`, "/accounts/000013/0123456789": `{"outcome":"unknown"}`,
		"/faults": `{"preset":"slow_tail"}`, "/next": `{"operation":"list-pairs","outcomes":["error:not_found"]}`,
		"/journal/assert": `{}`, "/fork": `{"id":"other"}`,
	}
	asked := 0
	for path, item := range f.document.Paths.Map() {
		_, below, ok := strings.Cut(path, "/worlds/{id}")
		if !ok {
			continue
		}
		below = strings.NewReplacer("{pair}", "BTCUSDT", "{bank}", "000013", "{number}", "0123456789", "{fault}", "f1").Replace(below)
		for method := range item.Operations() {
			asked++
			f.rejected(method, "/worlds/missing"+below, bodies[below], http.StatusNotFound, "not_found", "missing", "Sim-World")
		}
	}
	if _, err := f.worlds.Find("missing"); err == nil || asked < 25 {
		t.Errorf("%d operations; the world exists: %t", asked, err == nil)
	}
}

// TestRejected_WithoutAPI checks that causeway upstream rejects what is about requests to the public API.
func TestRejected_WithoutAPI(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.start(controlConfigWithoutAPI)
	f.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	for _, c := range []struct{ method, path, body, field string }{
		{http.MethodPost, "/next", `{"operation":"resolve-account","outcomes":["unknown"]}`, "operation"},
		{http.MethodPost, "/faults", `{"match":{"plane":"edge"},"effect":{"kind":"reset"}}`, "match.plane"},
		{http.MethodGet, "/journal", "", "control"},
		{http.MethodGet, "/journal/wait", "", "control"},
		{http.MethodPost, "/journal/assert", `{"never":true}`, "control"},
	} {
		f.rejected(c.method, "/worlds/a"+c.path, c.body, http.StatusBadRequest, "request_validation", `"`+c.field+`"`, "does not serve")
	}
	f.do(http.MethodPost, "/worlds/a/faults", `{"match":{"plane":"upstream"},"effect":{"kind":"reset"}}`)
	f.do(http.MethodGet, "/worlds/a/journal?control=true", "")
	f.do(http.MethodPost, "/worlds/a/journal/assert", `{"match":{"control":true,"operation":"add-faults"}}`)
}
