package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/shopspring/decimal"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/pairs"
)

// Fiat is the currency in which balances are valued.
type Fiat struct {
	Code string `query:"fiat" maxLength:"32" doc:"A fiat currency in which amounts are shown, too" example:"NGN"`

	fiat core.Currency // zero: none
}

func (f *Fiat) read(ctx huma.Context) []error {
	errs := rejectSecrets(namedValue{"fiat", &f.Code})
	if f.Code == "" {
		return errs
	}
	var ok bool
	f.fiat, ok = instanceFrom(ctx.Context()).currencies.Load().currencies[normalizeCode(f.Code)]
	if !ok || f.fiat.Type != core.Fiat {
		errs = append(errs, core.InvalidField("fiat", "%s is not a fiat currency that is supported; see "+
			"GET /v1/currencies", quoted(f.Code)))
	}
	return errs
}

type listBalancesInput struct {
	DepositUser
	Fiat

	Currency string `query:"currency" maxLength:"64" doc:"The balance in this cryptocurrency only" example:"BTC"`
}

// Resolve checks the query together with the header.
func (in *listBalancesInput) Resolve(ctx huma.Context) []error {
	errs := slices.Concat(checkQuery(ctx), in.DepositUser.read(ctx), in.Fiat.read(ctx),
		rejectSecrets(namedValue{"currency", &in.Currency}))
	normalizeCodes(&in.Currency)
	_, err := instanceFrom(ctx.Context()).networkFilter(in.Currency, "")
	return appendError(errs, err)
}

type getBalanceInput struct {
	DepositUser
	Fiat

	Currency string `path:"currency" maxLength:"64" doc:"Code of a cryptocurrency" example:"BTC"`
}

// Resolve checks the query together with the header.
func (in *getBalanceInput) Resolve(ctx huma.Context) []error {
	return slices.Concat(checkQuery(ctx), in.DepositUser.read(ctx), in.Fiat.read(ctx))
}

type balanceBody struct {
	ID        string            `json:"id" doc:"ID of the balance" example:"bal_9d0c2a4b7f9e1d3c5a7b9d0c2a4b7f9e"`
	UserID    string            `json:"user_id" doc:"Account of the API key" example:"k3v9x0a2bc"`
	ProfileID string            `json:"profile_id" doc:"The user, as X-BU-PROFILE-ID named it; empty: the default user of the key" example:"user-4711"`
	Currency  string            `json:"currency" doc:"Code of the currency" example:"USDT"`
	Name      string            `json:"name" doc:"Name of the currency" example:"Tether"`
	Type      string            `json:"type" enum:"crypto" doc:"Always crypto" example:"crypto"`
	Pending   balanceAmountBody `json:"pending" doc:"The sum of the pending transactions"`
	Available balanceAmountBody `json:"available" doc:"The sum of the completed transactions: what was received and confirmed. Causeway knows of no payments out"`
	Total     balanceAmountBody `json:"total" doc:"pending plus available"`
}

type balanceAmountBody struct {
	Amount   string      `json:"amount" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A plain decimal with all decimals that the transactions have" example:"25.000000000000000001"`
	Currency string      `json:"currency" doc:"Code of the currency" example:"USDT"`
	Fiat     *amountBody `json:"fiat,omitempty" doc:"The value at the published sell price, rounded down. Absent without the parameter fiat, and while the pair of the two currencies has no price or is halted"`
}

