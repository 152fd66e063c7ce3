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
	maxFaultBody = 64 << 10         // of an answer that is not 2xx, in bytes: a text to recognise
	maxOutage    = 5 * time.Minute  // the longest Retry-After that is believed of anything but a throttled answer
	fairTime     = time.Second      // a caller who leaves less proves nothing against a provider
	reserveShare = time.Duration(4) // a retry needs a quarter of an attempt's time
)

// Client asks one provider. It is safe for concurrent use.
type Client struct {
	name    string
	base    url.URL
	header  http.Header
	patient bool

	cfg     Config
	outside Outside
	tracer  trace.Tracer
	http    *http.Client
	metrics *metrics
	gate    *gate
	kept    keeper
}

// Get asks a GET: see Do.
func (c *Client) Get(ctx context.Context, op, path string, query url.Values, read func(Answer) error) error {
	return c.Do(ctx, Question{Op: op, Path: path, Query: query}, read)
}

// Do asks the provider and lets read judge the answer. read may be called once per attempt; it returns nil for an answer, a *Failure (Answer.Fault, Answer.JSON, Fail) where
// the question stays open, or a core.Error of its own, such as NotFound.
//
// A *Failure comes back as core.Unavailable, with the provider's Retry-After or the time until the breaker or the limits let
// questions through; other errors of read come back as they are. A caller's cancelled context comes back as context.Canceled.
func (c *Client) Do(ctx context.Context, q Question, read func(Answer) error) error {
	ctx, span := c.tracer.Start(ctx, c.name+" "+q.Op, c.callAttributes(q.Op))
	defer span.End()
	told, err := c.settle(ctx, q, read)
	setOutcome(span, err)
	return coreError(c.name, q.Op, err, told)
}

// settle settles a question, by asking or without. It returns when asking again makes sense, and what came of it as outcomeOf reads it.
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
	judged := silent // of a panic in read
	defer func() { c.gate.leave(granted, judged) }()

	start := c.outside.Clock()
	told, err := c.ask(ctx, q, before, read)
	c.metrics.answered(c.name, q.Op, outcomeOf(err), c.outside.Clock().Sub(start))
	judged = c.judge(q.Op, err, told)
	return told, err
}

// Fits checks that a schedule keeps within the provider's limits: so many calls at every interval, of such a cost (0: 1).
func (c *Client) Fits(interval time.Duration, calls, cost int) error {
	return Fits(c.name, c.gate.limited(), interval, calls, cost)
}

// GetJSON asks the provider for a JSON document. Whatever is not a 2xx answer of out's shape is core.Unavailable.
func (c *Client) GetJSON(ctx context.Context, op, path string, query url.Values, out any) error {
	return c.Get(ctx, op, path, query, func(a Answer) error {
		if err := a.Fault(); err != nil {
			return err
		}
		return a.JSON(out)
	})
}

// judge says what a question's end proves about the provider, holds further ones back where it asked for
// that, and tells the operator where it refuses us.
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

// ask asks until there is an answer, or no point in asking again. It returns the last Retry-After too.
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
		if c.outside.Still == nil || !c.outside.Still() {
			pause(ctx, wait)
		}
		if ctx.Err() != nil {
			return answer.RetryAfter, endedFailure(ctx, true)
		}
		if c.gate.ledger.Load().take(q.Cost, q.Urgent) > 0 {
			return answer.RetryAfter, err
		}
		c.metrics.retried(c.name, q.Op)
	}
}

// tried tells what came of a try, with the status of the answer, if there was one.
func (c *Client) tried(ctx context.Context, q Question, number, status int, before state, err error) {
	if c.outside.Tried == nil {
		return
	}
	t := Try{Provider: c.name, Op: q.Op, Number: number, Status: status, Outcome: outcomeOf(err), Breaker: before.String(), Urgent: q.Urgent}
	if failure, failed := errors.AsType[*Failure](err); failed && failure.Status != 0 {
		t.Status = failure.Status
	}
	if t.Outcome == Open { // that of the scope may be, where the provider's own is not
		t.Breaker = open.String()
	}
	c.outside.Tried(ctx, t)
}

// withStatus adds the status to a failure that an adapter made.
func withStatus(err error, status int) error {
	if failure, ok := errors.AsType[*Failure](err); ok && failure.Status == 0 {
		failure.Status = status
	}
	return err
}

// attempt asks once. before is what the provider may call unchanged, or nil.
func (c *Client) attempt(ctx context.Context, q Question, before *kept) (Answer, error) {
	fair := leaves(ctx, fairTime)
	inTime, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	request, err := c.request(inTime, q)
	if err != nil {
		return Answer{}, core.Errorf(core.Internal, "Internal error").With(errors.New(c.name + ": the question is no HTTP request"))
	}
	before.ask(request.Header)
	answer, err := c.exchange(request, before)
	// Whoever is out of time is told so, even if an answer came in the same instant.
	if ctx.Err() != nil {
		return Answer{}, endedFailure(ctx, !fair)
	}
	if inTime.Err() != nil {
		return Answer{}, timeoutFailure(c.cfg.Timeout)
	}
	return answer, err
}

// believed is the longest Retry-After that is believed of a status. A ban may last for days, and asking meanwhile makes it longer; an
// outage whose page says so is over when it is over.
func (c *Client) believed(status int) time.Duration {
	if status == http.StatusTooManyRequests || status == http.StatusTeapot {
		return c.cfg.MaxRetryAfter
	}
	return min(c.cfg.MaxRetryAfter, maxOutage)
}

// exchange sends a request and reads its bounded answer.
func (c *Client) exchange(request *http.Request, before *kept) (Answer, error) {
	response, err := c.http.Do(request)
	if err != nil {
		return Answer{}, connectionFailure(err)
	}
	defer func() { _ = response.Body.Close() }()
	if before != nil && response.StatusCode == http.StatusNotModified {
		return Answer{Status: before.status, Body: before.body, At: c.outside.Clock(), unchanged: true}, nil
	}
	answer := Answer{Status: response.StatusCode, etag: response.Header.Get("ETag"), modified: response.Header.Get("Last-Modified")}
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
	case fault: // the status is what counts; whatever text came may help
		return answer, nil
	case err != nil:
		return answer, connectionFailure(err)
	case int64(len(body)) > limit:
		return answer, &Failure{Outcome: Malformed, Status: answer.Status, Reason: "the body is too large"}
	}
	return answer, nil
}
