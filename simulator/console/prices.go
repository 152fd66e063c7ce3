package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/market"
)

// Used counts the sources that the price uses.
func (p Price) Used() (n int) {
	for _, v := range p.Votes {
		if v.Used {
			n++
		}
	}
	return n
}

// Unused lists the sources that the price does not use, each with the reason.
func (p Price) Unused() string {
	var out []string
	for _, v := range p.Votes {
		if !v.Used {
			out = append(out, v.Source+" "+v.Reason)
		}
	}
	return strings.Join(out, ", ")
}

// pricesData is the table of prices.
type pricesData struct {
	Rows   []Price
	All    int
	Counts map[string]int // by status
	Sort   string
}

// column is a column by which the table can be sorted.
type column struct {
	Name    string
	Title   string
	compare func(a, b Price) int
}

var columns = []column{
	{"pair", "Pair", func(a, b Price) int { return strings.Compare(a.Pair.ID(), b.Pair.ID()) }},
	{"status", "Status", func(a, b Price) int { return severity[a.Status] - severity[b.Status] }},
	{"reason", "Reason", func(a, b Price) int { return strings.Compare(b.Reason, a.Reason) }},
	{"mid", "Price", func(a, b Price) int { return a.Mid.Cmp(b.Mid) }},
	{"sources", "Sources", func(a, b Price) int { return cmp.Compare(a.Used(), b.Used()) }},
}

// Columns returns the columns by which the table can be sorted.
func (pricesData) Columns() []column { return columns }

// severity orders statuses, trouble first.
var severity = map[string]int{"halted": 0, "stale": 1, "fresh": 2}

func (c *Console) prices(f *frame, r *http.Request) (any, error) {
	prices, err := c.worldPrices(r.Context(), f.World)
	if err != nil {
		return nil, err
	}
	d := pricesData{All: len(prices), Counts: map[string]int{}, Sort: cmp.Or(f.Query("sort"), "status")}
	search := strings.ToUpper(f.Query("q"))
	for _, p := range prices {
		d.Counts[p.Status]++
		if strings.Contains(p.Pair.ID()+" "+p.Pair.String(), search) && cmp.Or(f.Query("status"), p.Status) == p.Status {
			d.Rows = append(d.Rows, p)
		}
	}
	key, descending := strings.CutPrefix(d.Sort, "-")
	order := columns[1]
	if i := slices.IndexFunc(columns, func(c column) bool { return c.Name == key }); i >= 0 {
		order = columns[i]
	}
	slices.SortStableFunc(d.Rows, func(a, b Price) int {
		n := order.compare(a, b)
		if descending {
			n = -n
		}
		return cmp.Or(n, strings.Compare(a.Pair.ID(), b.Pair.ID()))
	})
	return d, nil
}

// pairData is one pair with the markets on its route.
type pairData struct {
	Price
	Chart   string
	Periods []period
	Period  string
	Markets []market.PairView
}

func (c *Console) pair(f *frame, r *http.Request) (any, error) {
	price, err := c.price(f, r)
	if err != nil {
		return nil, err
	}
	f.View.Title = price.Pair.String()
	period, err := periodOf(f.Query("period"))
	if err != nil {
		return nil, err
	}
	d := pairData{
		Price: price, Period: period.Name, Periods: periods,
		Chart: f.Link("prices/"+url.PathEscape(price.Pair.ID())+"/chart", "period", period.Name),
	}
	for _, pair := range route(f.World.Market(), price) {
		d.Markets = append(d.Markets, f.World.Market().View(pair, f.World.Now()))
	}
	return d, nil
}

// price returns the price of the pair in the path.
func (c *Console) price(f *frame, r *http.Request) (Price, error) {
	prices, err := c.worldPrices(r.Context(), f.World)
	if err != nil {
		return Price{}, err
	}
	id := r.PathValue("pair")
	i := slices.IndexFunc(prices, func(p Price) bool { return p.Pair.ID() == id })
	if i < 0 {
		return Price{}, core.Errorf(core.Invalid, "The world has no price of %s.", core.Quoted(id))
	}
	return prices[i], nil
}

// route returns the markets on the route of a price that simulated venues quote.
func route(m *market.Market, price Price) (out []core.Pair) {
	for _, vote := range price.Votes {
		base, counter, _ := strings.Cut(vote.Market, "/")
		pair := core.Pair{Base: base, Counter: counter}
		if slices.Contains(m.Listed(vote.Source), pair) && !slices.Contains(out, pair) {
			out = append(out, pair)
		}
	}
	return out
}
