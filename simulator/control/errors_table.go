package control

import "net/http"

// name is the name of an error on the wire: those of the public API.
type name string

const (
	badRequest           name = "bad_request"
	requestValidation    name = "request_validation"
	forbidden            name = "forbidden"
	notFound             name = "not_found"
	methodNotAllowed     name = "method_not_allowed"
	conflict             name = "conflict"
	worldExpired         name = "world_expired"
	payloadTooLarge      name = "payload_too_large"
	unsupportedMediaType name = "unsupported_media_type"
	tooManyRequests      name = "too_many_requests"
	internalServerError  name = "internal_server_error"
	serviceUnavailable   name = "service_unavailable"
)

// errorKinds are the statuses of the errors, and what each is about.
var errorKinds = map[name]struct {
	status  int
	title   string
	example string
}{
	badRequest:           {http.StatusBadRequest, "The body cannot be read", "The body is no JSON: it goes wrong at byte 12; send an object, such as {\"by\": …}"},
	requestValidation:    {http.StatusBadRequest, "A member, a parameter or a name is not accepted", "The request is not valid"},
	forbidden:            {http.StatusForbidden, "The request comes from a page of another origin", "The request comes from a page of another origin"},
	notFound:             {http.StatusNotFound, "There is no such world, or nothing of that name in it", "There is no world \"checkout\""},
	methodNotAllowed:     {http.StatusMethodNotAllowed, "The path does not take the method", "/_sim/v1/worlds takes GET, HEAD, OPTIONS, POST; \"PATCH\" is not one of them"},
	conflict:             {http.StatusConflict, "A world of that id is alive", "The world \"checkout\" is alive already: use it as it is, reset it, or delete it first"},
	worldExpired:         {http.StatusGone, "The world has ended: it was deleted, or nobody used it for a while", "The world \"checkout\" has ended"},
	payloadTooLarge:      {http.StatusRequestEntityTooLarge, "The body is too large", "The body is larger than 1048576 bytes, the limit of this operation"},
	unsupportedMediaType: {http.StatusUnsupportedMediaType, "The encoding of the body is not supported", "Content-Encoding \"br\" is not supported; send the body without compression"},
	tooManyRequests:      {http.StatusTooManyRequests, "As many worlds are alive as there can be", "1000 worlds are alive, and there can be no more"},
	internalServerError:  {http.StatusInternalServerError, "Something is wrong on our side", "Internal error"},
	serviceUnavailable:   {http.StatusServiceUnavailable, "The call was cut off before it was done", "The call was cut off before it was done"},
}
