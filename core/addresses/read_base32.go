package addresses

import (
	"crypto/sha3"
	"crypto/sha512"
	"encoding/binary"
	"hash/crc32"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/base32"
	"causeway/core/addresses/base58"
	"causeway/core/addresses/blake2b"
	"causeway/core/addresses/crc16"
)

// readAlgorand reads base32 of a key of 32 bytes and the last four bytes of its SHA-512/256.
func readAlgorand(w *workspace, text string) reading {
	if len(text) != 58 {
		return refused(BadLength, "")
	}
	data, reason := base32.Decode(w.bytes[:], text)
	if reason != "" {
		return refused(reason, "")
	}
	sum := sha512.Sum512_256(data[:32])
	if string(sum[28:]) != string(data[32:]) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "account", environment: core.AnyNetworkKind, checksum: true, normalized: text}
	if zeroed(data[:32]) {
		r.warnings = zeroAddress
	}
	return r
}

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
	r := reading{environment: core.AnyNetworkKind, checksum: true, normalized: text}
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
			return refused(NotPayable, "This strkey names a signer, a pool or a balance, not an account. Addresses start "+
				"with G, M or C.")
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
	data, reason = base32.Decode(w.bytes[:], text)
	switch {
	case reason != "":
		return nil, reason
	case len(data) < 4:
		return nil, BadLength
	}
	n := len(data) - 2
	if crc16.Sum(data[:n]) != uint16(data[n])|uint16(data[n+1])<<8 {
		return nil, BadChecksum
	}
	return data, ""
}

// nem reads the addresses of NEM and Symbol: base32 of a network byte, 20 bytes and a checksum of
// Keccak-256 (NEM, four bytes) or SHA3-256 (Symbol, three). Dashes between the letters are for the
// eye.
type nem struct{ symbol bool }

func (n nem) read(w *workspace, text string) reading {
	plain := text
	if strings.IndexByte(text, '-') >= 0 {
		plain = strings.ReplaceAll(text, "-", "")
	}
	length, sum := 40, 4
	if n.symbol {
		length, sum = 39, 3
	}
	if len(plain) != length {
		return refused(BadLength, "")
	}
	data, reason := base32.Decode(w.bytes[:], plain)
	if reason != "" {
		return refused(reason, "")
	}
	if !n.checked(w, data, sum) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "base32", checksum: true, normalized: plain}
	switch data[0] {
	case 0x68:
		r.environment = core.Mainnet
	case 0x98:
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	return r
}

