package recipients

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/core"
)

const (
	claimField   = "account_name"
	longestClaim = 200 // characters
)

// claim reads the name that a caller believes is the holder's. What is wrong with it is said without showing it.
func claim(sent core.Private) (claimed core.Private, reason string) {
	text := strings.TrimSpace(sent.Reveal())
	switch n := utf8.RuneCountInString(text); {
	case n > longestClaim:
		return "", fmt.Sprintf("has %d characters; at most %d are read", n, longestClaim)
	case text != "" && !strings.ContainsFunc(text, unicode.IsLetter):
		return "", "has no letters; accepted: the name of the account's holder, a person's or a company's"
	}
	return core.Private(text), ""
}

// claimNeeded says why a request needs a claimed name, or nothing where it needs none.
func (s *Service) claimNeeded(p plan) string {
	switch {
	case s.confirmOnly:
		return "is required: names are only confirmed here, not told. Send the name of the account's holder"
	case p.confirming:
		return "is required: accounts of " + p.query.Country + " can only be confirmed by name, not looked up. Send the name of the account's holder"
	default:
		return ""
	}
}

// claimNeededNow is what a caller is told who may learn no name for a while.
func claimNeededNow() error {
	return core.InvalidField(claimField, "is required for a while: too many of these lookups look like a search through account numbers, so "+
		"that names are only confirmed. Send the name of the account's holder")
}
