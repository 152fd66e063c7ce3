package control_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// worldBody is what these tests read of a world.
type worldBody struct {
	ID    string
	Seed  string
	Clock struct {
		Now       time.Time
		Frozen    bool
		Rate      int
		NextEvent *time.Time `json:"next_event"`
	}
	TTL                               string
	MagicPairs                        bool `json:"magic_pairs"`
	Markets, Accounts, Faults, Queued int
	Journal                           struct{ Last int }
}

const frozen = `"clock":{"now":"2026-11-16T11:00:00Z","frozen":true}`

func TestAWorldIsMadeShownListedAndEnded(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	const id = "TestCheckout/pays in 100 ms (NG)"
	place := "/worlds/" + url.PathEscape(id)
	r := l.ask(http.MethodPost, "/worlds", `{"id":"`+id+`","seed":"s","ttl":"90m","magic_pairs":true,"enforce_limits":false,`+frozen+`}`)
	made := decode[worldBody](t, r.Data)
	if r.status != http.StatusCreated || made.ID != id || made.Seed != "s" || made.TTL != "1h30m0s" || !made.MagicPairs || !made.Clock.Frozen {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if shown := decode[worldBody](t, l.do(http.MethodGet, place, "")); shown.ID != id || shown.Clock.Now != noon.Add(-time.Hour) {
		t.Errorf("%+v", shown)
	}
	if all := decode[[]worldBody](t, l.do(http.MethodGet, "/worlds", "")); len(all) != 2 || all[0].ID != id || all[1].ID != "default" {
		t.Errorf("%+v", all)
	}
	l.refused(http.MethodPost, "/worlds", `{"id":"`+id+`"}`, http.StatusConflict, "conflict", "alive")
	l.do(http.MethodDelete, place, "")
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		l.refused(method, place, "", http.StatusGone, "world_expired", "Create it again")
	}
	if r := l.ask(http.MethodPost, "/worlds", `{"id":"`+id+`"}`); r.status != http.StatusCreated {
		t.Errorf("it is not made again: %d %s", r.status, r.body)
	}
	if shown := decode[worldBody](t, l.do(http.MethodGet, place, "")); shown.Seed != id || shown.Clock.Frozen {
		t.Errorf("it is as it was: %+v", shown)
	}
}

func TestWorldsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for body, word := range map[string]string{
		`{}`: "1 to 100", `{"id":""}`: "1 to 100", `{"id":"a\nb"}`: "1 to 100", `{"id":"` + strings.Repeat("a", 101) + `"}`: "1 to 100", `{"id":"x","ttl":"1ms"}`: "1s to", `{"id":"x","ttl":3}`: "a duration in quotes",
		`{"id":"x","ttl":"soon"}`: "a duration in quotes", `{"id":"x","clock":{"now":"tomorrow"}}`: "2026-11-16T12:00:00Z", `{"id":"x","clock":{"now":"1999-01-01T00:00:00Z"}}`: "2000-01-01",
		`{"id":"x","clock":{"rate":0.5}}`: "a whole number", `{"id":"x","clock":{"rate":-1}}`: "1 to 3600", `{"id":"x","clock":{"speed":2}}`: "now, frozen, rate", `{"id":"x","seeds":"y"}`: "id, seed, clock, ttl, magic_pairs",
		`{"id":7}`: "text in quotes", `{"id":"x","magic_pairs":"yes"}`: "true or false", `{"id":"x","clock":[]}`: "an object with now, frozen, rate",
	} {
		l.refused(http.MethodPost, "/worlds", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	for body, word := range map[string]string{
		``: "empty", `  `: "empty", `{`: "byte", `[]`: "a list", `"x"`: "text", `{"id":"x"} {}`: "byte", `{"id":"x","id":"y"}`: "twice", "{\"id\":\"\xff\"}": "byte", `null x`: "byte",
	} {
		l.refused(http.MethodPost, "/worlds", body, http.StatusBadRequest, "bad_request", word)
	}
	if all := decode[[]worldBody](t, l.do(http.MethodGet, "/worlds", "")); len(all) != 1 {
		t.Errorf("there are %+v", all)
	}
	for i := range 19 {
		l.do(http.MethodPost, "/worlds", fmt.Sprintf(`{"id":"w%d"}`, i))
	}
	l.refused(http.MethodPost, "/worlds", `{"id":"one more"}`, http.StatusTooManyRequests, "too_many_requests", "20 worlds", "DELETE")
	if r := l.ask(http.MethodPost, "/worlds/w0/fork", `{"id":"one more"}`); r.status != http.StatusTooManyRequests || r.header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", r.status, r.header, r.body)
	}
}

