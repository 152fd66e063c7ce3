// Package mishap plays a fault: it lets something go wrong with one HTTP answer, the same way for whoever answers. Package wire plays the providers'
// answers with it, package edge our own.
//
// It does what can be done to any answer, and to any JSON document. What a failure looks like, and which members of a document matter, only the one who
// answers knows: both come in from outside. It chooses nothing: what befalls whom is decided by simulator.Faults.
package inject

import (
	"bytes"
	"cmp"
	"net/http"
	"time"

	"causeway/simulator/faults"
)

// Scene is whose answer something befalls.
type Scene struct {
	Answer http.Handler // answers as if nothing were the matter
	Fail   http.Handler // answers with the failure that a simulator.FaultStatus asks for
	Header http.Header  // of whatever takes the place of an answer; may be nil
	// Change returns the body of an answer with what is wrong with it, for the kinds that change what members say.
	Change func(r *http.Request, body []byte) []byte
}

// Play answers a request as the effect has it. It panics with http.ErrAbortHandler where the connection is to break, which it also does
// when the request's context ends while it waits: nobody is there to be answered.
func (s Scene) Play(w http.ResponseWriter, r *http.Request, hit faults.Hit) {
	kind := hit.Effect.Kind
	switch {
	case kind == faults.Latency:
		s.late(w, r, hit)
	case kind.Slows():
		slowly := newSlow(w, r, hit)
		defer slowly.end()
		s.Answer.ServeHTTP(slowly, r)
	case kind.Alters():
		s.spoil(w, r, hit.Effect)
	default:
		if hit.Phase == faults.After {
			s.record(r)
		}
		s.lose(w, r, hit.Effect)
	}
}

// late answers after a while, in which the work is done already or not.
func (s Scene) late(w http.ResponseWriter, r *http.Request, hit faults.Hit) {
	if hit.Phase == faults.After {
		done := s.record(r)
		pause(r, hit.Delay())
		done.send(w, r)
		return
	}
	pause(r, hit.Delay())
	s.Answer.ServeHTTP(w, r)
}

// pause waits, by the machine's clock: whoever waits for the answer does so by that, too.
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

	elsewhere = "https://moved.example/" // where nobody is: RFC 2606
)

// Page is a page for people, where a program looks for an answer.
const Page = `<!DOCTYPE html>
<html><head><title>We will be right back</title></head>
<body><h1>Scheduled maintenance</h1><p>Please try again in a few minutes.</p></body></html>
`

// lose answers something else than what was asked for, or nothing.
func (s Scene) lose(w http.ResponseWriter, r *http.Request, e faults.Effect) {
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

func (s Scene) instead(w http.ResponseWriter, r *http.Request, status int, content, body string) {
	made := recorder{status: status, header: s.Header.Clone()}
	if made.header == nil {
		made.header = http.Header{}
	}
	made.header.Set("Content-Type", content)
	made.body.WriteString(body)
	made.send(w, r)
}

// hugeBody is how many blanks stand before an answer where the rule does not say: more than anybody reads.
const hugeBody = 5 << 20

// spoil changes an answer. One that is none of success is left as it is.
func (s Scene) spoil(w http.ResponseWriter, r *http.Request, e faults.Effect) {
	made := s.record(r)
	if made.status >= http.StatusMultipleChoices || made.status == http.StatusNoContent {
		made.send(w, r)
		return
	}
	made.header.Del("Etag") // of the answer as it was
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
		body = s.Change(r, body)
	}
	made.body = *bytes.NewBuffer(body)
	made.send(w, r)
}
