package httpapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/core"
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

func TestBatch_MaxItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		item   string
		count  int
		status int
	}{
		{goodAddress, 1000, 200},
		{goodAddress, 1001, 400},
		{`0`, 1000, 200},
		{`0`, 60_000, 400},
	} {
		rec := w.post(batchPath, batchOf(strings.Split(strings.Repeat(c.item+"\n", c.count-1)+c.item, "\n")...))
		if rec.Code != c.status {
			t.Errorf("%d of %s: got %d %.300s", c.count, c.item, rec.Code, rec.Body)
			continue
		}
		if c.status == 200 {
			if got := dataOf[[]json.RawMessage](t, rec); len(got) != c.count {
				t.Errorf("%d results of %d items", len(got), c.count)
			}
		} else if !strings.Contains(rec.Body.String(), "must have at most 1000 items") {
			t.Errorf("got %s", rec.Body)
		}
	}
}

func TestBatch_MaxBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := batchOf(goodAddress)
	for size, want := range map[int]int{64<<10 + 1: 200, 1 << 20: 200, 1<<20 + 1: 413} {
		if rec := w.post(batchPath, body+strings.Repeat(" ", size-len(body))); rec.Code != want {
			t.Errorf("%d bytes: got %d, want %d", size, rec.Code, want)
		}
	}
}

func TestBatch_Malformed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := batchOf(goodAddress)
	for name, c := range map[string]struct{ body, says string }{
		"empty":                    {"", "empty"},
		"a form":                   {"items=1", "not valid JSON"},
		"a single item":            {goodAddress, "items is required"},
		"two objects":              {goodAddress + goodAddress, "after top-level value"},
		"a string":                 {`"items"`, "not an object"},
		"items a string":           {`{"items":"` + "abc" + `"}`, "must be an array"},
		"items a number":           {`{"items":3}`, "must be an array"},
		"trailing comma":           {`{"items":[` + goodAddress + `,]}`, "not valid JSON"},
		"no comma":                 {`{"items":[` + goodAddress + goodAddress + `]}`, "not valid JSON"},
		"unclosed array":           {good[:len(good)-2], "unexpected end"},
		"wrong bracket":            {good[:len(good)-2] + "}}", "not valid JSON"},
		"goes on":                  {good + good, "after top-level value"},
		"half an item behind 1000": {`{"items":[` + strings.Repeat("0,", 1200) + `{"a"]}`, "not valid JSON"},
		"too deep":                 {batchOf(strings.Repeat("[", 31) + strings.Repeat("]", 31)), "levels deep"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := w.post(batchPath, c.body)
			if form := errorOf(t, rec.Body.Bytes()); rec.Code != http.StatusBadRequest || !strings.Contains(form.Error.Message, c.says) {
				t.Errorf("got %d %s; want 400 with %q", rec.Code, rec.Body, c.says)
			}
		})
	}
}

func TestBatch_InternalError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addresses.validate = func(core.AddressQuery) (core.Verdict, error) { return core.Verdict{}, errors.New("secret detail") }
	rec := w.post(batchPath, batchOf(goodAddress))
	if rec.Code != http.StatusInternalServerError || strings.Contains(rec.Body.String(), "secret") {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
	if lines := w.logs.FilterMessage("request failed").All(); len(lines) != 1 {
		t.Errorf("logged %v", lines)
	}
}
