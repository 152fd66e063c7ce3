package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/recipients"
)

// limited allows 3 calls a minute of list-pairs and 10 of the other operations, except list-banks.
func limited(c *httpapi.Config, s *httpapi.Services) {
	production(c, s)
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	c.Limits = httpapi.Limits{
		Default:    core.RateLimit{Calls: 10, Per: time.Minute},
		Operations: map[string]core.RateLimit{"list-pairs": {Calls: 3, Per: time.Minute}, "list-banks": {}},
	}
	c.Instance.Limiter = gcra.New(func() time.Time { return noon })
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for i := range 3 {
		rec := w.from("192.0.2.1:1000", "/v1/pairs")
		h := rec.Header()
		if rec.Code != http.StatusOK || h.Get("RateLimit-Policy") != `"list-pairs";q=3;w=60` || h.Get("X-Rate-Limit") != "3" ||
			!strings.HasPrefix(h.Get("RateLimit"), `"list-pairs";r=`+strconv.Itoa(2-i)+";t=") {
			t.Fatalf("call %d: %d %v", i+1, rec.Code, h)
		}
	}
	for _, c := range []struct {
		name, address, target, key string
		status                     int
	}{
		{"another connection of the caller", "192.0.2.1:2000", "/v1/pairs", "", 429},
		{"an invalid key has no limit of its own", "192.0.2.1:1", "/v1/pairs", "made-up", 429},
		{"another operation", "192.0.2.1:1", "/v1/countries", "", 200},
		{"another address", "192.0.2.2:1", "/v1/pairs", "", 200},
		{"a key", "192.0.2.1:1", "/v1/pairs", "key-of-alice", 200},
		{"an operation without a limit", "192.0.2.1:1", "/v1/banks", "", 200},
	} {
		rec := w.from(c.address, c.target, "Authorization: Bearer "+c.key)
		if rec.Code != c.status {
			t.Errorf("%s: got %d %s", c.name, rec.Code, rec.Body)
		}
		if h := rec.Header(); c.status == 429 && (h.Get("Retry-After") != "20" || h.Get("RateLimit") != `"list-pairs";r=0;t=20`) {
			t.Errorf("%s: %v", c.name, h)
		}
	}
	for i := range 6 { // a key with a limit of its own
		rec := w.from("192.0.2."+strconv.Itoa(i)+":1", "/v1/pairs", "Authorization: Bearer key-of-carol")
		if (rec.Code == http.StatusOK) != (i < 5) || rec.Header().Get("X-Rate-Limit") != "5" {
			t.Errorf("call %d of the key: %d, %v", i+1, rec.Code, rec.Header())
		}
	}
}

// TestRateLimit_UnknownPaths: requests that no operation serves share one limit.
func TestRateLimit_UnknownPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for i := range 11 {
		target, want := []string{"/nope", "//v1/pairs", "/v1/countries/"}[i%3], http.StatusNotFound
		if i == 10 {
			want = http.StatusTooManyRequests
		}
		rec := w.get(target)
		if rec.Code != want || !strings.HasPrefix(rec.Header().Get("RateLimit"), `"default";r=`+strconv.Itoa(max(0, 9-i))) {
			t.Errorf("%s: got %d %v", target, rec.Code, rec.Header())
		}
	}
}

