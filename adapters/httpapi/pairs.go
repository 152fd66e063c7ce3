package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
	"causeway/core/pairs"
)

// PairBook publishes prices. Subscribe calls back with the present publication at once, if there is one. Known
// reports whether a pair is on offer, with a price so far or not. History returns its mid prices over a period (1d, 7d or 30d) that
// ends now, evenly spaced, oldest first, at most 300; those that are not known are missing.
type PairBook interface {
	Subscribe(func(*pairs.Snapshot))
	Known(id string) bool
	History(ctx context.Context, id, period string) ([]core.PricePoint, error)
}

// pairFilters are the filters of the list and of the stream.
type pairFilters struct {
	Type     string `query:"type" maxLength:"32" enum:"fiat,crypto,stablecoins,stablecoin,base_fiat,base_crypto" doc:"Pairs of this type, which is the class of the base currency. stablecoin, base_fiat and base_crypto are other spellings" example:"crypto"`
	Currency string `query:"currency" maxLength:"32" code:"true" doc:"Pairs with this currency on either side" example:"NGN"`
	Base     string `query:"base" maxLength:"32" code:"true" doc:"Pairs with this base currency" example:"BTC"`
	Counter  string `query:"counter" maxLength:"32" code:"true" doc:"Pairs with this counter currency" example:"NGN"`
	ID       string `query:"id" maxLength:"64" code:"true" doc:"The pair of this id" example:"BTCNGN"`
}

type pairParams struct {
	pairFilters
	SortBy string `query:"sort_by" maxLength:"32" enum:"alphabetical,current_price,price_change,market_cap,date_added,most_bought,most_sold" doc:"alphabetical: by id. current_price: by counter, then buy price. price_change: by percentage_change. market_cap: by rank of the base. The others sort like market_cap" example:"alphabetical"`
	Sort   string `query:"sort" maxLength:"8" enum:"asc,desc" doc:"Ascending, the default, or the whole order reversed" example:"asc"`
}

// The places of the parameters.
const (
	pairType = iota
	pairCurrency
	pairBase
	pairCounter
	pairID
	pairFilterCount
	pairSortBy = iota - 1
	pairSort
	pairParamCount
)

type pairParam struct {
	ID string `path:"id" maxLength:"64" doc:"Id of a pair: base and counter joined" example:"BTCNGN"`
}

type pairBody struct {
	ID                  string      `json:"id" doc:"Base and counter joined" example:"BTCNGN"`
	Base                string      `json:"base" doc:"Code of the base currency" example:"BTC"`
	BaseCurrencyName    string      `json:"base_currency_name" doc:"Name of the base currency" example:"Bitcoin"`
	Counter             string      `json:"counter" doc:"Code of the counter currency" example:"NGN"`
	CounterCurrencyName string      `json:"counter_currency_name" doc:"Name of the counter currency" example:"Nigerian Naira"`
	Type                string      `json:"type" enum:"fiat,crypto,stablecoins" doc:"Class of the base currency" example:"crypto"`
	BuyPrice            amountBody  `json:"buy_price" doc:"What a customer pays for one base"`
	SellPrice           amountBody  `json:"sell_price" doc:"What a customer gets for one base"`
	IsBuySupported      bool        `json:"is_buy_supported" doc:"Whether it can be bought now" example:"true"`
	IsSellSupported     bool        `json:"is_sell_supported" doc:"Whether it can be sold now" example:"true"`
	MinBuyAmount        limitBody   `json:"min_buy_amount" doc:"Smallest amount to buy"`
	MaxBuyAmount        limitBody   `json:"max_buy_amount" doc:"Largest amount to buy"`
	MinSellAmount       limitBody   `json:"min_sell_amount" doc:"Smallest amount to sell"`
	MaxSellAmount       limitBody   `json:"max_sell_amount" doc:"Largest amount to sell"`
	BaseDecimal         string      `json:"base_decimal" pattern:"^[0-9]+$" doc:"Precision of base amounts" example:"8"`
	CounterDecimal      string      `json:"counter_decimal" pattern:"^[0-9]+$" doc:"Precision of prices and counter amounts" example:"2"`
	PercentageChange    string      `json:"percentage_change" pattern:"^-?[0-9]+(\\.[0-9]{1,2})?$" doc:"Change of the mid price over 24 hours in per cent; 0 when unknown" example:"1.1"`
	UpdatedAt           pairInstant `json:"updated_at" doc:"Instant of the snapshot, or the last one at which the price was fresh; where it never was, that of its votes"`
	Status              string      `json:"status" enum:"fresh,stale,halted" doc:"fresh; stale: tradable, with a wider spread; halted: listed with its last price, not tradable" example:"fresh"`
}

type amountBody struct {
	Amount   string `json:"amount" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A plain decimal" example:"93501695.36"`
	Currency string `json:"currency" doc:"Code of its currency" example:"NGN"`
}

type limitBody struct {
	Amount   string     `json:"amount" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A plain decimal, in the base currency" example:"0.000005"`
	Currency string     `json:"currency" doc:"Code of the base currency" example:"BTC"`
	Counter  amountBody `json:"counter" doc:"The same at the shown price, in the counter currency"`
}

// pairInstant is a time in UTC with milliseconds, always.
type pairInstant time.Time

// MarshalText writes the instant as RFC 3339 with milliseconds.
func (i pairInstant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z07:00"), nil
}

