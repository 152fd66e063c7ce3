package httpapi

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/shopspring/decimal"

	"causeway/core/pairs"
)

// priceBody is how a price was made. All of its ages are counted to one instant, that of the snapshot.
type priceBody struct {
	ID         string      `json:"id" doc:"Id of the pair" example:"BTCNGN"`
	Status     string      `json:"status" enum:"fresh,stale,halted" doc:"As in the pair" example:"stale"`
	Reason     string      `json:"reason,omitempty" doc:"Why the price is not an ordinary fresh one, in one word" example:"aging"`
	AsOf       pairInstant `json:"as_of" doc:"What the price rests on was so at this instant: the newest source of the leg that is oldest"`
	Age        string      `json:"age" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"How many seconds ago that was when the price was published" example:"12.25"`
	Mid        string      `json:"mid" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Middle price in the counter currency, not rounded to the pair's precision" example:"93355000.5"`
	BuyPrice   amountBody  `json:"buy_price" doc:"mid × (1 + margin) + confidence, rounded up"`
	SellPrice  amountBody  `json:"sell_price" doc:"mid × (1 - margin) - confidence, rounded down"`
	Margin     string      `json:"margin" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"A ratio: 0.015 is 1.5 %" example:"0.03"`
	Confidence string      `json:"confidence" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Half the width of what the sources leave open, in the counter currency" example:"2000.25"`
	Route      []legBody   `json:"route" doc:"The one or two markets that lead from the base of the pair to its counter"`
	Sources    sourcesBody `json:"sources" doc:"The sources of all legs, one leg after the other"`
}

type legBody struct {
	Base       string      `json:"base" doc:"Base currency of the market" example:"BTC"`
	Quote      string      `json:"quote" doc:"Quote currency of the market. Where it is this one that the route comes from, the price was divided by mid" example:"USDT"`
	Mid        string      `json:"mid" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Median of the bid, the ask and the mean of both of every source in use; or the peg" example:"58000.25"`
	Confidence string      `json:"confidence" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"Half the width of what its sources leave open, in the quote currency; 0 for a peg" example:"0.25"`
	Peg        string      `json:"peg,omitempty" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"The rate that a treaty fixes: such a market has no sources, no confidence and no age. Left out everywhere else" example:"655.957"`
	Sources    sourcesBody `json:"sources" doc:"The sources of this market"`
}

type sourcesBody struct {
	Used     []usedBody     `json:"used" doc:"Those that the rate is made of"`
	Excluded []excludedBody `json:"excluded" doc:"Those that have no part in it"`
}

type usedBody struct {
	Source string `json:"source" doc:"Name of the source" example:"kraken"`
	Family string `json:"family" doc:"Sources that share data or an operator are one family, and have one vote" example:"kraken"`
	Bid    string `json:"bid" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"What buyers of the base pay" example:"58000"`
	Ask    string `json:"ask" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"What sellers of the base want" example:"58000.5"`
	Age    string `json:"age" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"How many seconds ago that was so at the source when the price was published" example:"12.25"`
}

type excludedBody struct {
	Source string `json:"source" doc:"Name of the source" example:"binance"`
	Reason string `json:"reason" doc:"Why it has no part, in one word" example:"unreachable"`
}

