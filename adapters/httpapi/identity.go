package httpapi

import (
	"strings"

	"causeway/core"
)

const (
	requestPrefix  = "req_"
	minRequestID   = len(requestPrefix) + 12
	maxRequestID   = 128
	traceLength    = len("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	noTrace        = "00000000000000000000000000000000"
	noParent       = "0000000000000000"
	base32Alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// requestID keeps a well-formed id that the client sent, and makes one otherwise.
func requestID(sent []string, entropy core.Entropy) string {
	if len(sent) == 1 && isRequestID(sent[0]) {
		return sent[0]
	}
	id := make([]byte, 0, 24)
	id = append(id, requestPrefix...)
	for bits, left := entropy(), 64; left > 0; bits, left = bits>>5, left-5 {
		id = append(id, base32Alphabet[bits&31])
	}
	return string(id)
}

func isRequestID(id string) bool {
	if len(id) < minRequestID || len(id) > maxRequestID || !strings.HasPrefix(id, requestPrefix) {
		return false
	}
	for _, c := range []byte(id[len(requestPrefix):]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// traceID reads the trace id of a W3C traceparent, or returns "" where there is none that is well-formed.
func traceID(parents []string) string {
	if len(parents) != 1 || !isTraceparent(parents[0]) {
		return ""
	}
	trace, parent := parents[0][3:35], parents[0][36:52]
	if trace == noTrace || parent == noParent {
		return ""
	}
	return trace
}

// isTraceparent reports whether p is version-trace-parent-flags in lower-case hex. A version after 00 may go on behind that.
func isTraceparent(p string) bool {
	if len(p) < traceLength || len(p) > traceLength && (p[:2] == "00" || p[traceLength] != '-') {
		return false
	}
	for i := range traceLength {
		if dash := i == 2 || i == 35 || i == 52; dash != (p[i] == '-') || !dash && !isHex(p[i]) {
			return false
		}
	}
	return p[:2] != "ff"
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
