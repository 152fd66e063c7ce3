package addresses

import (
	"strings"

	"causeway/core"
)

// readNEAR reads an account id: 64 hexadecimal digits in lower case, 0x and 40 of them (NEP-518),
// or a name of 2 to 64 letters whose parts are separated by single -, _ and dots.
func readNEAR(_ *workspace, text string) reading {
	r := reading{environment: core.AnyEnvironment, normalized: text, warnings: checksumAbsent}
	if strings.HasPrefix(text, "0x") && len(text) == 42 && lowerHex(text[2:]) {
		r.format = "eth-implicit"
		return r
	}
	if len(text) == 64 && lowerHex(text) {
		r.format = "implicit"
		return r
	}
	if reason := nearFault(text); reason != "" {
		return refused(reason, "A name of NEAR has 2 to 64 letters a to z, digits, and single -, _ and dots between them.")
	}
	r.format = "named"
	switch {
	case strings.HasSuffix(text, ".near"):
		r.environment = core.Mainnet
	case strings.HasSuffix(text, ".testnet"):
		r.environment = core.Testnet
	default: // other names at the top belong to the registrar of the main network
		r.environment, r.vague = core.Mainnet, true
		r.warnings |= reservedName
	}
	return r
}

// nearFault says why a text is not a name.
func nearFault(text string) string {
	if len(text) < 2 || len(text) > 64 {
		return BadLength
	}
	separated := true
	for i := range len(text) {
		separator := text[i] == '.' || byteKinds[text[i]] == markByte
		switch {
		case separator && separated:
			return BadEncoding
		case 'A' <= text[i] && text[i] <= 'Z':
			return BadCase
		case !separator && !alphanumeric(text[i]):
			return BadCharacter
		}
		separated = separator
	}
	if separated {
		return BadEncoding
	}
	return ""
}

func lowerHex(text string) bool {
	_, hasUpper := cases(text)
	return isHex(text) && !hasUpper
}
