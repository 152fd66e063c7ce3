package operator

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"path"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/banks"
	"causeway/core/pairs"
)

//go:embed *.html page.css prices.js
var files embed.FS

var templates = template.Must(template.ParseFS(files, "*.html"))

// contentSecurityPolicy allows the pages to load their own style and script and to call this
// listener.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is what every page shows.
type page struct{ now time.Time }

// Age returns how long ago an instant was; empty for the zero time.
func (p page) Age(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return p.now.Sub(at).Round(time.Millisecond).String()
}

// Percent returns a part of a whole with three decimals.
func (page) Percent(part, whole decimal.Decimal) string {
	if whole.IsZero() {
		return ""
	}
	return part.Shift(2).DivRound(whole, 3).String() + " %"
}

// pricesPage shows every pair, or one, with the votes behind it, and every rate source.
type pricesPage struct {
	page
	Snapshot *pairs.Snapshot // nil before the first publication
	Quotes   []*pairs.Quote
	Asked    string // ID of the pair in the query; empty: all pairs
	Sources  []pairs.SourceState
	Stats    pairs.Stats
	Refused  uint64 // quotes withheld
	Depegged []pairs.Depeg
}

func (h *Handler) prices(w http.ResponseWriter, r *http.Request) {
	h.render(w, "prices.html", newPricesPage(h.cfg.Pairs(), r.URL.Query().Get("id"), h.cfg.Clock))
}

func newPricesPage(service *pairs.Service, id string, clock core.Clock) pricesPage {
	p := pricesPage{
		page: page{clock()}, Snapshot: service.Snapshot(), Asked: id,
		Sources: service.Sources(), Stats: service.Stats(), Depegged: service.Depegged(),
	}
	for _, n := range p.Stats.Refused {
		p.Refused += n
	}
	if p.Snapshot != nil {
		for i := range p.Snapshot.Quotes {
			if q := &p.Snapshot.Quotes[i]; id == "" || q.ID == id {
				p.Quotes = append(p.Quotes, q)
			}
		}
	}
	return p
}

// banksPage shows the state of the bank lists.
type banksPage struct {
	page
	Countries []CountryCount
	States    []banks.State
}

func (h *Handler) banks(w http.ResponseWriter, _ *http.Request) {
	h.render(w, "banks.html", banksPage{page{h.cfg.Clock()}, CountCountries(h.cfg.Banks.List()), h.cfg.Banks.States()})
}

// CountryCount is the number of institutions of a country on the bank list.
type CountryCount struct {
	Country      string
	Institutions int
	Dropped      int // institutions that a directory listed once and no longer lists
}

// CountCountries counts the institutions of each country, in the order of the list.
func CountCountries(list *banks.List) []CountryCount {
	var out []CountryCount
	for _, e := range list.Entries() {
		if len(out) == 0 || out[len(out)-1].Country != e.Country {
			out = append(out, CountryCount{Country: e.Country})
		}
		last := &out[len(out)-1]
		last.Institutions++
		if len(e.Dropped) > 0 {
			last.Dropped++
		}
	}
	return out
}

// render answers with a page.
func (h *Handler) render(w http.ResponseWriter, name string, data any) {
	var body bytes.Buffer
	if err := templates.ExecuteTemplate(&body, name, data); err != nil {
		h.cfg.Log.Error("page not rendered", zap.String("page", name), zap.Error(err))
		WriteReply(w, http.StatusInternalServerError, "failed", "see the log")
		return
	}
	w.Header().Set("Content-Security-Policy", contentSecurityPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = body.WriteTo(w)
}

// serveFile serves an embedded file.
func serveFile(w http.ResponseWriter, r *http.Request) {
	http.ServeFileFS(w, r, files, path.Base(r.URL.Path))
}
