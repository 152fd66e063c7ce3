package control_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/simulator/control"
	"causeway/simulator/faults"
	"causeway/simulator/journal"
	"causeway/simulator/publicapi"
)

// visit records a request to the product in the world a, as its front door does.
func (l *lab) visit(operation, method, target, body string, answer journal.Answer) {
	l.t.Helper()
	w, err := l.worlds.Find("a")
	if err != nil {
		l.t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(l.t.Context(), method, target, strings.NewReader(body))
	e := w.Journal().Begin(operation, r)
	e.Body([]byte(body))
	if operation == publicapi.ResolveAccount {
		e.Attempt(journal.Attempt{Provider: "paystack", Operation: "resolve", Attempt: 1, Outcome: "not_found", Status: 422, Breaker: "closed", Fault: "f1"})
		e.Applied("fault:f1")
		e.Cache(journal.Miss)
	}
	e.End("req_0123456789ab", answer)
}

const question = `{"country_id":"NG","bank_code":"000013","account_number":"0123456789"}`

// afflict makes the first fault of a world, behind the back of its journal.
func (l *lab) afflict(id string) {
	l.t.Helper()
	w, err := l.worlds.Find(id)
	if err == nil {
		_, err = w.Faults().Add(faults.Rule{Match: faults.Match{Provider: "paystack"}, Effect: faults.Effect{Kind: faults.Reset}}, w.Now())
	}
	if err != nil {
		l.t.Fatal(err)
	}
}

// eventful is a lab with a world in which a few things happened.
func eventful(t *testing.T) *lab {
	t.Helper()
	l := newLab(t)
	l.do(http.MethodPost, "/worlds", `{"id":"a",`+frozen+`}`)
	l.afflict("a")
	l.visit("list-pairs", http.MethodGet, "/v1/pairs?type=crypto", "", journal.Answer{Status: 200, ContentType: "application/json", Bytes: 2})
	l.do(http.MethodPost, "/worlds/a/clock/advance", `{"by":"1m"}`)
	l.visit(publicapi.ResolveAccount, http.MethodPost, "/v1/recipients/resolve-bank-account", question, journal.Answer{Status: 404, Error: "not_found", Fields: []string{"bank_code"}})
	l.visit("get-pair", http.MethodGet, "/v1/pairs/BTCUSDT", "", journal.Answer{Status: 200})
	return l
}

type page struct {
	Entries []struct {
		Seq       int
		Operation string
		Control   bool
	}
	State struct{ Entries, Last int }
}

func (p page) operations() string {
	var out []string
	for _, e := range p.Entries {
		out = append(out, e.Operation)
	}
	return strings.Join(out, " ")
}

func TestTheJournalIsReadWithConditions(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	for query, want := range map[string]string{
		"": "list-pairs resolve-account get-pair", "limit=2": "resolve-account get-pair", "after=1&limit=1": "resolve-account", "after=3": "get-pair", "after=99": "", "operation=get-pair": "get-pair",
		"status=404": "resolve-account", "status=200&method=GET": "list-pairs get-pair", "path=/v1/pairs/*": "get-pair", "error=not_found": "resolve-account", "field=bank_code": "resolve-account",
		"provider=paystack&outcome=not_found&fault=f1&breaker=closed": "resolve-account", "applied=fault": "resolve-account", "cache=miss": "resolve-account", "source=kraken": "", "control=true": "advance-clock",
		"since=2026-11-16T11:01:00Z": "resolve-account get-pair", "until=2026-11-16T11:01:00Z": "list-pairs", "id=req_0123456789ab": "list-pairs resolve-account get-pair", "status=": "list-pairs resolve-account get-pair",
		"match=" + `%7B%22body%22:%7B%22account_number%22:%220123456789%22%7D%7D`: "resolve-account", "match=%7B%22status%22:200%7D&path=/v1/pairs": "list-pairs", "match=%7B%22control%22:true%7D": "advance-clock",
	} {
		got := decode[page](t, l.do(http.MethodGet, "/worlds/a/journal?"+query, ""))
		if got.operations() != want || got.State.Entries != 4 || got.State.Last != 4 {
			t.Errorf("%s: %+v", query, got)
		}
	}
	for query, word := range map[string]string{
		"limit=0": "1 to 1000", "limit=x": "1 to 1000", "limit=1001": "1 to 1000", "status=99": "100 to 599", "status=ok": "100 to 599", "after=-1": "the seq of an entry", "since=noon": "2026-11-16T12:00:00Z", "cache=warm": "hit, miss, none",
		"control=yes": "true, false", "format=pdf": "json, bundle", "colour=red": "match, after, control", "limit=1&limit=2": "once", "path=[": "accepted", "match={%22stat%22:1}": "after, control, id, operation",
		"since=2026-11-16T12:00:00Z&until=2026-11-16T11:00:00Z": "until",
	} {
		l.refused(http.MethodGet, "/worlds/a/journal?"+query, "", http.StatusBadRequest, "request_validation", word)
	}
	l.refused(http.MethodGet, "/worlds/a/journal?match={", "", http.StatusBadRequest, "bad_request", "byte")
	l.refused(http.MethodGet, "/worlds/a/journal?limit=%zz", "", http.StatusBadRequest, "bad_request", "percent-encode")
	if got := string(l.do(http.MethodGet, "/worlds/a/journal", "")); strings.Contains(got, "0123456789\"") || !strings.Contains(got, "01****89") {
		t.Errorf("it is not masked: %s", got)
	}
}

func TestTheJournalIsExported(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	b, err := journal.DecodeBundle(l.ask(http.MethodGet, "/worlds/a/journal?format=bundle", "").body)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Complete || len(b.Requests) != 4 || !b.Requests[1].Control || b.World != "a" || b.Seed != "a" || b.Build != "1.2.3" || b.Dataset != l.worlds.Dataset() || !b.Clock.Frozen || !b.Clock.Now.Equal(noon.Add(-time.Hour)) ||
		b.Requests[2].Body != question || !strings.Contains(string(b.Options), `"frozen":true`) {
		t.Errorf("%+v", b)
	}
}

func TestABundleOfAForkBeginsWithTheImportOfWhatItBeganWith(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	l.do(http.MethodPut, "/worlds/a/accounts/000013/0123456780", `{"account_name":"TEST ADA"}`)
	l.do(http.MethodPost, "/worlds/a/fork", `{"id":"b/1"}`)
	b, err := journal.DecodeBundle(l.ask(http.MethodGet, "/worlds/b%2F1/journal?format=bundle", "").body)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Requests) != 1 || b.Requests[0].Method != http.MethodPost || b.Requests[0].Path != "/_sim/v1/worlds/b%2F1/import" {
		t.Fatalf("%+v", b)
	}
	exported := string(l.do(http.MethodGet, "/worlds/b%2F1/export", ""))
	l.do(http.MethodDelete, "/worlds/b%2F1", "")
	l.do(http.MethodPost, strings.TrimPrefix(b.Requests[0].Path, "/_sim/v1"), b.Requests[0].Body)
	if again := string(l.do(http.MethodGet, "/worlds/b%2F1/export", "")); again != exported {
		t.Errorf("%s\n%s", again, exported)
	}
}