func TestAnUnknownWorldIsUnknownEverywhere(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	bodies := map[string]string{
		"/clock": `{"frozen":true}`, "/clock/advance": `{"by":"1s"}`, "/market/BTCUSDT": `{"pin":"1"}`, "/market/play": `{"scenario":"dai-2020"}`, "/accounts/000013/0123456789": `{"outcome":"unknown"}`,
		"/faults": `{"preset":"slow_tail"}`, "/next": `{"operation":"list-pairs","outcomes":["error:not_found"]}`, "/journal/assert": `{}`, "/fork": `{"id":"other"}`,
	}
	asked := 0
	for path, item := range l.doc.Paths.Map() {
		_, below, about := strings.Cut(path, "/worlds/{id}")
		if !about || below == "/import" {
			continue
		}
		below = strings.NewReplacer("{pair}", "BTCUSDT", "{bank}", "000013", "{number}", "0123456789", "{fault}", "f1").Replace(below)
		for method := range item.Operations() {
			asked++
			l.refused(method, "/worlds/nobody"+below, bodies[below], http.StatusNotFound, "not_found", "nobody", "Sim-World", "GET /_sim/v1/worlds")
		}
	}
	if asked < 25 {
		t.Errorf("asked for %d operations", asked)
	}
	if _, err := l.worlds.Find("nobody"); err == nil {
		t.Error("it is there now")
	}
}

func TestAResetWorldIsAsItWasCreated(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	l.fill("/worlds/a")
	full := decode[worldBody](t, l.do(http.MethodGet, "/worlds/a", ""))
	if full.Markets != 1 || full.Accounts != 1 || full.Faults != 1 || full.Queued != 2 || full.Journal.Last != 5 {
		t.Fatalf("%+v", full)
	}
	for _, r := range []json.RawMessage{l.do(http.MethodPost, "/worlds/a/reset", ""), l.do(http.MethodGet, "/worlds/a", "")} {
		if w := decode[worldBody](t, r); w.Markets+w.Accounts+w.Faults+w.Queued+w.Journal.Last != 0 || w.Clock.Now != noon.Add(-time.Hour) || w.Seed != "a" {
			t.Errorf("%+v", w)
		}
	}
	l.refused(http.MethodDelete, "/worlds/default", "", http.StatusBadRequest, "request_validation", "any other world")
	l.do(http.MethodPost, "/worlds/default/reset", "")
}

// fill does a bit of everything to a world.
func (l *lab) fill(place string) {
	l.t.Helper()
	l.do(http.MethodPost, place+"/clock/advance", `{"by":"37s"}`)
	l.do(http.MethodPut, place+"/market/USDTNGN", `{"pin":"1400.50"}`)
	l.do(http.MethodPut, place+"/accounts/000013/0123456780", `{"account_name":"TEST ADA"}`)
	l.do(http.MethodPost, place+"/faults", `{"match":{"provider":"kraken"},"effect":{"kind":"inverted"}}`)
	l.do(http.MethodPost, place+"/next", `{"operation":"resolve-account","outcomes":["unknown","all_down"]}`)
}

func TestAForkAndAnImportAreTheSameWorld(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	l.fill("/worlds/a")
	if r := l.ask(http.MethodPost, "/worlds/a/fork", `{"id":"b"}`); r.status != http.StatusCreated {
		t.Fatalf("%d %s", r.status, r.body)
	}
	file := l.ask(http.MethodGet, "/worlds/a/export?format=file", "")
	if file.header.Get("Content-Disposition") != `attachment; filename="world.json"` {
		t.Errorf("%v", file.header)
	}
	l.do(http.MethodPost, "/worlds/c%2F1/import", string(file.body))
	var documents []string
	for _, id := range []string{"a", "b", "c%2F1"} {
		text := string(l.do(http.MethodGet, "/worlds/"+id+"/export", ""))
		documents = append(documents, strings.NewReplacer(`"id":"b"`, `"id":"a"`, `"id":"c/1"`, `"id":"a"`).Replace(text))
	}
	if documents[0] != documents[1] || documents[0] != documents[2] || !strings.Contains(documents[0], "TEST ADA") {
		t.Errorf("%s", strings.Join(documents, "\n"))
	}
	l.do(http.MethodDelete, "/worlds/b/faults", "")
	if w := decode[worldBody](t, l.do(http.MethodGet, "/worlds/a", "")); w.Faults != 1 {
		t.Errorf("what is done to the fork is done to the world: %+v", w)
	}
	l.refused(http.MethodPost, "/worlds/a/fork", `{"id":"b"}`, http.StatusConflict, "conflict", "alive")
	l.refused(http.MethodPost, "/worlds/a/fork", `{"id":"a"}`, http.StatusBadRequest, "request_validation", "another id")
	l.refused(http.MethodPost, "/worlds/a/fork", `{}`, http.StatusBadRequest, "request_validation", "1 to 100")
	l.refused(http.MethodPost, "/worlds/a/fork", `{"name":"d"}`, http.StatusBadRequest, "request_validation", "accepted: id")
}

