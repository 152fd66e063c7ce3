// Package korapay simulates the API of Kora (Korapay): institutions and account names.
package korapay

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Name of the provider.
const Name = "korapay"

// Key is a secret key that the simulated Kora accepts, like others of the same form.
const Key = "sk_test_simulated"

// Descriptor describes the simulated provider.
var Descriptor = provider.Descriptor{
	Name:        Name,
	Hosts:       []string{"api.korapay.com"},
	Path:        "/merchant/api/v1",
	Credentials: map[string]string{"secret_key": Key},
	New: func(w *world.World) http.Handler {
		return provider.Serve(w, (&korapay{w, provider.InstitutionsOf(w, Name, codeOf)}).respond)
	},
	FaultPoints: provider.FaultPoints{
		Operations: []provider.Operation{
			{Name: "banks", Path: "/merchant/api/v1/misc/*"},
			{Name: "resolve", Path: "/merchant/api/v1/misc/*/resolve"},
		},
		Members: map[string]string{"resolve": "data.account_name"},
	},
	Divergences: []provider.Divergence{
		{
			What: "Statuses of failures, and the texts for closed and dormant accounts.",
			Why:  provider.NotRecorded,
			Test: "simulator/wire.TestGolden",
		},
	},
}

// country is what Kora does in a country: which lists it has, and which accounts it names.
type country struct{ banks, wallets, namesBanks, namesWallets bool }

var countries = map[string]country{
	"NG": {banks: true, namesBanks: true},
	"KE": {banks: true, wallets: true, namesBanks: true},
	"ZA": {banks: true},
	"GH": {wallets: true, namesWallets: true},
}

// operators are the operators of mobile money by country and usual short code. safaricom-ke 0001
// and mtn-gh 0004 are in the documentation, airtel-gh 0006 in public client code; the other two are
// made up in the same form.
var operators = map[string]struct{ code, slug, name string }{
	"KE MPESA":  {"0001", "safaricom-ke", "Safaricom"},
	"KE AIRTEL": {"0002", "airtel-ke", "Airtel"},
	"GH MTN":    {"0004", "mtn-gh", "MTN"},
	"GH VOD":    {"0005", "vodafone-gh", "Vodafone"},
	"GH ATL":    {"0006", "airtel-gh", "AirtelTigo"},
}

// korapay is Kora, https://developers.korapay.com/docs/payout-via-api (updated 2026-06-07): the
// lists of banks (NG, KE, ZA) and of operators of mobile money (KE, GH), the resolution of bank
// accounts (NG, KE) and of wallets (GH). Texts are those of developers.korapay.com/docs/errors;
// statuses of failures, and the texts for closed and dormant accounts, are assumed. The magic
// institutions are not listed.
type korapay struct {
	world *world.World
	known func() *provider.Institutions
}

// codeOf prefixes Kenya's KBA codes with 00, and returns the codes of operators. Other operators
// are unknown.
func codeOf(bank core.Bank) string {
	switch {
	case provider.IsOperator(bank) && bank.Codes[Name] == "":
		return operators[bank.Country+" "+bank.Code].code
	case bank.Country == "KE" && bank.Codes[Name] == "":
		if len(bank.Code) != len("01") {
			return ""
		}
		return "00" + bank.Code
	default:
		return provider.CodeAt(Name, bank)
	}
}

// envelope is around every response.
func envelope(status int, message string, data any) provider.Reply {
	return provider.Answer(status, map[string]any{
		"status": status == http.StatusOK, "message": message, "data": data,
	})
}

func refuse(status int, text string) provider.Reply { return envelope(status, text, map[string]any{}) }

var keyForm = regexp.MustCompile(`^Bearer ([sp])k_(?:test|live)_[A-Za-z0-9_]+$`)

