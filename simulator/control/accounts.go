package control

import (
	"net/http"
	"slices"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
)

// bankView is an institution as the API shows it.
type bankView struct {
	Country  string         `json:"country"`
	Code     string         `json:"code"`
	Name     string         `json:"name"`
	Type     core.BankType  `json:"type"`
	Currency string         `json:"currency"`
	Channels []core.Channel `json:"channels"`
	Aliases  []string       `json:"aliases"`
	Magic    bool           `json:"magic"`
}

func aboutAccounts() []operation {
	const (
		tag     = "Accounts"
		account = "/worlds/{id}/accounts/{bank}/{number}"
	)
	country := []parameter{{name: "country", doc: "The institution's country, where its code is one of several countries", example: "NG"}}
	return []operation{
		{
			id: "list-institutions", method: http.MethodGet, path: "/worlds/{id}/banks", tag: tag, summary: "List the institutions that the world's providers know", said: "Institutions",
			doc:   "The same in every world of a sandbox. At those that are `magic` the last digits of an account number say what happens; the catalog lists them.",
			query: []parameter{{name: "country", doc: "Those of one country", example: "NG"}},
			gives: []bankView{exampleBank()}, handle: listInstitutions,
		},
		{
			id: "list-accounts", method: http.MethodGet, path: "/worlds/{id}/accounts", tag: tag, summary: "List the accounts that were set", said: "Accounts",
			doc: "By country, institution and number.", gives: []accounts.Setting{exampleAccountSetting()},
			handle: func(c *call) (any, error) { return c.world.Accounts(), nil },
		},
		{
			id: "get-account", method: http.MethodGet, path: account, tag: tag, summary: "Show what the world knows of an account", said: "Account", query: country, gives: exampleAccount(),
			doc:    "What the providers do when they are asked about it, who holds it, and whether that was set, comes from its magic number, or from the seed.",
			handle: func(c *call) (any, error) { return c.account(c.query["country"]) },
		},
		{
			id: "set-account", method: http.MethodPut, path: account, tag: tag, summary: "Set an account", said: "Account set",
			takes: exampleOverlay(), more: []example{{"no such account", map[string]any{"outcome": "unknown"}}}, gives: exampleAccount(), records: true,
			doc: "Its holder's name, or what the providers do when they are asked about it, or both. The institution is named by its code or any alias; a pay bill or till by its channel. The catalog lists " +
				"the outcomes. It holds from the next request on: what the world's services remember of accounts is forgotten.",
			handle: setAccount,
		},
		{
			id: "remove-account", method: http.MethodDelete, path: account, tag: tag, summary: "Forget what was set for an account", said: "Account forgotten", query: country,
			doc: "It is again what the seed makes of it.", gives: exampleAccount(), records: true,
			handle: func(c *call) (any, error) {
				if err := c.world.RemoveAccount(c.r.PathValue("bank"), c.r.PathValue("number"), c.query["country"]); err != nil {
					return nil, err
				}
				return c.account(c.query["country"])
			},
		},
	}
}

// account shows the account of the path.
func (c *call) account(country string) (any, error) {
	return c.world.AccountOf(c.r.PathValue("bank"), c.r.PathValue("number"), country)
}

func setAccount(c *call) (any, error) {
	o, err := read[accounts.Overlay](c.body)
	if err != nil {
		return nil, err
	}
	if err := c.world.SetAccount(c.r.PathValue("bank"), c.r.PathValue("number"), o); err != nil {
		return nil, err
	}
	return c.account(o.Country)
}

func listInstitutions(c *call) (any, error) {
	country := strings.ToUpper(c.query["country"])
	out := []bankView{}
	var countries []string
	for _, b := range c.world.Banks() {
		countries = append(countries, b.Country)
		if country != "" && b.Country != country {
			continue
		}
		out = append(out, bankView{
			Country: b.Country, Code: b.Code, Name: b.Name, Type: b.Type, Currency: b.Currency, Channels: b.Channels, Aliases: append([]string{}, b.Aliases()...),
			Magic: accounts.IsMagic(b),
		})
	}
	if len(out) == 0 && country != "" {
		return nil, core.InvalidField("country", "%s; accepted: %s", core.Quoted(country), strings.Join(slices.Compact(countries), ", "))
	}
	return out, nil
}
