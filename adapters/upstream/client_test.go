package upstream_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream"
	"causeway/core"
)

func lost(err error) httpmock.Responder { return httpmock.NewErrorResponder(err) }

// brokenBody is a response whose connection ends after a part of the body.
func brokenBody(part string) httpmock.Responder {
	return func(*http.Request) (*http.Response, error) {
		r := httpmock.NewStringResponse(http.StatusOK, "")
		r.Body = io.NopCloser(io.MultiReader(strings.NewReader(part), errReader{}))
		return r, nil
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func TestClient_Request(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request           upstream.Request
		method, url, body string
		header            http.Header
	}{
		"GET": {
			upstream.Request{Path: "/thing", Query: url.Values{"list": {`["A","B"]`}}},
			"GET", base + "/thing?list=%5B%22A%22%2C%22B%22%5D", "",
			http.Header{"Authorization": {"Bearer key"}, "Accept": {"application/json"}, "User-Agent": {"causeway"}},
		},
		"POST": {
			upstream.Request{Method: http.MethodPost, Path: "/resolve", Body: []byte(`{"number":1}`)},
			"POST", base + "/resolve", `{"number":1}`,
			http.Header{
				"Authorization": {"Bearer key"}, "Accept": {"application/json"}, "User-Agent": {"causeway"},
				"Content-Type": {"application/json"},
			},
		},
		"header of the request": {
			upstream.Request{Path: "/x", Header: http.Header{"authorization": {"Basic YTpi"}, "X-Country": {"UG"}}},
			"GET", base + "/x", "",
			http.Header{
				"Authorization": {"Basic YTpi"}, "Accept": {"application/json"}, "User-Agent": {"causeway"},
				"X-Country": {"UG"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			attempts := 0
			w.respond(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Method != c.method || r.URL.String() != c.url || string(body) != c.body ||
					r.ContentLength != int64(len(c.body)) {
					t.Errorf("got %s %s %s, %v", r.Method, r.URL, body, err)
				}
				for name, want := range c.header {
					if !slices.Equal(r.Header[name], want) {
						t.Errorf("%s: got %q, want %q", name, r.Header[name], want)
					}
				}
				if len(r.Header) != len(c.header) {
					t.Errorf("got the header %v", r.Header)
				}
				if attempts++; attempts == 1 {
					return nil, errors.New("lost")
				}
				return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
			})
			if err := w.client.Do(t.Context(), c.request, readObject); err != nil || attempts != 2 {
				t.Errorf("got %v after %d attempts", err, attempts)
			}
			w.wantOutcome(t, upstream.OK)
			if got := w.metric(t, "request_duration_seconds", "provider=bank"); got != 1 {
				t.Errorf("got %v durations", got)
			}
		})
	}
}

// TestClient_OfProvider checks what applies to all requests of a provider.
func TestClient_OfProvider(t *testing.T) {
	t.Parallel()
	w := open(t)
	client, err := w.factory.Client(upstream.Provider{
		Name: "node", BaseURL: base, Query: url.Values{"key": {"a"}, "page": {"0"}}, MaxBody: 6 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int]bool{5 << 20: true, 6<<20 + 1: false} {
		w.respond(func(r *http.Request) (*http.Response, error) {
			if r.URL.RawQuery != "key=a&page=1" {
				t.Errorf("got the query %s", r.URL.RawQuery)
			}
			return httpmock.NewStringResponse(http.StatusOK, "{}"+strings.Repeat(" ", size-2)), nil
		})
		if err := client.Get(t.Context(), "look", "", url.Values{"page": {"1"}}, readObject); (err == nil) != want {
			t.Errorf("%d bytes: got %v", size, err)
		}
	}
}

func TestClient_InvalidMethod(t *testing.T) {
	t.Parallel()
	w := open(t)
	err := w.client.Do(t.Context(), upstream.Request{Method: "POST 0123456789", Path: "/thing"}, upstream.Response.Err)
	if core.CodeOf(err) != core.Internal || strings.Contains(err.Error(), "0123456789") || w.calls() > 0 {
		t.Errorf("got %v after %d calls", err, w.calls())
	}
}

// TestClient_AdapterError checks that an error of the adapter is returned as it is.
func TestClient_AdapterError(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.respond(text(http.StatusUnprocessableEntity, strings.Repeat("x", 1<<20)))
	gone := core.Errorf(core.NotFound, "No account")
	err := w.client.Get(t.Context(), "op", "/thing", nil, func(a upstream.Response) error {
		if a.Status != http.StatusUnprocessableEntity || len(a.Body) != 64<<10 || !a.At.Equal(noon) {
			t.Errorf("got %d, %d bytes, %s", a.Status, len(a.Body), a.At)
		}
		return gone
	})
	if !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	w.wantOutcome(t, upstream.NotFound)
}

// TestClient_Failures lists what can go wrong at a provider. The error is Unavailable, with a cause
// that quotes nothing of the request and the response.
func TestClient_Failures(t *testing.T) {
	t.Parallel()
	const secret, leak = `{"message":"JANE DOE"}`, base + "/thing?account_number=0123456789"
	for name, c := range map[string]struct {
		response httpmock.Responder
		outcome  upstream.Outcome
		cause    string
	}{
		"400":                   {text(400, secret), upstream.Undecided, "undecided: status 400"},
		"401":                   {text(401, secret), upstream.Refused, "refused: status 401"},
		"403":                   {text(403, secret), upstream.Refused, "refused: status 403"},
		"404":                   {text(404, secret), upstream.Undecided, "undecided: status 404"},
		"418":                   {text(418, secret), upstream.Throttled, "throttled: status 418"},
		"422":                   {text(422, secret), upstream.Undecided, "undecided: status 422"},
		"429":                   {text(429, secret), upstream.Throttled, "throttled: status 429"},
		"451":                   {text(451, secret), upstream.Refused, "refused: status 451"},
		"500":                   {text(500, secret), upstream.Unavailable, "unavailable: status 500"},
		"503":                   {text(503, secret), upstream.Unavailable, "unavailable: status 503"},
		"520 of a CDN":          {text(520, secret), upstream.Unavailable, "unavailable: status 520"},
		"redirect":              {status(302, "Location", "https://elsewhere.test/"), upstream.Unavailable, "unavailable: status 302"},
		"malformed redirect":    {status(302, "Location", "%zz"), upstream.Unavailable, "connection failed"},
		"HTML":                  {text(200, "<html>JANE DOE</html>"), upstream.Malformed, "not JSON at byte 0 of 21, status 200"},
		"truncated":             {text(200, `{"name":"JANE`), upstream.Malformed, "not JSON at byte 13 of 13, status 200"},
		"two documents":         {text(200, `{"name":"JANE"}{}`), upstream.Malformed, "not JSON at byte"},
		"wrong type":            {text(200, `{"name":1234567890}`), upstream.Malformed, "unexpected JSON number at byte 8 of 19"},
		"duplicate name":        {text(200, `{"name":"JANE","name":"JOHN"}`), upstream.Malformed, "not JSON at byte"},
		"invalid UTF-8":         {text(200, "{\"name\":\"JAN\xff\"}"), upstream.Malformed, "not JSON at byte"},
		"empty body":            {text(200, ""), upstream.Malformed, "not JSON at byte 0 of 0"},
		"huge body":             {text(200, strings.Repeat(" ", 5<<20)), upstream.Malformed, "the body is too large"},
		"body cut off":          {brokenBody(`{"name":"JANE`), upstream.Unavailable, "connection closed early"},
		"connection refused":    {lost(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), upstream.Unavailable, "connection refused"},
		"connection reset":      {lost(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), upstream.Unavailable, "connection reset by peer"},
		"unknown host":          {lost(&net.DNSError{Name: "provider.test", Err: leak}), upstream.Unavailable, "host name not resolved"},
		"slow dial":             {lost(&net.OpError{Op: "dial", Err: timeoutError{}}), upstream.Unavailable, "connection timed out"},
		"bad certificate":       {lost(&tls.CertificateVerificationError{Err: errors.New(leak)}), upstream.Unavailable, "certificate not accepted"},
		"no TLS":                {lost(tls.RecordHeaderError{Msg: leak}), upstream.Unavailable, "no TLS"},
		"connection closed":     {lost(io.EOF), upstream.Unavailable, "connection closed early"},
		"malformed HTTP header": {lost(errors.New("malformed HTTP response " + leak)), upstream.Unavailable, "connection failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := open(t)
				w.respond(c.response)
				request := upstream.Request{Op: "look", Path: "/thing", Query: url.Values{"account_number": {"0123456789"}}}
				err := w.client.Do(t.Context(), request, readObject)
				unavailable(t, err)
				if !strings.Contains(err.Error(), ": bank look: ") || !strings.Contains(err.Error(), c.cause) {
					t.Errorf("got %q, want a cause with %q", err, "bank look: … "+c.cause)
				}
				for _, private := range []string{"JANE", "0123456789", "1234567890", "provider.test", "elsewhere", "http", "key"} {
					if strings.Contains(err.Error(), private) {
						t.Errorf("%q is in the error: %v", private, err)
					}
				}
				w.wantOutcome(t, c.outcome)
			})
		})
	}
}

