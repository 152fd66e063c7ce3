package operator

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/pairs"
)

const maxWord = 1 << 10 // bytes of the operator's word

// Acknowledgement is what the operator says: the stablecoin that he lets be traded off its peg, or the market whose jump he says is real.
type Acknowledgement struct {
	Currency string `json:"currency"` // or a market, such as USD/GHS
}

// acknowledging takes the operator's word that a stablecoin may be traded although it is off its peg, and writes it to the log.
//
// A page of another origin that the operator happens to look at must not be able to say it for him: browsers tell where a request
// comes from, and ask before they send JSON elsewhere. There is nobody here to say yes.
type acknowledging struct {
	pairs Acknowledger
	log   *zap.Logger
}

// Acknowledger is the price engine, or what speaks for those of all replicas.
type Acknowledger interface {
	Acknowledge(what string) error
	Depegged() []pairs.Depeg
	Leapt() []core.Pair
}

func newAcknowledging(service Acknowledger, log *zap.Logger) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		WriteReply(w, http.StatusForbidden, "refused", "the request comes from a page of another origin; use /debug/prices of this listener, or causeway prices acknowledge")
	}))
	return guard.Handler(acknowledging{service, log})
}

// ServeHTTP takes POST with {"currency": "USDT"}.
func (a acknowledging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		WriteReply(w, http.StatusMethodNotAllowed, "refused", AcknowledgePath+` takes POST with {"currency":"USDT"}`)
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		WriteReply(w, http.StatusUnsupportedMediaType, "refused", `send {"currency":"USDT"} with Content-Type: application/json`)
		return
	}
	currency, err := readWord(http.MaxBytesReader(w, r.Body, maxWord))
	if err != nil {
		status := http.StatusBadRequest
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			status = http.StatusRequestEntityTooLarge
		}
		WriteReply(w, status, "refused", `the body is not {"currency":"USDT"}: `+err.Error())
		return
	}
	if err := a.pairs.Acknowledge(currency); err != nil {
		if core.CodeOf(err) != core.NotFound {
			a.log.Error("acknowledgement failed", zap.Error(err))
			WriteReply(w, http.StatusInternalServerError, "failed", "see the log")
			return
		}
		if strings.Contains(currency, "/") {
			WriteReply(w, http.StatusNotFound, "not found", "no rate of "+currency+" is held for a jump; "+a.held())
			return
		}
		WriteReply(w, http.StatusNotFound, "not found", "no stablecoin "+currency+" is off its peg; "+a.off())
		return
	}
	if strings.Contains(currency, "/") {
		a.log.Warn("price jump confirmed by the operator", zap.String("market", currency), zap.String("remote", r.RemoteAddr))
		WriteReply(w, http.StatusOK, "acknowledged", "the new rate of "+currency+" is taken within a second, if it is still told")
		return
	}
	a.log.Warn("depegged stablecoin released for trading by the operator",
		zap.String("currency", currency), zap.String("remote", r.RemoteAddr))
	WriteReply(w, http.StatusOK, "acknowledged", currency+" is traded within a second although it is off its peg, until it is back near it or the process ends")
}

// readWord reads the currency that the operator means, upper-case letters and digits, or the market: two of them with a slash.
func readWord(body io.Reader) (string, error) {
	var said Acknowledgement
	decoder := json.NewDecoder(body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&said); err != nil {
		return "", err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("something follows it")
	}
	currency := strings.ToUpper(strings.TrimSpace(said.Currency))
	base, counter, market := strings.Cut(currency, "/")
	if !isCode(base) || market && !isCode(counter) {
		return "", errors.New("the currency is a code of letters and digits, or a market is two of them, such as USD/GHS")
	}
	return currency, nil
}

func isCode(text string) bool {
	return text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// held names the markets whose jump is not believed.
func (a acknowledging) held() string {
	var held []string
	for _, pair := range a.pairs.Leapt() {
		held = append(held, pair.String())
	}
	if held == nil {
		return "none is"
	}
	return "these are: " + strings.Join(held, ", ")
}

// off names the stablecoins that are off their peg.
func (a acknowledging) off() string {
	var off []string
	for _, d := range a.pairs.Depegged() {
		off = append(off, d.Market.Base)
	}
	if off == nil {
		return "none is"
	}
	return "these are: " + strings.Join(off, ", ")
}
