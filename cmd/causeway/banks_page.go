package main

import (
	"net/http"
	"time"

	"go.uber.org/zap"
	g "maragu.dev/gomponents"

	"causeway/core"
	"causeway/core/banks"
)

const banksPath = "/debug/banks"

// bankDesk shows the operator how the lists of banks do, and takes the word for one that is held back.
type bankDesk struct {
	banks *banks.Service
	clock core.Clock
	log   *zap.Logger
}

func newBankDesk(service *banks.Service, clock core.Clock, log *zap.Logger) *bankDesk {
	return &bankDesk{banks: service, clock: clock, log: log}
}

// register adds the pages to the operator's.
func (d *bankDesk) register(mux *http.ServeMux) {
	mux.HandleFunc("GET "+banksPath, d.show)
	mux.Handle(acceptPath, newAccepting(d.banks, d.log))
}

// countryView is how many institutions a country has on the list.
type countryView struct {
	Country               string
	Institutions, Dropped int // Dropped: those that some directory listed once and lists no longer
}

// show is the page.
func (d *bankDesk) show(w http.ResponseWriter, _ *http.Request) {
	servePage(w, "", "Bank lists", d.lists(d.banks.States(), countriesOf(d.banks.List())))
}

// lists are the countries, the directories, and what is the matter with each of them.
func (d *bankDesk) lists(states []banks.State, countries []countryView) g.Node {
	rows := g.Map(states, d.row)
	if len(states) == 0 {
		rows = g.Group{el("tr", el("td", attr("colspan", "13"), g.Text("There is no directory: the catalog is all that is known.")))}
	}
	return g.Group{
		grid([]string{"country", "institutions", "dropped by a directory"}, g.Map(countries, func(c countryView) g.Node {
			return el("tr", rowHead(c.Country), number(c.Institutions), number(c.Dropped))
		})),
		el("h2", g.Text("Directories")),
		grid([]string{
			"directory", "country", "last success", "age", "listed", "joined", "learnt", "new", "vanished", "unjoined", "taken over", "failed", "held back",
		}, rows),
		g.Map(states, d.troubles),
	}
}

func (d *bankDesk) row(s banks.State) g.Node {
	success := "never"
	if !s.LastSuccess.IsZero() {
		success = s.LastSuccess.UTC().Format(time.RFC3339)
	}
	return el("tr", rowHead(s.Directory), cell(s.Country), cell(success), number(d.age(s.LastSuccess)), number(s.Listed), number(s.Joined), number(s.Learned),
		number(s.Added), number(len(s.Gone)), number(len(s.LeftOut)), number(s.Answered), number(s.Failed), number(s.Held))
}

// troubles are what is the matter with a list; nothing where it is well.
func (d *bankDesk) troubles(s banks.State) g.Node {
	if s.HeldBack == nil && s.LastError == nil && len(s.Gone) == 0 && len(s.LeftOut) == 0 {
		return nil
	}
	out := g.Group{el("h3", attr("id", s.Directory+"-"+s.Country), g.Text(s.Directory+" "+s.Country))}
	if s.LastError != nil {
		out = append(out, el("p", g.Text(s.LastError.Error())))
	}
	if held := s.HeldBack; held != nil {
		out = append(out,
			el("p", attr("class", "held"),
				g.Textf("Held back %s ago: of %d institutions %d would be missing. If that is right: ", d.age(held.At), held.Of, len(held.Missing)),
				el("code", g.Textf("causeway banks accept --directory %s --country %s", s.Directory, s.Country))),
			institutionList(held.Missing))
	}
	if len(s.Gone) > 0 {
		out = append(out, el("p", g.Textf("Vanished from the list: %s is not asked about them.", s.Directory)), institutionList(s.Gone))
	}
	if len(s.LeftOut) > 0 {
		out = append(out, el("p", g.Text("Unjoined: listed, but not believed.")), el("ul", g.Map(s.LeftOut, func(l banks.LeftOut) g.Node {
			return el("li", g.Textf("%s %s: %s", l.Code, l.Name, l.Reason))
		})))
	}
	return out
}

func institutionList(all []banks.Institution) g.Node {
	return el("ul", g.Map(all, func(i banks.Institution) g.Node { return el("li", g.Text(i.Code+" "+i.Name)) }))
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
