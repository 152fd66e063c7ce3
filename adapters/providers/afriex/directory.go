package afriex

import (
	"context"
	"encoding/json"
	"net/url"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Banks lists the institutions of a country at which Afriex names accounts: banks or operators of
// mobile money. It ignores page and total, which contradict each other in the documentation.
func (p *Provider) Banks(ctx context.Context, code string) ([]core.Bank, error) {
	country, ok := countries[code]
	if !ok || p.Client == nil {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", code)
	}
	var rows []json.RawMessage
	query := url.Values{"channel": {country.channel}, "countryCode": {code}}
	err := p.Client.Get(ctx, "banks", "/api/v1/payment-method/institution", query, func(a upstream.Response) error {
		var body struct {
			Data []json.RawMessage `json:"data"`
			Code string            `json:"code"` // of a failure
		}
		if err := a.Decode(&body); err != nil {
			return err
		}
		if body.Code != "" || body.Data == nil {
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
		var row struct {
			Name string `json:"institutionName"`
			Code string `json:"institutionCode"`
		}
		if upstream.Decode(raw, &row) == nil { // unreadable rows are left out
			list.Add(institution.Row{Own: row.Code, Name: row.Name, Wallet: country.channel == wallets})
		}
	}
	return list.Banks()
}
