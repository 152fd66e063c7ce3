package addresses

import (
	"encoding/binary"
	"math/bits"

	"causeway/core"
)

// The dialects of base58: the order of the 58 letters.
const (
	bitcoinAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	rippleAlphabet  = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"
)

// Indexes of workspace.base58.
const (
	bitcoinDialect = iota
	rippleDialect
)

// maxBase58 is the longest base58 text decoded, in letters: the longest Byron address fits, and the
// cost, which grows with the square of the length, stays below a microsecond or two.
const maxBase58 = 176

// base58Text is a text decoded as base58.
type base58Text struct {
	text   string
	reason string // why it is no base58
	n      int
	data   [maxBase58]byte // n bytes are used
	sum    sumState        // whether the last four bytes are the double SHA-256 of the rest
}

type sumState uint8

const (
	sumUnknown sumState = iota
	sumBad
	sumGood
)

func (b *base58Text) forget() {
	if b.text != "" {
		b.text, b.n, b.reason = "", 0, ""
		clear(b.data[:])
	}
}

// payload is what precedes the checksum of four bytes.
func (b *base58Text) payload() []byte { return b.data[:max(0, b.n-4)] }

// checked reports whether the text ends in the usual checksum, the double SHA-256 of the payload.
func (b *base58Text) checked() bool {
	if b.sum == sumUnknown {
		b.sum = sumBad
		if b.n >= 5 {
			digest := doubleSHA256(b.payload())
			if [4]byte(digest[:4]) == [4]byte(b.data[b.n-4:b.n]) {
				b.sum = sumGood
			}
		}
	}
	return b.sum == sumGood
}

// decode58 decodes text in a dialect, or returns what it returned for the same text before.
func (w *workspace) decode58(dialect int, text string) *base58Text {
	b := &w.base58[dialect]
	if b.text == text && text != "" {
		return b
	}
	b.text, b.sum, b.n, b.reason = text, sumUnknown, 0, ""
	if text == "" || len(text) > maxBase58 {
		b.reason = BadLength
		return b
	}
	b.decode(&base58Values[dialect], text)
	return b
}

// decode multiplies up ten letters at a time: 58^10 fits 64 bits.
func (b *base58Text) decode(values *[256]int8, text string) {
	zeros := 0
	for zeros < len(text) && values[text[zeros]] == 0 {
		zeros++
	}
	var limbs [(maxBase58*3/4 + 7) / 8]uint64
	used := 0
	for rest := text[zeros:]; rest != ""; {
		chunk, factor := uint64(0), uint64(1)
		size := min(10, len(rest))
		for i := range size {
			v := values[rest[i]]
			if v < 0 {
				b.reason = BadCharacter
				return
			}
			chunk = chunk*58 + uint64(v)
			factor *= 58
		}
		rest = rest[size:]
		for i := range used {
			high, low := bits.Mul64(limbs[i], factor)
			sum, carry := bits.Add64(low, chunk, 0)
			limbs[i], chunk = sum, high+carry
		}
		if chunk != 0 {
			limbs[used] = chunk
			used++
		}
	}
	var big [len(limbs) * 8]byte
	for i := range used {
		binary.BigEndian.PutUint64(big[(used-1-i)*8:], limbs[i])
	}
	start := 0
	for start < used*8 && big[start] == 0 {
		start++
	}
	clear(b.data[:zeros])
	b.n = zeros + copy(b.data[zeros:], big[start:used*8])
}

// encode58 writes data in an alphabet. It is for the canonical spelling of short payloads only: its
// cost grows with the square of the length.
func encode58(alphabet string, data []byte) string {
	digits := make([]byte, 0, len(data)*138/100+1) // least significant first
	for _, v := range data {
		carry := int(v)
		for i := range digits {
			carry += int(digits[i]) << 8
			digits[i] = byte(carry % 58) //nolint:gosec // below 58
			carry /= 58
		}
		for ; carry > 0; carry /= 58 {
			digits = append(digits, byte(carry%58))
		}
	}
	for _, v := range data {
		if v != 0 {
			break
		}
		digits = append(digits, 0)
	}
	text := make([]byte, len(digits))
	for i, d := range digits {
		text[len(digits)-1-i] = alphabet[d]
	}
	return string(text)
}

// encodeCheck58 writes a payload with the double SHA-256 checksum.
func encodeCheck58(alphabet string, payload []byte) string {
	sum := doubleSHA256(payload)
	return encode58(alphabet, append(append(make([]byte, 0, len(payload)+4), payload...), sum[:4]...))
}

// base58Kind is a kind of base58check address: a version prefix, and how many bytes follow it.
type base58Kind struct {
	prefix      string
	length      int
	format      string
	environment core.Environment
	warnings    warnings
	respell     string // the prefix of the current spelling, where this one is old
	refuse      string // the reason, where the kind exists and cannot be paid
	hint        string
}

// base58Kinds are the kinds of one network, all with the double SHA-256 checksum.
type base58Kinds []base58Kind

func (k base58Kinds) read(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	if b.reason != "" {
		return refused(b.reason, "")
	}
	payload, sized := b.payload(), false
	for i := range k {
		if len(payload) != len(k[i].prefix)+k[i].length {
			continue
		}
		sized = true
		if string(payload[:len(k[i].prefix)]) == k[i].prefix && b.checked() {
			return k[i].accept(payload, text)
		}
	}
	switch {
	case !sized:
		return refused(BadLength, "")
	case !b.checked():
		return refused(BadChecksum, "")
	}
	return refused(BadVersion, "")
}

func (k *base58Kind) accept(payload []byte, text string) reading {
	if k.refuse != "" {
		return refused(k.refuse, k.hint)
	}
	r := reading{format: k.format, environment: k.environment, checksum: true, normalized: text, warnings: k.warnings}
	if k.respell != "" {
		body := payload[len(k.prefix):]
		r.normalized = encodeCheck58(bitcoinAlphabet, append([]byte(k.respell), body...))
	}
	if zeroed(payload[len(k.prefix):]) {
		r.warnings |= burnAddress
	}
	return r
}

func zeroed(data []byte) bool {
	for _, v := range data {
		if v != 0 {
			return false
		}
	}
	return true
}
