package addresses

import "strings"

// readKaspa reads an address of Kaspa: the checksum of cashaddr, a mandatory prefix, and a version
// byte that says what follows: a Schnorr key, an ECDSA key or the hash of a script.
func readKaspa(w *workspace, text string) reading {
	prefix, body, _ := strings.Cut(text, ":")
	environment, ok := kaspaPrefixes[prefix]
	_, hasUpper := cases(text)
	switch {
	case hasUpper:
		return refused(BadCase, "Addresses of Kaspa are written in lower case.")
	case !ok:
		return refused(BadVersion, "An address of Kaspa starts with kaspa: and cannot do without it.")
	}
	data, reason := w.decodeCash(prefix, body, &bech32Values)
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
