package addresses

import "causeway/core"

// hexAccount reads accounts that are a prefix and hexadecimal digits without a checksum: Flow, ICON
// and Aion.
type hexAccount struct {
	prefixes []string // the first is the usual one; a second one marks contracts
	digits   int
	lower    bool // capitals are refused
	hint     string
}

func (h hexAccount) read(_ *workspace, text string) reading {
	for i, prefix := range h.prefixes {
		if len(text) < len(prefix) || text[:len(prefix)] != prefix {
			continue
		}
		digits := text[len(prefix):]
		_, hasUpper := cases(digits)
		switch {
		case !isHex(digits):
			return refused(BadCharacter, "")
		case len(digits) != h.digits:
			return refused(BadLength, h.hint)
		case hasUpper && h.lower:
			return refused(BadCase, "The hexadecimal digits have to be in lower case.")
		}
		r := reading{format: "account", environment: core.AnyEnvironment, normalized: lowered(text), warnings: checksumAbsent}
		if i > 0 {
			r.format, r.warnings = "contract", r.warnings|contractLike
		}
		return r
	}
	return refused(BadVersion, h.hint)
}
