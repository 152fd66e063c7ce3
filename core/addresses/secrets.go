package addresses

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"causeway/core/addresses/ascii"
	"causeway/core/addresses/base32"
	"causeway/core/addresses/base58"
)

// hexKeys says whether 64 hexadecimal digits may be a private key on a network.
type hexKeys uint8

const (
	allKeys      hexKeys = iota // with 0x in front and without
	prefixedKeys                // with 0x only: the network itself writes the digits without
	noKeys                      // the network itself writes such digits, which therefore prove nothing
	sureKeys                    // only forms that no public text has: signatures have 64 bytes too
)

// maxSearched is how many bytes of a text are searched for a secret.
const maxSearched = 2048

// Secret reports whether a text looks like a private key, a seed or a recovery phrase, or contains
// one. Call it before repeating text from a client. 64 hexadecimal digits count, with or without
// 0x, and so do six words of letters, which is right for a text that should be a code and too
// strict for prose.
func Secret(text string) bool { return isSecret(text, someWords) }

// SecretInProse is Secret for a text that may be a sentence or a name of several words. Only
// complete recovery phrases count.
func SecretInProse(text string) bool { return isSecret(text, wholePhrase) }

func isSecret(text string, words int) bool {
	if len(text) < leastSecret {
		return false
	}
	w := borrowWorkspace()
	defer w.giveBack()
	return holdsSecret(w, text, allKeys, words)
}

// shownMemo is a memo as the verdict repeats it, and whether it surely is or contains a secret.
// What may be one is masked: a memo may be prose, so that only as many words as a whole recovery
// phrase has count, and on a network with memos 64 hexadecimal digits may also be the hash of a
// transaction.
func (n *network) shownMemo(w *workspace, memo *string) (shown *string, sure bool) {
	keys := allKeys
	if n.memo.Supported {
		keys = noKeys
	}
	if memo == nil || !holdsSecret(w, *memo, keys, wholePhrase) {
		return memo, false
	}
	hidden := masked
	return &hidden, isWholePhrase(*memo) || holdsSecret(w, *memo, sureKeys, noPhrase)
}

// memoSecret is said of a memo that surely is or contains a secret.
const memoSecret = "The memo is, or contains, a private key, seed or recovery phrase by its form. Whoever pays with " +
	"it publishes it, and whoever has it controls the money: leave it out, never send it to anybody, and move the " +
	"funds if it was shown."

// hexKeys is what 64 hexadecimal digits prove in a text that is no address of the network: in one
// too long for any address they are none.
func (n *network) hexKeys(text string) hexKeys {
	if len(text) > maxBytes {
		return allKeys
	}
	return n.keys
}

// masked replaces a secret.
const masked = "****"

// leastSecret is the length in bytes from which a text can be a secret.
const leastSecret = 16

// leastDoubled is the length of the shortest secret that is recognized when it is repeated twice in
// a row.
const leastDoubled = 28

// holdsSecret reports whether a text that is no address is, or contains, something that looks like
// a private key, a seed or a recovery phrase. A broken checksum does not make a key harmless, so
// shapes are enough. keys says what 64 hexadecimal digits prove, words how many words and nothing
// else are a phrase.
func holdsSecret(w *workspace, text string, keys hexKeys, words int) bool {
	if len(text) > maxSearched {
		text = strings.ToValidUTF8(text[:maxSearched], "")
	}
	text = strings.TrimSpace(text)
	if len(text) < leastSecret {
		return false
	}
	seen := kindsIn(text)
	if seen&foreignByte != 0 {
		text = narrowed(text)
	}
	switch {
	case isJoinedPhrase(text, seen, words):
		return true
	case seen&(blankByte|foreignByte|listByte) != 0 && isPhrase(text, words):
		return true
	case text[0] == '[' && isKeyArray(text), seen&(blankByte|markByte) != 0 && hasSecretMark(text):
		return true
	case seen&(blankByte|foreignByte) == 0:
		return hasSecretToken(w, text, keys)
	}
	return hasSecretToken(w, asASCII(text, true), keys) || hasSecretToken(w, asASCII(text, false), keys)
}

