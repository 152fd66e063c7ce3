// Package wire shows a simulated world as its providers do: their paths, envelopes, statuses,
// errors, paging, headers and quirks. Each provider has a folder with its Descriptor and
// divergences, and Descriptors lists them. The same handlers serve in process (Wire is an
// http.RoundTripper, the transport of a sandbox's adapters) and over TCP.
//
// The handlers follow the documentation of the real providers. They share no type, constant or
// parser with the adapters that call them, so that a mistake of an adapter shows.
//
// Known differences from the real providers are listed by Divergences. A provider has only the
// operations that its adapter calls.
package wire

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"causeway/simulator/faults"
	"causeway/simulator/world"
)

// Wire is a world as its providers show it. It is safe for concurrent use.
type Wire struct {
	handlers map[string]http.Handler // by provider
	network  http.RoundTripper
}

// descriptors are all providers and the back ends of all blockchains.
var descriptors = slices.Concat(Descriptors, Chains)

// New returns the simulated providers of a world. All calls for a world return the same ones.
func New(sim *world.World) *Wire {
	return world.Attach(sim, func() *Wire {
		w := &Wire{handlers: make(map[string]http.Handler, len(descriptors))}
		for _, d := range descriptors {
			w.handlers[d.Name] = &faulty{world: sim, provider: d, next: d.Handler(sim)}
		}
		w.network = Loopback(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.at(&url.URL{Host: r.Host}).ServeHTTP(rw, r)
		}))
		return w
	})
}

// Offers returns the faults that each provider supports. Callers must not modify the result.
var Offers = sync.OnceValue(func() map[string]faults.Capabilities {
	out := map[string]faults.Capabilities{}
	for _, d := range descriptors {
		out[d.Name] = d.Offer()
	}
	return out
})

// Credentials returns the credentials that the simulated providers accept, by provider and setting
// of its section in the configuration.
func Credentials() map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, d := range Descriptors {
		if len(d.Credentials) > 0 {
			out[d.Name] = d.Credentials
		}
	}
	return out
}

// Backends returns the simulated back ends of networks, as <kind>:<url>, by network.
func Backends() map[string]string {
	out := map[string]string{}
	for _, d := range Chains {
		kind, network, _ := strings.Cut(d.Name, "-")
		out[strings.ToUpper(network)] = kind + ":https://" + d.Hosts[0] + d.Path
	}
	return out
}

// Providers returns the names of all providers, sorted.
func (w *Wire) Providers() []string {
	return slices.Sorted(maps.Keys(w.handlers))
}

// Handler returns the handler of one provider, for any host. It is nil for an unknown provider.
func (w *Wire) Handler(provider string) http.Handler { return w.handlers[provider] }

// providerAt returns the provider behind a host of the internet, or "" if there is none.
func providerAt(host string) string {
	for _, d := range descriptors {
		if slices.Contains(d.Hosts, host) {
			return d.Name
		}
	}
	return ""
}
