package addresses

import (
	"strconv"
	"strings"

	"causeway/core"
)

// evm is the address of the Ethereum family: 0x and 40 hexadecimal digits, whose letter case is the
// checksum.
type evm struct {
	chains []evmChain // ERC-1191 chain ids whose checksum is accepted beside EIP-55; the first is the canonical one
	alias  string     // another spelling of 0x, as "xdc" or "ronin:"
}

// evmChain is a chain of ERC-1191: its checksum covers the chain id.
type evmChain struct {
	prefix      string // hashed before the address
	environment core.Environment
}

// evmText is a text read as 0x and 40 digits.
type evmText struct {
	text     string
	reason   string
	hint     string
	mixed    bool     // letters of both cases
	digits   [40]byte // in lower case
	matches  bool     // the letter case is the EIP-55 checksum
	spelling [42]byte // with the EIP-55 checksum
	spelled  bool
}

func (e evm) read(w *workspace, text string) reading {
	if e.alias != "" && hasFold(text, e.alias) && len(text) == len(e.alias)+40 {
		r := e.readHex(w, "0x"+text[len(e.alias):])
		r.own = r.reason == BadChecksum || r.reason == BadCharacter
		return r
	}
	return e.readHex(w, text)
}

func (e evm) readHex(w *workspace, text string) reading {
	h := w.decodeHex(text)
	if h.reason != "" {
		return refused(h.reason, h.hint)
	}
	r := reading{format: "hex", environment: core.AnyEnvironment, warnings: h.hazards()}
	if h.mixed {
		return e.readMixed(w, h, r)
	}
	r.warnings |= checksumAbsent
	if len(e.chains) > 0 {
		spelling := w.checksum1191(e.chains[0].prefix)
		r.normalized = string(spelling[:])
		return r
	}
	w.spell(h)
	r.normalized = h.spell()
	return r
}

func (e evm) readMixed(w *workspace, h *evmText, r reading) reading {
	r.checksum = true
	for _, c := range e.chains {
		if spelling := w.checksum1191(c.prefix); string(spelling[:]) == h.text {
			r.format, r.environment, r.normalized = "eip1191", c.environment, h.text
			return r
		}
	}
	w.spell(h)
	switch {
	case h.matches && len(e.chains) > 0:
		spelling := w.checksum1191(e.chains[0].prefix)
		r.format, r.normalized = "eip55", string(spelling[:])
	case h.matches:
		r.format, r.normalized = "eip55", h.text
	case w.asking:
		return refused(BadChecksum, "")
	default:
		return reading{reason: BadChecksum, expected: h.spell()}
	}
	return r
}

// caseMessage says which letters of an address have another case than its checksum requires. A
// mistyped character changes the whole checksum, which then wants another case in about half of the
// letters; a changed case shows in one or a few.
func caseMessage(text, expected string) string {
	given, want := text[len(text)-40:], expected[len(expected)-40:]
	letters, wrong, first := 0, 0, 0
	for i := range len(given) {
		if letterCases[given[i]]&3 != 0 {
			letters++
		}
		if given[i] != want[i] {
			if wrong == 0 {
				first = i
			}
			wrong++
		}
	}
	share := strconv.Itoa(wrong) + " of " + strconv.Itoa(letters) + " letters"
	if wrong*4 > letters {
		return "The case of the letters is the checksum, and it is wrong in " + share + ": a character is probably mistyped, so copy the address again. Only if every character is right, it is written " + expected + "."
	}
	return "The case of the letters is the checksum, and it is wrong in " + share + ", first in character " +
		strconv.Itoa(len(text)-40+first+1) + ", which is " + given[first:first+1] + " where the checksum requires " + want[first:first+1] +
		". If every character is right, the address is written " + expected + "; compare it with the source, for one may be mistyped."
}

// decodeHex reads a text as 0x and 40 digits, or returns what it returned for the same text before.
func (w *workspace) decodeHex(text string) *evmText {
	h := &w.hex
	if h.text == text && text != "" {
		return h
	}
	*h = evmText{text: text}
	if h.reason, h.hint = hexFault(text); h.reason != "" {
		return h
	}
	body := text[2:]
	hasLower, hasUpper := cases(body)
	h.mixed = hasLower && hasUpper
	for i := range h.digits {
		h.digits[i] = lower(body[i])
	}
	return h
}

// hexFault says why a text is not 0x and 40 digits.
func hexFault(text string) (reason, hint string) {
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		switch {
		case !isHex(digits):
			return BadCharacter, ""
		case len(digits) != 40:
			return BadLength, "There have to be exactly 40 hexadecimal digits after 0x."
		}
		return "", ""
	}
	switch {
	case strings.HasPrefix(text, "0X") && len(text) == 42:
		return BadEncoding, "The address has to start with a small 0x."
	case len(text) == 40 && isHex(text):
		return BadEncoding, "The 0x in front is missing."
	case strings.HasPrefix(text, "XE") && len(text)|1 == 35:
		return UnsupportedFormat, "This is ICAP, an old form of Ethereum addresses. Ask for the form that starts with 0x."
	}
	return BadVersion, "An address of this network starts with 0x and has 40 hexadecimal digits after it."
}

// spell computes the EIP-55 spelling: a letter is a capital where the hash of the digits has a
// four-bit group of 8 or more.
func (w *workspace) spell(h *evmText) {
	if h.spelled {
		return
	}
	h.spelled, h.spelling = true, [42]byte{'0', 'x'}
	capitals(h.spelling[2:], h.digits[:], w.keccak256(h.digits[:]))
	h.matches = string(h.spelling[:]) == h.text
}

func (h *evmText) spell() string {
	if h.matches {
		return h.text
	}
	return string(h.spelling[:])
}

// checksum1191 is the ERC-1191 spelling of what decodeHex read: as EIP-55, with the chain id hashed
// before the address.
func (w *workspace) checksum1191(prefix string) [42]byte {
	n := copy(w.bytes[:], prefix)
	n += copy(w.bytes[n:], "0x")
	n += copy(w.bytes[n:], w.hex.digits[:])
	spelling := [42]byte{'0', 'x'}
	capitals(spelling[2:], w.hex.digits[:], w.keccak256(w.bytes[:n]))
	return spelling
}

func capitals(into, digits, hash []byte) {
	for i, c := range digits {
		if c >= 'a' && hash[i/2]>>(4*(1-i&1))&0xf >= 8 {
			c -= 'a' - 'A'
		}
		into[i] = c
	}
}

// hazards are addresses that cannot be spent from.
func (h *evmText) hazards() warnings {
	switch string(h.digits[:]) {
	case "0000000000000000000000000000000000000000":
		return zeroAddress
	case "000000000000000000000000000000000000dead", "dead000000000000000042069420694206942069",
		"0000000000000000000000000000000000000001", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
		"ffffffffffffffffffffffffffffffffffffffff":
		return burnAddress
	}
	return 0
}

// isHex reports whether a text has hexadecimal digits only.
func isHex(text string) bool {
	for i := range len(text) {
		if hexValues[text[i]] < 0 {
			return false
		}
	}
	return text != ""
}
