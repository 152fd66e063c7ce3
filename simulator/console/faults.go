package console

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/publicapi"
	"causeway/simulator/world"
)

// faultRow is a fault in words.
type faultRow struct {
	faults.Fault
	Title string // of its kind
	Over  bool
}

// Where says which requests the fault applies to.
func (r faultRow) Where() string {
	m := r.Rule.Match
	text := "requests to every provider"
	switch {
	case m.Plane == faults.Edge:
		text = "responses to clients"
	case m.Provider != "":
		text = "requests to " + m.Provider
	}
	if m.Operation != "" {
		text += ", " + m.Operation
	}
	for _, name := range slices.Sorted(maps.Keys(m.Header)) {
		text += ", " + name + ": " + m.Header[name]
	}
	if m.Nth > 0 {
		text += fmt.Sprintf(", only number %d", m.Nth)
	}
	return text
}

// When says how often the fault applies.
func (r faultRow) When() string {
	var parts []string
	when := r.Rule.When
	if when.Probability != "" {
		parts = append(parts, "probability "+when.Probability)
	}
	if when.After > 0 {
		parts = append(parts, fmt.Sprintf("after the first %d", when.After))
	}
	if when.Every > 1 {
		parts = append(parts, fmt.Sprintf("every %d.", when.Every))
	}
	if when.MaxHits > 0 {
		parts = append(parts, "at most "+plural(int(when.MaxHits), "hit"))
	}
	return cmp.Or(strings.Join(parts, ", "), "always")
}

// Score says how often the fault applied: "2 hits in 14 tries".
func (r faultRow) Score() string { return plural(r.Hits, "hit") + " in " + plural(r.Matched, "try") }

