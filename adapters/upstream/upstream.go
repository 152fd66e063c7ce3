// Package upstream is the one HTTP client of all providers. It bounds every call in time and size, asks again only
// where that is safe, stops asking a provider that is down, or a bank behind it (Question.Scope), keeps within the limits that it published
// (Provider.Limits), holds the token of those that want a login (Session), counts what came of each call, and turns whatever went
// wrong into a core.Error that tells a client nothing about the provider.
//
// It refuses to know any provider: an adapter says where to ask and judges the answer (Client.Do). It refuses to follow
// redirects, to cache what the provider did not just call unchanged (Question.Conditional), and to send what changes something: that must
// not be asked twice, and a Question may be.
//
// Before a question is sent it passes what the provider told us (Retry-After), its bulkhead, its breakers and its ledger, in this order. The
// bulkhead keeps one slow provider from holding everybody who waits for an answer. Clients who wait for an
// answer (Question.Urgent) come before polling: a fifth of every limit is theirs, and they are never made to wait for a turn, since another
// provider may be asked instead. Polling waits for limits of about a second, and for no longer ones. Breakers and ledgers run by the
// world's clock and live in memory: a process that starts again begins with nothing used, and replicas do not know of each other, so that
// a limit per account has to be divided among them.
//
// A provider's URL, key, message and body never leave this package but through Answer, which only the adapter sees: a
// URL may carry an account number or a key, and a body a person's name. Error texts, logs and metrics are made of
// our own words, statuses and byte offsets.
//
// Retry, breaker and ledger are our own, a hundred lines each, although failsafe-go has their like: its breaker reads the machine's
// clock and its back-off draws from math/rand, while in this house time and randomness enter through core.Clock and
// core.Entropy alone. A simulated world runs its breakers by its own clock, and replays its jitter from its seed.
package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"

	"causeway/core"
)

// Name of the package's logger and fx module.
const Name = "upstream"

// Config bounds the calls to every provider. Default has values that suit them all.
type Config struct {
	Timeout       time.Duration `json:"timeout" doc:"how long one attempt at a provider may take, its answer's body included"`
	MaxBody       int64         `json:"max_body" doc:"largest answer of a provider that is read, in bytes"`
	Retries       int           `json:"retries" doc:"how often a question is asked again after a lost connection or a status 502 to 504"`
	RetryDelay    time.Duration `json:"retry_delay" doc:"the longest wait before asking again; it doubles from retry to retry, and each wait is drawn between nothing and it"`
	MaxRetryAfter time.Duration `json:"max_retry_after" doc:"the longest Retry-After that is believed of a provider that throttles or bans us"`
	MaxConcurrent int           `json:"max_concurrent" doc:"questions that one provider is asked at once; of one more it cannot tell, and the next provider is asked"`
	Breaker       BreakerConfig `json:"breaker"`
}

// BreakerConfig says when a provider counts as down. Times are measured by the world's clock.
type BreakerConfig struct {
	Window         time.Duration `json:"window" doc:"how far back calls are counted"`
	MinCalls       int           `json:"min_calls" doc:"the fewest calls in the window that prove anything"`
	FailurePercent int           `json:"failure_percent" doc:"the share of failed calls from which on the provider is not asked"`
	OpenFor        time.Duration `json:"open_for" doc:"how long it is not asked, before single calls try it again"`
	Probes         int           `json:"probes" doc:"how many of these must succeed in a row before it is asked as usual"`
}

// Default returns the bounds for providers in general: four seconds and one retry fit twice into the eight
// seconds that a client waits, three days are the longest ban that a venue announces (Binance), ten calls are too
// many for one bad moment to be taken for an outage, and a provider that answers in a fifth of a second can be asked 640 times in one by
// 128 who wait, while one that hangs holds an eighth of all requests that are let in.
func Default() Config {
	return Config{
		Timeout:       4 * time.Second,
		MaxBody:       4 << 20,
		Retries:       1,
		RetryDelay:    400 * time.Millisecond,
		MaxRetryAfter: 72 * time.Hour,
		MaxConcurrent: 128,
		Breaker: BreakerConfig{
			Window: time.Minute, MinCalls: 10, FailurePercent: 50,
			OpenFor: 10 * time.Second, Probes: 2,
		},
	}
}

