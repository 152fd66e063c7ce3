package banks

// nipKinds are the first three digits of NIP institution codes: 000 commercial, 050 finance
// company, 060 merchant, 070 mortgage, 090 microfinance, 100 mobile-money operator, 110 payment
// processor, 120 payment service bank, 400 other. Source: the NIBSS list as published by apps
// (2025-11).
var nipKinds = map[string]bool{
	"000": true, "050": true, "060": true, "070": true, "090": true, "100": true, "110": true, "120": true, "400": true,
}

// numberedByPhone are the NIP codes of Nigerian institutions that are not wallets but use phone
// numbers without the leading 0 as account numbers. No published source: general knowledge as of
// 2026-11.
var numberedByPhone = map[string]bool{
	"090405": true, // Moniepoint
}

// commonWords occur in so many names that they do not distinguish institutions. Chosen from the
// names of the bank catalog, 2026-11.
var commonWords = map[string]bool{
	"a": true, "and": true, "bank": true, "banque": true, "company": true, "co": true, "cooperative": true, "de": true,
	"des": true, "du": true, "et": true, "finance": true, "for": true, "l": true, "la": true, "le": true, "les": true,
	"limited": true, "loans": true,
	"ltd": true, "mfb": true, "micro": true, "microfinance": true, "money": true, "mobile": true, "mortgage": true,
	"of": true, "payment": true,
	"plc": true, "psb": true, "s": true, "sa": true, "savings": true, "service": true, "services": true, "the": true,
}

// kindWords are abbreviations and misspellings of kinds of institutions. Source: Flutterwave's list
// of Nigeria (github.com/TISWHORDweb/TAAP @d40b4eb, 2024-07) and Paystack's
// (github.com/zuvec00/crypto @07ea534, 2026-03).
var kindWords = map[string]string{
	"mf": "microfinance", "mfb": "microfinancebank", "mfbank": "microfinancebank", "micorfinance": "microfinance",
	"microfinanace": "microfinance", "mircofinance": "microfinance", "psb": "paymentservicebank",
	"mortage": "mortgage", //nolint:misspell // as listed
}

// fillers are the words that do not distinguish whole names: articles, connectives and legal forms.
var fillers = map[string]bool{
	"and": true, "limited": true, "ltd": true, "of": true, "plc": true, "the": true,
}

// latin maps lower-case letters of European and West African Latin alphabets to ASCII letters, and
// typographic quotes and hyphens to ASCII ones. Source: Unicode 16, Latin-1, Latin Extended-A and
// -B, IPA, Latin Extended Additional.
var latin = map[rune]string{
	'à': "a", 'á': "a", 'â': "a", 'ã': "a", 'ä': "a", 'å': "a", 'ā': "a", 'ă': "a", 'ą': "a", 'ǎ': "a", 'ạ': "a",
	'æ': "ae", 'ç': "c", 'ć': "c", 'č': "c", 'ð': "d", 'ď': "d", 'đ': "d", 'ɖ': "d", 'ɗ': "d", 'ɓ': "b",
	'è': "e", 'é': "e", 'ê': "e", 'ë': "e", 'ē': "e", 'ė': "e", 'ę': "e", 'ě': "e", 'ẹ': "e", 'ɛ': "e", 'ẽ': "e",
	'ƒ': "f", 'ğ': "g", 'ģ': "g", 'ɣ': "g", 'ì': "i", 'í': "i", 'î': "i", 'ï': "i", 'ĩ': "i", 'ī': "i", 'į': "i",
	'ı': "i", 'ǐ': "i", 'ị': "i", 'ɩ': "i",
	'ķ': "k", 'ƙ': "k", 'ł': "l", 'ľ': "l", 'ļ': "l", 'ñ': "n", 'ń': "n", 'ň': "n", 'ņ': "n", 'ŋ': "n", 'ɲ': "n", 'ǹ': "n",
	'ò': "o", 'ó': "o", 'ô': "o", 'õ': "o", 'ö': "o", 'ø': "o", 'ō': "o", 'ő': "o", 'ǒ': "o", 'ọ': "o", 'ɔ': "o",
	'œ': "oe",
	'ř': "r", 'ŕ': "r", 'ś': "s", 'ş': "s", 'š': "s", 'ș': "s", 'ṣ': "s", 'ß': "ss", 'ť': "t", 'ţ': "t", 'ț': "t",
	'þ': "th",
	'ù': "u", 'ú': "u", 'û': "u", 'ü': "u", 'ũ': "u", 'ū': "u", 'ů': "u", 'ű': "u", 'ų': "u", 'ǔ': "u", 'ụ': "u", 'ʋ': "v",
	'ŵ': "w", 'ý': "y", 'ÿ': "y", 'ƴ': "y", 'ź': "z", 'ż': "z", 'ž': "z",
	'‘': "'", '’': "'", 'ʼ': "'", '‐': "-", '‑': "-", '–': "-",
}
