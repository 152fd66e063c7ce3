package addresses

import "causeway/core"

// The version bytes of SEP-23 strkeys.
const (
	strkeyAccount  = 6 << 3  // G
	strkeyMuxed    = 12 << 3 // M
	strkeyContract = 2 << 3  // C
	strkeySeed     = 18 << 3 // S
)

// readStellar reads a strkey of SEP-23: base32 of a version byte, the payload and a CRC-16.
// Accounts (G), muxed accounts (M) and contracts (C) can be paid; the other kinds cannot.
func readStellar(w *workspace, text string) reading {
	data, reason := w.strkey(text)
	if reason != "" {
		return refused(reason, "")
	}
	want := 32
	if data[0] == strkeyMuxed {
		want = 40
	}
	r := reading{environment: core.AnyEnvironment, checksum: true, normalized: text}
	switch data[0] {
	case strkeyAccount:
		r.format = "account"
		if zeroed(data[1 : len(data)-2]) {
			r.warnings = zeroAddress
		}
	case strkeyMuxed:
		r.format, r.memo = "muxed", memoInside
	case strkeyContract:
		r.format, r.memo, r.warnings = "contract", memoNever, contractLike
	case strkeySeed:
		return refused(SecretKey, "")
	default:
		if data[0]&7 == 0 {
			return refused(NotPayable, "This strkey names a signer, a pool or a balance, not an account. Addresses start with G, M or C.")
		}
		return refused(BadVersion, "")
	}
	if len(data)-3 != want {
		return refused(BadLength, "")
	}
	return r
}

// strkey decodes base32 without padding, and the CRC-16 at its end, into the workspace.
func (w *workspace) strkey(text string) (data []byte, reason string) {
	if len(text) > 120 {
		return nil, BadLength
	}
	data, reason = w.decode32(text)
	switch {
	case reason != "":
		return nil, reason
	case len(data) < 4:
		return nil, BadLength
	}
	n := len(data) - 2
	if crc16(data[:n]) != uint16(data[n])|uint16(data[n+1])<<8 {
		return nil, BadChecksum
	}
	return data, ""
}

// decode32 decodes upper-case RFC 4648 base32 without padding into the workspace. Every result has
// one spelling: letters that add no byte, and spare bits that are not zero, are refused.
func (w *workspace) decode32(text string) (data []byte, reason string) {
	for i := range len(text) {
		v := base32Values[text[i]]
		if v < 0 {
			return nil, BadCharacter
		}
		w.fives[i] = byte(v)
	}
	data, ok := regroup(w.bytes[:], w.fives[:len(text)])
	switch {
	case ok:
		return data, ""
	case len(text)%8 == 1 || len(text)%8 == 3 || len(text)%8 == 6:
		return nil, BadLength
	}
	return nil, BadEncoding
}

// crc16 is CRC-16/XMODEM.
func crc16(data []byte) uint16 {
	sum := uint16(0)
	for _, v := range data {
		sum = sum<<8 ^ crc16Steps[byte(sum>>8)^v]
	}
	return sum
}
