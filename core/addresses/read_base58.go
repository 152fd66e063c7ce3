package addresses

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/decred/dcrd/crypto/blake256"
	"golang.org/x/crypto/blake2b"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/base58"
	"causeway/core/addresses/cbor"
)

// base58Kind is a kind of base58check address: a version prefix, and how many bytes follow it.
type base58Kind struct {
	prefix      string
	length      int
	format      string
	environment core.NetworkKind
	warnings    warnings
	respell     string // the prefix of the current spelling, where this one is old
	refuse      string // the reason, where the kind exists and cannot be paid
	hint        string
}

// base58Kinds are the kinds of one network, all with the double SHA-256 checksum.
type base58Kinds []base58Kind

func (k base58Kinds) read(w *workspace, text string) reading {
	b := w.decode58(text)
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
		r.normalized = base58.EncodeCheck(append([]byte(k.respell), body...))
	}
	if zeroed(payload[len(k.prefix):]) {
		r.warnings |= burnAddress
	}
	return r
}

// p2pkh and p2sh are the usual kinds of a coin, by their version on the main network.
func p2pkh(prefix string) base58Kind {
	return base58Kind{prefix: prefix, length: 20, format: "p2pkh", environment: core.Mainnet}
}

func p2sh(prefix string) base58Kind {
	return base58Kind{prefix: prefix, length: 20, format: "p2sh", environment: core.Mainnet}
}

// shared is the one kind of a network whose test networks write the same.
func shared(prefix string, length int) base58Kind {
	return base58Kind{prefix: prefix, length: length, format: "base58check", environment: core.AnyNetworkKind}
}

// test is the kind on the test networks.
func (k base58Kind) test() base58Kind {
	k.environment = core.Testnet
	return k
}

// old is the kind as an old spelling of the kind with another prefix.
func (k base58Kind) old(current string) base58Kind {
	k.warnings |= legacyFormat
	k.respell = current
	return k
}

// refusedAs is the kind as one that exists and is not paid to.
func (k base58Kind) refusedAs(reason, hint string) base58Kind {
	k.refuse, k.hint = reason, hint
	return k
}

// compressedKey reports whether data has the form of a compressed public key. It may still
// not be a point of the curve.
func compressedKey(data []byte) bool { return len(data) == 33 && (data[0] == 2 || data[0] == 3) }

// readTron reads base58check of 0x41 and 20 bytes, the same on every network of TRON.
func readTron(w *workspace, text string) reading {
	if len(text) == 42 && ascii.HasPrefixFold(text, "41") && ascii.IsHex(text) {
		return refused(UnsupportedFormat, "This is the form of a TRON account inside the nodes' API. Wallets take the "+
			"form that starts with T.")
	}
	r := tronKinds.read(w, text)
	if r.warnings&burnAddress != 0 {
		r.warnings = zeroAddress
	}
	return r
}

// readMina reads base58check of three bytes of version, a coordinate of 32 bytes and the parity of
// the other one.
func readMina(w *workspace, text string) reading {
	r := minaKinds.read(w, text)
	if r.reason == "" && w.base58.data[35] > 1 {
		return refused(BadEncoding, "")
	}
	return r
}

// readAeternity reads ak_ and base58check of 32 bytes.
func readAeternity(w *workspace, text string) reading {
	switch {
	case len(text) < 4 || text[2] != '_':
		return refused(BadVersion, "An address of æternity starts with ak_.")
	case text[:3] == "ct_" || text[:3] == "nm_" || text[:3] == "ok_":
		return refused(NotPayable, "This names a contract, a name or an oracle of æternity, not an account. Addresses "+
			"start with ak_.")
	case text[:3] != "ak_":
		return refused(BadVersion, "An address of æternity starts with ak_.")
	}
	r := aeternityKinds.read(w, text[3:])
	if r.reason == "" {
		r.normalized = text
	}
	return r
}

// readDecred reads base58 of a version of two bytes, 20 bytes, and four bytes of a double
// BLAKE-256.
func readDecred(w *workspace, text string) reading {
	b := w.decode58(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case len(b.data) != 26:
		return refused(BadLength, "")
	}
	first := blake256.Sum256(b.data[:22])
	second := blake256.Sum256(first[:])
	if string(second[:4]) != string(b.data[22:26]) {
		return refused(BadChecksum, "")
	}
	for i := range decredKinds {
		if string(b.data[:2]) == decredKinds[i].prefix {
			return decredKinds[i].accept(b.data[:22], text)
		}
	}
	return refused(BadVersion, "")
}

