package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/core/pairs"
)

// priceBody is the origin of a price. All ages refer to the instant of the snapshot.
type priceBody struct {
	ID         string      `json:"id" doc:"Id of the pair" example:"BTCNGN"`
	Status     string      `json:"status" enum:"fresh,stale,halted" doc:"As in the pair" example:"stale"`
	Reason     string      `json:"reason,omitempty" doc:"Why the price is not an ordinary fresh one, in one word" example:"aging"`
	AsOf       string      `json:"as_of" format:"date-time" example:"2026-11-21T09:00:00.250Z" doc:"Time of the data that the price is based on: of the quote that completes the quorum of the oldest leg"`
	Age        string      `json:"age" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Seconds from then to the publication of the price" example:"12.25"`
	Mid        string      `json:"mid" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Middle price in the counter currency, not rounded to the pair's precision" example:"93355000.5"`
	BuyPrice   amountBody  `json:"buy_price" doc:"mid (or high) × (1 + buy_margin) + confidence, rounded up"`
	SellPrice  amountBody  `json:"sell_price" doc:"mid (or low) × (1 - sell_margin) - confidence, rounded down"`
	Margin     string      `json:"margin" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"The larger one of buy_margin and sell_margin" example:"0.03"`
	BuyMargin  string      `json:"buy_margin" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Of the buy price, a ratio: 0.015 is 1.5 %" example:"0.03"`
	SellMargin string      `json:"sell_margin" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Of the sell price" example:"0.03"`
	High       string      `json:"high,omitempty" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"In place of mid in the buy price, if a leg has a second estimate" example:"93400000"`
	Low        string      `json:"low,omitempty" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"In place of mid in the sell price, if a leg has a second estimate" example:"93300000"`
	Tiers      []tierBody  `json:"tiers,omitempty" doc:"Prices by size of the order, if they differ. buy_price and sell_price hold for all sizes"`
	Confidence string      `json:"confidence" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Half the width of the uncertainty of the sources, in the counter currency" example:"2000.25"`
	Route      []legBody   `json:"route" doc:"The one or two markets between the base of the pair and its counter"`
	Sources    sourcesBody `json:"sources" doc:"The sources of all legs, one leg after the other"`
}

type tierBody struct {
	UpTo       string     `json:"up_to,omitempty" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Largest order, in the base currency. Absent: no limit" example:"0.05"`
	BuyPrice   amountBody `json:"buy_price" doc:"As in the pair, at the margin of the tier"`
	SellPrice  amountBody `json:"sell_price" doc:"As in the pair, at the margin of the tier"`
	BuyMargin  string     `json:"buy_margin" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A ratio" example:"0.02"`
	SellMargin string     `json:"sell_margin" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A ratio" example:"0.02"`
}

type legBody struct {
	Base       string      `json:"base" doc:"Base currency of the market" example:"BTC"`
	Quote      string      `json:"quote" doc:"Quote currency of the market. If the route enters at this one, the price is divided by mid" example:"USDT"`
	Mid        string      `json:"mid" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Median of the bid, the ask and the mean of both of every source in use; or the peg" example:"58000.25"`
	Confidence string      `json:"confidence" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Half the width of the uncertainty of its sources, in the quote currency; 0 for a peg" example:"0.25"`
	Other      string      `json:"other,omitempty" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A second estimate that the price covers too: the newest rate while it is an unconfirmed jump, or the last one with a quorum while that is missing" example:"58100"`
	Peg        string      `json:"peg,omitempty" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"The rate that a treaty fixes: such a market has no sources, no confidence and no age. Absent otherwise" example:"655.957"`
	Sources    sourcesBody `json:"sources" doc:"The sources of this market"`
}

type sourcesBody struct {
	Used     []usedBody     `json:"used" doc:"Those that the rate is computed from"`
	Excluded []excludedBody `json:"excluded" doc:"Those that were left out, or whose latest response was rejected although an earlier quote is still in use"`
}

type usedBody struct {
	Source string `json:"source" doc:"Name of the source" example:"kraken"`
	Family string `json:"family" doc:"Sources that share data or an operator are one family, and have one vote" example:"kraken"`
	Bid    string `json:"bid" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"What buyers of the base offer" example:"58000"`
	Ask    string `json:"ask" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"What sellers of the base ask" example:"58000.5"`
	Age    string `json:"age" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Seconds from the time at the source to the publication of the price" example:"12.25"`
}

type excludedBody struct {
	Source string `json:"source" doc:"Name of the source" example:"binance"`
	Reason string `json:"reason" doc:"Why it was left out, in one word" example:"unreachable"`
}

