package addresses

import "causeway/core"

// litecoin is a coin with stealth addresses of the MimbleWimble extension block beside the usual
// ones: a zero, then two public keys of 33 bytes, in plain bech32 beyond its 90 letters.
type litecoin struct{ coin }

func (l litecoin) read(w *workspace, text string) reading {
	switch {
	case hasFold(text, "ltcmweb1"):
		return readMWEB(w, text, "ltcmweb", core.Mainnet)
	case hasFold(text, "tmweb1"):
		return readMWEB(w, text, "tmweb", core.Testnet)
	}
	return l.coin.read(w, text)
}

func readMWEB(w *workspace, text, prefix string, environment core.Environment) reading {
	b := w.decodeBech32(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case !b.has(prefix) || b.n < 1 || b.values[0] != 0:
		return refused(BadVersion, "")
	case b.variant != bech32Plain:
		return refused(BadChecksum, "")
	}
	keys, ok := w.bytesOf(b, 1)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(keys) != 66 || !compressedKey(keys[:33]) || !compressedKey(keys[33:]):
		return refused(BadLength, "")
	}
	return reading{
		format: "mweb", environment: environment, checksum: true, normalized: b.canonical(), warnings: shieldedAddress,
	}
}

// compressedKey reports whether data has the form of a compressed public key. Whether it is a point
// of the curve is not asked.
func compressedKey(data []byte) bool { return len(data) == 33 && (data[0] == 2 || data[0] == 3) }
