package httpapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"

	"causeway/adapters/gcra"
	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/recipients"
)

// limited makes an API that lets a caller ask three times a minute for pairs, and ten times for anything else.
func limited(c *httpapi.Config, s *httpapi.Services) {
	production(c, s)
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	c.Limits = httpapi.Limits{
		Default: core.RateLimit{Calls: 10, Per: time.Minute}, Operations: map[string]core.RateLimit{"list-pairs": {Calls: 3, Per: time.Minute}, "list-banks": {}},
		Limiter: gcra.New(func() time.Time { return noon }),
	}
}

// from sends a request from an address.
func (w *world) from(address, target string, header ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	r := httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, target, http.NoBody)
	r.RemoteAddr = address
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		r.Header.Add(name, strings.TrimSpace(value))
	}
	return w.serve(r)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for i := range 3 {
		rec := w.from("192.0.2.1:1000", "/v1/pairs")
		h := rec.Result().Header
		if rec.Code != http.StatusOK || h.Get("RateLimit-Policy") != `"list-pairs";q=3;w=60` || h.Get("X-Rate-Limit") != "3" ||
			!strings.HasPrefix(h.Get("RateLimit"), `"list-pairs";r=`+strconv.Itoa(2-i)+";t=") {
			t.Fatalf("call %d: %d %v", i+1, rec.Code, h)
		}
	}
	rec := w.from("192.0.2.1:2000", "/v1/pairs") // another connection, the same caller
	if rec.Code != http.StatusTooManyRequests || rec.Header().Get("Retry-After") != "20" || !strings.Contains(rec.Body.String(), `"too_many_requests"`) {
		t.Errorf("one too many: %d, Retry-After %q, %s", rec.Code, rec.Header().Get("Retry-After"), rec.Body)
	}
	for name, rec := range map[string]*httptest.ResponseRecorder{
		"another operation":          w.from("192.0.2.1:1", "/v1/countries"),
		"another address":            w.from("192.0.2.2:1", "/v1/pairs"),
		"a key at the same address":  w.from("192.0.2.1:1", "/v1/pairs", "Authorization: Bearer key-of-alice"),
		"an operation without limit": w.from("192.0.2.1:1", "/v1/banks"),
	} {
		if rec.Code != http.StatusOK {
			t.Errorf("%s: %d", name, rec.Code)
		}
	}
	if h := w.from("192.0.2.1:1", "/v1/banks").Result().Header; h.Get("RateLimit") != "" {
		t.Errorf("no limit, and told %v", h)
	}
	if rec := w.from("192.0.2.1:1", "/v1/pairs", "Authorization: Bearer made-up"); rec.Code != http.StatusTooManyRequests {
		t.Errorf("a made-up key got a limit of its own: %d", rec.Code)
	}
}

func TestLimitOfAKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for i := range 6 {
		rec := w.from("192.0.2."+strconv.Itoa(i)+":1", "/v1/pairs", "Authorization: Bearer key-of-carol")
		if want := i < 5; (rec.Code == http.StatusOK) != want || rec.Result().Header.Get("X-Rate-Limit") != "5" {
			t.Errorf("call %d: %d, %v", i+1, rec.Code, rec.Result().Header)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, production)
	rec := w.post(resolvePath, goodQuestion, "Authorization: Bearer key-of-carol")
	if rec.Code != http.StatusForbidden || !strings.Contains(rec.Body.String(), "resolve-account") || w.recipients.asked.Load() != 0 {
		t.Errorf("a key for something else: %d %s, asked %d times", rec.Code, rec.Body, w.recipients.asked.Load())
	}
}

func TestSandboxTellsLimitsAndCountsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *httpapi.Config, _ *httpapi.Services) {
		c.Limits = httpapi.Limits{Default: core.RateLimit{Calls: 2, Per: time.Second}}
	})
	form := regexp.MustCompile(`^"list-pairs";r=2;t=[01]$`)
	for range 5 {
		rec := w.get("/v1/pairs")
		if rec.Code != http.StatusOK || !form.MatchString(rec.Result().Header.Get("RateLimit")) {
			t.Errorf("%d %v", rec.Code, rec.Result().Header)
		}
	}
}

