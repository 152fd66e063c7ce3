package addresses

import "strings"

const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// The checksum constants of the two variants: BIP-173 and BIP-350.
const (
	bech32Plain uint32 = 1
	bech32M     uint32 = 0x2bc830a3
)

// bech32Text is a text decoded as bech32, whatever its prefix, variant and length.
type bech32Text struct {
	text    string
	reason  string // why it is not bech32 of either variant
	prefix  int    // bytes before the separator, the last "1"
	upper   bool   // written in capitals
	variant uint32 // bech32Plain or bech32M when reason is empty
	n       int
	values  [maxBytes]byte // n values of five bits, without the checksum
}

// decodeBech32 decodes text, or returns what it returned for the same text before.
func (w *workspace) decodeBech32(text string) *bech32Text {
	b := &w.bech32
	if b.text != text || text == "" {
		b.decode(text)
	}
	return b
}

func (b *bech32Text) decode(text string) {
	b.text, b.prefix = text, strings.LastIndexByte(text, '1')
	b.reason, b.upper, b.variant, b.n = "", false, 0, 0
	if b.prefix < 1 || len(text) > maxBytes {
		b.prefix = max(b.prefix, 0)
		b.reason = BadEncoding
		return
	}
	lower, upper := cases(text)
	b.upper = upper
	if lower && upper {
		b.reason = BadCase
		return
	}
	data := text[b.prefix+1:]
	sum := bech32Prefix(text[:b.prefix])
	for i := range len(data) {
		v := bech32Values[data[i]]
		if v < 0 {
			b.reason = BadCharacter
			return
		}
		b.values[i] = byte(v)
		sum = bech32Steps[sum>>25] ^ (sum&0x1ffffff)<<5 ^ uint32(b.values[i])
	}
	if len(data) < 6 {
		b.reason = BadLength
		return
	}
	b.n, b.variant = len(data)-6, sum
	if sum != bech32Plain && sum != bech32M {
		b.reason = BadChecksum
	}
}

// bech32Prefix starts the checksum with the prefix: the high bits of its letters, zero, the low
// bits.
func bech32Prefix(prefix string) uint32 {
	sum := uint32(1)
	for i := range len(prefix) {
		sum = bech32Steps[sum>>25] ^ (sum&0x1ffffff)<<5 ^ uint32(lower(prefix[i])>>5)
	}
	sum = bech32Steps[sum>>25] ^ (sum&0x1ffffff)<<5
	for i := range len(prefix) {
		sum = bech32Steps[sum>>25] ^ (sum&0x1ffffff)<<5 ^ uint32(lower(prefix[i])&31)
	}
	return sum
}

// has reports whether the text has the prefix, in either case.
func (b *bech32Text) has(prefix string) bool {
	return len(prefix) == b.prefix && hasFold(b.text, prefix)
}

// canonical is the lower-case spelling.
func (b *bech32Text) canonical() string {
	if b.upper {
		return strings.ToLower(b.text)
	}
	return b.text
}

// regroup joins values of five bits to bytes. It fails where the bits left over are five or more,
// or not zero: such a text has a twin that means the same.
func regroup(into, values []byte) ([]byte, bool) {
	acc, held, n := uint32(0), 0, 0
	for _, v := range values {
		acc = acc<<5 | uint32(v)
		held += 5
		if held >= 8 {
			held -= 8
			into[n] = byte(acc >> held) //nolint:gosec // the low eight bits are meant
			n++
		}
	}
	return into[:n], held < 5 && acc&(1<<held-1) == 0
}

// bytesOf joins the values from index from on to bytes, in the workspace.
func (w *workspace) bytesOf(b *bech32Text, from int) ([]byte, bool) {
	return regroup(w.bytes[:], b.values[min(from, b.n):b.n])
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// cases reports which cases of letters a text has.
func cases(text string) (hasLower, hasUpper bool) {
	seen := byte(0)
	for i := range len(text) {
		seen |= letterCases[text[i]]
	}
	return seen&1 != 0, seen&2 != 0
}

// hasFold reports whether text starts with a lower-case prefix, whatever the case of its letters.
func hasFold(text, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}
