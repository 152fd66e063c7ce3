package console

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/world"
)

// faultRow is a fault, and whether it has ended.
type faultRow struct {
	faults.Fault
	Over bool
}

// faultsData is the view of the faults.
type faultsData struct {
	Rows     []faultRow
	Queue    []accounts.Queued
	Form     faultForm
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
	Takes      []string
	Providers  []string
	Operations []string
	Kinds      []catalog.FaultEntry
}

// Has reports whether the kind has a parameter.
func (f faultForm) Has(parameter string) bool { return slices.Contains(f.Takes, parameter) }

func (c *Console) faults(f *frame, _ *http.Request) (any, error) {
	set := f.World.Faults()
	d := faultsData{Queue: f.World.Queue().List(), Form: newFaultForm(f, set)}
	now := f.World.Now()
	for _, fault := range set.List() {
		d.Rows = append(d.Rows, faultRow{fault, fault.Over(now)})
	}
	for _, p := range f.Catalog().Presets {
		name, narrow := strings.CutSuffix(p.Name, ":<provider>")
		if !narrow {
			d.Presets = append(d.Presets, presetChoice{name, name + ": " + p.Title})
		}
		for _, provider := range slices.Sorted(maps.Keys(set.Providers())) {
			d.Presets = append(d.Presets, presetChoice{name + ":" + provider, name + " at " + provider + ": " + p.Title})
		}
	}
	d.Queued = cmp.Or(f.Query("operation"), core.OpResolveAccount)
	for _, o := range f.Catalog().Outcomes {
		if slices.Contains(o.Operations, d.Queued) {
			d.Outcomes = append(d.Outcomes, o)
		}
	}
	return d, nil
}

// newFaultForm offers what fits the choices so far: providers, then operations, then kinds, then their parameters.
func newFaultForm(f *frame, set *faults.Set) faultForm {
	form := faultForm{
		Plane:    faults.Plane(cmp.Or(f.Query("match.plane"), string(faults.Upstream))),
		Provider: f.Query("match.provider"), Operation: f.Query("match.operation"), Kind: faults.Kind(f.Query("effect.kind")),
	}
	if form.Plane != faults.Upstream {
		form.Provider = ""
	} else {
		form.Providers = slices.Sorted(maps.Keys(set.Providers()))
	}
	form.Operations = set.Operations(form.Plane, form.Provider)
	if !slices.Contains(form.Operations, form.Operation) {
		form.Operation = ""
	}
	fitting := set.Kinds(faults.Match{Plane: form.Plane, Provider: form.Provider, Operation: form.Operation})
	for _, kind := range f.Catalog().Faults {
		if slices.Contains(fitting, string(kind.Kind)) {
			form.Kinds = append(form.Kinds, kind)
		}
	}
	if !slices.Contains(fitting, string(form.Kind)) {
		form.Kind = ""
	}
	form.Takes = form.Kind.Takes()
	return form
}

// playingRow is a scenario that is under way.
type playingRow struct {
	world.Playing
	Done, Lasts int // in seconds of the world
	Left        string
}

func (c *Console) scenarios(f *frame, _ *http.Request) (any, error) {
	var rows []playingRow
	now := f.World.Now()
	for _, p := range f.Active.Scenarios {
		rows = append(rows, playingRow{
			p, int(now.Sub(p.From).Seconds()), int(p.Until.Sub(p.From).Seconds()),
			shortDuration(p.Until.Sub(now).Round(time.Second)),
		})
	}
	return rows, nil
}

func (c *Console) allWorlds(*frame, *http.Request) (any, error) { return c.worlds.List(), nil }

// accountsData is the view of the accounts.
type accountsData struct {
	Found    *accounts.View
	Problem  string
	Outcomes []catalog.OutcomeEntry // that an account can have
}

func (c *Console) accounts(f *frame, _ *http.Request) (any, error) {
	var d accountsData
	for _, o := range f.Catalog().Outcomes {
		if o.Plane == faults.Upstream {
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
