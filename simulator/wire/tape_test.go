package wire_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"causeway/simulator"
	"causeway/simulator/wire"
)

// tapeable are usual questions to the providers that may be on a tape.
func tapeable() []question {
	var out []question
	for _, q := range usual {
		switch q.provider {
		case wire.Busha:
			q = question{"", wire.Busha, "/v1/pairs?base=USDT&counter=NGN", nil}
		case wire.CoinGecko:
			q.target += "&include_last_updated_at=true"
		}
		if len(wire.Offers()[q.provider].Taped) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// entryOf is what a wire says to a question, as an entry of a tape.
func entryOf(t *testing.T, w *wire.Wire, q question) simulator.TapeEntry {
	t.Helper()
	r, body := answered(t, w, q)
	_, target, _ := q.parts()
	path, _, _ := strings.Cut(target, "?")
	return simulator.TapeEntry{Provider: q.provider, Path: path, Status: r.status, Body: json.RawMessage(body)}
}

func playOn(t *testing.T, world *simulator.World, tape simulator.Tape) {
	t.Helper()
	if _, err := world.Tapes().Play(tape, world.Now()); err != nil {
		t.Fatal(err)
	}
}

// TestATapeTakesThePlaceOfEveryProviderOfPrices records each in one world and plays it in another, where prices are different.
func TestATapeTakesThePlaceOfEveryProviderOfPrices(t *testing.T) {
	t.Parallel()
	asked := tapeable()
	if len(asked) != 10 {
		t.Fatalf("%d providers can be on a tape", len(asked))
	}
	for _, q := range asked {
		t.Run(q.provider, func(t *testing.T) {
			t.Parallel()
			entry := entryOf(t, wire.New(newWorld(t)), q)
			elsewhere, err := simulator.New(simulator.Config{Seed: "elsewhere"}, func() time.Time { return noon.Add(3 * time.Hour) }, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := wire.New(elsewhere)
			_, before := answered(t, w, q)
			playOn(t, elsewhere, simulator.Tape{Lasts: simulator.Duration(time.Hour), Entries: []simulator.TapeEntry{entry}})
			r, body := answered(t, w, q)
			if body != string(entry.Body) || body == before || r.header.Get("Date") != noon.Add(3*time.Hour).Format(http.TimeFormat) {
				t.Errorf("%v: got %s, want %s", r.header, body, entry.Body)
			}
			if err := elsewhere.Tapes().Remove("t1"); err != nil {
				t.Fatal(err)
			}
			if _, after := answered(t, w, q); after != before {
				t.Errorf("without the tape: %s, before it was %s", after, before)
			}
		})
	}
}

// TestTimesOnATapeAreMovedOn looks for the instants of a recording in what is said a day and an hour later.
func TestTimesOnATapeAreMovedOn(t *testing.T) {
	t.Parallel()
	const later = 25 * time.Hour
	instants := regexp.MustCompile(`1795\d{6}(\d{3})?|2026-11-2\d(T\d\d:\d\d)?`)
	for _, q := range tapeable() {
		if !wire.Offers()[q.provider].Times {
			continue
		}
		world := newWorld(t)
		w := wire.New(world)
		entry := entryOf(t, w, q)
		playOn(t, world, simulator.Tape{Lasts: simulator.Duration(time.Hour), Recorded: noon.Add(-later), Entries: []simulator.TapeEntry{entry}})
		_, body := answered(t, w, q)
		was, is := instants.FindAllString(string(entry.Body), -1), instants.FindAllString(body, -1)
		moved := 0
		for i := range was {
			if i < len(is) && was[i] != is[i] {
				moved++
			}
		}
		if len(was) == 0 || len(was) != len(is) || moved == 0 {
			t.Errorf("%s: %v became %v", q.provider, was, is)
		}
	}
}

func TestWhatATapeSaysBesideJSON(t *testing.T) {
	t.Parallel()
	q := question{"", wire.Kraken, "/0/public/Ticker?pair=XBTUSD", nil}
	tell := func(e simulator.TapeEntry) (*wire.Wire, *simulator.World) {
		world := newWorld(t)
		w := wire.New(world)
		e.Provider, e.Path = wire.Kraken, "/0/public/Ticker"
		playOn(t, world, simulator.Tape{Lasts: simulator.Duration(time.Hour), Entries: []simulator.TapeEntry{e}})
		return w, world
	}
	w, _ := tell(simulator.TapeEntry{Status: 520, Text: "<html>", Headers: map[string]string{"content-type": "text/html", "retry-after": "7"}})
	if r, body := answered(t, w, q); r.status != 520 || body != "<html>" || r.header.Get("Content-Type") != "text/html" || r.header.Get("Retry-After") != "7" {
		t.Errorf("%d %v %s", r.status, r.header, body)
	}
	w, _ = tell(simulator.TapeEntry{Status: 200, Text: `{"error":[],"res`})
	if r, body := answered(t, w, q); r.status != 200 || body != `{"error":[],"res` || !strings.HasPrefix(r.header.Get("Content-Type"), "text/plain") {
		t.Errorf("%d %v %s", r.status, r.header, body)
	}
	w, world := tell(simulator.TapeEntry{})
	call, err := world.NewCall("get-pair", "")
	if err != nil {
		t.Fatal(err)
	}
	if got := under(t, w, call, q); got.err == nil || call.Applied() != "tape:t1" {
		t.Errorf("%+v by %s, want a broken connection by the tape", got, call.Applied())
	}
	if got := say(t, w, wire.Kraken, "/0/public/Time"); got.status != http.StatusOK {
		t.Errorf("another question: %+v", got)
	}
	if post := say(t, w, wire.Kraken, "POST /0/public/Ticker pair=XBTUSD"); post.err != nil {
		t.Errorf("it answers what is no GET: %v", post.err)
	}
}

// TestFaultsBefallTapes has a rule spoil what a tape says.
func TestFaultsBefallTapes(t *testing.T) {
	t.Parallel()
	q := question{"", wire.Binance, "/api/v3/ticker/bookTicker?symbol=BTCUSDT", nil}
	world := newWorld(t)
	w := wire.New(world)
	playOn(t, world, simulator.Tape{Lasts: simulator.Duration(time.Hour), Entries: []simulator.TapeEntry{{
		Provider: wire.Binance, Path: "/api/v3/ticker/bookTicker", Status: http.StatusOK, Body: json.RawMessage(`{"symbol":"BTCUSDT","bidPrice":"2","bidQty":"1","askPrice":"4","askQty":"1"}`),
	}}})
	if _, err := world.Faults().Add(simulator.Rule{Match: simulator.Match{Provider: wire.Binance}, Effect: simulator.Effect{Kind: simulator.FaultTimes1000}}, noon); err != nil {
		t.Fatal(err)
	}
	if _, body := answered(t, w, q); !bytes.Contains([]byte(body), []byte(`"bidPrice":"2000"`)) {
		t.Errorf("got %s", body)
	}
}

// FuzzTapes plays what nobody meant as a tape. What is taken is answered, whatever its times are, and JSON stays JSON.
func FuzzTapes(f *testing.F) {
	for _, seed := range []string{
		`{"provider":"kraken","path":"/0/public/Ticker","status":200,"body":{"error":[]}}`,
		`{"provider":"okx","path":"/api/v5/market/tickers","status":200,"body":{"data":[{"ts":"1795262400000"},{"ts":-1e9},{"ts":[]}]}}`,
		`{"provider":"frankfurter","path":"/v2/rates","query":{"base":"USD"},"status":503,"headers":{"Retry-After":"x"},"body":[{"date":"9999-12-31"},null]}`,
		`{"provider":"coinbase","path":"/products/%00/ticker","status":599,"text":"\u0000<html>"}`,
		`{"provider":"coingecko","path":"/api/v3/simple/price","status":200,"body":{"a":{"last_updated_at":99999999999999999999}}}`,
		`{"provider":"quidax","path":"/api/v1/markets/tickers/../x"}`,
	} {
		f.Add(seed, int64(time.Hour))
	}
	f.Fuzz(func(t *testing.T, text string, ago int64) {
		var e simulator.TapeEntry
		if json.Unmarshal([]byte(text), &e) != nil {
			return
		}
		world := newWorld(t)
		w := wire.New(world)
		tape := simulator.Tape{Lasts: simulator.Duration(time.Hour), Recorded: noon.Add(-time.Duration(ago)), Entries: []simulator.TapeEntry{e}}
		if _, err := world.Tapes().Play(tape, noon); err != nil {
			return
		}
		values := url.Values{}
		for name, value := range e.Query {
			values.Set(name, value)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.URL = &url.URL{Path: e.Path, RawQuery: values.Encode()}
		rec := httptest.NewRecorder()
		defer func() {
			switch fault := recover(); fault {
			case nil:
			case http.ErrAbortHandler:
				if e.Status != 0 {
					t.Errorf("%s: the connection broke", text)
				}
			default:
				t.Errorf("%s: %v", text, fault)
			}
			if world.Tapes().List()[0].Answered != 1 {
				t.Errorf("%s: the tape was not asked", text)
			}
		}()
		w.Handler(e.Provider).ServeHTTP(rec, r)
		if rec.Code != e.Status || len(e.Body) > 0 && string(e.Body) != "null" && !json.Valid(rec.Body.Bytes()) {
			t.Errorf("%s: %d %s", text, rec.Code, rec.Body)
		}
	})
}
