// Package control is the control API of a sandbox: who tests against it makes worlds there, moves their time, sets their markets, accounts and
// faults, and asks their journals. It is served under Prefix on the operator's listener, never on the public one, and it is described by an OpenAPI document
// of its own, which is made from the same table as the routes.
//
// Answers and errors are in the envelopes of the public API, with its names of errors. Bodies are strict: a member that nobody knows is refused, together with
// what is accepted, since a test that sets nothing by a misspelt name would pass for the wrong reason. Whatever is refused leaves the world as it was.
// Prices and probabilities are decimals in quotes; what is counted in whole numbers (basis points, milliseconds, hits) is a number.
//
// It takes no key and sets no cookie: whoever reaches the operator's listener may do everything. A page of another origin may not, see
// net/http.CrossOriginProtection. What changes a world is recorded in that world's journal as a call of the control API, so that a repro bundle can repeat it; a fork
// is recorded in the new world as the import of what it began with. It knows nothing of the API behind the worlds: who serves a world registers its
// work there (simulator.World.OnAdvance), and a call that moves a clock returns when that is done.
package control

import (
	"errors"
	"net/http"

	"go.uber.org/zap"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/world"
)

// Prefix is what all paths of the control API begin with.
const Prefix = "/_sim/v1"

// Config is what the control API needs beside the worlds.
type Config struct {
	Version string       // of the build
	Entropy core.Entropy // for the ids of requests: the machine's, so that a world's own sequence is left alone
	Log     *zap.Logger  // gets what is our fault; nil: nobody does
	Public  string       // origin of the public listener, such as http://127.0.0.1:8080: where exported requests go
	// NoAPI says that nothing but the providers is here: no request to the product ever comes, so what is about such requests is refused.
	NoAPI bool
	// Watch is called whenever the API is used about the world of whoever names none: from then on somebody may want to read what happens there.
	// It reports whether all plain reads there were recorded before.
	Watch func() (already bool)
}

// api is the control API.
type api struct {
	Config
	worlds *world.Registry
	mux    *http.ServeMux
	places map[string]*operation // by pattern
}

// New makes the control API of the worlds.
func New(worlds *world.Registry, cfg Config) (http.Handler, error) {
	if worlds == nil || cfg.Entropy == nil {
		return nil, errors.New("control: the worlds or the entropy are missing")
	}
	if cfg.Log == nil {
		cfg.Log = zap.NewNop()
	}
	if cfg.Watch == nil {
		cfg.Watch = func() bool { return true }
	}
	a := &api{Config: cfg, worlds: worlds, mux: http.NewServeMux(), places: map[string]*operation{}}
	if err := a.routes(); err != nil {
		return nil, err
	}
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.begin(w, r).fail(apierror.New(apierror.Forbidden, "The request comes from a page of another origin; use the console of this listener, the command line, or any client that is no browser"))
	}))
	return guard.Handler(a), nil
}