// asASCII drops invisible characters and, if asked to, spaces; a look-alike letter becomes "A",
// which keeps the length that gives a key away.
func asASCII(text string, joined bool) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c > ' ' && c < 0x7f:
			return c
		case unicode.IsSpace(c):
			if joined {
				return -1
			}
			return ' '
		case unicode.IsControl(c) || unicode.Is(unicode.Cf, c):
			return -1
		case c >= 0x80:
			return 'A'
		}
		return c
	}, text)
}

// isKeyArray reports a list of many numbers, the way in which Solana's tools write a key pair.
func isKeyArray(text string) bool {
	return strings.Count(text, ",") >= 31
}

func hasSecretMark(text string) bool {
	for _, mark := range secretMarks {
		if indexFold(text, mark) >= 0 {
			return true
		}
	}
	return false
}

// indexFold finds an upper-case mark in a text, whatever the case of its letters.
func indexFold(text, mark string) int {
	for i := 0; i+len(mark) <= len(text); i++ {
		if text[i]|0x20 == mark[0]|0x20 && strings.EqualFold(text[i:i+len(mark)], mark) {
			return i
		}
	}
	return -1
}

// hasSecretToken looks at every run of letters and digits.
func hasSecretToken(w *workspace, text string, keys hexKeys) bool {
	for start := 0; start < len(text); {
		end := start
		for end < len(text) && ascii.IsAlphanumeric(text[end]) {
			end++
		}
		token := text[start:end]
		if isSecretToken(w, token, keys) || isDoubled(token) && isSecretToken(w, token[:len(token)/2], keys) {
			return true
		}
		start = end + 1
	}
	return false
}

// isDoubled reports a text twice in a row.
func isDoubled(token string) bool {
	half := len(token) / 2
	return half >= leastDoubled && token[:half] == token[half:]
}

func isSecretToken(w *workspace, token string, keys hexKeys) bool {
	size := len(token)
	if size >= 64 {
		if digits, prefixed := cutHexPrefix(token); ascii.IsHex(digits) {
			return isSecretHex(digits, keys == allKeys || keys == prefixedKeys && prefixed, keys != sureKeys)
		}
	}
	switch size {
	case 28, 29, 30, 31:
		return isRippleSeed(w, token)
	case 56:
		return isStellarSeed(token) || hasSecretPrefix(token)
	case 51, 52:
		return isWalletImport(w, token)
	case 87, 88:
		return keys != sureKeys && isSolanaPair(w, token)
	}
	return size >= 50 && hasSecretPrefix(token)
}

// cutHexPrefix drops the 0x in front of hexadecimal digits.
func cutHexPrefix(text string) (digits string, prefixed bool) {
	if ascii.HasPrefixFold(text, "0x") {
		return text[2:], true
	}
	return text, false
}

// isPrefixedHash reports 0x and 64 hexadecimal digits. A network whose addresses are such accepts
// them, so that one that refused them has been given a private key, or an address of another
// network.
func isPrefixedHash(text string) bool {
	digits, prefixed := cutHexPrefix(text)
	return prefixed && isHash(digits)
}

func hasSecretPrefix(token string) bool {
	for _, mark := range [...]string{"nsec1", "xprv1", "suiprivkey1"} {
		if ascii.HasPrefixFold(token, mark) {
			return true
		}
	}
	for _, p := range secretPrefixes {
		if strings.HasPrefix(token, p.text) && len(token) >= p.least && base58.Bitcoin.Contains(token) {
			return true
		}
	}
	return false
}

// isSecretHex knows keys of 32 bytes, key pairs of 64, and the DER of a key that Hedera's wallets
// show. proof and pairs say whether the first two forms count.
func isSecretHex(digits string, proof, pairs bool) bool {
	switch len(digits) {
	case 64:
		return proof
	case 128:
		return pairs && (digits[:64] != digits[64:] || proof) // or an account pasted twice
	case 96, 100:
		return strings.HasPrefix(digits, "302e") || strings.HasPrefix(digits, "3030")
	}
	return ascii.HasPrefixFold(digits, "7b2254797065223a") // {"Type": of a Filecoin wallet
}

// The forms that single networks give their secrets.

// isSolanaPair knows key pairs of Solana by their size. A signature looks the same, and is taken
// for one; an account that was pasted twice is not.
func isSolanaPair(w *workspace, token string) bool {
	b := w.decode58(token)
	return b.reason == "" && len(b.data) == 64 && token[:len(token)/2] != token[len(token)/2:]
}

