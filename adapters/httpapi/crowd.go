package httpapi

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Crowd bounds how many may be inside at once. Zero: any number.
type Crowd struct {
	Requests           int // whose answers are being made: what waits for a client, for his body or for him to take his answer, is not
	RequestsPerAddress int // of those; of an IPv6 address, its network
	Streams            int
	StreamsPerCaller   int
}

const (
	crowdedRetry  = time.Second     // answers take milliseconds: a place is free soon
	streamedRetry = 5 * time.Second // streams last
)

// Why somebody was not let in.
const (
	fullRequests = "requests"
	fullAddress  = "address_requests"
	fullStreams  = "streams"
	fullCaller   = "caller_streams"
)

// crowd counts who is inside.
type crowd struct {
	most     Crowd
	requests atomic.Int64
	refused  *prometheus.CounterVec

	door sync.Mutex
	from map[netip.Addr]int // requests, by address

	mu      sync.Mutex
	streams int
	of      map[string]int // streams, by caller
}

// newCrowd makes the count of a listener, which is empty.
func newCrowd(most Crowd, reg prometheus.Registerer) *crowd {
	factory := promauto.With(reg)
	c := &crowd{most: most, from: map[netip.Addr]int{}, of: map[string]int{}, refused: factory.NewCounterVec(prometheus.CounterOpts{
		Name: "causeway_http_crowded_total",
		Help: "Requests that were refused because too many were being answered, in all or of their address, and streams because there were too many in all or of their caller.",
	}, []string{"reason"})}
	for _, reason := range []string{fullRequests, fullAddress, fullStreams, fullCaller} {
		c.refused.WithLabelValues(reason)
	}
	factory.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "causeway_http_requests_in_flight", Help: "Requests whose answers are being made; those that wait for their client, and streams, aside.",
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

// enter counts a request of an address, until it leaves, or says why there is no room for it.
func (c *crowd) enter(from netip.Addr) error {
	if n := c.requests.Add(1); c.most.Requests > 0 && n > int64(c.most.Requests) {
		c.requests.Add(-1)
		c.refused.WithLabelValues(fullRequests).Inc()
		f := fail(serviceUnavailable, "The service is answering as many requests as it can; please ask again in a moment")
		f.retryAfter = crowdedRetry
		return f
	}
	if c.most.RequestsPerAddress <= 0 {
		return nil
	}
	c.door.Lock()
	n := c.from[from]
	room := n < c.most.RequestsPerAddress
	if room {
		c.from[from] = n + 1
	}
	c.door.Unlock()
	if room {
		return nil
	}
	c.requests.Add(-1)
	c.refused.WithLabelValues(fullAddress).Inc()
	f := fail(tooManyRequests, "At most %d requests of one address at once; please ask again when others of yours are answered", c.most.RequestsPerAddress)
	f.retryAfter = crowdedRetry
	return f
}

func (c *crowd) leave(from netip.Addr) {
	c.requests.Add(-1)
	if c.most.RequestsPerAddress <= 0 {
		return
	}
	c.door.Lock()
	defer c.door.Unlock()
	if n := c.from[from]; n > 1 {
		c.from[from] = n - 1
	} else {
		delete(c.from, from)
	}
}

// enter takes a place among those whose answers are being made.
func (x *exchange) enter() error {
	err := x.api.crowd.enter(x.from)
	x.placed, x.crowded = err == nil, err != nil
	return err
}

// step gives the place back, where the request has one: from here on it waits for its client.
func (x *exchange) step() {
	if x.placed {
		x.placed = false
		x.api.crowd.leave(x.from)
	}
}

// follow counts a stream of its caller, until it is ended.
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
	return func() { c.unfollow(caller) }, nil
}

func (c *crowd) unfollow(caller string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams--
	if c.of[caller]--; c.of[caller] == 0 {
		delete(c.of, caller)
	}
}
