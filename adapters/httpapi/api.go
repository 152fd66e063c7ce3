// Package httpapi serves the public HTTP API.
//
// Every operation is a huma operation with typed input and output: huma binds and validates
// requests, writes responses and generates the OpenAPI document. The package holds no rule about
// banks, accounts, addresses or prices.
//
// A request passes, in this order: access log and metrics, request ID, recovery, security headers,
// CORS, the sandbox (in sandbox mode), routing, and then, as huma middleware that knows the
// operation (API.admit), rate limit, authorization, the body limits and the in-flight limit.
//
// An Instance holds the services that answer and the lists that they published, encoded. Production
// has one; a sandbox has one per world, and its middleware chooses the Instance of a request with
// WithInstance.
package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"causeway/adapters/httpapi/site"
	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/adapters/web/middleware"
	"causeway/core"
	"causeway/ports"
)

// Config configures an API.
type Config struct {
	Version string // of the build, for the OpenAPI document
	Sandbox bool   // the data is simulated; changes texts, and adds a start page
	Console string // URL of the sandbox's console, for links; empty: none
	Auth    Auth
	Limits  Limits
	Now     core.Clock   // the machine's clock, for durations and deadlines
	Entropy core.Entropy // for request IDs
	// Instance configures the default Instance.
	Instance InstanceConfig
	// TrustedProxies may name the client of a request in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// CORSOrigins are the origins whose pages may call the API.
	CORSOrigins []string

	BodyBudget   int64 // bytes of large bodies in memory at once; 0: unlimited
	MaxInFlight  int   // requests processed at once; 0: unlimited
	MaxStreams   int   // open streams; 0: unlimited
	MaxPerClient int   // requests and streams at once of an address, without a key; 0: unlimited
	ClientBodies int   // BodyBudget of an address, without a key; at least one large body; 0: unlimited
	HSTS         bool  // browsers must use TLS; set it if the listener does

	// Headers documents the headers that the sandbox middleware reads and sets.
	Headers SandboxHeaders
	// Outcome returns the outcome that a request calls for, in a sandbox. It is called after
	// authorization, for operations only. It may be nil.
	Outcome func(*http.Request) Outcome
}

// Outcome is an outcome that a request to a sandbox calls for.
type Outcome struct {
	Error      string        // name; empty: none
	Name       string        // of the scenario or fault, for the message
	RetryAfter time.Duration // zero: the usual one of the error
}

// SandboxHeaders are the headers of the sandbox middleware and the errors that it adds to every
// operation.
type SandboxHeaders struct {
	Request  []Header // responses vary by them
	Response []Header
	Errors   []string
	Accounts []MagicAccount // examples of account resolution
	// Verdicts are bodies of validate-address by the reason or warning that each gets, for its page.
	Verdicts map[string]string
}

// MagicAccount is an account of the sandbox whose number selects the outcome.
type MagicAccount struct{ Bank, Number, Outcome string }

// Header is a header with its description.
type Header = struct{ Name, Doc string }

// Auth configures which operations need a key.
type Auth struct {
	Operations []string      // the others are public
	Keys       ports.KeyRing // nil: no keys
}

// Services are the domain services behind an Instance. All of them are required, except Transactions.
type Services struct {
	Pairs        PairBook
	Banks        BankList
	Recipients   Resolver
	Addresses    Validator
	Deposits     Deposits
	Transactions Transactions // nil: no network is read
	Currencies   []core.Currency
	Countries    []core.Country
}

const (
	bodyLimit      = 64 << 10
	batchBodyLimit = 1 << 20
)

// API is the public API.
type API struct {
	config  Config
	log     *zap.Logger
	metrics *metrics
	cors    middleware.CORS

	requests *middleware.Limiter
	streams  *middleware.Limiter
	bodies   *middleware.Limiter // in bytes

	clientRequests *middleware.Shares // streams included
	clientBodies   *middleware.Shares // in bytes

	mux        *http.ServeMux
	huma       huma.API
	operations map[string]*operation // by pattern
	unknown    *operation            // of requests that no operation serves
	pages      *site.Site
	instance   *Instance // the default

	closing  context.Context //nolint:containedctx // of the API, not of a request: done from Close on
	close    context.CancelFunc
	warnOnce sync.Once
}