func TestCallers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b   string // addresses of two connections
		fa, fb string // their X-Forwarded-For
		same   bool   // they are one caller
	}{
		"two ports of an address":         {a: "192.0.2.1:1", b: "192.0.2.1:2", same: true},
		"two addresses":                   {a: "192.0.2.1:1", b: "192.0.2.2:1"},
		"two addresses of an IPv6 /64":    {a: "[2001:db8:1:2::1]:1", b: "[2001:db8:1:2:ffff::9]:1", same: true},
		"two IPv6 networks":               {a: "[2001:db8:1:2::1]:1", b: "[2001:db8:1:3::1]:1"},
		"IPv4 written as IPv6":            {a: "192.0.2.1:1", b: "[::ffff:192.0.2.1]:1", same: true},
		"a proxy that is not trusted":     {a: "192.0.2.1:1", b: "192.0.2.1:1", fa: "198.51.100.1", fb: "198.51.100.2", same: true},
		"two clients of a trusted proxy":  {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "198.51.100.1", fb: "198.51.100.2"},
		"forged before a trusted proxy":   {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "1.1.1.1, 198.51.100.1", fb: "2.2.2.2, 198.51.100.1", same: true},
		"two trusted proxies in a row":    {a: "10.0.0.1:1", b: "10.0.0.2:1", fa: "198.51.100.1, 10.0.0.9", fb: "198.51.100.1", same: true},
		"a client and its port":           {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "198.51.100.1:4444", fb: "198.51.100.1", same: true},
		"two IPv6 clients and a port":     {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "[2001:db8::1]:55", fb: "[2001:db9::1]"},
		"nonsense before a trusted proxy": {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "me", fb: "you", same: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, limited)
			left := func(address, forwarded string) string {
				var header []string
				if forwarded != "" {
					header = []string{"X-Forwarded-For: " + forwarded}
				}
				remaining, _, _ := strings.Cut(w.from(address, "/v1/pairs", header...).Header().Get("RateLimit"), ";t=")
				return remaining
			}
			if a, b := left(c.a, c.fa), left(c.b, c.fb); (a != b) != c.same {
				t.Errorf("left %s and %s: want one caller %t", a, b, c.same)
			}
		})
	}
}

func TestAccessLog_RefusedCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for range 4 {
		w.from("192.0.2.1:1", "/v1/pairs")
	}
	for range 6 {
		w.from("192.0.2.1:1", "/v1/pairs", "Authorization: Bearer key-of-carol")
	}
	w.post(resolvePath, goodRequest, "Authorization: Bearer made-up")
	w.post(resolvePath, goodRequest, "Authorization: Bearer key-of-carol")
	type caller struct{ key, hash any }
	got := map[int64]map[caller]int{}
	for _, line := range w.logs.FilterMessage("request").All() {
		fields := line.ContextMap()
		status, _ := fields["status"].(int64)
		if got[status] == nil {
			got[status] = map[caller]int{}
		}
		got[status][caller{fields["key"], fields["caller"]}]++
	}
	carol, address := caller{key: "carol"}, caller{hash: "hash of address 192.0.2.1/32"}
	want := map[int64]map[caller]int{200: {caller{}: 8}, 429: {address: 1, carol: 1}, 401: {address: 1}, 403: {carol: 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUntrustedProxy_WarnsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.from("192.0.2.1:1", "/v1/pairs", "X-Forwarded-For: 198.51.100.1", "Authorization: Bearer x")
	}
	if lines := w.logs.FilterLevelExact(zapcore.WarnLevel).All(); len(lines) != 1 {
		t.Errorf("got %v, want one warning", lines)
	}
}

func TestAuthorization(t *testing.T) {
	t.Parallel()
	w := newWorld(t, production)
	for header, want := range map[string]int{
		"Authorization:": 401, "Authorization: Bearer": 401, "Authorization: Bearer ": 401, "Authorization: Basic key-of-alice": 401,
		"Authorization: key-of-alice": 401, "Authorization: Bearer key-of-alic": 401, "Authorization: Bearer KEY-OF-ALICE": 401,
		"Authorization: Bearer key-of-alice": 200, "Authorization: BEARER key-of-bob": 200, "Authorization: Bearer key-of-carol": 403,
	} {
		if rec := w.post(resolvePath, goodRequest, header); rec.Code != want {
			t.Errorf("%s: got %d, want %d", header, rec.Code, want)
		}
		if rec := w.post("/v1/validate", goodAddress, header); rec.Code != http.StatusOK {
			t.Errorf("%s on a public operation: got %d", header, rec.Code)
		}
	}
	if n := w.recipients.calls.Load(); n != 2 {
		t.Errorf("%d lookups", n)
	}
	if rec := w.post(resolvePath, "not JSON"); rec.Code != http.StatusUnauthorized || rec.Header().Get("Www-Authenticate") != "Bearer" {
		t.Errorf("the body is read before the key: got %d", rec.Code)
	}
}

