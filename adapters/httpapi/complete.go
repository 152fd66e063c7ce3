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
	if o.keyed {
		always = append(always, unauthorized, forbidden)
		op.Security = []map[string][]string{{"bearer": {}}}
	}
	for _, name := range front.Errors {
		always = append(always, errorName(name))
	}
	a.addErrors(op.Responses, always)
	for _, h := range front.Asks {
		op.Parameters = append(op.Parameters, &huma.Param{Name: h.Name, In: "header", Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString}})
	}
	for _, response := range op.Responses {
		maps.Copy(response.Headers, a.described.front)
		if !o.limit.None() {
			maps.Copy(response.Headers, a.described.limits)
		}
	}
}

// described is what many answers share in the document, each described once.
type described struct {
	requestID, retryAfter *huma.Param
	front, limits         map[string]*huma.Param
	errors                map[errorName]errorExamples
}

// errorExamples are an error in both of its forms.
type errorExamples struct{ envelope, problem *huma.Example }

func describeShared(front Front) described {
	d := described{
		retryAfter: &huma.Param{
			Description: "Seconds to wait before asking again", Schema: &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9]+$", Examples: []any{"5"}},
		},
		requestID: &huma.Param{
			Description: "Id of the request, for support",
			Schema:      &huma.Schema{Type: huma.TypeString, Pattern: "^req_[0-9A-Za-z]{12,}$", Examples: []any{exampleID}},
		},
		front: map[string]*huma.Param{}, limits: limitHeaders(), errors: map[errorName]errorExamples{},
	}
	for name, kind := range errorKinds {
		f := &failure{name: name, message: kind.title}
		if name == requestValidation {
			f = failureOf(invalid(oneOf("type", "shell", "fiat", "crypto")))
		}
		d.errors[name] = errorExamples{&huma.Example{Summary: kind.title, Value: f.envelope(exampleID)}, &huma.Example{Summary: kind.title, Value: f.problem(exampleID)}}
	}
	for _, h := range front.Tells {
		d.front[h.Name] = &huma.Param{Description: h.Doc, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return d
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
