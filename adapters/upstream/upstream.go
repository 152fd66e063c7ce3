// Package upstream is the HTTP client of all providers. It bounds each call in time and size,
// repeats a request once where a provider was out of reach, opens a circuit breaker for a provider
// or for a part of it such as a bank, keeps polling within published rate limits, logs in to
// providers with tokens (Session), streams quotes (Socket), counts outcomes, and converts errors to
// a core.Error that reveals nothing about the provider.
//
// The package knows no provider: an adapter builds the request and judges the response (Client.Do).
// It does not follow redirects, and sends only requests that are safe to repeat. Breakers run by
// the injected clock, because the worlds of a sandbox have clocks of their own. All state lives in
// memory: replicas do not share it, so a limit per account must be divided among them.
//
// The URL, credentials, messages and body of a provider leave this package only through Response,
// which only the adapter sees: a URL may contain an account number or a key, and a body may contain
// a name. Errors, logs and metrics consist of fixed texts, status codes and byte offsets.
package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// Name is the name of the package's logger.
const Name = "upstream"

// Config bounds the calls of every provider.
type Config struct {
	Timeout    time.Duration `json:"timeout" minimum:"0.001" maximum:"60" doc:"Time for one attempt at a provider, including the body of the response."`
	RetryDelay time.Duration `json:"-"` // longest pause before a retry
	NoBreaker  bool          `json:"-"` // circuit breakers never open
	NoSockets  bool          `json:"-"` // poll providers that could stream
	Serial     bool          `json:"-"` // requests of one poll follow each other, so that responses replay in order
}

// Default returns bounds that suit all providers: two attempts fit into the 8 s that a client waits.
func Default() Config {
	return Config{Timeout: 4 * time.Second, RetryDelay: 400 * time.Millisecond}
}

// Options connect a Factory to the real world, or to a simulated one.
type Options struct {
	Transport http.RoundTripper // must return when the context of the request is done
	Clock     core.Clock
	Entropy   core.Entropy
	Tracing   trace.TracerProvider // nil: no traces

	// Unlimited disables rate limits. A simulated provider enforces none, and its clock may run
	// faster than real time.
	Unlimited bool

	// OnAttempt is called with the result of each attempt, synchronously. May be nil.
	OnAttempt func(ctx context.Context, t Attempt)
}

// Attempt is one attempt to call a provider, or a call that was rejected before it was sent.
type Attempt struct {
	Provider string
	Op       string
	Number   int // of the attempt, from 1; 0: not sent
	Outcome  Outcome
	Status   int    // of the response; 0: none
	Breaker  string // state before the call: closed, half_open or open
	Urgent   bool   // a client waits for the response
}

// shared is what the clients of a factory have in common.
type shared struct {
	cfg     Config
	options Options
	tracer  trace.Tracer
	http    *http.Client
	log     *zap.Logger
	metrics *Metrics
}

// Factory creates the clients of one environment.
type Factory struct {
	shared

	mu    sync.Mutex
	gates map[string]*gate // by provider
}

// New creates a factory. With nil metrics it counts nothing.
func New(cfg Config, options Options, log *zap.Logger, metrics *Metrics) (*Factory, error) {
	if options.Transport == nil || options.Clock == nil || options.Entropy == nil {
		return nil, errors.New("upstream: an environment needs a transport, a clock and entropy")
	}
	if options.Tracing == nil {
		options.Tracing = noop.NewTracerProvider()
	}
	if metrics == nil {
		metrics = NewMetrics(nil)
	}
	return &Factory{
		shared: shared{
			cfg:     cfg,
			options: options,
			tracer:  options.Tracing.Tracer("causeway/adapters/upstream"),
			http: &http.Client{
				Transport:     options.Transport,
				CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			},
			log:     log.Named(Name),
			metrics: metrics,
		},
		gates: map[string]*gate{},
	}, nil
}

// Serial reports whether the requests of one poll must follow each other.
func (f *Factory) Serial() bool { return f.cfg.Serial }

// Provider describes the provider that a client calls.
type Provider struct {
	Name    string      // stable, lower case; a metric label
	BaseURL string      // absolute, http or https; may have a path
	Header  http.Header // sent with every request, usually the key
	Query   url.Values  // sent with every request, in addition to its own

	// Limits are published by the provider or chosen to be polite. The limits of the first client
	// of a provider apply to all.
	Limits []Limit

	// Timeout replaces Config.Timeout for a provider that is known to be slow. The deadline of the
	// caller still ends a call first. 0: Config.Timeout.
	Timeout time.Duration

	// MaxBody is the size of the largest accepted response, for a provider whose responses are larger
	// than usual. 0: 4 MiB.
	MaxBody int
}

// Client returns a client of a provider. All clients of a provider share its circuit breakers and
// rate limits.
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
	return &Client{
		shared: &f.shared, name: p.Name, base: *base, header: header, query: p.Query,
		timeout: cmp.Or(p.Timeout, f.cfg.Timeout), maxBody: cmp.Or(p.MaxBody, maxBody), gate: f.gate(p),
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

func (f *Factory) gate(p Provider) *gate {
	f.mu.Lock()
	defer f.mu.Unlock()
	g, ok := f.gates[p.Name]
	if !ok {
		g = newGate(p, &f.shared)
		f.gates[p.Name] = g
	}
	return g
}
