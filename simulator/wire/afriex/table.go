package afriex

// Channels of Afriex.
const (
	afriexBanks   = "BANK_ACCOUNT"
	afriexWallets = "MOBILE_MONEY"
)

// afriexCountries are those in which Afriex names accounts, by channel, with the calling codes with which account numbers begin. Source: the
// parameters of resolve in its OpenAPI document.
var afriexCountries = map[string]map[string]string{
	afriexBanks: {"NG": "", "GH": ""},
	afriexWallets: {
		"ET": "251", "KE": "254", "MG": "261", "MW": "265", "MZ": "258", "RW": "250", "TZ": "255", "UG": "256", "CM": "237", "CG": "242", "GA": "241",
		"CF": "236", "CI": "225", "BF": "226", "ML": "223", "SN": "221", "TG": "228", "BJ": "229", "NE": "227", "GN": "224", "ZM": "260",
	},
}
