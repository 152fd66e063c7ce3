package recipients

import "causeway/core"

// The orders in which providers are asked where an operator has set none. Source: providers.md, section 0: Paystack first where it
// answers (free, one simple question), Afriex for wallets outside Nigeria; Busha, whose interface we speak, comes last.
var (
	nigerian = []string{"paystack", "flutterwave", "monnify", "korapay", "afriex", "busha"}
	ghanaian = []string{"paystack", "afriex", "korapay", "busha"}
	wallets  = []string{"afriex", "korapay", "busha"}
	tills    = []string{"daraja", "busha"}

	preferred = map[place][]string{
		{"NG", core.BankTransfer}: nigerian,
		{"NG", core.MobileMoney}:  nigerian,
		{"GH", core.BankTransfer}: ghanaian,
		{"GH", core.MobileMoney}:  ghanaian,
		{"KE", core.MobileMoney}:  wallets,
		{"UG", core.MobileMoney}:  wallets,
		{"TZ", core.MobileMoney}:  wallets,
		{"RW", core.MobileMoney}:  wallets,
		{"CI", core.MobileMoney}:  wallets,
		{"SN", core.MobileMoney}:  wallets,
		{"CM", core.MobileMoney}:  wallets,
		{"KE", core.PayBill}:      tills,
		{"KE", core.Till}:         tills,
		{"ZA", core.BankTransfer}: {"paystack"},
	}

	// providerNames are all providers that there is an adapter for, with credentials or without.
	providerNames = []string{"paystack", "flutterwave", "monnify", "korapay", "afriex", "daraja", "busha"}
)
