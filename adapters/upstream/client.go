package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/trace"

	"causeway/core"
)

const (
	maxFaultBody = 64 << 10         // bytes of a response that is not 2xx; enough to recognise an error text
	maxOutage    = 5 * time.Minute  // longest Retry-After accepted, except from a response that throttles
	fairTime     = time.Second      // a timeout after less than this does not count against the provider
	reserveShare = time.Duration(4) // a retry needs at least a quarter of the attempt timeout
)

// Client calls one provider. It is safe for concurrent use.
type Client struct {
	name    string
	base    url.URL
	header  http.Header
	patient bool

	cfg     Config
	outside Outside
	tracer  trace.Tracer
	http    *http.Client
	metrics *Metrics
	gate    *gate
	kept    keeper
}

// Get calls Do with a GET request.
func (c *Client) Get(ctx context.Context, op, path string, query url.Values, read func(Answer) error) error {
	return c.Do(ctx, Question{Op: op, Path: path, Query: query}, read)
}

// Do sends a request and lets read judge the response. read runs once per attempt. It returns nil
// for a usable response, a *Failure (Answer.Fault, Answer.JSON, Fail) if the response decides
// nothing, or a core.Error such as NotFound.
//
// Do returns a *Failure as core.Unavailable with the Retry-After of the provider or the time until
// the breaker or the limits allow calls. Other errors of read are returned as they are. If the
// caller cancels, Do returns context.Canceled.
func (c *Client) Do(ctx context.Context, q Question, read func(Answer) error) error {
	ctx, span := c.tracer.Start(ctx, c.name+" "+q.Op, c.callAttributes(q.Op))
	defer span.End()
	told, err := c.settle(ctx, q, read)
	setOutcome(span, err)
	return coreError(c.name, q.Op, err, told)
}

// settle runs a call, or rejects it before it is sent. It returns when to retry and the error that
// outcomeOf classifies.
func (c *Client) settle(ctx context.Context, q Question, read func(Answer) error) (time.Duration, error) {
	if ctx.Err() != nil {
		err := endedFailure(ctx, true)
		c.metrics.asked(c.name, q.Op, outcomeOf(err))
		return 0, err
	}
	before := c.gate.breaker.now()
	granted, wait, err := c.admit(ctx, q)
	if err != nil {
		c.tried(ctx, q, 0, 0, before, err)
		c.metrics.asked(c.name, q.Op, outcomeOf(err))
		return wait, err
	}
	judged := silent // if read panics
	defer func() { c.gate.leave(granted, judged) }()

	start := c.outside.Clock()
	told, err := c.ask(ctx, q, before, read)
	c.metrics.answered(c.name, q.Op, outcomeOf(err), c.outside.Clock().Sub(start))
	judged = c.judge(q.Op, err, told)
	return told, err
}

// Fits checks that polling keeps within the limits of the provider: a number of calls per interval,
// each of a cost (0: 1).
func (c *Client) Fits(interval time.Duration, calls, cost int) error {
	return Fits(c.name, c.gate.limited(), interval, calls, cost)
}

// GetJSON decodes a JSON document into out. A response that is not 2xx or does not have the shape
// of out is core.Unavailable.
func (c *Client) GetJSON(ctx context.Context, op, path string, query url.Values, out any) error {
	return c.Get(ctx, op, path, query, func(a Answer) error {
		if err := a.Fault(); err != nil {
			return err
		}
		return a.JSON(out)
	})
}

// judge returns what the result of a call says about the health of the provider. It delays further
// calls if the provider asked for that and logs rejected credentials.
func (c *Client) judge(op string, err error, told time.Duration) verdict {
	failure, failed := errors.AsType[*Failure](err)
	if failed && failure.Outcome == Refused {
		c.gate.refused(op, failure.Status)
	}
	c.obey(failure, told)
	if failed && failure.unfair {
		return silent
	}
	return outcomeOf(err).verdict()
}

