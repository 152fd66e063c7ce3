package httpapi

import (
	"net/http"
	"reflect"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// Error and GetStatus make errorBody huma's own error, so that one schema describes all of them. huma makes none: every
// operation is without input to it.
func (e *errorBody) Error() string { return e.Detail.Message }

// GetStatus is the status of an error that huma makes.
func (e *errorBody) GetStatus() int { return http.StatusInternalServerError }

// tuneHuma sets what huma keeps in package variables, once.
var tuneHuma = sync.OnceFunc(func() { //nolint:gochecknoglobals // huma's settings are global to the process
	huma.DefaultArrayNullable = false
	huma.NewError = func(int, string, ...error) huma.StatusError {
		body := fail(internalServerError, "Internal error").envelope("")
		return &body
	}
})

const description = `One HTTP API for the edges of a payment in Africa: which banks and wallets there are, whose account that is, whether a crypto address can be paid, and what a currency costs.

**Answers.** Success is ` + "`{\"status\":\"success\",\"message\":…,\"data\":…}`" + `; an error is ` + "`{\"error\":{\"name\":…,\"message\":…},\"request_id\":…}`" + `, with ` + "`fields`" + ` where fields are at fault. With ` + "`Accept: application/problem+json`" + ` errors come as RFC 9457. Every error name has a page at ` + "`/errors/<name>`" + `.

**Numbers.** Amounts, prices and precisions are decimal strings. Times are RFC 3339 in UTC.

**Requests.** Unknown parameters and fields are ignored; codes are taken in any case; paths are taken exactly as written. Every answer has an ` + "`X-Request-Id`" + `; one that you send (` + "`req_`" + ` and 12 or more letters or digits) is kept. Lists have a strong ` + "`ETag`" + ` and come in gzip and zstd.`

const sandboxDescription = "\n\n**This is a sandbox.** Every bank account, name and price is simulated; nothing here is real. The examples can be sent as they are."

// describe starts the OpenAPI document. Operations join it as they are registered.
func (a *API) describe() *huma.OpenAPI {
	tuneHuma()
	a.schemas = huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
		return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
	})
	a.described = describeShared(a.config.Front)
	text, server := description, "This service"
	if a.config.Sandbox {
		text, server = description+sandboxDescription, "This sandbox: simulated data"
	}
	document := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info:    &huma.Info{Title: "Causeway", Version: a.config.Version, Description: text},
		Servers: []*huma.Server{{URL: "/", Description: server}},
		Tags: []*huma.Tag{
			{Name: "Banks", Description: "Banks and other institutions that hold accounts"},
			{Name: "Recipients", Description: "Who holds an account"},
			{Name: "Addresses", Description: "Whether a crypto address can be paid"},
			{Name: "Pairs", Description: "What currencies cost"},
			{Name: "Reference", Description: "What the codes mean"},
		},
		Components: &huma.Components{
			Schemas: a.schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"bearer": {Type: "http", Scheme: "bearer", Description: "A key of this installation"},
			},
		},
	}
	api := humago.New(a.mux, huma.Config{OpenAPI: document, Formats: huma.DefaultFormats, DefaultFormat: typeJSON[0]})
	a.group = huma.NewGroup(api, "/v1")
	return document
}
