package provider

import (
	"net/http"
	"time"

	"causeway/simulator"
	"causeway/simulator/mishap"
)

// WrongPage is an HTML page in place of a JSON response.
const WrongPage = mishap.Page

// Deliver sends a reply the way an account's outcome has it: late, cut off, as a page, never, or not at all.
// Outcomes that a provider expresses in its own words are in the reply already.
func Deliver(w http.ResponseWriter, r *http.Request, now time.Time, outcome simulator.Outcome, a Reply) {
	switch outcome {
	case simulator.Slow:
		wait := time.NewTimer(simulator.Delay)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-r.Context().Done():
			return
		}
	case simulator.Truncated:
		a.start(w, now) // promises the whole body
		_, _ = w.Write(a.Body[:len(a.Body)/2])
		return
	case simulator.WrongPage:
		a = Reply{Status: http.StatusOK, Content: ContentHTML, Body: []byte(WrongPage)}
	case simulator.Hanging:
		<-r.Context().Done()
		return
	case simulator.Reset:
		panic(http.ErrAbortHandler) // net/http and Wire break the connection
	default:
	}
	a.Send(w, now)
}
