package korapay

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Key is a secret key that the simulated Kora takes. It takes every other one of the right shape too.
const Key = "sk_test_simulated"

// korapay is Kora, https://developers.korapay.com/docs/payout-via-api (updated 2026-06-07): the lists of banks (NG, KE, ZA) and of operators of
// mobile money (KE, GH), the resolution of bank accounts (NG, KE) and of wallets (GH). Texts are those of developers.korapay.com/docs/errors;
// statuses of failures, and how closed and dormant accounts are worded, are general knowledge. The magic institutions are not listed.
type korapay struct {
	world *world.World
	known func() *provider.Institutions
}

func newKorapay(w *world.World) *korapay {
	return &korapay{world: w, known: provider.Once(w, Name, func() *provider.Institutions { return provider.NewInstitutions(w, codeAtKorapay) })}
}

// codeAtKorapay puts 00 in front of Kenya's KBA codes, and numbers operators of mobile money. Others of these it does not know.
func codeAtKorapay(bank core.Bank) string {
	switch {
	case provider.IsOperator(bank) && bank.Codes[Name] == "":
		return korapayOperators[bank.Country+" "+bank.Code].code
	case bank.Country == "KE" && bank.Codes[Name] == "":
		if len(bank.Code) != len("01") {
			return ""
		}
		return "00" + bank.Code
	default:
		return provider.CodeAt(Name, bank)
	}
}

// korapayAnswer is around every answer.
type korapayAnswer struct {
	Status  bool   `json:"status"`
	Message string `json:"message"`
	Data    any    `json:"data"`
}

func korapayFault(status int, text string) provider.Reply {
	return provider.Answer(status, korapayAnswer{Message: text, Data: struct{}{}})
}

var korapaySecret = regexp.MustCompile(`^Bearer ([sp])k_(?:test|live)_[A-Za-z0-9_]+$`)

// ServeHTTP answers one call. A public key is enough for the lists.
func (k *korapay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := k.world.Now()
	path, ours := strings.CutPrefix(r.URL.Path, "/merchant/api/v1/misc/")
	key := korapaySecret.FindStringSubmatch(r.Header.Get("Authorization"))
	path, resolving := strings.CutSuffix(path, "/resolve")
	method := http.MethodGet
	if resolving {
		method = http.MethodPost
	}
	switch {
	case key == nil, resolving && key[1] != "s":
		korapayFault(http.StatusUnauthorized, "Invalid authorization key").Send(w, now)
	case !ours, path != "banks" && path != "mobile-money", r.Method != method && (resolving || r.Method != http.MethodHead):
		korapayFault(http.StatusNotFound, "Not found").Send(w, now)
	case resolving:
		outcome, a := k.resolve(r, path == "mobile-money")
		provider.Deliver(w, r, now, outcome, a)
	default:
		k.list(path, r.URL.Query().Get("countryCode")).Send(w, now)
	}
}

// korapayRow is a row of a list.
type korapayRow struct {
	Name    string `json:"name"`
	Slug    string `json:"slug"`
	Code    string `json:"code"`
	Country string `json:"country"`
	Min     int    `json:"min,omitempty"` // of a payout to a wallet
	Max     int    `json:"max,omitempty"`
}