func TestClient_RetryAfter(t *testing.T) {
	t.Parallel()
	date := func(in time.Duration) string { return noon.Add(in).Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		status int
		header string
		want   time.Duration
	}{
		"seconds":           {429, "7", 7 * time.Second},
		"date":              {429, date(90 * time.Second), 90 * time.Second},
		"past date":         {429, date(-time.Hour), 0},
		"ban of three days": {418, "259200", 72 * time.Hour},
		"longer ban":        {418, "259201", 72 * time.Hour},
		"date in a week":    {429, date(168 * time.Hour), 72 * time.Hour},
		"overflow":          {429, "99999999999999999999999", 72 * time.Hour},
		"outage of a day":   {500, "86400", 5 * time.Minute},
		"outage until then": {500, date(time.Hour), 5 * time.Minute},
		"outage":            {500, "60", time.Minute},
		"negative":          {429, "-1", 0},
		"word":              {429, "soon", 0},
		"none":              {429, "", 0},
		"fraction":          {429, "0.5", 0},
		"refusal":           {403, "60", time.Minute},
	} {
		w := open(t)
		w.respond(status(c.status, "Retry-After", c.header))
		if got := unavailable(t, w.get(t.Context())); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestClient_Retry(t *testing.T) {
	t.Parallel()
	ok := text(200, "{}")
	wait := func(seconds string) httpmock.Responder { return status(503, "Retry-After", seconds) }
	for name, c := range map[string]struct {
		responses []httpmock.Responder
		budget    time.Duration // of the caller; 0: none
		calls     int
		waited    time.Duration // between the attempts
		works     bool
	}{
		"lost connection":             {[]httpmock.Responder{lost(errors.New("lost")), ok}, 0, 2, 100 * time.Millisecond, true},
		"half a body":                 {[]httpmock.Responder{brokenBody("{"), ok}, 0, 2, 100 * time.Millisecond, true},
		"502":                         {[]httpmock.Responder{status(502), ok}, 0, 2, 100 * time.Millisecond, true},
		"503":                         {[]httpmock.Responder{status(503), ok}, 0, 2, 100 * time.Millisecond, true},
		"504":                         {[]httpmock.Responder{status(504), ok}, 0, 2, 100 * time.Millisecond, true},
		"only once":                   {[]httpmock.Responder{status(503), status(503), ok}, 0, 2, 100 * time.Millisecond, false},
		"not 500":                     {[]httpmock.Responder{status(500), ok}, 0, 1, 0, false},
		"not 404":                     {[]httpmock.Responder{status(404), ok}, 0, 1, 0, false},
		"not 429":                     {[]httpmock.Responder{status(429), ok}, 0, 1, 0, false},
		"not 401":                     {[]httpmock.Responder{status(401), ok}, 0, 1, 0, false},
		"not HTML":                    {[]httpmock.Responder{text(200, "<html>"), ok}, 0, 1, 0, false},
		"Retry-After":                 {[]httpmock.Responder{wait("3"), ok}, 8 * time.Second, 2, 3 * time.Second, true},
		"long Retry-After":            {[]httpmock.Responder{wait("5"), ok}, 0, 1, 0, false},
		"Retry-After past the budget": {[]httpmock.Responder{wait("4"), ok}, 4 * time.Second, 1, 0, false},
		"too little time left":        {[]httpmock.Responder{status(503), ok}, time.Second, 1, 0, false},
		"enough time left":            {[]httpmock.Responder{status(503), ok}, 1101 * time.Millisecond, 2, 100 * time.Millisecond, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := open(t)
				w.entropy = uint64(100 * time.Millisecond)
				w.respond(c.responses...)
				ctx := t.Context()
				if c.budget > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.budget)
					defer cancel()
				}
				start := time.Now()
				err := w.get(ctx)
				if (err == nil) != c.works || w.calls() != c.calls || time.Since(start) != c.waited {
					t.Errorf("got %v after %d calls and %s", err, w.calls(), time.Since(start))
				}
				if got := w.metric(t, "retries_total"); got != float64(c.calls-1) {
					t.Errorf("got %v retries, want %d", got, c.calls-1)
				}
				if got := w.metric(t, "requests_total"); got != 1 {
					t.Errorf("got %v calls, want 1", got)
				}
			})
		})
	}
}