func newPriceBody(q *pairs.Quote, snapshot time.Time) priceBody {
	body := priceBody{
		ID: q.ID, Status: string(q.Status), Reason: string(q.Reason), Mid: q.Mid.String(),
		BuyPrice: amountBody{q.Buy.String(), q.Pair.Counter}, SellPrice: amountBody{q.Sell.String(), q.Pair.Counter},
		Margin:    decimal.Max(q.BuyMargin, q.SellMargin).String(),
		BuyMargin: q.BuyMargin.String(), SellMargin: q.SellMargin.String(),
		Confidence: q.Confidence.String(), Route: make([]legBody, 0, len(q.Legs)),
		Sources: sourcesBody{Used: []usedBody{}, Excluded: []excludedBody{}},
	}
	if q.High.GreaterThan(q.Mid) {
		body.High = q.High.String()
	}
	if q.Low.IsPositive() && q.Low.LessThan(q.Mid) {
		body.Low = q.Low.String()
	}
	for _, t := range q.Tiers {
		tier := tierBody{
			BuyPrice: amountBody{t.Buy.String(), q.Pair.Counter}, SellPrice: amountBody{t.Sell.String(), q.Pair.Counter},
			BuyMargin: t.BuyMargin.String(), SellMargin: t.SellMargin.String(),
		}
		if t.UpTo.IsPositive() {
			tier.UpTo = t.UpTo.String()
		}
		body.Tiers = append(body.Tiers, tier)
	}
	asOf := snapshot
	for _, leg := range q.Legs {
		if at := leg.Rate.AsOf; !at.IsZero() && at.Before(asOf) {
			asOf = at
		}
		way := newLegBody(leg.Rate, snapshot)
		body.Route = append(body.Route, way)
		body.Sources.Used = append(body.Sources.Used, way.Sources.Used...)
		body.Sources.Excluded = append(body.Sources.Excluded, way.Sources.Excluded...)
	}
	body.AsOf, body.Age = instant(asOf), age(asOf, snapshot)
	return body
}

func newLegBody(r *pairs.Rate, snapshot time.Time) legBody {
	body := legBody{
		Base: r.Pair.Base, Quote: r.Pair.Counter, Mid: r.Mid.String(), Confidence: r.Confidence.String(),
		Sources: sourcesBody{
			Used: make([]usedBody, 0, len(r.Used)), Excluded: make([]excludedBody, 0, len(r.Excluded)),
		},
	}
	for _, v := range r.Used {
		body.Sources.Used = append(body.Sources.Used, usedBody{
			Source: v.Source, Family: v.Family, Bid: v.Bid.String(), Ask: v.Ask.String(), Age: age(v.At, snapshot),
		})
	}
	for _, e := range r.Excluded {
		body.Sources.Excluded = append(body.Sources.Excluded, excludedBody{e.Source, string(e.Reason)})
	}
	if r.Quorum == 0 {
		body.Peg = body.Mid
	}
	if r.Other.IsPositive() {
		body.Other = r.Other.String()
	}
	return body
}

// age returns how old something was, in seconds; 0 if the clock of a source is ahead.
func age(at, now time.Time) string {
	return decimal.New(max(0, now.Sub(at).Milliseconds()), -3).String()
}

func (a *API) registerPrice() {
	register(a, huma.Operation{
		OperationID: core.OpExplainPrice, Tags: []string{"Pairs"},
		Summary:            "Explain a price",
		Responses:          encodedResponses[priceBody](a, "The price and its origin"),
		Errors:             []int{http.StatusNotFound},
		SkipValidateParams: true, // an overlong ID is an unknown one
	}, func(ctx context.Context, in *getPairInput) (*huma.StreamResponse, error) {
		list := instanceFrom(ctx).pairs
		page, i, err := list.find(in.ID)
		if err != nil {
			return nil, err
		}
		q := &page.snapshot.Quotes[i]
		return respondOnce("Price explained", newPriceBody(q, page.snapshot.At), list.cacheForQuote(q)), nil
	})
}

type historyInput struct {
	ID     string `path:"id" maxLength:"64" doc:"ID of a pair: base and counter joined" example:"BTCNGN"`
	Period string `query:"period" enum:"1d,7d,30d" doc:"How far back: a day, the default, a week, or 30 days" example:"7d"`
}

// Resolve checks the query.
func (*historyInput) Resolve(ctx huma.Context) []error { return checkQuery(ctx) }

type historyBody struct {
	ID     string      `json:"id" doc:"ID of the pair" example:"BTCNGN"`
	Period string      `json:"period" enum:"1d,7d,30d" doc:"The period of the request" example:"7d"`
	Points []pointBody `json:"points" maxItems:"300" doc:"The oldest first. An instant without a price has no point"`
}

type pointBody struct {
	At    string `json:"at" format:"date-time" example:"2026-11-21T09:00:00.250Z" doc:"An instant"`
	Price string `json:"price" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"The mid price at that instant, in the counter currency" example:"93355000.5"`
}

func (a *API) registerHistory() {
	register(a, huma.Operation{
		OperationID: core.OpGetPriceHistory, Tags: []string{"Pairs"},
		Summary:   "Get price history",
		Responses: encodedResponses[historyBody](a, "The mid prices"),
		Errors:    []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, in *historyInput) (*huma.StreamResponse, error) {
		list := instanceFrom(ctx).pairs
		body := historyBody{ID: normalizeCode(in.ID), Period: cmp.Or(in.Period, "1d"), Points: []pointBody{}}
		if !list.book.Known(body.ID) {
			return nil, list.missing(in.ID)
		}
		points, err := list.book.History(ctx, body.ID, body.Period)
		if err != nil {
			return nil, err
		}
		for _, p := range points {
			body.Points = append(body.Points, pointBody{At: instant(p.At), Price: p.Mid.String()})
		}
		var freshUntil time.Time
		if page := list.current.Load(); page != nil {
			freshUntil = page.freshUntil
		} else if len(points) == 0 {
			return nil, list.missing(in.ID)
		}
		return respondOnce("Price history found", body, list.cacheFor(freshUntil)), nil
	})
}
