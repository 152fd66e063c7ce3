package addresses

import (
	"cmp"
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/bech32"
	"causeway/core/addresses/f4jumble"
)

// bech32Account is an account in bech32: of the Cosmos family and others.
type bech32Account struct {
	alias    string // text before the prefix, such as "X-"
	prefix   string // of the main network
	test     string // prefix of the test network; empty: the standard has none
	shared   bool   // the prefix is the same on every network
	variant  uint32 // zero means bech32.Plain
	lead     string // the first bytes
	size     int    // in bytes, after lead
	contract int    // the size of contracts; zero: none
	format   string // empty means "account"
}

func (a bech32Account) read(w *workspace, text string) reading {
	rest, aliased := strings.CutPrefix(text, a.alias)
	switch {
	case aliased && startsAs(rest, a.prefix) && a.shared:
		return a.readAs(w, text, a.prefix, core.AnyNetworkKind)
	case aliased && startsAs(rest, a.prefix):
		return a.readAs(w, text, a.prefix, core.Mainnet)
	case aliased && a.test != "" && startsAs(rest, a.test):
		return a.readAs(w, text, a.test, core.Testnet)
	}
	b := w.decodeBech32(text)
	switch {
	case b.Reason != "":
		return refused(b.Reason, "")
	case a.serves(text[:b.Prefix]):
		return refused(NotPayable, "This names a validator or a public key, not an account. Addresses of this network "+
			"start with "+a.prefix+"1.")
	case a.alias != "" && b.Has(a.prefix):
		return refused(UnsupportedFormat, "The name of the chain is missing: the address has to start with "+a.alias+".")
	}
	return refused(BadVersion, "")
}

// startsAs reports whether a text starts with a prefix of bech32 and its separator.
func startsAs(text, prefix string) bool {
	return len(text) > len(prefix) && text[len(prefix)] == '1' && ascii.HasPrefixFold(text, prefix)
}

// serves reports whether a prefix is one of the network's for other things than accounts:
// cosmosvaloper, cosmosvalcons, cosmospub and so on.
func (a bech32Account) serves(prefix string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(prefix), a.prefix)
	return ok && (strings.HasPrefix(rest, "val") || rest == "pub")
}

func (a bech32Account) readAs(w *workspace, text, prefix string, environment core.NetworkKind) reading {
	b := w.decodeBech32(text[len(a.alias):])
	switch {
	case b.Reason != "":
		return mistyped(b.Reason)
	case b.Prefix != len(prefix):
		return refused(BadVersion, "")
	case b.Variant != max(a.variant, bech32.Plain):
		return refused(BadChecksum, "The checksum is of the wrong kind: bech32 and bech32m were confused.")
	}
	data, ok := b.Bytes(w.bytes[:], 0)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case !strings.HasPrefix(string(data), a.lead):
		return refused(BadVersion, "")
	}
	data = data[len(a.lead):]
	if len(data) == 0 || len(data) != a.size && len(data) != a.contract {
		return refused(BadLength, "")
	}
	r := reading{format: cmp.Or(a.format, "account"), environment: environment, checksum: true, normalized: text}
	if canonical := b.Canonical(); canonical != b.Source {
		r.normalized = a.alias + canonical
	}
	if len(data) == a.contract {
		r.warnings |= contractLike
	}
	if zeroed(data) {
		r.warnings |= burnAddress
	}
	return r
}

// readZilliqa reads the bech32 form. The 0x form of accounts is a form that ordinary wallets do not
// pay to.
func readZilliqa(w *workspace, text string) reading {
	if w.decodeHex(text).reason == "" {
		return refused(UnsupportedFormat, "This is the hexadecimal form of an account. Wallets of Zilliqa take the form "+
			"that starts with zil1.")
	}
	return zilliqaAccount.read(w, text)
}

// orEVM reads an account that has both a bech32 form and a 0x form.
type orEVM struct{ bech32 bech32Account }

func (o orEVM) read(w *workspace, text string) reading {
	if len(text) > 1 && ascii.Lower(text[1]) == 'x' && text[0] == '0' {
		return evmAccount{}.read(w, text)
	}
	return o.bech32.read(w, text)
}

