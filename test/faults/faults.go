// Package faults ruins what providers of account names answer, in every way that an answer can go wrong: those of the simulator's list that
// make sense for a name, and those that were seen. Tests put a Scene of it between a provider's simulated wire and whoever asks. It says
// nothing of what has to come of a fault beyond its Kind.
package faults

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
)

// Fault is a way in which a provider goes wrong.
type Fault struct {
	Name string
	Kind Kind
	do   func(x *Scene)
}

// Kind says what may come of a fault where nobody else can be asked.
type Kind int

// The kinds.
const (
	Fatal     Kind = iota // the provider cannot tell
	Hangs                 // nor does it end
	Throttles             // nor may it be asked for a while
	Harmless              // the answer is odd, and right
	Late                  // it is right, and takes 2.5 seconds
	Perhaps               // what is missing is not in every provider's answers: either of the two
)

// Confirmation is the dialect of Paystack where it only says whether a name is the holder's: its flags say nothing of the account.
const Confirmation = "paystack confirmation"

// Scene is one question whose answer is ruined.
type Scene struct {
	Provider string // whose dialect it is; empty: a fault that needs none
	Number   string // digits of the account's number as they are in the question
	Other    string // the number of somebody else's account
	None     string // one that nobody has
	Honest   http.Handler

	w       http.ResponseWriter
	r       *http.Request
	body    string
	dialect dialect
}

// Play ruins the answer to a question. Whatever was read of its body is given again.
func (f Fault) Play(x Scene, w http.ResponseWriter, r *http.Request, body string) {
	x.w, x.r, x.body, x.dialect = w, r, body, dialects[x.Provider]
	f.do(&x)
}

// about is what the provider says by itself of a number.
func (x *Scene) about(number string) *httptest.ResponseRecorder {
	r := x.r.Clone(x.r.Context())
	r.URL.RawQuery = strings.ReplaceAll(r.URL.RawQuery, x.Number, number)
	r.Body = io.NopCloser(strings.NewReader(strings.ReplaceAll(x.body, x.Number, number)))
	answer := httptest.NewRecorder()
	x.Honest.ServeHTTP(answer, r)
	return answer
}

// say answers.
func (x *Scene) say(status int, contentType, body string) {
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(status)
	_, _ = io.WriteString(x.w, body)
}

// dialect is how a provider words what a fault changes.
type dialect struct {
	name   []string // place of the holder's name in an answer
	about  []string // place of what says which account the answer is about
	refuse func(text string) (status int, body string)
	fail   func(answer map[string]any) // turns a good answer into a failure that still names somebody
}
