package addresses

// readTron reads base58check of 0x41 and 20 bytes, the same on every network of TRON.
func readTron(w *workspace, text string) reading {
	if len(text) == 42 && hasFold(text, "41") && isHex(text) {
		return refused(UnsupportedFormat, "This is the form of a TRON account inside the nodes' API. Wallets take the form that starts with T.")
	}
	r := tronKinds.read(w, text)
	if r.warnings&burnAddress != 0 {
		r.warnings = zeroAddress
	}
	return r
}
