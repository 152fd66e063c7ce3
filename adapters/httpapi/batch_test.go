package httpapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/adapters/httpapi"
	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
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

// alone is the answer to an item by itself, in the form that it has in a batch.
func alone(t *testing.T, w *world, item string) string {
	t.Helper()
	rec := w.post("/v1/validate", item)
	if rec.Code == http.StatusOK {
		return string(dataOf[json.RawMessage](t, rec))
	}
	return strings.Replace(rec.Body.String(), `,"request_id":"`+rec.Header().Get("X-Request-Id")+`"`, "", 1)
}

func TestEveryItemIsAnsweredAsIfAlone(t *testing.T) {
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
			t.Fatalf("%d answers to %d items", len(got), len(list))
		}
		for i := range got {
			if want := alone(t, w, list[i]); string(got[i]) != strings.TrimSpace(want) {
				t.Errorf("%s: got %s, want %s", list[i], got[i], want)
			}
		}
	}
}

func TestAThousandItemsAreTheMost(t *testing.T) {
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
				t.Errorf("%d answers to %d items", len(got), c.count)
			}
		} else if !strings.Contains(rec.Body.String(), fmt.Sprintf("has %d items; at most 1000", c.count)) {
			t.Errorf("got %s", rec.Body)
		}
	}
}

func TestABatchHasItsOwnLimitOfSize(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := batchOf(goodAddress)
	for size, want := range map[int]int{64<<10 + 1: 200, 1 << 20: 200, 1<<20 + 1: 413} {
		if rec := w.post(batchPath, body+strings.Repeat(" ", size-len(body))); rec.Code != want {
			t.Errorf("%d bytes: got %d, want %d", size, rec.Code, want)
		}
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, batchPath, io.MultiReader(strings.NewReader(body), strings.NewReader(strings.Repeat(" ", size-len(body)))))
		if rec := w.serve(r); rec.Code != want {
			t.Errorf("%d bytes, unannounced: got %d, want %d", size, rec.Code, want)
		}
	}
}

func TestBrokenBatchesAreRefusedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := batchOf(goodAddress)
	for name, c := range map[string]struct{ body, says string }{
		"empty":                    {"", "empty"},
		"a form":                   {"items=1", "not valid JSON"},
		"a single question":        {goodAddress, "items is required"},
		"two questions":            {goodAddress + goodAddress, "goes on"},
		"a string":                 {`"items"`, "is a string"},
		"items a string":           {`{"items":"` + "abc" + `"}`, "must be an array; it is a string"},
		"items a number":           {`{"items":3}`, "must be an array; it is a number"},
		"trailing comma":           {`{"items":[` + goodAddress + `,]}`, "not valid JSON"},
		"no comma":                 {`{"items":[` + goodAddress + goodAddress + `]}`, "not valid JSON"},
		"unclosed array":           {good[:len(good)-2], "ends in the middle"},
		"wrong bracket":            {good[:len(good)-2] + "}}", "not valid JSON"},
		"goes on":                  {good + good, "goes on"},
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

func TestADefectFailsTheBatchAndShowsNothing(t *testing.T) {
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

// realAddresses judges with the registry of the product.
func realAddresses(t testing.TB) func(*httpapi.Config, *httpapi.Services) {
	t.Helper()
	catalog, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	service, err := addresses.New(catalog.Currencies, addresses.Policy{Testnet: true})
	if err != nil {
		t.Fatal(err)
	}
	return func(_ *httpapi.Config, s *httpapi.Services) { s.Addresses, s.Currencies = service, catalog.Currencies }
}

// thousand are a thousand questions of several networks, every tenth of them faulty.
func thousand() string {
	const secret = "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"
	some := []string{
		goodAddress,
		`{"type":"address","currency":"ETH","address":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}`,
		`{"type":"address","currency":"USDT","network":"TRC20","address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}`,
		`{"type":"address","currency":"SOL","address":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}`,
		`{"type":"address","currency":"XRP","address":"rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh","memo":"12345"}`,
		`{"type":"address","currency":"BTC","address":"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}`,
		`{"type":"address","currency":"BTC","address":"` + secret + `"}`,
		`{"type":"address","currency":"LTC","address":"LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1"}`,
		`{"type":"address","currency":"TON","address":"EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"}`,
		`{"type":"address","currency":"NOPE","address":"x"}`,
	}
	items := make([]string, 1000)
	for i := range items {
		items[i] = some[i%len(some)]
	}
	return batchOf(items...)
}

func TestSecretsOfABatchAreMasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, realAddresses(t))
	rec := w.post(batchPath, thousand())
	if rec.Code != http.StatusOK || strings.Contains(rec.Body.String(), "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ") {
		t.Errorf("got %d, or a secret is in the answer", rec.Code)
	}
	if n := strings.Count(rec.Body.String(), `"reason":"secret_key"`); n != 100 {
		t.Errorf("%d of 100 secrets were noticed", n)
	}
	for _, entry := range w.logs.All() {
		if text, _ := json.Marshal(entry.ContextMap()); bytes.Contains(text, []byte("5Hue")) {
			t.Errorf("the log shows it: %s", text)
		}
	}
}

// BenchmarkBatch sends a thousand addresses over a loopback connection: less than 25 ms are wanted.
func BenchmarkBatch(b *testing.B) {
	w := newWorld(b, realAddresses(b), live)
	server := httptest.NewServer(w.handler)
	defer server.Close()
	body := thousand()
	for b.Loop() {
		r, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, server.URL+batchPath, strings.NewReader(body))
		res, err := server.Client().Do(r)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			b.Fatal(res.Status)
		}
		w.logs.TakeAll()
	}
}
