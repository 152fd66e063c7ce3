package accounts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"causeway/core"
)

// Directory holds the institutions that the simulated providers know, by country and code. All worlds share it,
// and it never changes.
type Directory struct{ banks []core.Bank }

// NewDirectory returns a directory of institutions with unique codes per country.
func NewDirectory(banks []core.Bank) (*Directory, error) {
	d := &Directory{slices.Clone(banks)}
	slices.SortFunc(d.banks, func(a, b core.Bank) int {
		return cmp.Or(strings.Compare(a.Country, b.Country), strings.Compare(a.Code, b.Code))
	})
	for i := 1; i < len(d.banks); i++ {
		if a, b := d.banks[i-1], d.banks[i]; a.Country == b.Country && a.Code == b.Code {
			return nil, fmt.Errorf("two banks of %s have the code %q: %s, %s", a.Country, a.Code, a.Name, b.Name)
		}
	}
	return d, nil
}

// Banks returns the institutions, by country and code. Callers must not change them.
func (d *Directory) Banks() []core.Bank { return d.banks }

// find finds an institution by its own code or an alias. The country may be empty if the code is unique.
func (d *Directory) find(code, country string) (core.Bank, error) {
	var own, found []core.Bank
	for _, b := range d.banks {
		if country != "" && !strings.EqualFold(b.Country, country) || !b.Known(code) {
			continue
		}
		found = append(found, b)
		if strings.EqualFold(b.Code, code) {
			own = append(own, b)
		}
	}
	if len(own) > 0 {
		found = own
	}
	quoted := core.Quoted(code)
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && country != "":
		return core.Bank{}, core.InvalidField("bank",
			"%s is not an institution of %s; accepted: any code or alias of GET /v1/banks?country=%s",
			quoted, core.Quoted(country), country)
	case len(found) == 0:
		return core.Bank{}, core.InvalidField("bank",
			"%s is not an institution; accepted: any code or alias of GET /v1/banks, pay_bill, till", quoted)
	case found[0].Country == found[len(found)-1].Country:
		return core.Bank{}, core.InvalidField("bank", "%s is an alias of several institutions; accepted: %s", quoted,
			listed(found, func(b core.Bank) string { return b.Code }))
	}
	return core.Bank{}, core.InvalidField("country", "is needed: %s is an institution of several; accepted: %s", quoted,
		d.countriesOf(found))
}

func (d *Directory) countriesOf(banks []core.Bank) string {
	return listed(banks, func(b core.Bank) string { return b.Country })
}

// organizationCountry is the only country with pay bills and tills.
const organizationCountry = "KE"

// holder finds the institution of an account and its number there. A pay bill or till is named by its channel.
func (d *Directory) holder(bank, number, country string) (core.Bank, string, error) {
	channel := core.Channel(bank)
	if channel != core.PayBill && channel != core.Till {
		b, err := d.find(bank, country)
		return b, number, err
	}
	country = cmp.Or(country, organizationCountry)
	if !slices.ContainsFunc(d.banks, func(b core.Bank) bool { return b.Country == country }) {
		return core.Bank{}, "", core.InvalidField("country", "%s is not served; accepted: %s", core.Quoted(country),
			d.countriesOf(d.banks))
	}
	return Organization(country), OrganizationNumber(channel, number), nil
}

// listed joins a property of banks, each value once.
func listed(banks []core.Bank, property func(core.Bank) string) string {
	var out []string
	for _, b := range banks {
		out = append(out, property(b))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
