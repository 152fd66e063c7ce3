package addresses

import (
	"hash/crc32"

	"causeway/core"
)

// readCardano reads the addresses of CIP-19: Shelley's in bech32 beyond its 90 letters, Byron's in
// base58 of CBOR.
func readCardano(w *workspace, text string) reading {
	b := w.decodeBech32(text)
	switch {
	case b.has("addr"):
		return readShelley(w, b, core.Mainnet)
	case b.has("addr_test"):
		return readShelley(w, b, core.Testnet)
	case b.reason == "" && (b.has("stake") || b.has("stake_test")):
		return refused(NotPayable, "This is a stake address, which collects rewards and cannot receive a payment. Addresses start with addr1.")
	}
	if hasFold(text, "addr") {
		return refused(b.reason, "")
	}
	return readByron(w, text)
}

// readShelley reads a header of four bits of type and four of network, and the credentials.
func readShelley(w *workspace, b *bech32Text, environment core.Environment) reading {
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case b.variant != bech32Plain:
		return refused(BadChecksum, "")
	}
	data, ok := w.bytesOf(b, 0)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case len(data) < 29:
		return refused(BadLength, "")
	case data[0]&15 == 1 != (environment == core.Mainnet) || data[0]&15 > 1:
		return refused(BadVersion, "The network inside this address is not the one of its prefix.")
	}
	r := reading{environment: environment, checksum: true, normalized: b.canonical()}
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

// readByron reads [24(bytes), CRC-32 of the bytes], where the bytes are [28 bytes, attributes,
// type].
func readByron(w *workspace, text string) reading {
	b := w.decode58(bitcoinDialect, text)
	if b.reason != "" {
		return refused(b.reason, "")
	}
	c := cbor{data: b.data[:b.n]}
	c.head(4, 2)
	c.head(6, 24)
	payload := c.bytes(2)
	sum := c.number(0)
	switch {
	case c.failed:
		return refused(BadEncoding, "")
	case len(c.data) != 0:
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
func byronPayload(payload []byte) (core.Environment, bool) {
	c := cbor{data: payload}
	environment := core.Mainnet
	c.head(4, 3)
	if root := c.bytes(2); len(root) != 28 {
		return "", false
	}
	last := uint64(0)
	for range min(2, c.number(5)) {
		key := c.number(0)
		inner := cbor{data: c.bytes(2)}
		if key <= last || key > 2 {
			return "", false
		}
		if last = key; key == 2 {
			environment = core.Testnet
			if inner.number(0); inner.failed || len(inner.data) != 0 {
				return "", false
			}
		}
	}
	kind := c.number(0)
	return environment, !c.failed && len(c.data) == 0 && kind <= 2
}
