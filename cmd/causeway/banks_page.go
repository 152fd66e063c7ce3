package main

import (
	"bytes"
	_ "embed"
	"net/http"
	"time"

	"go.uber.org/zap"

	"causeway/core"
	"causeway/core/banks"
	"causeway/markup"
)

const banksPath = "/debug/banks"

//go:embed banks_page.html
var banksPage string

// bankDesk shows the operator how the lists of banks do, and takes the word for one that is held back.
type bankDesk struct {
	banks *banks.Service
	clock core.Clock
	log   *zap.Logger
	page  *markup.Set
}

// newBankDesk reads the page's template.
func newBankDesk(service *banks.Service, clock core.Clock, log *zap.Logger) (*bankDesk, error) {
	d := &bankDesk{banks: service, clock: clock, log: log}
	var err error
	d.page, err = markup.Parse("banks", banksPage, markup.Funcs{"age": d.age, "instant": func(t time.Time) string { return t.UTC().Format(time.RFC3339) }})
	return d, err
}

// register adds the pages to the operator's.
func (d *bankDesk) register(mux *http.ServeMux) {
	mux.HandleFunc("GET "+banksPath, d.show)
	mux.Handle(acceptPath, newAccepting(d.banks, d.log))
}

// banksView is what the page shows.
type banksView struct {
	States    []banks.State
	Countries []countryView
}

// countryView is how many institutions a country has on the list.
type countryView struct {
	Country               string
	Institutions, Dropped int // Dropped: those that some directory listed once and lists no longer
}

// show is the page.
func (d *bankDesk) show(w http.ResponseWriter, _ *http.Request) {
	var body bytes.Buffer
	if err := d.page.Execute(&body, "banks", banksView{States: d.banks.States(), Countries: countriesOf(d.banks.List())}); err != nil {
		d.log.Error("the page of bank lists cannot be made", zap.Error(err))
		http.Error(w, "the page cannot be made; see the log", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body.Bytes())
}

// countriesOf counts the institutions of each country, in the order of the list.
func countriesOf(list *banks.List) []countryView {
	var out []countryView
	for _, e := range list.Entries() {
		if len(out) == 0 || out[len(out)-1].Country != e.Country {
			out = append(out, countryView{Country: e.Country})
		}
		last := &out[len(out)-1]
		last.Institutions++
		if len(e.Dropped) > 0 {
			last.Dropped++
		}
	}
	return out
}

// age is how long ago an instant was; empty for the zero time, which none was.
func (d *bankDesk) age(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return d.clock().Sub(at).Round(time.Second).String()
}

// reportBanks logs what the registry reports: a list that does not come or that is held back, once it begins and at each further
// attempt, and that it is well again.
func reportBanks(log *zap.Logger) func(banks.State) {
	log = log.Named("banks")
	return func(s banks.State) {
		where := []zap.Field{zap.String("directory", s.Directory), zap.String("country", s.Country)}
		switch {
		case s.HeldBack != nil && s.LastError != nil:
			log.Error("a list of banks is held back because too much is missing; the last good one stays until an operator accepts this one",
				append(where, zap.Int("missing", len(s.HeldBack.Missing)), zap.Int("of", s.HeldBack.Of), zap.String("see", banksPath), zap.Error(s.LastError))...)
		case s.LastError != nil:
			log.Warn("a list of banks could not be refreshed; what is known stays, and it is asked for again", append(where, zap.Error(s.LastError))...)
		default:
			log.Debug("a list of banks was refreshed", append(where, zap.Int("listed", s.Listed), zap.Int("left_out", len(s.LeftOut)))...)
		}
	}
}
