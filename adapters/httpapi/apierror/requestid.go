package apierror

import (
	"net/http"
	"strings"

	"causeway/core"
)

// RequestIDHeader carries the ID of a request, in the request and in the response.
const RequestIDHeader = "X-Request-Id"

const (
	idPrefix   = "req_"
	minID      = len(idPrefix) + 12
	maxID      = 128
	idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz" // Crockford's base 32
)

// RequestID returns the ID that the client sent if it is well-formed, or a new one.
func RequestID(r *http.Request, entropy core.Entropy) string {
	if sent := r.Header[RequestIDHeader]; len(sent) == 1 && isRequestID(sent[0]) {
		return sent[0]
	}
	id := make([]byte, 0, 24)
	id = append(id, idPrefix...)
	for bits, left := entropy(), 64; left > 0; bits, left = bits>>5, left-5 {
		id = append(id, idAlphabet[bits&31])
	}
	return string(id)
}

func isRequestID(id string) bool {
	rest, ok := strings.CutPrefix(id, idPrefix)
	if !ok || len(id) < minID || len(id) > maxID {
		return false
	}
	for _, c := range []byte(rest) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}
