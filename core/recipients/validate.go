package recipients

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"causeway/core"
	"causeway/core/recipients/names"
)

// The fields of a request, in the order in which errors are reported.
const (
	currencyField     = "currency_id"
	countryField      = "country_id"
	channelField      = "channel"
	bankField         = "bank_code"
	numberField       = "account_number"
	nameField         = "account_name"
	documentTypeField = "document_type"
	documentField     = "document_number"
)

// validator makes a query of a request and collects the errors of all fields.
type validator struct {
	service *Service
	query   core.AccountQuery
	claimed core.HolderClaim
	guessed bool // the bank is what the prefix of the number suggests
	errs    []core.FieldError
}

// validate returns the errors of all fields as core.Invalid, or an error of the registry.
func (v *validator) validate(req Request) error {
	country := v.country(req.Country)
	v.currency(req.Currency, country)
	rule := v.channel(req.Channel, country)
	v.number(req.AccountNumber, country, rule)
	err := v.bank(req.BankCode, country, rule)
	v.claimed.Name = core.Private(strings.TrimSpace(req.Claimed.Reveal()))
	if reason := names.CheckClaim(v.claimed.Name); reason != "" {
		v.fail(nameField, "%s", reason)
	}
	v.document(req.DocumentType, req.Document)
	if err != nil || len(v.errs) == 0 {
		return err
	}
	order := []string{
		currencyField, countryField, channelField, bankField, numberField, nameField, documentTypeField, documentField,
	}
	slices.SortStableFunc(v.errs, func(a, b core.FieldError) int {
		return cmp.Compare(slices.Index(order, a.Field), slices.Index(order, b.Field))
	})
	return core.InvalidFields(v.errs...)
}

func (v *validator) fail(field, format string, args ...any) {
	v.errs = append(v.errs, core.InvalidField(field, format, args...).Fields...)
}

// country returns the country of a code, or nil.
func (v *validator) country(sent string) *core.Country {
	code, meant := upper(sent), ""
	var codes []string
	for _, c := range v.service.cfg.Countries {
		if c.Code == code {
			v.query.Country = code
			return &c
		}
		if strings.EqualFold(c.Name, code) {
			meant = c.Code
		}
		codes = append(codes, c.Code)
	}
	accepted := "supported: " + list(codes) + ". See GET /v1/countries"
	switch {
	case code == "":
		v.fail(countryField, "is required: a two-letter country code; %s", accepted)
	case meant != "":
		v.fail(countryField, "%s is not a two-letter country code; did you mean %s? See GET /v1/countries",
			core.Quoted(sent), meant)
	case !isLetters(code, 2):
		v.fail(countryField, "%s is not a two-letter country code; %s", core.Quoted(sent), accepted)
	default:
		v.fail(countryField, "%s is not supported; %s", core.Quoted(sent), accepted)
	}
	return nil
}

// currency checks the currency against its country or, if that is unknown, against all.
func (v *validator) currency(sent string, country *core.Country) {
	v.query.Currency = upper(sent)
	var accepted []string
	where := "any supported country"
	if country != nil {
		accepted, where = country.Currencies, country.Code
	} else {
		for _, c := range v.service.cfg.Countries {
			accepted = append(accepted, c.Currencies...)
		}
		slices.Sort(accepted)
		accepted = slices.Compact(accepted)
	}
	switch {
	case v.query.Currency == "":
		v.fail(currencyField, "is required; accepted: %s. See GET /v1/countries", list(accepted))
	case !slices.Contains(accepted, v.query.Currency):
		v.fail(currencyField, "%s is not paid out in %s; accepted: %s. See GET /v1/countries",
			core.Quoted(sent), where, list(accepted))
	}
}

// channel returns the country's rule for a channel, or nil.
func (v *validator) channel(sent string, country *core.Country) *core.ChannelRule {
	channel := core.Channel(strings.TrimSpace(sent))
	v.query.Channel = channel
	accepted, what := allChannels, "a channel"
	if country != nil {
		what = "a channel of " + country.Code
		accepted = slices.DeleteFunc(slices.Clone(allChannels), func(c core.Channel) bool {
			_, ok := country.Channel(c)
			return !ok
		})
	}
	switch {
	case channel == "":
		v.fail(channelField, "is required; accepted: %s. See GET /v1/countries", list(accepted))
	case !slices.Contains(accepted, channel):
		v.fail(channelField, "%s is not %s; accepted: %s. See GET /v1/countries",
			core.Quoted(sent), what, list(accepted))
	case country != nil:
		rule, _ := country.Channel(channel)
		if len(rule.Currencies) > 0 && slices.Contains(country.Currencies, v.query.Currency) &&
			!slices.Contains(rule.Currencies, v.query.Currency) {
			v.fail(currencyField, "%s is not paid out by %s in %s; accepted: %s. See GET /v1/countries",
				v.query.Currency, channel, country.Code, list(rule.Currencies))
		}
		return &rule
	}
	return nil
}

func (v *validator) number(sent core.Private, country *core.Country, rule *core.ChannelRule) {
	if rule == nil {
		if reason := checkLength(sent); reason != "" {
			v.fail(numberField, "%s", reason)
		}
		return
	}
	number, reason := normalize(country.Code, *rule, sent)
	if reason != "" {
		v.fail(numberField, "%s; accepted: %s, for example %s", reason, rule.Account.Rule, rule.Account.Example)
	}
	v.query.Number = number
}

var documentTypes = []core.DocumentType{
	core.IdentityNumber, core.PassportNumber, core.BusinessRegistrationNumber,
}

