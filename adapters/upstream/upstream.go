// Package upstream is the HTTP client of all providers. It bounds each call in time and size,
// retries where that is safe, opens a circuit breaker for a provider that is down or for a part of
// it such as a bank (Question.Scope), keeps within published rate limits (Provider.Limits), holds
// the token of providers with a login (Session), counts outcomes, and converts errors to a
// core.Error that reveals nothing about the provider.
//
// The package knows no provider: an adapter builds the request and judges the response (Client.Do).
// It does not follow redirects, caches only what the provider confirms as unchanged
// (Question.Conditional), and sends only requests that are safe to repeat.
//
// Before a request is sent it passes four checks in this order: the Retry-After of an earlier
// response, the concurrency limit, the circuit breakers and the rate limits. The concurrency limit
// keeps one slow provider from occupying all requests. Calls that a client waits for
// (Question.Urgent) take precedence over polling: a fifth of each rate limit is reserved for them,
// and they never wait for a limit, because another provider may be called instead. Polling waits up
// to longestTurn. Breakers and rate limits run by the injected clock and live in memory: a restart
// resets them and replicas do not share them, so a limit per account must be divided among
// replicas.
//
// The URL, credentials, messages and body of a provider leave this package only through Answer,
// which only the adapter sees: a URL may contain an account number or a key, and a body may contain
// a name. Errors, logs and metrics consist of fixed texts, status codes and byte offsets.
//
// Retry, breaker and rate limits are implemented here, although failsafe-go offers them, because
// its breaker reads the system clock and its backoff draws from math/rand. The sandbox runs
// breakers by a simulated clock and replays jitter from a seed.
package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"

	"causeway/core"
)

// Name is the name of the package's logger and fx module.
const Name = "upstream"

// Config bounds the calls of every provider.
type Config struct {
	Timeout       time.Duration `json:"timeout" minimum:"0.001" maximum:"60" doc:"Time for one attempt at a provider, including the body of the response."`
	MaxBody       int64         `json:"-"`
	Retries       int           `json:"-"` // after a lost connection or a status 502 to 504
	RetryDelay    time.Duration `json:"-"`
	MaxRetryAfter time.Duration `json:"-"`
	MaxConcurrent int           `json:"max_concurrent" minimum:"1" maximum:"100000" doc:"Requests at once to one provider; the next provider gets more."`
	Breaker       BreakerConfig `json:"-"`
	NoSockets     bool          `json:"-"` // poll providers that could stream
	Serial        bool          `json:"-"` // requests of one poll follow each other, so that responses replay in order

	CircuitBreaker bool `json:"circuit_breaker" doc:"Whether to stop calling a provider that keeps failing, for ten seconds at a time."`
}

// BreakerConfig configures the circuit breakers. Durations are measured by the injected clock.
type BreakerConfig struct {
	Window         time.Duration `json:"-"`
	MinCalls       int           `json:"-"`
	FailurePercent int           `json:"-"`
	OpenFor        time.Duration `json:"-"`
	Probes         int           `json:"-"`
}

// Default returns bounds that suit all providers. Two attempts of 4 s fit into the 8 s that a
// client waits. 72 hours are the longest ban that a venue announces (Binance). Ten calls are more
// than one bad moment. At 200 ms per response, 128 concurrent calls are 640 calls per second, and a
// provider that hangs occupies an eighth of the default server.max_in_flight.
func Default() Config {
	return Config{
		Timeout:       4 * time.Second,
		MaxBody:       4 << 20,
		Retries:       1,
		RetryDelay:    400 * time.Millisecond,
		MaxRetryAfter: 72 * time.Hour,
		MaxConcurrent: 128, CircuitBreaker: true,
		Breaker: BreakerConfig{
			Window: time.Minute, MinCalls: 10, FailurePercent: 50,
			OpenFor: 10 * time.Second, Probes: 2,
		},
	}
}

// Check returns every invalid setting, with its key, its value and what is accepted.
func (c Config) Check() error {
	var faults []error
	need := func(ok bool, key string, value any, accepted string) {
		if !ok {
			faults = append(faults, fmt.Errorf("upstream.%s is %v; accepted: %s", key, value, accepted))
		}
	}
	need(c.Timeout > 0, "timeout", c.Timeout, "more than 0s")
	need(c.MaxBody >= 1<<10 && c.MaxBody <= 1<<30, "max_body", c.MaxBody, "1024 to 1073741824")
	need(c.Retries >= 0 && c.Retries <= 5, "retries", c.Retries, "0 to 5")
	need(c.RetryDelay > 0 && c.RetryDelay <= time.Minute, "retry_delay", c.RetryDelay, "more than 0s, at most 1m0s")
	need(c.MaxRetryAfter > 0, "max_retry_after", c.MaxRetryAfter, "more than 0s")
	need(c.MaxConcurrent >= 1 && c.MaxConcurrent <= 100_000, "max_concurrent", c.MaxConcurrent, "1 to 100000")
	b := c.Breaker
	need(b.Window >= time.Second, "breaker.window", b.Window, "1s or more")
	need(b.MinCalls >= 1, "breaker.min_calls", b.MinCalls, "1 or more")
	need(b.FailurePercent >= 1 && b.FailurePercent <= 100, "breaker.failure_percent", b.FailurePercent, "1 to 100")
	need(b.OpenFor > 0, "breaker.open_for", b.OpenFor, "more than 0s")
	need(b.Probes >= 1, "breaker.probes", b.Probes, "1 or more")
	return errors.Join(faults...)
}

