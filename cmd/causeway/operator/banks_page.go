package operator

import (
	"net/http"
	"time"

	g "maragu.dev/gomponents"

	"causeway/core"
	"causeway/core/banks"
)

// bankDesk renders the state of the bank lists.
type bankDesk struct {
	banks *banks.Service
	clock core.Clock
}

// banks shows the state of the bank lists.
func (h *Handler) banks(w http.ResponseWriter, r *http.Request) {
	(&bankDesk{h.cfg.Banks, h.cfg.Clock}).show(w, r)
}

// CountryCount is how many institutions a country has on the list.
type CountryCount struct {
	Country               string
	Institutions, Dropped int // Dropped: those that some directory listed once and lists no longer
}

// show is the page.
func (d *bankDesk) show(w http.ResponseWriter, _ *http.Request) {
	servePage(w, "", "Bank lists", d.lists(d.banks.States(), CountCountries(d.banks.List())))
}

// lists are the countries, the directories, and what is the matter with each of them.
func (d *bankDesk) lists(states []banks.State, countries []CountryCount) g.Node {
	rows := g.Map(states, d.row)
	if len(states) == 0 {
		rows = g.Group{el("tr", el("td", attr("colspan", "13"), g.Text("There is no directory: the catalog is all that is known.")))}
	}
	return g.Group{
		grid([]string{"country", "institutions", "dropped by a directory"}, g.Map(countries, func(c CountryCount) g.Node {
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

// age is how long ago an instant was; empty for the zero time, which none was.
func (d *bankDesk) age(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return d.clock().Sub(at).Round(time.Second).String()
}
