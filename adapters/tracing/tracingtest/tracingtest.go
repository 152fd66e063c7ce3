// Package tracingtest is a collector of traces for tests: an http.Handler for a socket, and an http.RoundTripper in the place of one. It keeps what it
// was sent, takes it apart by the protocol's field numbers, and answers as it is told. It judges nothing.
package tracingtest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Span is a span as it came.
type Span struct {
	Trace, ID, Parent, Name string // ids in hex
	Kind                    uint64 // 1 internal, 2 server, 3 client
	Failed                  bool
	Start, End              time.Time
	Attributes              map[string]string // numbers in decimal
	Resource                map[string]string
}

// Collector takes traces. The zero value answers 200 to everything.
type Collector struct {
	// Answer decides what is said to a request, after its spans were noted; nil, or a status of 0: 200 and they are kept. What is not answered with 200 is not kept.
	Answer func(n int) (status int, header http.Header, body []byte)

	mu       sync.Mutex
	requests []*http.Request
	raw      bytes.Buffer
	spans    []Span
}

// Listen serves a collector on a loopback port until the test ends, and returns its URL.
func (c *Collector) Listen(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return server.URL
}

// Spans are those that were kept so far, in the order in which they came.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}

// Requests are those that came, without their bodies.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*http.Request(nil), c.requests...)
}

// Raw is every byte of every body.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.raw.Bytes())
}

// patience is how long Await waits; polled so often.
const (
	patience = 30 * time.Second
	look     = 20 * time.Millisecond
)

// Await waits until the spans are enough, and returns them.
func (c *Collector) Await(t testing.TB, enough func([]Span) bool) []Span {
	t.Helper()
	end, again := time.NewTimer(patience), time.NewTimer(look)
	defer end.Stop()
	defer again.Stop()
	for {
		spans := c.Spans()
		if enough(spans) {
			return spans
		}
		select {
		case <-again.C:
			again.Reset(look)
		case <-end.C:
			t.Fatalf("the spans did not come; these did: %+v", spans)
		}
	}
}

// ServeHTTP takes a request from a socket.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, header, answer, err := c.take(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	maps.Copy(w.Header(), header)
	w.WriteHeader(status)
	_, _ = w.Write(answer)
}

// RoundTrip takes a request.
func (c *Collector) RoundTrip(r *http.Request) (*http.Response, error) {
	status, header, answer, err := c.take(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(answer)), Request: r}, nil
}

func (c *Collector) take(r *http.Request) (status int, header http.Header, answer []byte, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, nil, nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	_, _ = c.raw.Write(body)
	if c.Answer != nil {
		status, header, answer = c.Answer(len(c.requests))
	}
	if status == 0 || status == http.StatusOK {
		status = http.StatusOK
		c.spans = append(c.spans, read(body)...)
	}
	if header == nil {
		header = http.Header{}
	}
	return status, header, answer, nil
}

// read takes a request apart.
func read(body []byte) []Span {
	var out []Span
	for _, of := range parts(body)[1] {
		resource := map[string]string{}
		for _, r := range parts(of)[1] {
			resource = attributes(parts(r)[1])
		}
		for _, scope := range parts(of)[2] {
			for _, s := range parts(scope)[2] {
				span := spanOf(parts(s))
				span.Resource = resource
				out = append(out, span)
			}
		}
	}
	return out
}

func spanOf(s map[protowire.Number][][]byte) Span {
	span := Span{
		Trace: hex.EncodeToString(first(s[1])), ID: hex.EncodeToString(first(s[2])), Parent: hex.EncodeToString(first(s[4])), Name: string(first(s[5])),
		Kind: number(first(s[6])), Start: instant(s[7]), End: instant(s[8]), Attributes: attributes(s[9]),
	}
	span.Failed = number(first(parts(first(s[15]))[3])) == 2
	return span
}

func attributes(pairs [][]byte) map[string]string {
	out := map[string]string{}
	for _, p := range pairs {
		pair := parts(p)
		value := parts(first(pair[2]))
		if text, ok := value[1]; ok {
			out[string(first(pair[1]))] = string(first(text))
		} else {
			out[string(first(pair[1]))] = strconv.FormatInt(int64(number(first(value[3]))), 10) //nolint:gosec // as it was encoded
		}
	}
	return out
}

// parts are the fields of a message, each as it is behind its tag, without the length of what has one.
func parts(message []byte) map[protowire.Number][][]byte {
	out := map[protowire.Number][][]byte{}
	for len(message) > 0 {
		field, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return out
		}
		message = message[n:]
		length := protowire.ConsumeFieldValue(field, kind, message)
		if length < 0 {
			return out
		}
		value := message[:length]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		out[field], message = append(out[field], value), message[length:]
	}
	return out
}

func first(values [][]byte) []byte {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}

func number(varint []byte) uint64 {
	v, _ := protowire.ConsumeVarint(varint)
	return v
}

func instant(fixed [][]byte) time.Time {
	const size = 8
	if b := first(fixed); len(b) == size {
		return time.Unix(0, int64(binary.LittleEndian.Uint64(b))) //nolint:gosec // as it was encoded
	}
	return time.Time{}
}
