package names

import "strings"

// plainLetters maps Latin letters to their spelling without marks. Source: Unicode 14,
// compatibility decomposition of Latin-1, Latin Extended-A, -B and Additional, IPA and the
// presentation forms. Letters that do not decompose (ɔ, ɛ, ŋ, ɗ, ø, ß), among them letters of Twi,
// Ewe, Hausa, Fula and Dyula, have the spelling that is usual on a keyboard without them.
var plainLetters = spelled(map[string]string{
	"a":   "ªàáâãäåāăąǎǟǡǻȁȃȧɑḁẚạảấầẩẫậắằẳẵặ",
	"ae":  "æǣǽ",
	"b":   "ƀɓḃḅḇ",
	"c":   "çćĉċčƈȼḉ",
	"d":   "ðďđɖɗḋḍḏḑḓ",
	"dz":  "ǆǳ",
	"e":   "èéêëēĕėęěǝȅȇȩɇəɛḕḗḙḛḝẹẻẽếềểễệ",
	"f":   "ƒḟ",
	"ff":  "ﬀ",
	"ffi": "ﬃ",
	"ffl": "ﬄ",
	"fi":  "ﬁ",
	"fl":  "ﬂ",
	"g":   "ĝğġģǥǧǵɠɣḡ",
	"h":   "ĥħȟɦḣḥḧḩḫẖ",
	"i":   "ìíîïĩīĭįıǐȉȋɨɩḭḯỉị",
	"ij":  "ĳ",
	"j":   "ĵǰɉ",
	"k":   "ķĸƙǩḱḳḵ",
	"l":   "ĺļľłƚɫḷḹḻḽ",
	"lj":  "ǉ",
	"m":   "ɱḿṁṃ",
	"n":   "ñńņňŉŋǹɲṅṇṉṋ",
	"nj":  "ǌ",
	"o":   "ºòóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱɔɵṍṏṑṓọỏốồổỗộớờởỡợ",
	"oe":  "œ",
	"p":   "ƥṕṗ",
	"r":   "ŕŗřȑȓɍṙṛṝṟ",
	"s":   "śŝşšſșṡṣṥṧṩẛ",
	"ss":  "ß",
	"st":  "ﬅﬆ",
	"t":   "ţťŧƭțʈṫṭṯṱẗ",
	"th":  "þ",
	"u":   "ùúûüũūŭůűųưǔǖǘǚǜȕȗʉʊṳṵṷṹṻụủứừửữự",
	"v":   "ʋṽṿ",
	"w":   "ŵẁẃẅẇẉẘ",
	"x":   "ẋẍ",
	"y":   "ýÿŷƴȳɏẏẙỳỵỷỹ",
	"z":   "źżžƶẑẓẕ",
})

// spelled inverts a table of letters by spelling.
func spelled(bySpelling map[string]string) map[rune]string {
	out := make(map[rune]string, 512)
	for spelling, letters := range bySpelling {
		for _, letter := range letters {
			out[letter] = spelling
		}
	}
	return out
}

// conjunctions are the words between two holders of an account.
var conjunctions = set("and et or ou")

// particles are words that many names share, so that an equal one proves little.
var particles = set("abd abdel abdul abu al ben bin bint binti da de del den der di do dos du el ibn la le mac " +
	"of ole ould st the ul van von wa")

// ambiguousForms are legal forms that are surnames or initials too. They are not in meanings.
var ambiguousForms = set("sa cc")

// meanings are the words that do not distinguish people by themselves, and the trades.
//
// Titles that are given names in these countries are left out on purpose: PRINCE, PRINCESS,
// JUSTICE, BISHOP, KING, QUEEN, MAJOR, MASTER, LADY, DAME, NANA, EL HADJ, CHEIKH, SERIGNE. So are M
// (an initial more often than Monsieur) and SR for sister. Source: spellings of Nigerian and other
// banks; the legal forms of OHADA (SARL, SAS, SUARL), Nigeria (LTD, PLC, GTE), South Africa (PTY)
// and common foreign ones.
var meanings = meant([]meaningRow{
	{ofTitle, male, "mr/mister monsieur sir alhaji/alh/alhadji otunba"},
	{ofTitle, female, "mrs miss ms madame/mme/madam mademoiselle/mlle hajia/hajiya/alhaja"},
	{ofTitle, 0, "dr/doctor/docteur prof/professor/professeur engr/engineer barr/barrister arc esq/esquire chief"},
	{ofTitle, 0, "mallam/malam hon/honourable/honorable"},
	{ofTitle, 0, "rev/revd/reverend pastor/pst evang/evangelist apostle hrh hrm me capt mstr"},
	{ofForm, 0, "limited/ltd/ltee plc inc/incorporated llc llp corporation/corp sarl/sarlu/suarl sas/sasu gmbh"},
	{ofFiller, 0, "company/co/coy/cie/compagnie nigeria/nig pty gte"},
	{ofTrade, 0, "enterprises/enterprise/ent/entp ventures/venture/vent trading/traders stores/store global"},
	{ofTrade, 0, "services/service/serv/svcs international/intl investments/investment/inv industries/industry/ind"},
	{ofTrade, 0, "holdings/holding group/grp/groupe resources/resource consulting/consult/consultants/consultancy"},
	{ofTrade, 0, "concepts/concept solutions/solution technologies/technology/tech logistics"},
	{ofTrade, 0, "farms/farm projects/project agencies/agency etablissements/ets"},
	{ofGeneration, 0, "jr/jnr/junior sr/snr/senior ii iii iv"},
})

// meaningRow lists words of one role. Slashes separate spellings of one word, the first of which is
// compared.
type meaningRow struct {
	role  role
	sex   sex
	words string
}

func meant(rows []meaningRow) map[string]meaning {
	out := make(map[string]meaning, 256)
	for _, row := range rows {
		for spellings := range strings.FieldsSeq(row.words) {
			as, _, _ := strings.Cut(spellings, "/")
			for spelling := range strings.SplitSeq(spellings, "/") {
				out[spelling] = meaning{as: as, role: row.role, sex: row.sex}
			}
		}
	}
	return out
}

func set(words string) map[string]bool {
	out := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}
