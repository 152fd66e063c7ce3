package addresses

// readMina reads base58check of three bytes of version, a coordinate of 32 bytes and the parity of
// the other one.
func readMina(w *workspace, text string) reading {
	r := minaKinds.read(w, text)
	if r.reason == "" && w.base58[bitcoinDialect].data[35] > 1 {
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
		return refused(NotPayable, "This names a contract, a name or an oracle of æternity, not an account. Addresses start with ak_.")
	case text[:3] != "ak_":
		return refused(BadVersion, "An address of æternity starts with ak_.")
	}
	r := aeternityKinds.read(w, text[3:])
	if r.reason == "" {
		r.normalized = text
	}
	return r
}
