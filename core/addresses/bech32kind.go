package addresses

import (
	"strings"

	"causeway/core"
)

// bech32Kind is a kind of address that is bytes in bech32: accounts of the Cosmos family and
// others.
type bech32Kind struct {
	alias       string // optional text before the prefix, such as "X-"
	prefix      string
	variant     uint32 // zero means bech32Plain
	lead        string // the first bytes
	lengths     [2]int // the lengths allowed after lead; a second one marks contracts and the like
	format      string
	environment core.Environment
	warnings    warnings
}

// bech32Kinds are the kinds of one network.
type bech32Kinds []bech32Kind

func (k bech32Kinds) read(w *workspace, text string) reading {
	for i := range k {
		prefix := k[i].alias + k[i].prefix
		if len(text) > len(prefix) && text[len(prefix)] == '1' && strings.HasPrefix(text, k[i].alias) && hasFold(text[len(k[i].alias):], k[i].prefix) {
			return k[i].read(w, text)
		}
	}
	b := w.decodeBech32(text)
	switch {
	case b.reason != "":
		return refused(b.reason, "")
	case k.serves(text[:b.prefix]):
		return refused(NotPayable, "This names a validator or a public key, not an account. Addresses of this network start with "+k[0].prefix+"1.")
	case k[0].alias != "" && strings.EqualFold(text[:b.prefix], k[0].prefix):
		return refused(UnsupportedFormat, "The name of the chain is missing: the address has to start with "+k[0].alias+".")
	}
	return refused(BadVersion, "")
}

// serves reports whether a prefix is one of the network's that are no accounts: cosmosvaloper,
// cosmosvalcons, cosmospub and so on.
func (k bech32Kinds) serves(prefix string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(prefix), k[0].prefix)
	return ok && (strings.HasPrefix(rest, "val") || rest == "pub")
}

func (k *bech32Kind) read(w *workspace, text string) reading {
	b := w.decodeBech32(text[len(k.alias):])
	switch {
	case b.reason != "":
		return mistyped(b.reason)
	case b.prefix != len(k.prefix):
		return refused(BadVersion, "")
	case b.variant != max(k.variant, bech32Plain):
		return refused(BadChecksum, "The checksum is of the wrong kind: bech32 and bech32m were confused.")
	}
	data, ok := w.bytesOf(b, 0)
	switch {
	case !ok:
		return refused(BadEncoding, "")
	case !strings.HasPrefix(string(data), k.lead):
		return refused(BadVersion, "")
	}
	data = data[len(k.lead):]
	if len(data) == 0 || len(data) != k.lengths[0] && len(data) != k.lengths[1] {
		return refused(BadLength, "")
	}
	r := reading{format: k.format, environment: k.environment, checksum: true, normalized: k.canonical(b, text), warnings: k.warnings}
	if len(data) == k.lengths[1] {
		r.warnings |= contractLike
	}
	if zeroed(data) {
		r.warnings |= burnAddress
	}
	return r
}

func (k *bech32Kind) canonical(b *bech32Text, text string) string {
	if b.upper {
		return k.alias + b.canonical()
	}
	return text
}
