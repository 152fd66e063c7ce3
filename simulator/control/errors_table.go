package control

import "causeway/adapters/httpapi/apierror"

// errorDocs describe the errors of the control API.
var errorDocs = map[apierror.Name]struct {
	title   string
	example string
}{
	apierror.BadRequest:           {"The body cannot be read", "The body is no JSON: it goes wrong at byte 12; send an object, such as {\"by\": …}"},
	apierror.RequestValidation:    {"A member, a parameter or a name is not accepted", "The request is not valid"},
	apierror.Forbidden:            {"The request comes from a page of another origin", "The request comes from a page of another origin"},
	apierror.NotFound:             {"There is no such world, or nothing of that name in it", "There is no world \"checkout\""},
	apierror.MethodNotAllowed:     {"The path does not take the method", "/_sim/v1/worlds takes GET, HEAD, OPTIONS, POST; \"PATCH\" is not one of them"},
	apierror.Conflict:             {"A world of that id is alive", "The world \"checkout\" is alive already: use it as it is, reset it, or delete it first"},
	apierror.WorldExpired:         {"The world has ended: it was deleted, or nobody used it for a while", "The world \"checkout\" has ended"},
	apierror.PayloadTooLarge:      {"The body is too large", "The body is larger than 1048576 bytes, the limit of this operation"},
	apierror.UnsupportedMediaType: {"The encoding of the body is not supported", "Content-Encoding \"br\" is not supported; send the body without compression"},
	apierror.TooManyRequests:      {"As many worlds are alive as there can be", "1000 worlds are alive, and there can be no more"},
	apierror.InternalServerError:  {"Something is wrong on our side", "Internal error"},
	apierror.ServiceUnavailable:   {"The call was cut off before it was done", "The call was cut off before it was done"},
}
