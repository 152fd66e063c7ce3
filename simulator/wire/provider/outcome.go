package provider

import (
	"net/http"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/faults/inject"
)

// WrongPage is an HTML page in place of a JSON response.
const WrongPage = inject.Page

// Deliver sends a reply the way an account's outcome has it: late, cut off, as a page, never, or not at all.
// Outcomes that a provider expresses in its own words are in the reply already.
func Deliver(w http.ResponseWriter, r *http.Request, now time.Time, outcome accounts.Outcome, a Reply) {
	switch outcome {
	case accounts.Slow:
		wait := time.NewTimer(accounts.SlowDelay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
	case accounts.Truncated:
		a.start(w, now) // promises the whole body
		_, _ = w.Write(a.Body[:len(a.Body)/2])
		return
	case accounts.WrongPage:
		a = Reply{Status: http.StatusOK, Content: ContentHTML, Body: []byte(WrongPage)}
	case accounts.Hanging:
		<-r.Context().Done()
		return
	case accounts.Reset:
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	default:
	}
	a.Send(w, now)
}
