// Package format holds what the simulated providers have in common: their Descriptor, requests,
// responses, institutions, tokens, WebSockets and the members in which faults are injected.
package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"path"

	"causeway/simulator/faults"
	"causeway/simulator/world"
)

// Descriptor describes a simulated provider: how it responds, and which members of its responses
// have prices and times. A place is the path of a member; * is any member or element.
type Descriptor struct {
	Name        string            // the same name as the adapter's
	Hosts       []string          // of the real provider
	Path        string            // of the API at its host, as in the base URL of the adapter
	Credentials map[string]string // that it accepts, by setting in the section of the provider

	Respond    func(*Request) Reply
	SocketPath string // of its WebSocket API
	Socket     func(http.ResponseWriter, *Request)

	Operations []Operation
	Prices     []string    // places; the first one is the ask or the middle price
	Unpriced   string      // a member among the prices that is not a price
	Times      []TimeField // of prices
	Markets    [2]string   // if a response has one market: the paths of two that a fault swaps
}

// Operation is a kind of request, named as in the metrics of the adapter.
type Operation struct {
	Name   string
	Path   string // pattern of its path
	Priced bool   // whether its responses have prices
	Member string // place of the most important member of a response without prices; may be empty

	RPC   bool          // the name is the method of the JSON-RPC request, at any path
	Chain []faults.Kind // effects on a blockchain that change its responses
}

// TimeField is a place of times in a response.
type TimeField struct {
	Place string
	Unit  TimeUnit
}

// Handler returns the provider in a world. It serves all hosts.
func (d Descriptor) Handler(sim *world.World) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := &Request{Request: r, World: sim, Now: sim.Now(), Effect: effectOf(r), provider: d.Name}
		if d.Socket != nil && r.URL.Path == d.SocketPath {
			d.Socket(w, request)
			return
		}
		reply := d.Respond(request)
		if tag := reply.Header.Get("Etag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			reply.Status, reply.Body = http.StatusNotModified, nil
		}
		reply.deliver(w, request)
	})
}

// Offer returns the faults that can be injected into responses of the provider.
func (d Descriptor) Offer() faults.Capabilities {
	o := faults.Capabilities{Times: len(d.Times) > 0, Chain: map[faults.Kind][]string{}}
	for _, t := range d.Times {
		o.Counted = o.Counted || perSecond[t.Unit] > 0
	}
	for _, op := range d.Operations {
		o.Operations = append(o.Operations, op.Name)
		if op.Priced {
			o.Prices = append(o.Prices, op.Name)
		}
		if op.Member != "" {
			o.Members = append(o.Members, op.Name)
		}
		for _, kind := range op.Chain {
			o.Chain[kind] = append(o.Chain[kind], op.Name)
		}
	}
	return o
}

// Operation returns the operation of a request. It is zero for a WebSocket and for other paths. The body of a JSON-RPC
// request is read, and can be read again.
func (d Descriptor) Operation(r *http.Request) Operation {
	method := ""
	for _, op := range d.Operations {
		if op.RPC {
			if method == "" {
				method = rpcMethod(r)
			}
			if op.Name == method {
				return op
			}
			continue
		}
		matched, err := path.Match(op.Path, r.URL.Path)
		if err == nil && matched && r.Header.Get("Upgrade") == "" {
			return op
		}
	}
	return Operation{}
}

// rpcMethod returns the method of a JSON-RPC request; "-" if there is none.
func rpcMethod(r *http.Request) string {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	r.Body = io.NopCloser(bytes.NewReader(body))
	var call struct {
		Method string `json:"method"`
	}
	if err != nil || json.Unmarshal(body, &call) != nil {
		return "-"
	}
	return cmp.Or(call.Method, "-")
}
