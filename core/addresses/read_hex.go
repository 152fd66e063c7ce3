package addresses

import (
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/evm"
)

// evmAccount is the address of the Ethereum family: 0x and 40 hexadecimal digits, whose letter case is the
// checksum.
type evmAccount struct {
	chains []evmChain // ERC-1191 chain ids whose checksum is accepted in addition to EIP-55; the first is canonical
	alias  string     // another spelling of 0x, as "xdc" or "ronin:"
}

// evmChain is a chain of ERC-1191: its checksum covers the chain id.
type evmChain struct {
	prefix      string // hashed before the address
	environment core.NetworkKind
}

// evmText is a text read as 0x and 40 digits.
type evmText struct {
	text     string
	reason   string
	hint     string
	address  evm.Address
	spelled  bool
	spelling [42]byte // with the EIP-55 checksum, once spelled
	matches  bool     // the text has this spelling
}

func (e evmAccount) read(w *workspace, text string) reading {
	if e.alias != "" && ascii.HasPrefixFold(text, e.alias) && len(text) == len(e.alias)+40 {
		r := e.readHex(w, "0x"+text[len(e.alias):])
		r.own = r.reason == BadChecksum || r.reason == BadCharacter
		return r
	}
	return e.readHex(w, text)
}

func (e evmAccount) readHex(w *workspace, text string) reading {
	h := w.decodeHex(text)
	if h.reason != "" {
		return refused(h.reason, h.hint)
	}
	r := reading{format: "hex", environment: core.AnyNetworkKind, warnings: h.hazards()}
	if h.address.Mixed() {
		return e.readMixed(w, h, r)
	}
	r.warnings |= checksumAbsent
	if len(e.chains) > 0 {
		spelling := h.address.Spell(w.keccak, e.chains[0].prefix)
		r.normalized = string(spelling[:])
		return r
	}
	w.spell(h)
	r.normalized = h.spell()
	return r
}

func (e evmAccount) readMixed(w *workspace, h *evmText, r reading) reading {
	r.checksum = true
	for _, c := range e.chains {
		if spelling := h.address.Spell(w.keccak, c.prefix); string(spelling[:]) == h.text {
			r.format, r.environment, r.normalized = "eip1191", c.environment, h.text
			return r
		}
	}
	w.spell(h)
	switch {
	case h.matches && len(e.chains) > 0:
		spelling := h.address.Spell(w.keccak, e.chains[0].prefix)
		r.format, r.normalized = "eip55", string(spelling[:])
	case h.matches:
		r.format, r.normalized = "eip55", h.text
	case w.searching:
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
		if given[i] > '9' {
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
		return "The case of the letters is the checksum, and it is wrong in " + share + ": a character is probably " +
			"mistyped, so copy the address again. Only if every character is right, it is written " + expected + "."
	}
	return "The case of the letters is the checksum, and it is wrong in " + share + ", first in character " +
		strconv.Itoa(len(text)-40+first+1) + ", which is " + given[first:first+1] +
		" where the checksum requires " + want[first:first+1] +
		". If every character is right, the address is written " + expected + "; compare it with the source, for one may " +
		"be mistyped."
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
	h.address.Set(text[2:])
	return h
}

// hexFault says why a text is not 0x and 40 digits.
func hexFault(text string) (reason, hint string) {
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		switch {
		case !ascii.IsHex(digits):
			return BadCharacter, ""
		case len(digits) != 40:
			return BadLength, "There have to be exactly 40 hexadecimal digits after 0x."
		}
		return "", ""
	}
	switch {
	case strings.HasPrefix(text, "0X") && len(text) == 42:
		return BadEncoding, "The address has to start with a small 0x."
	case len(text) == 40 && ascii.IsHex(text):
		return BadEncoding, "The 0x in front is missing."
	case strings.HasPrefix(text, "XE") && len(text)|1 == 35:
		return UnsupportedFormat, "This is ICAP, an old form of Ethereum addresses. Ask for the form that starts with 0x."
	}
	return BadVersion, "An address of this network starts with 0x and has 40 hexadecimal digits after it."
}

// spell computes the EIP-55 spelling once.
func (w *workspace) spell(h *evmText) {
	if !h.spelled {
		h.spelled, h.spelling = true, h.address.Spell(w.keccak, "")
		h.matches = string(h.spelling[:]) == h.text
	}
}

func (h *evmText) spell() string {
	if h.matches {
		return h.text
	}
	return string(h.spelling[:])
}

// hazards are addresses that cannot be spent from.
func (h *evmText) hazards() warnings {
	switch string(h.address.Digits()) {
	case "0000000000000000000000000000000000000000":
		return zeroAddress
	case "000000000000000000000000000000000000dead", "dead000000000000000042069420694206942069",
		"0000000000000000000000000000000000000001", "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee",
		"ffffffffffffffffffffffffffffffffffffffff":
		return burnAddress
	}
	return 0
}

// fixedHex reads accounts that are a prefix and hexadecimal digits without a checksum: Flow, ICON
// and Aion.
type fixedHex struct {
	prefixes []string // the first is the usual one; a second one marks contracts
	digits   int
	lower    bool // capitals are refused
	hint     string
}

func (h fixedHex) read(_ *workspace, text string) reading {
	for i, prefix := range h.prefixes {
		if len(text) < len(prefix) || text[:len(prefix)] != prefix {
			continue
		}
		digits := text[len(prefix):]
		_, hasUpper := ascii.Cases(digits)
		switch {
		case !ascii.IsHex(digits):
			return refused(BadCharacter, "")
		case len(digits) != h.digits:
			return refused(BadLength, h.hint)
		case hasUpper && h.lower:
			return refused(BadCase, "The hexadecimal digits have to be in lower case.")
		}
		r := reading{
			format: "account", environment: core.AnyNetworkKind, normalized: ascii.ToLower(text), warnings: checksumAbsent,
		}
		if i > 0 {
			r.format, r.warnings = "contract", r.warnings|contractLike
		}
		return r
	}
	return refused(BadVersion, h.hint)
}

