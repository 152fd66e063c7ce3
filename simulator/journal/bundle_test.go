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
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/journal"
)

func TestABundleHasTheRequestsAsTheyWereSent(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	story(j)
	record(j, "validate-address", request("POST", "/v1/validate?q=%4F&x=\x80"), "\xff\xfe", 400)
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

// echo is a product whose answer depends on all of a request that a bundle keeps.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.WriteHeader(200 + len(body)%7)
	fmt.Fprintf(w, "%s %s %q %q %q %x", r.Method, r.RequestURI, r.Header["Sim-Scenario"], r.Header["Accept"], r.Header["Content-Type"], body)
}

// recorded is the product with a journal before it.
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

func TestABundleIsSentAgainByteForByte(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	first := journal.Hosts{Public: serve(t, recorded(j, false)), Control: serve(t, recorded(j, true))}
	for _, c := range []struct{ method, host, target, body string }{
		{"GET", first.Public, "/v1/banks?country=NG&account_number=0123456789", ""},
		{"POST", first.Control, "/_sim/v1/worlds/a%2Fb/next", `{"operation":"resolve-account"}`},
		{"POST", first.Public, resolvePath, resolveBody},
		{"POST", first.Public, "/v1//validate/%41?a=%20+&b", "\x00\xff\r\n"},
		{"PURGE", first.Public, "/", ""},
		{"HEAD", first.Public, "/v1/pairs", ""},
		{"GET", first.Public, "/_sim/v1/worlds", ""},
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
	second := journal.Hosts{Public: serve(t, recorded(other, false)), Control: serve(t, recorded(other, true))}
	for i := range b.Requests {
		r, err := b.Requests[i].Request(t.Context(), second)
		if err != nil {
			t.Fatal(err)
		}
		do(t, r)
	}
	if other.Fingerprint() != b.Fingerprint || other.Fingerprint() == (journal.Sum{}) {
		t.Errorf("the fingerprint is %s, want %s", other.Fingerprint(), b.Fingerprint)
	}
	again, err := other.Bundle(origin)
	if diff := cmp.Diff(b.Requests, again.Requests); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
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

func TestARequestForTheServerAsAWholeIsSentAgain(t *testing.T) {
	t.Parallel()
	j := newJournal(t)
	r := request("OPTIONS", "/")
	r.URL.Path = "*"
	record(j, "a", r, "", 204)
	b, err := j.Bundle(origin)
	if err != nil || len(b.Requests) != 1 || b.Requests[0].Path != "*" {
		t.Fatalf("%+v, %v", b, err)
	}
	again, err := b.Requests[0].Request(t.Context(), hosts)
	if err != nil || again.URL.RequestURI() != "*" || again.URL.Host != "localhost:8080" {
		t.Errorf("got %v, %v", again.URL, err)
	}
	if _, err := b.Requests[0].Request(t.Context(), journal.Hosts{Public: "no host\x7f"}); core.CodeOf(err) != core.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestABundleSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	j := newJournal(t, func(cfg *journal.Config) { cfg.Limits = journal.Limits{Entries: 4, Bytes: 1 << 20} })
	story(j) // five entries
	r := request("CONNECT", "/")
	record(j, "a", r, "", 405)
	streamed := answer(200, "")
	streamed.Streamed = true
	j.Begin("stream-pairs", request("GET", "/v1/pairs/stream")).End("", streamed)
	b, err := journal.DecodeBundle([]byte(bundled(t, j)))
	if err != nil || b.Complete || b.LeftOut != 4 || len(b.Requests) != 2 || b.Fingerprint == j.Fingerprint() {
		t.Errorf("got %+v, %v", b, err)
	}
}

// change makes another bundle of the golden one.
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

func TestABundleThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "no JSON: it goes wrong at byte 0"},
		{"something else", []byte("PK\x03\x04"), "no JSON: it goes wrong at byte 1"},
		{"a list", []byte("[]"), "is of another type"},
		{"an empty object", []byte("{}"), "version is missing, so this is no bundle; accepted: 1"},
		{"a later version", []byte(`{"version":2,"steps":[]}`), "version is 2; accepted: 1"},
		{"a version that is a text", []byte(`{"version":"1"}`), `"version" is of another type`},
		{"half of it", change(t)[:900], "no JSON: it goes wrong at byte 900"},
		{"something behind it", append(change(t), '{'), "no JSON: it goes wrong at byte"},
		{"too large", make([]byte, 64<<20+1), "at most 67108864 are accepted"},
		{"a member that nobody knows", change(t, `"left_out"`, `"steps": [], "left_out"`), `a field "steps", which version 1 does not have`},
		{"no world", change(t, `"world": "TestX/one"`, `"world": ""`), "world is missing"},
		{"no seed", change(t, `"seed": "TestX/one"`, `"seed": ""`), "seed is missing"},
		{"no clock", change(t, `"now": "2026-11-21T12:00:00Z",`, ``), "clock.now is missing"},
		{"no time", change(t, `"now": "2026-11-21T12:00:00Z"`, `"now": "noon"`), "that cannot be read"},
		{"a clock that runs backwards", change(t, `"frozen": true`, `"rate": -1`), "clock.rate is -1; accepted: 0 or more"},
		{"options that are none", change(t, "{\n    \"magic_pairs\": true\n  }", `7`), "options is no JSON object"},
		{"a wrong completeness", change(t, `"left_out": 0`, `"left_out": 3`), "left_out is 3, which does not fit complete"},
		{"another status", change(t, `"status": 503`, `"status": 500`), "fingerprint is not that of the responses: the bundle was changed"},
		{"a status that is none", change(t, `"status": 503`, `"status": 42`), "requests[4].answer.status is not accepted"},
		{"a sum that is none", change(t, `"fingerprint": "`, `"fingerprint": "x`), "a SHA-256 sum"},
		{"another host", change(t, `"path": "/v1/validate"`, `"path": "http://example.com/v1/validate"`), "requests[4].path is not accepted"},
		{"another host without a scheme", change(t, `"path": "/v1/validate"`, `"path": "@example.com/v1/validate"`), "requests[4].path is not accepted"},
		{"a fragment", change(t, `"path": "/v1/validate"`, `"path": "/v1/validate#x"`), "requests[4].path is not accepted"},
		{"two lines", change(t, `"path": "/v1/validate"`, `"path": "/v1/validate\r\nHost: x"`), "requests[4].path is not accepted"},
		{"the control API elsewhere", change(t, `"path": "/_sim/v1/worlds/TestX%2Fone/next"`, `"path": "/v1/banks"`), "requests[1].path is not accepted: a call of the control API begins with /_sim/v1/"},
		{"a method that is none", change(t, `"method": "POST"`, `"method": "POST /"`), "requests[1].method is not accepted"},
		{"no method", change(t, `"method": "POST"`, `"method": ""`), "requests[1].method is not accepted"},
		{"a header for somebody else", change(t, `"name": "Accept"`, `"name": "Authorization"`), "requests[0].headers is not accepted"},
		{"a header of two lines", change(t, `"value": "application/json"`, `"value": "a\nb"`), "requests[0].headers is not accepted"},
		{"two bodies", change(t, `"body_base64": "`, `"body": "x", "body_base64": "`), "requests[5].body_base64 is not accepted: not beside body"},
		{"a body that is no base64", change(t, `"body_base64": "`, `"body_base64": "!`), "that cannot be read"},
		{"no time of a request", change(t, `"at": "2026-11-21T12:00:00Z",`, ``), "requests[0].at is not accepted: a time is needed"},
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
				t.Errorf("something came of it: %+v", b)
			}
		})
	}
}

func TestABundleIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	instant := rapid.Map(rapid.Int64Range(1, 1<<41), func(ms int64) time.Time { return time.UnixMilli(ms).UTC() })
	rapid.Check(t, func(rt *rapid.T) {
		now := noon()
		j := newJournal(t, func(cfg *journal.Config) { cfg.Clock = func() time.Time { return now } })
		for range rapid.IntRange(0, 6).Draw(rt, "requests") {
			now = instant.Draw(rt, "now")
			method := rapid.SampledFrom([]string{"GET", "POST", "DELETE", "PURGE"}).Draw(rt, "method")
			r := request(method, rapid.StringMatching(`/[a-z0-9/._-]{0,20}(\?[a-z=&%2A]{0,20})?`).Draw(rt, "target"), "Accept", rapid.StringMatching(`[ -~é]{0,30}`).Draw(rt, "accept"))
			begin := j.Begin
			if rapid.Bool().Draw(rt, "control") {
				begin, r.URL.Path = j.BeginControl, "/_sim/v1"+r.URL.Path
			}
			o := begin("a", r)
			o.Body(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(rt, "body"))
			o.End("", journal.Answer{Status: rapid.SampledFrom([]int{0, 200, 304, 503}).Draw(rt, "status"), SHA256: sha256.Sum256([]byte{1})})
		}
		from := origin
		from.Clock.Now, from.Clock.Rate = instant.Draw(rt, "clock"), rapid.IntRange(0, 3600).Draw(rt, "rate")
		want, err := j.Bundle(from)
		if err != nil || want.LeftOut > 0 {
			rt.Fatalf("%+v, %v", want, err)
		}
		got, err := journal.DecodeBundle([]byte(asJSON(t, want)))
		if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); err != nil || diff != "" {
			rt.Fatalf("%v %s", err, diff)
		}
	})
}

// FuzzBundle checks that whatever is read as a bundle is safe to send, and is written as it was read.
func FuzzBundle(f *testing.F) {
	f.Add(change(f))
	f.Add([]byte(`{"version":1,"world":"a","seed":"b","clock":{"now":"2026-11-21T12:00:00Z"},"complete":true,"fingerprint":"` + strings.Repeat("0", 64) + `"}`))
	f.Add([]byte(`{"version":1,"requests":[{}]}`))
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
			r, err := b.Requests[i].Request(t.Context(), hosts)
			if err != nil {
				t.Fatal(err)
			}
			if h := "http://" + r.URL.Host; r.URL.User != nil || h != hosts.Public && h != hosts.Control || r.Header.Get("Authorization") != "" {
				t.Fatalf("%+v", r)
			}
		}
		back, err := journal.DecodeBundle([]byte(asJSON(t, b)))
		if diff := cmp.Diff(asJSON(t, b), asJSON(t, back)); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	})
}
