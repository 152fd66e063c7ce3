package upstream_test

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/adapters/upstream"
	"causeway/core"
)

// never is a configuration without retries.
func never(c *upstream.Config) { c.Retries = 0 }

func TestRequest(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.transport.RegisterResponder(http.MethodGet, base+"/thing", func(r *http.Request) (*http.Response, error) {
		if got, want := r.URL.RawQuery, "list=%5B%22A%22%2C%22B%22%5D"; got != want {
			t.Errorf("query: got %s, want %s", got, want)
		}
		for name, want := range map[string]string{"Authorization": "Bearer key", "Accept": "application/json", "User-Agent": "causeway"} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
		return httpmock.NewStringResponse(http.StatusOK, `{"a":1}`), nil
	})
	if err := w.client(t, false).GetJSON(t.Context(), "op", "/thing", url.Values{"list": {`["A","B"]`}}, &struct{}{}); err != nil {
		t.Fatal(err)
	}
	w.outcome(t, upstream.OK)
	if got := w.metric(t, "causeway_upstream_request_duration_seconds", "provider=bank", "op=op"); got != 1 {
		t.Errorf("durations observed: got %v, want 1", got)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	t.Run("gives the adapter a failure's body and the instant of receipt", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.says(http.StatusUnprocessableEntity, `{"message":"no"}`)
		gone := core.Errorf(core.NotFound, "No account")
		err := w.client(t, false).Get(t.Context(), "op", "/thing", nil, func(a upstream.Answer) error {
			if a.Status != http.StatusUnprocessableEntity || string(a.Body) != `{"message":"no"}` || !a.At.Equal(noon) {
				t.Errorf("got %d %s %s", a.Status, a.Body, a.At)
			}
			return gone
		})
		if !errors.Is(err, gone) {
			t.Errorf("got %v, want the adapter's own error", err)
		}
		w.outcome(t, upstream.NotFound)
	})
	t.Run("cuts a failure's body, and keeps the status", func(t *testing.T) {
		t.Parallel()
		w := open(t, never)
		w.says(http.StatusBadRequest, strings.Repeat("x", 1<<20))
		err := w.client(t, false).Get(t.Context(), "op", "/thing", nil, func(a upstream.Answer) error {
			if len(a.Body) != 64<<10 {
				t.Errorf("got %d bytes", len(a.Body))
			}
			return a.Fault()
		})
		unavailable(t, err)
		w.outcome(t, upstream.Undecided)
	})
	t.Run("does not ask for a caller who is gone", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := w.client(t, false).GetJSON(ctx, "op", "/thing", nil, &struct{}{})
		if !errors.Is(err, context.Canceled) || core.CodeOf(err) != core.Internal {
			t.Errorf("got %v, want context.Canceled, unclassified", err)
		}
		w.asked(t, 0)
		w.outcome(t, upstream.Canceled)
	})
}

