package inject

import (
	"bytes"
	"maps"
	"net/http"
	"strconv"
)

// recorder is an answer that is kept back.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// record lets the request be answered and keeps the answer.
func (s Scene) record(r *http.Request) *recorder {
	k := &recorder{header: http.Header{}}
	s.Answer.ServeHTTP(k, r)
	k.WriteHeader(http.StatusOK) // unless it said something else
	return k
}

// Body is that of what a handler answers.
func Body(handler http.Handler, r *http.Request) []byte {
	return Scene{Answer: handler}.record(r).body.Bytes()
}

// Header is the answer's.
func (k *recorder) Header() http.Header { return k.header }

// WriteHeader keeps the first status that is final.
func (k *recorder) WriteHeader(status int) {
	if k.status == 0 && status >= http.StatusOK {
		k.status = status
	}
}

// Write keeps a part of the body.
func (k *recorder) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(p)
}

// start sends all but the body.
func (k *recorder) start(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	maps.Copy(h, k.header)
	if r.Method != http.MethodHead && k.status != http.StatusNotModified && k.status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(k.body.Len()))
	}
	w.WriteHeader(k.status)
}

// send sends the answer.
func (k *recorder) send(w http.ResponseWriter, r *http.Request) {
	k.start(w, r)
	if k.body.Len() > 0 {
		_, _ = w.Write(k.body.Bytes()) // the client may be gone
	}
}
