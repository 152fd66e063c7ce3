package control_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"causeway/simulator"
)

const anAnswer = `"provider":"kraken","path":"/0/public/Ticker"`

func TestATapeIsPlayedListedAndEnded(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	tape := `{"title":"x","lasts":"1m","recorded":"2025-11-16T12:00:00Z","entries":[{"at":"1s",` + anAnswer + `,"query":{"pair":"XBTUSD"},"status":200,"headers":{"ETag":"\"1\""},"body":{"b": 1.50, "a":[]}},` +
		`{"at":"2.5s",` + anAnswer + `,"body":null}]}`
	began := decode[simulator.Playback](t, l.do(http.MethodPost, "/worlds/a/tapes", tape))
	if began.ID != "t1" || began.Title != "x" || began.Entries != 2 || !began.From.Equal(noon.Add(-time.Hour)) || !began.Until.Equal(noon.Add(-time.Hour+time.Minute)) {
		t.Fatalf("%+v", began)
	}
	if c := decode[clock](t, l.do(http.MethodGet, "/worlds/a/clock", "")); c.NextEvent == nil || !c.NextEvent.Equal(began.Until) {
		t.Errorf("the end is no event: %+v", c)
	}
	w, err := l.worlds.Find("a")
	if err != nil {
		t.Fatal(err)
	}
	if got, found := w.Tapes().Answer("kraken", "/0/public/Ticker", url.Values{"pair": {"XBTUSD"}}, w.Now().Add(time.Second)); !found || string(got.Entry.Body) != `{"b":1.50,"a":[]}` {
		t.Errorf("%+v", got)
	}
	exported := l.do(http.MethodGet, "/worlds/a/export", "")
	if !strings.Contains(string(exported), `"tapes":[`) {
		t.Errorf("the export has no tapes: %s", exported)
	}
	l.do(http.MethodPost, "/worlds/b/import", string(exported))
	l.do(http.MethodPost, "/worlds/a/fork", `{"id":"c"}`)
	for id, answered := range map[string]uint64{"a": 1, "b": 0, "c": 0} {
		if all := decode[[]simulator.Playback](t, l.do(http.MethodGet, "/worlds/"+id+"/tapes", "")); len(all) != 1 || all[0].Answered != answered || all[0].Entries != 2 {
			t.Errorf("%s: %+v", id, all)
		}
	}
	if left := decode[[]simulator.Playback](t, l.do(http.MethodDelete, "/worlds/a/tapes/t1", "")); len(left) != 0 {
		t.Errorf("%+v", left)
	}
	l.refused(http.MethodDelete, "/worlds/a/tapes/t1", "", http.StatusNotFound, "not_found", "no tape")
	if reset := decode[json.RawMessage](t, l.do(http.MethodPost, "/worlds/b/reset", "")); len(reset) == 0 {
		t.Error("nothing comes back")
	}
	if all := decode[[]simulator.Playback](t, l.do(http.MethodGet, "/worlds/b/tapes", "")); len(all) != 0 {
		t.Errorf("after a reset: %+v", all)
	}
	journal := string(l.do(http.MethodGet, "/worlds/a/journal?control=true", ""))
	if !strings.Contains(journal, `"play-tape"`) || !strings.Contains(journal, `"remove-tape"`) {
		t.Errorf("the journal does not have the calls: %s", journal)
	}
}

func TestTapesThatAreRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	for body, word := range map[string]string{
		`{"entries":[{` + anAnswer + `,"status":200}]}`: "more than 0s",
		`{"lasts":"1m"}`:              "1 to 5000",
		`{"lasts":60,"entries":[]}`:   "a duration in quotes",
		`{"lasts":"1m","entries":{}}`: "a list",
		`{"lasts":"1m","tape":[]}`:    "title, recorded, lasts, repeat, entries",
		`{"lasts":"1m","entries":[{` + anAnswer + `,"status":200},{"provider":"mtgox"}]}`:          "binance, busha, bybit",
		`{"lasts":"1m","entries":[{` + anAnswer + `,"status":"200"}]}`:                             "a whole number",
		`{"lasts":"1m","entries":[{` + anAnswer + `,"status":200,"bdy":1}]}`:                       "at, provider, path, query, status, headers, body, text",
		`{"lasts":"1m","entries":[{` + anAnswer + `,"status":200,"headers":{"Cookie":"a"}}]}`:      "Retry-After",
		`{"lasts":"1m","entries":[{` + anAnswer + `,"status":200,"body":{"account_name":"ADA"}}]}`: "without such members",
		`{"lasts":"1m","entries":[{` + anAnswer + `,"body":{}}]}`:                                  "200 to 599",
		`{"lasts":"1m","recorded":"yesterday","entries":[]}`:                                       "an instant in quotes",
	} {
		l.refused(http.MethodPost, "/worlds/a/tapes", body, http.StatusBadRequest, "request_validation", "accepted", word)
	}
	large := `{"lasts":"1m","entries":[{` + anAnswer + `,"status":200,"text":"` + strings.Repeat("x", 2<<20) + `"}]}`
	l.refused(http.MethodPost, "/worlds/a/tapes", large, http.StatusRequestEntityTooLarge, "payload_too_large", "2097152")
	if all := decode[[]simulator.Playback](t, l.do(http.MethodGet, "/worlds/a/tapes", "")); len(all) != 0 {
		t.Errorf("%+v", all)
	}
}
