package paystack

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/simulator/wire/provider"
)

// paystackRow is an institution of GET /bank.
type paystackRow struct {
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

	nip *string
}

// paystackNIPRow is a row with include_nip_sort_code.
type paystackNIPRow struct {
	paystackRow

	NIP *string `json:"nip_sort_code"`
}

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// listRow is an institution as Paystack lists it; false where it lists none of its kind.
func listRow(bank core.Bank, country paystackCountry, id int) (paystackRow, bool) {
	kind := country.kind
	switch {
	case slices.Contains(bank.Channels, core.PayBill), slices.Contains(bank.Channels, core.Till):
		kind = "mobile_money_business"
	case bank.Type == core.MobileMoneyBank && bank.Country != "NG": // Nigeria's wallets have account numbers
		kind = "mobile_money"
	case kind == "":
		return paystackRow{}, false
	}
	code := codeAtPaystack(bank)
	row := paystackRow{
		ID: id, Name: bank.Name, Slug: provider.Slug(bank.Name), Code: code, Longcode: code, Transfer: true, Active: true,
		Country: country.name, Currency: bank.Currency, Type: kind,
		Created: "2016-07-14T10:04:29.000Z", Updated: "2026-02-18T08:15:00.000Z",
	}
	if id%2 == 0 {
		row.Deleted = new(bool)
	}
	if bank.Country == "NG" && sixDigits.MatchString(bank.Code) && bank.Code != bank.Codes["cbn"] {
		row.nip = &bank.Code
	}
	return row, true
}

// withOddities adds to a country's rows what the real list is known for, and sorts it: a code that comes twice, an inactive
// row, a deleted one, one without a code, and the text "null" for a long code. Ids go on from the last one used.
func withOddities(rows []paystackRow, country paystackCountry, last int) []paystackRow {
	odd := func(n int, name, code string) paystackRow {
		row := rows[0]
		row.ID, row.Name, row.Slug, row.Code, row.Longcode, row.nip = last+n, name, provider.Slug(name), code, code, nil
		return row
	}
	twice := rows[0]
	twice.ID, twice.Slug = last+1, twice.Slug+"-2"
	inactive := odd(2, "Inactive Bank of "+country.name, "999801")
	inactive.Active = false
	deleted := odd(3, "Deleted Bank of "+country.name, "999802")
	yes := true
	deleted.Deleted = &yes
	out := append(slices.Clone(rows), twice, inactive, deleted, odd(4, "Bad Entry", ""))
	out[len(rows)-1].Longcode = "null"
	slices.SortFunc(out, func(a, b paystackRow) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// paystackList is a page of rows, or all of them.
type paystackList struct {
	Status  bool          `json:"status"`
	Message string        `json:"message"`
	Data    []any         `json:"data"`
	Meta    *paystackPage `json:"meta,omitempty"` // with a cursor alone
}

type paystackPage struct {
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	PerPage  int     `json:"perPage"`
}

const (
	usualPage = 50
	mostRows  = 100 // of a page
)

func (p *paystack) list(r *http.Request, home string) provider.Reply {
	query := r.URL.Query()
	country, known := countryAsked(query.Get("country"), cmp.Or(home, paystackHome[0]))
	if !known {
		return refusal(http.StatusBadRequest, validationError, `"country" is not supported`, "Provide one of the supported countries")
	}
	rows := p.known().lists[country]
	if query.Get("enabled_for_verification") == "true" {
		rows = p.verifiable(country)
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(row paystackRow) bool {
		return !agrees(query.Get("currency"), row.Currency) || !agrees(query.Get("type"), row.Type)
	})
	list := paystackList{Status: true, Message: "Banks retrieved", Data: []any{}}
	if query.Get("use_cursor") == "true" {
		size := usualPage
		if n, err := strconv.Atoi(query.Get("perPage")); err == nil && n > 0 {
			size = min(n, mostRows)
		}
		from, ok := position(cmp.Or(query.Get("next"), query.Get("previous")), len(rows))
		if !ok {
			return refusal(http.StatusBadRequest, validationError, "Invalid cursor", "Provide a cursor of an earlier answer")
		}
		list.Meta = &paystackPage{PerPage: size}
		if from+size < len(rows) {
			list.Meta.Next = cursor(from + size)
		}
		if from > 0 {
			list.Meta.Previous = cursor(max(0, from-size))
		}
		rows = rows[from:min(from+size, len(rows))]
	}
	for _, row := range rows {
		if query.Get("include_nip_sort_code") == "true" {
			list.Data = append(list.Data, paystackNIPRow{paystackRow: row, NIP: row.nip})
		} else {
			list.Data = append(list.Data, row)
		}
	}
	return provider.Answer(http.StatusOK, list)
}

// countryAsked returns the code of the country that the parameter names, or home where it is empty.
func countryAsked(parameter, home string) (string, bool) {
	if parameter == "" {
		return home, true
	}
	for code, c := range paystackCountries {
		if strings.EqualFold(c.parameter, parameter) {
			return code, true
		}
	}
	return "", false
}

// agrees reports whether a filter lets a value through. Its specification spells ghipps where its rows have ghipss.
func agrees(filter, value string) bool {
	if strings.EqualFold(filter, "ghipps") {
		filter = "ghipss"
	}
	return filter == "" || strings.EqualFold(filter, value)
}

const cursorPrefix = "bank:"

func cursor(index int) *string {
	text := base64.StdEncoding.EncodeToString([]byte(cursorPrefix + strconv.Itoa(index)))
	return &text
}

// position reads a cursor: an index within a list of that length, its end included.
func position(cursor string, length int) (int, bool) {
	if cursor == "" {
		return 0, true
	}
	raw, err := base64.StdEncoding.DecodeString(cursor)
	digits, ours := strings.CutPrefix(string(raw), cursorPrefix)
	index, notNumber := strconv.Atoi(digits)
	if err != nil || !ours || notNumber != nil || index < 0 || index > length {
		return 0, false
	}
	return index, true
}
