package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/pairs"
)

// PairBook publishes prices. Subscribe calls back with the current publication at once, if there is
// one. Known reports whether a pair is offered, with or without a price, and Missing which sources
// the price of one without waits for. History returns its mid
// prices over a period (1d, 7d or 30d) that ends now, evenly spaced, oldest first, at most 300;
// unknown ones are missing.
type PairBook interface {
	Subscribe(func(*pairs.Snapshot))
	Known(id string) bool
	Missing(id string) []pairs.Exclusion
	History(ctx context.Context, id, period string) ([]core.PricePoint, error)
}

// PairFilters are the filters of the list and of the stream.
type PairFilters struct {
	Type     string `query:"type" enum:"fiat,crypto,stablecoins,stablecoin,base_fiat,base_crypto" doc:"Pairs of this type, which is the class of the base currency. stablecoin and base_fiat are other spellings; base_crypto selects every pair whose base is a crypto asset, stablecoins included" example:"crypto"`
	Currency string `query:"currency" maxLength:"32" doc:"Pairs with this currency on either side" example:"NGN"`
	Base     string `query:"base" maxLength:"32" doc:"Pairs with this base currency" example:"BTC"`
	Counter  string `query:"counter" maxLength:"32" doc:"Pairs with this counter currency" example:"NGN"`
	ID       string `query:"id" maxLength:"64" doc:"The pair of this ID" example:"BTCNGN"`
}

// Resolve normalizes the filters.
func (f *PairFilters) Resolve(ctx huma.Context) []error {
	normalizeCodes(&f.Currency, &f.Base, &f.Counter, &f.ID)
	switch f.Type {
	case "stablecoin":
		f.Type = "stablecoins"
	case "base_fiat":
		f.Type = "fiat"
	}
	return checkQuery(ctx)
}

// match reports whether a quote passes all filters.
func (f *PairFilters) match(q *pairs.Quote) bool {
	is := func(filter, value string) bool { return filter == "" || filter == value }
	typed := is(f.Type, wireType(q.Type)) || f.Type == "base_crypto" && q.Type != core.Fiat
	return typed && is(f.Base, q.Pair.Base) && is(f.Counter, q.Pair.Counter) && is(f.ID, q.ID) &&
		(is(f.Currency, q.Pair.Base) || is(f.Currency, q.Pair.Counter))
}

type listPairsInput struct {
	PairFilters

	SortBy string `query:"sort_by" enum:"alphabetical,current_price,price_change,market_cap,date_added,most_bought,most_sold" doc:"alphabetical: by ID. current_price: by counter, then buy price. price_change: by percentage_change. market_cap: by market capitalization of the base. The others sort like market_cap" example:"alphabetical"`
	Sort   string `query:"sort" enum:"asc,desc" doc:"Ascending, the default, or the whole order reversed" example:"asc"`
}

type getPairInput struct {
	ID string `path:"id" maxLength:"64" doc:"ID of a pair: base and counter joined" example:"BTCNGN"`
}

type pairBody struct {
	ID                  string     `json:"id" doc:"Base and counter joined" example:"BTCNGN"`
	Base                string     `json:"base" doc:"Code of the base currency" example:"BTC"`
	BaseCurrencyName    string     `json:"base_currency_name" doc:"Name of the base currency" example:"Bitcoin"`
	Counter             string     `json:"counter" doc:"Code of the counter currency" example:"NGN"`
	CounterCurrencyName string     `json:"counter_currency_name" doc:"Name of the counter currency" example:"Nigerian Naira"`
	Type                string     `json:"type" enum:"fiat,crypto,stablecoins" doc:"Class of the base currency" example:"crypto"`
	BuyPrice            amountBody `json:"buy_price" doc:"What a customer pays for one base"`
	SellPrice           amountBody `json:"sell_price" doc:"What a customer receives for one base"`
	IsBuySupported      bool       `json:"is_buy_supported" doc:"Whether it can be bought now" example:"true"`
	IsSellSupported     bool       `json:"is_sell_supported" doc:"Whether it can be sold now" example:"true"`
	MinBuyAmount        limitBody  `json:"min_buy_amount" doc:"Smallest amount to buy"`
	MaxBuyAmount        limitBody  `json:"max_buy_amount" doc:"Largest amount to buy"`
	MinSellAmount       limitBody  `json:"min_sell_amount" doc:"Smallest amount to sell"`
	MaxSellAmount       limitBody  `json:"max_sell_amount" doc:"Largest amount to sell"`
	BaseDecimal         string     `json:"base_decimal" pattern:"^[0-9]+$" doc:"Precision of base amounts" example:"8"`
	CounterDecimal      string     `json:"counter_decimal" pattern:"^[0-9]+$" doc:"Precision of prices and counter amounts" example:"2"`
	PercentageChange    string     `json:"percentage_change" pattern:"^-?[0-9]+(\\.[0-9]{1,2})?$" doc:"Change of the mid price over 24 hours in per cent; 0 if unknown" example:"1.1"`
	UpdatedAt           string     `json:"updated_at" format:"date-time" example:"2026-11-21T09:00:00.250Z" doc:"Instant of the snapshot, or the last one at which the price was fresh; if it never was, the instant of its votes"`
	Status              string     `json:"status" enum:"fresh,stale,halted" doc:"fresh; stale: tradable, with a wider spread; halted: listed with its last price, not tradable" example:"fresh"`
}

