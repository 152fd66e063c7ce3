package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"go.uber.org/zap"
)

const (
	batchMost = 512         // spans of one request
	batchWait = time.Second // how long the first one of them waits for others
	backOff   = time.Second // after a failure; doubled by each further one
	backMost  = 30 * time.Second
	lastWords = 2 * time.Second // for what is left in the end
	maxAnswer = 64 << 10
)

// Run sends spans until ctx ends, and then what is left.
func (t *Tracer) Run(ctx context.Context) {
	var batch []*span
	for ctx.Err() == nil {
		if t.failures == 0 {
			batch = t.gather(ctx, batch)
		} else {
			pause(ctx, t.patience())
		}
		if ctx.Err() == nil && t.send(ctx, batch) {
			batch = batch[:0]
		}
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer done()
	for {
		if batch = t.fill(batch); len(batch) == 0 {
			return
		}
		if !t.send(last, batch) {
			t.spans.WithLabelValues(lost).Add(float64(len(batch) + len(t.queue)))
			return
		}
		batch = batch[:0]
	}
}

// gather waits for a span, and a moment for others.
func (t *Tracer) gather(ctx context.Context, batch []*span) []*span {
	select {
	case s := <-t.queue:
		batch = append(batch, s)
	case <-ctx.Done():
		return batch
	}
	enough := time.NewTimer(batchWait)
	defer enough.Stop()
	for len(batch) < batchMost {
		select {
		case s := <-t.queue:
			batch = append(batch, s)
		case <-enough.C:
			return batch
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// fill adds what waits to a batch, as far as it has room.
func (t *Tracer) fill(batch []*span) []*span {
	for len(batch) < batchMost {
		select {
		case s := <-t.queue:
			batch = append(batch, s)
		default:
			return batch
		}
	}
	return batch
}

// patience is how long to wait after a failure.
func (t *Tracer) patience() time.Duration {
	wait := backMost
	if t.failures < 6 {
		wait = min(backMost, backOff<<(t.failures-1))
	}
	return max(wait, t.told)
}

// send sends a batch, and says whether it is done with: taken, or refused for good.
func (t *Tracer) send(ctx context.Context, batch []*span) bool {
	rejections, err := t.post(ctx, encode(t.resource, batch))
	final, ok := errors.AsType[*refusal](err)
	switch {
	case err == nil:
		rejections = min(max(0, rejections), int64(len(batch)))
		t.spans.WithLabelValues(sent).Add(float64(int64(len(batch)) - rejections))
		t.spans.WithLabelValues(refused).Add(float64(rejections))
		if t.lamented {
			t.log.Info("the collector takes traces again")
		}
		t.failures, t.lamented = 0, false
		return true
	case ok && !final.again:
		t.spans.WithLabelValues(refused).Add(float64(len(batch)))
		t.failures = 0
		t.lament(err)
		return true
	default:
		t.failures++
		if !errors.Is(ctx.Err(), context.Canceled) { // else it was we who ended it, and what is left is sent once more
			t.lament(err)
		}
		return false
	}
}

// lament tells the log that the collector fails, once until it does not any more.
func (t *Tracer) lament(err error) {
	if !t.lamented {
		t.lamented = true
		t.log.Warn("the collector does not take traces; those that do not fit into the queue are lost", zap.Error(err))
	}
}

// refusal is an answer of the collector that is no good one.
type refusal struct {
	status int
	again  bool // the same may be taken later
}

func (r *refusal) Error() string { return "it answered " + strconv.Itoa(r.status) }

// post posts a request, and returns how many spans of it the collector did not take. Its errors show neither headers nor the answer.
func (t *Tracer) post(ctx context.Context, body []byte) (int64, error) {
	ctx, done := context.WithTimeout(ctx, t.cfg.Timeout)
	defer done()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("tracing.url is no URL")
	}
	request.Header = t.header.Clone()
	response, err := t.client.Do(request)
	if failure, ok := errors.AsType[*url.Error](err); ok {
		return 0, fmt.Errorf("it cannot be reached: %w", failure.Err)
	}
	if err != nil {
		return 0, errors.New("it cannot be reached")
	}
	defer func() { _ = response.Body.Close() }()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer)) // of a good one, all that counts is said
	switch status := response.StatusCode; status {
	case http.StatusOK:
		t.told = 0
		return rejected(answer), nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		t.told = retryAfter(response.Header.Get("Retry-After"))
		return 0, &refusal{status: status, again: true}
	default:
		return 0, &refusal{status: status}
	}
}

// retryAfter reads seconds, as collectors write them.
func retryAfter(value string) time.Duration {
	seconds, err := strconv.ParseUint(value, 10, 16)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, time.Minute)
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
