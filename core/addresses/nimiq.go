package addresses

import (
	"strings"

	"causeway/core"
)

// readNimiq reads NQ, two digits of a checksum as in an IBAN, and 32 letters of base32. Spaces
// between groups of four are part of the usual spelling.
func readNimiq(w *workspace, text string) reading {
	letters, ok := w.ungroup(text)
	switch {
	case !ok:
		return refused(Whitespace, "")
	case len(letters) < 4 || string(letters[:2]) != "NQ":
		return refused(BadVersion, "An address of Nimiq starts with NQ.")
	case len(letters) != 36:
		return refused(BadLength, "")
	}
	if reason := ibanFault(letters); reason != "" {
		return refused(reason, "")
	}
	r := reading{format: "user-friendly", environment: core.AnyEnvironment, checksum: true, normalized: text}
	if len(text) > len(letters) {
		r.normalized = string(letters)
	}
	if strings.Trim(string(letters[4:]), "0") == "" {
		r.warnings = burnAddress
	}
	return r
}

// ibanFault checks an IBAN: the first four characters moved to the end, letters read as 10 to 35,
// the number is 1 modulo 97. Four letters are not in Nimiq's alphabet.
func ibanFault(letters []byte) string {
	rest := 0
	for i := range letters {
		c := letters[(i+4)%len(letters)]
		switch {
		case '0' <= c && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case 'A' <= c && c <= 'Z' && (i >= 32 || strings.IndexByte("IOWZ", c) < 0):
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return BadCharacter
		}
	}
	if rest != 1 {
		return BadChecksum
	}
	return ""
}

// ungroup drops the spaces of a text in groups of four, or of none, into the workspace.
func (w *workspace) ungroup(text string) (letters []byte, ok bool) {
	spaced, n := strings.IndexByte(text, ' ') >= 0, 0
	for i := range len(text) {
		gap := spaced && i%5 == 4
		switch {
		case gap != (text[i] == ' '):
			return nil, false
		case !gap:
			w.bytes[n] = text[i]
			n++
		}
	}
	return w.bytes[:n], true
}