// ask runs attempts until there is a response or a retry makes no sense. It also returns the last
// Retry-After.
func (c *Client) ask(ctx context.Context, q Question, before state, read func(Answer) error) (time.Duration, error) {
	policy := retry{
		most: c.cfg.Retries, delay: c.cfg.RetryDelay, longest: c.cfg.Timeout, reserve: c.cfg.Timeout / reserveShare,
		entropy: c.outside.Entropy,
	}
	for done := 1; ; done++ {
		answer, err := c.attempt(ctx, q, c.kept.recall(q))
		if err == nil {
			err = withStatus(read(answer), answer.Status)
			c.kept.learn(q, answer, err)
		}
		c.tried(ctx, q, done, answer.Status, before, err)
		wait, again := policy.next(ctx, done, err, answer.RetryAfter)
		if !again {
			return answer.RetryAfter, err
		}
		pause(ctx, wait)
		if ctx.Err() != nil {
			return answer.RetryAfter, endedFailure(ctx, true)
		}
		if c.gate.ledger.Load().take(q.Cost, q.Urgent) > 0 {
			return answer.RetryAfter, err
		}
		c.metrics.retried(c.name, q.Op)
	}
}

// tried reports an attempt, with the status of its response if there was one.
func (c *Client) tried(ctx context.Context, q Question, number, status int, before state, err error) {
	if c.outside.Tried == nil {
		return
	}
	t := Try{
		Provider: c.name, Op: q.Op, Number: number, Status: status, Outcome: outcomeOf(err),
		Breaker: before.String(), Urgent: q.Urgent,
	}
	if failure, failed := errors.AsType[*Failure](err); failed && failure.Status != 0 {
		t.Status = failure.Status
	}
	if t.Outcome == Open { // of the scope, if that of the provider is closed
		t.Breaker = open.String()
	}
	c.outside.Tried(ctx, t)
}

// withStatus adds the status to a failure of an adapter.
func withStatus(err error, status int) error {
	if failure, ok := errors.AsType[*Failure](err); ok && failure.Status == 0 {
		failure.Status = status
	}
	return err
}

// attempt sends the request once. before is a stored response that the provider may confirm as
// unchanged, or nil.
func (c *Client) attempt(ctx context.Context, q Question, before *kept) (Answer, error) {
	fair := leaves(ctx, fairTime)
	inTime, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	request, err := c.request(inTime, q)
	if err != nil {
		return Answer{}, core.Errorf(core.Internal, "Internal error").With(errors.New(c.name + ": invalid HTTP request"))
	}
	before.ask(request.Header)
	answer, err := c.exchange(request, before)
	// A timeout takes precedence over a response that arrives in the same instant.
	if ctx.Err() != nil {
		return Answer{}, endedFailure(ctx, !fair)
	}
	if inTime.Err() != nil {
		return Answer{}, timeoutFailure(c.cfg.Timeout)
	}
	return answer, err
}

// believed returns the longest Retry-After that is accepted with a status. A ban may last for days,
// and calls during a ban extend it. An outage may end before the time that an error page states.
func (c *Client) believed(status int) time.Duration {
	if status == http.StatusTooManyRequests || status == http.StatusTeapot {
		return c.cfg.MaxRetryAfter
	}
	return min(c.cfg.MaxRetryAfter, maxOutage)
}

// exchange sends a request and reads the response up to a limit.
func (c *Client) exchange(request *http.Request, before *kept) (Answer, error) {
	response, err := c.http.Do(request)
	if err != nil {
		return Answer{}, connectionFailure(err)
	}
	defer func() { _ = response.Body.Close() }()
	if before != nil && response.StatusCode == http.StatusNotModified {
		return Answer{Status: before.status, Body: before.body, At: c.outside.Clock(), unchanged: true}, nil
	}
	answer := Answer{
		Status: response.StatusCode, etag: response.Header.Get("ETag"), modified: response.Header.Get("Last-Modified"),
	}
	fault := answer.Fault() != nil
	limit := c.cfg.MaxBody
	if fault {
		limit = min(limit, maxFaultBody)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	answer.At = c.outside.Clock()
	answer.RetryAfter = retryAfter(response.Header, answer.At, c.believed(answer.Status))
	answer.Body = body[:min(int64(len(body)), limit)]
	switch {
	case fault: // the status decides; the text may be incomplete
		return answer, nil
	case err != nil:
		return answer, connectionFailure(err)
	case int64(len(body)) > limit:
		return answer, &Failure{Outcome: Malformed, Status: answer.Status, Reason: "the body is too large"}
	}
	return answer, nil
}
