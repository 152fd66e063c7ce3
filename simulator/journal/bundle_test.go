package journal_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"causeway/core"
	"causeway/simulator/journal"
)

func TestBundle_Golden(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	record(j, "validate-address", request("POST", "/v1/validate?q=%4F"), "no JSON", 400)
	file := []byte(bundled(t, j))
	golden(t, "bundle.json", file)
	b, err := journal.DecodeBundle(file)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Complete || b.Fingerprint != j.Fingerprint() || len(b.Requests) != 6 {
		t.Errorf("got %+v; the world's fingerprint is %s", b, j.Fingerprint())
	}
	for _, want := range []string{resolveBody, bankAccount, tronAddress} {
		if !strings.Contains(strings.ReplaceAll(string(file), `\"`, `"`), want) {
			t.Errorf("%q is not in the bundle", want)
		}
	}
	if strings.Contains(string(file), "sk_live_planted") {
		t.Error("a credential is in the bundle")
	}
}

// echo responds with everything of a request that a bundle keeps.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.WriteHeader(200 + len(body)%7)
	fmt.Fprintf(w, "%s %s %q %q %q %x", r.Method, r.RequestURI, r.Header["Sim-Scenario"], r.Header["Accept"], r.Header["Content-Type"], body)
}

// recorded is echo with a journal.
func recorded(j *journal.Journal, control bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := j.Begin
		if control {
			begin = j.BeginControl
		}
		o := begin("echo", r)
		body, _ := io.ReadAll(r.Body)
		o.Body(body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var kept bytes.Buffer
		rec := httptest.NewRecorder()
		rec.Body = &kept
		echo(rec, r)
		o.End("", journal.Answer{Status: rec.Code, Bytes: int64(kept.Len()), SHA256: sha256.Sum256(kept.Bytes())})
		w.WriteHeader(rec.Code)
		_, _ = w.Write(kept.Bytes())
	})
}

func TestBundle_Replay(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	public, control := serve(t, recorded(j, false)), serve(t, recorded(j, true))
	for _, c := range []struct{ method, host, target, body string }{
		{"GET", public, "/v1/banks?country=NG&account_number=0123456789", ""},
		{"POST", control, "/_sim/v1/worlds/a%2Fb/next", `{"operation":"resolve-account"}`},
		{"POST", public, resolvePath, resolveBody},
		{"POST", public, "/v1//validate/%41?a=%20+&b", "\x00\r\n"},
		{"PURGE", public, "/", ""},
		{"HEAD", public, "/v1/pairs", ""},
		{"GET", public, "/_sim/v1/worlds", ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, c.host+c.target, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sim-Scenario", "unknown")
		r.Header.Add("Accept", "a/b")
		r.Header.Add("Accept", "c/d")
		r.Header.Set("Authorization", "Bearer x")
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		do(t, r)
	}
	b, err := journal.DecodeBundle([]byte(bundled(t, j)))
	if err != nil || len(b.Requests) != 7 {
		t.Fatalf("%+v, %v", b, err)
	}
	other := newJournal(t)
	public, control = serve(t, recorded(other, false)), serve(t, recorded(other, true))
	for i := range b.Requests {
		origin := public
		if b.Requests[i].Control {
			origin = control
		}
		r, err := b.Requests[i].Request(t.Context(), origin)
		if err != nil {
			t.Fatal(err)
		}
		do(t, r)
	}
	if other.Fingerprint() != b.Fingerprint || other.Fingerprint() == (journal.Sum{}) {
		t.Errorf("the fingerprint is %s, want %s", other.Fingerprint(), b.Fingerprint)
	}
	if diff := cmp.Diff(b.Requests, other.Bundle(origin).Requests); diff != "" {
		t.Error(diff)
	}
}

func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func do(t *testing.T, r *http.Request) {
	t.Helper()
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
}

// TestBundle_Missing checks that a bundle counts requests that it lacks: dropped, or impossible to send again.
func TestBundle_Missing(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	recordMany(j)
	record(j, "a", request("POST", "/v1/validate"), "\xff", 400)
	streamed := answer(200, "")
	streamed.Streamed = true
	j.Begin("stream-pairs", request("GET", "/v1/pairs/stream")).End("", streamed)
	b, err := journal.DecodeBundle([]byte(bundled(t, j)))
	if err != nil || b.Complete || b.LeftOut != 5 || len(b.Requests) != 498 || b.Fingerprint == j.Fingerprint() {
		t.Errorf("%d left out of %d, %v", b.LeftOut, len(b.Requests), err)
	}
}

// TestBundle_Continued checks that the bundle of a copy begins with the newest requests to its origin.
func TestBundle_Continued(t *testing.T) {
	t.Parallel()
	from, fork := newJournal(t), newJournal(t)
	story(from)
	call := journal.Sent{At: noon(), Control: true, Method: "POST", Path: "/_sim/v1/worlds/a/fork", Headers: []journal.Field{}}
	fork.Continue(from, call)
	record(fork, "list-pairs", request("GET", "/v1/pairs"), "", 200)
	b, err := journal.DecodeBundle([]byte(bundled(t, fork)))
	if err != nil || !b.Complete || len(b.Requests) != 7 || b.Requests[5].Path != call.Path || b.Requests[6].Path != "/v1/pairs" {
		t.Errorf("%+v, %v", b, err)
	}
	again := newJournal(t)
	again.Continue(fork, call)
	if got := len(again.Bundle(origin).Requests); got != 8 {
		t.Errorf("the copy of a copy has %d requests", got)
	}
	recordMany(from)
	again.Continue(from, call)
	if b := again.Bundle(origin); b.Complete || len(b.Requests) != journal.MaxEntries || b.LeftOut < 1 {
		t.Errorf("%d requests, %d left out", len(b.Requests), b.LeftOut)
	}
}

// change returns an edited copy of the golden bundle.
func change(t testing.TB, edits ...string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", "bundle.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(edits); i += 2 {
		changed := strings.Replace(string(file), edits[i], edits[i+1], 1)
		if changed == string(file) {
			t.Fatalf("%q is not in the bundle", edits[i])
		}
		file = []byte(changed)
	}
	return file
}

func TestDecodeBundle_Invalid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"empty file", nil, "not a bundle"},
		{"another file", []byte("PK\x03\x04"), "not a bundle"},
		{"list", []byte("[]"), "not a bundle"},
		{"empty object", []byte("{}"), "version is 0, or missing; accepted: 2"},
		{"earlier version", []byte(`{"version":1,"world":"a","seed":"b"}`), "version is 1, or missing; accepted: 2"},
		{"later version", []byte(`{"version":3,"steps":[]}`), "version is 3, or missing; accepted: 2"},
		{"truncated", change(t)[:900], "not a bundle: unexpected end"},
		{"unknown field", change(t, `"left_out"`, `"steps": [], "left_out"`), `unknown field "steps"`},
		{"no world", []byte(`{"version":2}`), "world is missing"},
		{"wrong completeness", change(t, `"left_out": 0`, `"left_out": 3`), "left_out 3; accepted: 0 if the bundle is complete"},
		{"another status", change(t, `"status": 503`, `"status": 500`), "fingerprint does not match the responses"},
		{"malformed sum", change(t, `"fingerprint": "`, `"fingerprint": "x`), "64 hexadecimal digits"},
		{"another host", change(t, `"path": "/v1/validate"`, `"path": "http://example.com/v1/validate"`), "requests[4]"},
		{"another host without a scheme", change(t, `"path": "/v1/validate"`, `"path": "@example.com/v1/validate"`), "requests[4]"},
		{"two lines", change(t, `"path": "/v1/validate"`, `"path": "/v1/validate\r\nHost: x"`), "requests[4]"},
		{"control call of the public API", change(t, `"path": "/_sim/v1/worlds/TestX%2Fone/next"`, `"path": "/v1/banks"`), "requests[1]"},
		{"malformed method", change(t, `"method": "POST"`, `"method": "POST /"`), "requests[1]"},
		{"credential", change(t, `"name": "Accept"`, `"name": "Authorization"`), `requests[0] the header "Authorization"`},
		{"header of two lines", change(t, `"value": "application/json"`, `"value": "a\nb"`), "requests[0]"},
		{"no time of a request", change(t, `"at": "2026-11-21T12:00:00Z",`, ``), "requests[0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b, err := journal.DecodeBundle(c.file)
			if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
			for _, planted := range []string{bankAccount, tronAddress, holder} {
				if strings.Contains(err.Error(), planted) {
					t.Errorf("the error repeats %q", planted)
				}
			}
			if b.Version != 0 {
				t.Errorf("got %+v", b)
			}
		})
	}
}

