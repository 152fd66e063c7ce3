package contract_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"causeway/test/driver"
)

// TestRoutes_Unknown checks that the public listener serves nothing that belongs to the operator.
func TestRoutes_Unknown(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/nothing", "/metrics", "/livez", "/readyz", "/debug/pprof/", "/_sim/v1/worlds"} {
		t.Run(path, func(t *testing.T) { wantError(t, driver.Get(t, sandbox.API+path), http.StatusNotFound, "not_found") })
	}
}

func TestRoutes_WrongMethod(t *testing.T) {
	t.Parallel()
	for path, allow := range map[string]string{"/v1/pairs/BTCNGN": "GET", "/v1/validate": "POST"} {
		t.Run(path, func(t *testing.T) {
			r := driver.Do(t, http.MethodDelete, sandbox.API+path, "")
			wantError(t, r, http.StatusMethodNotAllowed, "method_not_allowed")
			if got := r.Header.Get("Allow"); !strings.Contains(got, allow) {
				t.Errorf("Allow is %q, want %s in it", got, allow)
			}
		})
	}
}

func TestRoutes_Head(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/banks", "/v1/nothing"} {
		t.Run(path, func(t *testing.T) {
			head, full := driver.Do(t, http.MethodHead, sandbox.API+path, ""), driver.Get(t, sandbox.API+path)
			if head.Status != full.Status || len(head.Body) != 0 || head.Header.Get("Content-Type") != full.Header.Get("Content-Type") {
				t.Errorf("HEAD: %d %q with %d bytes, GET: %d %q", head.Status, head.Header.Get("Content-Type"), len(head.Body),
					full.Status, full.Header.Get("Content-Type"))
			}
		})
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	ours := regexp.MustCompile(`^req_[A-Za-z0-9]{12,}$`)
	seen := map[string]bool{}
	for _, path := range []string{"/v1/pairs", "/v1/pairs", "/v1/nothing", "/openapi.json", "/docs"} {
		id := driver.Get(t, sandbox.API+path).Header.Get("X-Request-Id")
		if !ours.MatchString(id) || seen[id] {
			t.Errorf("%s: request id %q is malformed or not new", path, id)
		}
		seen[id] = true
	}
	if id := driver.Get(t, sandbox.API+"/v1/pairs", "X-Request-Id", "req_abcdefABCDEF0123").Header.Get("X-Request-Id"); id != "req_abcdefABCDEF0123" {
		t.Errorf("a well-formed id was not kept: %q", id)
	}
	for _, bad := range []string{"abc", "req_short", "req_" + strings.Repeat("a", 500), "req_abcdef<script>"} {
		if id := driver.Get(t, sandbox.API+"/v1/pairs", "X-Request-Id", bad).Header.Get("X-Request-Id"); id == bad || !ours.MatchString(id) {
			t.Errorf("%q was answered with %q", bad, id)
		}
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	const good = `{"type":"address","currency":"BTC","address":"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}`
	for _, ct := range []string{"application/x-www-form-urlencoded", "", "nonsense"} {
		t.Run("content type "+ct, func(t *testing.T) {
			data[verdict](t, send(t, http.MethodPost, "/v1/validate", good, "Content-Type", ct))
		})
	}
	for name, c := range map[string]struct {
		body   string
		header []string
		status int
		code   string
	}{
		"not JSON":   {"currency=BTC", nil, 400, "bad_request"},
		"too large":  {`{"address":"` + strings.Repeat("a", 65<<10) + `"}`, nil, 413, "payload_too_large"},
		"compressed": {good, []string{"Content-Encoding", "br"}, 415, "unsupported_media_type"},
	} {
		t.Run(name, func(t *testing.T) {
			wantError(t, send(t, http.MethodPost, "/v1/validate", c.body, c.header...), c.status, c.code)
		})
	}
}

func TestHeaders_Ignored(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"X-BU-PROFILE-ID": "BUS_123", "X-BU-Version": "2025-07-11", "Accept": "text/html", "Authorization": "Bearer anything",
	} {
		t.Run(name, func(t *testing.T) {
			data[[]pair](t, get(t, "/v1/pairs", name, value))
			data[account](t, send(t, http.MethodPost, resolvePath, published, name, value))
		})
	}
}

// attempts are enough for two answers from one snapshot, which lives for about a second.
const attempts = 200

