package upstream

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
)

// Question is a request to a provider. It must be safe to repeat, whatever its method.
type Question struct {
	Op     string // name in metrics and logs: a constant of the adapter
	Method string // empty: GET
	Path   string
	Query  url.Values
	Header http.Header // in addition to those of the client, which it overrides
	Body   []byte      // JSON; nil: none

	// Scope is the part of the provider that the call depends on and that may be down alone, such
	// as a bank, identified by a code. It has a breaker of its own. It appears in no log or metric.
	// Empty: the provider as a whole.
	Scope string

	// Conditional is for a GET of data that rarely changes. If the response had an ETag or
	// Last-Modified and read accepted it, the next request is conditional, and read receives the
	// stored body if it is unchanged. A client stores up to 64 responses and 8 MiB, by path and
	// query.
	Conditional bool

	Cost   int  // in the unit of the limits of the provider, such as the weight of Binance; 0: 1
	Urgent bool // a client waits: may use the reserve of the limits, and does not wait for them
}

// request builds the HTTP request.
func (c *Client) request(ctx context.Context, q Question) (*http.Request, error) {
	target := c.base
	target.Path += q.Path
	target.RawQuery = q.Query.Encode()
	request, err := http.NewRequestWithContext(ctx, q.Method, target.String(), bytes.NewReader(q.Body))
	if err != nil {
		return nil, err
	}
	request.Header = c.header.Clone()
	if q.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, values := range q.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	return request, nil
}
