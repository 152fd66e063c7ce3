package addresses

// readZilliqa reads the bech32 form. The 0x form of accounts is a form that ordinary wallets do not
// pay to.
func readZilliqa(w *workspace, text string) reading {
	if w.decodeHex(text).reason == "" {
		return refused(UnsupportedFormat, "This is the hexadecimal form of an account. Wallets of Zilliqa take the form that starts with zil1.")
	}
	return zilliqaKinds.read(w, text)
}

// orEVM reads an account that has a bech32 form beside its 0x form.
type orEVM struct{ bech32 bech32Kinds }

func (o orEVM) read(w *workspace, text string) reading {
	if len(text) > 1 && lower(text[1]) == 'x' && text[0] == '0' {
		return evm{}.read(w, text)
	}
	return o.bech32.read(w, text)
}
