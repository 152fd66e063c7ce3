package paystack

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

const (
	perPage  = 100
	maxPages = 30 // Nigeria has 4
)

// Banks lists the institutions of a country. For South Africa it also reads which of them support
// validation.
func (p *Provider) Banks(ctx context.Context, code string) ([]core.Bank, error) {
	if p.clients[code] == nil {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", code)
	}
	parameter := ""
	if code == "NG" {
		parameter = "include_nip_sort_code"
	}
	banks, err := p.list(ctx, code, parameter)
	if err != nil || code != southAfrica {
		return banks, err
	}
	taking, err := p.list(ctx, code, "enabled_for_verification")
	if err != nil {
		return nil, err
	}
	codes := make(map[string]struct{}, len(taking))
	for _, b := range taking {
		codes[b.Codes[Name]] = struct{}{}
	}
	p.validates.Store(&codes)
	return banks, nil
}

// list reads a list with a parameter set, page by page. It returns the complete list or an error.
func (p *Provider) list(ctx context.Context, code, parameter string) ([]core.Bank, error) {
	query := url.Values{
		"country":    {countries[code].name},
		"use_cursor": {"true"},
		"perPage":    {strconv.Itoa(perPage)},
	}
	if parameter != "" {
		query.Set(parameter, "true")
	}
	list := institution.New(Name, code, countries[code].currency)
	for range maxPages {
		next, err := page(ctx, p.clients[code], query, func(r row) { add(list, code, r) })
		if err != nil {
			return nil, err
		}
		if next == "" {
			return list.Banks()
		}
		if next == query.Get("next") {
			break
		}
		query.Set("next", next)
	}
	return nil, core.Errorf(core.Unavailable, "The banks of %s cannot be listed right now", code).
		With(upstream.Fail(upstream.Malformed, "paystack banks: the pages do not end"))
}

// page passes the rows of a page on and returns the cursor of the next page.
func page(ctx context.Context, client *upstream.Client, query url.Values, take func(row)) (string, error) {
	var (
		rows []json.RawMessage
		meta struct {
			Next *string `json:"next"`
		}
	)
	request := upstream.Request{Op: "banks", Path: "/bank", Query: query}
	err := client.Do(ctx, request, func(a upstream.Response) error {
		var body envelope
		if err := a.Decode(&body); err != nil {
			return err
		}
		if !body.Status {
			return upstream.Fail(upstream.Undecided, "status false")
		}
		if upstream.Decode(body.Data, &rows) != nil || rows == nil {
			return upstream.Fail(upstream.Malformed, "no list in the response")
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
		if upstream.Decode(raw, &r) == nil { // unreadable rows are left out
			take(r)
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

var (
	nipCode  = regexp.MustCompile(`^[0-9]{6}$`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// add adds a row, unless it is deleted, inactive, of another country, or a till.
func add(list *institution.List, country string, r row) {
	kind, at := strings.ToLower(strings.TrimSpace(r.Type)), named(strings.TrimSpace(r.Country))
	switch {
	case r.Active != nil && !*r.Active, r.Deleted != nil && *r.Deleted, at != "" && at != country,
		kind == "mobile_money_business":
		return
	}
	out := institution.Row{Own: strings.ToUpper(strings.TrimSpace(r.Code)), Name: r.Name, Wallet: kind == "mobile_money"}
	if given := strings.ToUpper(strings.TrimSpace(r.Currency)); currency.MatchString(given) {
		out.Currency = given
	}
	if nip, ok := nip(r.NIP); ok && country == "NG" {
		out.National = nip
	}
	list.Add(out)
}

// nip reads a NIP code: a string of six digits. As a number it may have lost its zeros.
func nip(raw json.RawMessage) (string, bool) {
	var code string
	ok := len(raw) > 0 && upstream.Decode(raw, &code) == nil && nipCode.MatchString(code)
	return code, ok
}
