// Package control is the control API of a sandbox: it creates worlds, moves their clocks, sets their
// markets, accounts and faults, and reads their journals. It is served below Prefix on the operator
// listener, never on the public one.
//
// Responses have the envelopes and error names of the public API. Unknown fields and parameters are
// rejected, because a test that sets nothing by a misspelled name passes for the wrong reason. A
// rejected request changes nothing. Prices and probabilities are decimals in quotes.
//
// The API takes no key: every client of the operator listener may use it, except pages of other
// origins. A call that changes a world is recorded in the journal of that world, so that a repro
// bundle can repeat it.
package control

import (
	"cmp"
	"context"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/adapters/web/middleware"
	"causeway/core"
	"causeway/simulator/receivers"
	"causeway/simulator/world"
)

// Prefix is the prefix of all paths of the control API.
const Prefix = "/_sim/v1"

const bodyLimit = 1 << 20

// Config configures the control API.
type Config struct {
	Version string       // of the build
	Entropy core.Entropy // for request IDs; the entropy of the machine, so that a world's sequence is unaffected
	Log     *zap.Logger  // for internal errors
	// NoAPI says that the process serves simulated providers only: there are no requests to the public
	// API, and operations about them are rejected.
	NoAPI bool
	// CORSOrigins are the origins whose pages may call the API.
	CORSOrigins []string

	// DepositAddress returns the address of a user of a world on a network, and assigns one if there is none. Nil: the
	// process gives out no addresses.
	DepositAddress func(
		ctx context.Context, w *world.World, account, profile, currency, network string,
	) (address, memo string, err error)
	// Synced lets the services of a world read the new blocks of a network, and returns the height that they have read
	// and why not more. Nil: the process reads no blocks.
	Synced func(ctx context.Context, w *world.World, network string) (readHeight int64, problem string)
	// Webhooks sends events to the receivers of worlds. Nil: the process has none.
	Webhooks Webhooks
}

// Webhooks sends events to the receivers of worlds.
//
// Put checks a receiver, completes it and adds it to its world; the error names the fields of the receiver. Deliver
// sends what is due after a change of a world. It is called while no lock is held, because a receiver may call the
// control API.
type Webhooks interface {
	Put(ctx context.Context, w *world.World, r receivers.Receiver) (receivers.Receiver, error)
	Deliver(ctx context.Context, w *world.World)
}

// api is the control API.
type api struct {
	Config

	worlds  *world.Registry
	mux     *http.ServeMux
	huma    huma.API
	cors    middleware.CORS
	changes []string // the operations that a journal records
}

// New returns the control API of the worlds.
func New(worlds *world.Registry, cfg Config) http.Handler {
	cfg.Log = cmp.Or(cfg.Log, zap.NewNop())
	a := &api{Config: cfg, worlds: worlds, mux: http.NewServeMux(), cors: middleware.CORS{
		Origins: cfg.CORSOrigins, Allow: []string{"Authorization", "Content-Type", apierror.RequestIDHeader},
		Expose: []string{"Retry-After", apierror.RequestIDHeader},
	}}
	a.registerAll()
	a.mux.HandleFunc("/", a.notFound)
	origins := http.NewCrossOriginProtection()
	for _, origin := range cfg.CORSOrigins {
		_ = origins.AddTrustedOrigin(origin) // config has checked it; an invalid one is not trusted
	}
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		apierror.New(apierror.Forbidden, "The request comes from a page of another origin; use the console of this "+
			"listener, causeway sim, a client that is not a browser, or the setting simulator.cors_origins").Write(w, r)
	}))
	return middleware.Chain(http.HandlerFunc(a.route),
		middleware.RequestID(cfg.Entropy), middleware.Security(false), a.cors.Middleware, origins.Handler)
}

func (a *api) registerAll() {
	envelope.SetUp()
	a.huma = newHuma(a)
	a.registerWorlds()
	a.registerClocks()
	a.registerMarkets()
	a.registerAccounts()
	a.registerFaults()
	a.registerChains()
	a.registerReceivers()
	a.registerJournals()
	a.registerCatalog()
}

// route routes the literal path only: a ServeMux redirects other spellings of a path. The caller
// decides how long a call may take, not the server.
func (a *api) route(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if escaped := r.URL.EscapedPath(); path.Clean(escaped) != escaped {
		unknownPath().Write(w, r)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	a.mux.ServeHTTP(w, r)
}

// notFound answers what no operation serves: an unknown path, another method, or a preflight request.
func (a *api) notFound(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodPost, http.MethodPut} {
		if _, pattern := a.mux.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host}); pattern != "/" {
			methods = append(methods, method)
		}
	}
	if len(methods) == 0 {
		unknownPath().Write(w, r)
		return
	}
	allow := strings.Join(methods, ", ")
	if r.Method == http.MethodOptions && len(a.CORSOrigins) > 0 {
		a.cors.Preflight(w.Header(), r, allow)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	e := apierror.New(apierror.MethodNotAllowed, "This path accepts %s, not %s", allow, core.Quoted(r.Method))
	e.Allow = allow
	e.Write(w, r)
}

func unknownPath() *apierror.Error {
	return apierror.New(apierror.NotFound, "There is nothing at this path; see "+Prefix+
		"/openapi.json. A name in a path is percent-encoded: a slash is %%2F")
}

// logError is a huma transformer: it logs the causes of internal errors.
func (a *api) logError(ctx huma.Context, _ string, v any) (any, error) {
	if e, ok := v.(*apierror.Error); ok && e.GetStatus() == http.StatusInternalServerError && ctx.Context().Err() == nil {
		_, w := humago.Unwrap(ctx)
		a.Log.Error("control call failed",
			zap.String("request_id", w.Header().Get(apierror.RequestIDHeader)), zap.Error(e))
	}
	return v, nil
}

// rejectWithoutAPI rejects a value about requests to the public API where there are none.
func (a *api) rejectWithoutAPI(field, accepted string) error {
	if !a.NoAPI {
		return nil
	}
	return core.InvalidField(field,
		"is about requests to the public API, which this process does not serve; accepted: %s", accepted)
}
