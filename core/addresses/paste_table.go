package addresses

import "unicode"

// secretMarks are texts that only private things contain, in upper case; each has a separator in
// it. Sources: CIP-5, AIP-80, ZIP-32, AGE, EOSIO's key formats, PEM.
var secretMarks = [...]string{
	"PRIVATE KEY", "PVT_K1_", "PVT_R1_", "_SK1", "_XSK1", "AGE-SECRET-KEY-",
	"SECRET-EXTENDED-KEY-", "SECRET-SPENDING-KEY-", "-PRIV-",
}

// phraseLengths are how many words a recovery phrase has. Source: BIP-39.
var phraseLengths = [...]int{12, 15, 18, 21, 24}

// secretPrefixes are the beginnings of secrets in base58, with the least number of letters.
// Sources: SLIP-132, BIP-38, Tezos' base58.ml, and the chain parameters of Litecoin, Dogecoin,
// Decred and Kaspa.
var secretPrefixes = [...]struct {
	text  string
	least int
}{
	{"xprv", 90},
	{"yprv", 90},
	{"zprv", 90},
	{"Yprv", 90},
	{"Zprv", 90},
	{"tprv", 90},
	{"uprv", 90},
	{"vprv", 90},
	{"Uprv", 90},
	{"Vprv", 90},
	{"Ltpv", 90},
	{"Mtpv", 90},
	{"ttpv", 90},
	{"dgpv", 90},
	{"tgpv", 90},
	{"dprv", 90},
	{"kprv", 90},
	{"ktrv", 90},
	{"drkp", 90},
	{"6P", 58},
	{"edsk", 50},
	{"spsk", 50},
	{"p2sk", 50},
	{"BLsk", 50},
	{"edesk", 80},
	{"spesk", 80},
	{"p2esk", 80},
	{"BLesk", 80},
}

// nameEndings are the endings of name services: ENS, SNS, Unstoppable, TON DNS, BNS, Space ID and
// their like, 2026-11.
var nameEndings = set(
	"eth", "sol", "crypto", "nft", "x", "wallet", "bitcoin", "dao", "888", "zil", "blockchain", "polygon", "bnb", "arb",
	"ton", "t", "btc", "stx", "id", "algo", "tez", "apt", "sui", "ada", "xrp", "trx", "avax", "bera", "base", "lens",
	"klv", "unstoppable", "go", "hi", "pudgy", "farcaster", "hbar", "xlm", "atom", "osmo", "juno", "stars", "icp",
	"egld", "elrond", "com", "io", "org", "net",
)

// blankNames are the blanks that people know by name.
var blankNames = map[rune]string{' ': "a space", '\n': "a line break", '\r': "a line break", '\t': "a tab"}

// invisible are the characters that show nothing: marks of direction, joiners, fillers, selectors
// of a variant.
var invisible = []*unicode.RangeTable{
	unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
}

// lookAlikes are letters of other scripts and the ASCII letter that they look like in most fonts.
// Source: Unicode TR 39, confusables of the Cyrillic, Greek and Latin scripts, 2026-11.
var lookAlikes = alike(
	"абвгеіјкмнопрсѕтухһԁԛԝъьАВЕЅІЈКМНОРСТУХҺԌԚԜЗ", "a6BreijkmHonpcsTyxhdqwbbABESIJKMHOPCTYXhGQW3",
	"αβγεικνορτυχωΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳ", "aByeikvoptuxwABEZHIKMNOPTYXcj",
	"ıɡɩʟοⅼⅽⅾⅿⅰⅴⅹℓ℮", "igiLolcdmivxle",
)

// alike pairs the letters of a text with the letters of the next text.
func alike(pairs ...string) map[rune]rune {
	m := map[rune]rune{}
	for i := 0; i+1 < len(pairs); i += 2 {
		ascii := []rune(pairs[i+1])
		for j, c := range []rune(pairs[i]) {
			m[c] = ascii[j]
		}
	}
	return m
}

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, word := range words {
		m[word] = true
	}
	return m
}