func (n nem) checked(w *workspace, data []byte, size int) bool {
	if n.symbol {
		digest := sha3.Sum256(data[:21])
		return string(digest[:size]) == string(data[21:])
	}
	return string(w.keccak.Sum(data[:21])[:size]) == string(data[21:])
}

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
	case !ascii.IsDigits(digits):
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
	if !ok || !ascii.IsDigits(digits) || len(digits) > 1 && digits[0] == '0' {
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
	if _, hasUpper := ascii.Cases(text); hasUpper {
		return BadCase
	}
	values, ok := base32.Values(w.bytes[16:], &base32.Lower, text)
	if !ok {
		return BadCharacter
	}
	data, ok := base32.Join(w.bytes[16:], values)
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

// readICP reads an account id (64 hexadecimal digits, the first eight a CRC-32 of the rest), or the
// text of a principal: a CRC-32 and up to 29 bytes in base32, in groups of five.
func readICP(w *workspace, text string) reading {
	if strings.IndexByte(text, '-') < 0 {
		return readAccountID(w, text)
	}
	switch {
	case strings.IndexByte(text, '.') > 0:
		return refused(UnsupportedFormat, "This is a principal with a subaccount (ICRC-1). Ask for the account id of 64 "+
			"hexadecimal digits.")
	case len(text) > 63:
		return refused(BadLength, "")
	}
	n, reason := w.principalFives(text)
	if reason != "" {
		return refused(reason, "A principal is written in lower case, in groups of five.")
	}
	data, ok := base32.Join(w.bytes[:], w.bytes[:n])
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
	return reading{
		format: "principal", environment: core.AnyNetworkKind, checksum: true, normalized: text, warnings: unusualFormat,
	}
}

// principalFives puts the letters of a principal into the workspace, without the dash after each
// group of five.
func (w *workspace) principalFives(text string) (n int, reason string) {
	if _, hasUpper := ascii.Cases(text); hasUpper {
		return 0, BadCase
	}
	for i := range len(text) {
		switch v := base32.Lower[text[i]]; {
		case (text[i] == '-') != (i%6 == 5):
			return 0, BadEncoding
		case text[i] == '-':
		case v < 0:
			return 0, BadCharacter
		default:
			w.bytes[n] = byte(v)
			n++
		}
	}
	return n, ""
}

func readAccountID(w *workspace, text string) reading {
	switch {
	case !ascii.IsHex(text):
		return refused(BadCharacter, "")
	case len(text) != 64:
		return refused(BadLength, "")
	}
	data := w.unhex(text)
	if binary.BigEndian.Uint32(data) != crc32.ChecksumIEEE(data[4:]) {
		return mistyped(BadChecksum)
	}
	return reading{format: "account-id", environment: core.AnyNetworkKind, checksum: true, normalized: ascii.ToLower(text)}
}

// readNano reads nano_ or the older xrb_, 52 letters of the key and 8 of its BLAKE2b of five bytes,
// backwards.
func readNano(w *workspace, text string) reading {
	body, current := strings.CutPrefix(text, "nano_")
	body, old := strings.CutPrefix(body, "xrb_")
	switch {
	case current == old:
		return refused(BadVersion, "An address of Nano starts with nano_.")
	case len(body) != 60:
		return refused(BadLength, "")
	}
	clear(w.bytes[:4]) // 64 values are 40 bytes: three zeros, the key and its checksum
	values, ok := base32.Values(w.bytes[4:], &base32.Nano, body)
	switch {
	case !ok:
		return refused(BadCharacter, "")
	case values[0] > 1:
		return refused(BadEncoding, "")
	}
	data, _ := base32.Join(w.bytes[:], w.bytes[:64])
	key, check := data[3:35], data[35:]
	sum := blake2b.Sum(5, "", key)
	for i := range 5 {
		if check[i] != sum[4-i] {
			return refused(BadChecksum, "")
		}
	}
	r := reading{format: "account", environment: core.AnyNetworkKind, checksum: true, normalized: text}
	if old {
		r.normalized, r.warnings = "nano_"+body, legacyFormat
	}
	if zeroed(key) {
		r.warnings |= burnAddress
	}
	return r
}

// c32Digits writes the letters that read as digits in one way.
var c32Digits = strings.NewReplacer("O", "0", "L", "1", "I", "1")

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
	values, ok := base32.Values(w.bytes[:], &base32.C32, account[1:])
	if !ok {
		return refused(BadCharacter, "")
	}
	const start = 64 // of the decoded bytes in the workspace, after the version
	version := values[0]
	data := base32.JoinNumber(w.bytes[start:], values[1:])
	if len(data) != 24 {
		return refused(BadLength, "")
	}
	w.bytes[start-1] = version
	if base58.Checksum(w.bytes[start-1:start+20]) != [4]byte(data[20:]) {
		return refused(BadChecksum, "")
	}
	kind, ok := stacksKinds[version]
	switch {
	case !ok:
		return refused(BadVersion, "")
	case contract != "" || strings.HasSuffix(text, "."):
		return refused(NotPayable, "This is a contract of Stacks, which exchanges and wallets do not pay to.")
	}
	r := reading{
		format: kind.format, environment: kind.environment, checksum: true, normalized: c32Digits.Replace(account),
	}
	if zeroed(data[:20]) {
		r.warnings = burnAddress
	}
	return r
}

// readNimiq reads NQ, two digits of a checksum as in an IBAN, and 32 letters of base32. Spaces
// between groups of four are part of the usual spelling.
func readNimiq(w *workspace, text string) reading {
	letters, ok := w.ungroup(text)
	switch {
	case !ok:
		return refused(Whitespace, "")
	case len(letters) < 4 || string(letters[:2]) != "NQ":
		return refused(BadVersion, "An address of Nimiq starts with NQ.")
	case len(letters) != 36:
		return refused(BadLength, "")
	}
	if reason := ibanFault(letters); reason != "" {
		return refused(reason, "")
	}
	r := reading{format: "user-friendly", environment: core.AnyNetworkKind, checksum: true, normalized: text}
	if len(text) > len(letters) {
		r.normalized = string(letters)
	}
	if strings.Trim(string(letters[4:]), "0") == "" {
		r.warnings = burnAddress
	}
	return r
}

// ibanFault checks an IBAN: the first four characters moved to the end, letters read as 10 to 35,
// the number is 1 modulo 97. Four letters are not in Nimiq's alphabet.
func ibanFault(letters []byte) string {
	rest := 0
	for i := range letters {
		c := letters[(i+4)%len(letters)]
		switch {
		case '0' <= c && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case 'A' <= c && c <= 'Z' && (i >= 32 || strings.IndexByte("IOWZ", c) < 0):
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return BadCharacter
		}
	}
	if rest != 1 {
		return BadChecksum
	}
	return ""
}

// ungroup drops the spaces of a text in groups of four, or of none, into the workspace.
func (w *workspace) ungroup(text string) (letters []byte, ok bool) {
	spaced, n := strings.IndexByte(text, ' ') >= 0, 0
	for i := range len(text) {
		gap := spaced && i%5 == 4
		switch {
		case gap != (text[i] == ' '):
			return nil, false
		case !gap:
			w.bytes[n] = text[i]
			n++
		}
	}
	return w.bytes[:n], true
}
