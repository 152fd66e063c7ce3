package paystack

// paystackCountry is how Paystack knows a country. Ivory Coast's spelling and currency are general knowledge; the others
// are of PaystackOSS/openapi paths/bank.yaml (2025-10-24).
type paystackCountry struct {
	parameter string
	name      string
	kind      string // type of its bank rows; empty: banks are not listed there
	resolves  bool
	validates bool
}

var paystackCountries = map[string]paystackCountry{
	"NG": {parameter: "nigeria", name: "Nigeria", kind: "nuban", resolves: true},
	"GH": {parameter: "ghana", name: "Ghana", kind: "ghipss", resolves: true},
	"KE": {parameter: "kenya", name: "Kenya", kind: "kepss"},
	"ZA": {parameter: "south africa", name: "South Africa", kind: "basa", validates: true},
	"CI": {parameter: "cote d'ivoire", name: "Cote D'Ivoire"},
}

// paystackHome is the order in which countries are tried for a key that tells none.
var paystackHome = []string{"NG", "GH"}
