package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/banks"
)

// Acceptance is the operator's word for a list of banks that is held back.
type Acceptance struct {
	Directory string `json:"directory"`
	Country   string `json:"country"`
}

// accepting takes the operator's word that a list of banks is right although much is missing in it, and writes it to the log. As for
// stablecoins (acknowledging), no page of another origin can say it for him.
type accepting struct {
	banks *banks.Service
	log   *zap.Logger
}

func newAccepting(service *banks.Service, log *zap.Logger) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		WriteReply(w, http.StatusForbidden, "refused", "the request comes from a page of another origin; use causeway banks accept")
	}))
	return guard.Handler(accepting{service, log})
}

// ServeHTTP takes POST with {"directory": "paystack", "country": "NG"}.
func (a accepting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const wanted = `{"directory":"paystack","country":"NG"}`
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		WriteReply(w, http.StatusMethodNotAllowed, "refused", AcceptPath+" takes POST with "+wanted)
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		WriteReply(w, http.StatusUnsupportedMediaType, "refused", "send "+wanted+" with Content-Type: application/json")
		return
	}
	said, err := readAcceptance(http.MaxBytesReader(w, r.Body, maxWord))
	if err != nil {
		status := http.StatusBadRequest
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			status = http.StatusRequestEntityTooLarge
		}
		WriteReply(w, status, "refused", "the body is not "+wanted+": "+err.Error())
		return
	}
	state, err := a.banks.Accept(said.Directory, said.Country)
	if e, ok := errors.AsType[*core.Error](err); ok {
		status, state := http.StatusBadRequest, "refused"
		if e.Code == core.NotFound {
			status, state = http.StatusNotFound, "not found"
		}
		WriteReply(w, status, state, e.Message)
		return
	}
	a.log.Warn("bank list with missing institutions accepted by the operator",
		zap.String("directory", state.Directory), zap.String("country", state.Country),
		zap.Int("listed", state.Listed), zap.Int("missing", len(state.Gone)), zap.String("remote", r.RemoteAddr))
	WriteReply(w, http.StatusOK, "accepted", fmt.Sprintf("the list of %s from %s is taken over: %d institutions; %d that it had before are missing",
		state.Country, state.Directory, state.Listed, len(state.Gone)))
}

// readAcceptance reads which list the operator means.
func readAcceptance(body io.Reader) (Acceptance, error) {
	var said Acceptance
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&said); err != nil {
		return Acceptance{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Acceptance{}, errors.New("something follows it")
	}
	return said, nil
}
