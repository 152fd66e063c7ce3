package simulator

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"

	"causeway/core"
	"causeway/simulator/journal"
)

// Call is what a sandbox knows of one request to the service. It travels in the request's context to the wire, so that the providers can do what the
// request asks for. A nil Call knows nothing and takes no notes: that of a provider who is asked over the network.
type Call struct {
	World     *World
	Operation string
	Entry     *journal.Open // of the request; nil: it is not recorded

	forced  *Scripted // what was asked to happen; nil: nothing
	source  string    // who asked: "scenario" or "next"
	back    func()    // puts what is forced back in line; nil: it does not come from there
	apart   string    // see Apart
	refused *Scripted // what a fault has the request refused with; nil: nothing
	applied atomic.Pointer[string]
	tries   tries
}

// NewCall begins a call. What is to happen is the scenario, as in Sim-Scenario, where there is one, and else what QueueNext has put in line for the operation:
// a request with a scenario takes nothing from there. The error says which scenarios the operation has.
func (w *World) NewCall(operation, scenario string) (*Call, error) {
	c := &Call{World: w, Operation: operation}
	if scenario == "" {
		c.source = "next"
		c.forced, c.back = w.next.take(operation)
	} else if c.forced, c.source = outcomeOf(operation, scenario), "scenario"; c.forced == nil {
		return nil, core.InvalidFields(noOutcome("Sim-Scenario", operation, scenario))
	}
	if c.forced != nil {
		c.apart = "forced " + strconv.FormatUint(w.forced.Add(1), 10)
	} else if edition := w.accounts.edition.Load(); edition > 0 {
		c.apart = "accounts " + strconv.FormatUint(edition, 10)
	}
	return c, nil
}

// End ends the call. What it took from the line of outcomes, and what did not come about since the request was refused before, is there for the next request.
func (c *Call) End() {
	if c.back != nil && c.applied.Load() == nil {
		c.back()
	}
}

// Apart tells calls apart that must not share what is learnt of accounts: one whose outcome was asked for shares nothing with any other, and nobody is
// told what was so before something was set or removed.
func (c *Call) Apart() string {
	if c == nil {
		return ""
	}
	return c.apart
}

// Forced reports whether an outcome was asked for, be it that it has come about or not. No fault befalls such a call.
func (c *Call) Forced() bool { return c != nil && c.forced != nil }

// Outcome is the one that was asked for; false where none was.
func (c *Call) Outcome() (Scripted, bool) {
	if !c.Forced() {
		return Scripted{}, false
	}
	s := *c.forced
	s.Operations = slices.Clone(s.Operations)
	return s, true
}

// Fail returns the error that was asked to be the answer, or that a fault has in its place, and takes down that it is; false where there is none.
func (c *Call) Fail() (Scripted, bool) {
	if c != nil && c.refused != nil {
		return *c.refused, true
	}
	if !c.Forced() || c.forced.Plane != Edge {
		return Scripted{}, false
	}
	c.Decide(c.source + ":" + c.forced.Name)
	return c.Outcome()
}

// Decide takes down what decided the outcome, such as "fault:f3". Whoever is first has decided.
func (c *Call) Decide(what string) {
	if c != nil && what != "" {
		c.applied.CompareAndSwap(nil, &what)
	}
}

// Applied says what decided the outcome, as in Sim-Applied: "scenario:unknown", "next:all_down", "fault:f3", "magic:404"; or "none".
func (c *Call) Applied() string {
	if c != nil {
		if what := c.applied.Load(); what != nil {
			return *what
		}
	}
	return "none"
}

// account is what was asked to befall an account, with what decided; false where nothing was.
func (c *Call) account() (MagicAccount, string, bool) {
	if !c.Forced() || c.forced.Plane != Upstream {
		return MagicAccount{}, "", false
	}
	return c.forced.account, c.source + ":" + c.forced.Name, true
}

type callKey struct{}

// WithCall puts a call into a context.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf is the call of a context; nil where there is none.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}
