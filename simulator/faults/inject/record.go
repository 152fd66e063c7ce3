package inject

import (
	"bytes"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// recorder keeps a response.
type recorder struct {
	status int
	header http.Header
	body   bytes.Buffer
}

// record serves the request and keeps the response.
func (s Injector) record(r *http.Request) *recorder {
	k := &recorder{header: http.Header{}}
	s.Next.ServeHTTP(k, r)
	k.WriteHeader(http.StatusOK) // unless it said something else
	return k
}

// Body returns the body of a handler's response.
func Body(handler http.Handler, r *http.Request) []byte {
	return Injector{Next: handler}.record(r).body.Bytes()
}

// Header returns the header of the response.
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

// start sends the header.
func (k *recorder) start(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	maps.Copy(h, k.header)
	if r.Method != http.MethodHead && k.status != http.StatusNotModified && k.status != http.StatusNoContent {
		h.Set("Content-Length", strconv.Itoa(k.body.Len()))
	}
	w.WriteHeader(k.status)
}

// send sends the response.
func (k *recorder) send(w http.ResponseWriter, r *http.Request) {
	k.start(w, r)
	if k.body.Len() > 0 {
		_, _ = w.Write(k.body.Bytes()) // the client may be gone
	}
}

// dribble sends the response, its body in small pieces over a time.
func (k *recorder) dribble(w http.ResponseWriter, r *http.Request, over time.Duration) {
	const pieces = 20
	k.start(w, r)
	body := k.body.Bytes()
	for i := range pieces {
		_ = http.NewResponseController(w).Flush()
		pause(r, over/pieces)
		if _, err := w.Write(body[len(body)*i/pieces : len(body)*(i+1)/pieces]); err != nil {
			return // the client is gone
		}
	}
}
