// Package tracing records what was done for whom, and sends it to a collector of OpenTelemetry: OTLP 1.x over HTTP, in protobuf. It is off where no
// collector is configured: then nothing of it is made, and requests cost what they cost without it.
//
// Whether a trace is recorded is decided where it begins: by whoever asks, where he has decided, else by its id and a ratio, in the way of
// OpenTelemetry's TraceIDRatioBased sampler, so that everybody with the same ratio picks the same traces. Spans wait for the collector in a queue of
// bounded length. One that does not answer costs a metric and a line in the log; what does not fit into the queue meanwhile is lost.
//
// It refuses to know what it records: a span has the names and words that its owner gives it (see ports.Span for what these may be), and no header, path
// or body. Trace ids are sent to the providers only where that is configured.
//
// It is our own, four hundred lines, since OpenTelemetry's SDK makes the binary larger by 1.2 MB and its exporter over HTTP by another 7 (v1.47.0, with
// gRPC inside); both read the machine's clock, while in this house time and randomness come in through core.Clock and core.Entropy. What it
// writes is read back by OpenTelemetry's own types in test/differential.
package tracing

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

// Name of the package's logger.
const Name = "tracing"

const (
	leastQueue  = 64
	mostQueue   = 1 << 16
	mostTimeout = time.Minute
	tracesPath  = "/v1/traces" // of the protocol
)

// Config says where traces go, and how many of them.
type Config struct {
	URL       string                 `json:"url" doc:"OTLP/HTTP collector that gets traces, such as http://127.0.0.1:4318; a path replaces /v1/traces; empty: none are made"`
	Headers   map[string]core.Secret `json:"headers" doc:"headers that the collector wants, such as authorization; _ stands for -"`
	Ratio     float64                `json:"ratio" doc:"share of requests that are traced, 0 to 1, where the caller's traceparent does not say whether; 0.1: every tenth"`
	Propagate bool                   `json:"propagate" doc:"whether providers are told the trace, in traceparent"`
	Queue     int                    `json:"queue" doc:"spans that may wait for the collector; those beyond are lost, and counted"`
	Timeout   time.Duration          `json:"timeout" doc:"how long the collector may take"`
}

// Default has no collector.
func Default() Config { return Config{Ratio: 0.1, Queue: 2048, Timeout: 5 * time.Second} }

// Check returns every fault of the configuration, with the key, the value and what is accepted. Values of headers are not shown.
func (c Config) Check() error {
	var faults []error
	if c.URL != "" && c.endpoint() == "" {
		faults = append(faults, errors.New("tracing.url is not the URL of a collector; accepted: http or https, a host, a path if need be; no user, query or fragment"))
	}
	if math.IsNaN(c.Ratio) || c.Ratio < 0 || c.Ratio > 1 {
		faults = append(faults, fmt.Errorf("tracing.ratio is %v; accepted: 0 to 1", c.Ratio))
	}
	if c.Queue < leastQueue || c.Queue > mostQueue {
		faults = append(faults, fmt.Errorf("tracing.queue is %d; accepted: %d to %d", c.Queue, leastQueue, mostQueue))
	}
	if c.Timeout <= 0 || c.Timeout > mostTimeout {
		faults = append(faults, fmt.Errorf("tracing.timeout is %s; accepted: more than 0s, at most %s", c.Timeout, mostTimeout))
	}
	return errors.Join(append(faults, c.checkHeaders()...)...)
}

func (c Config) checkHeaders() []error {
	var faults []error
	for name, value := range c.Headers {
		if name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_-") != "" {
			faults = append(faults, fmt.Errorf("tracing.headers has %q; accepted: letters, digits and - (or _ for it)", name))
		}
		if strings.ContainsFunc(value.Reveal(), unicode.IsControl) {
			faults = append(faults, fmt.Errorf("tracing.headers.%s has control characters; a line break in it?", name))
		}
	}
	return faults
}

// endpoint is where traces are posted; "" where the URL is none.
func (c Config) endpoint() string {
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return ""
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = tracesPath
	}
	return u.String()
}

// Outside is what a Tracer takes from the world, which is the machine's, also where what it records happens in a simulated one.
type Outside struct {
	Transport http.RoundTripper // to the collector
	Clock     core.Clock
	Entropy   core.Entropy // of the system: ids must not repeat from start to start
}

// Tracer is a ports.Tracer whose spans go to a collector. Make it with New and keep it going with Run.
type Tracer struct {
	cfg      Config
	endpoint string
	header   http.Header
	client   *http.Client
	clock    core.Clock
	entropy  core.Entropy
	bound    uint64 // ids below it are recorded, see picks
	resource []byte // encoded: whose spans these are
	queue    chan *span
	log      *zap.Logger
	spans    *prometheus.CounterVec

	// The rest belongs to the goroutine of Run.
	failures int           // in a row, after which a batch is sent again
	told     time.Duration // to wait, by the collector
	lamented bool          // the log knows that it fails
}

var _ ports.Tracer = (*Tracer)(nil)

// What becomes of a span.
const (
	sent    = "sent"
	refused = "refused" // by the collector
	lost    = "lost"    // there was no room in the queue, or the process ended
)

// New makes the tracer of one process, which is version of causeway in a mode. It needs a URL, and asks nobody yet.
func New(cfg Config, outside Outside, version, mode string, log *zap.Logger, reg prometheus.Registerer) (*Tracer, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if cfg.URL == "" {
		return nil, errors.New("tracing: no url")
	}
	if outside.Transport == nil || outside.Clock == nil || outside.Entropy == nil {
		return nil, errors.New("tracing: a transport, a clock and entropy are needed")
	}
	header := http.Header{"Content-Type": {contentType}, "User-Agent": {"causeway/" + version}}
	for name, value := range cfg.Headers {
		header.Set(strings.ReplaceAll(name, "_", "-"), value.Reveal())
	}
	t := &Tracer{
		cfg: cfg, endpoint: cfg.endpoint(), header: header, clock: outside.Clock, entropy: outside.Entropy,
		client: &http.Client{
			Transport:     outside.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers are for one host
		},
		bound: bound(cfg.Ratio), queue: make(chan *span, cfg.Queue), log: log.Named(Name),
		spans: promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
			Name: "causeway_tracing_spans_total",
			Help: "Spans by what became of them: sent to the collector, refused by it, or lost since it did not keep up.",
		}, []string{"outcome"}),
	}
	t.resource = encodeResource(version, mode, t.newID())
	for _, outcome := range []string{sent, refused, lost} {
		t.spans.WithLabelValues(outcome)
	}
	return t, nil
}