// balances returns the balances of a user, by currency: in one currency, or, if it is empty, in all
// whose deposits are detected and all that the user received.
func (i *Instance) balances(
	ctx context.Context, user core.DepositUser, currency string, fiat core.Currency,
) ([]balanceBody, error) {
	received, err := i.services.Transactions.Balances(ctx, user)
	if err != nil {
		return nil, err
	}
	list, found := i.currencies.Load(), map[string]core.Balance{}
	for code, c := range list.currencies {
		detected := func(network string) bool { return i.services.Transactions.Detects(code, network) }
		if c.Type != core.Fiat && (code == currency || slices.ContainsFunc(c.Networks, detected)) {
			found[code] = core.Balance{User: user, Currency: code}
		}
	}
	for _, b := range received {
		found[b.Currency] = b
	}
	bodies, page := []balanceBody{}, i.pairs.current.Load() // one publication for all values
	for _, code := range slices.Sorted(maps.Keys(found)) {
		if currency == "" || code == currency {
			bodies = append(bodies, newBalanceBody(found[code], cmp.Or(list.currencies[code].Name, code), fiat, page))
		}
	}
	return bodies, nil
}

func newBalanceBody(b core.Balance, name string, fiat core.Currency, page *pairPage) balanceBody {
	amount := func(d decimal.Decimal) balanceAmountBody {
		return balanceAmountBody{d.String(), b.Currency, page.value(d, b.Currency, fiat)}
	}
	const idBytes = 16
	profile := b.User.Profile.Reveal()
	sum := sha256.Sum256([]byte(b.User.Account + "\n" + profile + "\n" + b.Currency))
	return balanceBody{
		ID: "bal_" + hex.EncodeToString(sum[:idBytes]), UserID: b.User.Account, ProfileID: profile,
		Currency: b.Currency, Name: name, Type: string(core.Crypto),
		Pending: amount(b.Pending), Available: amount(b.Available), Total: amount(b.Pending.Add(b.Available)),
	}
}

// value returns the value of an amount at the published sell price, or nil if there is none.
func (p *pairPage) value(amount decimal.Decimal, currency string, fiat core.Currency) *amountBody {
	if p == nil {
		return nil
	}
	q := p.snapshot.Quote(core.Pair{Base: currency, Counter: fiat.Code}.ID())
	if q == nil || q.Status == pairs.Halted {
		return nil
	}
	return &amountBody{amount.Mul(q.Sell).RoundDown(fiat.Decimals).String(), fiat.Code}
}

func (a *API) registerBalances() {
	register(a, huma.Operation{
		OperationID: core.OpListBalances, Tags: []string{"Deposits"}, Summary: "List balances",
		Security:  openOperation,
		Responses: bodyResponses[warned[[]balanceBody]](a, "The balances"), Errors: []int{http.StatusBadRequest},
	}, func(ctx context.Context, in *listBalancesInput) (*huma.StreamResponse, error) {
		bodies, err := instanceFrom(ctx).balances(ctx, in.user, in.Currency, in.fiat)
		if err != nil {
			return nil, err
		}
		return respondBalances(ctx, "Balances found", bodies, in.Currency)
	})
	register(a, huma.Operation{
		OperationID: core.OpGetBalance, Tags: []string{"Deposits"}, Summary: "Get a balance",
		Security:           openOperation,
		Responses:          bodyResponses[warned[balanceBody]](a, "The balance"),
		Errors:             []int{http.StatusBadRequest, http.StatusNotFound},
		SkipValidateParams: true, // an overlong code is an unknown one
	}, func(ctx context.Context, in *getBalanceInput) (*huma.StreamResponse, error) {
		code := normalizeCode(in.Currency)
		bodies, err := instanceFrom(ctx).balances(ctx, in.user, code, in.fiat)
		if err != nil {
			return nil, err
		}
		if len(bodies) == 0 {
			return nil, apierror.New(apierror.NotFound, "%s is not a supported cryptocurrency; see GET /v1/currencies",
				quoted(in.Currency))
		}
		return respondBalances(ctx, "Balance found", bodies[0], code)
	})
}

func respondBalances[T any](
	ctx context.Context, message string, data T, currency string,
) (*huma.StreamResponse, error) {
	i := instanceFrom(ctx)
	delayed, err := i.services.Transactions.Delayed(ctx)
	if err != nil {
		return nil, err
	}
	return respondWarned(warned[T]{envelope.NewSuccess(message, data), i.warnDelayed(delayed, currency, "")}), nil
}