// TestFailures goes through what can go wrong at a provider: each is Unavailable to the core, with its own outcome,
// and a cause that names provider, op and reason in our words.
func TestFailures(t *testing.T) {
	t.Parallel()
	leak := "https://provider.test/v1/thing?account_number=0123456789"
	const secretBody = `{"message":"JANE DOE"}`
	status := func(code int) httpmock.Responder { return httpmock.NewStringResponder(code, secretBody) }
	redirect := status(http.StatusFound).HeaderSet(http.Header{"Location": {"https://elsewhere.test/"}})
	cases := map[string]struct {
		answer  httpmock.Responder
		outcome upstream.Outcome
		cause   string
	}{
		"400":                   {status(400), upstream.Undecided, "undecided: status 400"},
		"401":                   {status(401), upstream.Refused, "refused: status 401"},
		"403":                   {status(403), upstream.Refused, "refused: status 403"},
		"404":                   {status(404), upstream.Undecided, "undecided: status 404"},
		"418":                   {status(418), upstream.Throttled, "throttled: status 418"},
		"422":                   {status(422), upstream.Undecided, "undecided: status 422"},
		"429":                   {status(429), upstream.Throttled, "throttled: status 429"},
		"451":                   {status(451), upstream.Refused, "refused: status 451"},
		"500":                   {status(500), upstream.Unavailable, "unavailable: status 500"},
		"503":                   {status(503), upstream.Unavailable, "unavailable: status 503"},
		"520 of a CDN":          {status(520), upstream.Unavailable, "unavailable: status 520"},
		"a redirect":            {redirect, upstream.Unavailable, "unavailable: status 302"},
		"a redirect to nowhere": {status(302).HeaderSet(http.Header{"Location": {"%zz"}}), upstream.Unavailable, "connection failed"},
		"HTML with 200":         {httpmock.NewStringResponder(200, "<html>JANE DOE</html>"), upstream.Malformed, "not JSON at byte 0 of 21, status 200"},
		"half a document":       {httpmock.NewStringResponder(200, `{"name":"JANE`), upstream.Malformed, "not JSON at byte 13 of 13, status 200"},
		"two documents":         {httpmock.NewStringResponder(200, `{"name":"JANE"}{}`), upstream.Malformed, "not JSON at byte"},
		"a wrong type":          {httpmock.NewStringResponder(200, `{"name":1234567890}`), upstream.Malformed, "unexpected JSON number at byte 8 of 19"},
		"a name given twice":    {httpmock.NewStringResponder(200, `{"name":"JANE","name":"JOHN"}`), upstream.Malformed, "not JSON at byte"},
		"not UTF-8":             {httpmock.NewStringResponder(200, "{\"name\":\"JAN\xff\"}"), upstream.Malformed, "not JSON at byte"},
		"an empty body":         {httpmock.NewStringResponder(200, ""), upstream.Malformed, "not JSON at byte 0 of 0"},
		"a huge body":           {httpmock.NewStringResponder(200, strings.Repeat(" ", 5<<20)), upstream.Malformed, "the body is too large"},
		"a body that ends":      {brokenBody(`{"name":"JANE`), upstream.Unavailable, "connection closed early"},
		"a refused connection":  {failing(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}), upstream.Unavailable, "connection refused"},
		"a reset connection":    {failing(&net.OpError{Op: "read", Err: syscall.ECONNRESET}), upstream.Unavailable, "connection reset by peer"},
		"an unknown host":       {failing(&net.DNSError{Name: "provider.test", Err: leak}), upstream.Unavailable, "host name not resolved"},
		"a slow dial":           {failing(&net.OpError{Op: "dial", Err: timeoutError{}}), upstream.Unavailable, "connection timed out"},
		"a bad certificate":     {failing(x509.UnknownAuthorityError{}), upstream.Unavailable, "certificate not accepted"},
		"a closed connection":   {failing(io.EOF), upstream.Unavailable, "connection closed early"},
		"a broken answer":       {failing(errors.New("malformed HTTP response " + leak)), upstream.Unavailable, "connection failed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, never)
			w.follows(c.answer)
			var out struct {
				Name string `json:"name"`
			}
			err := w.client(t, false).GetJSON(t.Context(), "look", "/thing", url.Values{"account_number": {"0123456789"}}, &out)
			unavailable(t, err)
			if !strings.Contains(err.Error(), ": bank look: ") || !strings.Contains(err.Error(), c.cause) {
				t.Errorf("got %q, want a cause with %q", err, "bank look: … "+c.cause)
			}
			for _, private := range []string{"JANE", "0123456789", "1234567890", "provider.test", "elsewhere", "http"} {
				if strings.Contains(err.Error(), private) {
					t.Errorf("%q is in the error: %v", private, err)
				}
			}
			w.outcome(t, c.outcome)
			w.asked(t, 1)
		})
	}
}

