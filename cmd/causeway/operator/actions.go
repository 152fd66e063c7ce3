package operator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
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
	Depegged() []pairs.Depeg
	Leapt() []core.Pair
}

// actionError is an error with its HTTP status. Its text is the reason in the reply.
type actionError struct {
	status int
	reason string
}

func (e *actionError) Error() string { return e.reason }

// newAction returns a handler that takes a POST request with a JSON body and replies with the state
// and the text that do returns. Cross-origin requests are refused: a page that the operator visits
// must not be able to act on the operator's behalf.
func newAction[T any](
	path, example, state string, log *zap.Logger, do func(r *http.Request, in T) (string, error),
) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		WriteReply(w, http.StatusForbidden, "refused",
			"the request comes from a page of another origin; use the causeway command")
	}))
	return protection.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in, err := decodeAction[T](w, r, path, example)
		text := ""
		if err == nil {
			text, err = do(r, in)
		}
		if err == nil {
			WriteReply(w, http.StatusOK, state, text)
			return
		}
		e, ok := errors.AsType[*actionError](err)
		if !ok {
			log.Error("operator action failed", zap.String("path", path), zap.Error(err))
			e = &actionError{http.StatusInternalServerError, "see the log"}
		}
		outcome := "refused"
		switch e.status {
		case http.StatusNotFound:
			outcome = "not found"
		case http.StatusInternalServerError:
			outcome = "failed"
		}
		WriteReply(w, e.status, outcome, e.reason)
	}))
}

// decodeAction reads the request of an action. The errors are of type *actionError.
func decodeAction[T any](w http.ResponseWriter, r *http.Request, path, example string) (in T, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return in, &actionError{http.StatusMethodNotAllowed, path + " takes POST with " + example}
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		reason := "send " + example + " with Content-Type: application/json"
		return in, &actionError{http.StatusUnsupportedMediaType, reason}
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxActionBody))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&in); err == nil {
		if _, trailing := decoder.Token(); !errors.Is(trailing, io.EOF) {
			err = errors.New("something follows it")
		}
	}
	if err == nil {
		return in, nil
	}
	status := http.StatusBadRequest
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		status = http.StatusRequestEntityTooLarge
	}
	return in, &actionError{status, "the body is not " + example + ": " + err.Error()}
}

// newAcknowledge returns the action that lets a stablecoin be traded off its peg.
func newAcknowledge(prices Acknowledger, log *zap.Logger) http.Handler {
	const example = `{"currency":"USDT"}`
	acknowledge := func(r *http.Request, in Acknowledgement) (string, error) {
		what := strings.ToUpper(strings.TrimSpace(in.Currency))
		base, counter, market := strings.Cut(what, "/")
		if !isCode(base) || market && !isCode(counter) {
			return "", &actionError{http.StatusBadRequest,
				"the currency is a code of letters and digits, or a market is two of them, such as USD/GHS"}
		}
		if err := prices.Acknowledge(what); err != nil {
			e, ok := errors.AsType[*core.Error](err)
			if ok && e.Code == core.Conflict {
				return "", &actionError{http.StatusConflict, e.Message}
			}
			if core.CodeOf(err) != core.NotFound {
				return "", err
			}
			return "", &actionError{http.StatusNotFound, notAcknowledged(prices, what, market)}
		}
		if market {
			log.Warn("price jump confirmed by the operator",
				zap.String("market", what), zap.String("remote", r.RemoteAddr))
			return "the new rate of " + what + " is used within a second, if its source still reports it", nil
		}
		log.Warn("depegged stablecoin released for trading by the operator",
			zap.String("currency", what), zap.String("remote", r.RemoteAddr))
		return what + " is traded within a second, until it is back near its peg or the process ends", nil
	}
	return newAction(AcknowledgePath, example, "acknowledged", log, acknowledge)
}

func isCode(text string) bool {
	return text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// notAcknowledged says what could be acknowledged instead.
func notAcknowledged(prices Acknowledger, what string, market bool) string {
	var waiting []string
	text := "no stablecoin " + what + " is off its peg"
	if market {
		text = "no rate of " + what + " is held for a jump"
		for _, pair := range prices.Leapt() {
			waiting = append(waiting, pair.String())
		}
	} else {
		for _, d := range prices.Depegged() {
			waiting = append(waiting, d.Market.Base)
		}
	}
	if len(waiting) == 0 {
		return text + "; none is"
	}
	return text + "; these are: " + strings.Join(waiting, ", ")
}

// newAccept returns the action that accepts a bank list which is held back because institutions are
// missing.
func newAccept(service *banks.Service, log *zap.Logger) http.Handler {
	const example = `{"directory":"paystack","country":"NG"}`
	accept := func(r *http.Request, in Acceptance) (string, error) {
		state, err := service.Accept(in.Directory, in.Country)
		if e, ok := errors.AsType[*core.Error](err); ok {
			status := http.StatusBadRequest
			if e.Code == core.NotFound {
				status = http.StatusNotFound
			}
			return "", &actionError{status, e.Message}
		}
		log.Warn("bank list with missing institutions accepted by the operator",
			zap.String("directory", state.Directory), zap.String("country", state.Country),
			zap.Int("listed", state.Listed), zap.Int("missing", len(state.Gone)), zap.String("remote", r.RemoteAddr))
		return fmt.Sprintf("the list of %s from %s is in use: %d institutions; %d that it had before are missing",
			state.Country, state.Directory, state.Listed, len(state.Gone)), nil
	}
	return newAction(AcceptPath, example, "accepted", log, accept)
}
