package control

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/adapters/web/middleware"
	"causeway/simulator/input"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

const description = `Controls a sandbox: worlds, their time, their market, accounts, faults and blockchains, and their journals.

**Worlds.** A request to the public API names its world in the header ` + "`Sim-World`" + `; an unknown world is created.
Worlds share nothing: each has its own caches, circuit breakers, limits, clock and journal. Use one per test.

**Responses.** Success is ` + "`{\"status\":\"success\",\"message\":…,\"data\":…}`" + `; an error is
` + "`{\"error\":{\"name\":…,\"message\":…},\"request_id\":…}`" + `, with ` + "`fields`" + ` if fields or parameters are at fault. A
rejected request changes nothing.

**Requests.** Bodies are JSON, whatever their Content-Type. Unknown fields and parameters are rejected. Prices and
probabilities are decimals in quotes, durations are such as ` + "`\"37s\"`" + `, times are RFC 3339. Names in paths are
percent-encoded: ` + "`TestCheckout/pays`" + ` is ` + "`TestCheckout%2Fpays`" + `.`

// newHuma returns the huma API, and serves its OpenAPI document. The document of huma itself is not
// safe for concurrent requests.
func newHuma(a *api) huma.API {
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[input.Duration](), reflect.TypeFor[duration]())
	schemas.RegisterTypeAlias(reflect.TypeFor[journal.Sum](), reflect.TypeFor[string]())
	document := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Causeway control API", Version: a.Version, Description: description,
			License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			Contact: &huma.Contact{Name: "Causeway maintainers"},
		},
		Security: []map[string][]string{{}}, // none: the listener is private
		Servers:  []*huma.Server{{URL: "/", Description: "The operator listener of this sandbox"}},
		Tags: []*huma.Tag{
			{Name: "Worlds", Description: "Isolated simulations"},
			{Name: "Time", Description: "The clock of a world"},
			{Name: "Market", Description: "Simulated prices"},
			{Name: "Accounts", Description: "Simulated account holders and the outcomes of the next requests"},
			{Name: "Faults", Description: "Failures of providers and of responses to clients"},
			{Name: "Chains", Description: "Simulated blockchains: transfers, blocks and reorganizations"},
			{Name: "Webhooks", Description: "Servers that receive the events of a world"},
			{Name: "Journal", Description: "Requests to a world and everything that they caused"},
			{Name: "Catalog", Description: "Everything that can be simulated"},
		},
		Components:     &huma.Components{Schemas: schemas},
		OnAddOperation: []huma.AddOpFunc{documentOperation},
	}
	h := humago.New(a.mux, huma.Config{
		OpenAPI: document, Formats: envelope.Formats, DefaultFormat: "application/json",
		RejectUnknownQueryParameters: true, Transformers: []huma.Transformer{a.logError, envelope.TransformError},
	})
	h.UseMiddleware(a.receive)
	encoded := sync.OnceValue(func() []byte {
		for _, s := range schemas.Map() {
			for _, property := range s.Properties {
				property.PatternDescription = "" // for messages of huma; not part of OpenAPI
			}
		}
		return apierror.Encode(document)
	})
	a.mux.HandleFunc("GET "+Prefix+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encoded())
	})
	return h
}

// schemaName returns the name of a type with its package, since several packages have a Match.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch pkg := path.Base(t.PkgPath()); {
	case pkg == "apierror":
		return "Api" + strings.TrimPrefix(name, "Api")
	case pkg == "." || pkg == "control" || strings.HasPrefix(strings.ToLower(name), pkg):
		return strings.TrimSuffix(name, "Body")
	default:
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
}

// duration is the schema of input.Duration.
type duration string

