package httpapi

import "net/http"

// errorName is the name of an error on the wire. Names are added, never renamed.
type errorName string

const (
	badRequest           errorName = "bad_request"
	requestValidation    errorName = "request_validation"
	unauthorized         errorName = "unauthorized"
	forbidden            errorName = "forbidden"
	notFound             errorName = "not_found"
	methodNotAllowed     errorName = "method_not_allowed"
	conflict             errorName = "conflict"
	worldExpired         errorName = "world_expired"
	payloadTooLarge      errorName = "payload_too_large"
	unsupportedMediaType errorName = "unsupported_media_type"
	tooManyRequests      errorName = "too_many_requests"
	internalServerError  errorName = "internal_server_error"
	serviceUnavailable   errorName = "service_unavailable"
)

// errorKind is what all errors of one name share.
type errorKind struct {
	status    int
	title     string
	retryable bool   // the same request may succeed later, unchanged
	explain   string // for the page /errors/{code}: what happened and what to do
}

var errorKinds = map[errorName]errorKind{
	badRequest: {
		http.StatusBadRequest, "The request cannot be read", false,
		"The body is not JSON, is nested too deeply, names a field twice, is not valid UTF-8, or the request is malformed in another way. The message says where. Correct the request; sending it again unchanged gives the same answer.",
	},
	requestValidation: {
		http.StatusBadRequest, "A field is not valid", false,
		"One or more fields or parameters are missing or wrong. \"fields\" names each of them, with the value given, what is accepted and where to find it. Nothing was asked of a bank or another provider.",
	},
	unauthorized: {
		http.StatusUnauthorized, "A valid key is needed", false,
		"This operation needs the header \"Authorization: Bearer <key>\" with a key of this installation. The key is missing or not one of them.",
	},
	forbidden: {
		http.StatusForbidden, "Not allowed", false,
		"The key is known, and it may not do this.",
	},
	notFound: {
		http.StatusNotFound, "Not found", false,
		"What was asked for surely does not exist: an account at that bank, a pair, a currency, or a path. An outage is never reported this way.",
	},
	methodNotAllowed: {
		http.StatusMethodNotAllowed, "Method not allowed", false,
		"The path exists, and it does not take this method. The header \"Allow\" names the methods that it takes.",
	},
	conflict: {
		http.StatusConflict, "Conflict", false,
		"The request contradicts the present state of what it is about. Read that state again, then decide.",
	},
	worldExpired: {
		http.StatusGone, "The simulated world has expired", false,
		"Sandbox only: the world that the request names was not used for a while and is gone. Create it again, or use another one.",
	},
	payloadTooLarge: {
		http.StatusRequestEntityTooLarge, "The body is too large", false,
		"The body of the request is larger than the operation reads. The message names the limit.",
	},
	unsupportedMediaType: {
		http.StatusUnsupportedMediaType, "The encoding of the body is not supported", false,
		"The request has a \"Content-Encoding\" that is not spoken here. Send the body without compression. The \"Content-Type\" is never the reason.",
	},
	tooManyRequests: {
		http.StatusTooManyRequests, "Too many requests", true,
		"The limit of requests is used up. Wait as long as \"Retry-After\" says.",
	},
	internalServerError: {
		http.StatusInternalServerError, "Internal error", true,
		"Something is wrong on our side. It is logged under the request id; please quote that id when you report it.",
	},
	serviceUnavailable: {
		http.StatusServiceUnavailable, "Cannot be told right now", true,
		"A provider that the answer depends on is out of reach, or there is no fresh data. The question may be right: ask again after \"Retry-After\" seconds. Nothing was guessed.",
	},
}
