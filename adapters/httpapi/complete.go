package httpapi

import (
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// complete adds to the description of an operation what all have in common: the errors that any may answer, who may call, the limit of calls, and
// the headers of whoever stands before the API.
func (a *API) complete(op *huma.Operation, o *operation) {
	front := a.config.Front
	always := []errorName{tooManyRequests, internalServerError, serviceUnavailable}
	op.Security = []map[string][]string{{}, {"bearer": {}}} // a key may have a limit of its own where none is needed
	if o.keyed {
		always = append(always, unauthorized, forbidden)
		op.Security = op.Security[1:]
	}
	for _, name := range front.Errors {
		always = append(always, errorName(name))
	}
	a.addErrors(op.Responses, always)
	for _, h := range front.Asks {
		op.Parameters = append(op.Parameters, &huma.Param{Name: h.Name, In: "header", Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	for _, response := range op.Responses {
		for _, h := range front.Tells {
			response.Headers[h.Name] = &huma.Param{Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString}}
		}
		if !o.limit.None() {
			maps.Copy(response.Headers, limitHeaders())
		}
	}
}

// limitHeaders describe a limit as tell writes it.
func limitHeaders() map[string]*huma.Param {
	text := func(doc, example string) *huma.Param {
		return &huma.Param{Description: doc, Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}}}
	}
	return map[string]*huma.Param{
		"RateLimit":        text("How many calls may follow at once (r), and after how many seconds more may (t): draft-ietf-httpapi-ratelimit-headers-10", `"list-pairs";r=1199;t=1`),
		"RateLimit-Policy": text("How many calls the caller has (q) in so many seconds (w)", `"list-pairs";q=1200;w=60`),
		headerRateLimit:    text("The same as a number: calls of the policy", "1200"),
	}
}

// addErrors adds those errors that are not described yet.
func (a *API) addErrors(all map[string]*huma.Response, names []errorName) {
	for _, name := range names {
		for status, more := range a.errorResponses([]errorName{name}) {
			r := all[status]
			if r == nil {
				all[status] = more
				continue
			}
			if r.Content[typeJSON[0]].Examples[string(name)] != nil {
				continue
			}
			r.Description += alternative(more.Description)
			for form, content := range more.Content {
				maps.Copy(r.Content[form].Examples, content.Examples)
			}
			maps.Copy(r.Headers, more.Headers)
		}
	}
}

// alternative is one more thing that a status may mean.
func alternative(title string) string { return ", or: " + strings.ToLower(title[:1]) + title[1:] }