func newPriceBody(q *pairs.Quote, snapshot time.Time) priceBody {
	body := priceBody{
		ID: q.ID, Status: string(q.Status), Reason: string(q.Reason), Mid: q.Mid.String(),
		BuyPrice: amountBody{q.Buy.String(), q.Pair.Counter}, SellPrice: amountBody{q.Sell.String(), q.Pair.Counter},
		Margin: q.Margin.String(), Confidence: q.Confidence.String(), Route: make([]legBody, 0, len(q.Legs)),
		Sources: sourcesBody{Used: []usedBody{}, Excluded: []excludedBody{}},
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
	body.AsOf, body.Age = pairInstant(asOf), age(asOf, snapshot)
	return body
}

func newLegBody(r *pairs.Rate, snapshot time.Time) legBody {
	body := legBody{
		Base: r.Pair.Base, Quote: r.Pair.Counter, Mid: r.Mid.String(), Confidence: r.Confidence.String(), Sources: newSourcesBody(r, snapshot),
	}
	if r.Quorum == 0 {
		body.Peg = body.Mid
	}
	return body
}

func newSourcesBody(r *pairs.Rate, snapshot time.Time) sourcesBody {
	body := sourcesBody{Used: make([]usedBody, 0, len(r.Used)), Excluded: make([]excludedBody, 0, len(r.Excluded))}
	for _, v := range r.Used {
		body.Used = append(body.Used, usedBody{
			Source: v.Source, Family: v.Family, Bid: v.Bid.String(), Ask: v.Ask.String(), Age: age(v.At, snapshot),
		})
	}
	for _, e := range r.Excluded {
		body.Excluded = append(body.Excluded, excludedBody{Source: e.Source, Reason: string(e.Reason)})
	}
	return body
}

// age is how old something was, in seconds; 0 for what a source's clock dates ahead of ours.
func age(at, now time.Time) string {
	return decimal.New(max(0, now.Sub(at).Milliseconds()), -3).String()
}

const priceFound = "Price explained"

func (a *API) registerPrice() {
	described, _ := parametersOf[pairParam](a)
	a.register(huma.Operation{
		OperationID: "explain-price", Method: http.MethodGet, Path: "/pairs/{id}/price", Tags: []string{"Pairs"},
		Summary: "Say where a price comes from",
		Description: "The route of a pair's price, what every source said, which of them were left out and why: enough to make the price again by hand, from the same snapshot as the pair.\n\n" +
			"1. The mid of a leg is the median of three votes of each of its sources, of which every family has one: bid, ask, and the mean of both. That of a leg with a peg is the peg, a rate that a treaty fixes, and its confidence is 0.\n" +
			"2. The confidence of any other leg is the larger distance from its mid to the votes at the 25 % and the 75 % quantile (of n votes in order, those with n/4, rounded down, below respectively above them), and at least half the median spread.\n" +
			"3. The mid of the pair is the product of the legs, each as it stands or inverted. Its confidence is that of the leg where there is one that stands as it is; else mid × the sum of what the confidence of every leg is relative to the leg's mid, rounded up to 12 significant digits.\n" +
			"4. The buy price is mid × (1 + margin) + confidence, rounded up to the pair's counter_decimal, the sell price mid × (1 - margin) - confidence, rounded down; each at least the smallest step away from mid.\n\n" +
			"A price that is halted shows what its last good one was made of.",
		Parameters: described,
		Responses:  a.responses("The price and what it is made of", priceFound, examplePrice(), true, notFound, serviceUnavailable),
	}, func(x *exchange) error { return x.in.pairs.explain(x) })
}

func examplePrice() priceBody {
	first := sourcesBody{
		Used: []usedBody{{"kraken", "kraken", "58000", "58000.5", "12.25"}}, Excluded: []excludedBody{{"binance", string(pairs.Unreachable)}},
	}
	second := sourcesBody{Used: []usedBody{{"quidax", "quidax", "1609.4", "1609.8", "14.5"}}, Excluded: []excludedBody{}}
	return priceBody{
		ID: "BTCNGN", Status: string(pairs.Stale), Reason: string(pairs.Aging),
		AsOf: pairInstant(time.Date(2026, 11, 21, 9, 0, 0, 250e6, time.UTC)), Age: "14.5",
		Mid: "93357202.4", BuyPrice: amountBody{"96169920.93", "NGN"}, SellPrice: amountBody{"90544483.87", "NGN"}, Margin: "0.03", Confidence: "12002.4500001",
		Route: []legBody{
			{Base: "BTC", Quote: "USDT", Mid: "58000.25", Confidence: "0.25", Sources: first}, {Base: "USDT", Quote: "NGN", Mid: "1609.6", Confidence: "0.2", Sources: second},
		},
		Sources: sourcesBody{Used: append(first.Used, second.Used...), Excluded: first.Excluded},
	}
}

// explain answers for how the price of one pair was made.
func (p *pairPages) explain(x *exchange) error {
	page, i, err := p.find(x.r.PathValue("id"))
	if err != nil {
		return err
	}
	x.serve(page.prices[i].get(func() *document {
		return newDocument(p.packer, typeJSON, one(success(priceFound), encode(newPriceBody(&page.Quotes[i], page.At))))
	}), p.cacheOf(&page.Quotes[i]))
	return nil
}