// Outside is the environment of a Factory: the real one, or a simulated one.
type Outside struct {
	Transport http.RoundTripper // must return when the context of the request is done
	Clock     core.Clock
	Entropy   core.Entropy
	Tracing   trace.TracerProvider // nil: no traces

	// Unlimited disables rate limits. A simulated provider enforces none, and its clock may run
	// faster than real time.
	Unlimited bool

	// Tried is called with the result of each attempt, synchronously. May be nil.
	Tried func(ctx context.Context, t Try)
}

// Try is one attempt to call a provider, or a call that was rejected before it was sent.
type Try struct {
	Provider string
	Op       string
	Number   int // of the attempt, from 1; 0: not sent
	Outcome  Outcome
	Status   int    // of the response; 0: none
	Breaker  string // state before the call: closed, half_open or open; that of the scope if the scope rejected the call
	Urgent   bool   // a client waits for the response
}

// Factory creates the clients of one environment. All clients of a provider share a breaker and
// rate limits.
type Factory struct {
	cfg     Config
	outside Outside
	tracer  trace.Tracer
	http    *http.Client
	log     *zap.Logger
	metrics *Metrics

	mu    sync.Mutex
	gates map[string]*gate
}

// New creates a factory. With nil metrics it counts nothing.
func New(cfg Config, outside Outside, log *zap.Logger, metrics *Metrics) (*Factory, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if !cfg.CircuitBreaker {
		cfg.Breaker.MinCalls = math.MaxInt
	}
	if outside.Transport == nil || outside.Clock == nil || outside.Entropy == nil {
		return nil, errors.New("upstream: a world needs a transport, a clock and entropy")
	}
	if outside.Tracing == nil {
		outside.Tracing = noop.NewTracerProvider()
	}
	if metrics == nil {
		metrics = NewMetrics(nil)
	}
	f := &Factory{
		cfg:     cfg,
		outside: outside,
		tracer:  outside.Tracing.Tracer("causeway/adapters/upstream"),
		http: &http.Client{
			Transport:     outside.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		log:     log.Named(Name),
		metrics: metrics,
		gates:   map[string]*gate{},
	}
	metrics.newest.Store(f)
	return f, nil
}

// Serial reports whether the requests of one poll must follow each other.
func (f *Factory) Serial() bool { return f.cfg.Serial }

// Provider describes the provider that a client calls.
type Provider struct {
	Name    string      // stable, lower case; a metric label
	BaseURL string      // absolute, http or https; may have a path
	Header  http.Header // sent with every request, usually the key

	// Patient makes the client wait until the Retry-After of a response has passed. It suits
	// polling, because venues ban clients that continue. It is off where each call serves a
	// different client, so that one throttled call does not fail the others.
	Patient bool

	// Limits are published by the provider or chosen to be polite. A fifth of each is reserved for
	// urgent calls. All clients of a provider share them. When the provider throttles, they count
	// as used up for the time that it states, also for urgent calls.
	Limits []Limit

	// Timeout replaces Config.Timeout for a provider that is known to be slow. The deadline of the
	// caller still ends a call first. 0: Config.Timeout.
	Timeout time.Duration
}

// Client returns a client of a provider.
func (f *Factory) Client(p Provider) (*Client, error) {
	base, err := p.base()
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for name, values := range p.Header {
		for _, value := range values {
			if strings.ContainsFunc(value, unicode.IsControl) {
				return nil, fmt.Errorf("%s: the value of header %s has control characters; a key with a line break in it?",
					p.Name, name)
			}
			header.Add(name, value)
		}
	}
	header.Set("Accept", "application/json")
	header.Set("User-Agent", "causeway")
	g, err := f.gate(p)
	if err != nil {
		return nil, err
	}
	cfg := f.cfg
	cfg.Timeout = cmp.Or(p.Timeout, cfg.Timeout)
	return &Client{
		name: p.Name, base: *base, header: header, patient: p.Patient,
		cfg: cfg, outside: f.outside, tracer: f.tracer, http: f.http, metrics: f.metrics, gate: g,
	}, nil
}

func (p Provider) base() (*url.URL, error) {
	base, err := url.Parse(p.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		// Do not show the value: it may be a key that was pasted by mistake.
		return nil, fmt.Errorf("%s: base_url is not an absolute http or https URL without user, query and fragment", p.Name)
	}
	base.Path = strings.TrimRight(base.Path, "/")
	base.RawPath = ""
	return base, nil
}

func (f *Factory) gate(p Provider) (*gate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, ok := f.gates[p.Name]
	if !ok {
		g = newGate(p.Name, f.cfg, f.outside.Clock, f.log, f.metrics)
		f.gates[p.Name] = g
	}
	if f.outside.Unlimited {
		return g, nil
	}
	return g, g.limit(p.Limits)
}
