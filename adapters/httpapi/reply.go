package httpapi

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
)

// success is the envelope of an answer, up to its data.
func success(message string) string {
	return `{"status":"success","message":` + strconv.Quote(message) + `,"data":`
}

// encode is data as JSON. It is called with our own types only: an error is a defect.
func encode(data any) []byte {
	out, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return out
}

// reply answers a question that nobody else may be given the answer of.
func (x *exchange) reply(head string, data any) {
	out := x.api.buffer()
	defer x.api.keep(out)
	out.WriteString(head)
	write(out, data)
	out.WriteByte('}')
	x.replied(out.Bytes())
}

// write adds data of our own types as JSON.
func write(out *bytes.Buffer, data any) {
	if err := json.MarshalWrite(out, data, json.Deterministic(true)); err != nil {
		panic(err)
	}
}

// replied sends an answer that is not to be kept.
func (x *exchange) replied(body []byte) {
	h := x.w.Header()
	h[headerType], h[headerCacheControl], h[headerLength] = typeJSON, noStore, []string{strconv.Itoa(len(body))}
	if x.api.origins != nil {
		h[headerVary] = x.api.varyError
	}
	x.WriteHeader(http.StatusOK)
	_, _ = x.Write(body)
}

// buffer takes an empty buffer, which keep gives back.
func (a *API) buffer() *bytes.Buffer {
	out, _ := a.buffers.Get().(*bytes.Buffer)
	out.Reset()
	return out
}

func (a *API) keep(out *bytes.Buffer) {
	if out.Cap() <= maxKept {
		a.buffers.Put(out)
	}
}

// listing is a list whose items are encoded, in their order.
type listing struct {
	head  string
	items [][]byte
}

// join encodes the items at the given places, in that order, as an answer.
func (l *listing) join(at []int) []byte {
	out := append(make([]byte, 0, len(l.head)+l.size(at)+1), l.head...)
	return append(l.appendTo(out, at), '}')
}

// size is how long the items at the given places are as an array.
func (l *listing) size(at []int) int {
	size := len("[]") + len(at)
	for _, i := range at {
		size += len(l.items[i])
	}
	return size
}

// appendTo adds the items at the given places as an array.
func (l *listing) appendTo(out []byte, at []int) []byte {
	out = append(out, '[')
	for n, i := range at {
		if n > 0 {
			out = append(out, ',')
		}
		out = append(out, l.items[i]...)
	}
	return append(out, ']')
}

// one encodes a single object.
func one(head string, item []byte) []byte {
	out := make([]byte, 0, len(head)+len(item)+1)
	return append(append(append(out, head...), item...), '}')
}

// places are the first n places.
func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
