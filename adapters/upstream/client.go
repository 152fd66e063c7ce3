package upstream

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"

	"causeway/core"
)

const (
	maxBody      = 4 << 20     // unless the provider has a limit of its own
	maxErrorBody = 64 << 10    // of a response that is not 2xx; enough to recognise an error text
	fairTime     = time.Second // a provider is not blamed for a caller that leaves it less time
)

// Request is a request to a provider. It must be safe to repeat, whatever its method.
type Request struct {
	Op     string // name in metrics and logs: a constant of the adapter
	Method string // empty: GET
	Path   string
	Query  url.Values
	Header http.Header // in addition to the headers of the client, which it overrides
	Body   []byte      // JSON; nil: none

	// Scope is the part of the provider that the call depends on and that may be down alone, such
	// as a bank, identified by a code. It has a breaker of its own. It appears in no log or metric.
	// Empty: the provider as a whole.
	Scope string

	Cost   int  // in the unit of the limits of the provider, such as the weight of Binance; 0: 1
	Urgent bool // a client waits: rate limits do not apply, because they leave a reserve for such calls
}

// Client calls one provider. It is safe for concurrent use.
type Client struct {
	*shared

	name    string
	base    url.URL
	header  http.Header
	query   url.Values
	timeout time.Duration
	maxBody int
	gate    *gate
}

// Name returns the name of the provider.
func (c *Client) Name() string { return c.name }

// Now returns the time of the injected clock.
func (c *Client) Now() time.Time { return c.options.Clock() }

// Get calls Do with a GET request.
func (c *Client) Get(ctx context.Context, op, path string, query url.Values, read func(Response) error) error {
	return c.Do(ctx, Request{Op: op, Path: path, Query: query}, read)
}

// Do sends a request and lets read judge the response. read runs once per attempt. It returns nil
// for a usable response, a *Failure (Response.Err, Response.JSON, Fail) if the response decides
// nothing, or a core.Error such as NotFound.
//
// Do returns a *Failure as core.Unavailable with the Retry-After of the provider or the time until
// the breaker or the limits allow calls. Other errors of read are returned as they are. If the
// caller cancels, Do returns context.Canceled.
func (c *Client) Do(ctx context.Context, q Request, read func(Response) error) error {
	ctx, span := c.tracer.Start(ctx, c.name+" "+q.Op)
	defer span.End()
	start := c.options.Clock()
	breaker, retryAfter, err := c.admit(ctx, q)
	sent := err == nil
	if sent {
		retryAfter, err = c.send(ctx, q, breaker, read)
		c.gate.report(q, err)
	} else {
		c.report(ctx, q, 0, 0, breaker, err)
	}
	outcome := outcomeOf(err)
	c.metrics.requests.WithLabelValues(c.name, q.Op, string(outcome)).Inc()
	if sent {
		c.metrics.durations.WithLabelValues(c.name, q.Op).Observe(c.options.Clock().Sub(start).Seconds())
	}
	span.SetAttributes(
		attribute.String("causeway.provider", c.name), attribute.String("causeway.op", q.Op),
		attribute.String("causeway.breaker", breaker), attribute.String("causeway.outcome", string(outcome)),
	)
	if outcome != OK && outcome != NotFound && outcome != Canceled {
		span.SetStatus(codes.Error, "")
	}
	return coreError(c.name, q.Op, err, retryAfter)
}

// admit waits for the rate limits and returns the state of the breaker. If the call must not be
// sent, it returns why, and after which time a retry makes sense.
func (c *Client) admit(ctx context.Context, q Request) (breaker string, retryAfter time.Duration, err error) {
	if ctx.Err() != nil {
		return closed, 0, interruption(ctx, true)
	}
	if !q.Urgent {
		if retryAfter, err = c.gate.takeTurn(ctx, q.Cost); err != nil {
			return closed, retryAfter, err
		}
	}
	return c.gate.enter(q.Scope)
}