// Schema describes durations.
func (duration) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{
		Type: huma.TypeString, Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`,
		PatternDescription: "a duration such as 30s or 1h30m", Examples: []any{"30s"},
	}
	s.PrecomputeMessages()
	return s
}

// examples are requests by operation.
var examples = map[string]json.RawMessage{
	"add-faults":       json.RawMessage(`{"match":{"provider":"kraken"},"effect":{"kind":"inverted"},"when":{"max_hits":2}}`),
	"advance-clock":    json.RawMessage(`{"by":"37s"}`),
	"assert-journal":   json.RawMessage(`{"match":{"operation":"resolve-account","status":404},"count":1}`),
	"create-world":     json.RawMessage(`{"id":"TestCheckout/pays","seed":"checkout","clock":{"now":"2026-11-16T12:00:00Z","frozen":true}}`),
	"mine-blocks":      json.RawMessage(`{"blocks":1}`),
	"fork-world":       json.RawMessage(`{"id":"TestCheckout/fails"}`),
	"play-scenario":    json.RawMessage(`{"scenario":"dai-2020"}`),
	"put-receiver":     json.RawMessage(`{"url":"http://127.0.0.1:3000/webhooks"}`),
	"queue-outcomes":   json.RawMessage(`{"operation":"resolve-account","outcomes":["unknown","all_down"]}`),
	"reorganize-chain": json.RawMessage(`{"depth":2}`),
	"send-transfer":    json.RawMessage(`{"to":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed","currency":"USDT","amount":"10.5"}`),
	"set-account":      json.RawMessage(`{"account_name":"TEST ADA OKAFOR"}`),
	"set-clock":        json.RawMessage(`{"frozen":true}`),
	"set-market":       json.RawMessage(`{"pin":"1400.50"}`),
}

// documentOperation documents an operation. huma calls it for each one.
func documentOperation(_ *huma.OpenAPI, op *huma.Operation) {
	envelope.Document(op)
	if op.RequestBody != nil {
		op.RequestBody.Content["application/json"].Example = examples[op.OperationID]
	}
}

// receive is huma middleware. It reads the body.
func (a *api) receive(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	if ctx.Operation().RequestBody != nil {
		release, err := middleware.ReadBody(w, r, bodyLimit, middleware.Budget{
			All: middleware.NewLimiter(0), Shares: middleware.NewShares(0, nil),
		})
		if err != nil {
			_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err)
			return
		}
		defer release()
	}
	next(ctx)
}

// output is the response of an operation.
type output[T any] struct{ Body envelope.Success[T] }

// register registers an operation whose result becomes the data of a success envelope.
func register[I, T any](a *api, op huma.Operation, message string, handler func(context.Context, *I) (T, error)) {
	registerRaw(a, op, func(ctx context.Context, in *I) (*output[T], error) {
		data, err := handler(ctx, in)
		return &output[T]{envelope.NewSuccess(message, data)}, err
	})
}

// registerInWorld registers an operation about the world of the path.
func registerInWorld[I interface{ id() string }, T any](
	a *api, op huma.Operation, message string, handler func(context.Context, *world.World, *I) (T, error),
) {
	op.Path = "/worlds/{id}" + op.Path
	register(a, op, message, func(ctx context.Context, in *I) (out T, err error) {
		w, err := a.worlds.Find((*in).id())
		if err != nil {
			return out, err
		}
		return handler(ctx, w, in)
	})
}

// registerChange registers an operation that changes the world of the path.
func registerChange[I interface{ id() string }, T any](
	a *api, op huma.Operation, message string, handler func(context.Context, *world.World, *I) (T, error),
) {
	a.changes = append(a.changes, op.OperationID)
	op.Middlewares = huma.Middlewares{a.change}
	op.Errors = append(op.Errors, http.StatusServiceUnavailable)
	registerInWorld(a, op, message, handler)
}

// registerRaw registers an operation whose result is the response.
func registerRaw[I, O any](a *api, op huma.Operation, handler func(context.Context, *I) (*O, error)) {
	op.Path = Prefix + op.Path
	op.Errors = append(op.Errors, http.StatusBadRequest)
	if strings.Contains(op.Path, "{id}") {
		op.Errors = append(op.Errors, http.StatusNotFound, http.StatusGone)
	}
	if op.Method != http.MethodGet {
		op.Errors = append(op.Errors, http.StatusForbidden)
	}
	if in := reflect.TypeFor[I](); in.Kind() == reflect.Struct {
		if _, ok := in.FieldByName("Body"); ok {
			op.MaxBodyBytes = -1 // receive limits it
			op.Errors = append(op.Errors, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
		}
	}
	huma.Register(a.huma, op, handler)
}

// change is huma middleware of operations that change a world. It builds the services of the world first, so that
// they see the change, keeps the world alive during the call, and records a call that succeeds in its journal.
func (a *api) change(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	changed, err := a.worlds.Find(ctx.Param("id"))
	if err == nil {
		defer a.worlds.Hold(changed)()
		err = a.worlds.Ready(r.Context(), changed)
	}
	if err != nil {
		_ = huma.WriteErr(a.huma, ctx, http.StatusInternalServerError, "", err)
		return
	}
	entry := changed.Journal().BeginControl(ctx.Operation().OperationID, r)
	if ctx.Operation().RequestBody != nil {
		body, _ := io.ReadAll(r.Body) // receive has read it already
		r.Body = io.NopCloser(bytes.NewReader(body))
		entry.Body(body)
	}
	next(ctx)
	if status := ctx.Status(); status < http.StatusBadRequest {
		if a.Webhooks != nil {
			a.Webhooks.Deliver(r.Context(), changed)
		}
		entry.End(w.Header().Get(apierror.RequestIDHeader), journal.Answer{Status: status, ContentType: "application/json"})
	}
}
