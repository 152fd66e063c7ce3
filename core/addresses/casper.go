package addresses

import (
	"strings"

	"golang.org/x/crypto/blake2b"

	"causeway/core"
)

// readCasper reads a public key, 01 and 32 bytes or 02 and 33, whose letter case may be the
// checksum of CEP-57, or an account hash.
func readCasper(w *workspace, text string) reading {
	r := reading{format: "public-key", environment: core.AnyEnvironment, warnings: checksumAbsent, normalized: lowered(text)}
	digits, hashed := strings.CutPrefix(text, "account-hash-")
	if hashed {
		r.format, r.warnings = "account-hash", r.warnings|unusualFormat
	}
	if reason := casperFault(digits, hashed); reason != "" {
		return refused(reason, "A public key of Casper is 01 and 64 hexadecimal digits, or 02 and 66.")
	}
	if !hashed {
		digits = digits[2:]
	}
	hasLower, hasUpper := cases(digits)
	switch {
	case !hasLower || !hasUpper:
	case casperCase(w.unhex(digits), digits):
		r.checksum, r.normalized, r.warnings = true, text, r.warnings&^checksumAbsent
	default:
		return refused(BadChecksum, "The letter case is not the checksum of this key: a character is wrong, or the case was changed.")
	}
	return r
}

func casperFault(digits string, hashed bool) string {
	want := 64
	if !hashed {
		want = map[string]int{"01": 66, "02": 68}[digits[:min(2, len(digits))]]
	}
	switch {
	case !isHex(digits):
		return BadCharacter
	case want == 0:
		return BadVersion
	case len(digits) != want:
		return BadLength
	}
	return ""
}

// casperCase reports whether the case of the letters is that of CEP-57: each letter takes the next
// bit, lowest first, of the BLAKE2b hash.
func casperCase(data []byte, digits string) bool {
	hash, used := blake2b.Sum256(data), 0
	for i := range len(digits) {
		c := digits[i]
		if c <= '9' {
			continue
		}
		if upper := hash[used/8%32]>>(used%8)&1 == 1; upper != (c < 'a') {
			return false
		}
		used++
	}
	return true
}
