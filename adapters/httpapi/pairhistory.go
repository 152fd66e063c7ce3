package httpapi

import (
	"cmp"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/core"
)

type historyParams struct {
	ID     string `path:"id" maxLength:"64" doc:"Id of a pair: base and counter joined" example:"BTCNGN"`
	Period string `query:"period" maxLength:"8" enum:"1d,7d,30d" doc:"How far back: a day, if it is left out, a week, or 30 days" example:"7d"`
}

type historyBody struct {
	ID     string      `json:"id" doc:"Id of the pair" example:"BTCNGN"`
	Period string      `json:"period" enum:"1d,7d,30d" doc:"The period asked for" example:"7d"`
	Points []pointBody `json:"points" maxItems:"300" doc:"The oldest first. An instant without a price has no point"`
}

type pointBody struct {
	At    pairInstant `json:"at" doc:"An instant"`
	Price string      `json:"price" pattern:"^[0-9]+(\\.[0-9]+)?$" doc:"The mid price at that instant, in the counter currency" example:"93355000.5"`
}

// historyKey is what a document of history depends on within one publication.
type historyKey struct{ id, period string }

const historyFound = "Price history found"

func (a *API) registerHistory() {
	described, params := parametersOf[historyParams](a)
	example := historyBody{ID: "BTCNGN", Period: "7d", Points: []pointBody{
		{pairInstant(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)), "93310000.25"}, {pairInstant(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)), "93355000.5"},
	}}
	a.register(huma.Operation{
		OperationID: "get-price-history", Method: http.MethodGet, Path: "/pairs/{id}/history", Tags: []string{"Pairs"},
		Summary:     "Get the price history of a pair",
		Description: "Mid prices of the last day, week or 30 days, evenly spaced in time: at most 300 of them.",
		Parameters:  described,
		Responses:   a.responses("The mid prices", historyFound, example, true, requestValidation, notFound, serviceUnavailable),
	}, func(x *exchange) error { return x.in.pairs.history(x, params) })
}

// history answers from what the same question was answered during the same publication, or asks.
func (p *pairPages) history(x *exchange, params []param) error {
	var values [1]string
	faults := readQuery(x.r.URL.RawQuery, params, values[:])
	if faults = append(faults, oneOf("period", values[0], "1d", "7d", "30d")...); len(faults) > 0 {
		return invalid(faults)
	}
	period := cmp.Or(values[0], "1d")
	id := code(x.r.PathValue("id"))
	page, key := p.current.Load(), historyKey{id, period}
	if (page == nil || !page.has(id)) && !p.book.Known(id) {
		return p.missing(x.r.PathValue("id"))
	}
	if page == nil {
		return p.bygone(x, key)
	}
	d, made := page.histories.Load(key)
	if !made {
		points, err := p.book.History(x.r.Context(), id, period)
		if err != nil {
			return err
		}
		d, _ = page.histories.LoadOrStore(key, p.historyDocument(key, points))
	}
	x.serve(d.(*document), p.cache(page))
	return nil
}

// bygone answers while there is no price of today: with what was kept of the days before, where there is something.
func (p *pairPages) bygone(x *exchange, key historyKey) error {
	points, err := p.book.History(x.r.Context(), key.id, key.period)
	switch {
	case err != nil:
		return err
	case len(points) == 0:
		return p.missing(x.r.PathValue("id"))
	}
	x.serve(p.historyDocument(key, points), p.maxAge[0])
	return nil
}

func (p *pairPages) historyDocument(key historyKey, points []core.PricePoint) *document {
	return newDocument(p.packer, typeJSON, one(success(historyFound), encode(newHistoryBody(key.id, key.period, points))))
}

func newHistoryBody(id, period string, points []core.PricePoint) historyBody {
	body := historyBody{ID: id, Period: period, Points: make([]pointBody, 0, len(points))}
	for _, p := range points {
		body.Points = append(body.Points, pointBody{At: pairInstant(p.At), Price: p.Mid.String()})
	}
	return body
}

func (p *pairPage) has(id string) bool {
	_, priced := p.byID[id]
	return priced
}
