package cli

import (
	"errors"
	"strings"
	"unicode"

	"causeway/adapters/providers/all"
	"causeway/adapters/providers/provider"
	"causeway/adapters/upstream"
	"causeway/config"
)

// credential is one that an operator gets from a provider.
type credential struct {
	provider.Credential
	provider string
	key      string // of the configuration
}

// credentialsOf returns the credentials of all providers, also those that are not set.
func credentialsOf(cfg config.Config) []credential {
	var out []credential
	for _, d := range all.Descriptors {
		for _, c := range provider.Credentials(cfg.Providers[d.Name]) {
			out = append(out, credential{c, d.Name, d.SectionName() + "." + c.Setting})
		}
	}
	return out
}

// credentials says of each credential that there is whether it looks like one, and whether its provider takes it. heard is nil where nobody was asked.
func (d *Doctor) credentials(heard map[string][]reply) []Finding {
	var out []Finding
	for _, c := range credentialsOf(d.cfg) {
		if c.Value == "" {
			continue
		}
		found := c.shape(c.Value.Reveal())
		if found.State != Broken && heard != nil {
			found = c.taken(found, heard[c.provider])
		}
		found.Check = "credential " + c.key
		out = append(out, found)
	}
	return out
}

// shape judges a credential by its looks, and shows nothing of it.
func (c credential) shape(secret string) Finding {
	name := variableOf(c.key)
	switch {
	case strings.TrimSpace(secret) != secret || strings.ContainsFunc(secret, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }):
		return Finding{State: Broken, Found: "it has spaces or line breaks in it", Do: "copy it again, without them, into " + name}
	case strings.Trim(secret, `"'`) != secret:
		return Finding{State: Broken, Found: "it is in quotes", Do: "leave them out of " + name}
	case c.Mistaken != "" && strings.HasPrefix(secret, c.Mistaken):
		return Finding{State: Broken, Found: "it is another credential of the same account: it begins with " + c.Mistaken, Do: "set " + name + " to the one that is meant" + c.looks()}
	case c.Test != "" && strings.HasPrefix(secret, c.Test):
		return Finding{State: Worrying, Found: "it is one for tests (" + c.Test + "…)", Do: "set " + name + " to the live one" + c.looks() + ", unless this is a rehearsal"}
	case c.Live != "" && !strings.HasPrefix(secret, c.Live):
		return Finding{State: Worrying, Found: "it does not look like one of " + c.provider, Do: "compare " + name + " with the dashboard: those begin with " + c.Live}
	}
	return Finding{State: Fine, Found: "it is there"}
}

// looks says what it begins with, where that is known.
func (c credential) looks() string {
	if c.Live == "" {
		return ""
	}
	return ", which begins with " + c.Live
}

// taken adds to the looks of a credential what its provider says of it.
func (c credential) taken(found Finding, said []reply) Finding {
	asked, refused := false, error(nil)
	for _, r := range said {
		if c.Country != "" && c.Country != r.op {
			continue // a key of another country
		}
		failure, failed := errors.AsType[*upstream.Failure](r.err)
		asked = asked || r.err == nil
		if failed && failure.Outcome == upstream.Refused {
			refused = failure
		}
	}
	switch {
	case c.Untested:
		found.Found += "; there is nothing harmless to ask that would show whether it is taken"
	case refused != nil:
		return Finding{State: Broken, Found: "the provider refuses it, its plan, or the address of this machine (" + refused.Error() + ")", Do: "compare " + variableOf(c.key) + " with the dashboard, and this machine's address with its list of allowed ones"}
	case asked:
		found.Found += "; the provider takes it"
	default:
		found.Found += "; whether the provider takes it cannot be told now"
	}
	return found
}

// variableOf is the variable that sets a key.
func variableOf(key string) string {
	return "CAUSEWAY_" + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
}
