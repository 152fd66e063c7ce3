package cli

import (
	"errors"
	"strings"
	"unicode"

	"causeway/adapters/upstream"
)

// credentials says of each credential that there is whether it looks like one, and whether its provider takes it. heard is nil where nobody was asked.
func (d *Doctor) credentials(heard map[string][]reply) []Finding {
	var out []Finding
	for _, c := range credentials {
		if secret := c.of(d.cfg); secret != "" {
			found := c.shape(secret.Reveal())
			if found.State != Broken && heard != nil {
				found = c.taken(found, heard[c.provider])
			}
			found.Check = "credential " + c.key
			out = append(out, found)
		}
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
	case c.wrong != "" && strings.HasPrefix(secret, c.wrong):
		return Finding{State: Broken, Found: "it is another credential of the same account: it begins with " + c.wrong, Do: "set " + name + " to the one that is meant" + c.looks()}
	case c.test != "" && strings.HasPrefix(secret, c.test):
		return Finding{State: Worrying, Found: "it is one for tests (" + c.test + "…)", Do: "set " + name + " to the live one" + c.looks() + ", unless this is a rehearsal"}
	case c.live != "" && !strings.HasPrefix(secret, c.live):
		return Finding{State: Worrying, Found: "it does not look like one of " + c.provider, Do: "compare " + name + " with the dashboard: those begin with " + c.live}
	}
	return Finding{State: Fine, Found: "it is there"}
}

// looks says what it begins with, where that is known.
func (c credential) looks() string {
	if c.live == "" {
		return ""
	}
	return ", which begins with " + c.live
}

// taken adds to the looks of a credential what its provider says of it.
func (c credential) taken(found Finding, said []reply) Finding {
	asked, refused := false, error(nil)
	for _, r := range said {
		if country, _ := strings.CutPrefix(c.key, "paystack.keys."); country != c.key && !strings.EqualFold(country, r.op) {
			continue // a key of another country
		}
		failure, failed := errors.AsType[*upstream.Failure](r.err)
		asked = asked || r.err == nil
		if failed && failure.Outcome == upstream.Refused {
			refused = failure
		}
	}
	switch {
	case c.untried:
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
