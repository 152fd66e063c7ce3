package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/faults/inject"
	"causeway/simulator/world"
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
	Outcome accounts.Outcome // of a response about an account: see Send
}

// Serve returns a handler whose responses depend on the request and the time of the world.
func Serve(sim *world.World, respond func(r *http.Request, now time.Time) Reply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := sim.Now()
		reply := respond(r, now)
		if tag := reply.Header.Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			reply.Status, reply.Body = http.StatusNotModified, nil
		}
		reply.deliver(w, r, now)
	})
}

// Answer returns a JSON document as a reply.
func Answer(status int, document any) Reply {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		return Text(http.StatusInternalServerError, err.Error())
	}
	return Reply{Status: status, Content: ContentJSON, Body: bytes.TrimRight(body.Bytes(), "\n")}
}

// Text returns plain text as a reply.
func Text(status int, text string) Reply {
	return Reply{Status: status, Content: ContentText, Body: []byte(text)}
}

// Page returns an HTML page as a reply, where JSON is expected.
func Page(status int) Reply {
	return Reply{Status: status, Content: ContentHTML, Body: []byte(inject.Page)}
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

// Tagged adds an ETag that changes with a text.
func (a Reply) Tagged(text []byte) Reply {
	sum := sha256.Sum256(text)
	return a.With("Etag", fmt.Sprintf(`"%x"`, sum[:16]))
}

// RetryAfter adds the number of seconds after which a client may retry.
func (a Reply) RetryAfter(seconds int) Reply { return a.With("Retry-After", strconv.Itoa(seconds)) }

// Send sends the reply as of an instant of the world.
func (a Reply) Send(w http.ResponseWriter, now time.Time) {
	a.start(w, now)
	_, _ = w.Write(a.Body) // the client may be gone
}

// start sends all but the body.
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

// deliver sends the reply as its outcome demands: late, truncated, as a page, or not at all. Other
// outcomes are in the reply already.
func (a Reply) deliver(w http.ResponseWriter, r *http.Request, now time.Time) {
	switch a.Outcome {
	case accounts.Slow:
		wait := time.NewTimer(accounts.SlowDelay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
	case accounts.Truncated:
		a.start(w, now) // Content-Length is that of the whole body
		_, _ = w.Write(a.Body[:len(a.Body)/2])
		return
	case accounts.WrongPage:
		a = Page(http.StatusOK)
	case accounts.Hanging:
		<-r.Context().Done()
		return
	case accounts.Reset:
		panic(http.ErrAbortHandler) // net/http breaks the connection
	default:
	}
	a.Send(w, now)
}

// Failures are the responses about accounts by outcome, for outcomes that a provider expresses in
// its own words.
type Failures map[accounts.Outcome]Reply

// Reply returns the response about an account; found is that of an account with a holder.
func (f Failures) Reply(account accounts.Account, found Reply) Reply {
	if failure, ok := f[account.Outcome]; ok {
		found = failure
	}
	found.Outcome = account.Outcome
	return found
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
		a = a.RetryAfter(int(time.Duration(e.RetryAfter) / time.Second))
	}
	return a
}