// TestAuthorization_Ambiguous sends two keys. Neither counts, also in the form in which a proxy joins
// two headers.
func TestAuthorization_Ambiguous(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*httpapi.Config, *httpapi.Services){
		"production": limited, "sandbox": func(*httpapi.Config, *httpapi.Services) {},
	} {
		w := newWorld(t, change)
		for _, header := range [][]string{
			{"Authorization: Bearer key-of-alice", "Authorization: Bearer key-of-bob"},
			{"Authorization: Bearer key-of-alice", "Authorization: Bearer key-of-alice"},
			{"Authorization: Bearer key-of-alice", "Authorization:"},
			{"Authorization: Bearer key-of-alice, Bearer key-of-bob"},
		} {
			for _, rec := range []*httptest.ResponseRecorder{
				w.post(resolvePath, goodRequest, header...), w.post("/v1/validate", goodAddress, header...),
			} {
				if e := errorOf(t, rec.Body.Bytes()).Error; rec.Code != http.StatusBadRequest || e.Name != "bad_request" ||
					!strings.Contains(e.Message, "Authorization") {
					t.Errorf("%s, %v: got %d %s", name, header, rec.Code, rec.Body)
				}
			}
		}
		if n := w.recipients.calls.Load(); n != 0 {
			t.Errorf("%s: %d lookups", name, n)
		}
	}
}

// blocking is a resolver that reports each call and waits until it may return.
type blocking struct {
	*resolver
	called, proceed chan struct{}
}

func newBlocking() blocking { return blocking{newResolver(), make(chan struct{}), make(chan struct{})} }

func (b blocking) Resolve(ctx context.Context, _ recipients.Request) (core.Account, error) {
	for _, step := range []func(){func() { b.called <- struct{}{} }, func() { <-b.proceed }} {
		step()
	}
	return core.Account{}, core.Errorf(core.NotFound, "No account")
}

// TestHTTP_MaxInFlight checks that requests count from before their body arrives until their response is sent.
func TestHTTP_MaxInFlight(t *testing.T) {
	t.Parallel()
	b := newBlocking()
	w := newWorld(t, func(c *httpapi.Config, s *httpapi.Services) { c.MaxInFlight, s.Recipients = 3, b })
	var inside sync.WaitGroup
	for range 2 {
		inside.Go(func() { w.post(resolvePath, goodRequest) })
		<-b.called
	}
	arriving := stalled{strings.NewReader("{"), make(chan struct{})}
	inside.Go(func() { w.serve(httptest.NewRequestWithContext(t.Context(), http.MethodPost, resolvePath, arriving)) })
	for deadline := time.Now().Add(time.Minute); !strings.Contains(scrape(t, w), "causeway_http_requests_in_flight 3\n"); {
		if time.Now().After(deadline) {
			t.Fatal("a request whose body arrives is not in flight")
		}
	}
	rec := w.get("/v1/pairs")
	if form := errorOf(t, rec.Body.Bytes()); rec.Code != http.StatusServiceUnavailable || form.Error.Name != "service_unavailable" || rec.Header().Get("Retry-After") != "1" {
		t.Errorf("one too many: %d %s", rec.Code, rec.Body)
	}
	if lines := w.logs.FilterMessage("request").All(); len(lines) != 1 || lines[0].ContextMap()["caller"] == nil {
		t.Errorf("the log does not name the refused caller: %v", lines)
	}
	close(b.proceed)
	close(arriving.closed)
	inside.Wait()
	if rec := w.get("/v1/pairs"); rec.Code != http.StatusOK {
		t.Errorf("afterwards: %d", rec.Code)
	}
	exports(t, w, `causeway_http_requests_rejected_total{reason="requests"} 1`, "causeway_http_requests_in_flight 0")
}

// TestMaxPerClient checks that one address leaves room for others, whatever proxies and HTTP/2 put on a
// connection.
func TestMaxPerClient(t *testing.T) {
	t.Parallel()
	b := newBlocking()
	w := newWorld(t, limited, func(c *httpapi.Config, s *httpapi.Services) {
		c.MaxPerClient, c.Auth.Operations, s.Recipients = 2, nil, b
	})
	var inside sync.WaitGroup
	for _, address := range []string{"[2001:db8::1]:1", "[2001:db8::2]:1"} {
		inside.Go(func() {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, resolvePath, strings.NewReader(goodRequest))
			r.RemoteAddr = address
			w.serve(r)
		})
		<-b.called
	}
	const key = "Authorization: Bearer key-of-alice"
	for name, c := range map[string]struct {
		address string
		header  []string
		status  int
	}{
		"the same network":             {"[2001:db8::3]:1", nil, 429},
		"the same, behind a proxy":     {"10.0.0.1:1", []string{"X-Forwarded-For: 2001:db8::4"}, 429},
		"with a key that is not valid": {"[2001:db8::3]:1", []string{"Authorization: Bearer x"}, 429},
		"with a key":                   {"[2001:db8::3]:1", []string{key}, 200},
		"another network":              {"[2001:db8:0:1::1]:1", nil, 200},
		"another, behind a proxy":      {"10.0.0.1:1", []string{"X-Forwarded-For: 192.0.2.1"}, 200},
	} {
		rec := w.from(c.address, "/v1/countries", c.header...)
		if rec.Code != c.status || (c.status == 429) != (rec.Header().Get("Retry-After") == "1") {
			t.Errorf("%s: got %d %s", name, rec.Code, rec.Body)
		}
	}
	close(b.proceed)
	inside.Wait()
	if rec := w.from("[2001:db8::3]:1", "/v1/countries"); rec.Code != http.StatusOK {
		t.Errorf("afterwards: %d", rec.Code)
	}
}

