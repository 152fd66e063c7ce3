package addresses

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"causeway/core"
)

// currency holds the networks of a currency, the default first.
type currency struct {
	fiat     bool
	networks []*network
}

// carried are the currencies of a catalog.
type carried struct {
	of       map[string]currency
	accepted string // for people: the currencies that can be checked, and where they are listed
}

// maxAccepted is the maximum number of currencies in an error. The default catalog has fewer.
const maxAccepted = 200

// accepted names the currencies that have networks, in the order of the catalog.
func accepted(list []core.Currency) string {
	var codes []string
	for i := range list {
		if list[i].DefaultNetwork != "" || len(list[i].Networks) > 0 {
			codes = append(codes, list[i].Code)
		}
	}
	more := ""
	if rest := len(codes) - maxAccepted; rest > 0 {
		codes, more = codes[:maxAccepted], fmt.Sprintf(" and %d more", rest)
	}
	return strings.Join(codes, ", ") + more + ". See GET /v1/currencies"
}

// carriers resolves the networks of every currency.
func (s *Service) carriers(list []core.Currency) (map[string]currency, error) {
	known, faults := make(map[string]currency, len(list)), []error(nil)
	for i := range list {
		c := &list[i]
		codes := c.Networks
		if c.DefaultNetwork != "" {
			codes = append([]string{c.DefaultNetwork}, codes...)
		}
		entry := currency{fiat: c.Type == core.Fiat}
		for _, code := range codes {
			n := s.networks[code]
			switch {
			case n == nil || n.Code != code:
				faults = append(faults, fmt.Errorf("currency %s: network %q is not in the registry of addresses", c.Code, code))
			case n.retired != "":
				faults = append(faults, fmt.Errorf("currency %s: network %s is retired: %s", c.Code, code, n.retired))
			case !slices.Contains(entry.networks, n):
				entry.networks = append(entry.networks, n)
			}
		}
		known[c.Code] = entry
	}
	return known, errors.Join(faults...)
}

// lookup finds the network of a query.
func (s *Service) lookup(q *core.AddressQuery) (*network, error) {
	all := s.currencies.Load()
	c, ok := all.of[q.Currency]
	switch {
	case q.Currency == "":
		return nil, core.InvalidField("currency", "is required; accepted: %s", all.accepted)
	case !ok:
		return nil, all.unknown(q.Currency)
	case c.fiat:
		return nil, core.InvalidField("currency", "%s is a fiat currency, which has no addresses; accepted: %s",
			q.Currency, all.accepted)
	case len(c.networks) == 0:
		return nil, core.InvalidField("currency", "%s has no network here yet, so its addresses cannot be checked; "+
			"accepted: %s", q.Currency, all.accepted)
	}
	n := c.networks[0]
	if q.Network != "" {
		n = s.networkNamed(q.Network)
		switch {
		case n != nil && n.retired != "":
			return nil, core.InvalidField("network", "%s (%s) is retired: %s. %s is carried by %s",
				n.Code, n.Name, n.retired, q.Currency, c.names())
		case n == nil:
			return nil, core.InvalidField("network", "%s is not a network we know. %s is carried by %s",
				quoted(q.Network), q.Currency, c.names())
		case !slices.Contains(c.networks, n):
			return nil, core.InvalidField("network", "%s (%s) does not carry %s, which is carried by %s",
				n.Code, n.Name, q.Currency, c.names())
		}
	}
	return n, checkMemoType(n, q.MemoType)
}

func checkMemoType(n *network, kind string) error {
	switch kind {
	case "":
		return nil
	case kindText, kindID, kindHash, kindReturn:
	default:
		return core.InvalidField("memo_type", "%s is not a kind of memo; text, id, hash and return are", quoted(kind))
	}
	if n.memo.Supported && !slices.Contains(n.memo.Kinds, kind) {
		return core.InvalidField("memo_type", "%q is not a kind of memo of %s; accepted: %s",
			kind, n.Code, strings.Join(n.memo.Kinds, ", "))
	}
	return nil
}

// names lists the networks of a currency for people.
func (c currency) names() string { return strings.Join(c.codes(), ", ") }

func (c currency) codes() []string {
	codes := make([]string, len(c.networks))
	for i, n := range c.networks {
		codes[i] = n.Code
	}
	return codes
}

// unknown returns the error for an unknown currency, with a suggestion.
func (all *carried) unknown(code string) error {
	guess := ""
	for known, c := range all.of {
		if len(c.networks) > 0 && oneSlip(code, known) && (guess == "" || known < guess) {
			guess = known
		}
	}
	if guess != "" {
		return core.InvalidField("currency", "%s is not supported; did you mean %s? Accepted: %s",
			quoted(code), guess, all.accepted)
	}
	return core.InvalidField("currency", "%s is not supported; accepted: %s", quoted(code), all.accepted)
}

// oneSlip reports whether two codes differ by one letter changed, missing, added, or swapped with
// its neighbour.
func oneSlip(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 2 || len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) < len(b) {
		return a[i:] == b[i+1:]
	}
	if i == len(a) || a[i+1:] == b[i+1:] {
		return true
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// quoted quotes a code from a request, or masks it if it may be a secret.
func quoted(code string) string {
	if Secret(code) {
		return "a value that looks like a private key or recovery phrase"
	}
	return core.Quoted(code)
}
