package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// dataOf is the payload of a success.
func dataOf[T any](t testing.TB, rec *httptest.ResponseRecorder) T {
	t.Helper()
	var form struct{ Data T }
	if err := json.Unmarshal(rec.Body.Bytes(), &form); err != nil || rec.Code != http.StatusOK {
		t.Fatalf("%d %v: %.500s", rec.Code, err, rec.Body)
	}
	return form.Data
}

// alone returns the response to a single item in the form that it has in a batch.
func alone(t *testing.T, w *world, item string) string {
	t.Helper()
	rec := w.post("/v1/validate", item)
	if rec.Code == http.StatusOK {
		return string(dataOf[json.RawMessage](t, rec))
	}
	return strings.Replace(rec.Body.String(), `,"request_id":"`+rec.Header().Get("X-Request-Id")+`"`, "", 1)
}

func TestBatch_ItemsAsSingleRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	items := []string{
		goodAddress, `{}`, `{"type":"","currency":"BTC","address":""}`, strings.Replace(goodAddress, "BTC", "XYZ", 1),
		strings.Replace(goodAddress, "bc1q", "TJRab", 1), strings.Replace(goodAddress, `{`, `{"memo":"12","memo_type":"ID","network":" bitcoin ",`, 1),
		`{"type":"address","currency":"BTC","address":"` + strings.Repeat("a", 513) + `"}`, `{"type":"phone","currency":["BTC"],"address":12}`,
		`{"type":"address","currency":null,"address":"\u0062c1q","unknown":[{"a":1}]}`, `{"t\u0079pe":"address","currency":" btc ","address":"bc1q"}`,
	}
	for _, list := range [][]string{items, items[:1], items[1:2]} {
		got := dataOf[[]json.RawMessage](t, w.post(batchPath, "\n"+batchOf(list...)+" "))
		if len(got) != len(list) {
			t.Fatalf("%d results of %d items", len(got), len(list))
		}
		for i := range got {
			if want := alone(t, w, list[i]); string(got[i]) != strings.TrimSpace(want) {
				t.Errorf("%s: got %s, want %s", list[i], got[i], want)
			}
		}
	}
}
