package simulator

import "causeway/core"

// The magic institutions: one bank and one wallet operator per country. What is asked about an account
// there is decided by the last three digits of its number.
const (
	MagicBank   = "001"
	MagicWallet = "SIM"
)

// accountProviders are those who know the magic institutions by their codes: all that ask by a code.
var accountProviders = []string{"afriex", "busha", "flutterwave", "korapay", "monnify", "paystack"}

// Outcome is what a provider does when it is asked about an account.
type Outcome string

// The outcomes. All but the first four are faults of the provider and say nothing about the account.
const (
	Found         Outcome = "found"
	Unknown       Outcome = "unknown"        // no such account
	Closed        Outcome = "closed"         // it was an account once
	Dormant       Outcome = "dormant"        // an account that takes no money
	Slow          Outcome = "slow"           // found, after Delay
	Truncated     Outcome = "truncated"      // the connection ends in the middle of the answer
	WrongPage     Outcome = "html"           // a page for people, with status 200
	Throttled     Outcome = "throttled"      // too many requests
	Failed        Outcome = "first_fails"    // the provider's own error
	Down          Outcome = "all_down"       // every provider is out of order
	Hanging       Outcome = "hang"           // no answer, ever, from any provider
	Reset         Outcome = "reset"          // handled, then the connection breaks
	RenamedSecond Outcome = "renamed_second" // found; the second provider asked names somebody else
)

// MagicAccount is a row of the table of magic account numbers. What it does can be had of every other account too, by its name.
type MagicAccount struct {
	Suffix   string // the last three digits
	Scenario string // the name of the outcome, as in Sim-Scenario
	Title    string // what happens, for people
	Outcome  Outcome
	Named    bool   // whether Name is the holder's name; else it is made up from the number
	Name     string // empty on purpose in one row
	Error    string // name of the error that a client gets where a second provider can be asked; empty: the holder's name
}

// magicAccounts is the table. It is in the order of the suffixes.
var magicAccounts = []MagicAccount{
	{Suffix: "200", Scenario: "found", Title: "found", Outcome: Found},
	{Suffix: "202", Scenario: "slow", Title: "found, after 2.5 seconds", Outcome: Slow},
	{Suffix: "206", Scenario: "truncated", Title: "the first provider's answer is cut off in the middle", Outcome: Truncated},
	{Suffix: "207", Scenario: "html", Title: "the first provider answers an HTML page with status 200", Outcome: WrongPage},
	{Suffix: "300", Scenario: "renamed_second", Title: "found; the second provider would name somebody else", Outcome: RenamedSecond},
	{Suffix: "301", Scenario: "long_name", Title: "a name of 80 characters", Outcome: Found, Named: true, Name: "TEST OLUWASEUNFUNMI ADEBIMPE ABIODUN-OKONKWO NWACHUKWU EZEUGWU OGUNDIPE-OYEKANMI"},
	{Suffix: "302", Scenario: "accented_name", Title: "a name with diacritics", Outcome: Found, Named: true, Name: "TEST ỌLÁDÉJÌ KÙ́FỌ́RÌJÌ HÉLÈNE ÇAĞLA"},
	{Suffix: "303", Scenario: "apostrophe_name", Title: "a name with an apostrophe", Outcome: Found, Named: true, Name: "TEST N'GUESSAN D'ALMEIDA"},
	{Suffix: "304", Scenario: "company_name", Title: "a company", Outcome: Found, Named: true, Name: "TEST OKAFOR & SONS TRADING CO. (NIG) LTD"},
	{Suffix: "305", Scenario: "joint_name", Title: "a joint account", Outcome: Found, Named: true, Name: "TEST OKAFOR CHIDI / TEST OKAFOR AMAKA"},
	{Suffix: "306", Scenario: "single_name", Title: "a single name", Outcome: Found, Named: true, Name: "TESTPERSON"},
	{Suffix: "307", Scenario: "padded_name", Title: "a name padded with spaces", Outcome: Found, Named: true, Name: "  TEST   OKAFOR  0192 "},
	{Suffix: "308", Scenario: "mixed_case_name", Title: "a name in mixed case", Outcome: Found, Named: true, Name: "Test okaFOR McTest"},
	{Suffix: "309", Scenario: "empty_name", Title: "an empty name", Outcome: Found, Named: true, Name: "", Error: "service_unavailable"},
	{Suffix: "404", Scenario: "unknown", Title: "no such account", Outcome: Unknown, Error: "not_found"},
	{Suffix: "409", Scenario: "closed", Title: "the account is closed", Outcome: Closed, Error: "not_found"},
	{Suffix: "429", Scenario: "throttled", Title: "the first provider is throttled", Outcome: Throttled},
	{Suffix: "500", Scenario: "first_fails", Title: "the first provider fails", Outcome: Failed},
	{Suffix: "503", Scenario: "all_down", Title: "all providers are down", Outcome: Down, Error: "service_unavailable"},
	{Suffix: "504", Scenario: "hang", Title: "no provider answers", Outcome: Hanging, Error: "service_unavailable"},
	{Suffix: "555", Scenario: "reset", Title: "the first provider handles the question, then the connection breaks", Outcome: Reset},
}