// coin is a chain that kept Bitcoin's formats: base58check and, where it has them, witness
// programs.
type coin struct {
	base58 base58Kinds
	segwit []segwitPrefix
}

// segwitPrefix is a human-readable part of witness programs.
type segwitPrefix struct {
	text        string
	environment core.NetworkKind
}

func (c coin) read(w *workspace, text string) reading {
	for _, p := range c.segwit {
		if len(text) > len(p.text) && text[len(p.text)] == '1' && ascii.HasPrefixFold(text, p.text) {
			return readWitness(w, text, p)
		}
	}
	r := c.base58.read(w, text)
	if r.reason == BadCharacter && len(c.segwit) > 0 {
		if b := w.decodeBech32(text); b.Reason == "" {
			return refused(BadVersion, "")
		}
	}
	return r
}

// readWitness reads a witness program: BIP-173 for version 0, BIP-350 for the others.
func readWitness(w *workspace, text string, p segwitPrefix) reading {
	b := w.decodeBech32(text)
	version, versioned := b.First()
	switch {
	case b.Reason != "":
		return mistyped(b.Reason)
	case b.Prefix != len(p.text):
		return refused(BadVersion, "")
	case len(text) > 90 || !versioned:
		return refused(BadLength, "")
	case version > 16:
		return refused(BadVersion, "")
	case (version == 0) != (b.Variant == bech32.Plain):
		return refused(BadChecksum, "The checksum is of the wrong kind: witness version 0 has a bech32 checksum, later "+
			"versions have bech32m. An outdated wallet wrote this.")
	}
	program, ok := b.Bytes(w.bytes[:], 1)
	if !ok {
		return refused(BadEncoding, "")
	}
	r := reading{environment: p.environment, checksum: true, normalized: b.Canonical()}
	r.format, r.warnings = witnessFormat(version, program)
	if r.format == "" {
		return refused(BadLength, "")
	}
	return r
}

// witnessNames are the scripts of witness version 0 by the length of their program.
var witnessNames = map[int]string{20: "p2wpkh", 32: "p2wsh"}

// witnessFormat names a witness program; no name: no output script has its length.
func witnessFormat(version byte, program []byte) (format string, w warnings) {
	size := len(program)
	switch {
	case size < 2 || size > 40:
		return "", 0
	case version == 0:
		format = witnessNames[size]
	case version == 1 && size == 32:
		format = "p2tr"
	case version == 1 && string(program) == "\x4e\x73":
		return "p2a", nonstandardWitness
	default:
		return "witness", nonstandardWitness
	}
	if zeroed(program) {
		w = burnAddress
	}
	return format, w
}

// litecoin is a coin with usual addresses and with stealth addresses of the MimbleWimble extension
// block: a zero, then two public keys of 33 bytes, in plain bech32 beyond its 90 letters.
type litecoin struct{ coin }

func (l litecoin) read(w *workspace, text string) reading {
	switch {
	case ascii.HasPrefixFold(text, "ltcmweb1"):
		return readMWEB(w, text, "ltcmweb", core.Mainnet)
	case ascii.HasPrefixFold(text, "tmweb1"):
		return readMWEB(w, text, "tmweb", core.Testnet)
	}
	return l.coin.read(w, text)
}

func readMWEB(w *workspace, text, prefix string, environment core.NetworkKind) reading {
	b := w.decodeBech32(text)
	version, versioned := b.First()
	switch {
	case b.Reason != "":
		return refused(b.Reason, "")
	case !b.Has(prefix) || !versioned || version != 0:
		return refused(BadVersion, "")
	case b.Variant != bech32.Plain:
		return refused(BadChecksum, "")
	}
	keys, ok := b.Bytes(w.bytes[:], 1)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(keys) != 66 || !compressedKey(keys[:33]) || !compressedKey(keys[33:]):
		return refused(BadLength, "")
	}
	return reading{
		format: "mweb", environment: environment, checksum: true, normalized: b.Canonical(), warnings: shieldedAddress,
	}
}

