package flutterwave

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Banks lists the institutions of a country.
func (p *Provider) Banks(ctx context.Context, code string) ([]core.Bank, error) {
	country, ok := countries[code]
	if !ok || p.Client == nil {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", code)
	}
	var rows []json.RawMessage
	err := p.Client.Get(ctx, "banks", "/banks/"+code, nil, func(a upstream.Response) error {
		var body envelope
		if err := a.Decode(&body); err != nil {
			return err
		}
		if body.Status != succeeded {
			return upstream.Fail(upstream.Undecided, "status is not success")
		}
		if upstream.Decode(body.Data, &rows) != nil || rows == nil {
			return upstream.Fail(upstream.Malformed, "no list in the response")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	list := institution.New(Name, code, country.currency)
	for _, raw := range rows {
		var r row
		if upstream.Decode(raw, &r) == nil { // unreadable rows are left out
			list.Add(institution.Row{Own: r.Code, National: national(code, r.Code), Name: r.Name, Wallet: country.wallet(r)})
		}
	}
	return list.Banks()
}

// row is an institution as Flutterwave lists it.
type row struct {
	Code string `json:"code"`
	Name string `json:"name"`
}

var ghipss = regexp.MustCompile(`^GH([0-9]{6})$`)

// national returns the national code of an institution if its own code contains it.
func national(country, code string) string {
	if match := ghipss.FindStringSubmatch(code); match != nil && country == "GH" {
		return match[1]
	}
	return ""
}

// wallet reports whether a row is an operator of mobile money. Nigeria's are institutions with
// account numbers.
func (c country) wallet(r row) bool {
	name := strings.ToLower(r.Name)
	return !c.resolves && (slices.Contains(c.wallets, r.Code) || strings.Contains(name, "mobile money") ||
		strings.Contains(name, "mpesa") || strings.Contains(name, "m-pesa"))
}