func TestClient_RetryJitter(t *testing.T) {
	t.Parallel()
	for entropy, most := range map[uint64]time.Duration{0: 0, math.MaxUint64: 400 * time.Millisecond, 1 << 63: 400 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.entropy = entropy
			w.respond(status(503), text(200, "{}"))
			start := time.Now()
			if err := w.get(t.Context()); err != nil || time.Since(start) > most {
				t.Errorf("entropy %d: got %v after %s, want at most %s", entropy, err, time.Since(start), most)
			}
		})
	}
}

func TestClient_Tries(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.respond(status(503), text(200, "{}"))
	if err := w.get(t.Context()); err != nil {
		t.Error(err)
	}
	want := []upstream.Attempt{
		{Provider: "bank", Op: "look", Number: 1, Outcome: upstream.Unavailable, Status: 503, Breaker: "closed"},
		{Provider: "bank", Op: "look", Number: 2, Outcome: upstream.OK, Status: 200, Breaker: "closed"},
	}
	if !slices.Equal(w.tries, want) {
		t.Errorf("got %+v, want %+v", w.tries, want)
	}
}

// dribble is a body that sends a byte every second.
type dribble struct{ done <-chan struct{} }

func (d dribble) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-d.done:
		return 0, io.ErrUnexpectedEOF
	}
}

