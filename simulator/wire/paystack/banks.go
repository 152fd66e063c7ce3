package paystack

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/wire/provider"
)

// codeOf returns the code of an institution, or "" in a country that Paystack does not serve.
func codeOf(bank core.Bank) string {
	if _, served := countries[bank.Country]; !served {
		return ""
	}
	return provider.CodeAt(Name, bank)
}

// row is an institution of GET /bank.
type row struct {
	ID          int     `json:"id"`
	Name        string  `json:"name"`
	Slug        string  `json:"slug"`
	Code        string  `json:"code"`
	Longcode    string  `json:"longcode"`
	Gateway     *string `json:"gateway"`
	PayWithBank bool    `json:"pay_with_bank"`
	Transfer    bool    `json:"supports_transfer"`
	DirectDebit bool    `json:"available_for_direct_debit"`
	Active      bool    `json:"active"`
	Deleted     *bool   `json:"is_deleted"` // false in old rows, null in others
	Country     string  `json:"country"`
	Currency    string  `json:"currency"`
	Type        string  `json:"type"`
	Created     string  `json:"createdAt"`
	Updated     string  `json:"updatedAt"`

	NIP any `json:"nip_sort_code,omitempty"` // noNIP without a code; with include_nip_sort_code only
}

var noNIP = json.RawMessage("null")

// newRow returns an institution with a code in a country.
func newRow(id int, name, code, currency, kind string, in country) row {
	out := row{
		ID: id, Name: name, Slug: provider.Slug(name), Code: code, Longcode: code, Transfer: true, Active: true,
		Country: in.name, Currency: currency, Type: kind,
		Created: "2016-07-14T10:04:29.000Z", Updated: "2026-02-18T08:15:00.000Z", NIP: noNIP,
	}
	if id%2 == 0 {
		out.Deleted = new(bool)
	}
	return out
}

// kindOf returns the type of an institution, or "" if Paystack lists none of its kind.
func kindOf(bank core.Bank) string {
	switch {
	case slices.Contains(bank.Channels, core.PayBill), slices.Contains(bank.Channels, core.Till):
		return "mobile_money_business"
	case provider.IsOperator(bank):
		return "mobile_money"
	default:
		return countries[bank.Country].kind
	}
}

// bankID returns the id of an institution.
func bankID(r *provider.Request, bank core.Bank) int {
	return 1 + slices.IndexFunc(r.Banks(), func(b core.Bank) bool { return b.Country == bank.Country && b.Code == bank.Code })
}

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// rowsOf returns the institutions of a country that Paystack lists, by name, and the magic ones, which
// are not listed.
func rowsOf(r *provider.Request, code string) (listed, magic []row) {
	in := countries[code]
	for i, bank := range r.Banks() {
		kind := kindOf(bank)
		if bank.Country != code || kind == "" {
			continue
		}
		row := newRow(i+1, bank.Name, codeOf(bank), bank.Currency, kind, in)
		if code == "NG" && sixDigits.MatchString(bank.Code) && bank.Code != bank.Codes["cbn"] {
			row.NIP = bank.Code
		}
		if accounts.IsMagic(bank) {
			magic = append(magic, row)
		} else {
			listed = append(listed, row)
		}
	}
	if len(listed) > 0 {
		listed = withOddities(listed, in, len(r.Banks()))
	}
	slices.SortFunc(listed, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return listed, magic
}

// withOddities adds to a country's rows what the real list has: a duplicate code, an inactive row, a
// deleted one, one without a code, and the text "null" for a long code. IDs follow the last one used.
func withOddities(rows []row, in country, last int) []row {
	first := rows[0]
	odd := func(n int, name, code string) row { return newRow(last+n, name, code, first.Currency, first.Type, in) }
	twice, inactive := first, odd(2, "Inactive Bank of "+in.name, "999801")
	twice.ID, twice.Slug = last+1, first.Slug+"-2"
	inactive.Active = false
	deleted, bad := odd(3, "Deleted Bank of "+in.name, "999802"), odd(4, "Bad Entry", "")
	deleted.Deleted = new(true)
	rows[len(rows)-1].Longcode = "null"
	return append(rows, twice, inactive, deleted, bad)
}

const (
	defaultPage = 50
	maxPage     = 100
)

// list responds with the institutions of a country.
func list(r *provider.Request, home string) provider.Reply {
	query := r.URL.Query()
	country := cmp.Or(home, homes[0])
	if name := query.Get("country"); name != "" {
		country = countryNamed(name)
	}
	if country == "" {
		return invalid(`"country" is not supported`, "Provide one of the supported countries")
	}
	rows, magic := rowsOf(r, country)
	if query.Get("enabled_for_verification") == "true" {
		rows = slices.DeleteFunc(append(rows, magic...), func(r row) bool {
			return !countries[country].validates || !validates(r.Code)
		})
	}
	if query.Get("include_nip_sort_code") != "true" {
		for i := range rows {
			rows[i].NIP = nil
		}
	}
	list := map[string]any{"status": true, "message": "Banks retrieved"}
	if query.Get("use_cursor") == "true" {
		size := defaultPage
		if n, err := strconv.Atoi(query.Get("perPage")); err == nil && n > 0 {
			size = min(n, maxPage)
		}
		from, ok := position(query.Get("next"), len(rows))
		if !ok {
			return invalid("Invalid cursor", "Provide a cursor of an earlier answer")
		}
		meta := map[string]any{"next": nil, "previous": nil, "perPage": size}
		if from+size < len(rows) {
			meta["next"] = cursor(from + size)
		}
		if from > 0 {
			meta["previous"] = cursor(max(0, from-size))
		}
		list["meta"] = meta
		rows = rows[from:min(from+size, len(rows))]
	}
	list["data"] = append([]row{}, rows...)
	return provider.Answer(http.StatusOK, list)
}

// countryNamed returns the code of a country by its parameter, or "".
func countryNamed(parameter string) string {
	for code, c := range countries {
		if strings.EqualFold(c.parameter, parameter) {
			return code
		}
	}
	return ""
}

func cursor(index int) string {
	return base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(index)))
}

// position reads a cursor: an index within a list of a length, its end included.
func position(cursor string, length int) (int, bool) {
	if cursor == "" {
		return 0, true
	}
	digits, err := base64.StdEncoding.DecodeString(cursor)
	index, notNumber := strconv.Atoi(string(digits))
	return index, err == nil && notNumber == nil && index >= 0 && index <= length
}
