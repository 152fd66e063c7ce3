package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/journal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// noon is the time of the worlds of tests.
func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// stopwatch returns a clock that advances by 1.5 ms with every reading.
func stopwatch() core.Clock {
	var reads atomic.Int64
	return func() time.Time { return noon().Add(time.Duration(reads.Add(1)) * 1500 * time.Microsecond) }
}

func newJournal(t testing.TB, change ...func(*journal.Config)) *journal.Journal {
	t.Helper()
	cfg := journal.Config{World: "TestX/one", Clock: noon, Stopwatch: stopwatch()}
	for _, f := range change {
		f(&cfg)
	}
	return journal.New(cfg)
}

func request(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// record puts a whole request into a journal.
func record(j *journal.Journal, operation string, r *http.Request, body string, status int, during ...func(*journal.Open)) {
	o := j.Begin(operation, r)
	o.Body([]byte(body))
	for _, f := range during {
		f(o)
	}
	o.End("req_000000000001", answer(status, "{}"))
}

func answer(status int, body string) journal.Answer {
	a := journal.Answer{Status: status, ContentType: "application/json", Bytes: int64(len(body)), SHA256: sha256.Sum256([]byte(body))}
	if status >= 400 {
		a.Error = map[int]string{400: "request_validation", 404: "not_found", 503: "service_unavailable"}[status]
	}
	return a
}

func find(t testing.TB, j *journal.Journal, m journal.Match) []journal.Entry {
	t.Helper()
	list, err := j.Find(m, 0)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const (
	bankAccount  = "0123456789"
	holder       = "Adaeze Okafor-Nwosu"
	resolveBody  = `{"country_id":"NG","currency_id":"NGN","channel":"bank_transfer","bank_code":"058","account_number":"0123456789","account_name":"Adaeze Okafor-Nwosu"}`
	resolvePath  = "/v1/recipients/resolve-bank-account"
	tronAddress  = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	validateBody = `{"type":"address","currency":"USDT","network":"TRC20","address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t","memo":"invoice of Chidi"}`
)

// story fills a journal with one of each kind of entry.
func story(j *journal.Journal) {
	record(j, "list-banks", request("GET", "/v1/banks?country=NG&account_number="+bankAccount, "Accept", "application/json", "If-None-Match", `"8c7dd922ad47494f"`), "", 200,
		func(o *journal.Open) { o.Cache = journal.Hit })
	control := j.BeginControl("queue-outcomes", request("POST", "/_sim/v1/worlds/TestX%2Fone/next", "Content-Type", "application/json"))
	control.Body([]byte(`{"operation":"resolve-account","outcomes":["first_fails"]}`))
	control.End("req_000000000002", answer(200, "{}"))
	record(j, "resolve-account", request("POST", resolvePath, "Authorization", "Bearer sk_live_planted", "Sim-World", "TestX/one", "Content-Type", "application/json"), resolveBody, 200,
		func(o *journal.Open) {
			o.Applied = "next:first_fails"
			o.Cache = journal.Miss
			o.Attempts = append(o.Attempts, journal.Attempt{Provider: "paystack", Operation: "resolve", Attempt: 1, Outcome: "unavailable", Status: 503, Breaker: "closed", Took: journal.Millis(2 * time.Millisecond)})
			o.Attempts = append(o.Attempts, journal.Attempt{Provider: "korapay", Operation: "resolve", Attempt: 1, Outcome: "ok", Status: 200, Breaker: "closed", Took: 0.8, Hedged: true})
		})
	record(j, "explain-price", request("GET", "/v1/pairs/BTCNGN/price"), "", 200, func(o *journal.Open) {
		o.Votes = append(o.Votes, journal.Vote{Market: "BTC/USDT", Source: "kraken", Family: "kraken", Bid: "58000", Ask: "58000.5", Age: "1.25", Used: true})
		o.Votes = append(o.Votes, journal.Vote{Market: "BTC/USDT", Source: "okx", Family: "okx", Reason: "outlier"})
	})
	record(j, "validate-address", request("POST", "/v1/validate"), validateBody, 503, func(o *journal.Open) { o.Applied = "scenario:all_down" })
}
