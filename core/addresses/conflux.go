package addresses

import "strings"

// readConflux reads an address of Conflux Core Space (CIP-37): a prefix, possibly the kind of the
// account, and base32 in its own alphabet with the checksum of cashaddr.
func readConflux(w *workspace, text string) reading {
	hasLower, hasUpper := cases(text)
	if hasLower && hasUpper {
		return refused(BadCase, "")
	}
	text = lowered(text)
	prefix, body, _ := strings.Cut(text, ":")
	environment, ok := confluxPrefixes[prefix]
	if !ok {
		return refused(BadVersion, "An address of Conflux starts with cfx:.")
	}
	kind, rest, named := strings.Cut(body, ":")
	if named {
		body = rest
	}
	data, reason := w.decodeCash(prefix, body, &confluxValues)
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
