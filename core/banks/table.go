package banks

// mostUsed are the NIP codes of Nigeria's most used institutions, the most used first: an order of likelihood for people
// who forgot their bank, nothing else. General knowledge about customer numbers, as of 2026-11; not measured.
var mostUsed = []string{
	"100004", // OPay
	"000014", // Access Bank
	"000015", // Zenith Bank
	"000013", // Guaranty Trust Bank
	"000004", // United Bank for Africa
	"000016", // First Bank of Nigeria
	"090405", // Moniepoint
	"100033", // PalmPay
	"090267", // Kuda
	"000007", // Fidelity Bank
	"000003", // First City Monument Bank
	"000001", // Sterling Bank
	"000017", // Wema Bank
	"000008", // Polaris Bank
	"000018", // Union Bank of Nigeria
	"000010", // Ecobank Nigeria
	"000012", // Stanbic IBTC Bank
	"000002", // Keystone Bank
	"000011", // Unity Bank
	"000006", // Jaiz Bank
	"000023", // Providus Bank
	"000021", // Standard Chartered Bank
}

// commonWords are in so many names that they do not tell institutions apart. Chosen by reading the names of the bank
// catalog, 2026-11.
var commonWords = map[string]bool{
	"a": true, "and": true, "bank": true, "banque": true, "company": true, "co": true, "cooperative": true, "de": true,
	"des": true, "du": true, "et": true, "finance": true, "for": true, "l": true, "la": true, "le": true, "les": true, "limited": true, "loans": true,
	"ltd": true, "mfb": true, "micro": true, "microfinance": true, "money": true, "mobile": true, "mortgage": true, "of": true, "payment": true,
	"plc": true, "psb": true, "s": true, "sa": true, "savings": true, "service": true, "services": true, "the": true,
}

// latin spells the lower-case letters of European and West African Latin alphabets without their marks; typographic
// quotes and hyphens become the typewriter's. Source: Unicode 16, Latin-1, Latin Extended-A and -B, IPA, Latin
// Extended Additional.
var latin = map[rune]string{
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "a", 'å': "a", 'ā': "a", 'ă': "a", 'ą': "a", 'ǎ': "a", 'ạ': "a",
	'æ': "ae", 'ç': "c", 'ć': "c", 'č': "c", 'ð': "d", 'ď': "d", 'đ': "d", 'ɖ': "d", 'ɗ': "d", 'ɓ': "b",
	'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ē': "e", 'ė': "e", 'ę': "e", 'ě': "e", 'ẹ': "e", 'ɛ': "e", 'ẽ': "e",
	'ƒ': "f", 'ğ': "g", 'ģ': "g", 'ɣ': "g", 'ì': "i", 'í': "i", 'î': "i", 'ï': "i", 'ĩ': "i", 'ī': "i", 'į': "i", 'ı': "i", 'ǐ': "i", 'ị': "i", 'ɩ': "i",
	'ķ': "k", 'ƙ': "k", 'ł': "l", 'ľ': "l", 'ļ': "l", 'ñ': "n", 'ń': "n", 'ň': "n", 'ņ': "n", 'ŋ': "n", 'ɲ': "n", 'ǹ': "n",
	'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "o", 'ø': "o", 'ō': "o", 'ő': "o", 'ǒ': "o", 'ọ': "o", 'ɔ': "o", 'œ': "oe",
	'ř': "r", 'ŕ': "r", 'ś': "s", 'ş': "s", 'š': "s", 'ș': "s", 'ṣ': "s", 'ß': "ss", 'ť': "t", 'ţ': "t", 'ț': "t", 'þ': "th",
	'ù': "u", 'ú': "u", 'û': "u", 'ü': "u", 'ũ': "u", 'ū': "u", 'ů': "u", 'ű': "u", 'ų': "u", 'ǔ': "u", 'ụ': "u", 'ʋ': "v",
	'ŵ': "w", 'ý': "y", 'ÿ': "y", 'ƴ': "y", 'ź': "z", 'ż': "z", 'ž': "z",
	'‘': "'", '’': "'", 'ʼ': "'", '‐': "-", '‑': "-", '–': "-",
}
