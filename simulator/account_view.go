package simulator

import "strings"

// AccountView is what a world knows of an account, and why.
type AccountView struct {
	Bank        string  `json:"bank"` // the institution's own code, or the channel of a pay bill or till
	Country     string  `json:"country"`
	Number      string  `json:"number"`
	Outcome     string  `json:"outcome"`                // what the providers do when they are asked about it
	AccountName *string `json:"account_name,omitempty"` // of the holder; nil where nobody is found
	Why         string  `json:"why"`                    // "set", "magic:404", or "seed"
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
