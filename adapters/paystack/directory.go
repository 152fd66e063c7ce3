package paystack

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"causeway/adapters/upstream"
	"causeway/core"
)

const (
	perPage  = 100
	maxPages = 30 // Nigeria has 4; a cursor that leads on for ever is not a list
)

// Banks lists the institutions of a country, page by page. A list that does not end properly is Unavailable, never a part of it.
func (p *Provider) Banks(ctx context.Context, code string) ([]core.Bank, error) {
	client, ok := p.clients[code]
	if !ok {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", code)
	}
	query := url.Values{
		"country":    {countries[code].name},
		"use_cursor": {"true"},
		"perPage":    {strconv.Itoa(perPage)},
	}
	if code == "NG" {
		query.Set("include_nip_sort_code", "true")
	}
	list := newList(code)
	for range maxPages {
		next, err := page(ctx, client, query, list)
		if err != nil {
			return nil, err
		}
		if next == "" {
			return list.banks()
		}
		if next == query.Get("next") {
			break
		}
		query.Set("next", next)
	}
	return nil, core.Errorf(core.Unavailable, "The banks of %s cannot be listed right now", code).
		With(upstream.Fail(upstream.Malformed, "paystack banks: the pages do not end"))
}

// page adds a page's rows to the list and returns the cursor of the next one.
func page(ctx context.Context, client *upstream.Client, query url.Values, list *list) (string, error) {
	var (
		rows []json.RawMessage
		meta struct {
			Next *string `json:"next"`
		}
	)
	err := client.Get(ctx, "banks", "/bank", query, func(a upstream.Answer) error {
		if err := a.Fault(); err != nil {
			return err
		}
		var body envelope
		if err := a.JSON(&body); err != nil {
			return err
		}
		if !body.Status {
			return upstream.Fail(upstream.Undecided, "status false")
		}
		if upstream.Decode(body.Data, &rows) != nil || rows == nil {
			return upstream.Fail(upstream.Malformed, "no list in the answer")
		}
		if len(body.Meta) > 0 && upstream.Decode(body.Meta, &meta) != nil {
			return upstream.Fail(upstream.Malformed, "a cursor that is none")
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for _, raw := range rows {
		var r row
		if upstream.Decode(raw, &r) == nil { // one odd row must not cost the list
			list.add(r)
		}
	}
	if meta.Next == nil {
		return "", nil
	}
	return *meta.Next, nil
}

// row is an institution as Paystack lists it.
type row struct {
	Name     string          `json:"name"`
	Code     string          `json:"code"`
	NIP      json.RawMessage `json:"nip_sort_code"` // a string; where it is anything else it is not used
	Active   *bool           `json:"active"`
	Deleted  *bool           `json:"is_deleted"`
	Country  string          `json:"country"`
	Currency string          `json:"currency"`
	Type     string          `json:"type"`
}

// list gathers the usable rows of a country.
type list struct {
	country string
	found   []core.Bank
	seen    map[string]bool // own codes and Paystack's
}

func newList(country string) *list { return &list{country: country, seen: map[string]bool{}} }

var (
	nipCode  = regexp.MustCompile(`^[0-9]{6}$`)
	bankCode = regexp.MustCompile(`^[0-9A-Z]{1,20}$`)
	cbnBank  = regexp.MustCompile(`^[0-9]{3}$`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// usable cleans a row, and reports false for one that is deleted, inactive, unnamed, codeless, of another country, or not
// an institution.
func (l *list) usable(r row) (row, bool) {
	r.Name = strings.Join(strings.Fields(r.Name), " ")
	r.Code = strings.ToUpper(strings.TrimSpace(r.Code))
	r.Type = strings.ToLower(strings.TrimSpace(r.Type))
	at := named(strings.TrimSpace(r.Country))
	switch {
	case r.Name == "", strings.EqualFold(r.Name, "Bad Entry"), !bankCode.MatchString(r.Code), r.Code == "NULL":
		return r, false
	case r.Active != nil && !*r.Active, r.Deleted != nil && *r.Deleted:
		return r, false
	default:
		return r, (at == "" || at == l.country) && r.Type != "mobile_money_business"
	}
}

// add takes a usable row over, unless its code is there already.
func (l *list) add(r row) {
	r, ok := l.usable(r)
	if !ok {
		return
	}
	b := core.Bank{
		Code: r.Code, Name: r.Name, Country: l.country, Currency: countries[l.country].currency,
		Channels: []core.Channel{core.BankTransfer}, Codes: map[string]string{Name: r.Code},
	}
	if given := strings.ToUpper(strings.TrimSpace(r.Currency)); currency.MatchString(given) {
		b.Currency = given
	}
	if r.Type == mobileMoney {
		b.Channels = []core.Channel{core.MobileMoney}
	}
	if nip, ok := nip(r.NIP); ok && l.country == "NG" {
		b.Code = nip
	}
	b.Type = bankType(l.country, r.Type, r.Name, b.Code)
	if l.seen[b.Code] || l.seen[Name+r.Code] {
		return
	}
	l.seen[b.Code], l.seen[Name+r.Code] = true, true
	l.found = append(l.found, b)
}

// nip reads a NIP code: a string of six digits. As a number it may have lost its zeros.
func nip(raw json.RawMessage) (string, bool) {
	var code string
	ok := len(raw) > 0 && upstream.Decode(raw, &code) == nil && nipCode.MatchString(code)
	return code, ok
}

// banks is the list; an empty one is a failure of the provider's, not a country without banks.
func (l *list) banks() ([]core.Bank, error) {
	if len(l.found) == 0 {
		return nil, core.Errorf(core.Unavailable, "The banks of %s cannot be listed right now", l.country).
			With(upstream.Fail(upstream.Malformed, "paystack banks: no usable row"))
	}
	return l.found, nil
}

// mobileMoney is Paystack's type of mobile-money operators.
const mobileMoney = "mobile_money"

// bankType tells the type from Paystack's, else from the name, else in Nigeria from the code. The name comes first: there are mortgage
// banks with the NIP codes of mobile-money operators.
func bankType(country, kind, name, code string) core.BankType {
	if kind == mobileMoney {
		return core.MobileMoneyBank
	}
	if t := typeByName(name); t != "" {
		return t
	}
	if country == "NG" && nipCode.MatchString(code) {
		if t, ok := institutions[code[:3]]; ok {
			return t
		}
	}
	if country == "NG" && !cbnBank.MatchString(code) {
		return core.OtherBank
	}
	return core.CommercialBank
}

// typeByName returns the type that a name tells, or "".
func typeByName(name string) core.BankType {
	name = strings.ToLower(name)
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case strings.Contains(name, "microfinance"), strings.Contains(name, "micro finance"), slices.Contains(words, "mfb"):
		return core.MicrofinanceBank
	case slices.Contains(words, "mortgage"):
		return core.MortgageBank
	case strings.Contains(name, "payment service bank"), slices.Contains(words, "psb"):
		return core.PaymentServiceBank
	case strings.Contains(name, "savings and loans"):
		return core.OtherBank
	case strings.Contains(name, "merchant bank"):
		return core.CommercialBank
	default:
		return ""
	}
}