type amountBody struct {
	Amount   string `json:"amount" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A plain decimal" example:"93501695.36"`
	Currency string `json:"currency" doc:"Code of its currency" example:"NGN"`
}

type limitBody struct {
	Amount   string     `json:"amount" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A plain decimal, in the base currency" example:"0.000005"`
	Currency string     `json:"currency" doc:"Code of the base currency" example:"BTC"`
	Counter  amountBody `json:"counter" doc:"The same at the published price, in the counter currency"`
}

// instant formats a time in UTC, always with milliseconds.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }

func newPairBody(q *pairs.Quote) pairBody {
	base, counter := q.Pair.Base, q.Pair.Counter
	limit := func(l pairs.Limit) limitBody {
		return limitBody{l.Base.String(), base, amountBody{l.Counter.String(), counter}}
	}
	return pairBody{
		ID: q.ID, Base: base, BaseCurrencyName: q.BaseName, Counter: counter, CounterCurrencyName: q.CounterName,
		Type:     wireType(q.Type),
		BuyPrice: amountBody{q.Buy.String(), counter}, SellPrice: amountBody{q.Sell.String(), counter},
		IsBuySupported: q.Status != pairs.Halted, IsSellSupported: q.Status != pairs.Halted,
		MinBuyAmount: limit(q.MinBuy), MaxBuyAmount: limit(q.MaxBuy), MinSellAmount: limit(q.MinSell),
		MaxSellAmount: limit(q.MaxSell),
		BaseDecimal:   strconv.Itoa(int(q.BaseDecimals)), CounterDecimal: strconv.Itoa(int(q.CounterDecimals)),
		PercentageChange: q.Change24h.String(), UpdatedAt: instant(q.UpdatedAt), Status: string(q.Status),
	}
}

// wireType is the type of a pair on the wire.
func wireType(base core.CurrencyType) string {
	if base == core.Stablecoin {
		return "stablecoins"
	}
	return string(base)
}

func (a *API) registerPairs() {
	register(a, huma.Operation{
		OperationID: core.OpListPairs, Tags: []string{"Pairs"},
		Summary:   "List currency pairs",
		Responses: encodedResponses[[]pairBody](a, "The pairs"),
		Errors:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, in *listPairsInput) (*huma.StreamResponse, error) {
		list := instanceFrom(ctx).pairs
		page, err := list.page()
		if err != nil {
			return nil, err
		}
		e, err := cached(&page.lists, *in, func() (*encoded, bool, error) {
			at := page.sorted(in)
			body := apierror.Encode(envelope.NewSuccess("Pairs found", pick(page.items, at)))
			return newEncoded("application/json", body, true), len(at) > 0, nil
		})
		if err != nil {
			return nil, err
		}
		return e.respond(list.cacheFor(page.freshUntil)), nil
	})
	register(a, huma.Operation{
		OperationID: core.OpGetPair, Tags: []string{"Pairs"},
		Summary:            "Get a currency pair",
		Responses:          encodedResponses[pairBody](a, "The pair"),
		Errors:             []int{http.StatusNotFound},
		SkipValidateParams: true, // an overlong ID is an unknown one
	}, func(ctx context.Context, in *getPairInput) (*huma.StreamResponse, error) {
		list := instanceFrom(ctx).pairs
		page, i, err := list.find(in.ID)
		if err != nil {
			return nil, err
		}
		return respondOnce("Pair found", &page.bodies[i], list.cacheForQuote(&page.snapshot.Quotes[i])), nil
	})
	a.registerPrice()
	a.registerHistory()
}

const (
	// firstPrice is the Retry-After of a price that is not known yet.
	firstPrice = 2 * time.Second
	// maxFresh bounds the max-age of prices.
	maxFresh = 5 * time.Second
)

// pairList holds the current publication of prices.
type pairList struct {
	book    PairBook
	clock   core.Clock
	current atomic.Pointer[pairPage]
}

// pairPage is one publication, encoded.
type pairPage struct {
	snapshot   *pairs.Snapshot
	freshUntil time.Time // the list may be cached until then
	bodies     []pairBody
	items      []json.RawMessage // the bodies, encoded
	byID       map[string]int
	lists      encodedCache[listPairsInput, *encoded]
	events     *pairEvents
}

