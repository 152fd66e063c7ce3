package addresses

import (
	"encoding/binary"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/core/addresses/blake2b"
)

// readFilecoin reads f (t on test networks), the protocol, and for ids a number, for the others
// base32 of the payload and four bytes of BLAKE2b over protocol and payload.
func readFilecoin(w *workspace, text string) reading {
	if len(text) < 3 || text[0] != 'f' && text[0] != 't' {
		return refused(BadVersion, "An address of Filecoin starts with f and the number of its kind.")
	}
	r := reading{environment: core.Mainnet, checksum: true, normalized: text}
	if text[0] == 't' {
		r.environment = core.Testnet
	}
	reason := ""
	switch protocol := text[1]; protocol {
	case '0':
		r.format, r.checksum, r.warnings = "f0", false, checksumAbsent|unusualFormat
		reason = filecoinID(text[2:])
	case '1', '2':
		r.format = "f" + text[1:2]
		reason = w.filecoinPayload(nil, protocol-'0', text[2:], 20, 20)
	case '3':
		r.format = "f3"
		reason = w.filecoinPayload(nil, 3, text[2:], 48, 48)
	case '4':
		r.format, reason = w.filecoinDelegated(text[2:])
		if r.format != "f410" {
			r.warnings = unusualFormat
		}
	default:
		reason = BadVersion
	}
	if reason != "" {
		return refused(reason, "")
	}
	return r
}

func filecoinID(digits string) string {
	switch {
	case !digitsOnly(digits):
		return BadCharacter
	case len(digits) > 1 && digits[0] == '0':
		return BadEncoding
	}
	if _, err := strconv.ParseUint(digits, 10, 63); err != nil {
		return BadLength
	}
	return ""
}

// filecoinDelegated reads the namespace and, after another f, the payload of an f4 address.
// Namespace 10 is the EVM.
func (w *workspace) filecoinDelegated(text string) (format, reason string) {
	digits, payload, ok := strings.Cut(text, "f")
	if !ok || !digitsOnly(digits) || len(digits) > 1 && digits[0] == '0' {
		return "", BadEncoding
	}
	space, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return "", BadLength
	}
	var number [binary.MaxVarintLen64]byte
	size := binary.PutUvarint(number[:], space)
	if space == 10 {
		return "f410", w.filecoinPayload(number[:size], 4, payload, 20, 20)
	}
	return "f4", w.filecoinPayload(number[:size], 4, payload, 0, 54)
}

func (w *workspace) filecoinPayload(space []byte, protocol byte, text string, least, most int) (reason string) {
	if len(text) > 100 {
		return BadLength
	}
	if _, hasUpper := cases(text); hasUpper {
		return BadCase
	}
	for i := range len(text) {
		v := lowerBase32(text[i])
		if v < 0 {
			return BadCharacter
		}
		w.fives[i] = byte(v)
	}
	data, ok := regroup(w.bytes[16:], w.fives[:len(text)])
	switch size := len(data) - 4; {
	case size < least || size > most:
		return BadLength
	case !ok:
		return BadEncoding
	}
	n := len(data) - 4
	head := append(append(w.bytes[:0], protocol), space...)
	start := 16 - len(head)
	copy(w.bytes[start:16], head)
	sum := blake2b.Sum(4, "", w.bytes[start:16+n])
	if string(sum[:4]) != string(data[n:]) {
		return BadChecksum
	}
	return ""
}
