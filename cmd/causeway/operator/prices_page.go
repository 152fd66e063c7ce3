package operator

import (
	_ "embed"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/shopspring/decimal"
	g "maragu.dev/gomponents"

	"causeway/core"
	"causeway/core/pairs"
)

//go:embed prices_page.js
var pricesScript []byte

const pricesScriptPath = "/debug/prices.js"

// priceBook renders every pair with the votes behind it, and every source.
type priceBook struct {
	pairs *pairs.Service
	clock core.Clock
}

// prices shows all pairs, or the one of the query's id.
func (h *Handler) prices(w http.ResponseWriter, r *http.Request) {
	(&priceBook{h.cfg.Pairs(), h.cfg.Clock}).ServeHTTP(w, r)
}

// priceView is what the page shows.
type priceView struct {
	Snapshot *pairs.Snapshot // nil: nothing is published yet
	Quotes   []*pairs.Quote
	Asked    string // the one pair that was asked for; empty: all
	Sources  []pairs.SourceState
	Stats    pairs.Stats
	Refused  uint64 // quotes, in all
	Depegged []pairs.Depeg
}

// ServeHTTP shows all pairs, or the one of the query's id.
func (b *priceBook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	view := priceView{
		Snapshot: b.pairs.Snapshot(), Asked: r.URL.Query().Get("id"),
		Sources: b.pairs.Sources(), Stats: b.pairs.Stats(), Depegged: b.pairs.Depegged(),
	}
	for _, n := range view.Stats.Refused {
		view.Refused += n
	}
	if view.Snapshot != nil {
		for i := range view.Snapshot.Quotes {
			if q := &view.Snapshot.Quotes[i]; view.Asked == "" || q.ID == view.Asked {
				view.Quotes = append(view.Quotes, q)
			}
		}
	}
	servePage(w, "; script-src 'self'; connect-src 'self'", "Prices", b.prices(view))
}

// servePricesScript serves what the page's buttons do.
func servePricesScript(w http.ResponseWriter, _ *http.Request) {
	serveDebug(w, "text/javascript", pricesScript)
}

func (b *priceBook) prices(v priceView) g.Node {
	published := el("p", g.Text("Nothing is published yet."))
	if s := v.Snapshot; s != nil {
		published = el("p", g.Textf("Snapshot %v of %s, %s ago.", s.ID, s.At.Format("2006-01-02T15:04:05.000Z07:00"), b.age(s.At)))
	}
	quotes := g.Map(v.Quotes, b.quote)
	if len(v.Quotes) == 0 {
		quotes = g.Group{el("p", g.Text("No pair"+led(" ", v.Asked)+" has a price."))}
	}
	return g.Group{
		g.If(v.Asked != "", el("p", el("a", attr("href", "?"), g.Text("All pairs")))),
		published,
		el("p", g.Textf("%d publications, %d refused whole, %d single prices refused, %d recomputations.", v.Stats.Published, v.Stats.Kept, v.Refused, v.Stats.Recomputed)),
		g.If(len(v.Depegged) > 0, g.Group{
			el("h2", g.Text("Off their peg")),
			el("p", g.Text("Such a coin is not traded until you acknowledge it; then it is, until it is back within half the limit of its class, or this process ends.")),
			g.Map(v.Depegged, depegged),
			el("script", attr("src", pricesScriptPath), attr("defer")),
		}),
		el("h2", g.Text("Sources")),
		grid([]string{"source", "family", "every", "last success", "latency", "polls", "failed", "admitted", "not admitted"}, g.Map(v.Sources, b.source)),
		el("h2", g.Text("Pairs")),
		quotes,
	}
}

func depegged(d pairs.Depeg) g.Node {
	class, then := "halted", g.Group{
		el("button", attr("type", "button"), attr("data-acknowledge", d.Market.Base), g.Textf("Let %s be traded off its peg", d.Market.Base)), g.Text(" "), el("output"),
	}
	if d.Acknowledged {
		class, then = "stale", g.Group{g.Text("acknowledged, it is traded.")}
	}
	return el("p", el("strong", attr("class", class), g.Text(d.Market.Base)), g.Textf(" at %s %s, pegged to %s: ", d.Mid, d.Market.Counter, d.Peg), then)
}

func (b *priceBook) source(s pairs.SourceState) g.Node {
	failed := fmt.Sprint(s.Failures)
	if s.LastError != "" {
		failed += " (" + string(s.LastError) + ")"
	}
	var rejected g.Group
	for _, reason := range slices.Sorted(maps.Keys(s.Rejected)) {
		if n := s.Rejected[reason]; n > 0 {
			rejected = append(rejected, g.Textf("%s %d ", reason, n))
		}
	}
	return el("tr", rowHead(s.Name), cell(s.Family), number(s.Interval), number(b.age(s.LastSuccess)), number(s.Latency), number(s.Polls), number(failed),
		number(s.Admitted), el("td", rejected))
}

func (b *priceBook) quote(q *pairs.Quote) g.Node {
	return g.Group{
		el("h3", attr("id", q.ID), el("a", attr("href", "?id="+url.QueryEscape(q.ID)), g.Text(q.ID)), g.Text(" "),
			el("span", attr("class", string(q.Status)), g.Text(string(q.Status)+led(": ", string(q.Reason))))),
		el("p", g.Textf("buy %s · mid %s · sell %s · class %s · margin %s · confidence %s (%s) · updated %s ago",
			q.Buy, q.Mid, q.Sell, q.Class, q.Margin, q.Confidence, percent(q.Confidence, q.Mid), b.age(q.UpdatedAt))),
		grid([]string{"leg", "source", "family", "bid", "ask", "age"}, g.Map(q.Legs, b.leg)),
	}
}

// leg is the rate of a market on the way, with its votes.
func (b *priceBook) leg(l pairs.Leg) g.Node {
	r := l.Rate
	name, rests := r.Pair.String(), "by treaty"
	if l.Inverted {
		name += ", inverted"
	}
	if r.Quorum > 0 {
		rests = fmt.Sprintf("%d used, quorum %d", len(r.Used), r.Quorum)
	}
	return g.Group{
		el("tr", rowHead(name), cell(rests+led(": ", string(r.Reason))), el("td"),
			el("td", attr("class", "n"), attr("colspan", "2"), g.Textf("%s ± %s", r.Mid, r.Confidence)), number(b.age(r.AsOf))),
		g.Map(r.Used, func(v *pairs.Vote) g.Node {
			return el("tr", el("td"), cell(v.Source), cell(v.Family), number(v.Bid), number(v.Ask), number(b.age(v.At)))
		}),
		g.Map(r.Excluded, func(x pairs.Exclusion) g.Node {
			return el("tr", el("td"), cell(x.Source), el("td", attr("colspan", "4"), g.Textf("not used: %s", x.Reason)))
		}),
	}
}

// age is how long ago an instant was; empty for the zero time, which none was.
func (b *priceBook) age(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return b.clock().Sub(at).Round(time.Millisecond).String()
}

// percent writes a part of a whole with three digits after the point.
func percent(part, whole decimal.Decimal) string {
	if whole.IsZero() {
		return ""
	}
	return part.Shift(2).DivRound(whole, 3).String() + " %"
}