// Schema describes the instant as a date-time.
func (pairInstant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-11-21T09:00:00.250Z"}}
}

func newPairBody(q *pairs.Quote) pairBody {
	base, counter := q.Pair.Base, q.Pair.Counter
	limit := func(l pairs.Limit) limitBody {
		return limitBody{Amount: l.Base.String(), Currency: base, Counter: amountBody{Amount: l.Counter.String(), Currency: counter}}
	}
	return pairBody{
		ID: q.ID, Base: base, BaseCurrencyName: q.BaseName, Counter: counter, CounterCurrencyName: q.CounterName, Type: typeOf(q.Type),
		BuyPrice: amountBody{q.Buy.String(), counter}, SellPrice: amountBody{q.Sell.String(), counter},
		IsBuySupported: q.BuySupported, IsSellSupported: q.SellSupported,
		MinBuyAmount: limit(q.MinBuy), MaxBuyAmount: limit(q.MaxBuy), MinSellAmount: limit(q.MinSell), MaxSellAmount: limit(q.MaxSell),
		BaseDecimal: strconv.Itoa(int(q.BaseDecimals)), CounterDecimal: strconv.Itoa(int(q.CounterDecimals)),
		PercentageChange: q.Change24h.String(), UpdatedAt: pairInstant(q.UpdatedAt), Status: string(q.Status),
	}
}

// typeOf is the type of a pair on the wire.
func typeOf(base core.CurrencyType) string {
	if base == core.Stablecoin {
		return "stablecoins"
	}
	return string(base)
}

const (
	pairsFound = "Pairs found"
	pairFound  = "Pair found"
)

func (a *API) registerPairs() {
	described, params := parametersOf[pairParams](a)
	a.register(huma.Operation{
		OperationID: "list-pairs", Method: http.MethodGet, Path: "/pairs", Tags: []string{"Pairs"},
		Summary:     "List pairs with their prices",
		Description: "All pairs on offer, whole, from one snapshot: all prices of an answer were computed from the same instant. Filters combine; what matches nothing gives an empty list.",
		Parameters:  described,
		Responses:   a.responses("The pairs", pairsFound, []pairBody{examplePair()}, true, requestValidation, serviceUnavailable),
	}, func(x *exchange) error { return x.in.pairs.list(x, params) })
	one, _ := parametersOf[pairParam](a)
	a.register(huma.Operation{
		OperationID: "get-pair", Method: http.MethodGet, Path: "/pairs/{id}", Tags: []string{"Pairs"},
		Summary:     "Get one pair",
		Description: "The same object as in the list of pairs.",
		Parameters:  one,
		Responses:   a.responses("The pair", pairFound, examplePair(), true, notFound, serviceUnavailable),
	}, func(x *exchange) error { return x.in.pairs.get(x) })
	a.registerPrice()
	a.registerStream()
	a.registerHistory()
}

func examplePair() pairBody {
	limit := func(amount, counter string) limitBody {
		return limitBody{amount, "BTC", amountBody{counter, "NGN"}}
	}
	return pairBody{
		ID: "BTCNGN", Base: "BTC", BaseCurrencyName: "Bitcoin", Counter: "NGN", CounterCurrencyName: "Nigerian Naira", Type: "crypto",
		BuyPrice: amountBody{"93501695.36", "NGN"}, SellPrice: amountBody{"88919802.32", "NGN"}, IsBuySupported: true, IsSellSupported: true,
		MinBuyAmount: limit("0.000005", "467.51"), MaxBuyAmount: limit("1.5", "140252543.04"),
		MinSellAmount: limit("0.000005", "444.6"), MaxSellAmount: limit("1.5", "133379703.48"),
		BaseDecimal: "8", CounterDecimal: "2", PercentageChange: "1.1",
		UpdatedAt: pairInstant(time.Date(2026, 11, 21, 9, 0, 0, 250e6, time.UTC)), Status: "fresh",
	}
}

// get answers for one pair.
func (p *pairPages) get(x *exchange) error {
	page, i, err := p.find(x.r.PathValue("id"))
	if err != nil {
		return err
	}
	x.serve(page.object(p.packer, i), p.cacheOf(&page.Quotes[i]))
	return nil
}

// find is the place of a pair in the present publication.
func (p *pairPages) find(name string) (*pairPage, int, error) {
	page, id := p.current.Load(), code(name)
	if page != nil {
		if i, ok := page.byID[id]; ok {
			return page, i, nil
		}
	}
	return nil, 0, p.missing(name)
}

// missing says why there is nothing to tell about a pair, by the name that the client gave it.
func (p *pairPages) missing(name string) error {
	id := code(name)
	if p.book.Known(id) {
		return core.Errorf(core.Unavailable, "There is no price of %s yet; please try again in a moment", id).Retry(firstPrice)
	}
	return fail(notFound, "There is no pair %s%s See GET /v1/pairs", given(name), p.guess(id))
}

// guess names the pair that was probably meant: without separators, or the other way round.
func (p *pairPages) guess(id string) string {
	page := p.current.Load()
	if page == nil {
		return "."
	}
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, id)
	for i := range page.Quotes {
		if q := &page.Quotes[i]; q.ID == letters || q.Pair.Inverse().ID() == letters {
			return "; did you mean " + q.ID + "?"
		}
	}
	return "."
}