func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	l.fill("/worlds/a")
	before := string(l.do(http.MethodGet, "/worlds/a/export", ""))
	other := func(member string, value any) string {
		var d map[string]any
		if err := json.Unmarshal([]byte(before), &d); err != nil {
			t.Fatal(err)
		}
		d[member] = value
		out, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	for _, c := range []struct{ body, word string }{
		{other("dataset", "2020-01-0123456789abcdef"), "accepted: 2026-"},
		{other("format", 2), "accepted: 1"},
		{other("weather", "fine"), "accepted: format, dataset, world, clock"},
		{other("clock", map[string]any{"now": "1970-01-01T00:00:00Z", "rate": 1}), "2000-01-01"},
		{other("market", []any{map[string]any{"pair": "NOPE"}}), "market.0"},
		{other("faults", map[string]any{"made": 1, "rules": []any{map[string]any{"id": "f1", "rule": map[string]any{"effect": map[string]any{"kind": "gremlins"}}}}}), "faults.rules.0"},
		{other("accounts", []any{map[string]any{"bank": "NOPE", "number": "1", "outcome": "unknown"}}), "accounts.0"},
		{other("next", []any{map[string]any{"operation": "fly", "outcomes": []string{"unknown"}}}), "next.0"},
		{other("accounts", map[string]any{}), "a list"},
	} {
		l.refused(http.MethodPost, "/worlds/a/import", c.body, http.StatusBadRequest, "request_validation", c.word)
		l.refused(http.MethodPost, "/worlds/new/import", c.body, http.StatusBadRequest, "request_validation", c.word)
	}
	l.refused(http.MethodPost, "/worlds/%0A/import", before, http.StatusBadRequest, "request_validation", "1 to 100")
	if after := string(l.do(http.MethodGet, "/worlds/a/export", "")); after != before {
		t.Errorf("the world was changed:\n%s\n%s", before, after)
	}
	l.refused(http.MethodGet, "/worlds/new", "", http.StatusNotFound, "not_found")
	l.refused(http.MethodGet, "/worlds/a/export?format=xml", "", http.StatusBadRequest, "request_validation", "json, file")
}

func TestOnlyAChangeKeepsAWorldAlive(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"looked at","ttl":"1m"}`)
	l.do(http.MethodPost, "/worlds", `{"id":"changed","ttl":"1m"}`)
	for range 3 {
		l.now.Add(int64(25 * time.Second))
		l.ask(http.MethodGet, "/worlds/looked%20at", "")
		l.do(http.MethodPut, "/worlds/changed/market/USDTNGN", `{"pin":"1400"}`)
	}
	l.refused(http.MethodGet, "/worlds/looked%20at", "", http.StatusGone, "world_expired")
	l.do(http.MethodGet, "/worlds/changed", "")
}

func TestWhoUsesTheDefaultWorldWatchesIt(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	l.do(http.MethodGet, "/worlds", "")
	l.do(http.MethodGet, "/worlds/a/faults", "")
	if n := l.watched.Load(); n != 0 {
		t.Errorf("%d calls about others count", n)
	}
	if got := string(l.do(http.MethodPost, "/worlds/default/journal/assert", `{"match":{"operation":"list-pairs"},"never":true}`)); !strings.Contains(got, "others before this call are not here") {
		t.Errorf("it does not say that it cannot know: %s", got)
	}
	if n := l.watched.Load(); n != 1 {
		t.Errorf("it is watched %d times", n)
	}
	if got := string(l.do(http.MethodGet, "/worlds/default/journal", "")); strings.Contains(got, "note") {
		t.Errorf("it says so again: %s", got)
	}
	l = newLab(t)
	if got := string(l.do(http.MethodGet, "/worlds/default/journal", "")); !strings.Contains(got, `"note":"Plain reads`) {
		t.Errorf("an empty journal does not say why: %s", got)
	}
}
