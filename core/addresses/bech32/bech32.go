// Package bech32 decodes the text format of BIP-173 and BIP-350 without a limit of its own on the
// length, which several networks exceed.
package bech32

import (
	"strings"

	"causeway/core/addresses/ascii"
	"causeway/core/addresses/base32"
	"causeway/core/addresses/codes"
)

// Alphabet has the letters in the order of their values.
const Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"

// Values are the values of the letters in either case.
var Values = ascii.NewValues(Alphabet, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")

// The checksum constants of the two variants: BIP-173 and BIP-350.
const (
	Plain    uint32 = 1
	Modified uint32 = 0x2bc830a3 // bech32m
)

// MaxText is the longest text decoded, in bytes.
const MaxText = 512

// steps is the generator of the checksum for each value of the five bits shifted out.
var steps = newSteps([5]uint32{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3})

func newSteps(rows [5]uint32) [32]uint32 {
	var steps [32]uint32
	for top := range steps {
		for bit, row := range rows {
			if top>>bit&1 == 1 {
				steps[top] ^= row
			}
		}
	}
	return steps
}

// Text is a text decoded as bech32, whatever its prefix, variant and length.
type Text struct {
	Source  string
	Reason  string // why it is not bech32 of either variant
	Prefix  int    // bytes before the separator, the last "1"
	Variant uint32 // Plain or Modified if Reason is empty
	upper   bool
	n       int
	values  [MaxText]byte // n values of five bits, without the checksum
}

// Decode decodes a text.
func (t *Text) Decode(text string) {
	t.Source, t.Prefix = text, strings.LastIndexByte(text, '1')
	t.Reason, t.upper, t.Variant, t.n = "", false, 0, 0
	if t.Prefix < 1 || len(text) > MaxText {
		t.Prefix = max(t.Prefix, 0)
		t.Reason = codes.BadEncoding
		return
	}
	lower, upper := ascii.Cases(text)
	t.upper = upper
	if lower && upper {
		t.Reason = codes.BadCase
		return
	}
	data := text[t.Prefix+1:]
	sum := prefixSum(text[:t.Prefix])
	for i := range len(data) {
		v := Values[data[i]]
		if v < 0 {
			t.Reason = codes.BadCharacter
			return
		}
		t.values[i] = byte(v)
		sum = step(sum, t.values[i])
	}
	if len(data) < 6 {
		t.Reason = codes.BadLength
		return
	}
	t.n, t.Variant = len(data)-6, sum
	if sum != Plain && sum != Modified {
		t.Reason = codes.BadChecksum
	}
}

func step(sum uint32, v byte) uint32 { return steps[sum>>25] ^ (sum&0x1ffffff)<<5 ^ uint32(v) }

// prefixSum starts the checksum with the prefix: the high bits of its letters, zero, the low bits.
func prefixSum(prefix string) uint32 {
	sum := uint32(1)
	for i := range len(prefix) {
		sum = step(sum, ascii.Lower(prefix[i])>>5)
	}
	sum = step(sum, 0)
	for i := range len(prefix) {
		sum = step(sum, ascii.Lower(prefix[i])&31)
	}
	return sum
}

// Has reports whether the text has the prefix, in either case.
func (t *Text) Has(prefix string) bool {
	return len(prefix) == t.Prefix && ascii.HasPrefixFold(t.Source, prefix)
}

// Canonical returns the lower-case spelling.
func (t *Text) Canonical() string {
	if t.upper {
		return strings.ToLower(t.Source)
	}
	return t.Source
}

// First returns the first value, such as the version of a witness program. It fails if there is
// none.
func (t *Text) First() (value byte, ok bool) { return t.values[0], t.n > 0 }

// Bytes joins the values from index from on to bytes in dst, and fails where padding is not
// canonical.
func (t *Text) Bytes(dst []byte, from int) ([]byte, bool) {
	return base32.Join(dst, t.values[min(from, t.n):t.n])
}
