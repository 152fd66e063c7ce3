package addresses

import (
	"strings"

	"causeway/core"
)

// move reads the accounts of Aptos, Sui and IOTA: 0x and 64 hexadecimal digits without a checksum.
// Aptos writes its first sixteen with one digit (AIP-40).
type move struct{ short bool }

func (m move) read(w *workspace, text string) reading {
	digits, ok := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return moveFault(w, text)
	case !isHex(digits):
		return refused(BadCharacter, "")
	}
	r := reading{format: "account", environment: core.AnyEnvironment, normalized: lowered(text), warnings: checksumAbsent}
	switch {
	case len(digits) == 1 && m.short:
		r.format, r.vague = "special", true
	case len(digits) != 64:
		return refused(BadLength, "There have to be exactly 64 hexadecimal digits after 0x.")
	}
	switch rest := strings.TrimLeft(digits, "0"); len(rest) {
	case 0:
		r.warnings |= zeroAddress
	case 1:
		r.warnings |= contractLike
	}
	return r
}

// moveFault says what a text without 0x may be.
func moveFault(w *workspace, text string) reading {
	switch {
	case isHash(text):
		return refused(BadEncoding, "The 0x in front is missing.")
	case hasFold(text, "iota1") && w.decodeBech32(text).reason == "":
		return refused(UnsupportedFormat, "This is an address from before IOTA Rebased (May 2025). Ask for the one that starts with 0x.")
	}
	return refused(BadVersion, "An address of this network starts with 0x and has 64 hexadecimal digits after it.")
}

// readStarknet reads a field element below 2^251 - 256: 0x and 1 to 64 hexadecimal digits. An
// address of Ethereum is one too, and hardly ever meant.
func readStarknet(_ *workspace, text string) reading {
	digits, ok := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return refused(BadVersion, "An address of Starknet starts with 0x.")
	case !isHex(digits):
		return refused(BadCharacter, "")
	case len(digits) > 64:
		return refused(BadLength, "")
	}
	const bound = "07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00"
	felt := strings.ToLower(strings.Repeat("0", 64-len(digits)) + digits)
	switch {
	case felt >= bound:
		return refused(BadVersion, "The number is beyond the addresses of Starknet.")
	case strings.Trim(felt, "0") == "":
		return refused(NotPayable, "The zero address of Starknet cannot be paid.")
	}
	r := reading{format: "felt", environment: core.AnyEnvironment, normalized: "0x" + felt, warnings: checksumAbsent}
	if len(digits) < 60 {
		r.vague = true
		r.warnings |= unusualFormat
	}
	return r
}
