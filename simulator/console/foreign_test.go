package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator"
	"causeway/simulator/console"
	"causeway/simulator/journal"
)

// awful are texts that would do something, if they were taken for anything but text.
func awful() []string {
	return []string{evil, `' onclick='alert(1)`, `javascript:alert(1)`, "a\x00b", "cut off \xe2\x80", "\xff\"", `</title><script>`, `--><script>`, `&#60;script&#62;`, `{{.}}`, "\u2028\"", `\"]`}
}

// shown is the page of a world in which every text that can come from elsewhere is the same.
func shown(t *testing.T, ws *simulator.Worlds, text string) string {
	t.Helper()
	prices := func(context.Context, *simulator.World) ([]console.Price, error) {
		return []console.Price{
			{Pair: core.Pair{Base: text, Counter: text}, Status: text, Reason: text, Mid: text, Buy: text, Sell: text, Votes: []journal.Vote{
				{Market: text, Source: text, Reason: text}, {Market: text, Source: text, Bid: text, Ask: text, Age: text, Used: true},
			}},
		}, nil
	}
	w, err := ws.Find(simulator.DefaultWorld)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ws.Reset(w.ID()); err != nil {
		t.Fatal(err)
	}
	if w, err = ws.Find(w.ID()); err != nil {
		t.Fatal(err)
	}
	o := w.Journal().Begin(text, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/pairs/X?q="+url.QueryEscape(text), nil))
	o.Applied("fault:" + text)
	o.Attempt(journal.Attempt{Provider: text, Operation: text, Attempt: 1, Outcome: text, Breaker: text, Fault: text, Status: 500, Hedged: true})
	o.Votes(journal.Vote{Market: text, Source: text, Reason: text}, journal.Vote{Market: text, Source: text, Bid: text, Ask: text, Age: text, Used: true})
	o.End(text, journal.Answer{Status: 503, Error: "e" + text, Fields: []string{text}})
	return get(t, open(t, ws, console.Config{Prices: prices}), "/console").Body.String()
}

// marks counts what makes tags and values of attributes.
func marks(page string) [3]int {
	return [3]int{strings.Count(page, "<"), strings.Count(page, ">"), strings.Count(page, `"`)}
}

var links = regexp.MustCompile(` (?:href|src|action|formaction|xlink:href)="([^"]*)"`)

// ours is whether a page has the tags that it has anyway, loads from here alone, and is text.
func ours(t interface{ Errorf(string, ...any) }, page, plain string, text string) {
	if marks(page) != marks(plain) {
		t.Errorf("%q makes tags or attributes: %v, want %v", text, marks(page), marks(plain))
	}
	if !utf8.ValidString(page) || strings.Contains(page, "\x00") || strings.Contains(page, "'") {
		t.Errorf("%q comes out with bytes that it should not have", text)
	}
	for _, link := range links.FindAllStringSubmatch(page, -1) {
		if to := link[1]; !strings.HasPrefix(to, "/console") && !strings.HasPrefix(to, "#") && to != "data:," {
			t.Errorf("%q makes a link to %s", text, to)
		}
	}
}

func TestWhateverIsForeignIsText(t *testing.T) {
	t.Parallel()
	ws := worlds(t)
	plain := shown(t, ws, "x")
	for _, text := range awful() {
		ours(t, shown(t, ws, text), plain, text)
	}
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 20).Draw(r, "text"))
		ours(r, shown(t, ws, text), plain, text)
	})
}

func TestLinksKeepWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"javascript:alert(1)//", "a&world=b", "a#b", "a b+c%41", "ü"} {
		page := shown(t, worlds(t), text)
		at := strings.Index(page, `href="/console?world=default&amp;pair=`)
		if at < 0 {
			t.Fatalf("%q: no link to its pair", text)
		}
		link, _, _ := strings.Cut(page[at+len(`href="`):], `"`)
		u, err := url.Parse(strings.ReplaceAll(link, "&amp;", "&"))
		if err != nil || u.Query().Get("pair") != text+"/"+text || u.Fragment != "pair" || u.Host != "" || u.Scheme != "" {
			t.Errorf("%q: the link is %s", text, link)
		}
	}
}

// patched is the item of a price as a stream tells it.
func patched(t *testing.T, reason string) string {
	t.Helper()
	prices := func(context.Context, *simulator.World) ([]console.Price, error) {
		return []console.Price{{Pair: core.Pair{Base: "A", Counter: "B"}, Status: "halted", Reason: reason}}, nil
	}
	server := httptest.NewServer(open(t, worlds(t), console.Config{Prices: prices}))
	defer server.Close()
	resp, err := server.Client().Get(server.URL + "/console/events")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	seen, _ := stream(resp.Body, func(e event) bool { return bytes.Contains(e.data, []byte(`"panel":"prices"`)) })
	var p patch
	if err := json.Unmarshal(seen[len(seen)-1].data, &p); err != nil {
		t.Fatal(err)
	}
	return p.Items["A/B"]
}

func TestPatchesAreEscapedAsThePageIs(t *testing.T) {
	t.Parallel()
	plain := patched(t, "x")
	if !strings.HasPrefix(plain, "<li ") {
		t.Fatalf("no item: %s", plain)
	}
	for _, text := range awful() {
		ours(t, patched(t, text), plain, text)
	}
}
