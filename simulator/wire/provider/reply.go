package provider

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"

	"causeway/simulator/faults"
)

// Media types of responses.
const (
	ContentJSON = "application/json; charset=utf-8"
	ContentHTML = "text/html; charset=utf-8"
	ContentText = "text/plain; charset=utf-8"
)

// Reply is a response that is not sent yet.
type Reply struct {
	Status  int
	Content string      // media type
	Header  http.Header // besides the usual ones; may be nil
	Body    []byte
}

// Answer returns a JSON document as a reply.
func Answer(status int, document any) Reply {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return Reply{Status: http.StatusInternalServerError, Content: ContentText, Body: []byte(err.Error())}
	}
	return Reply{Status: status, Content: ContentJSON, Body: bytes.TrimRight(body.Bytes(), "\n")}
}

// With adds a header.
func (a Reply) With(name, value string) Reply {
	a.Header = a.Header.Clone()
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set(name, value)
	return a
}

// Send sends the reply as of an instant of the world.
func (a Reply) Send(w http.ResponseWriter, now time.Time) {
	a.start(w, now)
	_, _ = w.Write(a.Body) // the client may be gone
}

// Start sends all but the body.
func (a Reply) start(w http.ResponseWriter, now time.Time) {
	h := w.Header()
	maps.Copy(h, a.Header)
	if a.Status != http.StatusNotModified {
		h.Set("Content-Type", a.Content)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	w.WriteHeader(a.Status)
}

// Failure is a response that has no more than a status and a code.
func Failure(e faults.Effect) Reply {
	status := e.Status
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	document := map[string]string{"message": http.StatusText(status)}
	if e.Code != "" {
		document["code"] = e.Code
	}
	a := Answer(status, document)
	if e.RetryAfter > 0 {
		a = a.With("Retry-After", strconv.FormatInt(int64(time.Duration(e.RetryAfter)/time.Second), 10))
	}
	return a
}
