package console

import (
	"fmt"
	"math"
	"strings"

	"causeway/simulator/faults"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// outcome is the outcome of an attempt at a provider in words, with its class for the style sheet.
type outcome struct{ Text, Class string }

// outcomes are the outcomes by their names in the journal. The guide explains them in the same words.
var outcomes = map[string]outcome{
	"found":       {"account found", "good"},
	"ok":          {"answered", "good"},
	"not_found":   {"no such account", "good"},
	"closed":      {"account closed", "good"},
	"undecided":   {"unclear answer", "bad"},
	"throttled":   {"too many requests", "bad"},
	"refused":     {"key refused", "bad"},
	"unavailable": {"out of order", "bad"},
	"timeout":     {"too slow", "bad"},
	"malformed":   {"unreadable answer", "bad"},
	"open":        {"not asked, it failed too often", "bad"},
	"quota":       {"not asked, limit used up", "bad"},
	"canceled":    {"stopped", ""},
	"abandoned":   {"not waited for", ""},
	"panicked":    {"defect in Causeway", "bad"},
}

// outcomeOf returns the outcome of an attempt. One that is not in the table is shown by its name.
func outcomeOf(a journal.Attempt) outcome {
	if o, known := outcomes[a.Outcome]; known {
		return o
	}
	return outcome{a.Outcome, "bad"}
}

// span is a part of the time line, in per cent of its length.
type span struct{ Start, Width float64 }

// tick is a mark of the time line.
type tick struct {
	At    float64 // in per cent
	Label string
}

// lane is a row of the picture: the client, Causeway or an attempt at a provider.
type lane struct {
	Who, Detail string
	Depth       int // 0 client, 1 Causeway, 2 provider
	Bar, Wait   span
	Status      string // empty: none
	Class       string
	Text        string
	Notes       []string
	Fault       string
	Took        float64
}

// picture is a request on a time line: its client, Causeway and the attempts at providers.
type picture struct {
	Lanes []lane
	Ticks []tick
}

// thinnest is the width of the thinnest bar, in per cent of the time line.
const thinnest = 0.6

func newPicture(row entryRow) (p picture) {
	if row.Block != nil || row.Webhook != nil {
		return p
	}
	total := max(row.Took, 0.001)
	for _, a := range row.Attempts {
		total = max(total, a.Start+a.Took)
	}
	part := func(start, took float64) span {
		width := max(thinnest, 100*took/total)
		return span{max(0, min(100*start/total, 100-width)), width}
	}
	whole := part(0, total)
	p.Lanes = []lane{
		{
			Who: "Client", Detail: "waits for the response", Bar: whole, Status: row.StatusText(),
			Class: row.Class(), Text: row.Trouble(), Took: row.Took,
		},
		{Who: "Causeway", Detail: row.Operation, Depth: 1, Bar: whole, Text: ownWork(row)},
	}
	if id, found := strings.CutPrefix(row.Applied, faultPrefix); found && !hitProvider(row.Attempts, id) {
		p.Lanes[1].Fault, p.Lanes[1].Text = id, "the response has a fault"
	}
	ended := map[string]float64{} // attempts by provider
	for _, a := range row.Attempts {
		o := outcomeOf(a)
		l := lane{
			Who: a.Provider, Depth: 2, Bar: part(a.Start, a.Took), Class: o.Class, Text: o.Text, Fault: a.Fault, Took: a.Took,
		}
		if a.Attempt > 1 {
			l.Detail = fmt.Sprintf("try %d", a.Attempt)
		}
		if a.Status != 0 {
			l.Status = fmt.Sprint(a.Status)
		}
		if before, again := ended[a.Provider]; again && a.Start-before >= 0.1 {
			l.Wait = part(before, a.Start-before)
			l.Notes = append(l.Notes, "waited "+milliseconds(a.Start-before))
		}
		if a.Hedged {
			l.Notes = append(l.Notes, "asked because the provider before was slow")
		}
		if a.Breaker == "half_open" {
			l.Notes = append(l.Notes, "a trial after many failures")
		}
		ended[a.Provider] = a.Start + a.Took
		p.Lanes = append(p.Lanes, l)
	}
	p.Ticks = ticks(total)
	return p
}

// ownWork returns what Causeway did itself.
func ownWork(row entryRow) string {
	switch {
	case row.Cache == journal.Hit:
		return "answered from its cache"
	case len(row.Attempts) > 0:
		return "asked " + plural(providers(row.Attempts), "provider")
	case row.Control:
		return "changed the world"
	}
	return "answered by itself"
}

// providers counts the providers of some attempts.
func providers(attempts []journal.Attempt) int {
	names := map[string]bool{}
	for _, a := range attempts {
		names[a.Provider] = true
	}
	return len(names)
}

// ticks returns up to five marks at round times of a time line, which is so many milliseconds long.
func ticks(total float64) (out []tick) {
	unit := math.Pow(10, math.Floor(math.Log10(total/2)))
	step := unit
	for _, factor := range []float64{2, 5, 10} {
		if total/step > 5 {
			step = unit * factor
		}
	}
	for at := 0.0; at < total*0.94; at += step {
		label := fmt.Sprintf("%g ms", math.Round(at*1000)/1000)
		if total >= 2000 {
			label = fmt.Sprintf("%g s", math.Round(at)/1000)
		}
		out = append(out, tick{100 * at / total, label})
	}
	return out
}

// faultPrefix is in Sim-Applied before the ID of a fault.
const faultPrefix = "fault:"

func hitProvider(attempts []journal.Attempt, fault string) bool {
	for _, a := range attempts {
		if a.Fault == fault {
			return true
		}
	}
	return false
}

// actedFault is a fault that acted on a request.
type actedFault struct {
	ID    string
	Kind  faults.Kind // empty if the fault was removed
	Where string
	Times int
}

// Title says what the fault does.
func (a actedFault) Title() string {
	if a.Kind == "" {
		return "removed since"
	}
	return a.Kind.Title()
}

// actedFaults returns all faults that acted on a request, in the order in which they acted.
func actedFaults(w *world.World, row entryRow) (out []actedFault) {
	kinds := map[string]faults.Kind{}
	for _, f := range w.Faults().List() {
		kinds[f.ID] = f.Rule.Effect.Kind
	}
	add := func(id, where string) {
		for i := range out {
			if out[i].ID == id && out[i].Where == where {
				out[i].Times++
				return
			}
		}
		out = append(out, actedFault{id, kinds[id], where, 1})
	}
	for _, a := range row.Attempts {
		if a.Fault != "" {
			add(a.Fault, "at "+a.Provider)
		}
	}
	if id, found := strings.CutPrefix(row.Applied, faultPrefix); found && !hitProvider(row.Attempts, id) {
		add(id, "on the way to the client")
	}
	return out
}

// Decided says in words what decided the outcome of a request.
func (e entryRow) Decided() string {
	kind, name, _ := strings.Cut(e.Applied, ":")
	switch kind {
	case "fault":
		return "fault " + name
	case "magic":
		return "account number that ends in " + name
	case "scenario":
		return "header Sim-Scenario: " + name
	case "next":
		return "queued outcome " + name
	}
	return e.Applied
}
