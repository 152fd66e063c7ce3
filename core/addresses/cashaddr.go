package addresses

import (
	"strings"

	"causeway/core"
)

// cashPrefix is a prefix of cashaddr. It is separated by a colon and is part of the checksum.
type cashPrefix struct {
	text        string
	environment core.Environment
}

// cashaddr reads the addresses of Bitcoin Cash and eCash: cashaddr, whose prefix may be left out,
// and the old base58.
type cashaddr struct {
	prefixes []cashPrefix
	types    int // how many types of scripts there are: 2, or 4 with those that can hold tokens
	legacy   base58Kinds
}

// cashFormats are the names of the types of scripts.
func cashFormat(kind int) string {
	switch kind {
	case 0:
		return "p2pkh"
	case 1:
		return "p2sh"
	case 2:
		return "token-p2pkh"
	}
	return "token-p2sh"
}

func (c cashaddr) read(w *workspace, text string) reading {
	hasLower, hasUpper := cases(text)
	mixed := hasLower && hasUpper
	prefix, body, named := strings.Cut(text, ":")
	switch {
	case !named && (len(text) < 42 || mixed):
		return c.readLegacy(w, text)
	case mixed:
		return refused(BadCase, "")
	case !named:
		body = text
	}
	reason := BadVersion
	for _, p := range c.prefixes {
		if named && !strings.EqualFold(prefix, p.text) {
			continue
		}
		var data []byte
		if data, reason = w.decodeCash(p.text, body, &bech32Values); reason == "" {
			r := c.judge(data)
			if r.reason == "" {
				r.environment, r.normalized = p.environment, canonicalCash(p.text, text, named, hasUpper)
			}
			return r
		}
	}
	return cashFault(reason, named)
}

// cashFault refuses a text, which is plainly the network's where it has the prefix.
func cashFault(reason string, named bool) reading {
	r := mistyped(reason)
	r.own = r.own && named
	return r
}

func (c cashaddr) readLegacy(w *workspace, text string) reading {
	r := c.legacy.read(w, text)
	if r.reason == "" {
		r.normalized = c.modern(&w.base58[bitcoinDialect], &r)
		r.warnings |= legacyFormat
	}
	return r
}

// judge reads a version byte, four bits of type and three of length, and the hash.
func (c cashaddr) judge(data []byte) reading {
	if len(data) < 2 || data[0]&0x80 != 0 || int(data[0]>>3) >= c.types {
		return refused(BadVersion, "")
	}
	kind, sizes := int(data[0]>>3), [8]int{20, 24, 28, 32, 40, 48, 56, 64}
	size := sizes[data[0]&7]
	if len(data)-1 != size || size != 20 && size != 32 {
		return refused(BadLength, "")
	}
	r := reading{format: cashFormat(kind), checksum: true}
	if size == 32 && kind&1 == 0 || kind > 1 {
		r.warnings = unusualFormat
	}
	if zeroed(data[1:]) {
		r.warnings |= burnAddress
	}
	return r
}

func canonicalCash(prefix, text string, named, upper bool) string {
	if upper {
		text = strings.ToLower(text)
	}
	if !named {
		text = prefix + ":" + text
	}
	return text
}

// modern spells an old address as cashaddr.
func (c cashaddr) modern(b *base58Text, r *reading) string {
	prefix := c.prefixes[0].text
	if r.environment == core.Testnet {
		prefix = c.prefixes[1].text
	}
	data := append([]byte{0}, b.payload()[1:]...)
	if r.format == "p2sh" {
		data[0] = 1 << 3
	}
	return encodeCash(prefix, data)
}

// decodeCash decodes the text after the prefix and the colon into the workspace.
func (w *workspace) decodeCash(prefix, body string, values *[256]int8) (data []byte, reason string) {
	if len(body) < 9 || len(body) > usualBytes {
		return nil, BadLength
	}
	for i := range len(body) {
		v := values[body[i]]
		if v < 0 {
			return nil, BadCharacter
		}
		w.fives[i] = byte(v)
	}
	sum := cashPrefixSum(prefix)
	for _, v := range w.fives[:len(body)] {
		sum = cashStep(sum, v)
	}
	if sum != 1 {
		return nil, BadChecksum
	}
	data, ok := regroup(w.bytes[:], w.fives[:len(body)-8])
	if !ok {
		return nil, BadEncoding
	}
	return data, ""
}

// encodeCash writes bytes with a prefix, in lower case.
func encodeCash(prefix string, data []byte) string {
	fives := make([]byte, 0, len(data)*8/5+1)
	acc, held := uint32(0), 0
	for _, v := range data {
		acc = acc<<8 | uint32(v)
		for held += 8; held >= 5; held -= 5 {
			fives = append(fives, byte(acc>>(held-5)&31))
		}
	}
	if held > 0 {
		fives = append(fives, byte(acc<<(5-held)&31))
	}
	sum := cashPrefixSum(prefix)
	text := []byte(prefix + ":")
	for _, v := range fives {
		sum = cashStep(sum, v)
		text = append(text, bech32Alphabet[v])
	}
	for range 8 {
		sum = cashStep(sum, 0)
	}
	sum ^= 1
	for i := range 8 {
		text = append(text, bech32Alphabet[sum>>(5*(7-i))&31])
	}
	return string(text)
}

func cashPrefixSum(prefix string) uint64 {
	sum := uint64(1)
	for i := range len(prefix) {
		sum = cashStep(sum, prefix[i]&31)
	}
	return cashStep(sum, 0)
}

// cashStep is one step of the 40-bit checksum of cashaddr.
func cashStep(sum uint64, v byte) uint64 {
	return sum&0x07ffffffff<<5 ^ uint64(v) ^ cashSteps[sum>>35]
}