func TestClient_Timeout(t *testing.T) {
	t.Parallel()
	hang := text(200, "{}").Delay(time.Hour)
	slow := func(r *http.Request) (*http.Response, error) {
		response := httpmock.NewStringResponse(http.StatusOK, "")
		response.Body = io.NopCloser(dribble{r.Context().Done()})
		return response, nil
	}
	for name, c := range map[string]struct {
		response httpmock.Responder
		deadline time.Duration // of the caller; 0: none
		cancel   time.Duration // when the caller cancels; 0: never
		took     time.Duration
		outcome  upstream.Outcome
		err      string
	}{
		"no response":       {hang, 0, 0, 4 * time.Second, upstream.TimedOut, "no response within 4s"},
		"slow body":         {slow, 0, 0, 4 * time.Second, upstream.TimedOut, "no response within 4s"},
		"caller's deadline": {hang, 300 * time.Millisecond, 0, 300 * time.Millisecond, upstream.TimedOut, "the caller's deadline passed"},
		"canceled":          {hang, 0, time.Second, time.Second, upstream.Canceled, "context canceled"},
		"canceled in retry": {status(503, "Retry-After", "3"), 0, time.Second, time.Second, upstream.Canceled, "context canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := open(t)
				w.respond(c.response)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.deadline > 0 {
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				start := time.Now()
				err := w.get(ctx)
				if err == nil || !strings.Contains(err.Error(), c.err) || time.Since(start) != c.took || w.calls() != 1 {
					t.Errorf("got %v after %s and %d calls", err, time.Since(start), w.calls())
				}
				w.wantOutcome(t, c.outcome)
			})
		})
	}
	t.Run("response at the deadline", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		w.respond(func(*http.Request) (*http.Response, error) {
			cancel()
			return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
		})
		if err := w.get(ctx); !errors.Is(err, context.Canceled) || core.CodeOf(err) != core.Internal {
			t.Errorf("got %v, want context.Canceled", err)
		}
		if err := w.get(ctx); !errors.Is(err, context.Canceled) || w.calls() != 1 {
			t.Errorf("got %v after %d calls, want none for a canceled caller", err, w.calls())
		}
	})
}
