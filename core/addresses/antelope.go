package addresses

import "causeway/core"

// readAntelope reads an account name of EOS (Vaulta) and WAX: up to 12 letters a-z, 1-5 and dots,
// the last no dot, and a 13th of a-j and 1-5. Any short word is one, so a name is no evidence of
// its network.
func readAntelope(_ *workspace, text string) reading {
	switch {
	case len(text) > 50 && (hasFold(text, "eos") || hasFold(text, "pub_")):
		return refused(NotPayable, "This is a public key, not an account name. Names have at most 13 letters.")
	case len(text) > 13:
		return refused(BadLength, "An account name has at most 13 letters.")
	case text[len(text)-1] == '.':
		return refused(BadEncoding, "An account name cannot end in a dot.")
	}
	for i := range len(text) {
		c := text[i]
		switch {
		case '1' <= c && c <= '5', 'a' <= c && c <= 'z' && (i < 12 || c <= 'j'), c == '.':
		default:
			return refused(BadCharacter, "An account name has only the letters a to z, the digits 1 to 5 and dots.")
		}
	}
	return reading{
		format: "name", environment: core.AnyEnvironment, normalized: text, vague: true,
		warnings: checksumAbsent | antelopeSystem[text],
	}
}
