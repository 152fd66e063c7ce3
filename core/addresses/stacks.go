package addresses

import (
	"slices"
	"strings"
)

const c32Alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// readStacks reads c32check: S, the version, and 20 bytes with four of a double SHA-256 over
// version and bytes. The letter O reads as 0, and L and I as 1, as SIP-005 wants it.
func readStacks(w *workspace, text string) reading {
	account, contract, _ := strings.Cut(text, ".")
	switch {
	case len(account) < 28 || len(account) > 41:
		return refused(BadLength, "")
	case account[0] != 'S':
		return refused(BadVersion, "")
	}
	n := len(account) - 2
	for i := range len(account) - 1 {
		v := c32Values[account[i+1]]
		if v < 0 {
			return refused(BadCharacter, "")
		}
		w.fives[i] = byte(v)
	}
	version := w.fives[0]
	data, ok := w.c32bytes(w.fives[1 : n+1])
	if !ok {
		return refused(BadLength, "")
	}
	w.bytes[0] = version
	sum := doubleSHA256(w.bytes[:21])
	if string(sum[:4]) != string(data[20:]) {
		return refused(BadChecksum, "")
	}
	kind, ok := stacksKinds[version]
	switch {
	case !ok:
		return refused(BadVersion, "")
	case contract != "" || strings.HasSuffix(text, "."):
		return refused(NotPayable, "This is a contract of Stacks, which exchanges and wallets do not pay to.")
	}
	r := reading{format: kind.format, environment: kind.environment, checksum: true, normalized: canonicalC32(account)}
	if zeroed(data[:20]) {
		r.warnings = burnAddress
	}
	return r
}

// c32bytes turns letters to 24 bytes in the workspace, after one that is left free. Every leading
// zero letter is a leading zero byte, as in base58.
func (w *workspace) c32bytes(fives []byte) ([]byte, bool) {
	zeros := 0
	for zeros < len(fives) && fives[zeros] == 0 {
		zeros++
	}
	significant := fives[zeros:]
	size := (len(significant)*5 + 7) / 8
	if len(significant) > 0 && len(significant)*5-(size-1)*8 <= 5-bitsOf(significant[0]) {
		size--
	}
	if zeros+size != 24 {
		return nil, false
	}
	data := w.bytes[1:25]
	clear(data)
	acc, held, at := uint32(0), 0, 24
	for _, v := range slices.Backward(significant) {
		acc |= uint32(v) << held
		if held += 5; held >= 8 && at > 0 {
			at--
			data[at] = byte(acc & 0xff)
			acc >>= 8
			held -= 8
		}
	}
	if at > 0 && held > 0 {
		at--
		data[at] = byte(acc & 0xff)
		acc >>= 8
	}
	return data, acc == 0
}

func bitsOf(v byte) int {
	n := 0
	for ; v > 0; v >>= 1 {
		n++
	}
	return n
}

// canonicalC32 writes the letters that read alike in one way.
func canonicalC32(text string) string {
	for i := range len(text) - 1 {
		if c := text[i+1]; c32Alphabet[c32Values[c]] != c {
			spelled := []byte(text)
			for j := range len(text) - 1 {
				spelled[j+1] = c32Alphabet[c32Values[text[j+1]]]
			}
			return string(spelled)
		}
	}
	return text
}