// readCardano reads the addresses of CIP-19: Shelley's in bech32 beyond its 90 letters, Byron's in
// base58 of CBOR.
func readCardano(w *workspace, text string) reading {
	b := w.decodeBech32(text)
	switch {
	case b.Has("addr"):
		return readShelley(w, b, core.Mainnet)
	case b.Has("addr_test"):
		return readShelley(w, b, core.Testnet)
	case b.Reason == "" && (b.Has("stake") || b.Has("stake_test")):
		return refused(NotPayable, "This is a stake address, which collects rewards and cannot receive a payment. "+
			"Addresses start with addr1.")
	}
	if ascii.HasPrefixFold(text, "addr") {
		return refused(b.Reason, "")
	}
	return readByron(w, text)
}

// readShelley reads a header of four bits of type and four of network, and the credentials.
func readShelley(w *workspace, b *bech32.Text, environment core.NetworkKind) reading {
	switch {
	case b.Reason != "":
		return refused(b.Reason, "")
	case b.Variant != bech32.Plain:
		return refused(BadChecksum, "")
	}
	data, ok := b.Bytes(w.bytes[:], 0)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(data) < 29:
		return refused(BadLength, "")
	case data[0]&15 == 1 != (environment == core.Mainnet) || data[0]&15 > 1:
		return refused(BadVersion, "The network inside this address is not the one of its prefix.")
	}
	r := reading{environment: environment, checksum: true, normalized: b.Canonical()}
	size := 29
	switch kind := data[0] >> 4; {
	case kind < 4:
		r.format, size = "base", 57
	case kind < 6:
		r.format, r.warnings = "pointer", unusualFormat
		size += pointerSize(data[29:])
	case kind < 8:
		r.format = "enterprise"
	default:
		return refused(BadVersion, "")
	}
	if len(data) != size {
		return refused(BadLength, "")
	}
	return r
}

// pointerSize is the length of three numbers of seven bits per byte, each in its shortest form, or
// -1.
func pointerSize(data []byte) int {
	n := 0
	for range 3 {
		start := n
		for n < len(data) && data[n]&0x80 != 0 {
			n++
		}
		if n++; n > len(data) || n-start > 9 || n-start > 1 && data[start] == 0x80 {
			return -1
		}
	}
	return n
}

// readNervos reads the full format of CKB2021, in bech32m beyond its 90 letters: 0, the hash of the
// code, its type and arguments; and the deprecated formats of 2019 in bech32.
func readNervos(w *workspace, text string) reading {
	b := w.decodeBech32(text)
	switch {
	case b.Reason != "":
		return refused(b.Reason, "")
	case !b.Has("ckb") && !b.Has("ckt"):
		return refused(BadVersion, "")
	}
	data, ok := b.Bytes(w.bytes[:], 0)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(data) < 22:
		return refused(BadLength, "")
	}
	r := reading{format: nervosFormat(data), environment: core.Mainnet, checksum: true, normalized: b.Canonical()}
	if b.Has("ckt") {
		r.environment = core.Testnet
	}
	variant := bech32.Modified
	if r.format != "full" {
		variant, r.warnings = bech32.Plain, legacyFormat
	}
	switch {
	case r.format == "":
		return refused(BadVersion, "")
	case b.Variant != variant:
		return refused(BadChecksum, "The checksum is of the wrong kind: bech32 and bech32m were confused.")
	}
	return r
}

// nervosFormat names the format of at least 22 bytes.
func nervosFormat(data []byte) string {
	switch {
	case data[0] == 0 && len(data) >= 34 && (data[33] <= 2 || data[33] == 4):
		return "full"
	case data[0] == 1 && data[1] <= 2 && len(data) == 22:
		return "short"
	case (data[0] == 2 || data[0] == 4) && len(data) >= 33:
		return "full-2019"
	}
	return ""
}

