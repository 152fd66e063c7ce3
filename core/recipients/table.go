package recipients

import "causeway/core"

// walletsByBankCode are the countries where channel mobile_money looks up an account of any bank by bank code and number, as
// if by bank_transfer, and a wallet's number is its phone number without the leading 0. Source: the published example of
// the interface that we speak (000013, 0123456789, mobile_money), and providers.md D1.
var walletsByBankCode = map[string]bool{"NG": true}

// operator is a wallet operator: the first digits of its national numbers, and the codes in use for it.
type operator struct {
	prefixes []string
	codes    []string // none where a range belongs to somebody without wallets
}

// operators are the prefixes of mobile numbers. They hint and prove nothing: numbers are ported between operators in
// Ghana and Kenya. Source: github:google/libphonenumber, resources/carrier/en, 2026-07; the codes are those of the
// bank catalog and of its sources.
var operators = map[string][]operator{
	"GH": {
		{[]string{"24", "25", "53", "54", "55", "59"}, []string{"MTN"}},
		{[]string{"20", "50"}, []string{"VOD", "VODAFONE", "TELECEL"}},
		{[]string{"23", "26", "27", "56", "57"}, []string{"ATL", "AIRTELTIGO", "AIRTEL"}},
	},
	"KE": {
		{[]string{"70", "71", "72", "74", "757", "758", "759", "768", "769", "79", "11", "14", "18"}, []string{"MPESA", "MPS"}},
		{[]string{"744", "747"}, nil},
		{[]string{"73", "750", "751", "752", "753", "754", "755", "756", "761", "762", "78", "10"}, []string{"AIRTEL", "AIRTEL-KE", "MPX"}},
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

// allChannels are the channels in the order in which they are told.
var allChannels = []core.Channel{core.BankTransfer, core.MobileMoney, core.PayBill, core.Till}
