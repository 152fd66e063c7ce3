// Package inject applies the effect of a fault to an HTTP response. Package wire uses it for the
// responses of providers, and package edge for the responses of Causeway.
//
// It does what can be done to any response and any JSON document. The caller decides which request
// fails (faults.Set), what a failure looks like, and which members of a document matter.
package inject

import (
	"bytes"
	"cmp"
	"net/http"
	"time"

	"causeway/simulator/faults"
)

// Injector serves requests with a fault.
type Injector struct {
	Next   http.Handler // serves the request without a fault
	Fail   http.Handler // responds with the error of a faults.Status
	Header http.Header  // of responses that replace the response of Next; may be nil
	// Alter returns the body of a response with the effect on its members.
	Alter func(r *http.Request, body []byte) []byte
}

// Serve serves a request with the effect of a fault. It panics with http.ErrAbortHandler to break
// the connection, also if the context of the request ends while it waits.
func (s Injector) Serve(w http.ResponseWriter, r *http.Request, hit faults.Hit) {
	kind := hit.Effect.Kind
	switch {
	case kind == faults.Latency && hit.Phase != faults.After:
		pause(r, hit.Delay())
		s.Next.ServeHTTP(w, r)
	case kind == faults.Latency, kind == faults.SlowHeaders:
		done := s.record(r)
		pause(r, hit.Delay())
		done.send(w, r)
	case kind == faults.Dribble:
		s.record(r).dribble(w, r, hit.Delay())
	case kind.Alters():
		s.alter(w, r, hit.Effect)
	default:
		if hit.Phase == faults.After {
			s.record(r)
		}
		s.lose(w, r, hit.Effect)
	}
}

// pause waits by the clock of the machine, as clients do.
func pause(r *http.Request, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

const (
	contentHTML = "text/html; charset=utf-8"
	contentJSON = "application/json; charset=utf-8"
	contentText = "text/plain; charset=utf-8"

	elsewhere = "https://moved.example/" // does not exist: RFC 2606
)

// Page is an HTML page in the place of a response.
const Page = `<!DOCTYPE html>
<html><head><title>We will be right back</title></head>
<body><h1>Scheduled maintenance</h1><p>Please try again in a few minutes.</p></body></html>
`

// lose responds with something else, or not at all.
func (s Injector) lose(w http.ResponseWriter, r *http.Request, e faults.Effect) {
	switch e.Kind {
	case faults.Status:
		s.Fail.ServeHTTP(w, r)
	case faults.Redirect:
		w.Header().Set("Location", elsewhere)
		s.instead(w, r, http.StatusFound, contentHTML, Page)
	case faults.HTML:
		s.instead(w, r, http.StatusOK, contentHTML, Page)
	case faults.Empty:
		s.instead(w, r, http.StatusOK, contentJSON, "")
	case faults.Hang:
		<-r.Context().Done()
		fallthrough
	default:
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	}
}

func (s Injector) instead(w http.ResponseWriter, r *http.Request, status int, content, body string) {
	made := recorder{status: status, header: s.Header.Clone()}
	if made.header == nil {
		made.header = http.Header{}
	}
	made.header.Set("Content-Type", content)
	made.body.WriteString(body)
	made.send(w, r)
}

// hugeBody is the default number of blanks before a response, in bytes: more than any client reads.
const hugeBody = 5 << 20

// alter changes a successful response.
func (s Injector) alter(w http.ResponseWriter, r *http.Request, e faults.Effect) {
	made := s.record(r)
	if made.status >= http.StatusMultipleChoices || made.status == http.StatusNoContent {
		made.send(w, r)
		return
	}
	made.header.Del("Etag") // of the unaltered body
	body := made.body.Bytes()
	switch e.Kind {
	case faults.Truncate:
		made.start(w, r) // promises the whole body
		_, _ = w.Write(body[:len(body)/2])
		return
	case faults.Malformed:
		body = bytes.TrimSpace(body)
		body = body[:max(0, len(body)-1)]
	case faults.HugeBody:
		body = append(bytes.Repeat([]byte(" "), cmp.Or(int(e.Bytes), hugeBody)), body...)
	case faults.WrongContentType:
		made.header.Set("Content-Type", contentText)
	case faults.Duplicate:
		body = bytes.Repeat(body, 2)
	case faults.UnknownFields:
		body = Edit(body, announce)
	default:
		body = s.Alter(r, body)
	}
	made.body = *bytes.NewBuffer(body)
	made.send(w, r)
}