// respond responds to one request. A public key is enough for the lists.
func (k *korapay) respond(r *http.Request, _ time.Time) provider.Reply {
	path, found := strings.CutPrefix(r.URL.Path, "/merchant/api/v1/misc/")
	key := keyForm.FindStringSubmatch(r.Header.Get("Authorization"))
	path, resolving := strings.CutSuffix(path, "/resolve")
	wallets := path == "mobile-money"
	switch {
	case key == nil, resolving && key[1] != "s":
		return refuse(http.StatusUnauthorized, "Invalid authorization key")
	case !found, path != "banks" && !wallets:
		return refuse(http.StatusNotFound, "Not found")
	case resolving && r.Method == http.MethodPost:
		return k.resolve(r, wallets)
	case !resolving && provider.IsRead(r):
		return k.list(wallets, r.URL.Query().Get("countryCode"))
	default:
		return refuse(http.StatusNotFound, "Not found")
	}
}

// list responds with a list of a country. One code is in it twice.
func (k *korapay) list(wallets bool, country string) provider.Reply {
	served := countries[country]
	if wallets && !served.wallets || !wallets && !served.banks {
		return envelope(http.StatusBadRequest, "Invalid request data", map[string]any{
			"countryCode": map[string]string{"message": "countryCode is not supported"},
		})
	}
	rows := []any{}
	for _, bank := range k.known().Lists[country] {
		if provider.IsOperator(bank) != wallets {
			continue
		}
		row := map[string]any{
			"name": bank.Name, "slug": provider.Slug(bank.Name), "code": codeOf(bank), "country": country,
		}
		if operator, known := operators[country+" "+bank.Code]; known {
			row["name"], row["slug"] = operator.name, operator.slug
			row["min"], row["max"] = 10, 70000 // of a payout to a wallet
		} else if country != "NG" {
			row["slug"] = provider.Slug(bank.Name) + "-" + strings.ToLower(country)
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		rows = append(rows, rows[0])
	}
	return envelope(http.StatusOK, "success", rows)
}

var failures = provider.Failures{
	accounts.Unknown:   refuse(http.StatusBadRequest, "Invalid account"),
	accounts.Closed:    refuse(http.StatusBadRequest, "Account is closed"),
	accounts.Dormant:   refuse(http.StatusBadRequest, "Account is dormant"),
	accounts.Throttled: refuse(http.StatusTooManyRequests, "Too many requests").RetryAfter(30),
	accounts.Failed:    refuse(http.StatusInternalServerError, "Internal Server Error"),
	accounts.Down:      refuse(http.StatusServiceUnavailable, "Service Unavailable"),
}

// resolve looks up an account or a wallet. The currency selects the country, which is Nigeria by
// default.
func (k *korapay) resolve(r *http.Request, wallet bool) provider.Reply {
	var q struct {
		Bank     string `json:"bank"`
		Account  string `json:"account"`
		Operator string `json:"mobileMoneyCode"`
		Phone    string `json:"phoneNumber"`
		Currency string `json:"currency"`
	}
	valid := provider.ReadJSON(r, &q)
	country := map[string]string{"": "NG", "NGN": "NG", "KES": "KE", "GHS": "GH"}[q.Currency]
	code, number, channel, served := q.Bank, q.Account, core.BankTransfer, countries[country].namesBanks
	if wallet {
		code, number, channel, served = q.Operator, q.Phone, core.MobileMoney, countries[country].namesWallets
	}
	bank, known := k.known().Find(country, code)
	switch {
	case !valid || !served || code == "" || number == "":
		return refuse(http.StatusBadRequest, "Invalid request data")
	case !known || provider.IsOperator(bank) != wallet:
		return refuse(http.StatusBadRequest, "Unable to resolve bank account")
	case country == "NG" && !provider.TenDigits.MatchString(number):
		return failures[accounts.Unknown]
	}
	account := k.world.AccountAt(r.Context(), Name, channel, bank, number)
	found := map[string]string{
		"bank_name": bank.Name, "bank_code": codeOf(bank), "account_number": number, "account_name": account.Name,
	}
	if wallet {
		found = map[string]string{
			"mobile_money_operator": bank.Name, "mobile_money_code": codeOf(bank), "phone_number": number,
			"account_name": account.Name,
		}
	}
	return failures.Reply(account, envelope(http.StatusOK, "Request completed", found))
}