// readErgo reads base58 of a byte of network and kind, the content, and four bytes of a
// BLAKE2b-256. Kind 1 is a wallet's key; 2 and 3 are scripts.
func readErgo(w *workspace, text string) reading {
	b := w.decode58(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case len(b.data) < 6:
		return refused(BadLength, "")
	}
	payload := b.payload()
	if kind := payload[0]; w.searching && (kind>>4 > 1 || kind&15 == 0 || kind&15 > 3) {
		return refused(BadVersion, "") // spares other networks' addresses the hash
	}
	sum := blake2b.Sum256(payload)
	if string(sum[:4]) != string(b.data[len(b.data)-4:]) {
		return refused(BadChecksum, "")
	}
	r := reading{environment: core.Mainnet, checksum: true, normalized: text}
	switch payload[0] >> 4 {
	case 0:
	case 1:
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	return ergoKind(r, payload[0]&15, payload[1:])
}

func ergoKind(r reading, kind byte, content []byte) reading {
	switch {
	case kind == 1 && compressedKey(content):
		r.format = "p2pk"
	case kind == 2 && len(content) == 24:
		r.format, r.warnings = "p2sh", contractLike
	case kind == 3:
		r.format, r.warnings = "p2s", contractLike
	case kind == 1 || kind == 2:
		return refused(BadLength, "")
	default:
		return refused(BadVersion, "")
	}
	return r
}

// readWaves reads base58 of 26 bytes: version 1, the network, 20 bytes, and four bytes of a
// Keccak-256 of a BLAKE2b-256.
func readWaves(w *workspace, text string) reading {
	b := w.decode58(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case len(b.data) != 26:
		return refused(BadLength, "")
	case b.data[0] != 1:
		return refused(BadVersion, "")
	}
	sum := blake2b.Sum256(b.data[:22])
	copy(w.bytes[:], sum[:])
	if string(w.keccak.Sum(w.bytes[:32])[:4]) != string(b.data[22:26]) {
		return refused(BadChecksum, "")
	}
	r := reading{format: "base58", checksum: true, normalized: text}
	switch b.data[1] {
	case 'W':
		r.environment = core.Mainnet
	case 'T':
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	return r
}

// readSolana reads an account of Solana: base58 of exactly 32 bytes, without a checksum. A point of
// the curve is a wallet's key; anything else was derived by a program.
func readSolana(w *workspace, text string) reading {
	b := w.decode58(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case len(b.data) != 32:
		return refused(BadLength, "An address of Solana is 32 bytes, 32 to 44 letters of base58.")
	}
	r := reading{
		format: "account", environment: core.AnyNetworkKind, normalized: text,
		warnings: checksumAbsent | solanaPrograms[text],
	}
	r.vague = r.warnings&^checksumAbsent == 0 && plainCase(text)
	if r.warnings&^checksumAbsent == 0 && !w.searching {
		if _, err := w.point.SetBytes(b.data[:32]); err != nil {
			r.warnings |= offCurve
		}
	}
	return r
}

// substrateAccount reads the accounts of Polkadot's family: base58 of a network prefix, 32 bytes and two bytes
// of a BLAKE2b hash. An account of another prefix is the same key elsewhere, and a common way to
// lose money.
type substrateAccount struct{ prefix uint16 }

func (s substrateAccount) read(w *workspace, text string) reading {
	a := w.decodeSS58(text)
	switch {
	case a.reason != "":
		return refused(a.reason, "")
	case a.prefix != s.prefix:
		return refused(BadVersion, "The account has the prefix of another network of the Polkadot family.")
	}
	r := reading{format: "ss58", environment: core.AnyNetworkKind, checksum: true, normalized: text}
	if a.zero {
		r.warnings = zeroAddress
	}
	return r
}

// readRipple reads an account of the XRP Ledger: the classic form (base58check in its own
// alphabet), or the X-address of XLS-5, which carries the destination tag.
func readRipple(w *workspace, text string) reading {
	b := w.decodeRipple(text)
	if b.reason != "" {
		return refused(b.reason, "")
	}
	switch payload := b.payload(); {
	case len(payload) != 21 && len(payload) != 31:
		return refused(BadLength, "")
	case !b.checked():
		return refused(BadChecksum, "")
	case len(payload) == 31:
		return readXAddress(payload)
	case payload[0] != 0:
		return refused(BadVersion, "")
	default:
		return reading{
			format: "classic", environment: core.AnyNetworkKind, checksum: true, normalized: text,
			warnings: blackHole(payload[1:]),
		}
	}
}

// readXAddress reads two bytes of prefix, the account, a flag and the tag in eight bytes, least
// significant first.
func readXAddress(payload []byte) reading {
	r := reading{format: "x-address", checksum: true, memo: memoInside}
	switch string(payload[:2]) {
	case "\x05\x44":
		r.environment = core.Mainnet
	case "\x04\x93":
		r.environment = core.Testnet
	default:
		return refused(BadVersion, "")
	}
	account, flag, tag := payload[2:22], payload[22], binary.LittleEndian.Uint64(payload[23:])
	switch {
	case flag > 1 || flag == 0 && tag != 0 || tag > 1<<32-1:
		return refused(BadEncoding, "The destination tag inside this X-address is not one that the ledger can carry.")
	case flag == 1:
		r.tag = strconv.FormatUint(tag, 10)
	}
	classic := [21]byte{}
	copy(classic[1:], account)
	r.normalized = base58.EncodeRipple(classic[:])
	r.warnings = blackHole(account)
	return r
}

// blackHole reports ACCOUNT_ZERO and ACCOUNT_ONE, which have no private keys.
func blackHole(account []byte) warnings {
	if !zeroed(account[:19]) {
		return 0
	}
	switch account[19] {
	case 0:
		return zeroAddress
	case 1:
		return burnAddress
	}
	return 0
}

// readMonero reads Monero's base58 in blocks: a network byte, two keys of 32 bytes, in integrated
// addresses a payment id of 8 bytes, and four bytes of a Keccak-256.
func readMonero(w *workspace, text string) reading {
	if len(text) != 95 && len(text) != 106 {
		return refused(BadLength, "")
	}
	data, reason := base58.DecodeBlocks(w.bytes[:], text)
	if reason != "" {
		return refused(reason, "")
	}
	n := len(data) - 4
	if string(w.keccak.Sum(data[:n])[:4]) != string(data[n:]) {
		return refused(BadChecksum, "")
	}
	kind, ok := moneroKinds[data[0]]
	switch {
	case !ok:
		return refused(BadVersion, "")
	case (kind.format == "integrated") != (len(text) == 106):
		return refused(BadLength, "")
	}
	r := reading{format: kind.format, environment: kind.environment, checksum: true, normalized: text}
	if kind.format == "integrated" {
		r.memo, r.tag = memoInside, hex.EncodeToString(data[65:73])
	}
	return r
}

// checkPaymentID: a payment id belongs into an integrated address; the network knows no other memo.
func checkPaymentID(memo, _ string, r *reading) (string, warnings) {
	switch {
	case r.memo == memoInside && strings.EqualFold(memo, r.tag):
		return "", 0
	case ascii.IsHex(memo) && (len(memo) == 16 || len(memo) == 64):
		return MemoConflict, 0
	}
	return "", memoIgnored
}

// readByron reads [24(bytes), CRC-32 of the bytes], where the bytes are [28 bytes, attributes,
// type].
func readByron(w *workspace, text string) reading {
	b := w.decode58(text)
	if b.reason != "" {
		return refused(b.reason, "")
	}
	c := cbor.Reader{Data: b.data}
	c.Head(4, 2)
	c.Head(6, 24)
	payload := c.Bytes(2)
	sum := c.Number(0)
	switch {
	case c.Failed:
		return refused(BadEncoding, "")
	case len(c.Data) != 0:
		return refused(BadLength, "")
	case sum != uint64(crc32.ChecksumIEEE(payload)):
		return refused(BadChecksum, "")
	}
	environment, ok := byronPayload(payload)
	if !ok {
		return refused(BadEncoding, "")
	}
	return reading{format: "byron", environment: environment, checksum: true, normalized: text, warnings: legacyFormat}
}

// byronPayload reads the root, the attributes (1: a derivation path, 2: the magic number of a test
// network) and the type.
func byronPayload(payload []byte) (core.NetworkKind, bool) {
	c := cbor.Reader{Data: payload}
	environment := core.Mainnet
	c.Head(4, 3)
	if root := c.Bytes(2); len(root) != 28 {
		return "", false
	}
	last := uint64(0)
	for range min(2, c.Number(5)) {
		key := c.Number(0)
		inner := cbor.Reader{Data: c.Bytes(2)}
		if key <= last || key > 2 {
			return "", false
		}
		if last = key; key == 2 {
			environment = core.Testnet
			if inner.Number(0); inner.Failed || len(inner.Data) != 0 {
				return "", false
			}
		}
	}
	kind := c.Number(0)
	return environment, !c.Failed && len(c.Data) == 0 && kind <= 2
}
