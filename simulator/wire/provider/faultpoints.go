package provider

import (
	"maps"
	"net/http"
	"path"
	"slices"

	"causeway/simulator/faults"
)

// FaultPoints says which requests a provider answers, and where its responses have prices and their times.
type FaultPoints struct {
	Operations []Operation
	Members    map[string]string // by operation: the place of what matters most, where that is no price
	Priced     []string          // the operations whose answers have prices
	Prices     []string          // first what is asked for a unit; for a middle price there is nothing else
	Unpriced   string            // a member that stands among the prices and is none
	Times      []TimeField
	Another    func(*http.Request) *http.Request // a question for another pair, where an answer is about one alone
}

// Operation is a kind of request, with the pattern of its path.
type Operation struct{ Name, Path string }

// TimeField is a place of times in a response.
type TimeField struct {
	Place string
	Unit  TimeUnit
}

// Offer returns the faults that can be injected into responses of a provider.
func (p FaultPoints) Offer() faults.Capabilities {
	o := faults.Capabilities{Operations: []string{}, Prices: p.Priced, Members: slices.Sorted(maps.Keys(p.Members)), Times: len(p.Times) > 0}
	for _, t := range p.Times {
		o.Counted = o.Counted || t.Unit == Seconds || t.Unit == Milliseconds
	}
	for _, op := range p.Operations {
		o.Operations = append(o.Operations, op.Name)
	}
	return o
}

// Operation returns the name of the operation of a request, or "" for a WebSocket and for what is not in the table.
func (p FaultPoints) Operation(r *http.Request) string {
	if r.Header.Get("Upgrade") != "" {
		return ""
	}
	for _, op := range p.Operations {
		if matched, err := path.Match(op.Path, r.URL.Path); err == nil && matched {
			return op.Name
		}
	}
	return ""
}
