package operator

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestProfiles_SameOrigin(t *testing.T) {
	t.Parallel()
	handler := sameOrigin(profiles())
	for name, c := range map[string]struct {
		headers map[string]string
		want    int
	}{
		"go tool pprof":        {nil, http.StatusOK},
		"address bar":          {map[string]string{"Sec-Fetch-Site": "none"}, http.StatusOK},
		"link on the page":     {map[string]string{"Sec-Fetch-Site": "same-origin"}, http.StatusOK},
		"page on another host": {map[string]string{"Sec-Fetch-Site": "cross-site"}, http.StatusForbidden},
		"page on another port": {map[string]string{"Sec-Fetch-Site": "same-site"}, http.StatusForbidden},
		"older browser":        {map[string]string{"Origin": "https://evil.example"}, http.StatusForbidden},
		"older browser, same":  {map[string]string{"Origin": "http://127.0.0.1:9099"}, http.StatusOK},
	} {
		for _, path := range []string{"/debug/pprof/", "/debug/pprof/" + "cmdline", "/debug/pprof/" + "goroutine"} {
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:9099"+path, http.NoBody)
			for key, value := range c.headers {
				r.Header.Set(key, value)
			}
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, r)
			if rec.Code != c.want {
				t.Errorf("%s: %s: got %d, want %d", name, path, rec.Code, c.want)
			}
		}
	}
}
