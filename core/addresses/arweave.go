package addresses

import "causeway/core"

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
	return reading{format: "base64url", environment: core.AnyEnvironment, normalized: text, warnings: checksumAbsent}
}
