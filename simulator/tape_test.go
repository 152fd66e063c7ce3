package simulator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator"
)

const krakenTicker, okxTicker = "/0/public/Ticker", "/api/v5/market/ticker"

// said is an entry of a tape that says a word.
func said(at time.Duration, provider, path, word string, query ...string) simulator.TapeEntry {
	e := simulator.TapeEntry{At: simulator.Duration(at), Provider: provider, Path: path, Status: 200, Body: json.RawMessage(`"` + word + `"`)}
	for i := 0; i+1 < len(query); i += 2 {
		if e.Query == nil {
			e.Query = map[string]string{}
		}
		e.Query[query[i]] = query[i+1]
	}
	return e
}

func tapeOf(lasts time.Duration, entries ...simulator.TapeEntry) simulator.Tape {
	return simulator.Tape{Lasts: simulator.Duration(lasts), Entries: entries}
}

// play begins a tape that must be taken.
func play(t testing.TB, w *simulator.World, tape simulator.Tape, from time.Time) simulator.Playback {
	t.Helper()
	p, err := w.Tapes().Play(tape, from)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// heard is what the tapes of a world say to a question: the word, with how much later it is; empty where they say nothing.
func heard(w *simulator.World, provider, path, query string, at time.Time) string {
	values, _ := url.ParseQuery(query)
	a, found := w.Tapes().Answer(provider, path, values, at)
	if !found {
		return ""
	}
	word := fmt.Sprintf("%s %d %s", a.Tape, a.Entry.Status, strings.Trim(string(a.Entry.Body), `"`))
	if a.Later != 0 {
		word += " +" + a.Later.String()
	}
	return word
}

func tapeWorld(t testing.TB) *simulator.World {
	t.Helper()
	ws, _ := registry(t, nil)
	w, err := ws.Use("a")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestATapeAnswersAtAnyInstantInAnyOrder(t *testing.T) {
	t.Parallel()
	w := tapeWorld(t)
	play(t, w, tapeOf(time.Minute,
		said(0, "kraken", krakenTicker, "first"),
		said(5*time.Second, "okx", okxTicker, "bitcoin", "instId", "BTC-USDT"),
		said(10*time.Second, "kraken", krakenTicker, "second"),
		said(10*time.Second, "okx", okxTicker, "ether", "instId", "ETH-USDT"),
		simulator.TapeEntry{At: simulator.Duration(20 * time.Second), Provider: "kraken", Path: krakenTicker},
		said(30*time.Second, "kraken", krakenTicker, "back"),
	), noon)
	type question struct {
		after                 time.Duration
		provider, path, query string
	}
	want := map[question]string{
		{-time.Nanosecond, "kraken", krakenTicker, ""}:                    "",
		{0, "kraken", krakenTicker, ""}:                                   "t1 200 first",
		{10*time.Second - 1, "kraken", krakenTicker, "pair=XBTUSD"}:       "t1 200 first",
		{10 * time.Second, "kraken", krakenTicker, ""}:                    "t1 200 second",
		{25 * time.Second, "kraken", krakenTicker, ""}:                    "t1 0 ",
		{time.Minute - 1, "kraken", krakenTicker, ""}:                     "t1 200 back",
		{time.Minute, "kraken", krakenTicker, ""}:                         "",
		{time.Second, "okx", okxTicker, "instId=BTC-USDT"}:                "",
		{15 * time.Second, "okx", okxTicker, "instId=BTC-USDT"}:           "t1 200 bitcoin",
		{15 * time.Second, "okx", okxTicker, "instId=ETH-USDT&x=1"}:       "t1 200 ether",
		{15 * time.Second, "okx", okxTicker, "instId=SOL-USDT"}:           "",
		{15 * time.Second, "okx", "/api/v5/market/tickers", "instId=x"}:   "",
		{15 * time.Second, "binance", "/api/v3/ticker/bookTicker", "a=b"}: "",
	}
	for range 3 { // a map has no order
		for q, word := range want {
			if got := heard(w, q.provider, q.path, q.query, noon.Add(q.after)); got != word {
				t.Errorf("%+v: got %q, want %q", q, got, word)
			}
		}
	}
	if p := w.Tapes().List()[0]; p.Answered != 3*7 || p.Entries != 6 || !slices.Equal(p.Providers, []string{"kraken", "okx"}) || !p.Until.Equal(noon.Add(time.Minute)) {
		t.Errorf("%+v", p)
	}
}

func TestATapeMayBeginAgain(t *testing.T) {
	t.Parallel()
	w := tapeWorld(t)
	tape := tapeOf(10*time.Second, said(2*time.Second, "kraken", krakenTicker, "a"), said(5*time.Second, "kraken", krakenTicker, "b"))
	tape.Repeat, tape.Recorded = true, noon.Add(-24*time.Hour)
	if p := play(t, w, tape, noon); !p.Until.IsZero() {
		t.Errorf("it ends at %s", p.Until)
	}
	for after, word := range map[time.Duration]string{
		time.Second: "", 3 * time.Second: "t1 200 a +24h0m0s", 9 * time.Second: "t1 200 b +24h0m0s", 11 * time.Second: "", 1002 * time.Second: "t1 200 a +24h16m40s",
	} {
		if got := heard(w, "kraken", krakenTicker, "", noon.Add(after)); got != word {
			t.Errorf("after %s: got %q, want %q", after, got, word)
		}
	}
	if next, known := w.Next(); known {
		t.Errorf("something happens at %s", next)
	}
}

func TestTheNewestTapeThatFitsDecides(t *testing.T) {
	t.Parallel()
	w := tapeWorld(t)
	play(t, w, tapeOf(time.Minute, said(0, "kraken", krakenTicker, "old")), noon)
	play(t, w, tapeOf(10*time.Second, said(5*time.Second, "kraken", krakenTicker, "new"), said(5*time.Second, "bybit", "/v5/market/tickers", "other")), noon)
	for after, word := range map[time.Duration]string{time.Second: "t1 200 old", 7 * time.Second: "t2 200 new", 10 * time.Second: "t1 200 old"} {
		if got := heard(w, "kraken", krakenTicker, "", noon.Add(after)); got != word {
			t.Errorf("after %s: got %q, want %q", after, got, word)
		}
	}
	if !w.Tapes().Has("bybit", noon) || w.Tapes().Has("bybit", noon.Add(10*time.Second)) || w.Tapes().Has("okx", noon) || w.Tapes().Has("kraken", noon.Add(-1)) {
		t.Error("it does not know whose tapes are played")
	}
	if next, known := w.Next(); !known || !next.Equal(noon.Add(10*time.Second)) {
		t.Errorf("next is %s, want the end of the shorter one", next)
	}
	if err := w.Tapes().Remove("t2"); err != nil {
		t.Fatal(err)
	}
	if got := heard(w, "kraken", krakenTicker, "", noon.Add(7*time.Second)); got != "t1 200 old" {
		t.Errorf("got %q", got)
	}
	if err := w.Tapes().Remove("t2"); core.CodeOf(err) != core.NotFound {
		t.Errorf("got %v", err)
	}
}

func TestTapesThatAreNotTaken(t *testing.T) {
	t.Parallel()
	good := func() simulator.TapeEntry { return said(0, "kraken", krakenTicker, "x") }
	with := func(change func(*simulator.TapeEntry)) simulator.Tape {
		e := good()
		change(&e)
		return tapeOf(time.Minute, good(), e)
	}
	long := tapeOf(time.Minute)
	for range 2 {
		long.Entries = append(long.Entries, simulator.TapeEntry{Provider: "kraken", Path: krakenTicker, Status: 200, Text: strings.Repeat("x", 1<<19+1)})
	}
	for name, c := range map[string]struct {
		tape        simulator.Tape
		field, word string
	}{
		"nothing on it":         {tapeOf(time.Minute), "entries", "1 to 5000"},
		"no end":                {tapeOf(0, good()), "lasts", "more than 0s"},
		"a century":             {tapeOf(100*365*24*time.Hour, good()), "lasts", "at most 720h"},
		"too many entries":      {tapeOf(time.Minute, slices.Repeat([]simulator.TapeEntry{good()}, 5001)...), "entries", "1 to 5000"},
		"too many bytes":        {long, "entries", "at most 1048576"},
		"recorded in the past":  {simulator.Tape{Lasts: 1, Recorded: time.Unix(1, 0), Entries: []simulator.TapeEntry{good()}}, "recorded", "2000-01-01"},
		"a long title":          {simulator.Tape{Title: strings.Repeat("x", 201), Lasts: 1, Entries: []simulator.TapeEntry{good()}}, "title", "at most 200"},
		"out of order":          {tapeOf(time.Minute, said(2, "kraken", krakenTicker, "x"), said(1, "kraken", krakenTicker, "x")), "entries.1.at", "not before"},
		"after its end":         {with(func(e *simulator.TapeEntry) { e.At = simulator.Duration(time.Minute) }), "entries.1.at", "within what the tape lasts"},
		"before its beginning":  {with(func(e *simulator.TapeEntry) { e.At = -1 }), "entries.1.at", "not before"},
		"an unknown provider":   {with(func(e *simulator.TapeEntry) { e.Provider = "mtgox" }), "entries.1.provider", "binance, busha, bybit, coinbase, coingecko, frankfurter, kraken, okx, openexchangerates, quidax"},
		"one that has accounts": {with(func(e *simulator.TapeEntry) { e.Provider, e.Path = "paystack", "/bank/resolve" }), "entries.1.provider", "tells no prices; accepted: binance"},
		"another question":      {with(func(e *simulator.TapeEntry) { e.Path = "/0/private/Balance" }), "entries.1.path", krakenTicker},
		"an account":            {with(func(e *simulator.TapeEntry) { e.Provider, e.Path = "busha", "/v1/recipients/resolve-bank-account" }), "entries.1.path", "/v1/pairs"},
		"a key in the query":    {with(func(e *simulator.TapeEntry) { e.Query = map[string]string{"app_id": "5f4dcc3b"} }), "entries.1.query", "does not choose among markets"},
		"a cookie":              {with(func(e *simulator.TapeEntry) { e.Headers = map[string]string{"Set-Cookie": "s=1"} }), "entries.1.headers", "Retry-After"},
		"a header in two lines": {with(func(e *simulator.TapeEntry) { e.Headers = map[string]string{"etag": "a\r\nSet-Cookie: b"} }), "entries.1.headers.Etag", "printable"},
		"an odd status":         {with(func(e *simulator.TapeEntry) { e.Status = 101 }), "entries.1.status", "200 to 599"},
		"no status":             {with(func(e *simulator.TapeEntry) { e.Status = 0 }), "entries.1.status", "no answer came"},
		"two bodies":            {with(func(e *simulator.TapeEntry) { e.Text = "<html>" }), "entries.1.text", "one of them"},
		"JSON as text":          {with(func(e *simulator.TapeEntry) { e.Text, e.Body = `{"a":1}`, nil }), "entries.1.text", "body, for JSON"},
		"a person": {with(func(e *simulator.TapeEntry) {
			e.Body = json.RawMessage(`{"result":[{"Account_Name":"ADA"}]}`)
		}), "entries.1.body", "without such members"},
		"a token": {with(func(e *simulator.TapeEntry) { e.Body = json.RawMessage(`{"access-token":"x"}`) }), "entries.1.body", "tells of people or keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := tapeWorld(t)
			_, err := w.Tapes().Play(c.tape, noon)
			if got := faultOf(err, c.field); !strings.Contains(got, c.word) || core.CodeOf(err) != core.Invalid {
				t.Errorf("got %v, want a fault of %s with %q", err, c.field, c.word)
			}
			if strings.Contains(fmt.Sprint(err), "5f4dcc3b") || strings.Contains(fmt.Sprint(err), "ADA") {
				t.Errorf("the error repeats what does not belong anywhere: %v", err)
			}
			if len(w.Tapes().List()) != 0 {
				t.Error("it is played all the same")
			}
		})
	}
}

// faultOf is what an error says of a field.
func faultOf(err error, field string) string {
	e, ok := errors.AsType[*core.Error](err)
	if !ok {
		return ""
	}
	for _, f := range e.Fields {
		if f.Field == field {
			return f.Reason
		}
	}
	return ""
}

func TestAWorldHasFewTapesAtOnce(t *testing.T) {
	t.Parallel()
	w := tapeWorld(t)
	short := tapeOf(time.Minute, said(0, "kraken", krakenTicker, "x"))
	for range 4 {
		play(t, w, short, noon)
	}
	if _, err := w.Tapes().Play(short, noon); !strings.Contains(faultOf(err, "entries"), "no more before") {
		t.Errorf("a fifth one: %v", err)
	}
	if p := play(t, w, short, noon.Add(time.Minute)); p.ID != "t5" || len(w.Tapes().List()) != 1 {
		t.Errorf("those that ended are in the way: %+v", w.Tapes().List())
	}
}

func TestTapesGoWithTheirWorld(t *testing.T) {
	t.Parallel()
	here, _ := registry(t, nil)
	there, _ := registry(t, nil)
	at := noon
	w, err := here.Create(simulator.Options{ID: "a", Clock: simulator.StartOptions{Now: &at, Frozen: true}})
	if err != nil {
		t.Fatal(err)
	}
	tape := tapeOf(time.Minute, simulator.TapeEntry{
		Provider: "kraken", Path: krakenTicker, Query: map[string]string{"pair": "XBTUSD"}, Status: 503, Headers: map[string]string{"Retry-After": "5"}, Body: json.RawMessage("{ \"b\" : 1.50,\n \"a\":[] }"),
	}, simulator.TapeEntry{At: simulator.Duration(time.Second), Provider: "okx", Path: okxTicker, Status: 200, Text: "<html>"})
	tape.Title, tape.Repeat, tape.Recorded = "a title", true, noon.Add(-time.Hour)
	play(t, w, tapeOf(time.Hour, said(0, "kraken", krakenTicker, "gone")), noon)
	play(t, w, tape, noon)
	if err := w.Tapes().Remove("t1"); err != nil {
		t.Fatal(err)
	}
	text := exported(t, here, "a")
	copied := imported(t, there, text)
	fork, err := here.Fork("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	for name, other := range map[string]*simulator.World{"imported": copied, "forked": fork} {
		for after := range 4 {
			was, _ := w.Tapes().Answer("kraken", krakenTicker, url.Values{"pair": {"XBTUSD"}}, noon.Add(time.Duration(after)*time.Hour))
			is, found := other.Tapes().Answer("kraken", krakenTicker, url.Values{"pair": {"XBTUSD"}}, noon.Add(time.Duration(after)*time.Hour))
			if !found || !reflect.DeepEqual(was, is) || string(is.Entry.Body) != `{"b":1.50,"a":[]}` {
				t.Errorf("%s: %+v, it was %+v", name, is, was)
			}
		}
		if p := play(t, other, tapeOf(time.Second, said(0, "kraken", krakenTicker, "x")), noon); p.ID != "t3" {
			t.Errorf("%s: the next one is %s", name, p.ID)
		}
	}
	if len(w.Tapes().List()) != 1 {
		t.Error("what is done to a fork is done to its origin")
	}
	again, err := here.Reset("a")
	if err != nil || len(again.Tapes().List()) != 0 {
		t.Errorf("after a reset there are tapes: %v", err)
	}
	for broken, field := range map[string]string{
		strings.Replace(text, `"id":"t2"`, `"id":"two"`, 1):                "tapes.0.id",
		strings.Replace(text, `"status":503`, `"status":50`, 1):            "tapes.0.entries.0.status",
		strings.Replace(text, `"provider":"okx"`, `"provider":"oxk"`, 1):   "tapes.0.entries.1.provider",
		strings.Replace(text, `"lasts":"1m0s"`, `"lasts":"0s"`, 1):         "tapes.0.lasts",
		strings.Replace(text, `"tapes":[{`, `"tapes":[{},{},{},{},{`, 1):   "tapes",
		strings.Replace(text, `"from":"20`, `"from":"10`, 1):               "tapes.0.from",
		strings.Replace(text, `"tapes":[{`, `"tapes":[{"id":"t0"},{`, 1):   "tapes.0.id",
		strings.Replace(text, `"tapes":[`, `"tapes":[{"id":"t9"},`, 1):     "tapes.0.from",
		strings.Replace(text, `"recorded":"20`, `"recorded":"10`, 1):       "tapes.0.recorded",
		strings.Replace(text, `"query":{"pair"`, `"query":{"password"`, 1): "tapes.0.entries.0.query",
	} {
		d, err := simulator.ParseDocument([]byte(broken))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := there.Import(d); faultOf(err, field) == "" {
			t.Errorf("%s is taken: %v", field, err)
		}
	}
}
