package httpapi_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
)

// TestLists_FilledCache checks that lists stay compressed after a client requested more filters than
// the cache keeps. The filters of the attack select nothing, or a bank besides an unknown currency.
func TestLists_FilledCache(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ attack, list string }{
		"banks by random names":      {"/v1/banks?q=", "/v1/banks?country=NG"},
		"banks of random currencies": {"/v1/banks?currency=NGN,", "/v1/banks?country=NG"},
		"pairs of random currencies": {"/v1/pairs?currency=", "/v1/pairs?counter=NGN"},
		"the whole list":             {"/v1/banks?country=NG&q=", "/v1/banks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i := range 300 {
				if rec := w.get(c.attack + url.QueryEscape("X"+strconv.Itoa(i))); rec.Code != http.StatusOK {
					t.Fatalf("%d %s", rec.Code, rec.Body)
				}
			}
			for _, coding := range []string{"gzip", "zstd"} {
				if got := w.get(c.list, "Accept-Encoding: "+coding).Header().Get("Content-Encoding"); got != coding {
					t.Errorf("%s with Accept-Encoding %s: Content-Encoding %q", c.list, coding, got)
				}
			}
		})
	}
}