// TestClientBodies checks that a client that sends large bodies slowly leaves memory for others.
func TestClientBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) { c.BodyBudget, c.ClientBodies = 2<<20, 1<<20 })
	end := w.stall(t, 1000<<10, "1.048576e+06")
	large := batchOf(goodAddress) + strings.Repeat(" ", 100<<10)
	for address, want := range map[string]int{"192.0.2.1:9": http.StatusTooManyRequests, "192.0.2.2:9": http.StatusOK} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, batchPath, strings.NewReader(large))
		r.RemoteAddr = address
		if rec := w.serve(r); rec.Code != want {
			t.Errorf("%s: got %d %s, want %d", address, rec.Code, rec.Body, want)
		}
	}
	end()
	exports(t, w, "causeway_http_body_bytes 0")
}

func TestStreamLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, live, func(c *httpapi.Config, _ *httpapi.Services) { c.MaxInFlight, c.MaxStreams = 1, 2 })
	for range 2 {
		following(t, w, "").next()
	}
	if rec := w.get("/v1/pairs"); rec.Code != http.StatusOK { // streams are not among the requests in flight
		t.Errorf("with two streams open: %d", rec.Code)
	}
	if rec := w.get("/v1/pairs/stream"); rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") != "5" {
		t.Errorf("one too many: %d %s", rec.Code, rec.Body)
	}
}

// stalled is a body whose rest never comes, until it is closed.
type stalled struct {
	sent   io.Reader
	closed chan struct{}
}

func (s stalled) Read(p []byte) (int, error) {
	if n, err := s.sent.Read(p); err == nil {
		return n, nil
	}
	<-s.closed
	return 0, io.ErrUnexpectedEOF
}

// stall sends a part of a body from 192.0.2.1, waits until the metrics show the memory that it takes, and returns a
// function that ends it.
func (w *world) stall(t *testing.T, bytes int, taken string) (end func()) {
	t.Helper()
	body := stalled{strings.NewReader(strings.Repeat(" ", bytes)), make(chan struct{})}
	var waiting sync.WaitGroup
	waiting.Go(func() { w.serve(httptest.NewRequestWithContext(t.Context(), http.MethodPost, batchPath, body)) })
	for deadline := time.Now().Add(time.Minute); !strings.Contains(scrape(t, w), "causeway_http_body_bytes "+taken+"\n"); {
		if time.Now().After(deadline) {
			t.Fatal("the stalled body takes no budget")
		}
	}
	return func() {
		close(body.closed)
		waiting.Wait()
	}
}

func TestBodyBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) { c.BodyBudget = 256 << 10 })
	end := w.stall(t, 200<<10, "229376")
	large := batchOf(goodAddress) + strings.Repeat(" ", 100<<10)
	if rec := w.post(batchPath, large); rec.Code != http.StatusServiceUnavailable || rec.Header().Get("Retry-After") != "1" {
		t.Errorf("beyond the budget: %d %s", rec.Code, rec.Body)
	}
	if rec := w.post("/v1/validate", goodAddress); rec.Code != http.StatusOK {
		t.Errorf("a small body: %d %s", rec.Code, rec.Body)
	}
	end()
	if rec := w.post(batchPath, large); rec.Code != http.StatusOK {
		t.Errorf("afterwards: %d %s", rec.Code, rec.Body)
	}
	exports(t, w, `causeway_http_requests_rejected_total{reason="body"} 1`, "causeway_http_body_bytes 0")
}
