package addresses

import "strings"

// The forms that single networks give their secrets.

// isSolanaPair knows key pairs of Solana by their size. A signature looks the same, and is taken
// for one; an account that was pasted twice is not.
func isSolanaPair(w *workspace, token string) bool {
	b := w.decode58(bitcoinDialect, token)
	return b.reason == "" && b.n == 64 && token[:len(token)/2] != token[len(token)/2:]
}

// isStellarSeed knows the shape of SEP-23 seeds.
func isStellarSeed(token string) bool { return token[0] == 'S' && allIn(token, &base32Values) }

// isRippleSeed knows family seeds (s…) and ed25519 seeds (sEd…) of the XRP Ledger.
func isRippleSeed(w *workspace, token string) bool {
	if token[0] != 's' || !allIn(token, &base58Values[rippleDialect]) {
		return false
	}
	if strings.HasPrefix(token, "sEd") {
		return true
	}
	if b := w.decode58(rippleDialect, token); b.reason == "" && b.checked() && b.data[0] == 0x21 {
		return true
	}
	hasLower, hasUpper := cases(token)
	return hasLower && hasUpper && strings.ContainsAny(token, "123456789")
}

// isWalletImport knows private keys in wallet import format, of any coin where the checksum is
// good, and by their shape where it is not, and those of Mina.
func isWalletImport(w *workspace, token string) bool {
	if !allIn(token, &base58Values[bitcoinDialect]) {
		return false
	}
	switch {
	case len(token) == 51 && token[0] == '5', len(token) == 52 && (token[0] == 'K' || token[0] == 'L'), strings.HasPrefix(token, "EK"):
		return true
	}
	b := w.decode58(bitcoinDialect, token)
	payload := b.payload()
	return b.reason == "" && b.checked() && (len(payload) == 33 || len(payload) == 34 && payload[33] == 1)
}

func allIn(text string, values *[256]int8) bool {
	for i := range len(text) {
		if values[text[i]] < 0 {
			return false
		}
	}
	return true
}
