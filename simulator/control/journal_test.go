package control_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/journal"
)

// visit records a request to the product in the world a, as its front door does.
func (f *fixture) visit(operation, method, target, body string, answer journal.Answer) {
	f.t.Helper()
	w, err := f.worlds.Find("a")
	if err != nil {
		f.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(f.t.Context(), method, target, strings.NewReader(body))
	e := w.Journal().Begin(operation, r)
	e.Body([]byte(body))
	if operation == core.OpResolveAccount {
		e.Attempts = append(e.Attempts, journal.Attempt{Provider: "paystack", Operation: "resolve", Attempt: 1, Outcome: "not_found", Status: 422, Breaker: "closed", Fault: "f1"})
		e.Applied = "fault:f1"
		e.Cache = journal.Miss
	}
	e.End("req_0123456789ab", answer)
}

const question = `{"country_id":"NG","bank_code":"000013","account_number":"0123456789"}`

// afflict makes the first fault of a world, behind the back of its journal.
func (f *fixture) afflict(id string) {
	f.t.Helper()
	w, err := f.worlds.Find(id)
	if err == nil {
		_, err = w.Faults().Add(faults.Rule{Match: faults.Match{Provider: "paystack"}, Effect: faults.Effect{Kind: faults.Reset}}, w.Now())
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// eventful is a lab with a world in which a few things happened.
func eventful(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.frozenWorld("a")
	f.afflict("a")
	f.visit("list-pairs", http.MethodGet, "/v1/pairs?type=crypto", "", journal.Answer{Status: 200, ContentType: "application/json", Bytes: 2})
	f.do(http.MethodPost, "/worlds/a/clock/advance", `{"by":"1m"}`)
	f.visit(core.OpResolveAccount, http.MethodPost, "/v1/recipients/resolve-bank-account", question, journal.Answer{Status: 404, Error: "not_found", Fields: []string{"bank_code"}})
	f.visit("get-pair", http.MethodGet, "/v1/pairs/BTCUSDT", "", journal.Answer{Status: 200})
	return f
}

type page struct {
	Entries []struct {
		Seq       int
		Operation string
		Control   bool
	}
	State struct {
		Entries, Last int
		Controls      int `json:"control_calls"`
	}
}

func (p page) operations() string {
	var out []string
	for _, e := range p.Entries {
		out = append(out, e.Operation)
	}
	return strings.Join(out, " ")
}

func TestJournal_Filters(t *testing.T) {
	t.Parallel()
	f := eventful(t)
	for query, want := range map[string]string{
		"": "list-pairs resolve-account get-pair", "limit=2": "resolve-account get-pair", "after=1&limit=1": "resolve-account", "after=3": "get-pair", "after=99": "", "operation=get-pair": "get-pair",
		"status=404": "resolve-account", "status=200&method=GET": "list-pairs get-pair", "path=/v1/pairs/*": "get-pair", "error=not_found": "resolve-account", "field=bank_code": "resolve-account",
		"provider=paystack&outcome=not_found&fault=f1&breaker=closed": "resolve-account", "applied=fault": "resolve-account", "cache=miss": "resolve-account", "source=kraken": "", "control=true": "advance-clock",
		"id=req_0123456789ab": "list-pairs resolve-account get-pair", "status=": "list-pairs resolve-account get-pair",
		"body[account_number]=0123456789": "resolve-account", "query[type]=crypto": "list-pairs", "body[account_number]=0113456789": "",
	} {
		got := decode[page](t, f.do(http.MethodGet, "/worlds/a/journal?"+query, ""))
		if got.operations() != want || got.State.Entries != 3 || got.State.Controls != 1 || got.State.Last != 4 {
			t.Errorf("%s: %+v", query, got)
		}
	}
	if got := string(f.do(http.MethodGet, "/worlds/a/journal", "")); strings.Contains(got, "0123456789\"") || !strings.Contains(got, "01****89") {
		t.Errorf("not masked: %s", got)
	}
}

func TestJournal_Bundle(t *testing.T) {
	t.Parallel()
	f := eventful(t)
	b, err := journal.DecodeBundle(f.ask(http.MethodGet, "/worlds/a/journal/bundle", "").body)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"a","seed":"a","clock":{"now":"2026-11-16T11:00:00Z","frozen":true}}`
	if !b.Complete || len(b.Requests) != 4 || !b.Requests[1].Control || b.Build != "1.2.3" || b.Dataset != f.worlds.Dataset() ||
		b.Requests[2].Body != question || string(b.World) != want {
		t.Errorf("%+v", b)
	}
}

func TestJournal_Assert(t *testing.T) {
	t.Parallel()
	f := eventful(t)
	type report struct {
		Pass        bool
		Message     string
		Matched     int
		Closest     *struct{ Operation string }
		Differences []struct{ Field, Want, Got string }
	}
	for body, pass := range map[string]bool{
		`{}`: true, `{"match":{"status":404},"count":1}`: true, `{"match":{"status":503},"never":true}`: true, `{"match":{"status":200},"count":1}`: false, `{"match":{"operation":"resolve-account","status":200}}`: false,
		`{"order":[{"operation":"list-pairs"},{"status":404},{"operation":"get-pair"}]}`: true, `{"order":[{"operation":"get-pair"},{"operation":"list-pairs"}]}`: false,
		`{"match":{"control":true},"count":1}`: true, `{"match":{"after":4},"count":0}`: true, `{"match":{"body":{"account_number":"0123456789"}}}`: true,
	} {
		if got := decode[report](t, f.do(http.MethodPost, "/worlds/a/journal/assert", body)); got.Pass != pass || got.Message == "" {
			t.Errorf("%s: %+v", body, got)
		}
	}
	got := decode[report](t, f.do(http.MethodPost, "/worlds/a/journal/assert", `{"match":{"operation":"resolve-account","error":"not_found","status":200}}`))
	if got.Closest == nil || len(got.Differences) != 1 || got.Differences[0].Field != "status" || got.Differences[0].Got != "404" {
		t.Errorf("%+v", got)
	}
}

func TestJournal_Wait(t *testing.T) {
	t.Parallel()
	f := eventful(t)
	type report struct {
		Pass    bool
		Matched int
	}
	if got := decode[report](t, f.do(http.MethodGet, "/worlds/a/journal/wait?status=404", "")); !got.Pass {
		t.Errorf("got %+v for an entry that is there", got)
	}
	done := make(chan *reply)
	go func() {
		done <- f.send(http.MethodGet, "/worlds/a/journal/wait?operation=list-banks&count=2&timeout=60s", "")
	}()
	f.visit("list-banks", http.MethodGet, "/v1/banks", "", journal.Answer{Status: 200})
	f.visit("list-banks", http.MethodGet, "/v1/banks", "", journal.Answer{Status: 200})
	if got := decode[report](t, (<-done).Data); !got.Pass || got.Matched != 2 {
		t.Errorf("%+v", got)
	}
	if got := decode[report](t, f.do(http.MethodGet, "/worlds/a/journal/wait?status=503&timeout=1ms", "")); got.Pass || got.Matched != 0 {
		t.Errorf("%+v", got)
	}
}

func TestJournal_WaitUntilReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := eventful(t)
		done := make(chan *reply)
		go func() { done <- f.send(http.MethodGet, "/worlds/a/journal/wait?status=503&timeout=60s", "") }()
		synctest.Wait()
		f.do(http.MethodPost, "/worlds/a/reset", "")
		if r := <-done; r.status != http.StatusGone || r.Error.Name != "world_expired" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

func TestJournal_WaitTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := eventful(t)
		for query, want := range map[string]time.Duration{"": 10 * time.Second, "&timeout=60s": time.Minute, "&timeout=1m": time.Minute, "&timeout=250ms": 250 * time.Millisecond} {
			began := time.Now()
			f.do(http.MethodGet, "/worlds/a/journal/wait?status=503"+query, "")
			if waited := time.Since(began); waited != want {
				t.Errorf("%q: %s", query, waited)
			}
		}
	})
}

// TestJournal_WaitOutlastsServerTimeouts waits for longer than the timeouts of the server.
func TestJournal_WaitOutlastsServerTimeouts(t *testing.T) {
	t.Parallel()
	f := eventful(t)
	server := httptest.NewUnstartedServer(f.handler)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/_sim/v1/worlds/a/journal/wait?status=503&timeout=400ms", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var got struct{ Data struct{ Message string } }
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(got.Data.Message, "The time is up") {
		t.Errorf("%v %d %+v", err, answer.StatusCode, got)
	}
}
