package causeway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	minWait = 250 * time.Millisecond // at most, before the first retry; each one doubles it
	maxWait = 10 * time.Second
	maxBody = 64 << 20 // bytes of a response
)

// retried are the statuses of requests that may succeed later. A proxy sends 502 and 504.
var retried = []int{
	http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// transport sends requests with the headers of a client, and repeats calls that may succeed later.
type transport struct {
	client        *http.Client
	header        http.Header
	retries       int
	maxRetryAfter time.Duration
}

// Do implements api.HttpRequestDoer.
func (t *transport) Do(req *http.Request) (*http.Response, error) {
	query := req.URL.Query()
	empty := func(_ string, values []string) bool { return len(values) == 1 && values[0] == "" } // counts as absent
	maps.DeleteFunc(req.Header, empty)
	maps.DeleteFunc(query, empty)
	if query.Get("limit") == "0" { // a number without a value
		query.Del("limit")
	}
	for name, values := range t.header {
		if len(req.Header[name]) == 0 { // a parameter of the call comes first
			req.Header[name] = values
		}
	}
	req.URL.RawQuery = query.Encode()
	again, err := retryablehttp.FromRequest(req)
	if err != nil {
		return nil, err
	}
	client := retryablehttp.Client{
		HTTPClient: t.client, RetryMax: t.retries, CheckRetry: t.retry,
		Backoff: func(_, _ time.Duration, attempt int, resp *http.Response) time.Duration {
			if resp == nil {
				return t.wait(attempt, 0)
			}
			return t.wait(attempt, retryAfter(resp.Header))
		},
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	resp, err := client.Do(again)
	return resp, withoutQuery(req, err)
}

// retry reports whether a request is repeated, which must not take longer than its context allows.
func (t *transport) retry(ctx context.Context, resp *http.Response, err error) (bool, error) {
	if err != nil {
		return retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	}
	wait := retryAfter(resp.Header)
	deadline, limited := ctx.Deadline()
	return slices.Contains(retried, resp.StatusCode) && wait <= t.maxRetryAfter &&
		(!limited || time.Until(deadline) > wait), nil
}

// wait returns the time before a retry: a random one that grows with each attempt, or what the server asks for.
func (t *transport) wait(attempt int, retryAfter time.Duration) time.Duration {
	longest := min(minWait<<min(attempt, 10), maxWait)
	return max(longest/2+rand.N(longest/2), min(retryAfter, t.maxRetryAfter))
}

// retryAfter returns the wait that a response asks for, in seconds or as a date; 0 if there is none.
func retryAfter(header http.Header) time.Duration {
	text := header.Get("Retry-After")
	if at, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(at))
	}
	seconds, _ := strconv.ParseUint(text, 10, 31)
	return time.Duration(seconds) * time.Second
}

// withoutQuery returns an error of the connection without the query, which may contain an account number.
func withoutQuery(req *http.Request, err error) error {
	if err == nil {
		return nil
	}
	var failure *url.Error
	if errors.As(err, &failure) {
		err = failure.Err
	}
	return fmt.Errorf("causeway: %s %s%s: %w", req.Method, req.URL.Host, req.URL.Path, err)
}
