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
	"causeway/simulator/wire/format"
)

// codeOf returns the code of an institution, or "" in a country that Paystack does not serve.
func codeOf(bank core.Bank) string {
	if _, served := countries[bank.Country]; !served {
		return ""
	}
	return format.CodeAt(Name, bank)
}

// row is an institution of GET /bank.
type row struct {
	Name     string `json:"name"`
	Code     string `json:"code"`
	Active   bool   `json:"active"`
	Deleted  *bool  `json:"is_deleted"` // false in old rows, null in others
	Country  string `json:"country"`
	Currency string `json:"currency"`
	Type     string `json:"type"`

	NIP any `json:"nip_sort_code,omitempty"` // noNIP without a code; with include_nip_sort_code only
}

var noNIP = json.RawMessage("null")

// kindOf returns the type of an institution, or "" if Paystack lists none of its kind.
func kindOf(bank core.Bank) string {
	switch {
	case slices.Contains(bank.Channels, core.PayBill), slices.Contains(bank.Channels, core.Till):
		return "mobile_money_business"
	case format.IsOperator(bank):
		return "mobile_money"
	default:
		return countries[bank.Country].kind
	}
}

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// rowsOf returns the institutions of a country that Paystack lists, by name, and the magic ones,
// which are not listed.
func rowsOf(r *format.Request, code string) (listed, magic []row) {
	in := countries[code]
	for _, bank := range r.World.Banks() {
		kind := kindOf(bank)
		if bank.Country != code || kind == "" {
			continue
		}
		row := row{
			Name: bank.Name, Code: codeOf(bank), Active: true, Country: in.name, Currency: bank.Currency, Type: kind, NIP: noNIP,
		}
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
		listed = withOddities(listed)
	}
	slices.SortFunc(listed, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Code, b.Code))
	})
	return listed, magic
}

// withOddities adds to a country's rows what the real list has: a duplicate code, an inactive row,
// one that is deleted and ones that are not, and one without a code.
func withOddities(rows []row) []row {
	first := rows[0]
	odd := func(name, code string, active, deleted bool) row {
		return row{name, code, active, &deleted, first.Country, first.Currency, first.Type, noNIP}
	}
	return append(rows, first, odd("Inactive Bank of "+first.Country, "999801", false, false),
		odd("Deleted Bank of "+first.Country, "999802", true, true), odd("Bad Entry", "", true, false))
}

const (
	defaultPage = 50
	maxPage     = 100
)

// list responds with the institutions of a country.
func list(r *format.Request, home string) format.Reply {
	query := r.URL.Query()
	country := home
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
	return format.Answer(http.StatusOK, list)
}

// countryNamed returns the code of a country by its parameter, or "".
func countryNamed(parameter string) string {
	for code, c := range countries {
		if strings.EqualFold(c.name, parameter) {
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