// isStellarSeed knows the shape of SEP-23 seeds.
func isStellarSeed(token string) bool { return token[0] == 'S' && base32.Upper.Contains(token) }

// isRippleSeed knows family seeds (s…) and ed25519 seeds (sEd…) of the XRP Ledger.
func isRippleSeed(w *workspace, token string) bool {
	if token[0] != 's' || !base58.Ripple.Contains(token) {
		return false
	}
	if strings.HasPrefix(token, "sEd") {
		return true
	}
	if b := w.decodeRipple(token); b.reason == "" && b.checked() && b.data[0] == 0x21 {
		return true
	}
	hasLower, hasUpper := ascii.Cases(token)
	return hasLower && hasUpper && strings.ContainsAny(token, "123456789")
}

// isWalletImport reports a private key in wallet import format: of any coin if the checksum is
// good, by its shape if the checksum is wrong. Mina's private keys count too.
func isWalletImport(w *workspace, token string) bool {
	if !base58.Bitcoin.Contains(token) {
		return false
	}
	switch {
	case len(token) == 51 && token[0] == '5', len(token) == 52 && (token[0] == 'K' || token[0] == 'L'),
		strings.HasPrefix(token, "EK"):
		return true
	}
	b := w.decode58(token)
	payload := b.payload()
	return b.reason == "" && b.checked() && (len(payload) == 33 || len(payload) == 34 && payload[33] == 1)
}

// How many words are a recovery phrase.
const (
	someWords   = 6  // enough of a phrase to be guarded, if the text has no other words
	wholePhrase = 12 // the shortest that wallets make
	strayShare  = 4  // a whole one may stand among others: numbers, and one stray word for each four

	noPhrase = math.MaxInt // no number of words is one
)

// isPhrase reports a recovery phrase, or enough of one: so many words of letters and nothing else,
// or a whole phrase among few strays.
func isPhrase(text string, enough int) bool {
	words, strays, alone := 0, 0, true
	separates := func(c rune) bool { return unicode.IsSpace(c) || c == ',' || c == ';' }
	for token := range strings.FieldsFuncSeq(text, separates) {
		word := strings.TrimFunc(token, func(c rune) bool { return !isLetter(c) })
		alone = alone && len(word) == len(token)
		switch {
		case isWord(word):
			words++
		case word != "":
			strays++
		}
	}
	return words >= enough && strays == 0 && alone || words >= max(enough, wholePhrase) && strays*strayShare <= words
}

// isWholePhrase reports a text that has as many words as wallets put into a phrase, each as long as
// words of the recovery-phrase lists, optionally numbered. Prose of twelve words or more usually
// has a shorter or a longer word. Source: BIP-39.
func isWholePhrase(text string) bool {
	words, numbers := 0, 0
	for token := range strings.FieldsFuncSeq(text, func(c rune) bool { return !isLetter(c) && !unicode.IsDigit(c) }) {
		size := utf8.RuneCountInString(token)
		switch {
		case !strings.ContainsFunc(token, isLetter):
			numbers++
		case size < 3 || size > 8 || strings.ContainsFunc(token, unicode.IsDigit):
			return false
		default:
			words++
		}
	}
	return slices.Contains(phraseLengths[:], words) && (numbers == 0 || numbers == words)
}

// isWord reports what may be in a list of words. Words of one or two letters are in none of them,
// and in nearly every sentence.
func isWord(word string) bool {
	return len(word) >= 3 && len(word) <= 36 && !strings.ContainsFunc(word, func(c rune) bool { return !isLetter(c) })
}

func isLetter(c rune) bool { return unicode.IsLetter(c) || unicode.IsMark(c) }

// isJoinedPhrase reports words that one and the same sign joins, as in legal-winner-thank, and
// nothing else. seen is what kindsIn says.
func isJoinedPhrase(text string, seen byte, enough int) bool {
	if seen&(markByte|joinByte) == 0 {
		return false
	}
	at := strings.IndexFunc(text, func(c rune) bool { return !isLetter(c) })
	if at < 0 || text[at] <= ' ' || text[at] >= 0x7f || ascii.IsAlphanumeric(text[at]) {
		return false
	}
	words := 0
	for word := range strings.SplitSeq(text, text[at:at+1]) {
		if !isWord(word) {
			return false
		}
		words++
	}
	return words >= enough
}
