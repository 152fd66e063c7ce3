package paystack

import (
	"net/http"
	"regexp"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
	"causeway/simulator/world"
)

// Key is a secret key that the simulated Paystack takes for that of a business in a country (ISO 3166-1 alpha-2).
// It takes every other key of the right shape too, and then tries Nigeria before Ghana.
func Key(country string) string { return "sk_test_" + strings.ToLower(country) + "_simulated" }

// paystack is Paystack, https://github.com/PaystackOSS/openapi (@9678dea, 2025-10-24), GET /bank, GET /bank/resolve and POST /bank/validate. Texts and
// statuses are those that its specification, published fixtures and measured answers show. It knows an institution by
// Codes["paystack"], else in Nigeria by Codes["cbn"], else by its own code, and does not list the magic ones.
type paystack struct {
	world *world.World
	known func() *paystackBooks // made when it is asked for: most worlds are asked about something else
}

// paystackBooks are the institutions that Paystack knows.
type paystackBooks struct {
	lists map[string][]paystackRow         // by country
	magic map[string][]paystackRow         // by country: those that no list has
	banks map[string]map[string]paystackID // by country and code, upper case
}

// paystackID is an institution that can be resolved at, with the id of its row.
type paystackID struct {
	*core.Bank

	id int
}

func newPaystack(w *world.World) *paystack {
	return &paystack{world: w, known: provider.Once(w, Name, func() *paystackBooks { return bookInstitutions(provider.AllBanks(w)) })}
}

func bookInstitutions(all []core.Bank) *paystackBooks {
	p := &paystackBooks{lists: map[string][]paystackRow{}, magic: map[string][]paystackRow{}, banks: map[string]map[string]paystackID{}}
	for i := range all {
		bank := &all[i]
		country, served := paystackCountries[bank.Country]
		if !served {
			continue
		}
		known := p.banks[bank.Country]
		if known == nil {
			known = map[string]paystackID{}
			p.banks[bank.Country] = known
		}
		code := strings.ToUpper(codeAtPaystack(*bank))
		if _, taken := known[code]; !taken {
			known[code] = paystackID{Bank: bank, id: i + 1}
		}
		row, ok := listRow(*bank, country, i+1)
		switch {
		case ok && accounts.IsMagic(*bank):
			p.magic[bank.Country] = append(p.magic[bank.Country], row)
		case ok:
			p.lists[bank.Country] = append(p.lists[bank.Country], row)
		}
	}
	for code, rows := range p.lists {
		p.lists[code] = withOddities(rows, paystackCountries[code], len(all))
	}
	return p
}

func codeAtPaystack(bank core.Bank) string {
	if code := bank.Codes[Name]; code != "" {
		return code
	}
	if code := bank.Codes["cbn"]; code != "" && bank.Country == "NG" {
		return code
	}
	return bank.Code
}

// paystackFault is an error's body.
type paystackFault struct {
	Status  bool          `json:"status"`
	Message string        `json:"message"`
	Meta    *paystackHint `json:"meta,omitempty"`
	Type    string        `json:"type,omitempty"`
	Code    string        `json:"code,omitempty"`
}

type paystackHint struct {
	NextStep string `json:"nextStep"`
}

func refusal(status int, kind, text, next string) provider.Reply {
	return provider.Answer(status, paystackFault{Message: text, Meta: &paystackHint{NextStep: next}, Type: kind, Code: kind})
}

const (
	validationError = "validation_error"
	apiError        = "api_error"
)

// ServeHTTP answers one call.
func (p *paystack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := p.world.Now()
	path := strings.TrimSuffix(r.URL.Path, "/")
	asking, validating := r.Method == http.MethodGet || r.Method == http.MethodHead, r.Method == http.MethodPost && path == "/bank/validate"
	if !validating && (!asking || path != "/bank" && path != "/bank/resolve") {
		provider.Answer(http.StatusNotFound, paystackFault{Message: "Entity not found"}).Send(w, now)
		return
	}
	home, refused := authorize(r.Header.Get("Authorization"))
	switch {
	case refused != nil:
		refused.Send(w, now)
	case path == "/bank":
		p.list(r, home).Send(w, now)
	case validating:
		outcome, a := p.validate(r, home)
		provider.Deliver(w, r, now, outcome, a)
	default:
		outcome, a := p.resolve(r, home)
		provider.Deliver(w, r, now, outcome, a)
	}
}

var secretKey = regexp.MustCompile(`^sk_(?:test|live)_([A-Za-z0-9_]+)$`)