// FuzzBundle checks that all requests of a decoded bundle are to its host, and that it is written as it was read.
func FuzzBundle(f *testing.F) {
	f.Add(change(f))
	f.Add([]byte(`{"version":2,"world":{"id":"a"},"complete":true,"fingerprint":"` + strings.Repeat("0", 64) + `"}`))
	f.Add([]byte(`{"version":2,"requests":[{}]}`))
	f.Add([]byte(`{"version":null}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := journal.DecodeBundle(file)
		if err != nil {
			if core.CodeOf(err) != core.Invalid {
				t.Fatal(err)
			}
			return
		}
		for i := range b.Requests {
			r, err := b.Requests[i].Request(t.Context(), host)
			if err != nil {
				t.Fatal(err)
			}
			if "http://"+r.URL.Host != host || r.URL.User != nil || r.Header.Get("Authorization") != "" {
				t.Fatalf("%+v", r)
			}
		}
		back, err := journal.DecodeBundle([]byte(asJSON(t, b)))
		if diff := cmp.Diff(asJSON(t, b), asJSON(t, back)); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	})
}

// TestBundle_ContinuedBounded checks that a chain of forks needs no more memory than one journal.
func TestBundle_ContinuedBounded(t *testing.T) {
	t.Parallel()
	origin := newJournal(t)
	for range 10 {
		for range 3 {
			record(origin, "a", request("POST", "/v1/validate"), strings.Repeat(" ", 200<<10), 400)
		}
		fork := newJournal(t)
		fork.Continue(origin, journal.Sent{Method: "POST", Path: "/_sim/v1/worlds/a/fork"})
		origin = fork
	}
	size, b := 0, origin.Bundle(journal.Origin{})
	for _, q := range b.Requests {
		size += len(q.Body)
	}
	if size > journal.MaxBytes || len(b.Requests) != 7 || b.LeftOut+len(b.Requests) != 10*3+10 {
		t.Errorf("%d bytes in %d requests, %d left out", size, len(b.Requests), b.LeftOut)
	}
}
