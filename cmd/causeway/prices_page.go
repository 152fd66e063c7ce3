package main

import (
	"bytes"
	_ "embed"
	"net/http"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/markup"
)

//go:embed prices_page.html
var pricesPage string

//go:embed prices_page.js
var pricesScript []byte

// pricesPolicy lets the page run the script of this listener and ask it alone, and nobody else show the page in a frame.
const pricesPolicy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// priceBook shows every pair with the votes behind it, and every source, as of now.
type priceBook struct {
	pairs *pairs.Service
	clock core.Clock
	log   *zap.Logger
	page  *markup.Set
}

// newPriceBook reads the page's template.
func newPriceBook(service *pairs.Service, clock core.Clock, log *zap.Logger) (*priceBook, error) {
	b := &priceBook{pairs: service, clock: clock, log: log}
	var err error
	b.page, err = markup.Parse("prices", pricesPage, markup.Funcs{
		"age": b.age, "percent": percent, "instant": func(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z07:00") },
	})
	return b, err
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
	var body bytes.Buffer
	if err := b.page.Execute(&body, "prices", view); err != nil {
		b.log.Error("the page of prices cannot be made", zap.Error(err))
		http.Error(w, "the page cannot be made; see the log", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", pricesPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body.Bytes())
}

// servePricesScript serves what the page's buttons do.
func servePricesScript(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(pricesScript)
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
