package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"unicode/utf8"
)

// FuzzBody sends any bytes as a body: the response is 200 or a 400 or 413 in the envelope, and what encoding/json refuses is refused.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		goodAddress, goodRequest, "", "{}", "[]", "null", `{"type":"address","type":"address"}`, `{"a":[[[[]]]]}`, `{"memo":"\u0000"}`, "{\"\xff\":1}",
		`{"address":"\ud800"}`, `{"t\u0079pe":"address"}`, "{\"type\"", goodAddress + "x",
		batchOf(goodAddress, "0", "{}"), batchOf(), `{"items":{}}`, `{"items":[[]]`,
	} {
		f.Add([]byte(seed))
	}
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/v1/validate", batchPath, resolvePath} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			rec := w.serve(r)
			w.logs.TakeAll()
			switch rec.Code {
			case http.StatusOK:
				var form map[string]any
				if err := json.Unmarshal(body, &form); err != nil || !utf8.Valid(body) {
					t.Errorf("%s took %q, which is no JSON object in UTF-8: %v", path, body, err)
				}
				if items, _ := form["items"].([]any); path == batchPath && len(items) != len(dataOf[[]map[string]any](t, rec)) {
					t.Errorf("%q: the response is %s", body, rec.Body)
				}
			case http.StatusBadRequest, http.StatusRequestEntityTooLarge:
				if form := errorOf(t, rec.Body.Bytes()); form.Error.Message == "" {
					t.Errorf("%s: %s", path, rec.Body)
				}
			default:
				t.Errorf("%s: %q: got %d %s", path, body, rec.Code, rec.Body)
			}
		}
	})
}

// FuzzQuery sends any query: the response is 200 or a 400 in the envelope.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "type=crypto", "currency=NGN&sort=desc", "account_number=0123456785", "q=%zz", "%74ype=x", "a=b;c=d", "=&=&&", "country=NG&country=GH", "period=7d"} {
		f.Add(seed)
	}
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range []string{"/v1/pairs", "/v1/banks", "/v1/pairs/BTCNGN/history", "/v1/pairs/stream"} {
			method := http.MethodGet
			if path == "/v1/pairs/stream" {
				method = http.MethodHead // it has no end
			}
			r, err := http.NewRequestWithContext(t.Context(), method, path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.URL.RawQuery = query
			rec := w.serve(r)
			w.logs.TakeAll()
			if rec.Code == http.StatusBadRequest && method == http.MethodGet {
				if form := errorOf(t, rec.Body.Bytes()); len(form.Fields) == 0 {
					t.Errorf("%s?%s: %s", path, query, rec.Body)
				}
			} else if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest {
				t.Errorf("%s?%s: got %d %s", path, query, rec.Code, rec.Body)
			}
		}
	})
}
