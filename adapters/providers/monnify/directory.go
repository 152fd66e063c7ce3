package monnify

import (
	"context"
	"encoding/json"

	"causeway/adapters/upstream"
	"causeway/adapters/upstream/institution"
	"causeway/core"
)

// Banks lists the institutions of Nigeria.
func (p *Provider) Banks(ctx context.Context, country string) ([]core.Bank, error) {
	if p.session == nil || country != nigeria {
		return nil, core.Errorf(core.Unsupported, "The banks of %s cannot be listed here", country)
	}
	var rows []json.RawMessage
	err := p.session.Do(ctx, upstream.Request{Op: "banks", Path: "/api/v1/banks"}, func(a upstream.Response) error {
		return well(a, &rows)
	})
	if err != nil {
		return nil, err
	}
	list := institution.New(Name, nigeria, currency)
	for _, raw := range rows {
		var row struct {
			Name string `json:"name"`
			Code string `json:"code"`
		}
		if upstream.Decode(raw, &row) == nil { // unreadable rows are left out
			list.Add(institution.Row{Own: row.Code, Name: row.Name})
		}
	}
	return list.Banks()
}
