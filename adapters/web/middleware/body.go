package middleware

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"causeway/adapters/web/apierror"
	"causeway/core"
)

const (
	// freeBody is the size up to which a body needs no budget, so that clients that stall large
	// bodies cannot keep ordinary requests out. The number of connections bounds the memory for
	// these.
	freeBody = 4 << 10
	// bodyStep is the unit in which a growing body takes budget: a body takes what arrived, not
	// what its header promises.
	bodyStep = 32 << 10
	// maxDrained is how much of an unread body is read, in bytes, as in net/http.
	maxDrained = 256 << 10
	// maxDepth is how deep arrays and objects of a body may be nested.
	maxDepth = 32
	// maxValues bounds the values of a body: decoded, a small value takes 50 times its size.
	maxValues = 1 << 16
	// bodyRetry is the Retry-After of a request that the budget has no room for.
	bodyRetry = time.Second
)

// DrainBody reads what nothing read of a body, as far as net/http does, also if the client wants
// the connection closed: closing a connection with unread data resets it, which can destroy the
// response on its way.
func DrainBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := r.Body
		next.ServeHTTP(w, r)
		if r.ContentLength != 0 && r.Close && r.Header.Get("Expect") == "" {
			_, _ = io.CopyN(io.Discard, body, maxDrained)
		}
	})
}

// Budget is the memory for the bodies of a client, in bytes: a share of the memory for all bodies.
type Budget struct {
	All    *Limiter
	Shares *Shares
	Client netip.Prefix
}

func (b Budget) acquire(n int64) error {
	if !b.Shares.Acquire(b.Client, n) {
		e := apierror.New(apierror.TooManyRequests, "Your address is sending too many large bodies at once; wait for "+
			"the responses")
		e.RetryAfter = bodyRetry
		return e
	}
	if !b.All.Acquire(n) {
		b.Shares.Release(b.Client, n)
		e := apierror.New(apierror.ServiceUnavailable, "The service is receiving too many large bodies; "+
			"retry in a moment")
		e.RetryAfter = bodyRetry
		return e
	}
	return nil
}

func (b Budget) release(n int64) {
	b.Shares.Release(b.Client, n)
	b.All.Release(n)
}

// ReadBody replaces the body of r, which must be JSON of at most limit bytes, by one in memory. The
// caller calls release when the request is done.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64, budget Budget) (release func(), err error) {
	for _, coding := range r.Header["Content-Encoding"] {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return nil, apierror.New(apierror.UnsupportedMediaType,
				"Content-Encoding %s is not supported; send the body without compression", core.Quoted(coding))
		}
	}
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	in := &budgeted{in: http.MaxBytesReader(w, r.Body, limit), budget: budget}
	var out bytes.Buffer
	out.Grow(int(min(max(r.ContentLength, 0), freeBody)) + bytes.MinRead) // the room that ReadFrom needs
	if _, err := out.ReadFrom(in); err != nil {
		in.release()
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, tooLarge(limit)
		}
		if e, ok := errors.AsType[*apierror.Error](err); ok {
			return nil, e
		}
		return nil, apierror.New(apierror.BadRequest, "The body did not arrive completely; send it again")
	}
	if err := checkShape(out.Bytes()); err != nil {
		in.release()
		return nil, err
	}
	r.Body = io.NopCloser(&out)
	r.Header.Set("Content-Type", "application/json") // whatever the client says: curl -d sends form-urlencoded
	return in.release, nil
}

func tooLarge(limit int64) error {
	return apierror.New(apierror.PayloadTooLarge, "The body is larger than %d bytes, the limit of this operation",
		limit)
}

// budgeted takes budget for what it reads.
type budgeted struct {
	in          io.Reader
	budget      Budget
	read, taken int64
}

// Read reads on, or fails if the budget is exhausted.
func (b *budgeted) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	b.read += int64(n)
	for b.read > freeBody+b.taken {
		if err := b.budget.acquire(bodyStep); err != nil {
			return n, err
		}
		b.taken += bodyStep
	}
	return n, err
}

func (b *budgeted) release() {
	b.budget.release(b.taken)
	b.taken = 0
}

// checkShape bounds the memory that decoding takes. It looks at brackets and commas alone; the
// decoder judges the rest.
func checkShape(body []byte) error {
	depth, values, inString := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return apierror.New(apierror.BadRequest, "The body is nested more than %d levels deep", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		case c == ',':
			if values++; values >= maxValues {
				return apierror.New(apierror.BadRequest, "The body has more than %d values", maxValues)
			}
		}
	}
	return nil
}
