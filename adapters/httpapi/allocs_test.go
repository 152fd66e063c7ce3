//go:build !race

package httpapi_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAllocations bounds what one request allocates between the server and its connection. It is not parallel: the
// runtime counts the allocations of everybody. Nor does it run with the race detector, under which pools forget on purpose.
func TestAllocations(t *testing.T) { //nolint:paralleltest // testing.AllocsPerRun refuses
	handler, _ := realistic(t, 120)
	w := &sink{header: http.Header{}}
	handler.ServeHTTP(w, request("/v1/pairs"))
	tag := w.header.Get("Etag")
	for _, c := range []struct {
		name   string
		r      *http.Request
		status int
		most   float64
	}{
		{"full list", request("/v1/pairs"), 200, 6},
		{"full list in gzip", request("/v1/pairs", "Accept-Encoding: gzip, deflate, br"), 200, 6},
		{"full list in zstd", request("/v1/pairs", "Accept-Encoding: gzip, deflate, br, zstd"), 200, 6},
		{"a currency", request("/v1/pairs?currency=NGN"), 200, 8},
		{"not modified", request("/v1/pairs", "If-None-Match: "+tag), 304, 6},
		{"one pair", request("/v1/pairs/C0001NGN"), 200, 8},
		{"banks", request("/v1/banks"), 200, 6},
		{"banks of a country", request("/v1/banks?country=NG"), 200, 8},
		{"banks of a currency", request("/v1/banks?currency=NGN"), 200, 8},
		{"banks of a channel", request("/v1/banks?channel=bank_transfer"), 200, 8},
		{"banks of several filters", request("/v1/banks?country=NG&channel=bank_transfer"), 200, 10},
	} {
		got := testing.AllocsPerRun(200, func() {
			clear(w.header)
			handler.ServeHTTP(w, c.r)
		})
		if w.status != c.status {
			t.Errorf("%s: got %d", c.name, w.status)
		}
		if got > c.most {
			t.Errorf("%s: %v allocations, at most %v", c.name, got, c.most)
		}
		t.Logf("%s: %v allocations", c.name, got)
	}
	body := strings.NewReader(goodAddress)
	post := request("/v1/validate")
	post.Method, post.Body = http.MethodPost, io.NopCloser(body)
	got := testing.AllocsPerRun(200, func() {
		clear(w.header)
		body.Reset(goodAddress)
		handler.ServeHTTP(w, post)
	})
	if w.status != 200 || got > 20 {
		t.Errorf("validate: %d, %v allocations", w.status, got)
	}
	t.Logf("validate: %v allocations", got)
}