// By lists the hits by provider or operation.
func (r faultRow) By() string {
	var parts []string
	for _, by := range []map[string]uint64{r.HitProvider, r.HitOperation} {
		for _, name := range slices.Sorted(maps.Keys(by)) {
			if by[name] > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", name, by[name]))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// faultsData is the view of the faults.
type faultsData struct {
	Rows     []faultRow
	Queue    []accounts.Queued
	Form     faultForm
	Catalog  catalog.Catalog
	Presets  []presetChoice
	Outcomes []catalog.OutcomeEntry // for the operation of the queue form
	Queued   string                 // operation of the queue form
}

// presetChoice is a preset, for one provider if it needs one.
type presetChoice struct{ Name, Title string }

// faultForm is the form that builds a fault. Its state is in the query.
type faultForm struct {
	Plane      faults.Plane
	Provider   string
	Operation  string
	Kind       faults.Kind
	Title      string
	Takes      []string
	Providers  []string
	Operations []string
	Kinds      []catalog.FaultEntry
}

// Has reports whether the kind has a parameter.
func (f faultForm) Has(parameter string) bool { return slices.Contains(f.Takes, parameter) }

func (c *Console) faults(f *frame, _ *http.Request) (any, error) {
	d := faultsData{Queue: f.World.Queue().List(), Catalog: catalog.For(c.worlds)}
	titles := map[faults.Kind]string{}
	for _, entry := range d.Catalog.Faults {
		titles[entry.Kind] = entry.Title
	}
	now := f.World.Now()
	for _, fault := range f.World.Faults().List() {
		over := !fault.Until.IsZero() && !fault.Until.After(now)
		d.Rows = append(d.Rows, faultRow{fault, titles[fault.Rule.Effect.Kind], over})
	}
	offers := f.World.Faults().Providers()
	d.Form = newFaultForm(f, offers, d.Catalog)
	for _, p := range d.Catalog.Presets {
		name, narrow := strings.CutSuffix(p.Name, ":<provider>")
		if !narrow {
			d.Presets = append(d.Presets, presetChoice{name, name + ": " + p.Title})
		}
		for _, provider := range slices.Sorted(maps.Keys(offers)) {
			d.Presets = append(d.Presets, presetChoice{name + ":" + provider, name + " at " + provider + ": " + p.Title})
		}
	}
	d.Queued = cmp.Or(f.Query("operation"), publicapi.ResolveAccount)
	for _, o := range d.Catalog.Outcomes {
		if slices.Contains(o.Operations, d.Queued) {
			d.Outcomes = append(d.Outcomes, o)
		}
	}
	return d, nil
}

// newFaultForm offers what fits the choices so far: providers, then operations, then kinds, then their parameters.
func newFaultForm(f *frame, offers map[string]faults.Capabilities, c catalog.Catalog) faultForm {
	form := faultForm{
		Plane:    faults.Plane(cmp.Or(f.Query("match.plane"), string(faults.Upstream))),
		Provider: f.Query("match.provider"), Operation: f.Query("match.operation"), Kind: faults.Kind(f.Query("effect.kind")),
	}
	if form.Plane == faults.Edge {
		form.Provider, form.Operations = "", c.Operations
	} else {
		form.Providers = slices.Sorted(maps.Keys(offers))
		for name, offer := range offers {
			if form.Provider == "" || form.Provider == name {
				form.Operations = append(form.Operations, offer.Operations...)
			}
		}
		slices.Sort(form.Operations)
		form.Operations = slices.Compact(form.Operations)
	}
	if !slices.Contains(form.Operations, form.Operation) {
		form.Operation = ""
	}
	for _, kind := range c.Faults {
		if form.fits(kind, offers) {
			form.Kinds = append(form.Kinds, kind)
		}
	}
	if i := slices.IndexFunc(form.Kinds, func(k catalog.FaultEntry) bool { return k.Kind == form.Kind }); i >= 0 {
		form.Title, form.Takes = form.Kinds[i].Title, form.Kinds[i].Takes
	} else {
		form.Kind = ""
	}
	return form
}

func (f faultForm) fits(kind catalog.FaultEntry, offers map[string]faults.Capabilities) bool {
	if !slices.Contains(kind.Planes, f.Plane) {
		return false
	}
	if f.Plane == faults.Edge {
		return f.Operation == "" || kind.Kind.FitsEdge(f.Operation)
	}
	for name, offer := range offers {
		if (f.Provider == "" || f.Provider == name) && offer.Fits(kind.Kind, f.Operation) {
			return true
		}
	}
	return len(offers) == 0
}

// scenariosData is the incident library.
type scenariosData struct {
	Playing   []playingRow
	Scenarios []catalog.ScenarioEntry
}

// playingRow is a scenario that is under way.
type playingRow struct {
	world.Playing
	Done, Lasts int // in seconds of the world
	Left        string
}

func (c *Console) scenarios(f *frame, _ *http.Request) (any, error) {
	d := scenariosData{Scenarios: catalog.For(c.worlds).Scenarios}
	now := f.World.Now()
	for _, p := range f.Active.Scenarios {
		d.Playing = append(d.Playing, playingRow{
			p, int(now.Sub(p.From).Seconds()), int(p.Until.Sub(p.From).Seconds()),
			shortDuration(p.Until.Sub(now).Round(time.Second)),
		})
	}
	return d, nil
}

// worldRow is a world in the list.
type worldRow struct {
	*world.World
	API     string
	Link    string
	Entries int
	Faults  int
	Current bool
	Default bool // cannot be deleted
}

// Flags returns the flag of causeway sim that names the world.
func (r worldRow) Flags() string { return worldFlag(r.World) }

// worldsData is the list of worlds.
type worldsData struct {
	Rows  []worldRow
	Ended string // the world that the page was showing
}

func (c *Console) allWorlds(f *frame, _ *http.Request) (any, error) {
	d := worldsData{Ended: f.Query("ended")}
	for _, w := range c.worlds.List() {
		d.Rows = append(d.Rows, worldRow{
			World: w, API: apiPath(w.ID()), Link: f.In(w), Current: w == f.World, Default: w.ID() == world.Default,
			Entries: w.Journal().State().Entries, Faults: len(w.Faults().List()),
		})
	}
	return d, nil
}

// accountsData is the view of the accounts.
type accountsData struct {
	Set      []accounts.Setting
	Found    *accounts.View
	Problem  string
	Catalog  catalog.Catalog
	Outcomes []catalog.OutcomeEntry // that an account can have
	Magic    bool                   // the world lists magic pairs
}

func (c *Console) accounts(f *frame, _ *http.Request) (any, error) {
	d := accountsData{Set: f.World.Accounts().List(), Catalog: catalog.For(c.worlds), Magic: f.World.Options().MagicPairs}
	for _, o := range d.Catalog.Outcomes {
		if o.Plane == faults.Upstream && slices.Contains(o.Operations, publicapi.ResolveAccount) {
			d.Outcomes = append(d.Outcomes, o)
		}
	}
	if f.Query("bank") != "" || f.Query("number") != "" {
		found, err := f.World.Accounts().View(f.Query("bank"), f.Query("number"), f.Query("country"))
		if err != nil {
			d.Problem = message(err)
			return d, nil
		}
		d.Found = &found
	}
	return d, nil
}
