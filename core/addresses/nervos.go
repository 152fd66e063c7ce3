package addresses

import "causeway/core"

// readNervos reads the full format of CKB2021, in bech32m beyond its 90 letters: 0, the hash of the
// code, its type and arguments; and the deprecated formats of 2019 in bech32.
func readNervos(w *workspace, text string) reading {
	b := w.decodeBech32(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case !b.has("ckb") && !b.has("ckt"):
		return refused(BadVersion, "")
	}
	data, ok := w.bytesOf(b, 0)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(data) < 22:
		return refused(BadLength, "")
	}
	r := reading{format: nervosFormat(data), environment: core.Mainnet, checksum: true, normalized: b.canonical()}
	if b.has("ckt") {
		r.environment = core.Testnet
	}
	variant := bech32M
	if r.format != "full" {
		variant, r.warnings = bech32Plain, legacyFormat
	}
	switch {
	case r.format == "":
		return refused(BadVersion, "")
	case b.variant != variant:
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
