package simulator

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"causeway/core"
)

// Scripted is an outcome that can be asked for: by the header Sim-Scenario of a request, or for one of the next requests by World.QueueNext.
//
// On the plane Upstream it is what the providers do when they are asked for the sake of the request, so that retries, fallbacks and the like answer
// as they would. Accounts alone are asked for like that: prices and lists of banks are shared by all requests of a world, and what befalls one
// of these must not show in the others; their providers are made to fail by faults, and by settings of the market. On the plane Edge it is the
// answer itself, an error of the wire contract, whatever was asked for.
type Scripted struct {
	Name       string
	Title      string // what happens, for people
	Plane      Plane
	Operations []string      // that it is for, sorted
	Status     int           // that the client gets
	Error      string        // name of the error that the client gets; empty: none
	RetryAfter time.Duration // that the client is told to wait; 0: as usual

	account MagicAccount // what befalls the account, on the plane Upstream
}

// errorPrefix is what the names of outcomes on the plane Edge begin with.
const errorPrefix = "error:"

// Operations returns what clients can ask the service for, by name.
func Operations() []Operation { return slices.Clone(operations) }

func operationNames() []string {
	out := make([]string, 0, len(operations))
	for _, o := range operations {
		out = append(out, o.Name)
	}
	return out
}

// Outcomes returns every outcome that can be asked for: those of accounts in the order of their magic numbers, then the errors in the order of
// their statuses.
func Outcomes() []Scripted {
	var out []Scripted
	for _, row := range append(slices.Clone(magicAccounts), dormantAccount) {
		out = append(out, Scripted{
			Name: row.Scenario, Title: row.Title, Plane: Upstream, Operations: []string{ResolveAccount},
			Status: statusOf(row.Error), Error: row.Error, account: row,
		})
	}
	for _, f := range failures {
		out = append(out, Scripted{
			Name: errorPrefix + f.name, Title: fmt.Sprintf("the answer is %d %s", f.status, f.name), Plane: Edge, Operations: operationNames(),
			Status: f.status, Error: f.name,
		})
	}
	return out
}

// statusOf is the status of an error by its name; 200 for none.
func statusOf(name string) int {
	for _, f := range failures {
		if f.name == name {
			return f.status
		}
	}
	return 200
}

// outcomeOf finds an outcome for an operation by its name; nil for one that the operation does not have.
func outcomeOf(operation, name string) *Scripted {
	all := scripted()
	i := slices.IndexFunc(all, func(s Scripted) bool { return s.Name == name && slices.Contains(s.Operations, operation) })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// noOutcome says that an operation has no such outcome, and which it has.
func noOutcome(field, operation, name string) core.FieldError {
	var accepted []string
	for _, s := range scripted() {
		if slices.Contains(s.Operations, operation) {
			accepted = append(accepted, s.Name)
		}
	}
	reason := fmt.Sprintf("%s is no outcome of %s; accepted: %s", shown(name), operation, strings.Join(accepted, ", "))
	if len(accepted) == 0 {
		reason = fmt.Sprintf("%s cannot be asked for: %s is no operation of the catalog; accepted: none", shown(name), shown(operation))
	}
	return core.FieldError{Field: field, Reason: reason}
}

// finds reports whether an outcome comes with the holder's name, from one provider at least.
func (o Outcome) finds() bool {
	switch o {
	case Found, Slow, Truncated, WrongPage, Throttled, Failed, Reset, RenamedSecond:
		return true
	case Unknown, Closed, Dormant, Down, Hanging:
	}
	return false
}