type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	date := func(in time.Duration) string { return noon.Add(in).Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		status int
		header string
		want   time.Duration
	}{
		"seconds":                 {429, "7", 7 * time.Second},
		"a date":                  {429, date(90 * time.Second), 90 * time.Second},
		"a date that has been":    {429, date(-time.Hour), 0},
		"a ban of three days":     {418, "259200", 72 * time.Hour},
		"a longer one":            {418, "259201", 72 * time.Hour},
		"a date in a week":        {429, date(168 * time.Hour), 72 * time.Hour},
		"more than a number":      {429, "99999999999999999999999", 72 * time.Hour},
		"an outage for a day":     {500, "86400", 5 * time.Minute},
		"an outage until then":    {500, date(time.Hour), 5 * time.Minute},
		"an outage for a minute":  {500, "60", time.Minute},
		"a negative number":       {429, "-1", 0},
		"a word":                  {429, "soon", 0},
		"nothing":                 {429, "", 0},
		"a fraction of a second":  {429, "0.5", 0},
		"a refusal that tells it": {403, "60", time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t)
			w.says(c.status, "slow down", "Retry-After", c.header)
			got := unavailable(t, w.client(t, false).GetJSON(t.Context(), "op", "/thing", nil, &struct{}{}))
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestPatience(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, c *upstream.Client) error {
		t.Helper()
		return c.GetJSON(t.Context(), "op", "/thing", nil, &struct{}{})
	}
	t.Run("a patient provider is not asked before its Retry-After", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.follows(httpmock.NewStringResponder(http.StatusTeapot, "banned").HeaderSet(http.Header{"Retry-After": {"120"}}),
			httpmock.NewStringResponder(http.StatusOK, "{}"))
		c := w.client(t, true)
		unavailable(t, ask(t, c))
		w.advance(119 * time.Second)
		if wait := unavailable(t, ask(t, c)); wait != time.Second {
			t.Errorf("got %s, want 1s", wait)
		}
		w.asked(t, 1)
		w.outcome(t, upstream.Held)
		w.advance(time.Second)
		if err := ask(t, c); err != nil {
			t.Error(err)
		}
	})
	t.Run("a clock that is set back does not hold it for ever", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.follows(httpmock.NewStringResponder(http.StatusTooManyRequests, "").HeaderSet(http.Header{"Retry-After": {"60"}}),
			httpmock.NewStringResponder(http.StatusOK, "{}"))
		c := w.client(t, true)
		unavailable(t, ask(t, c))
		w.advance(-1000 * time.Hour)
		unavailable(t, ask(t, c))
		w.advance(72 * time.Hour)
		if err := ask(t, c); err != nil {
			t.Error(err)
		}
	})
	t.Run("others are asked: one throttled question must not cost the next", func(t *testing.T) {
		t.Parallel()
		w := open(t)
		w.follows(httpmock.NewStringResponder(http.StatusTooManyRequests, "").HeaderSet(http.Header{"Retry-After": {"60"}}),
			httpmock.NewStringResponder(http.StatusOK, "{}"))
		c := w.client(t, false)
		unavailable(t, ask(t, c))
		if err := ask(t, c); err != nil {
			t.Error(err)
		}
	})
}

func TestTime(t *testing.T) {
	t.Parallel()
	hang := httpmock.NewStringResponder(http.StatusOK, "{}").Delay(time.Hour)
	t.Run("an attempt ends after the timeout and is not asked again", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.follows(hang)
			start := time.Now()
			err := w.client(t, false).GetJSON(t.Context(), "op", "/thing", nil, &struct{}{})
			unavailable(t, err)
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no response within 4s") {
				t.Errorf("got %v", err)
			}
			if took := time.Since(start); took != 4*time.Second || w.calls() != 1 {
				t.Errorf("took %s and %d calls, want 4s and 1", took, w.calls())
			}
			w.outcome(t, upstream.TimedOut)
		})
	})
	t.Run("a body that dribbles ends after the timeout", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.follows(func(r *http.Request) (*http.Response, error) {
				response := httpmock.NewStringResponse(http.StatusOK, "")
				response.Body = io.NopCloser(dribble{r.Context().Done()})
				return response, nil
			})
			start := time.Now()
			unavailable(t, w.client(t, false).GetJSON(t.Context(), "op", "/thing", nil, &struct{}{}))
			if took := time.Since(start); took != 4*time.Second {
				t.Errorf("took %s, want 4s", took)
			}
			w.outcome(t, upstream.TimedOut)
		})
	})
	t.Run("the caller's deadline counts where it is earlier", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.follows(hang)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			unavailable(t, w.client(t, false).GetJSON(ctx, "op", "/thing", nil, &struct{}{}))
			if took := time.Since(start); took != 300*time.Millisecond {
				t.Errorf("took %s, want 300ms", took)
			}
			w.outcome(t, upstream.TimedOut)
		})
	})
	t.Run("a caller who goes away is let go at once", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			w.follows(hang)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			err := w.client(t, false).GetJSON(ctx, "op", "/thing", nil, &struct{}{})
			if !errors.Is(err, context.Canceled) || time.Since(start) != time.Second {
				t.Errorf("got %v after %s", err, time.Since(start))
			}
			w.outcome(t, upstream.Canceled)
		})
	})
	t.Run("an answer that comes as the caller's time ends is not one", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			w.follows(func(*http.Request) (*http.Response, error) {
				cancel()
				return httpmock.NewStringResponse(http.StatusOK, "{}"), nil
			})
			err := w.client(t, false).GetJSON(ctx, "op", "/thing", nil, &struct{}{})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want context.Canceled", err)
			}
		})
	})
}

// dribble is a body that gives a byte every second.
type dribble struct{ done <-chan struct{} }

func (d dribble) Read(p []byte) (int, error) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-timer.C:
		p[0] = ' '
		return 1, nil
	case <-d.done:
		return 0, io.ErrUnexpectedEOF
	}
}
