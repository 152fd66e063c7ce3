package apierror

import (
	"net/http"
	"regexp"

	"causeway/core"
)

// RequestIDHeader carries the ID of a request, in the request and in the response.
const RequestIDHeader = "X-Request-Id"

// requestID matches the IDs of clients that are kept.
var requestID = regexp.MustCompile(`^req_[0-9A-Za-z]{12,124}$`)

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base 32

// RequestID returns the ID that the client sent if it is well-formed, or a new one.
func RequestID(r *http.Request, entropy core.Entropy) string {
	if sent := r.Header[RequestIDHeader]; len(sent) == 1 && requestID.MatchString(sent[0]) {
		return sent[0]
	}
	id := append(make([]byte, 0, 24), "req_"...)
	for bits, left := entropy(), 64; left > 0; bits, left = bits>>5, left-5 {
		id = append(id, idAlphabet[bits&31])
	}
	return string(id)
}
