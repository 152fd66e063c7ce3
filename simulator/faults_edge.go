package simulator

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// MemberOf is the place of what matters most in the answer to an operation: see Operation.Member.
func MemberOf(operation string) string {
	for _, o := range operations {
		if o.Name == operation {
			return o.Member
		}
	}
	return ""
}

// OnEdge reports whether an effect fits our answer to an operation: one that changes an answer that was made does not fit a stream, which has no end.
func (k Kind) OnEdge(operation string) bool {
	return kinds[k].edge && (operation != streamPairs || !kinds[k].spoils)
}

// Planes returns those that an effect fits.
func (k Kind) Planes() []Plane {
	if kinds[k].edge {
		return []Plane{Upstream, Edge}
	}
	return []Plane{Upstream}
}

// onEdge lists the kinds that fit our answers to an operation; to any, where it is empty.
func onEdge(operation string) string {
	fitting := slices.DeleteFunc(Kinds(), func(k string) bool { return !Kind(k).OnEdge(operation) })
	return strings.Join(fitting, ", ")
}

// checkEdge looks at what only a rule on the plane Edge has, and at what it cannot have.
func (r Rule) checkEdge(c *checker) {
	m, e := r.Match, r.Effect
	c.need(m.Provider == "", "match.provider", shown(m.Provider), "nothing: on the plane edge there is no provider")
	c.need(m.Operation == "" || slices.Contains(operationNames(), m.Operation), "match.operation", shown(m.Operation), strings.Join(operationNames(), ", "))
	c.need(r.Phase != After || m.Operation != streamPairs, "phase", r.Phase, "before: the answer to "+streamPairs+" has no end")
	if t, known := kinds[e.Kind]; known && !t.edge {
		c.need(false, "effect.kind", string(e.Kind)+", which does not fit the plane edge", onEdge(""))
	} else if known && !e.Kind.OnEdge(m.Operation) {
		c.need(false, "effect.kind", fmt.Sprintf("%s, which does not fit %s, whose answer has no end", e.Kind, m.Operation), onEdge(m.Operation))
	}
	if e.Kind == FaultStatus && e.Status >= 400 && e.Status <= 599 {
		e.checkStatus(c)
	}
}

// checkStatus looks for an error of the wire contract with the status, and with the code where there is one.
func (e Effect) checkStatus(c *checker) {
	var names, statuses []string
	for _, f := range failures {
		statuses = append(statuses, fmt.Sprint(f.status))
		if f.status == e.Status {
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		c.need(false, "effect.status", e.Status, strings.Join(slices.Compact(statuses), ", ")+": those of the API")
		return
	}
	c.need(e.Code == "" || slices.Contains(names, e.Code), "effect.code", shown(e.Code), strings.Join(names, ", ")+": the errors of that status")
}

// failure is the error of the wire contract that a status is, on the plane Edge.
func (e Effect) failure() failure {
	for _, f := range failures {
		if f.status == e.Status && (e.Code == "" || e.Code == f.name) {
			return f
		}
	}
	return failure{"internal_server_error", http.StatusInternalServerError}
}

// Strike returns what befalls the answer to the client, and takes down what decided that: a rule, or chaos. Nothing befalls a request that an outcome was
// asked for, or one that is for no operation.
func (c *Call) Strike(header http.Header) (hit Hit, befallen bool) {
	if c.Forced() || c.Operation == "" {
		return Hit{}, false
	}
	hit, befallen = c.World.faults.Next(Question{Plane: Edge, Operation: c.Operation, Header: header}, c.World.Now())
	if befallen {
		c.Decide(hit.By())
	}
	return hit, befallen
}

// Refuse has Fail return the failure that a hit asks for. It is for whoever answers the request, before that is done.
func (c *Call) Refuse(h Hit) {
	f := h.Effect.failure()
	c.refused = &Scripted{
		Name: h.By(), Plane: Edge, Operations: []string{c.Operation},
		Status: f.status, Error: f.name, RetryAfter: time.Duration(h.Effect.RetryAfter),
	}
}