// authorize returns the country that the key tells, if any, or why the caller is turned away.
func authorize(header string) (home string, refused *provider.Reply) {
	if header == "" {
		a := provider.Answer(http.StatusUnauthorized, paystackFault{Message: "No Authorization Header was found"})
		return "", &a
	}
	match := secretKey.FindStringSubmatch(strings.TrimPrefix(header, "Bearer "))
	if match == nil || !strings.HasPrefix(header, "Bearer ") {
		a := provider.Answer(http.StatusUnauthorized, paystackFault{Message: "Invalid key"})
		return "", &a
	}
	code, _, _ := strings.Cut(strings.ToUpper(match[1]), "_")
	if _, known := paystackCountries[code]; known {
		return code, nil
	}
	return "", nil
}

// resolution is a found account.
type resolution struct {
	Status  bool            `json:"status"`
	Message string          `json:"message"`
	Data    resolvedAccount `json:"data"`
}

type resolvedAccount struct {
	AccountNumber string `json:"account_number"`
	AccountName   string `json:"account_name"`
	BankID        int    `json:"bank_id"`
}

func (p *paystack) resolve(r *http.Request, home string) (accounts.Outcome, provider.Reply) {
	query := r.URL.Query()
	number, code := query.Get("account_number"), query.Get("bank_code")
	for _, parameter := range []string{"account_number", "bank_code"} {
		if query.Get(parameter) == "" {
			return accounts.Unknown, refusal(http.StatusBadRequest, validationError,
				`"`+parameter+`" is required`, "Provide all required parameters")
		}
	}
	bank, known := p.find(home, code)
	if !known {
		return accounts.Unknown, p.noBank(code)
	}
	if bank.Country == "NG" && !provider.TenDigits.MatchString(number) {
		return accounts.Unknown, refusal(http.StatusBadRequest, validationError,
			"Invalid account number", "Ensure that the account number has 10 digits")
	}
	channel := core.BankTransfer
	if bank.Country != "NG" && bank.Type == core.MobileMoneyBank {
		channel = core.MobileMoney
	}
	account := p.world.AccountAt(r.Context(), Name, channel, *bank.Bank, number)
	return account.Outcome, resolved(account, number, bank.id)
}

// find returns the institution behind a code: in the key's country, or in any that can be resolved in.
func (p *paystack) find(home, code string) (paystackID, bool) {
	countries := paystackHome
	if home != "" {
		countries = []string{home}
	}
	for _, country := range countries {
		if bank, ok := p.known().banks[country][strings.ToUpper(code)]; ok && paystackCountries[country].resolves {
			return bank, true
		}
	}
	return paystackID{}, false
}

const couldNotResolve = "Could not resolve account name. Check parameters or try again."

func unresolved() provider.Reply {
	return refusal(http.StatusUnprocessableEntity, validationError, couldNotResolve,
		"Ensure that the account number and the bank code are right")
}

// noBank answers a bank code that cannot be resolved with the key. Published fixtures of clients have the text of an
// unknown account with the code invalid_bank_code; for which bank codes it comes is assumed: here those of other countries.
func (p *paystack) noBank(code string) provider.Reply {
	fault := paystackFault{
		Message: "Unknown bank code: " + code, Type: validationError, Code: "invalid_params",
		Meta: &paystackHint{NextStep: "Ensure that the value(s) you're passing are valid."},
	}
	for _, banks := range p.known().banks {
		if _, ok := banks[strings.ToUpper(code)]; ok {
			fault.Message, fault.Code = couldNotResolve, "invalid_bank_code"
			return provider.Answer(http.StatusUnprocessableEntity, fault)
		}
	}
	return provider.Answer(http.StatusBadRequest, fault)
}

// resolved is what Paystack says of an account. How it words closed and dormant accounts is general knowledge.
func resolved(account accounts.Account, number string, id int) provider.Reply {
	switch account.Outcome {
	case accounts.Unknown:
		return unresolved()
	case accounts.Closed:
		return refusal(http.StatusUnprocessableEntity, validationError, "Account is closed", "Ask the holder for another account")
	case accounts.Dormant:
		return refusal(http.StatusUnprocessableEntity, validationError, "Account is dormant", "Ask the holder for another account")
	case accounts.Throttled:
		return refusal(http.StatusTooManyRequests, apiError, "Too many requests", "Slow down").With("Retry-After", "30")
	case accounts.Failed:
		return provider.Reply{Status: http.StatusInternalServerError, Content: provider.ContentText, Body: []byte("oops")}
	case accounts.Down:
		return refusal(http.StatusServiceUnavailable, apiError, "Service is unavailable", "Try again later")
	case accounts.Found, accounts.Slow, accounts.Truncated, accounts.WrongPage,
		accounts.Hanging, accounts.Reset, accounts.RenamedSecond:
	}
	return provider.Answer(http.StatusOK, resolution{
		Status: true, Message: "Account number resolved",
		Data: resolvedAccount{AccountNumber: number, AccountName: account.Name, BankID: id},
	})
}
