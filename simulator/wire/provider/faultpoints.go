package provider

import (
	"maps"
	"net/http"
	"path"
	"slices"

	"causeway/simulator/faults"
)

// FaultPoints describes which requests a provider serves, and where its responses have prices and
// times.
type FaultPoints struct {
	Operations []Operation
	Members    map[string]string // by operation: the place of the most important member, if it is not a price
	Priced     []string          // operations whose responses have prices
	Prices     []string          // places; the first one is the ask or the middle price
	Unpriced   string            // a member among the prices that is not a price
	Times      []TimeField
	Another    func(*http.Request) *http.Request // for one market per response: the request for another market
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
	o := faults.Capabilities{
		Operations: []string{}, Prices: p.Priced, Members: slices.Sorted(maps.Keys(p.Members)), Times: len(p.Times) > 0,
	}
	for _, t := range p.Times {
		o.Counted = o.Counted || t.Unit == Seconds || t.Unit == Milliseconds
	}
	for _, op := range p.Operations {
		o.Operations = append(o.Operations, op.Name)
	}
	return o
}

// Operation returns the name of the operation of a request, or "" for a WebSocket and for other
// paths.
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

// AnotherPath returns a value for FaultPoints.Another: requests are redirected to the usual path,
// and those to the usual path to the other one.
func AnotherPath(usual, other string) func(*http.Request) *http.Request {
	return func(r *http.Request) *http.Request {
		again := r.Clone(r.Context())
		if again.URL.Path = usual; r.URL.Path == usual {
			again.URL.Path = other
		}
		return again
	}
}
