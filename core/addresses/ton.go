package addresses

import (
	"strings"

	"causeway/core"
)

// The flags of a user-friendly address of TEP-2.
const (
	tonBounceable    = 0x11
	tonNonBounceable = 0x51
	tonTestOnly      = 0x80
)

// readTON reads the user-friendly form of TEP-2: base64 or base64url, not mixed, of flags,
// workchain, 32 bytes and a CRC-16. An address without the test flag is good on every network, so
// its environment is "any".
func readTON(w *workspace, text string) reading {
	switch {
	case isRawTON(text):
		return refused(UnsupportedFormat, "This is the raw form of a TON address, without a checksum. Wallets take the form that starts with EQ or UQ.")
	case len(text) != 48:
		return refused(BadLength, "An address of TON has 48 letters.")
	}
	data, reason := w.decodeTON(text)
	switch {
	case reason != "":
		return refused(reason, "")
	case crc16(data[:34]) != uint16(data[34])<<8|uint16(data[35]):
		return refused(BadChecksum, "")
	case data[1] != 0 && data[1] != 0xff:
		return refused(BadVersion, "The workchain of this address does not exist.")
	}
	r := reading{environment: core.AnyEnvironment, checksum: true, normalized: urlSafe(text)}
	if data[0]&tonTestOnly != 0 {
		r.environment = core.Testnet
	}
	switch data[0] &^ tonTestOnly {
	case tonBounceable:
		r.format = "bounceable"
	case tonNonBounceable:
		r.format = "non-bounceable"
	case 0x3e:
		return refused(NotPayable, "This is a public key of TON, not an address.")
	default:
		return refused(BadVersion, "")
	}
	if zeroed(data[2:34]) {
		r.warnings = zeroAddress
	}
	return r
}

// decodeTON decodes 48 letters of either base64 alphabet to 36 bytes in the workspace.
func (w *workspace) decodeTON(text string) (data []byte, reason string) {
	acc, held, n := uint32(0), 0, 0
	safe, plain := false, false
	for i := range len(text) {
		v := base64Values[text[i]]
		if v < 0 {
			return nil, BadCharacter
		}
		safe = safe || text[i] == '-' || text[i] == '_'
		plain = plain || text[i] == '+' || text[i] == '/'
		acc = acc<<6 | uint32(v)
		held += 6
		if held >= 8 {
			held -= 8
			w.bytes[n] = byte(acc >> held) //nolint:gosec // the low eight bits are meant
			n++
		}
	}
	if safe && plain {
		return nil, BadEncoding
	}
	return w.bytes[:n], ""
}

// urlSafe spells base64 in the URL-safe alphabet.
func urlSafe(text string) string {
	if !strings.ContainsAny(text, "+/") {
		return text
	}
	return strings.NewReplacer("+", "-", "/", "_").Replace(text)
}

// isRawTON reports whether a text is the number of a workchain and 64 hexadecimal digits.
func isRawTON(text string) bool {
	chain, account, ok := strings.Cut(text, ":")
	return ok && digitsOnly(strings.TrimPrefix(chain, "-")) && isHash(account)
}
