package apierror

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Name is the name of an error on the wire. Names are added, never renamed.
type Name string

// The names.
const (
	BadRequest           Name = "bad_request"
	RequestValidation    Name = "request_validation"
	Unauthorized         Name = "unauthorized"
	Forbidden            Name = "forbidden"
	NotFound             Name = "not_found"
	MethodNotAllowed     Name = "method_not_allowed"
	Conflict             Name = "conflict"
	CursorExpired        Name = "cursor_expired"
	WorldExpired         Name = "world_expired"
	PayloadTooLarge      Name = "payload_too_large"
	UnsupportedMediaType Name = "unsupported_media_type"
	TooManyRequests      Name = "too_many_requests"
	InternalServerError  Name = "internal_server_error"
	ServiceUnavailable   Name = "service_unavailable"
)

// Kind is what all errors of one name share. The guide of errors explains each.
type Kind struct {
	Status    int
	Title     string
	Retryable bool // the same request may succeed later, unchanged
}

// Names returns all names, by status and then by name.
func Names() []Name {
	return slices.SortedFunc(maps.Keys(kinds), func(a, b Name) int {
		return cmp.Or(kinds[a].Status-kinds[b].Status, strings.Compare(string(a), string(b)))
	})
}

// Kind returns the kind of a name, and false if there is no such name.
func (n Name) Kind() (Kind, bool) {
	k, ok := kinds[n]
	return k, ok
}

// Status returns the HTTP status of the error; 200 for the empty name, which stands for no error.
func (n Name) Status() int {
	if k, ok := n.Kind(); ok {
		return k.Status
	}
	return http.StatusOK
}

var kinds = map[Name]Kind{
	BadRequest:           {http.StatusBadRequest, "The request cannot be read", false},
	RequestValidation:    {http.StatusBadRequest, "A field is not valid", false},
	Unauthorized:         {http.StatusUnauthorized, "A valid key is needed", false},
	Forbidden:            {http.StatusForbidden, "Not allowed", false},
	NotFound:             {http.StatusNotFound, "Not found", false},
	MethodNotAllowed:     {http.StatusMethodNotAllowed, "Method not allowed", false},
	Conflict:             {http.StatusConflict, "Conflict", false},
	CursorExpired:        {http.StatusGone, "What follows the cursor is no longer kept", false},
	WorldExpired:         {http.StatusGone, "The simulated world has expired", false},
	PayloadTooLarge:      {http.StatusRequestEntityTooLarge, "The body is too large", false},
	UnsupportedMediaType: {http.StatusUnsupportedMediaType, "The encoding of the body is not supported", false},
	TooManyRequests:      {http.StatusTooManyRequests, "Too many requests", true},
	InternalServerError:  {http.StatusInternalServerError, "Internal error", true},
	ServiceUnavailable:   {http.StatusServiceUnavailable, "Temporarily unavailable", true},
}