// readZcash reads the transparent addresses in base58check, the transparent-source-only form of
// ZIP-320, Sapling's shielded addresses and the unified addresses of ZIP-316 (revisions 0 and 1).
func readZcash(w *workspace, text string) reading {
	b := w.decodeBech32(text)
	if b.Prefix > 0 && b.Prefix <= len("ztestsapling") {
		if kind, ok := zcashPrefixes[text[:b.Prefix]]; ok {
			return readZcashBech32(w, b, kind)
		}
	}
	if ascii.HasPrefixFold(text, "zu1") || ascii.HasPrefixFold(text, "zutest1") {
		return refused(UnsupportedFormat, "This is a unified address of a draft (ZIP-316 revision 2), which wallets do "+
			"not pay to yet.")
	}
	return zcashKinds.read(w, text)
}

// zcashPrefix is a prefix of Zcash in bech32.
type zcashPrefix struct {
	format      string
	variant     uint32
	environment core.NetworkKind
}

func readZcashBech32(w *workspace, b *bech32.Text, kind zcashPrefix) reading {
	switch {
	case b.Reason != "":
		return refused(b.Reason, "")
	case b.Variant != kind.variant:
		return refused(BadChecksum, "The checksum is of the wrong kind: bech32 and bech32m were confused.")
	}
	data, ok := b.Bytes(w.bytes[:], 0)
	if !ok {
		return refused(BadEncoding, "")
	}
	r := reading{format: kind.format, environment: kind.environment, checksum: true, normalized: b.Canonical()}
	switch kind.format {
	case "tex":
		if len(data) != 20 {
			return refused(BadLength, "")
		}
	case "sapling":
		if len(data) != 43 {
			return refused(BadLength, "")
		}
		r.warnings = shieldedAddress
	default:
		r.warnings = shieldedAddress
		if reason := unifiedFault(data, b.Source[:b.Prefix]); reason != "" {
			return refused(reason, "")
		}
	}
	return r
}

// unifiedFault undoes F4Jumble and reads the receivers: type, length and bytes of each, in rising
// order of types, at least one of them shielded, then the prefix in 16 bytes.
func unifiedFault(data []byte, prefix string) string {
	if len(data) < 48 {
		return BadLength
	}
	f4jumble.Invert(data)
	var padding [16]byte
	copy(padding[:], prefix)
	items := data[:len(data)-16]
	if string(data[len(items):]) != string(padding[:]) {
		return BadChecksum
	}
	return receiversFault(items)
}

func receiversFault(items []byte) string {
	last, shielded := -1, false
	for len(items) > 0 {
		kind, size, rest, ok := unifiedItem(items)
		if !ok || kind <= last || last == 0 && kind == 1 {
			return BadEncoding
		}
		if want, known := unifiedSizes[kind]; known && size != want || kind >= 0xe0 {
			return BadEncoding // types from 0xe0 on must be understood by the payer, or are experimental
		}
		last, shielded, items = kind, shielded || kind == 2 || kind == 3, rest
	}
	if !shielded {
		return BadVersion
	}
	return ""
}

// unifiedItem reads one receiver. Types and sizes are compactSize numbers; the canonical one-byte
// and three-byte forms hold whatever fits into an address of 512 letters.
func unifiedItem(items []byte) (kind, size int, rest []byte, ok bool) {
	kind, items, ok = compactSize(items)
	if !ok {
		return 0, 0, nil, false
	}
	size, items, ok = compactSize(items)
	if !ok || size > len(items) {
		return 0, 0, nil, false
	}
	return kind, size, items[size:], true
}

func compactSize(data []byte) (value int, rest []byte, ok bool) {
	switch {
	case len(data) >= 1 && data[0] < 0xfd:
		return int(data[0]), data[1:], true
	case len(data) >= 3 && data[0] == 0xfd:
		value = int(data[1]) | int(data[2])<<8
		return value, data[3:], value >= 0xfd
	}
	return 0, nil, false
}

// checkZcashMemo: shielded payments carry up to 512 bytes, transparent ones none.
func checkZcashMemo(memo, _ string, r *reading) (string, warnings) {
	if r.warnings&shieldedAddress == 0 {
		return MemoConflict, 0
	}
	return checkText(memo, 512), 0
}
