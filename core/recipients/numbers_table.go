package recipients

import (
	"regexp"

	"causeway/core"
)

// walletsByBankCode are the countries where channel mobile_money looks up an account of any bank by
// its code, as bank_transfer does, and the number of a wallet is its phone number without the
// leading 0. Source: Busha's published example (000013, 0123456789, mobile_money).
var walletsByBankCode = map[string]bool{"NG": true}

// operator is a wallet operator: the first digits of its national numbers, and the codes in use for
// it.
type operator struct {
	prefixes []string
	codes    []string // none if the operator has no wallets
}

// operators are the operators of each country. Prefixes are a hint only: numbers are ported between
// operators in Ghana and Kenya. Source: github:google/libphonenumber, resources/carrier/en,
// 2026-07; the codes come from the bank catalog and its sources.
var operators = map[string][]operator{
	"GH": {
		{[]string{"24", "25", "53", "54", "55", "59"}, []string{"MTN"}},
		{[]string{"20", "50"}, []string{"VOD", "VODAFONE", "TELECEL"}},
		{[]string{"23", "26", "27", "56", "57"}, []string{"ATL", "AIRTELTIGO", "AIRTEL"}},
	},
	"KE": {
		{
			[]string{"70", "71", "72", "74", "757", "758", "759", "768", "769", "79", "11", "14", "18"},
			[]string{"MPESA", "MPS"},
		},
		{[]string{"744", "747"}, nil},
		{
			[]string{"73", "750", "751", "752", "753", "754", "755", "756", "761", "762", "78", "10"},
			[]string{"AIRTEL", "AIRTEL-KE", "MPX"},
		},
		{[]string{"77", "120"}, []string{"TKASH", "T-KASH", "TELKOM"}},
		{[]string{"763", "764", "765", "766"}, []string{"EQUITEL"}},
	},
	"UG": {
		{[]string{"76", "77", "78", "790", "791", "792", "793", "794", "724"}, []string{"MTN", "MTN-UG"}},
		{[]string{"70", "74", "75", "730", "731", "795"}, []string{"AIRTEL", "AIRTEL-UG"}},
	},
	"TZ": {
		{[]string{"72", "74", "75", "76", "79"}, []string{"MPESA", "VODACOM", "VODACOM-TZS"}},
		{[]string{"65", "67", "70", "71", "77"}, []string{"TIGO", "TIGOPESA", "TIGOPESA-TZS", "MIXX", "YAS"}},
		{[]string{"66", "68", "69", "78"}, []string{"AIRTEL", "AIRTEL-TZ", "AIRTEL-TZS"}},
		{[]string{"61", "62", "63"}, []string{"HALOPESA", "HALOTEL"}},
		{[]string{"73"}, []string{"TTCL", "TPESA", "T-PESA"}},
	},
	"RW": {
		{[]string{"78", "79"}, []string{"MTN", "MTN-RW"}},
		{[]string{"72", "73"}, []string{"AIRTEL", "AIRTEL-RW"}},
	},
	"CI": {
		{[]string{"05"}, []string{"MTN", "MTN-CI"}},
		{[]string{"07"}, []string{"ORANGE", "ORANGE-CI"}},
		{[]string{"01"}, []string{"MOOV", "MOOV-CI"}},
	},
}

// allChannels are the channels in the order in which errors list them.
var allChannels = []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till}

// ribs are the countries where a bank account is a RIB, which has bank, branch and key. Only these
// have IBANs: two letters and two digits before the RIB. Source: IBAN registry.
var ribs = map[string]bool{"CI": true, "SN": true, "CM": true}

// ibanLengths are the lengths of IBANs. IBANs of other countries are not recognised. Source:
// IBAN registry (github:globalcitizen/php-iban registry.txt, 2025-12).
var ibanLengths = map[string]int{
	"BJ": 28, "CI": 28, "CM": 27, "DE": 22, "EG": 29, "FR": 27, "GB": 22,
	"ML": 28, "MR": 27, "MU": 30, "NE": 28, "SN": 28, "TG": 28, "TN": 24,
}

var ibanForm = regexp.MustCompile(`^[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}$`)

// bankKey is an institution by its country and own code.
type bankKey struct{ country, code string }

// usualLengths are the lengths of a bank's account numbers where the country allows more. Source:
// general knowledge of 2026-10, not verified, so they only cause a warning.
var usualLengths = map[bankKey]struct{ min, max int }{
	{"KE", "01"}:     {10, 10}, // KCB
	{"KE", "68"}:     {13, 13}, // Equity
	{"KE", "11"}:     {14, 14}, // Co-operative
	{"ZA", "632005"}: {8, 10},  // Absa
	{"ZA", "470010"}: {10, 10}, // Capitec
	{"ZA", "250655"}: {11, 11}, // First National
	{"ZA", "198765"}: {10, 11}, // Nedbank
	{"ZA", "051001"}: {9, 11},  // Standard
	{"ZA", "679000"}: {11, 11}, // Discovery
	{"ZA", "678910"}: {11, 11}, // Tyme
}
