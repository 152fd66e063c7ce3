// Package backend describes back ends, which show the blocks of networks, to the rest of Causeway.
//
// Everything about one kind of back end lives in its own folder, adapters/chains/<name>, which exports
// one Descriptor. Package chains lists them. Configuration, wiring and docs/deposits.md iterate over
// that list, so no other package names a kind of back end.
package backend

import (
	"errors"
	"strings"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

// Descriptor is what the rest of Causeway knows about a kind of back end.
type Descriptor struct {
	Name     string   // before the URL in deposits.chains, and in metrics and logs: stable, lower case
	Title    string   // of the API
	Networks []string // codes of the networks whose blocks it reads
	// KeyHeader is the header for the key of a service. As the user in a URL, it sends the password in this
	// header. Empty: none.
	KeyHeader string
	// Wallet is the deposit wallet that all these networks share. Empty: each has a wallet with its code.
	Wallet string

	// New returns a back end with the name of the client, such as evm-bsc. It sends no request.
	New func(client *upstream.Client, chain core.Chain) ports.Chain

	Evidence []Evidence
}

// Evidence is a fact about the API of a back end.
type Evidence struct {
	Fact   string
	Source string // a specification, a page or an issue, with its date; empty: assumed
	Test   string // that shows that the adapter knows the fact; empty: the fact needs no code
}

// Undecided returns an error for a response that does not say which network the back end serves.
func Undecided(client *upstream.Client, op, reason string) error {
	return core.Errorf(core.Unavailable, "Temporarily unavailable. Retry later.").
		With(errors.New(client.Name() + " " + op + ": " + reason))
}

// Hash is 32 bytes as hexadecimal digits in lower case. Empty: none.
type Hash string

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	const digits = 64
	parsed, err := Hex(text, digits)
	*h = Hash(parsed)
	return err
}

// Hex returns a text of a number of hexadecimal digits, or an empty text, in lower case.
func Hex(text []byte, digits int) (string, error) {
	lower := strings.ToLower(string(text))
	if lower != "" && len(lower) != digits || strings.Trim(lower, "0123456789abcdef") != "" {
		return "", errors.New("not hexadecimal digits of the right number")
	}
	return lower, nil
}
