// Package httpapi is the public API over HTTP: it reads requests, asks the cores and writes answers, in the forms that the
// contract gives them. It holds no rule about banks, accounts, addresses or prices; JSON, headers, statuses and the
// documentation live here and nowhere else.
//
// How it works, and why:
//   - Every operation is a huma operation with full schemas, so the OpenAPI document is made from the code. huma routes and
//     documents; reading and writing are done here, because a list is kept as ready bytes (document) and a body is read once.
//     huma therefore sees operations without input, and its limits of size and time for bodies do not apply: ours are in body.go.
//   - What changes seldom and is read often (pairs, banks, currencies, countries, the pages) is encoded when it is published, not
//     when it is asked for. Readers take no lock.
//   - Whatever goes wrong goes through problem, in one of two forms of one envelope, panics and unknown paths included.
//   - Paths are taken literally: nothing is redirected, and "/" is an unknown path like any other; people start at /docs.
package httpapi

import (
	"bytes"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/ports"
)

// Config says how the API presents itself and whom it lets in.
type Config struct {
	Version string // of the build, for the OpenAPI document
	Sandbox bool   // the answers are simulated: only texts differ
	Auth    Auth
	Limits  Limits
	// Home says what differs where somebody asks the API itself; Clock and Entropy are those of New.
	Home Seams
	// TrustedProxies may tell on whose behalf they ask, in X-Forwarded-For.
	TrustedProxies []netip.Prefix

	// Front stands before the API: nobody in production.
	Front Front

	// CORSOrigins are the origins whose pages may call the API. None: pages of other origins may not.
	CORSOrigins []string

	// MaxBody is the largest body in bytes. Zero: 64 KiB.
	MaxBody int64
	// BodyTimeout is how long a whole body may take to arrive. Zero: 10 seconds.
	BodyTimeout time.Duration

	Crowd Crowd
	// Strict tells browsers never to come without TLS again, for a year. It is for a listener that speaks it.
	Strict bool

	// Stopwatch times requests and sets the deadline of bodies: the machine's clock, also where the API's clock is that of a
	// simulated world, which may stand still. Nil: the API's clock.
	Stopwatch core.Clock
}

// Front are the headers of a front door: caches tell answers apart by what it asks for, pages of other origins may send and read all of them, and they
// are documented with every operation.
type Front struct {
	Asks  []Header // of requests: each chooses among answers
	Tells []Header // of every answer
	// Errors are those that it adds.
	Errors []string
}

// Header is one of them, with what it means.
type Header struct{ Name, Doc string }

// names are the names of headers.
func names(headers []Header) []string {
	out := make([]string, len(headers))
	for i, h := range headers {
		out[i] = h.Name
	}
	return out
}

// Auth says what needs a key.
type Auth struct {
	Operations []string      // those that need one; the others are public
	Keys       ports.KeyRing // nil: there are none
}

const defaultMaxBody = 64 << 10

// Services are the cores behind the API. All of them are needed.
type Services struct {
	Pairs      PairBook
	Banks      BankList
	Recipients Resolver
	Addresses  Validator
	Currencies []core.Currency
	Countries  []core.Country
}

// API is the public API. Make it with New.
type API struct {
	config    Config
	home      *Realm // of whoever asks API itself
	log       *zap.Logger
	stopwatch core.Clock

	mux       *http.ServeMux
	group     *huma.Group
	schemas   huma.Registry
	described described
	metrics   *metrics
	unknown   *operation
	packer    *packer
	exchanges sync.Pool
	buffers   sync.Pool
	bodies    sync.Pool
	places    map[string]string // of method and path: id of the operation
	closing   chan struct{}     // closed by Close
	closed    sync.Once

	mistrusted sync.Once // a warning

	listed    func() *currencyPage         // the first list
	relisted  atomic.Pointer[currencyPage] // by Relist
	crowd     *crowd
	crowded   *operation
	maxBody   int64
	origins   map[string][]string // by origin, the value of Access-Control-Allow-Origin
	vary      []string            // of answers that are kept in several codings
	varyError []string
	allowed   []string // request headers of pages of other origins
	exposed   []string // and those of answers
}

// New makes the API. It reads the services' present state and follows their publications. It fails where the
// configuration contradicts itself or a service is missing.
func New(config Config, services Services, log *zap.Logger, reg prometheus.Registerer, clock core.Clock, entropy core.Entropy) (*API, error) {
	if services.Pairs == nil || services.Banks == nil || services.Recipients == nil || services.Addresses == nil {
		return nil, fmt.Errorf("httpapi: a service is missing")
	}
	packer, err := newPacker()
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	a := &API{
		config: config, log: log.Named("httpapi"), stopwatch: config.Stopwatch,
		mux: http.NewServeMux(), metrics: newMetrics(reg), packer: packer, maxBody: config.MaxBody,
		closing: make(chan struct{}), places: map[string]string{},
	}
	if a.stopwatch == nil {
		a.stopwatch = clock
	}
	if a.maxBody <= 0 {
		a.maxBody = defaultMaxBody
	}
	if a.config.BodyTimeout <= 0 {
		a.config.BodyTimeout = bodyDeadline
	}
	if err := a.admit(config); err != nil {
		return nil, err
	}
	a.exchanges.New = func() any { return new(exchange) }
	a.bodies.New = func() any { return new(bodyReader) }
	a.buffers.New = func() any { return new(bytes.Buffer) }
	a.crowd = newCrowd(config.Crowd, reg)
	a.unknown, a.crowded = a.newOperation("unknown", nil), a.newOperation("crowded", nil)
	a.unknown.limit = tell("default", config.Limits.Default)
	a.crowded.limit = a.unknown.limit
	config.Home.Clock, config.Home.Entropy = clock, entropy
	a.home = a.In(services, config.Home)
	a.listed = a.home.currencies
	a.home.currencies = a.present
	if err := a.routes(); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	return a, nil
}

// Handler returns the handler of the public listener. Nothing should be wrapped around it that answers by itself: it
// would not speak the envelope.
func (a *API) Handler() http.Handler { return a }

// Close ends the streams: their clients are asked to come back in a moment. It waits for none of them. Everything else goes on. It is to
// be called as soon as the server shuts down, which waits for all that is in flight (http.Server.RegisterOnShutdown).
func (a *API) Close() { a.closed.Do(func() { close(a.closing) }) }

// routes registers everything that can be asked for.
func (a *API) routes() error {
	document := a.describe()
	a.registerBanks()
	a.registerRecipients()
	a.registerAddresses()
	a.registerPairs()
	a.registerCurrencies()
	a.registerCountries()
	a.mux.HandleFunc("/", a.fallback)
	return a.registerDocs(document)
}