// Check returns every fault of the configuration, with the key, the value and what is accepted.
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

// Outside is the world that a Factory's clients live in: the real one, or a simulated one.
type Outside struct {
	Transport http.RoundTripper // returns when the request's context is done
	Clock     core.Clock
	Entropy   core.Entropy
	Tracing   trace.TracerProvider // nil: calls are not traced

	// Unlimited worlds have no Limits: a simulated provider counts nothing, and its clock may run ahead of ours.
	Unlimited bool

	// Still reports whether no time passes in the world: then nobody waits before asking again. Nil: time passes.
	Still func() bool

	// Tried is told what came of every try, while whoever asks waits. Nil: nobody is.
	Tried func(ctx context.Context, t Try)
}

// Try is one time that a provider was asked, or that it was not since its breaker or a limit did not let the question through.
type Try struct {
	Provider string
	Op       string
	Number   int // of the question's tries, from 1; 0: it was not asked
	Outcome  Outcome
	Status   int    // of the answer; 0: there was none
	Breaker  string // the provider's as it was before the question, or that of the scope where that did not let it through: closed, half_open, open
	Urgent   bool   // somebody waits for the answer
}

// Factory makes the clients of one world. All clients of one provider share a breaker and a ledger.
type Factory struct {
	cfg     Config
	outside Outside
	tracer  trace.Tracer
	http    *http.Client
	log     *zap.Logger
	metrics *metrics
	reg     prometheus.Registerer // may be nil

	mu    sync.Mutex
	gates map[string]*gate
}

// New makes the factory of one world. A registry takes the metrics of one factory; worlds beside the
// first have registries of their own, or nil.
func New(cfg Config, outside Outside, log *zap.Logger, reg prometheus.Registerer) (*Factory, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if outside.Transport == nil || outside.Clock == nil || outside.Entropy == nil {
		return nil, errors.New("upstream: a world needs a transport, a clock and entropy")
	}
	if outside.Tracing == nil {
		outside.Tracing = noop.NewTracerProvider()
	}
	return &Factory{
		cfg:     cfg,
		outside: outside,
		tracer:  outside.Tracing.Tracer("causeway/adapters/upstream"),
		http: &http.Client{
			Transport:     outside.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		log:     log.Named(Name),
		metrics: newMetrics(reg),
		reg:     reg,
		gates:   map[string]*gate{},
	}, nil
}

// Provider says whom a client asks.
type Provider struct {
	Name    string      // stable, lower case; a metric label
	BaseURL string      // absolute, http or https; a path is kept
	Header  http.Header // sent with every question: the key, usually

	// Patient providers are not asked again before the Retry-After that they told has passed. It suits what is polled: those
	// ban callers who go on asking. Where each question is a client's own, one that was throttled must not
	// cost the others, and it is off.
	Patient bool

	// Limits that the provider published, or that we keep out of kindness. Of each a fifth is kept for urgent questions. All clients of a provider
	// share them. Where it throttles us they count as used up, for as long as it tells, also for urgent questions.
	Limits []Limit
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
				return nil, fmt.Errorf("%s: the value of header %s has control characters; a key with a line break in it?", p.Name, name)
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
	return &Client{
		name: p.Name, base: *base, header: header, patient: p.Patient,
		cfg: f.cfg, outside: f.outside, tracer: f.tracer, http: f.http, metrics: f.metrics, gate: g,
	}, nil
}

func (p Provider) base() (*url.URL, error) {
	base, err := url.Parse(p.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" ||
		base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		// The value is not shown: what went wrong may be a key pasted into it.
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
		g = newGate(p.Name, f.cfg, f.outside.Clock, f.log, f.metrics, f.reg)
		f.gates[p.Name] = g
	}
	if f.outside.Unlimited {
		return g, nil
	}
	return g, g.limit(p.Limits, f.reg)
}
