package operator

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
	"go.uber.org/zap"

	"causeway/config"
	"causeway/core/banks"
	"causeway/core/pairs"
)

//go:embed *.html
var files embed.FS

var functions = template.FuncMap{"human": human, "short": short}

var templates = template.Must(template.New("").Funcs(functions).ParseFS(files, "*.html"))

// contentSecurityPolicy allows the pages to load their own style and scripts and to call this
// listener.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; " +
	"img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page is what every page shows.
type page struct {
	Title string `json:"-"`
	Path  string `json:"-"`
	now   time.Time
	query url.Values
}

func (h *Handler) newPage(r *http.Request, title string) page {
	return page{Title: title, Path: r.URL.Path, now: h.cfg.Clock(), query: r.URL.Query()}
}

// Age returns how long ago an instant was; empty for the zero time.
func (p page) Age(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return human(p.now.Sub(at))
}

// With returns the address of the page with query parameters changed, as names and values in turn.
func (p page) With(parameters ...string) string {
	query := maps.Clone(p.query)
	for i := 0; i+1 < len(parameters); i += 2 {
		query.Set(parameters[i], parameters[i+1])
		if parameters[i+1] == "" {
			query.Del(parameters[i])
		}
	}
	return p.Path + "?" + query.Encode()
}

// human returns a duration rounded for people: 70ms, 12s, 2h30m.
func human(d time.Duration) string {
	unit := time.Millisecond
	switch {
	case d >= time.Hour:
		unit = time.Minute
	case d >= time.Second:
		unit = time.Second
	}
	return config.FormatDuration(d.Round(unit))
}

// short returns a number rounded to ten significant digits.
func short(d decimal.Decimal) decimal.Decimal {
	return d.Round(10 - int32(d.NumDigits()) - d.Exponent()) //nolint:gosec // a price has some dozens of digits
}

// pricesPage shows every pair, trouble first, and every rate source.
type pricesPage struct {
	page
	Snapshot uint64              `json:"snapshot"` // ID; zero before the first publication
	At       time.Time           `json:"at,omitzero"`
	Pairs    []pairRow           `json:"pairs"`
	Sources  []pairs.SourceState `json:"sources"`
	Stats    pairs.Stats         `json:"stats"`
	Depegged []pairs.Depeg       `json:"depegged"`
	Jumps    []string            `json:"jumps"` // markets whose rate is held for a jump
	Only     string              `json:"-"`     // ID of the pair in the query; empty: all pairs
	Sort     string              `json:"-"`
}

// pairRow is a price with the votes behind it.
type pairRow struct {
	ID         string          `json:"id"`
	Status     pairs.Status    `json:"status"`
	Reason     pairs.Reason    `json:"reason"`
	Buy        decimal.Decimal `json:"buy"`
	Mid        decimal.Decimal `json:"mid"`
	Sell       decimal.Decimal `json:"sell"`
	Class      string          `json:"class"`
	BuyMargin  decimal.Decimal `json:"buy_margin"`
	SellMargin decimal.Decimal `json:"sell_margin"`
	Confidence decimal.Decimal `json:"confidence"`
	UpdatedAt  time.Time       `json:"updated_at"`
	Used       int             `json:"used"`     // votes
	Excluded   int             `json:"excluded"` // sources
	Legs       []pairs.Leg     `json:"legs"`
	Families   []string        `json:"families"` // of the sources on each route, by preference
	Open       bool            `json:"-"`
}

var severity = map[pairs.Status]int{pairs.Halted: 0, pairs.Stale: 1, pairs.Fresh: 2}

var rowOrders = map[string]func(a, b pairRow) int{
	"pair":   func(a, b pairRow) int { return strings.Compare(a.ID, b.ID) },
	"status": func(a, b pairRow) int { return severity[a.Status] - severity[b.Status] },
	"mid":    func(a, b pairRow) int { return a.Mid.Cmp(b.Mid) },
	"class":  func(a, b pairRow) int { return strings.Compare(a.Class, b.Class) },
	"age":    func(a, b pairRow) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
	"votes":  func(a, b pairRow) int { return a.Used - b.Used },
}

// Columns are the columns by which the table can be sorted, each with its title.
func (pricesPage) Columns() [][2]string {
	return [][2]string{
		{"pair", "Pair"}, {"status", "Status"}, {"mid", "Mid"}, {"votes", "Votes"}, {"age", "Updated"}, {"class", "Class"},
	}
}

