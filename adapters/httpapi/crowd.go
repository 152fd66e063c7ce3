package httpapi

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Crowd bounds how many may be inside at once. Zero: any number.
type Crowd struct {
	Requests         int // that are answered, streams aside
	Streams          int
	StreamsPerCaller int
}

const (
	crowdedRetry  = time.Second     // answers take milliseconds: a place is free soon
	streamedRetry = 5 * time.Second // streams last
)

// Why somebody was not let in.
const (
	fullRequests = "requests"
	fullStreams  = "streams"
	fullCaller   = "caller_streams"
)

// crowd counts who is inside. Requests pass it with one atomic addition each; only streams take its lock.
type crowd struct {
	most     Crowd
	requests atomic.Int64
	refused  *prometheus.CounterVec

	mu      sync.Mutex
	streams int
	of      map[string]int // streams, by caller
}

// newCrowd makes the count of a listener, which is empty.
func newCrowd(most Crowd, reg prometheus.Registerer) *crowd {
	factory := promauto.With(reg)
	c := &crowd{most: most, of: map[string]int{}, refused: factory.NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_http_crowded_total",
		Help: "Requests that were refused because too many were being answered, and streams because there were too many in all or of their caller.",
	}, []string{"reason"})}
	for _, reason := range []string{fullRequests, fullStreams, fullCaller} {
		c.refused.WithLabelValues(reason)
	}
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_http_requests_in_flight", Help: "Requests that are being answered, streams aside.",
	}, func() float64 { return float64(c.requests.Load()) })
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_http_streams", Help: "Clients that follow prices.",
	}, func() float64 {
		c.mu.Lock()
		defer c.mu.Unlock()
		return float64(c.streams)
	})
	return c
}

// enter counts a request, which leaves in the end, and reports whether there is room for it.
func (c *crowd) enter() (room bool) {
	n := c.requests.Add(1)
	return c.most.Requests <= 0 || n <= int64(c.most.Requests)
}

func (c *crowd) leave() { c.requests.Add(-1) }

// refuse is the answer to a request that is too many.
func (c *crowd) refuse() error {
	c.refused.WithLabelValues(fullRequests).Inc()
	f := fail(serviceUnavailable, "The service is answering as many requests as it can; please ask again in a moment")
	f.retryAfter = crowdedRetry
	return f
}

// follow turns a request into a stream of its caller, until it is ended.
func (c *crowd) follow(caller string) (end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.most.Streams > 0 && c.streams >= c.most.Streams:
		c.refused.WithLabelValues(fullStreams).Inc()
		f := fail(serviceUnavailable, "As many clients follow the prices as there is room for; please come back in a moment, or ask for the list")
		f.retryAfter = streamedRetry
		return nil, f
	case c.most.StreamsPerCaller > 0 && c.of[caller] >= c.most.StreamsPerCaller:
		c.refused.WithLabelValues(fullCaller).Inc()
		f := fail(tooManyRequests, "At most %d streams of one caller at once; close one of them first", c.most.StreamsPerCaller)
		f.retryAfter = streamedRetry
		return nil, f
	}
	c.streams++
	c.of[caller]++
	c.requests.Add(-1)
	return func() { c.unfollow(caller) }, nil
}

// unfollow turns the stream into a request again, which is about to leave.
func (c *crowd) unfollow(caller string) {
	c.requests.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams--
	if c.of[caller]--; c.of[caller] == 0 {
		delete(c.of, caller)
	}
}
