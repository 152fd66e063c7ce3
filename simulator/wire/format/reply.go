package format

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
	Outcome accounts.Outcome // of a response about an account
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

// Send sends the reply as of an instant of the world. It ignores that the client is gone.
func (a Reply) Send(w http.ResponseWriter, now time.Time) {
	h := w.Header()
	maps.Copy(h, a.Header)
	if a.Status != http.StatusNotModified {
		h.Set("Content-Type", a.Content)
		h.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body)
}

// effects are the outcomes that change how a response is sent, as faults. Providers express others
// in their own words.
var effects = map[accounts.Outcome]faults.Effect{
	accounts.Slow:      {Kind: faults.Latency, MS: accounts.SlowDelay.Milliseconds()},
	accounts.Truncated: {Kind: faults.Truncate},
	accounts.WrongPage: {Kind: faults.HTML},
	accounts.Hanging:   {Kind: faults.Hang},
	accounts.Reset:     {Kind: faults.Reset},
}

// deliver sends the reply as its outcome demands.
func (a Reply) deliver(w http.ResponseWriter, r *Request) {
	send := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { a.Send(w, r.Now) })
	effect, ok := effects[a.Outcome]
	if !ok {
		send(w, r.Request)
		return
	}
	inject.Injector{
		Next: send, Header: http.Header{"Date": {r.Now.UTC().Format(http.TimeFormat)}},
	}.Serve(w, r.Request, faults.Hit{Effect: effect})
}

// Failures are the responses about accounts by outcome, for outcomes that a provider expresses in
// its own words.
type Failures map[accounts.Outcome]Reply

// Reply returns the response about an account; found is the response if the account has a holder.
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
