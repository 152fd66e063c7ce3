package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/core/recipients"
)

// errorForm is an error of either form.
type errorForm struct {
	Error struct {
		Name    string `json:"name"`
		Message string `json:"message"`
	} `json:"error"`
	RequestID string                         `json:"request_id"`
	Fields    map[string][]map[string]string `json:"fields"`
}

func errorOf(t *testing.T, body []byte) errorForm {
	t.Helper()
	var form errorForm
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&form); err != nil {
		t.Fatalf("not an error in the envelope: %v\n%s", err, body)
	}
	return form
}

// wantFault checks that a response refuses a request for a fault of a field.
func wantFault(t *testing.T, what string, rec *httptest.ResponseRecorder, field string) {
	t.Helper()
	form := errorOf(t, rec.Body.Bytes())
	if rec.Code != http.StatusBadRequest || form.Error.Name != "request_validation" || form.Fields[field] == nil {
		t.Errorf("%s: got %d %s, want 400 about %s", what, rec.Code, rec.Body, field)
	}
}

func TestError_StatusOfCode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		err    error
		status int
		name   string
		retry  string
	}{
		{core.InvalidField("bank_code", "is wrong"), 400, "request_validation", ""},
		{core.Errorf(core.Invalid, "Wrong"), 400, "bad_request", ""},
		{core.Errorf(core.Unsupported, "Not supported"), 400, "bad_request", ""},
		{core.Errorf(core.Unauthorized, "No"), 401, "unauthorized", ""},
		{core.Errorf(core.NotFound, "No account"), 404, "not_found", ""},
		{core.Errorf(core.Conflict, "It is there"), 409, "conflict", ""},
		{core.Errorf(core.Expired, "It has ended"), 410, "world_expired", ""},
		{core.Errorf(core.TooMany, "Wait").Retry(time.Minute), 429, "too_many_requests", "60"},
		{core.Errorf(core.Internal, "secret detail"), 500, "internal_server_error", ""},
		{errors.New("secret detail"), 500, "internal_server_error", ""},
		{core.Errorf(core.Unavailable, "Not now"), 503, "service_unavailable", "5"},
		{fmt.Errorf("asking: %w", core.Errorf(core.Unavailable, "Not now").Retry(time.Millisecond)), 503, "service_unavailable", "1"},
	} {
		w.recipients.resolve = func(context.Context, recipients.Request) (core.Account, error) { return core.Account{}, c.err }
		rec := w.post(resolvePath, goodRequest)
		form := errorOf(t, rec.Body.Bytes())
		if rec.Code != c.status || form.Error.Name != c.name || rec.Header().Get("Retry-After") != c.retry {
			t.Errorf("%v: got %d %s, Retry-After %q; want %d %s, %q", c.err, rec.Code, form.Error.Name, rec.Header().Get("Retry-After"), c.status, c.name, c.retry)
		}
		if strings.Contains(rec.Body.String(), "secret") {
			t.Errorf("%v: the body shows it: %s", c.err, rec.Body)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deep := func(n int) string {
		return `{"x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `,` + goodAddress[1:]
	}
	for _, c := range []struct {
		name, body, says string
		status           int
	}{
		{"empty", "", "empty", 400},
		{"blank", " \n", "unexpected end", 400},
		{"form", "type=address&currency=BTC", "not valid JSON", 400},
		{"half", goodAddress[:40], "unexpected end", 400},
		{"array", "[" + goodAddress + "]", "not an object", 400},
		{"string", `"a"`, "not an object", 400},
		{"number", `12`, "not an object", 400},
		{"null", `null`, "not an object", 400},
		{"two objects", goodAddress + goodAddress, "after top-level value", 400},
		{"garbage behind", goodAddress + "x", "after top-level value", 400},
		{"blanks around", "\r\n\t " + goodAddress + "\n ", "", 200},
		{"a field twice", `{"currency":"ETH",` + goodAddress[1:], "same name twice", 400},
		{"a field twice with one value", `{"currency":"BTC",` + goodAddress[1:], "same name twice", 400},
		{"a field twice, once escaped", `{"curr\u0065ncy":"ETH",` + goodAddress[1:], "same name twice", 400},
		{"a field twice, in two cases", `{"Currency":"ETH",` + goodAddress[1:], "same name twice", 400},
		{"a field twice, of two types", `{"currency":7,` + goodAddress[1:], "same name twice", 400},
		{"an unknown field twice", `{"x":1,"x":1,` + goodAddress[1:], "same name twice", 400},
		{"a nested field twice", `{"x":[{"y":1,"y":2}],` + goodAddress[1:], "same name twice", 400},
		{"one name in two objects", `{"x":{"currency":1},` + goodAddress[1:], "", 200},
		{"a field in another case", strings.Replace(goodAddress, `"currency"`, `"CURRENCY"`, 1), "", 200},
		{"a number that is too large", `{"x":1e400,` + goodAddress[1:], "A number of the body is too large", 400},
		{"invalid UTF-8 is replaced", `{"x":"` + "\xff" + `",` + goodAddress[1:], "", 200},
		{"a lone surrogate is replaced", `{"x":"\ud800",` + goodAddress[1:], "", 200},
		{"byte order mark", "\ufeff" + goodAddress, "not valid JSON", 400},
		{"NUL", "\x00" + goodAddress, "not valid JSON", 400},
		{"NUL in a string", `{"x":"` + "\x00" + `",` + goodAddress[1:], "not valid JSON", 400},
		{"an escaped NUL is judged by its field", `{"memo":"a\u0000b",` + goodAddress[1:], "", 200},
		{"escaped backslash before u0000", `{"memo":"a\\u0000b",` + goodAddress[1:], "", 200},
		{"brackets in strings", `{"x":"` + strings.Repeat("[", 100) + `",` + goodAddress[1:], "", 200},
		{"as deep as it may be", deep(31), "", 200},
		{"too deep", deep(32), "levels deep", 400},
		{"very deep", strings.Repeat(`{"a":`, 10000), "levels deep", 400},
		{"comment", "/* */" + goodAddress, "not valid JSON", 400},
		{"trailing comma", strings.Replace(goodAddress, "}", ",}", 1), "not valid JSON", 400},
		{"unknown fields", `{"x":[1,{"y":null}],"z":true,` + goodAddress[1:], "", 200},
		{"null counts as absent", `{"memo":null,"network":null,` + goodAddress[1:], "", 200},
		{"null for a required field", strings.Replace(goodAddress, `"BTC"`, "null", 1), "currency is required", 400},
		{"escaped field name", strings.Replace(goodAddress, `"type"`, `"t\u0079pe"`, 1), "", 200},
		{"escaped value", strings.Replace(goodAddress, `"BTC"`, `"\u0042TC"`, 1), "", 200},
		{"lower-case code with blanks", strings.Replace(goodAddress, `"BTC"`, `" btc "`, 1), "", 200},
		{"exactly the limit", goodAddress + strings.Repeat(" ", 64<<10-len(goodAddress)), "", 200},
		{"over the limit", goodAddress + strings.Repeat(" ", 64<<10-len(goodAddress)+1), "larger than 65536 bytes", 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rec := w.post("/v1/validate", c.body)
			if rec.Code != c.status || !strings.Contains(rec.Body.String(), c.says) {
				t.Errorf("got %d %s; want %d with %q", rec.Code, rec.Body, c.status, c.says)
			}
		})
	}
	for _, kind := range []string{"application/x-www-form-urlencoded", "nonsense"} {
		if rec := w.post("/v1/validate", goodAddress, "Content-Type: "+kind); rec.Code != http.StatusOK {
			t.Errorf("Content-Type %s: got %d %s", kind, rec.Code, rec.Body)
		}
	}
}

func TestBodies_UnknownLength(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for size, want := range map[int]int{64<<10 - len(goodAddress): 200, 64<<10 - len(goodAddress) + 1: 413, 1 << 20: 413} {
		body := io.MultiReader(strings.NewReader(goodAddress), strings.NewReader(strings.Repeat(" ", size)))
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/validate", body)
		rec := w.serve(r)
		if rec.Code != want {
			t.Errorf("%d blanks: got %d, want %d", size, rec.Code, want)
		}
	}
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/validate", io.MultiReader(strings.NewReader(goodAddress[:10]), broken{}))
	if rec := w.serve(r); rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), "did not arrive") {
		t.Errorf("a body that breaks off: got %d %s", rec.Code, rec.Body)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset by 10.0.0.1") }

func TestQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all, crypto := w.get("/v1/pairs").Body.String(), w.get("/v1/pairs?type=crypto").Body.String()
	day, month := w.get("/v1/pairs/BTCNGN/history").Body.String(), w.get("/v1/pairs/BTCNGN/history?period=30d").Body.String()
	for target, want := range map[string]string{
		"/v1/pairs?": all, "/v1/pairs?&&": all, "/v1/pairs?unknown=1&unknown=2&type": all, "/v1/pairs?type=&base=%20": all,
		"/v1/pairs?sort_by=alphabetical&sort=asc": all, "/v1/pairs?unknown=%zz": all,
		"/v1/pairs?type=&type=crypto": crypto, "/v1/pairs?%74ype=crypto": crypto, "/v1/pairs?type=+crypto+": crypto, "/v1/pairs?base=btc": crypto,
		"/v1/pairs?type=crypto&currency=": crypto, "/v1/pairs/btcngn/history?period=": day, "/v1/pairs/BTCNGN/history?period=%2030d": month,
	} {
		if got := w.get(target).Body.String(); got != want {
			t.Errorf("%s: got %s", target, got)
		}
	}
	for target, says := range map[string]string{
		"/v1/pairs?type=crypto&type=crypto": "more than once", "/v1/pairs?base=%zz": "percent-encoded", "/v1/pairs?base=%ff": "UTF-8",
		"/v1/pairs?base=%00": "NUL", "/v1/pairs?type=CRYPTO": "accepted: fiat, crypto, stablecoins", "/v1/pairs?sort=ASC": "accepted: asc, desc",
		"/v1/banks?q=" + strings.Repeat("x", 101): "must have at most 100", "/v1/banks?account_number=12345": "5 digits",
		"/v1/pairs/BTCNGN/history?period=1D": "accepted: 1d, 7d, 30d", "/v1/pairs/BTCNGN/history?period=1d,7d": "accepted: 1d, 7d, 30d",
	} {
		rec := w.get(target)
		if rec.Code != http.StatusBadRequest || !strings.Contains(rec.Body.String(), says) || errorOf(t, rec.Body.Bytes()).Error.Name != "request_validation" {
			t.Errorf("%s: got %d %s; want 400 with %q", target, rec.Code, rec.Body, says)
		}
	}
}

func TestPairs_MaxAge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for after, want := range map[time.Duration]string{ // the first price of the list ages after 9.5 s, BTCNGN after 10 s
		-time.Hour: "5", 0: "5", 4500 * time.Millisecond: "5", 4501 * time.Millisecond: "4", 9500 * time.Millisecond: "0", time.Hour: "0",
	} {
		now := noon.Add(after)
		w.now.Store(&now)
		w.cachedFor(t, want, "/v1/pairs", "/v1/pairs?type=fiat&sort=desc")
	}
	now := noon.Add(7 * time.Second)
	w.now.Store(&now)
	w.cachedFor(t, "3", "/v1/pairs/BTCNGN", "/v1/pairs/BTCNGN/price")
}

// TestPairs_MaxAgeOfStalePrice: a stale price is tradable, so it must not be cached beyond the time at which it is halted.
func TestPairs_MaxAgeOfStalePrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := snapshot()
	stale := slices.IndexFunc(s.Quotes, func(q pairs.Quote) bool { return q.ID == "BTCNGN" })
	s.Quotes[stale].Status, s.Quotes[stale].StaleUntil = pairs.Stale, noon.Add(3*time.Second)
	w.pairs.publish(s)
	w.cachedFor(t, "3", "/v1/pairs", "/v1/pairs?currency=NGN")
	w.cachedFor(t, "0", "/v1/pairs/BTCNGN", "/v1/pairs/BTCNGN/price")
	s = snapshot()
	s.Quotes[stale].Status = pairs.Halted
	w.pairs.publish(s)
	w.cachedFor(t, "5", "/v1/pairs") // it is not tradable
	w.cachedFor(t, "0", "/v1/pairs/BTCNGN", "/v1/pairs/BTCNGN/price")
	s = snapshot()
	s.Quotes[stale].FreshUntil = time.Time{} // it does not age
	w.pairs.publish(s)
	w.cachedFor(t, "5", "/v1/pairs/BTCNGN")
}

// cachedFor checks the max-age of responses.
func (w *world) cachedFor(t *testing.T, seconds string, targets ...string) {
	t.Helper()
	for _, target := range targets {
		h := w.get(target).Header()
		if got := h.Get("Cache-Control"); got != "public, max-age="+seconds || h.Get("Age") != "" {
			t.Errorf("%s at %s: %s, want %s; Age %q", target, w.now.Load(), got, seconds, h.Get("Age"))
		}
	}
}

func TestPairs_Republish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.get("/v1/pairs")
	next := snapshot()
	next.ID++
	next.Quotes[1] = quote("BTC", "NGN", "94000000", "89000000", func(q *pairs.Quote) { q.Status = pairs.Stale })
	w.pairs.publish(next)
	for _, target := range []string{"/v1/pairs", "/v1/pairs?base=BTC", "/v1/pairs/BTCNGN"} {
		if rec := w.get(target, "If-None-Match: "+before.Header().Get("Etag")); rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), `"94000000"`) {
			t.Errorf("%s: got %d %s", target, rec.Code, rec.Body)
		}
	}
	w.pairs.publish(&pairs.Snapshot{ID: 9, At: noon, FreshUntil: noon})
	if rec := w.get("/v1/pairs"); !strings.Contains(rec.Body.String(), `"data":[]`) {
		t.Errorf("an empty publication: %s", rec.Body)
	}
}
