package addresses

import (
	"encoding/binary"
	"hash/crc32"
	"strings"

	"causeway/core"
)

// readICP reads an account id (64 hexadecimal digits, the first eight a CRC-32 of the rest), or the
// text of a principal: a CRC-32 and up to 29 bytes in base32, in groups of five.
func readICP(w *workspace, text string) reading {
	if strings.IndexByte(text, '-') < 0 {
		return readAccountID(w, text)
	}
	switch {
	case strings.IndexByte(text, '.') > 0:
		return refused(UnsupportedFormat, "This is a principal with a subaccount (ICRC-1). Ask for the account id of 64 hexadecimal digits.")
	case len(text) > 63:
		return refused(BadLength, "")
	}
	n, reason := w.principalFives(text)
	if reason != "" {
		return refused(reason, "A principal is written in lower case, in groups of five.")
	}
	data, ok := regroup(w.bytes[:], w.fives[:n])
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(data) < 4 || len(data) > 33:
		return refused(BadLength, "")
	case binary.BigEndian.Uint32(data) != crc32.ChecksumIEEE(data[4:]):
		return refused(BadChecksum, "")
	case len(data) < 6:
		return refused(NotPayable, "This principal is the system's own, not an account.")
	}
	return reading{format: "principal", environment: core.AnyEnvironment, checksum: true, normalized: text, warnings: unusualFormat}
}

// principalFives puts the letters of a principal into the workspace, without the dash after each
// group of five.
func (w *workspace) principalFives(text string) (n int, reason string) {
	if _, hasUpper := cases(text); hasUpper {
		return 0, BadCase
	}
	for i := range len(text) {
		switch v := lowerBase32(text[i]); {
		case (text[i] == '-') != (i%6 == 5):
			return 0, BadEncoding
		case text[i] == '-':
		case v < 0:
			return 0, BadCharacter
		default:
			w.fives[n] = byte(v)
			n++
		}
	}
	return n, ""
}

// lowerBase32 is the value of a lower-case letter of RFC 4648 base32, or -1.
func lowerBase32(c byte) int8 {
	switch {
	case 'A' <= c && c <= 'Z':
		return -1
	case 'a' <= c && c <= 'z':
		c -= 'a' - 'A'
	}
	return base32Values[c]
}

func readAccountID(w *workspace, text string) reading {
	switch {
	case !isHex(text):
		return refused(BadCharacter, "")
	case len(text) != 64:
		return refused(BadLength, "")
	}
	data := w.unhex(text)
	if binary.BigEndian.Uint32(data) != crc32.ChecksumIEEE(data[4:]) {
		return mistyped(BadChecksum)
	}
	return reading{format: "account-id", environment: core.AnyEnvironment, checksum: true, normalized: lowered(text)}
}

// unhex decodes an even number of hexadecimal digits to bytes in the workspace.
func (w *workspace) unhex(text string) []byte {
	for i := range len(text) / 2 {
		w.bytes[i] = byte(hexValues[text[2*i]]&15)<<4 | byte(hexValues[text[2*i+1]]&15)
	}
	return w.bytes[:len(text)/2]
}

// lowered is the text in lower case, without allocating where it is already.
func lowered(text string) string {
	if _, hasUpper := cases(text); hasUpper {
		return strings.ToLower(text)
	}
	return text
}