func TestWhoACallerIs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b   string // two callers: an address, and what it says of X-Forwarded-For
		fa, fb string
		same   bool
	}{
		"two ports of an address":                    {a: "192.0.2.1:1", b: "192.0.2.1:2", same: true},
		"two addresses":                              {a: "192.0.2.1:1", b: "192.0.2.2:1"},
		"two addresses of one IPv6 network":          {a: "[2001:db8:1:2::1]:1", b: "[2001:db8:1:2:ffff::9]:1", same: true},
		"two IPv6 networks":                          {a: "[2001:db8:1:2::1]:1", b: "[2001:db8:1:3::1]:1"},
		"an IPv4 address written as IPv6":            {a: "192.0.2.1:1", b: "[::ffff:192.0.2.1]:1", same: true},
		"a stranger who names somebody else":         {a: "192.0.2.1:1", b: "192.0.2.1:1", fa: "198.51.100.1", fb: "198.51.100.2", same: true},
		"two clients of a trusted proxy":             {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "198.51.100.1", fb: "198.51.100.2"},
		"what a client wrote before a trusted proxy": {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "1.1.1.1, 198.51.100.1", fb: "2.2.2.2, 198.51.100.1", same: true},
		"two trusted proxies in a row":               {a: "10.0.0.1:1", b: "10.0.0.2:1", fa: "198.51.100.1, 10.0.0.9", fb: "198.51.100.1", same: true},
		"two clients and their ports":                {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "198.51.100.1:4444", fb: "198.51.100.2:4444"},
		"a client and two of its ports":              {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "198.51.100.1:4444", fb: "198.51.100.1", same: true},
		"two IPv6 clients and their ports":           {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "[2001:db8::1]:55", fb: "[2001:db9::1]"},
		"nonsense before a trusted proxy":            {a: "10.0.0.1:1", b: "10.0.0.1:1", fa: "me", fb: "you", same: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, limited)
			var left []string
			for _, caller := range [][2]string{{c.a, c.fa}, {c.b, c.fb}} {
				header := []string{}
				if caller[1] != "" {
					header = append(header, "X-Forwarded-For: "+caller[1])
				}
				remaining, _, _ := strings.Cut(w.from(caller[0], "/v1/pairs", header...).Result().Header.Get("RateLimit"), ";t=")
				left = append(left, remaining)
			}
			if same := left[0] != left[1]; same != c.same {
				t.Errorf("left %v: one caller is %t, want %t", left, same, c.same)
			}
		})
	}
}

// TestAProxyThatIsNotTrustedIsToldOfOnce: an operator who forgot it finds out, and a client who makes the header up fills no log.
func TestAProxyThatIsNotTrustedIsToldOfOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	w.from("10.0.0.1:1", "/v1/pairs", "X-Forwarded-For: 198.51.100.1")
	if lines := w.logs.FilterLevelExact(zapcore.WarnLevel).All(); len(lines) > 0 {
		t.Errorf("of a trusted proxy: %v", lines)
	}
	for range 3 {
		w.from("192.0.2.1:1", "/v1/pairs", "X-Forwarded-For: 198.51.100.1")
	}
	lines := w.logs.FilterLevelExact(zapcore.WarnLevel).All()
	if len(lines) != 1 || !strings.Contains(lines[0].Message, "api.trusted_proxies") || strings.Contains(lines[0].Message, "198.51") {
		t.Errorf("%v", lines)
	}
}

