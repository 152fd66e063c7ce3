package addresses

import (
	"encoding/base64"
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/crc16"
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
		return refused(UnsupportedFormat, "This is the raw form of a TON address, without a checksum. Wallets take the "+
			"form that starts with EQ or UQ.")
	case len(text) != 48:
		return refused(BadLength, "An address of TON has 48 letters.")
	}
	encoding := base64.RawURLEncoding
	if strings.ContainsAny(text, "+/") {
		encoding = base64.RawStdEncoding
	}
	data, reason := w.decode64(encoding, text)
	switch {
	case reason != "" && base64Letters.Contains(text):
		return refused(BadEncoding, "")
	case reason != "":
		return refused(reason, "")
	case crc16.Sum(data[:34]) != uint16(data[34])<<8|uint16(data[35]):
		return refused(BadChecksum, "")
	case data[1] != 0 && data[1] != 0xff:
		return refused(BadVersion, "The workchain of this address does not exist.")
	}
	r := reading{environment: core.AnyNetworkKind, checksum: true, normalized: urlSafe(text)}
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

// base64Letters are the letters of both alphabets, URL-safe and plain.
var base64Letters = ascii.NewValues("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/", "")

// decode64 decodes base64 into the workspace.
func (w *workspace) decode64(encoding *base64.Encoding, text string) (data []byte, reason string) {
	half := len(w.bytes) / 2
	source := w.bytes[half : half+copy(w.bytes[half:], text)]
	n, err := encoding.Decode(w.bytes[:half], source)
	if err != nil {
		return nil, BadCharacter
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
	return ok && ascii.IsDigits(strings.TrimPrefix(chain, "-")) && isHash(account)
}

// plainCase reports a text with hardly any letters of one of the two cases. Of 43 random letters of
// base64url or base58, fewer than one in a million are such; every address in bech32, cashaddr or
// hexadecimal digits is, mistyped or not.
func plainCase(text string) bool {
	const least = 3
	small, capital := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			small++
		case 'A' <= c && c <= 'Z':
			capital++
		}
	}
	return small < least || capital < least
}

// strictBase64 refuses spare bits that are not zero.
var strictBase64 = base64.RawURLEncoding.Strict()

// readArweave reads 43 letters of base64url: 32 bytes without a checksum.
func readArweave(w *workspace, text string) reading {
	if len(text) != 43 {
		return refused(BadLength, "An address of Arweave has 43 letters.")
	}
	if _, reason := w.decode64(base64.RawURLEncoding, text); reason != "" {
		return refused(reason, "")
	}
	if _, reason := w.decode64(strictBase64, text); reason != "" {
		return refused(BadEncoding, "")
	}
	return reading{
		format: "base64url", environment: core.AnyNetworkKind, normalized: text,
		warnings: checksumAbsent, vague: plainCase(text),
	}
}