// examples are accounts that documents quote: they are found in every world.
var examples = []struct{ country, code, number string }{
	{"NG", "000013", "0123456789"},
}

// Out of a hundred accounts at real banks so many are unknown and dormant; the rest are found.
const (
	unknownPerCent = 5
	dormantPerCent = 3
)

// surnames by country. With TEST before and a number after, nobody can take them for a person.
var surnames = map[string][]string{
	"NG": {
		"OKAFOR", "ADEYEMI", "BELLO", "EZE", "IBRAHIM", "OGUNLEYE", "NWOSU", "DANJUMA", "BALOGUN", "EFFIONG",
		"ABUBAKAR", "OKONKWO", "FALANA", "UDOH", "SANI", "AKPAN", "OYELARAN", "LAWAL", "CHUKWU", "ETIM",
	},
	"GH": {
		"MENSAH", "OWUSU", "BOATENG", "ADJEI", "ASANTE", "AGYEMAN", "ANSAH", "TETTEH", "QUAYE", "DARKO",
		"OFORI", "AMOAH", "NKRUMAH", "ABDULAI", "SARPONG", "LARTEY",
	},
	"KE": {"OTIENO", "WANJIKU", "KAMAU", "MUTUA", "CHEBET", "NJOROGE", "AKINYI", "KIPTOO", "MWANGI", "HASSAN"},
	"ZA": {"DLAMINI", "NKOSI", "NAIDOO", "VAN WYK", "MOKOENA", "KHUMALO", "BOTHA", "MAHLANGU", "PILLAY", "SITHOLE"},
	"UG": {"OKELLO", "NAMUKASA", "MUSOKE", "AKELLO", "SSEMAKULA", "BYARUHANGA", "NANTONGO", "OPIO"},
	"TZ": {"MUSHI", "JUMA", "MASSAWE", "KIMARO", "SALUM", "LYIMO", "MWAKASEGE", "NGOWI"},
	"RW": {"UWIMANA", "HABIMANA", "MUKAMANA", "NIYONZIMA", "UWASE", "MUGISHA", "INGABIRE", "NSENGIMANA"},
	"CI": {"KOUASSI", "TRAORE", "KONE", "YAO", "BAMBA", "COULIBALY", "DIABATE", "KOFFI"},
	"SN": {"DIOP", "NDIAYE", "FALL", "SARR", "GUEYE", "FAYE", "SOW", "CISSE"},
	"CM": {"MBARGA", "NGONO", "TCHOUPO", "FOTSO", "ETOUNDI", "KAMGA", "NKENG", "BIYONG"},
}

// anySurnames serves the countries that surnames does not know.
var anySurnames = []string{"ACCOUNT", "HOLDER", "PERSON", "CUSTOMER", "PAYEE", "NOBODY"}

// callingCodes of the countries, so that one phone number in several notations is one account.
var callingCodes = map[string]string{
	"NG": "234", "GH": "233", "KE": "254", "ZA": "27", "CI": "225",
	"UG": "256", "TZ": "255", "RW": "250", "SN": "221", "CM": "237",
}

// walletChannels are those of the magic wallet where it has more than mobile money: Nigeria's wallets have a bank code and
// an account number, so that bank transfers reach them too.
var walletChannels = map[string][]core.Channel{"NG": {core.BankTransfer, core.MobileMoney}}