// move reads the accounts of Aptos, Sui and IOTA: 0x and 64 hexadecimal digits without a checksum.
// Aptos writes its first sixteen with one digit (AIP-40).
type move struct{ short bool }

func (m move) read(w *workspace, text string) reading {
	digits, ok := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return moveFault(w, text)
	case !ascii.IsHex(digits):
		return refused(BadCharacter, "")
	}
	r := reading{
		format: "account", environment: core.AnyNetworkKind, normalized: ascii.ToLower(text), warnings: checksumAbsent,
	}
	switch {
	case len(digits) == 1 && m.short:
		r.format, r.vague = "special", true
	case len(digits) != 64:
		return refused(BadLength, "There have to be exactly 64 hexadecimal digits after 0x.")
	}
	switch rest := strings.TrimLeft(digits, "0"); len(rest) {
	case 0:
		r.warnings |= zeroAddress
	case 1:
		r.warnings |= contractLike
	}
	return r
}

// moveFault says what a text without 0x may be.
func moveFault(w *workspace, text string) reading {
	switch {
	case isHash(text):
		return refused(BadEncoding, "The 0x in front is missing.")
	case ascii.HasPrefixFold(text, "iota1") && w.decodeBech32(text).Reason == "":
		return refused(UnsupportedFormat, "This is an address from before IOTA Rebased (May 2025). Ask for the one that "+
			"starts with 0x.")
	}
	return refused(BadVersion, "An address of this network starts with 0x and has 64 hexadecimal digits after it.")
}

// readStarknet reads a field element below 2^251 - 256: 0x and 1 to 64 hexadecimal digits. An
// address of Ethereum is one too, and hardly ever meant.
func readStarknet(_ *workspace, text string) reading {
	digits, ok := strings.CutPrefix(text, "0x")
	switch {
	case !ok:
		return refused(BadVersion, "An address of Starknet starts with 0x.")
	case !ascii.IsHex(digits):
		return refused(BadCharacter, "")
	case len(digits) > 64:
		return refused(BadLength, "")
	}
	const bound = "07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00"
	felt := strings.ToLower(strings.Repeat("0", 64-len(digits)) + digits)
	switch {
	case felt >= bound:
		return refused(BadVersion, "The number is beyond the addresses of Starknet.")
	case strings.Trim(felt, "0") == "":
		return refused(NotPayable, "The zero address of Starknet cannot be paid.")
	}
	r := reading{format: "felt", environment: core.AnyNetworkKind, normalized: "0x" + felt, warnings: checksumAbsent}
	if len(digits) < 60 {
		r.vague = true
		r.warnings |= unusualFormat
	}
	return r
}

// readCasper reads a public key, 01 and 32 bytes or 02 and 33, whose letter case may be the
// checksum of CEP-57, or an account hash.
func readCasper(w *workspace, text string) reading {
	r := reading{
		format: "public-key", environment: core.AnyNetworkKind, warnings: checksumAbsent, normalized: ascii.ToLower(text),
	}
	digits, hashed := strings.CutPrefix(text, "account-hash-")
	if hashed {
		r.format, r.warnings = "account-hash", r.warnings|unusualFormat
	}
	if reason := casperFault(digits, hashed); reason != "" {
		return refused(reason, "A public key of Casper is 01 and 64 hexadecimal digits, or 02 and 66.")
	}
	if !hashed {
		digits = digits[2:]
	}
	hasLower, hasUpper := ascii.Cases(digits)
	switch {
	case !hasLower || !hasUpper:
	case casperCase(w.unhex(digits), digits):
		r.checksum, r.normalized, r.warnings = true, text, r.warnings&^checksumAbsent
	default:
		return refused(BadChecksum, "The letter case is not the checksum of this key: a character is wrong, or the case "+
			"was changed.")
	}
	return r
}

func casperFault(digits string, hashed bool) string {
	want := 64
	if !hashed {
		want = map[string]int{"01": 66, "02": 68}[digits[:min(2, len(digits))]]
	}
	switch {
	case !ascii.IsHex(digits):
		return BadCharacter
	case want == 0:
		return BadVersion
	case len(digits) != want:
		return BadLength
	}
	return ""
}

// casperCase reports whether the letters have the case that CEP-57 sets: each letter takes the next
// bit, lowest first, of the BLAKE2b hash.
func casperCase(data []byte, digits string) bool {
	hash, used := blake2b.Sum256(data), 0
	for i := range len(digits) {
		c := digits[i]
		if c <= '9' {
			continue
		}
		if upper := hash[used/8%32]>>(used%8)&1 == 1; upper != (c < 'a') {
			return false
		}
		used++
	}
	return true
}

// readSia reads 32 bytes and six of their BLAKE2b-256, in hexadecimal digits.
func readSia(w *workspace, text string) reading {
	switch {
	case !ascii.IsHex(text):
		return refused(BadCharacter, "")
	case len(text) != 76:
		return refused(BadLength, "")
	}
	data := w.unhex(text)
	sum := blake2b.Sum256(data[:32])
	if string(sum[:6]) != string(data[32:]) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "account", environment: core.AnyNetworkKind, checksum: true, normalized: ascii.ToLower(text)}
	if zeroed(data[:32]) {
		r.warnings = burnAddress
	}
	return r
}
