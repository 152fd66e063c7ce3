package format

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// Request is a request to a provider in a world.
type Request struct {
	*http.Request

	World *world.World
	Now   time.Time // in the world

	// Effect is what the response to a request about a blockchain shows wrongly: its Kind is empty, or one of faults.Kind
	// with Chain.
	Effect faults.Effect

	provider string
}

type effectKey struct{}

// WithEffect returns a request whose response shows a blockchain with a fault.
func WithEffect(r *http.Request, e faults.Effect) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), effectKey{}, e))
}

func effectOf(r *http.Request) faults.Effect {
	e, _ := r.Context().Value(effectKey{}).(faults.Effect)
	return e
}

// maxBody is the largest request body that is read, in bytes.
const maxBody = 64 << 10

// ReadJSON decodes the body.
func (r *Request) ReadJSON(into any) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	return err == nil && json.Unmarshal(body, into) == nil
}

// HasBasic reports whether the request has Basic credentials of a form, user and password separated
// by a colon.
func (r *Request) HasBasic(form *regexp.Regexp) bool {
	user, password, ok := r.BasicAuth()
	return ok && form.MatchString(user+":"+password)
}

// Account returns an account as the provider reports it.
func (r *Request) Account(channel core.Channel, bank core.Bank, number string) accounts.Account {
	return r.World.AccountAt(r.Context(), r.provider, channel, bank, number)
}

// Organization returns the account of a pay bill or a till.
func (r *Request) Organization(country string, channel core.Channel, number string) accounts.Account {
	return r.Account(channel, accounts.Organization(country), accounts.OrganizationNumber(channel, number))
}

// Traded returns the pairs that the venue trades.
func (r *Request) Traded() []core.Pair { return r.World.Market().Traded(r.provider, r.Now) }

// Book returns a market of the venue.
func (r *Request) Book(pair core.Pair) market.Book {
	book, _ := r.World.Market().Book(r.provider, pair, r.Now)
	return book
}

// Tickers returns the tickers of all markets that the venue trades.
func (r *Request) Tickers(ticker func(market.Book) map[string]any) []map[string]any {
	return r.Markets(func(pair core.Pair) map[string]any { return ticker(r.Book(pair)) })
}

// Markets returns the rows of all markets that the venue trades, which show no prices.
func (r *Request) Markets(row func(core.Pair) map[string]any) []map[string]any {
	out := []map[string]any{}
	for _, pair := range r.Traded() {
		out = append(out, row(pair))
	}
	return out
}

// Tokens are the access tokens of a provider. A token is the time of its login, so that nothing is
// stored.
type Tokens struct {
	Prefix string
	Life   time.Duration
}

// Issue returns a token.
func (t Tokens) Issue(r *Request) string { return t.Prefix + strconv.FormatInt(r.Now.Unix(), 10) }

// Seconds returns the lifetime of a token in seconds.
func (t Tokens) Seconds() int { return int(t.Life / time.Second) }

// Accept reports whether a request has a token that is not expired.
func (t Tokens) Accept(r *Request) bool {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "+t.Prefix)
	since, err := strconv.ParseInt(text, 10, 64)
	age := r.Now.Unix() - since
	return ok && err == nil && age >= 0 && age < int64(t.Seconds())
}
