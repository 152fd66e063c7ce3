package korapay

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Banks lists the institutions of a country: its banks and its operators of mobile money, where
// Kora has a list of these. One that is missing is Unavailable, never the other alone.
func (p *Provider) Banks(ctx context.Context, code string) ([]core.Bank, error) {
	country, ok := countries[code]
	if !ok || p.Client == nil {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", code)
	}
	list := institution.New(Name, code, country.currency)
	for _, path := range country.lists {
		rows, err := p.rows(ctx, path, code)
		if err != nil {
			return nil, err
		}
		for _, raw := range rows {
			var r row
			if upstream.Decode(raw, &r) == nil && (r.Country == "" || r.Country == code) { // unreadable rows are left out
				list.Add(institution.Row{Own: r.Code, National: r.national(code, path), Name: r.Name, Wallet: path == wallets})
			}
		}
	}
	return list.Banks()
}

// rows requests a list.
func (p *Provider) rows(ctx context.Context, path, country string) ([]json.RawMessage, error) {
	var rows []json.RawMessage
	err := p.Client.Get(ctx, "banks", path, url.Values{"countryCode": {country}}, func(a upstream.Response) error {
		var body envelope
		if err := a.Decode(&body); err != nil {
			return err
		}
		if body.Status == nil || !*body.Status {
			return upstream.Fail(upstream.Undecided, "status is not true")
		}
		if upstream.Decode(body.Data, &rows) != nil || rows == nil {
			return upstream.Fail(upstream.Malformed, "no list in the response")
		}
		return nil
	})
	return rows, err
}

// row is an institution as Kora lists it.
type row struct {
	Name    string          `json:"name"`
	Slug    string          `json:"slug"`
	Code    string          `json:"code"`
	NIP     json.RawMessage `json:"nibss_bank_code"` // a string or null; anything else is not used
	Country string          `json:"country"`
}

var (
	kba = regexp.MustCompile(`^00([0-9]{2})$`)
	nip = regexp.MustCompile(`^"([0-9]{6})"$`)
)

// national returns the national code of an institution: an operator's usual short code, a Kenyan
// bank's KBA code, or the NIP code of an institution of Nigeria, where Kora's own codes look like
// CBN codes: Paga is 916. An unknown operator has its slug, because its code may be a bank's.
func (r row) national(country, path string) string {
	if path == wallets {
		if code, ok := operators[r.Slug]; ok {
			return code
		}
		return slugCode(r.Slug)
	}
	if match := kba.FindStringSubmatch(r.Code); match != nil && country == "KE" {
		return match[1]
	}
	if match := nip.FindSubmatch(r.NIP); match != nil && country == "NG" {
		return string(match[1])
	}
	return ""
}
