package simulator

import "strings"

// AccountView is what a world knows of an account, and why.
type AccountView struct {
	Bank        string  `json:"bank" doc:"Code of the institution, or the channel of a pay bill or till" example:"000013"`
	Country     string  `json:"country" doc:"Country of the institution" example:"NG"`
	Number      string  `json:"number" doc:"Account number" example:"0123456789"`
	Outcome     string  `json:"outcome" doc:"How providers respond to requests for the account" example:"found"`
	AccountName *string `json:"account_name,omitempty" doc:"Name of the account holder; absent if no account is found" example:"TEST ADA OKAFOR"`
	Why         string  `json:"why" doc:"What decided the outcome: set, a magic number such as magic:404, or seed" example:"set"`
}

// AccountOf tells about an account as SetAccount finds it. The error names what is not accepted.
func (w *World) AccountOf(bank, number, country string) (AccountView, error) {
	setting, key, err := w.place(bank, number, country)
	out := AccountView{Bank: setting.Bank, Country: setting.Country, Number: setting.Number, Why: "seed"}
	b, held, unknown := w.holder(bank, setting.Number, strings.ToUpper(country))
	if unknown != nil {
		return out, unknown
	}
	row := magicRow(held)
	switch {
	case row != nil && Magic(b):
		out.Why = "magic:" + row.Suffix
	case err != nil:
		return out, err
	default:
		if _, set := w.accounts.find(key); set {
			out.Why = "set"
		}
	}
	a := w.Account(b, held)
	if out.Outcome = string(a.Outcome); a.Outcome.finds() {
		out.AccountName = &a.Name
	}
	return out, nil
}