const maxDocument = 32 // characters of a document number

// document checks the form of a document, if one is sent.
func (v *validator) document(kind string, sent core.Private) {
	v.claimed.Document = core.Document{
		Type:   core.DocumentType(lower(kind)),
		Number: core.Private(strings.Join(strings.Fields(sent.Reveal()), "")),
	}
	d := v.claimed.Document
	foreign := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r != '/' && r != '-'
	}
	switch known := slices.Contains(documentTypes, d.Type); {
	case d.Type != "" && !known:
		v.fail(documentTypeField, "%s is not a document type; accepted: %s", core.Quoted(kind), list(documentTypes))
	case d.Type == "" && d.Number != "":
		v.fail(documentTypeField, "is required with %s; accepted: %s", documentField, list(documentTypes))
	}
	switch {
	case len(d.Number) > maxDocument:
		v.fail(documentField, "is longer than %d characters", maxDocument)
	case strings.ContainsFunc(d.Number.Reveal(), foreign):
		v.fail(documentField, "has unusual characters; accepted: letters A to Z, digits, hyphens and slashes")
	case d.Type != "" && d.Number == "":
		v.fail(documentField, "is required with %s", documentTypeField)
	}
}

// completeClaim returns what a claim about the holder lacks, where accounts are only confirmed.
func (v *validator) completeClaim() error {
	if v.claimed.Name == "" {
		v.fail(nameField, "is required in %s. Send the name of the account's holder", v.query.Country)
	}
	if v.claimed.Document.Number == "" {
		v.fail(documentTypeField, "is required in %s; accepted: %s", v.query.Country, list(documentTypes))
		v.fail(documentField, "is required: banks of %s disclose no names and compare a document instead. Send the "+
			"number of the holder's document", v.query.Country)
	}
	if len(v.errs) == 0 {
		return nil
	}
	return core.InvalidFields(v.errs...)
}

// bank finds the institution by its code or, for a wallet without one, by the prefix of the number.
// It returns an error if the registry fails.
func (v *validator) bank(sent string, country *core.Country, rule *core.ChannelRule) error {
	code := strings.TrimSpace(sent)
	switch {
	case code == "" && rule != nil:
		v.bankOfNumber(country.Code, rule)
		return nil
	case code == "" && v.query.Channel == core.BankTransfer:
		v.fail(bankField, "is required for %s. See GET /v1/banks", core.BankTransfer)
		return nil
	case code == "" || country == nil:
		return nil
	}
	bank, err := v.service.cfg.Registry.Find(country.Code, code)
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code == core.Invalid {
		v.errs = append(v.errs, e.Fields...)
		return nil
	}
	if err != nil {
		return err
	}
	if channels := channelsOf(bank); rule != nil && !slices.Contains(channels, rule.Channel) {
		v.fail(bankField, "%s (%s) is not reached by %s, only by %s. See GET /v1/banks?country=%s",
			core.Quoted(bank.Code), bank.Name, rule.Channel, list(channels), country.Code)
		return nil
	}
	v.query.Bank = bank
	return nil
}

// bankOfNumber handles a request without a bank code: the channel has no banks, or the number
// identifies the operator of a wallet, or the code is missing.
func (v *validator) bankOfNumber(country string, rule *core.ChannelRule) {
	switch {
	case rule.Channel == core.MobileMoney && rule.Account.Phone && len(operators[country]) > 0:
		if v.query.Number == "" {
			return // whether a code is needed depends on the number
		}
		bank, ok := v.service.operatorOf(country, v.query.Number)
		if !ok {
			v.fail(bankField, "is required: this number does not identify its operator. "+
				"See GET /v1/banks?country=%s&channel=%s", country, rule.Channel)
		}
		v.query.Bank, v.guessed = bank, ok
	case rule.Channel == core.BankTransfer || rule.NeedsBankCode:
		v.fail(bankField, "is required for %s in %s. See GET /v1/banks?country=%s", rule.Channel, country, country)
	}
}

// operatorOf returns the operator that the prefix of a phone number suggests, if exactly one
// institution of the country is it.
func (s *Service) operatorOf(country string, number core.Private) (core.Bank, bool) {
	var found core.Bank
	o := operatorByPrefix(country, nationalNumber(country, number))
	if o == nil {
		return found, false
	}
	for _, code := range o.codes {
		bank, err := s.cfg.Registry.Find(country, code)
		switch {
		case err != nil || !slices.Contains(bank.Channels, core.MobileMoney):
		case found.Code != "" && found.Code != bank.Code:
			return core.Bank{}, false
		default:
			found = bank
		}
	}
	return found, found.Code != ""
}

// channelsOf returns the channels on which accounts at a bank can be looked up.
func channelsOf(bank core.Bank) []core.Channel {
	if walletsByBankCode[bank.Country] && slices.Contains(bank.Channels, core.BankTransfer) &&
		!slices.Contains(bank.Channels, core.MobileMoney) {
		return append(slices.Clone(bank.Channels), core.MobileMoney)
	}
	return bank.Channels
}

// list joins values with commas.
func list[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return cmp.Or(strings.Join(texts, ", "), "none")
}

func upper(code string) string { return strings.ToUpper(strings.TrimSpace(code)) }

func lower(word string) string { return strings.ToLower(strings.TrimSpace(word)) }

// isLetters reports whether s consists of n letters A to Z.
func isLetters(s string, n int) bool {
	return len(s) == n && !strings.ContainsFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' })
}
