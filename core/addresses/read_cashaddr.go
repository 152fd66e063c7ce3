package addresses

import (
	"strings"

	"causeway/core"
	"causeway/core/addresses/ascii"
	"causeway/core/addresses/bech32"
	"causeway/core/addresses/cashaddr"
)

// cashPrefix is a prefix of cashaddr. It is separated by a colon and is part of the checksum.
type cashPrefix struct {
	text        string
	environment core.NetworkKind
}

// cashCoin reads the addresses of Bitcoin Cash and eCash: cashaddr, whose prefix may be left out,
// and the old base58.
type cashCoin struct {
	prefixes []cashPrefix
	types    int // how many types of scripts there are: 2, or 4 with the types that can hold tokens
	legacy   base58Kinds
}

// cashFormats are the names of the types of scripts.
func cashFormat(kind int) string {
	switch kind {
	case 0:
		return "p2pkh"
	case 1:
		return "p2sh"
	case 2:
		return "token-p2pkh"
	}
	return "token-p2sh"
}

func (c cashCoin) read(w *workspace, text string) reading {
	hasLower, hasUpper := ascii.Cases(text)
	mixed := hasLower && hasUpper
	prefix, body, named := strings.Cut(text, ":")
	switch {
	case !named && (len(text) < 42 || mixed):
		return c.readLegacy(w, text)
	case mixed:
		return refused(BadCase, "")
	case !named:
		body = text
	}
	reason := BadVersion
	for _, p := range c.prefixes {
		if named && !strings.EqualFold(prefix, p.text) {
			continue
		}
		var data []byte
		if data, reason = cashaddr.Decode(w.bytes[:], p.text, body, &bech32.Values); reason == "" {
			r := c.judge(data)
			if r.reason == "" {
				r.environment, r.normalized = p.environment, canonicalCash(p.text, text, named, hasUpper)
			}
			return r
		}
	}
	return cashFault(reason, named)
}

// cashFault refuses a text, which is plainly the network's where it has the prefix.
func cashFault(reason string, named bool) reading {
	r := mistyped(reason)
	r.own = r.own && named
	return r
}

func (c cashCoin) readLegacy(w *workspace, text string) reading {
	r := c.legacy.read(w, text)
	if r.reason == "" {
		r.normalized = c.modern(&w.base58, &r)
		r.warnings |= legacyFormat
	}
	return r
}

// judge reads a version byte, four bits of type and three of length, and the hash.
func (c cashCoin) judge(data []byte) reading {
	if len(data) < 2 || data[0]&0x80 != 0 || int(data[0]>>3) >= c.types {
		return refused(BadVersion, "")
	}
	kind, sizes := int(data[0]>>3), [8]int{20, 24, 28, 32, 40, 48, 56, 64}
	size := sizes[data[0]&7]
	if len(data)-1 != size || size != 20 && size != 32 {
		return refused(BadLength, "")
	}
	r := reading{format: cashFormat(kind), checksum: true}
	if size == 32 && kind&1 == 0 || kind > 1 {
		r.warnings = unusualFormat
	}
	if zeroed(data[1:]) {
		r.warnings |= burnAddress
	}
	return r
}

func canonicalCash(prefix, text string, named, upper bool) string {
	if upper {
		text = strings.ToLower(text)
	}
	if !named {
		text = prefix + ":" + text
	}
	return text
}

// modern spells an old address as cashaddr.
func (c cashCoin) modern(b *base58Text, r *reading) string {
	prefix := c.prefixes[0].text
	if r.environment == core.Testnet {
		prefix = c.prefixes[1].text
	}
	data := append([]byte{0}, b.payload()[1:]...)
	if r.format == "p2sh" {
		data[0] = 1 << 3
	}
	return cashaddr.Encode(prefix, data)
}

// readKaspa reads an address of Kaspa: the checksum of cashaddr, a mandatory prefix, and a version
// byte that says what follows: a Schnorr key, an ECDSA key or the hash of a script.
func readKaspa(w *workspace, text string) reading {
	prefix, body, _ := strings.Cut(text, ":")
	environment, ok := kaspaPrefixes[prefix]
	_, hasUpper := ascii.Cases(text)
	switch {
	case hasUpper:
		return refused(BadCase, "Addresses of Kaspa are written in lower case.")
	case !ok:
		return refused(BadVersion, "An address of Kaspa starts with kaspa: and cannot do without it.")
	}
	data, reason := cashaddr.Decode(w.bytes[:], prefix, body, &bech32.Values)
	if reason != "" {
		return mistyped(reason)
	}
	kind, ok := kaspaKinds[data[0]]
	switch {
	case !ok:
		return refused(BadVersion, "")
	case len(data) != kind.size:
		return refused(BadLength, "")
	}
	r := reading{format: kind.name, environment: environment, checksum: true, normalized: text}
	if zeroed(data[1:]) {
		r.warnings = burnAddress
	}
	return r
}

// confluxValues are the values of the letters of CIP-37.
var confluxValues = ascii.NewValues("abcdefghjkmnprstuvwxyz0123456789", "")

// readConflux reads an address of Conflux Core Space (CIP-37): a prefix, possibly the kind of the
// account, and base32 in its own alphabet with the checksum of cashaddr.
func readConflux(w *workspace, text string) reading {
	hasLower, hasUpper := ascii.Cases(text)
	if hasLower && hasUpper {
		return refused(BadCase, "")
	}
	text = ascii.ToLower(text)
	prefix, body, _ := strings.Cut(text, ":")
	environment, ok := confluxPrefixes[prefix]
	if !ok {
		return refused(BadVersion, "An address of Conflux starts with cfx:.")
	}
	kind, rest, named := strings.Cut(body, ":")
	if named {
		body = rest
	}
	data, reason := cashaddr.Decode(w.bytes[:], prefix, body, &confluxValues)
	switch {
	case reason != "":
		return refused(reason, "")
	case len(data) != 21:
		return refused(BadLength, "")
	}
	r := reading{environment: environment, checksum: true, normalized: prefix + ":" + body}
	r.format = confluxKinds[data[1]>>4]
	switch {
	case r.format == "" || data[0] != 0:
		return refused(BadVersion, "")
	case named && kind != "type."+r.format:
		return refused(BadEncoding, "The kind of account named in the address is not the one inside it.")
	case r.format != "user":
		r.warnings = contractLike
	}
	return r
}