func TestConditionalRequests(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/v1/banks": `max-age=3600.*stale-if-error`, "/v1/currencies": `max-age=.*stale-if-error`,
		"/v1/pairs?type=crypto": `max-age=[0-5]$`, "/v1/pairs/BTCNGN": `max-age=[0-5]$`,
	} {
		t.Run(path, func(t *testing.T) {
			full := get(t, path)
			if tag := full.Header.Get("ETag"); !strings.HasPrefix(tag, `"`) {
				t.Errorf("ETag %q is not strong", tag)
			}
			for _, before := range []string{"", "W/", `"other", `} {
				revalidates(t, path, before)
			}
			if r := get(t, path, "If-None-Match", "*"); r.Status != http.StatusNotModified || len(r.Body) != 0 || r.Header.Get("ETag") == "" {
				t.Errorf("with *: %d, %d bytes, ETag %q", r.Status, len(r.Body), r.Header.Get("ETag"))
			}
			if r := get(t, path, "If-None-Match", `"other"`); r.Status != http.StatusOK {
				t.Errorf("with another tag: %d", r.Status)
			}
			if got := full.Header.Get("Cache-Control"); !regexp.MustCompile(want).MatchString(got) || full.Header.Get("Age") != "" {
				t.Errorf("Cache-Control %q, want %s; Age %q", got, want, full.Header.Get("Age"))
			}
		})
	}
}

// revalidates fails the test unless the ETag of a response, after a prefix, gives a 304. If prices change
// between the two requests, it repeats both.
func revalidates(t *testing.T, path, before string) {
	t.Helper()
	for range attempts {
		tag := get(t, path).Header.Get("ETag")
		r := get(t, path, "If-None-Match", before+tag)
		if r.Status == http.StatusOK && r.Header.Get("ETag") != tag {
			continue
		}
		if r.Status != http.StatusNotModified || len(r.Body) != 0 || r.Header.Get("ETag") != tag {
			t.Errorf("%s with %s%s: %d, %d bytes, ETag %q", path, before, tag, r.Status, len(r.Body), r.Header.Get("ETag"))
		}
		return
	}
	t.Errorf("%s: no two responses with the same ETag in %d attempts", path, attempts)
}

func TestCompression(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/banks", "/v1/pairs?counter=NGN"} {
		t.Run(path, func(t *testing.T) {
			tags := map[string]bool{}
			for _, coding := range []string{"gzip", "zstd"} {
				identity, packed := twoForms(t, path, coding)
				if got := packed.Header.Get("Content-Encoding"); got != coding {
					t.Errorf("Content-Encoding is %q, want %s", got, coding)
				}
				for _, r := range []driver.Reply{identity, packed} {
					if vary := strings.Join(r.Header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
						t.Errorf("Vary is %q", vary)
					}
				}
				tag := packed.Header.Get("ETag")
				if tags[tag] || tag == identity.Header.Get("ETag") {
					t.Errorf("the %s representation has the ETag of another one", coding)
				}
				tags[tag] = true
			}
			if r := get(t, path, "Accept-Encoding", "gzip;q=0, identity"); r.Header.Get("Content-Encoding") != "" {
				t.Error("gzip although refused")
			}
		})
	}
}

// twoForms gets a resource uncompressed and compressed and fails the test if the contents differ. If
// prices change between the two requests, it repeats both.
func twoForms(t *testing.T, path, coding string) (identity, packed driver.Reply) {
	t.Helper()
	for range attempts {
		identity, packed = get(t, path), get(t, path, "Accept-Encoding", coding)
		body := unpacked(t, packed)
		if bytes.Equal(body, identity.Body) {
			return identity, packed
		}
		if slices.Equal(instants(body), instants(identity.Body)) {
			t.Fatalf("%s: %s has another content", path, coding)
		}
	}
	t.Fatalf("%s: no two responses from one snapshot in %d attempts", path, attempts)
	return identity, packed
}

// instants returns the times of prices in a response.
func instants(body []byte) []string {
	return regexp.MustCompile(`"updated_at":"[^"]+"`).FindAllString(string(body), -1)
}

// unpacked returns the decompressed body of a response.
func unpacked(t *testing.T, r driver.Reply) []byte {
	t.Helper()
	var in io.Reader = bytes.NewReader(r.Body)
	var err error
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		in, err = gzip.NewReader(in)
	case "zstd":
		in, err = zstd.NewReader(in)
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestDocs(t *testing.T) {
	t.Parallel()
	r := driver.Get(t, sandbox.API+"/openapi.json")
	if r.Status != 200 || !strings.HasPrefix(r.JSON(t)["openapi"].(string), "3.1") {
		t.Errorf("openapi.json: %d", r.Status)
	}
	if y := driver.Get(t, sandbox.API+"/openapi.yaml"); y.Status != 200 || !strings.Contains(string(y.Body), "openapi: 3.1") {
		t.Errorf("openapi.yaml: %d", y.Status)
	}
	docs := driver.Get(t, sandbox.API+"/docs")
	csp := docs.Header.Get("Content-Security-Policy")
	if docs.Status != 200 || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe-eval") || strings.Contains(csp, "script-src 'self' 'unsafe-inline'") {
		t.Errorf("docs: %d, policy %q", docs.Status, csp)
	}
	if regexp.MustCompile(`(src|<link[^>]* href)="(https?:)?//`).Match(docs.Body) {
		t.Error("the page loads something from elsewhere")
	}
}
