// Package wiretest opens a simulated world for the tests of adapters, and networks on which its
// providers misbehave.
package wiretest

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"

	"causeway/core"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// Noon returns the time of a world of Open.
func Noon() time.Time { return time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC) }

// Open returns a world with the given institutions and its wire. Worlds of the same institutions are
// equal.
func Open(t testing.TB, banks ...core.Bank) (*world.World, *wire.Wire) {
	t.Helper()
	w, err := world.New(world.RegistryConfig{
		Clock: Noon, Banks: banks, Providers: wire.Offers(), Default: world.Options{Seed: "causeway"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return w, wire.New(w)
}

// Credential returns the credential that a simulated provider accepts in a setting of its section.
func Credential(provider, setting string) core.Secret {
	return core.Secret(wire.Credentials()[provider][setting])
}

// transport is a function that responds to requests.
type transport func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Hanging is a network without responses.
func Hanging() http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
}

// Saying responds to every request alike. The header has names and values in turn.
func Saying(status int, body string, header ...string) http.RoundTripper {
	fields := http.Header{}
	for pair := range slices.Chunk(header, 2) {
		fields.Set(pair[0], pair[1])
	}
	return transport(httpmock.NewStringResponder(status, body).HeaderSet(fields).SetContentLength())
}