// TestTheLogSaysWhoWasTurnedAway: a key by its id, an address by the hash that the audit has.
func TestTheLogSaysWhoWasTurnedAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for range 4 {
		w.from("192.0.2.1:1", "/v1/pairs")
	}
	for range 6 {
		w.from("192.0.2.1:1", "/v1/pairs", "Authorization: Bearer key-of-carol")
	}
	w.post(resolvePath, goodQuestion, "Authorization: Bearer made-up")
	w.post(resolvePath, goodQuestion, "Authorization: Bearer key-of-carol")
	type who struct{ key, caller any }
	got := map[int64]map[who]int{}
	for _, line := range w.logs.FilterMessage("request").All() {
		fields := line.ContextMap()
		status, _ := fields["status"].(int64)
		if got[status] == nil {
			got[status] = map[who]int{}
		}
		got[status][who{fields["key"], fields["caller"]}]++
	}
	carol := who{key: "carol"}
	want := map[int64]map[who]int{
		http.StatusOK:              {who{}: 8},
		http.StatusTooManyRequests: {who{caller: "hash of address 192.0.2.1"}: 1, carol: 1},
		http.StatusUnauthorized:    {who{caller: "hash of address 192.0.2.1"}: 1},
		http.StatusForbidden:       {carol: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestEveryAnswerTellsALimit: those that no operation gives, too, and they are counted together.
func TestEveryAnswerTellsALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	for i, c := range []struct {
		method, target string
		status         int
	}{
		{http.MethodGet, "/nope", http.StatusNotFound},
		{http.MethodGet, "/v1/countries/", http.StatusNotFound},
		{http.MethodGet, "//v1/pairs", http.StatusNotFound},
		{http.MethodDelete, "/v1/pairs", http.StatusMethodNotAllowed},
		{http.MethodOptions, "/v1/pairs", http.StatusNoContent},
		{http.MethodOptions, "*", http.StatusNoContent},
		{http.MethodGet, "/nope", http.StatusNotFound},
		{http.MethodHead, "/nope", http.StatusNotFound},
		{http.MethodGet, "/nope", http.StatusNotFound},
		{http.MethodPut, "/v1/banks", http.StatusMethodNotAllowed},
		{http.MethodGet, "/nope", http.StatusTooManyRequests},
	} {
		rec := w.ask(c.method, c.target, "")
		h := rec.Result().Header
		left := `"default";r=` + strconv.Itoa(max(0, 9-i)) + ";t="
		if rec.Code != c.status || h.Get("RateLimit-Policy") != `"default";q=10;w=60` || h.Get("X-Rate-Limit") != "10" || !strings.HasPrefix(h.Get("RateLimit"), left) {
			t.Errorf("%s %s: got %d %v, want %d and %s", c.method, c.target, rec.Code, h, c.status, left)
		}
	}
	if rec := w.get("/v1/countries"); rec.Code != http.StatusOK {
		t.Errorf("an operation has a limit of its own, and answers %d", rec.Code)
	}
}

// TestALimitAndRetryAfterAgree: whoever is asked to wait is not told that calls may follow at once.
func TestALimitAndRetryAfterAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited)
	w.recipients.resolve = func(context.Context, recipients.Request) (core.Account, error) {
		return core.Account{}, core.Errorf(core.TooMany, "Too many lookups").Retry(15 * time.Minute)
	}
	rec := w.post(resolvePath, goodQuestion, "Authorization: Bearer key-of-alice")
	if h := rec.Result().Header; rec.Code != http.StatusTooManyRequests || h.Get("Retry-After") != "900" || h.Get("RateLimit") != `"resolve-account";r=0;t=900` {
		t.Errorf("the guard: got %d %v", rec.Code, h)
	}
	for range 3 {
		w.get("/v1/pairs")
	}
	rec = w.get("/v1/pairs")
	if h := rec.Result().Header; rec.Code != http.StatusTooManyRequests || h.Get("Retry-After") != "20" || h.Get("RateLimit") != `"list-pairs";r=0;t=20` {
		t.Errorf("the limit: got %d %v", rec.Code, h)
	}
}
