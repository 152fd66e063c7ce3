package operator

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/banks"
)

// Paths of the actions.
const (
	AcknowledgePath = "/prices/acknowledge"
	AcceptPath      = "/banks/accept"
)

// maxActionBody is the size limit of a request in bytes.
const maxActionBody = 1 << 10

// Acknowledgement is the request to trade a stablecoin off its peg, or to accept the jump of a
// rate.
type Acknowledgement struct {
	Currency string `json:"currency"` // or a market, such as USD/GHS
}

// Acceptance is the request to accept a bank list that is held back.
type Acceptance struct {
	Directory string `json:"directory"`
	Country   string `json:"country"`
}

// Acknowledger is the price engine. Acknowledge returns core.Conflict at a replica that only serves
// the prices of another one.
type Acknowledger interface {
	Acknowledge(what string) error
}

// newAction returns a handler that takes a POST request with a JSON body and replies with the state
// and the text that do returns. Cross-origin requests are refused: a page that the operator visits
// must not be able to act on the operator's behalf.
func newAction[T any](
	example, state string, log *zap.Logger, do func(r *http.Request, in T) (string, error),
) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(refuse(http.StatusForbidden,
		"the request comes from a page of another origin; use the causeway command"))
	return protection.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			WriteReply(w, http.StatusMethodNotAllowed, "refused", r.URL.Path+" takes POST with "+example)
			return
		}
		var in T
		body := http.MaxBytesReader(w, r.Body, maxActionBody)
		if err := json.UnmarshalRead(body, &in, json.RejectUnknownMembers(true)); err != nil {
			WriteReply(w, http.StatusBadRequest, "refused", "the body is not "+example+": "+err.Error())
			return
		}
		text, err := do(r, in)
		e, _ := errors.AsType[*core.Error](err)
		switch {
		case err == nil:
			WriteReply(w, http.StatusOK, state, text)
		case e == nil:
			log.Error("operator action failed", zap.String("path", r.URL.Path), zap.Error(err))
			WriteReply(w, http.StatusInternalServerError, "failed", "see the log")
		case e.Code == core.NotFound:
			WriteReply(w, http.StatusNotFound, "not found", e.Message)
		case e.Code == core.Conflict:
			WriteReply(w, http.StatusConflict, "refused", e.Message)
		default:
			WriteReply(w, http.StatusBadRequest, "refused", e.Message)
		}
	}))
}

// refuse returns a handler that refuses all requests.
func refuse(status int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { WriteReply(w, status, "refused", reason) }
}

// newAcknowledge returns the action that lets a stablecoin be traded off its peg.
func newAcknowledge(prices Acknowledger, log *zap.Logger) http.Handler {
	acknowledge := func(r *http.Request, in Acknowledgement) (string, error) {
		what := strings.ToUpper(strings.TrimSpace(in.Currency))
		if err := prices.Acknowledge(what); err != nil {
			return "", err
		}
		if strings.Contains(what, "/") {
			log.Warn("price jump confirmed by the operator",
				zap.String("market", what), zap.String("remote", r.RemoteAddr))
			return "the new rate of " + what + " is used within a second, if its source still reports it", nil
		}
		log.Warn("depegged stablecoin released for trading by the operator",
			zap.String("currency", what), zap.String("remote", r.RemoteAddr))
		return what + " is traded within a second, for 24 hours at most, until it is back near its peg or moves on", nil
	}
	return newAction(`{"currency":"USDT"}`, "acknowledged", log, acknowledge)
}

// newAccept returns the action that accepts a bank list which is held back because institutions are
// missing.
func newAccept(service *banks.Service, log *zap.Logger) http.Handler {
	accept := func(r *http.Request, in Acceptance) (string, error) {
		state, err := service.Accept(in.Directory, in.Country)
		if err != nil {
			return "", err
		}
		log.Warn("bank list with missing institutions accepted by the operator",
			zap.String("directory", state.Directory), zap.String("country", state.Country),
			zap.Int("listed", state.Listed), zap.Int("missing", len(state.Gone)), zap.String("remote", r.RemoteAddr))
		return fmt.Sprintf("the list of %s from %s is in use: %d institutions; %d that it had before are missing",
			state.Country, state.Directory, state.Listed, len(state.Gone)), nil
	}
	return newAction(`{"directory":"paystack","country":"NG"}`, "accepted", log, accept)
}
