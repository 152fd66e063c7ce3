package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// operation is one thing that the API can be asked for.
type operation struct {
	counters
	id     string
	handle func(*exchange) error
	keyed  bool // it needs a key that allows it
	limit  told
	access zapcore.Core // takes the lines of the access log, and has its name in them already
}

func (a *API) newOperation(id string, handle func(*exchange) error) *operation {
	return &operation{id: id, handle: handle, counters: a.metrics.operation(id), access: a.log.Core().With([]zap.Field{zap.String("operation", id)})}
}

// policy is what the limit of the operation is called.
func (o *operation) policy() string { return cmp.Or(o.limit.name, o.id) }

// exchangeOf finds the exchange behind a ResponseWriter: everything is called through one.
func exchangeOf(w http.ResponseWriter) *exchange {
	x, ok := w.(*exchange)
	if !ok {
		panic("httpapi: called around ServeHTTP")
	}
	return x
}

// answer runs an operation.
func (x *exchange) answer(o *operation) {
	x.op = o
	err := x.limit(o) // before the key is looked at: who tries keys out is counted by his address
	if err == nil {
		err = x.authorize(o)
	}
	if err == nil && x.in.object != nil {
		err = x.like(x.in.object(x.r, o.id))
	}
	if err == nil {
		err = o.handle(x)
	}
	if err != nil {
		x.api.problem(x, err)
	}
}

// register makes an operation of the API. What it takes and gives is described in op; handle does the work.
func (a *API) register(op huma.Operation, handle func(*exchange) error) {
	o := a.newOperation(op.OperationID, handle)
	o.keyed, o.limit = slices.Contains(a.config.Auth.Operations, o.id), tell(o.id, a.config.Limits.limitOf(o.id))
	answer := &huma.StreamResponse{Body: func(ctx huma.Context) {
		_, w := humago.Unwrap(ctx)
		exchangeOf(w).answer(o)
	}}
	a.complete(&op, o)
	body := op.RequestBody
	op.RequestBody = nil // huma would read it
	a.places[op.Method+" /v1"+op.Path] = o.id
	huma.Register(a.group, op, func(context.Context, *struct{}) (*huma.StreamResponse, error) { return answer, nil })
	if body != nil {
		a.group.OpenAPI().Paths["/v1"+op.Path].Post.RequestBody = body
	}
}

// Operation names what a request asks for, as the description of the API does; empty for what is not there.
func (a *API) Operation(r *http.Request) string {
	_, pattern := a.mux.Handler(r)
	return a.places[pattern]
}

// page serves something of the documentation, outside the operations.
func (a *API) page(id, path string, handle func(*exchange) error) {
	o := a.newOperation(id, handle)
	o.limit = tell(id, a.config.Limits.limitOf(id))
	a.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { exchangeOf(w).answer(o) }) //nolint:contextcheck // the exchange has the request
}
