package addresses

import "causeway/core"

// coin is a chain that kept Bitcoin's formats: base58check and, where it has them, witness
// programs.
type coin struct {
	base58 base58Kinds
	segwit []segwitPrefix
}

// segwitPrefix is a human-readable part of witness programs.
type segwitPrefix struct {
	text        string
	environment core.Environment
}

func (c coin) read(w *workspace, text string) reading {
	for _, p := range c.segwit {
		if len(text) > len(p.text) && text[len(p.text)] == '1' && hasFold(text, p.text) {
			return readWitness(w, text, p)
		}
	}
	r := c.base58.read(w, text)
	if r.reason == BadCharacter && len(c.segwit) > 0 {
		if b := w.decodeBech32(text); b.reason == "" {
			return refused(BadVersion, "")
		}
	}
	return r
}

// readWitness reads a witness program: BIP-173 for version 0, BIP-350 for the others.
func readWitness(w *workspace, text string, p segwitPrefix) reading {
	b := w.decodeBech32(text)
	switch {
	case b.reason != "":
		return mistyped(b.reason)
	case b.prefix != len(p.text):
		return refused(BadVersion, "")
	case len(text) > 90 || b.n < 1:
		return refused(BadLength, "")
	case b.values[0] > 16:
		return refused(BadVersion, "")
	case (b.values[0] == 0) != (b.variant == bech32Plain):
		return refused(BadChecksum, "The checksum is of the wrong kind: witness version 0 has a bech32 checksum, later versions have bech32m. An outdated wallet wrote this.")
	}
	program, ok := w.bytesOf(b, 1)
	if !ok {
		return refused(BadEncoding, "")
	}
	r := reading{environment: p.environment, checksum: true, normalized: b.canonical()}
	r.format, r.warnings = witnessFormat(b.values[0], program)
	if r.format == "" {
		return refused(BadLength, "")
	}
	return r
}

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

// p2pkh and p2sh are the usual kinds of a coin, by their version on the main network.
func p2pkh(prefix string) base58Kind {
	return base58Kind{prefix: prefix, length: 20, format: "p2pkh", environment: core.Mainnet}
}

func p2sh(prefix string) base58Kind {
	return base58Kind{prefix: prefix, length: 20, format: "p2sh", environment: core.Mainnet}
}

// test is the kind on the test networks.
func (k base58Kind) test() base58Kind {
	k.environment = core.Testnet
	return k
}

// old is the kind as an old spelling of the one with another prefix.
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