func (l *pairList) publish(s *pairs.Snapshot) {
	n := len(s.Quotes)
	page := &pairPage{
		snapshot: s, freshUntil: s.FreshUntil, bodies: make([]pairBody, n), items: make([]json.RawMessage, n),
		byID: make(map[string]int, n),
	}
	for i := range s.Quotes {
		q := &s.Quotes[i]
		page.bodies[i] = newPairBody(q)
		page.items[i] = apierror.Encode(&page.bodies[i])
		page.byID[q.ID] = i
		if q.Status == pairs.Stale && !q.StaleUntil.IsZero() && q.StaleUntil.Before(page.freshUntil) {
			page.freshUntil = q.StaleUntil // it is halted then
		}
	}
	before := l.current.Load()
	page.events = newPairEvents(page, before)
	l.current.Store(page)
	if before != nil {
		close(before.events.replaced)
	}
}

// page returns the current publication.
func (l *pairList) page() (*pairPage, error) {
	if page := l.current.Load(); page != nil {
		return page, nil
	}
	return nil, core.Errorf(core.Unavailable, "There are no prices yet; retry in a moment").Retry(firstPrice)
}

// cacheFor returns the Cache-Control of what is valid until then.
func (l *pairList) cacheFor(until time.Time) string {
	left := min(max(until.Sub(l.clock()), 0), maxFresh)
	return "public, max-age=" + strconv.Itoa(int(left/time.Second))
}

// cacheForQuote returns the Cache-Control of a response about one pair. A pair that is not fresh
// may change at any time.
func (l *pairList) cacheForQuote(q *pairs.Quote) string {
	switch {
	case q.Status != pairs.Fresh:
		return l.cacheFor(time.Time{})
	case q.FreshUntil.IsZero(): // it does not age
		return l.cacheFor(l.clock().Add(maxFresh))
	}
	return l.cacheFor(q.FreshUntil)
}

// find returns the index of a pair in the current publication.
func (l *pairList) find(sent string) (*pairPage, int, error) {
	if page := l.current.Load(); page != nil {
		if i, ok := page.byID[normalizeCode(sent)]; ok {
			return page, i, nil
		}
	}
	return nil, 0, l.missing(sent)
}

// missing says why there is no price of a pair.
func (l *pairList) missing(sent string) error {
	id := normalizeCode(sent)
	if l.book.Known(id) {
		why := " yet"
		for _, e := range l.book.Missing(id) {
			why += fmt.Sprintf(", %s %s", e.Source, e.Reason)
		}
		why = strings.Replace(why, ",", ":", 1)
		return core.Errorf(core.Unavailable, "There is no price of %s%s; retry in a moment", id, why).Retry(firstPrice)
	}
	return apierror.New(apierror.NotFound, "There is no pair %s%s See GET /v1/pairs", quoted(sent), l.suggest(id))
}

// separators are what clients write between the currencies of a pair.
var separators = strings.NewReplacer("-", "", "/", "", "_", "", ":", "", ".", "", " ", "")

// suggest names the pair that was probably meant: without separators, or the other way round.
func (l *pairList) suggest(id string) string {
	letters := separators.Replace(id)
	if page := l.current.Load(); page != nil {
		for i := range page.snapshot.Quotes {
			if q := &page.snapshot.Quotes[i]; q.ID == letters || q.Pair.Inverse().ID() == letters {
				return "; did you mean " + q.ID + "?"
			}
		}
	}
	return "."
}

// filter returns the indexes of the quotes that pass the filters.
func (p *pairPage) filter(f *PairFilters) []int {
	var at []int
	for i := range p.snapshot.Quotes {
		if f.match(&p.snapshot.Quotes[i]) {
			at = append(at, i)
		}
	}
	return at
}

// sorted returns the indexes of a list.
func (p *pairPage) sorted(in *listPairsInput) []int {
	at := p.filter(&in.PairFilters)
	if compare := orders[in.SortBy]; compare != nil {
		slices.SortStableFunc(at, func(a, b int) int { return compare(&p.snapshot.Quotes[a], &p.snapshot.Quotes[b]) })
	}
	if in.Sort == "desc" {
		slices.Reverse(at)
	}
	return at
}

// orders are the orders of the list, except by ID. A quote without a rank has the smallest market
// capitalization.
var orders = map[string]func(a, b *pairs.Quote) int{
	"current_price": func(a, b *pairs.Quote) int {
		return cmp.Or(cmp.Compare(a.Pair.Counter, b.Pair.Counter), a.Buy.Cmp(b.Buy))
	},
	"price_change": func(a, b *pairs.Quote) int { return a.Change24h.Cmp(b.Change24h) },
	"market_cap":   byMarketCap, "date_added": byMarketCap, "most_bought": byMarketCap, "most_sold": byMarketCap,
}

func byMarketCap(a, b *pairs.Quote) int {
	if (a.Rank == 0) != (b.Rank == 0) {
		return a.Rank - b.Rank
	}
	return b.Rank - a.Rank
}
