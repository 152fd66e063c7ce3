package addresses

import (
	"encoding/binary"
	"strconv"

	"causeway/core"
)

// readRipple reads an account of the XRP Ledger: the classic form (base58check in its own
// alphabet), or the X-address of XLS-5, which carries the destination tag.
func readRipple(w *workspace, text string) reading {
	b := w.decode58(rippleDialect, text)
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
			format: "classic", environment: core.AnyEnvironment, checksum: true, normalized: text,
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
	r.normalized = encodeCheck58(rippleAlphabet, classic[:])
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
