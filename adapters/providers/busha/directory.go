package busha

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Countries returns the countries whose accounts Busha resolves, sorted; none without a key.
func (p *Provider) Countries() []string {
	if p.accounts == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(countries))
}

// Banks lists the institutions of a country.
func (p *Provider) Banks(ctx context.Context, code string) ([]core.Bank, error) {
	country, ok := countries[code]
	if !ok || p.accounts == nil {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", code)
	}
	var rows []json.RawMessage
	query := url.Values{"country": {code}, "currency": {country.currency}}
	err := p.accounts.Get(ctx, "banks", "/v1/banks", query, func(a upstream.Response) error {
		var body envelope
		if err := a.Decode(&body); err != nil {
			return err
		}
		if body.Status != succeeded || body.Data == nil {
			return upstream.Fail(upstream.Malformed, "no list in the response")
		}
		rows = body.Data
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := institution.New(Name, code, country.currency)
	for _, raw := range rows {
		var r row
		if upstream.Decode(raw, &r) == nil && (r.Country == "" || r.Country == code) { // unreadable rows are left out
			list.Add(institution.Row{Own: r.Code, Name: r.Name, Wallet: r.wallet(code)})
		}
	}
	return list.Banks()
}

// row is an institution of the list.
type row struct {
	Name    string `json:"name"`
	Code    string `json:"code"`
	Country string `json:"country"`
	Type    string `json:"type"`
}

// wallet reports whether a row is an operator of mobile money. Nigeria's are institutions with
// account numbers.
func (r row) wallet(country string) bool {
	return country != nigeria && (r.Type == "" || r.Type == string(core.MobileMoneyBank))
}