func (h *Handler) prices(w http.ResponseWriter, r *http.Request) {
	service, families := h.cfg.Pairs(), h.cfg.Families()
	p := pricesPage{
		page: h.newPage(r, "Prices"), Only: r.URL.Query().Get("id"), Sources: service.Sources(), Stats: service.Stats(),
		Pairs: []pairRow{}, Jumps: []string{},
	}
	if s := service.Snapshot(); s != nil {
		p.Snapshot, p.At, p.Depegged = s.ID, s.At, s.Depegged
		for _, pair := range s.Held {
			p.Jumps = append(p.Jumps, pair.String())
		}
		for i := range s.Quotes {
			if q := &s.Quotes[i]; p.Only == "" || q.ID == p.Only {
				row := pairRow{
					ID: q.ID, Status: q.Status, Reason: q.Reason, Buy: q.Buy, Mid: q.Mid, Sell: q.Sell, Class: q.Class,
					BuyMargin: q.BuyMargin, SellMargin: q.SellMargin, Confidence: q.Confidence, UpdatedAt: q.UpdatedAt,
					Legs: q.Legs, Families: families[q.Pair], Open: q.ID == cmp.Or(p.Only, r.URL.Query().Get("open")),
				}
				for _, leg := range q.Legs {
					row.Used += len(leg.Rate.Used)
					row.Excluded += len(leg.Rate.Excluded)
				}
				p.Pairs = append(p.Pairs, row)
			}
		}
	}
	p.Sort = cmp.Or(r.URL.Query().Get("sort"), "status")
	key, descending := strings.CutPrefix(p.Sort, "-")
	if order := rowOrders[key]; order != nil {
		slices.SortStableFunc(p.Pairs, func(a, b pairRow) int {
			if descending {
				a, b = b, a
			}
			return order(a, b)
		})
	}
	h.respond(w, r, "prices.html", p)
}

// banksPage shows the state of the bank lists.
type banksPage struct {
	page
	Countries   []CountryCount `json:"countries"`
	Directories []string       `json:"directories"`
	States      []bankState    `json:"states"`
}

// bankState is the state of a directory for a country, with its error as text.
type bankState struct {
	banks.State
	LastError string
}

// Trouble reports whether the page has more to say about the directory than its counts.
func (s bankState) Trouble() bool {
	return s.HeldBack != nil || s.LastError != "" || len(s.Gone) > 0 || len(s.LeftOut) > 0 || len(s.New) > 0
}

func (h *Handler) banks(w http.ResponseWriter, r *http.Request) {
	p := banksPage{page: h.newPage(r, "Bank lists"), Countries: CountCountries(h.cfg.Banks.List())}
	for _, s := range h.cfg.Banks.States() {
		row := bankState{State: s}
		if s.LastError != nil {
			row.LastError = s.LastError.Error()
		}
		p.States = append(p.States, row)
		p.Directories = append(p.Directories, s.Directory)
	}
	slices.Sort(p.Directories)
	p.Directories = slices.Compact(p.Directories)
	h.respond(w, r, "banks.html", p)
}

// State returns the state of a directory for a country; nil if it does not list the country.
func (p banksPage) State(directory, country string) *bankState {
	i := slices.IndexFunc(p.States, func(s bankState) bool { return s.Directory == directory && s.Country == country })
	if i < 0 {
		return nil
	}
	return &p.States[i]
}

// CountryCount is the number of institutions of a country on the bank list.
type CountryCount struct {
	Country      string `json:"country"`
	Institutions int    `json:"institutions"`
	Resolvable   int    `json:"resolvable"` // of them, institutions whose accounts a provider resolves

	Unresolvable []banks.Institution `json:"unresolvable"` // the others
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
		if e.Resolvable {
			last.Resolvable++
		} else {
			last.Unresolvable = append(last.Unresolvable, banks.Institution{Code: e.Code, Name: e.Name})
		}
	}
	return out
}

// respond shows a page, or its data to a client that asks for JSON.
func (h *Handler) respond(w http.ResponseWriter, r *http.Request, name string, data any) {
	var (
		body bytes.Buffer
		err  error
		kind = "text/html; charset=utf-8"
	)
	accept := r.Header.Get("Accept")
	if strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html") {
		kind = "application/json"
		err = json.NewEncoder(&body).Encode(data)
	} else {
		err = templates.ExecuteTemplate(&body, name, data)
	}
	if err != nil {
		h.cfg.Log.Error("page not rendered", zap.String("page", name), zap.Error(err))
		WriteReply(w, http.StatusInternalServerError, "failed", "see the log")
		return
	}
	w.Header().Set("Content-Security-Policy", contentSecurityPolicy)
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept")
	_, _ = body.WriteTo(w)
}
