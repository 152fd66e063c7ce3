package upstream

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
)

// Question is what a provider is asked. Whatever its method, it changes nothing there, so that it may be asked twice.
type Question struct {
	Op     string // names the question in metrics and logs: a constant of the adapter
	Method string // empty: GET
	Path   string
	Query  url.Values
	Header http.Header // besides the client's own; replaces what is there
	Body   []byte      // JSON; nil: none

	// Scope is the part of the provider that the question depends on and that may be down alone: a bank, by a code of it. Where it alone
	// fails it alone is not asked any more. It is in no log or metric. Empty: the whole provider.
	Scope string

	// Conditional is for a GET of what seldom changes: where its answer came with an ETag or a Last-Modified, and read accepted it, the next one asks
	// whether it is unchanged, and read gets the same body again. Answers are kept in memory by path and query, 64 and 8 MiB of a client.
	Conditional bool

	Cost   int  // of a call, in the unit of the provider's Limits, for example Binance's weight; 0: 1
	Urgent bool // somebody waits for the answer: it may use the reserve of the Limits, and does not wait for its turn
}

// request writes a question down.
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
