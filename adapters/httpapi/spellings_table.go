package httpapi

// The spellings of the fields of account resolution that have several, the core's own first.
var (
	currencySpellings = []string{"currency_id", "currency"}
	countrySpellings  = []string{"country_id", "country", "country_code"}
)