// list is a list of a country: a code comes twice in it.
func (k *korapay) list(path, country string) provider.Reply {
	served, ok := korapayCountries[country]
	if !ok || path == "banks" && !served.banks || path == "mobile-money" && !served.wallets {
		return provider.Answer(http.StatusBadRequest, korapayAnswer{Message: "Invalid request data", Data: map[string]any{
			"countryCode": map[string]string{"message": "countryCode is not supported"},
		}})
	}
	rows := []korapayRow{}
	for _, bank := range k.known().Lists[country] {
		if provider.IsOperator(*bank) != (path == "mobile-money") {
			continue
		}
		row := korapayRow{Name: bank.Name, Slug: provider.Slug(bank.Name), Code: codeAtKorapay(*bank), Country: country}
		if operator, known := korapayOperators[country+" "+bank.Code]; known {
			row.Name, row.Slug, row.Min, row.Max = operator.name, operator.slug, 10, 70000
		} else if country != "NG" {
			row.Slug += "-" + strings.ToLower(country)
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		rows = append(rows, rows[0])
	}
	return provider.Answer(http.StatusOK, korapayAnswer{Status: true, Message: "success", Data: rows})
}

// korapayQuestion is a question about an account, or about a wallet.
type korapayQuestion struct {
	Bank     string `json:"bank"`
	Account  string `json:"account"`
	Operator string `json:"mobileMoneyCode"`
	Phone    string `json:"phoneNumber"`
	Currency string `json:"currency"`
}

// about returns whose account a question is about; false where that cannot be told, or is not answered. The currency tells the
// country, and is Nigeria's where there is none.
func (q korapayQuestion) about(wallet bool) (country, code, number string, ok bool) {
	country = map[string]string{"": "NG", "NGN": "NG", "KES": "KE", "GHS": "GH"}[q.Currency]
	served := korapayCountries[country]
	code, number, ok = q.Bank, q.Account, served.namesBanks
	if wallet {
		code, number, ok = q.Operator, q.Phone, served.namesWallets
	}
	return country, code, number, ok && code != "" && number != ""
}

// resolve looks up an account.
func (k *korapay) resolve(r *http.Request, wallet bool) (accounts.Outcome, provider.Reply) {
	var q korapayQuestion
	understood := provider.ReadJSON(r, &q)
	country, code, number, ok := q.about(wallet)
	if !understood || !ok {
		return accounts.Unknown, korapayFault(http.StatusBadRequest, "Invalid request data")
	}
	bank, known := k.known().Find(country, code)
	switch {
	case !known || provider.IsOperator(bank) != wallet:
		return accounts.Unknown, korapayFault(http.StatusBadRequest, "Unable to resolve bank account")
	case country == "NG" && !provider.TenDigits.MatchString(number):
		return accounts.Unknown, korapayFault(http.StatusBadRequest, "Invalid account")
	}
	channel := core.BankTransfer
	if wallet {
		channel = core.MobileMoney
	}
	account := k.world.AccountAt(r.Context(), Name, channel, bank, number)
	if wallet {
		return account.Outcome, korapaySays(account, struct {
			Operator string `json:"mobile_money_operator"`
			Code     string `json:"mobile_money_code"`
			Phone    string `json:"phone_number"`
			Name     string `json:"account_name"`
		}{bank.Name, codeAtKorapay(bank), number, account.Name})
	}
	return account.Outcome, korapaySays(account, struct {
		BankName string `json:"bank_name"`
		BankCode string `json:"bank_code"`
		Number   string `json:"account_number"`
		Name     string `json:"account_name"`
	}{bank.Name, codeAtKorapay(bank), number, account.Name})
}

// korapaySays is what Kora says of an account; found is the answer where somebody is found.
func korapaySays(account accounts.Account, found any) provider.Reply {
	switch account.Outcome {
	case accounts.Unknown:
		return korapayFault(http.StatusBadRequest, "Invalid account")
	case accounts.Closed:
		return korapayFault(http.StatusBadRequest, "Account is closed")
	case accounts.Dormant:
		return korapayFault(http.StatusBadRequest, "Account is dormant")
	case accounts.Throttled:
		return korapayFault(http.StatusTooManyRequests, "Too many requests").With("Retry-After", "30")
	case accounts.Failed:
		return korapayFault(http.StatusInternalServerError, "Internal Server Error")
	case accounts.Down:
		return korapayFault(http.StatusServiceUnavailable, "Service Unavailable")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	return provider.Answer(http.StatusOK, korapayAnswer{Status: true, Message: "Request completed", Data: found})
}
