package httpapi_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestEncoded_ETags(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for target, cache := range map[string]string{
		"/v1/banks": "public, max-age=3600, stale-if-error=86400", "/v1/currencies": "public, max-age=3600, stale-if-error=86400",
		"/v1/pairs?type=crypto": "public, max-age=5", "/v1/pairs/BTCNGN": "public, max-age=5", "/v1/addresses/BTC": "private, no-store",
	} {
		h := w.get(target).Header()
		tag := h.Get("Etag")
		if !strings.HasPrefix(tag, `"`) || h.Get("Cache-Control") != cache {
			t.Errorf("%s: ETag %q, want a strong one; Cache-Control %q, want %q", target, tag, h.Get("Cache-Control"), cache)
		}
		for sent, want := range map[string]int{
			tag: http.StatusNotModified, "W/" + tag: http.StatusNotModified, `"other", ` + tag: http.StatusNotModified,
			"*": http.StatusNotModified, `"other"`: http.StatusOK,
		} {
			rec := w.get(target, "If-None-Match: "+sent)
			if rec.Code != want || (rec.Body.Len() > 0) != (want == http.StatusOK) || rec.Header().Get("Etag") != tag {
				t.Errorf("%s with %s: got %d, %d bytes, ETag %q; want %d", target, sent, rec.Code, rec.Body.Len(), rec.Header().Get("Etag"), want)
			}
		}
	}
}

func TestEncoded_Compression(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, target := range []string{"/v1/banks", "/v1/pairs?counter=NGN"} {
		plain := w.get(target, "Accept-Encoding: gzip;q=0, identity")
		tags := map[string]bool{plain.Header().Get("Etag"): true}
		for coding, unpack := range map[string]func(io.Reader) (io.Reader, error){
			"":     func(r io.Reader) (io.Reader, error) { return r, nil },
			"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
			"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
		} {
			rec := w.get(target, "Accept-Encoding: "+coding)
			h := rec.Header()
			in, err := unpack(rec.Body)
			if err != nil || h.Get("Content-Encoding") != coding || !strings.Contains(strings.Join(h.Values("Vary"), ", "), "Accept-Encoding") {
				t.Fatalf("%s in %q: got %v, %v", target, coding, h, err)
			}
			if body, err := io.ReadAll(in); err != nil || string(body) != plain.Body.String() {
				t.Errorf("%s in %q: got %s, %v, want %s", target, coding, body, err, plain.Body)
			}
			tags[h.Get("Etag")] = true
		}
		if len(tags) != 3 {
			t.Errorf("%s: got the ETags %v, want one for each coding", target, tags)
		}
	}
}
