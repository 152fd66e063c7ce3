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

// lists are the institutions that Paystack lists, by country.
type lists struct {
	listed map[string][]row
	magic  map[string][]row // not listed
}

// codeOf returns the code of an institution, or "" in a country that Paystack does not serve.
func codeOf(bank core.Bank) string {
	if _, served := countries[bank.Country]; !served {
		return ""
	}
	return provider.CodeAt(Name, bank)
}

func newLists(all []core.Bank) *lists {
	l := &lists{map[string][]row{}, map[string][]row{}}
	for i, bank := range all {
		row, ok := newRow(bank, countries[bank.Country], i+1)
		switch {
		case ok && accounts.IsMagic(bank):
			l.magic[bank.Country] = append(l.magic[bank.Country], row)
		case ok:
			l.listed[bank.Country] = append(l.listed[bank.Country], row)
		}
	}
	for code, rows := range l.listed {
		l.listed[code] = withOddities(rows, countries[code], len(all))
	}
	return l
}

// id returns the id of an institution.
func (l *lists) id(bank core.Bank) int {
	for _, row := range slices.Concat(l.listed[bank.Country], l.magic[bank.Country]) {
		if row.Code == codeOf(bank) {
			return row.ID
		}
	}
	return 0
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

	NIP json.RawMessage `json:"nip_sort_code,omitempty"` // null without a code; with include_nip_sort_code only
}

// noNIP is the member of an institution without a NIP code.
var noNIP = json.RawMessage("null")

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// newRow returns an institution as Paystack lists it; false if it lists none of its kind.
func newRow(bank core.Bank, country country, id int) (row, bool) {
	kind := country.kind
	switch {
	case slices.Contains(bank.Channels, core.PayBill), slices.Contains(bank.Channels, core.Till):
		kind = "mobile_money_business"
	case provider.IsOperator(bank):
		kind = "mobile_money"
	case kind == "":
		return row{}, false
	}
	code := codeOf(bank)
	listed := row{
		ID: id, Name: bank.Name, Slug: provider.Slug(bank.Name), Code: code, Longcode: code, Transfer: true, Active: true,
		Country: country.name, Currency: bank.Currency, Type: kind,
		Created: "2016-07-14T10:04:29.000Z", Updated: "2026-02-18T08:15:00.000Z", NIP: noNIP,
	}
	if id%2 == 0 {
		listed.Deleted = new(bool)
	}
	if bank.Country == "NG" && sixDigits.MatchString(bank.Code) && bank.Code != bank.Codes["cbn"] {
		listed.NIP = json.RawMessage(`"` + bank.Code + `"`)
	}
	return listed, true
}

// withOddities adds to a country's rows what the real list has, and sorts it: a duplicate code, an
// inactive row, a deleted one, one without a code, and the text "null" for a long code. IDs follow
// the last one used.
func withOddities(rows []row, country country, last int) []row {
	odd := func(n int, name, code string) row {
		odd := rows[0]
		odd.ID, odd.Name, odd.Slug, odd.Code, odd.Longcode, odd.NIP = last+n, name, provider.Slug(name), code, code, noNIP
		return odd
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
	slices.SortFunc(out, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return out
}

const (
	defaultPage = 50
	maxPage     = 100
)

// list responds with the institutions of a country.
func (p *paystack) list(r *http.Request, home string) provider.Reply {
	query := r.URL.Query()
	country := cmp.Or(home, homes[0])
	if name := query.Get("country"); name != "" {
		country = countryNamed(name)
	}
	rows := p.lists().listed[country]
	switch {
	case country == "":
		return invalid(`"country" is not supported`, "Provide one of the supported countries")
	case query.Get("enabled_for_verification") == "true":
		rows = p.verifiable(country)
	}
	rows = slices.DeleteFunc(append([]row{}, rows...), func(row row) bool {
		return !agrees(query.Get("currency"), row.Currency) || !agrees(query.Get("type"), row.Type)
	})
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
	if query.Get("include_nip_sort_code") != "true" {
		for i := range rows {
			rows[i].NIP = nil
		}
	}
	list["data"] = rows
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

// agrees reports whether a filter accepts a value. The specification has ghipps where rows have
// ghipss.
func agrees(filter, value string) bool {
	if strings.EqualFold(filter, "ghipps") {
		filter = "ghipss"
	}
	return filter == "" || strings.EqualFold(filter, value)
}

const cursorPrefix = "bank:"

func cursor(index int) string {
	return base64.StdEncoding.EncodeToString([]byte(cursorPrefix + strconv.Itoa(index)))
}

// position reads a cursor: an index within a list of a length, its end included.
func position(cursor string, length int) (int, bool) {
	if cursor == "" {
		return 0, true
	}
	raw, err := base64.StdEncoding.DecodeString(cursor)
	digits, ok := strings.CutPrefix(string(raw), cursorPrefix)
	index, notNumber := strconv.Atoi(digits)
	return index, err == nil && ok && notNumber == nil && index >= 0 && index <= length
}
