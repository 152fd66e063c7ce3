package console

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/market"
)

// priceRow is a row of the table of prices.
type priceRow struct {
	Price
	Spark string // points of a line that shows the last 24 hours; empty: unknown
}

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
	Rows    []priceRow
	All     int
	Counts  map[string]int // by status
	Sort    string
	Columns []column
}

// column is a column of a table that can be sorted by it.
type column struct{ Key, Title, Class, Sorted, Next string }

// severity orders statuses, trouble first.
var severity = map[string]int{"halted": 0, "stale": 1, "fresh": 2}

func compareDecimals(a, b string) int {
	x, _ := decimal.NewFromString(a) // zero for a missing price
	y, _ := decimal.NewFromString(b)
	return x.Cmp(y)
}

var priceOrders = map[string]func(a, b Price) int{
	"pair":    func(a, b Price) int { return strings.Compare(a.Pair.ID(), b.Pair.ID()) },
	"status":  func(a, b Price) int { return severity[a.Status] - severity[b.Status] },
	"reason":  func(a, b Price) int { return strings.Compare(b.Reason, a.Reason) },
	"mid":     func(a, b Price) int { return compareDecimals(a.Mid, b.Mid) },
	"sources": func(a, b Price) int { return cmp.Compare(a.Used(), b.Used()) },
}

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
			d.Rows = append(d.Rows, priceRow{Price: p})
		}
	}
	key, descending := strings.CutPrefix(d.Sort, "-")
	order := priceOrders[key]
	if order == nil {
		order = priceOrders["status"]
	}
	slices.SortStableFunc(d.Rows, func(a, b priceRow) int {
		n := order(a.Price, b.Price)
		if descending {
			n = -n
		}
		return cmp.Or(n, strings.Compare(a.Pair.ID(), b.Pair.ID()))
	})
	for i := range d.Rows {
		d.Rows[i].Spark = sparkline(f.World, d.Rows[i].Pair)
	}
	for _, col := range []column{
		{Key: "pair", Title: "Pair"},
		{Key: "status", Title: "Status"},
		{Key: "reason", Title: "Reason"},
		{Key: "mid", Title: "Price", Class: "n"},
		{Key: "sources", Title: "Sources", Class: "n"},
	} {
		col.Next = col.Key
		if col.Key == key {
			col.Sorted = "ascending"
			col.Next = "-" + col.Key
			if descending {
				col.Sorted, col.Next = "descending", col.Key
			}
		}
		d.Columns = append(d.Columns, col)
	}
	return d, nil
}

// pairData is one pair with its markets.
type pairData struct {
	Price
	Chart   string
	Periods []period
	Period  string
	Markets []marketView
}

// marketView is a market on the route of a price, with its settings.
type marketView struct {
	Pair    core.Pair
	Path    string // in the control API
	Setting market.Setting
	Set     bool
	Venues  []venue
}

// venue is a market at one venue.
type venue struct {
	Name     string
	Setting  market.VenueSetting
	State    market.State
	Bid, Ask string // of its book; empty if the venue does not report one
}

// States are the states that a venue can be set to.
func (venue) States() []market.State {
	return []market.State{market.Up, market.Down, market.Paused, market.Absent}
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
	return pairData{
		Price: price, Period: period.Name, Periods: periods, Markets: markets(f, price),
		Chart: f.Link("prices/"+url.PathEscape(price.Pair.ID())+"/chart", "period", period.Name),
	}, nil
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

// markets returns the markets on the route of a price that simulated venues quote.
func markets(f *frame, price Price) (out []marketView) {
	now, m := f.World.Now(), f.World.Market()
	settings := m.Settings(now)
	for _, vote := range price.Votes {
		pair := pairOf(vote.Market)
		if !slices.Contains(m.Listed(vote.Source), pair) {
			continue
		}
		i := slices.IndexFunc(out, func(m marketView) bool { return m.Pair == pair })
		if i < 0 {
			setting, set := settings[pair]
			path := f.API + "/market/" + url.PathEscape(pair.ID())
			out = append(out, marketView{Pair: pair, Path: path, Setting: setting, Set: set})
			i = len(out) - 1
			for name := range maps.Keys(setting.Venues) {
				out[i].add(m, name, f)
			}
		}
		out[i].add(m, vote.Source, f)
	}
	return out
}

// add adds a venue to a market, in alphabetical order.
func (m *marketView) add(all *market.Market, name string, f *frame) {
	i, found := slices.BinarySearchFunc(m.Venues, name,
		func(v venue, name string) int { return strings.Compare(v.Name, name) })
	if found {
		return
	}
	now := f.World.Now()
	v := venue{Name: name, Setting: m.Setting.Venues[name], State: all.State(name, m.Pair, now)}
	if book, listed := all.Book(name, m.Pair, now); listed && v.State != market.Absent && v.State != market.Down {
		v.Bid, v.Ask = book.Bid.Trimmed(), book.Ask.Trimmed()
	}
	m.Venues = slices.Insert(m.Venues, i, v)
}

// Number returns a number of a setting as the value of a field; empty if it is not set.
func (marketView) Number(n any) string {
	switch n := n.(type) {
	case int64:
		if n != 0 {
			return fmt.Sprint(n)
		}
	case *int64:
		if n != nil {
			return fmt.Sprint(*n)
		}
	}
	return ""
}
