package korapay

// korapayCountry is what Kora does in a country: which lists it has, and which accounts it names.
type korapayCountry struct{ banks, wallets, namesBanks, namesWallets bool }

var korapayCountries = map[string]korapayCountry{
	"NG": {banks: true, namesBanks: true},
	"KE": {banks: true, wallets: true, namesBanks: true},
	"ZA": {banks: true},
	"GH": {wallets: true, namesWallets: true},
}

// korapayOperators are the operators of mobile money that Kora knows, by country and usual short code. safaricom-ke 0001 and mtn-gh 0004 are
// of its documentation, airtel-gh 0006 of public client code; the other two are made up in the same form.
var korapayOperators = map[string]struct{ code, slug, name string }{
	"KE MPESA":  {"0001", "safaricom-ke", "Safaricom"},
	"KE AIRTEL": {"0002", "airtel-ke", "Airtel"},
	"GH MTN":    {"0004", "mtn-gh", "MTN"},
	"GH VOD":    {"0005", "vodafone-gh", "Vodafone"},
	"GH ATL":    {"0006", "airtel-gh", "AirtelTigo"},
}