// New returns an API whose default Instance serves the services.
func New(config Config, services Services, log *zap.Logger, reg prometheus.Registerer) *API {
	if config.ClientBodies > 0 {
		config.ClientBodies = max(config.ClientBodies, batchBodyLimit)
	}
	a := &API{
		config: config, log: log.Named("httpapi"), mux: http.NewServeMux(), cors: newCORS(config),
		requests: middleware.NewLimiter(config.MaxInFlight), streams: middleware.NewLimiter(config.MaxStreams),
		bodies:         middleware.NewLimiter(int(config.BodyBudget)),
		clientRequests: middleware.NewShares(config.MaxPerClient, config.TrustedProxies),
		clientBodies:   middleware.NewShares(config.ClientBodies, config.TrustedProxies),
		operations:     map[string]*operation{},
	}
	a.closing, a.close = context.WithCancel(context.Background())
	a.metrics = newMetrics(reg, a)
	a.unknown = a.newOperation(core.Operation{ID: unknownOperation}, "default")
	a.instance = a.NewInstance(services, config.Instance)
	a.register()
	return a
}

// register registers all operations.
func (a *API) register() {
	setUpHuma()
	document := newDocument(a.config)
	document.OnAddOperation = []huma.AddOpFunc{a.completeOperation}
	a.huma = humago.New(a.mux, huma.Config{
		OpenAPI: document, Formats: envelope.Formats, DefaultFormat: "application/json",
		Transformers: []huma.Transformer{logError, envelope.TransformError},
	})
	a.huma.UseMiddleware(a.admit)
	a.mux.HandleFunc("/", a.notFound)
	a.registerBanks()
	a.registerRecipients()
	a.registerAddresses()
	a.registerDeposits()
	a.registerTransactions()
	a.registerEvents()
	a.registerBalances()
	a.registerPairs()
	a.registerStream()
	a.registerCurrencies()
	a.registerCountries()
	a.registerDocs()
}

// Handler returns the handler of the public listener. The sandbox middleware, if any, chooses the
// Instance of each request.
func (a *API) Handler(sandbox ...middleware.Middleware) http.Handler {
	all := []middleware.Middleware{
		a.observe, middleware.RequestID(a.config.Entropy), a.recover, middleware.Security(a.config.HSTS), a.cors.Middleware,
		middleware.DrainBody,
	}
	if all = append(all, sandbox...); len(sandbox) > 0 {
		all = append(all, a.recover) // inside the sandbox, so that it also records the response
	}
	return middleware.Chain(http.HandlerFunc(a.route), all...)
}

// Instance returns the default Instance.
func (a *API) Instance() *Instance { return a.instance }

// Close ends all streams; their clients reconnect. Call it when the server begins to
// shut down, since http.Server.Shutdown waits for them.
func (a *API) Close() { a.close() }

// admit is huma middleware. It counts the call, bounds how many requests are in progress, checks the
// key and receives the body. A request is in progress until its response is sent, also while its
// client sends the body: both take memory. Streams have a limit of their own.
func (a *API) admit(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	q := requestFrom(r.Context())
	q.operation = a.operations[pattern(ctx.Operation())]
	err := q.take(r) // before authorization, so that attempts to guess a key count
	client := q.callerOf(r).network
	if err == nil {
		if a.clientRequests.Acquire(client, 1) {
			defer a.clientRequests.Release(client, 1)
		} else {
			a.metrics.limited.WithLabelValues(q.operation.id).Inc()
			e := apierror.New(apierror.TooManyRequests, "Your address has %d requests and streams in progress, the most "+
				"for one address; wait for their responses", a.config.MaxPerClient)
			e.RetryAfter = time.Second
			err = e
		}
	}
	if err == nil && !q.operation.stream {
		if a.requests.Acquire(1) {
			defer a.requests.Release(1)
		} else {
			q.reject("requests")
			err = core.Errorf(core.Unavailable, "The service is at its limit of requests; retry in a moment").
				Retry(time.Second)
		}
	}
	if err == nil {
		err = q.authorize(r)
	}
	if err == nil && a.config.Outcome != nil {
		err = a.requestedError(r)
	}
	// huma refuses a body of exactly MaxBodyBytes
	if limit := ctx.Operation().MaxBodyBytes - 1; err == nil && limit > 0 {
		var release func()
		if release, err = middleware.ReadBody(w, r, limit, middleware.Budget{
			All: a.bodies, Shares: a.clientBodies, Client: client,
		}); err == nil {
			defer release()
		} else if name := apierror.From(err).Detail.Name; name == apierror.ServiceUnavailable {
			q.reject("body")
		} else if name == apierror.TooManyRequests {
			a.metrics.limited.WithLabelValues(q.operation.id).Inc()
		}
	}
	if err != nil {
		WriteError(w, r, err)
		return
	}
	next(ctx)
}