// send makes up to two attempts. It also returns the last Retry-After.
func (c *Client) send(
	ctx context.Context, q Request, breaker string, read func(Response) error,
) (retryAfter time.Duration, err error) {
	for number := 1; ; number++ {
		response, err := c.attempt(ctx, q)
		if err == nil {
			err = read(response)
			if failure, ok := errors.AsType[*Failure](err); ok {
				failure.Status = cmp.Or(failure.Status, response.Status)
			}
		}
		c.report(ctx, q, number, response.Status, breaker, err)
		if number > 1 || !outOfReach(err) {
			return response.RetryAfter, err
		}
		delay := max(response.RetryAfter, c.options.Entropy.Below(max(1, c.cfg.RetryDelay)))
		if response.RetryAfter > c.timeout || !lasts(ctx, delay+c.timeout/4) {
			return response.RetryAfter, err
		}
		pause(ctx, delay)
		if ctx.Err() != nil {
			return response.RetryAfter, interruption(ctx, true)
		}
		c.metrics.retries.WithLabelValues(c.name, q.Op).Inc()
	}
}

// outOfReach reports whether the request got no response, and may get one soon. A timeout does not
// count: it has used up the time that the client waits.
func outOfReach(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		return false
	}
	switch f.Status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return f.Outcome == Unavailable
	default:
		return f.lost
	}
}

// report passes on the result of an attempt.
func (c *Client) report(ctx context.Context, q Request, number, status int, breaker string, err error) {
	if c.options.OnAttempt == nil {
		return
	}
	c.options.OnAttempt(ctx, Attempt{
		Provider: c.name, Op: q.Op, Number: number, Status: status, Outcome: outcomeOf(err),
		Breaker: breaker, Urgent: q.Urgent,
	})
}

// attempt sends the request once.
func (c *Client) attempt(ctx context.Context, q Request) (Response, error) {
	hasty := !lasts(ctx, fairTime)
	inTime, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := c.request(inTime, q)
	if err != nil {
		return Response{}, core.Errorf(core.Internal, "Internal error").With(errors.New(c.name + ": invalid HTTP request"))
	}
	response, err := c.exchange(request)
	// A timeout takes precedence over a response that arrives in the same instant.
	if ctx.Err() != nil {
		return Response{}, interruption(ctx, hasty)
	}
	if inTime.Err() != nil {
		return Response{}, timeoutFailure("no response within " + c.timeout.String())
	}
	return response, err
}

// request builds the HTTP request.
func (c *Client) request(ctx context.Context, q Request) (*http.Request, error) {
	target := c.base
	target.Path += q.Path
	query := maps.Clone(c.query)
	if query == nil {
		query = url.Values{}
	}
	maps.Copy(query, q.Query)
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, q.Method, target.String(), bytes.NewReader(q.Body))
	if err != nil {
		return nil, err
	}
	request.Header = c.header.Clone()
	if q.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range q.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	return request, nil
}

// exchange sends a request and reads the response up to a limit.
func (c *Client) exchange(request *http.Request) (Response, error) {
	received, err := c.http.Do(request)
	if err != nil {
		return Response{}, connectionFailure(err)
	}
	defer func() { _ = received.Body.Close() }()
	r := Response{Status: received.StatusCode}
	failed := r.Err() != nil
	limit := c.maxBody
	if failed {
		limit = maxErrorBody
	}
	body, err := io.ReadAll(io.LimitReader(received.Body, int64(limit)+1))
	r.At = c.options.Clock()
	r.RetryAfter = retryAfter(received, r.At)
	r.Body = body[:min(len(body), limit)]
	switch {
	case failed: // the status decides; the text may be incomplete
		return r, nil
	case err != nil:
		return r, connectionFailure(err)
	case len(body) > limit:
		return r, &Failure{Outcome: Malformed, Status: r.Status, Reason: "the body is too large"}
	}
	return r, nil
}

// pause waits until the time is over or ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// lasts reports whether ctx has more than d left.
func lasts(ctx context.Context, d time.Duration) bool {
	deadline, limited := ctx.Deadline()
	return !limited || time.Until(deadline) > d //nolint:forbidigo // deadlines of contexts are real time
}
