package addresses

import "causeway/core"

// plainCase reports a text with hardly any letters of one of the two cases. Of 43 random letters of
// base64url or base58, fewer than one in a million are such; every address in bech32, cashaddr or
// hexadecimal digits is, mistyped or not.
func plainCase(text string) bool {
	const least = 3
	small, capital := 0, 0
	for i := range len(text) {
		switch letterCases[text[i]] {
		case 1:
			small++
		case 2:
			capital++
		}
	}
	return small < least || capital < least
}

// readArweave reads 43 letters of base64url: 32 bytes without a checksum.
func readArweave(_ *workspace, text string) reading {
	if len(text) != 43 {
		return refused(BadLength, "An address of Arweave has 43 letters.")
	}
	for i := range len(text) {
		if v := base64Values[text[i]]; v < 0 || text[i] == '+' || text[i] == '/' {
			return refused(BadCharacter, "")
		}
	}
	if base64Values[text[42]]&3 != 0 {
		return refused(BadEncoding, "")
	}
	return reading{format: "base64url", environment: core.AnyEnvironment, normalized: text, warnings: checksumAbsent, vague: plainCase(text)}
}