func TestAssertionsPassOrSayWhatIsDifferent(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	type report struct {
		Pass        bool
		Message     string
		Matched     int
		Closest     *struct{ Operation string }
		Differences []struct{ Field, Want, Got string }
	}
	for body, pass := range map[string]bool{
		`{}`: true, `{"match":{"status":404},"count":1}`: true, `{"match":{"status":503},"never":true}`: true, `{"match":{"status":200},"count":1}`: false, `{"match":{"operation":"resolve-account","status":200}}`: false,
		`{"order":[{"operation":"list-pairs"},{"status":404},{"operation":"get-pair"}]}`: true, `{"order":[{"operation":"get-pair"},{"operation":"list-pairs"}]}`: false, `{"match":{"status":200},"at_least":1,"at_most":2}`: true,
		`{"match":{"control":true},"count":1}`: true, `{"match":{"after":4},"count":0}`: true, `{"match":{"body":{"account_number":"0123456789"}}}`: true,
	} {
		if got := decode[report](t, l.do(http.MethodPost, "/worlds/a/journal/assert", body)); got.Pass != pass || got.Message == "" {
			t.Errorf("%s: %+v", body, got)
		}
	}
	got := decode[report](t, l.do(http.MethodPost, "/worlds/a/journal/assert", `{"match":{"operation":"resolve-account","error":"not_found","status":200}}`))
	if got.Closest == nil || len(got.Differences) != 1 || got.Differences[0].Field != "status" || got.Differences[0].Got != "404" {
		t.Errorf("%+v", got)
	}
	for body, word := range map[string]string{
		`{"match":{"stats":404}}`: "status", `{"count":-1}`: "0 or more", `{"count":"1"}`: "a whole number", `{"match":{"status":1000}}`: "100 to 599", `{"order":{}}`: "a list", `{"order":[{"after":1}]}`: "order[0]",
		`{"matches":{}}`: "match, count, at_least, at_most, never, order", `{"never":true,"count":2}`: "0", `{"match":{"since":"now"}}`: "2026-11-16T12:00:00Z", `{"match":{"headers":{"a":1}}}`: "text in quotes",
	} {
		l.refused(http.MethodPost, "/worlds/a/journal/assert", body, http.StatusBadRequest, "request_validation", word)
	}
}

func TestWaitingEndsWithWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	type report struct {
		Pass    bool
		Matched int
	}
	if got := decode[report](t, l.do(http.MethodGet, "/worlds/a/journal/wait?status=404", "")); !got.Pass {
		t.Errorf("what is there does not count: %+v", got)
	}
	done := make(chan *reply)
	go func() {
		done <- l.send(http.MethodGet, "/worlds/a/journal/wait?operation=list-banks&count=2&timeout=60s", "")
	}()
	l.visit("list-banks", http.MethodGet, "/v1/banks", "", journal.Answer{Status: 200})
	l.visit("list-banks", http.MethodGet, "/v1/banks", "", journal.Answer{Status: 200})
	if got := decode[report](t, (<-done).Data); !got.Pass || got.Matched != 2 {
		t.Errorf("%+v", got)
	}
	if got := decode[report](t, l.do(http.MethodGet, "/worlds/a/journal/wait?status=503&timeout=1ms", "")); got.Pass || got.Matched != 0 {
		t.Errorf("%+v", got)
	}
	for query, word := range map[string]string{
		"timeout=61s": "up to 1m0s", "timeout=0s": "up to 1m0s", "timeout=-1s": "up to 1m0s", "timeout=5": "up to 1m0s", "count=0": "1 to", "count=501": "1 to 500", "limit=3": "count, timeout", "status=x": "100 to 599",
	} {
		l.refused(http.MethodGet, "/worlds/a/journal/wait?"+query, "", http.StatusBadRequest, "request_validation", word)
	}
}

func TestAResetEndsWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := eventful(t)
		done := make(chan *reply)
		go func() { done <- l.send(http.MethodGet, "/worlds/a/journal/wait?status=503&timeout=60s", "") }()
		synctest.Wait()
		l.do(http.MethodPost, "/worlds/a/reset", "")
		if r := <-done; r.status != http.StatusGone || r.Error.Name != "world_expired" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

func TestWaitingIsCutOffWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := eventful(t)
		ctx, cancel := context.WithCancel(t.Context())
		rec := httptest.NewRecorder()
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.handler.ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodGet, "/_sim/v1/worlds/a/journal/wait?status=503&timeout=60s", http.NoBody))
		}()
		synctest.Wait()
		began := time.Now()
		cancel()
		<-done
		if waited := time.Since(began); waited != 0 || !strings.Contains(rec.Body.String(), `"pass":false`) {
			t.Errorf("after %s: %s", waited, rec.Body)
		}
	})
}

func TestWaitingHasAnEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := eventful(t)
		for query, want := range map[string]time.Duration{"": 10 * time.Second, "&timeout=60s": time.Minute, "&timeout=1m": time.Minute, "&timeout=250ms": 250 * time.Millisecond} {
			began := time.Now()
			l.do(http.MethodGet, "/worlds/a/journal/wait?status=503"+query, "")
			if waited := time.Since(began); waited != want {
				t.Errorf("%q: %s", query, waited)
			}
		}
	})
}

// TestWaitingOutlastsTheServersPatience waits for longer than a server gives an answer by itself, over TCP.
func TestWaitingOutlastsTheServersPatience(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	server := httptest.NewUnstartedServer(l.handler)
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
	if err := json.NewDecoder(answer.Body).Decode(&got); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(got.Data.Message, "until the time was up") {
		t.Errorf("%v %d %+v", err, answer.StatusCode, got)
	}
}

func TestWhatThereIsNotIsRefusedRatherThanNeverSeen(t *testing.T) {
	t.Parallel()
	l := eventful(t)
	for _, c := range []struct{ match, field, accepted string }{
		{`{"operation":"resolve_account"}`, "operation", "resolve-account"},
		{`{"operation":"resolve-account","control":true}`, "operation", "queue-outcomes"},
		{`{"provider":"paystak"}`, "provider", "paystack"},
		{`{"fault":"f2"}`, "fault", "f1"},
		{`{"fault":"f01"}`, "fault", "f1"},
		{`{"fault":"paystack"}`, "fault", "f1"},
	} {
		l.refused(http.MethodPost, "/worlds/a/journal/assert", `{"match":`+c.match+`,"never":true}`, http.StatusBadRequest, "request_validation", `"match.`+c.field+`"`, "accepted", c.accepted)
		l.refused(http.MethodGet, "/worlds/a/journal?match="+url.QueryEscape(c.match), "", http.StatusBadRequest, "request_validation", `"`+c.field+`"`, c.accepted)
		l.refused(http.MethodGet, "/worlds/a/journal/wait?match="+url.QueryEscape(c.match), "", http.StatusBadRequest, "request_validation", c.accepted)
	}
	l.refused(http.MethodPost, "/worlds/a/journal/assert", `{"order":[{},{"provider":"paystak"}]}`, http.StatusBadRequest, "request_validation", "order[1].provider")
	l.do(http.MethodPost, "/worlds/a/journal/assert", `{"match":{"control":true,"operation":"add-faults"},"order":[{"operation":"add-faults"}]}`)
	l.do(http.MethodGet, "/worlds/a/journal?fault=f1&provider=paystack&operation=resolve-account", "")
}

func TestWithoutAnAPINothingAboutItsRequestsIsAccepted(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	handler, err := control.New(l.worlds, control.Config{Entropy: func() uint64 { return l.entropy.Add(1) << 32 }, NoAPI: true})
	if err != nil {
		t.Fatal(err)
	}
	l.handler = handler
	l.do(http.MethodPost, "/worlds", `{"id":"a"}`)
	for _, c := range []struct{ method, path, body, field string }{
		{http.MethodPost, "/next", `{"operation":"resolve-account","outcomes":["unknown"]}`, "operation"},
		{http.MethodPost, "/faults", `{"match":{"plane":"edge"},"effect":{"kind":"reset"}}`, "match.plane"},
		{http.MethodGet, "/journal", "", "control"},
		{http.MethodGet, "/journal/wait", "", "control"},
		{http.MethodPost, "/journal/assert", `{"never":true}`, "control"},
	} {
		l.refused(c.method, "/worlds/a"+c.path, c.body, http.StatusBadRequest, "request_validation", `"`+c.field+`"`, "providers alone", "accepted")
	}
	l.do(http.MethodPost, "/worlds/a/faults", `{"match":{"plane":"upstream"},"effect":{"kind":"reset"}}`)
	l.do(http.MethodGet, "/worlds/a/journal?control=true", "")
	l.do(http.MethodPost, "/worlds/a/journal/assert", `{"match":{"control":true,"operation":"add-faults"}}`)
}
