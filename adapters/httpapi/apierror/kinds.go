package apierror

import (
	"maps"
	"net/http"
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
	WorldExpired         Name = "world_expired"
	PayloadTooLarge      Name = "payload_too_large"
	UnsupportedMediaType Name = "unsupported_media_type"
	TooManyRequests      Name = "too_many_requests"
	InternalServerError  Name = "internal_server_error"
	ServiceUnavailable   Name = "service_unavailable"
)

// Kind is what all errors of one name share.
type Kind struct {
	Status      int
	Title       string
	Retryable   bool   // the same request may succeed later, unchanged
	Explanation string // for the page /errors/{name}: what happened and what to do
}

// Kinds returns the kind of every name.
func Kinds() map[Name]Kind { return maps.Clone(kinds) }

// Kind returns the kind of a name, and false if there is no such name.
func (n Name) Kind() (Kind, bool) {
	k, ok := kinds[n]
	return k, ok
}

var kinds = map[Name]Kind{
	BadRequest: {
		http.StatusBadRequest, "The request cannot be read", false,
		"The body is not JSON, is nested too deeply, or the request is malformed in another way. The message " +
			"says how. Correct the request; the same request fails again.",
	},
	RequestValidation: {
		http.StatusBadRequest, "A field is not valid", false,
		"One or more fields or parameters are missing or wrong. \"fields\" names each of them, with the value " +
			"given, what is accepted and where to find it. No request was sent to a bank or another provider.",
	},
	Unauthorized: {
		http.StatusUnauthorized, "A valid key is needed", false,
		"This operation needs the header \"Authorization: Bearer <key>\" with a key of this installation. The " +
			"key is missing or not valid.",
	},
	Forbidden: {
		http.StatusForbidden, "Not allowed", false,
		"The key is valid, but it does not allow this operation.",
	},
	NotFound: {
		http.StatusNotFound, "Not found", false,
		"The account at that bank, the pair, the currency or the path does not exist. An outage is never " +
			"reported this way.",
	},
	MethodNotAllowed: {
		http.StatusMethodNotAllowed, "Method not allowed", false,
		`The path exists, but it does not accept this method. The header "Allow" lists the methods that it accepts.`,
	},
	Conflict: {
		http.StatusConflict, "Conflict", false,
		"The request contradicts the present state of its subject. Read that state again, then decide.",
	},
	WorldExpired: {
		http.StatusGone, "The simulated world has expired", false,
		"Sandbox only: the world that the request names has ended or was not used for a while. Create it again, " +
			"or use another one.",
	},
	PayloadTooLarge: {
		http.StatusRequestEntityTooLarge, "The body is too large", false,
		"The body of the request is larger than the operation accepts. The message names the limit.",
	},
	UnsupportedMediaType: {
		http.StatusUnsupportedMediaType, "The encoding of the body is not supported", false,
		"The \"Content-Encoding\" of the request is not supported. Send the body without compression. The " +
			"\"Content-Type\" is never the reason.",
	},
	TooManyRequests: {
		http.StatusTooManyRequests, "Too many requests", true,
		`The rate limit is used up. Wait for as many seconds as "Retry-After" says.`,
	},
	InternalServerError: {
		http.StatusInternalServerError, "Internal error", true,
		"The service failed. The log has the cause under the request ID; quote that ID when you report it.",
	},
	ServiceUnavailable: {
		http.StatusServiceUnavailable, "Temporarily unavailable", true,
		"A provider that the response depends on is not available, or there is no fresh data. The request may " +
			"be right: " +
			`retry after "Retry-After" seconds. Responses are never guessed.`,
	},
}
