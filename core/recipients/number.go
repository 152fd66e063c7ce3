package recipients

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"causeway/core"
)

// maxNumber is how many characters an account number may have. The longest, an IBAN in groups of
// four, has 42.
const maxNumber = 64

// normalize returns an account number in the form that providers expect, or the reason why it is
// not one. The reason contains no part of the number.
func normalize(country string, rule core.ChannelRule, sent core.Private) (core.Private, string) {
	if reason := checkLength(sent); reason != "" {
		return "", reason
	}
	number := compact(sent)
	if strings.ContainsFunc(number, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsDigit(r) }) {
		return "", "has digits of another script or width; only 0 to 9 are accepted"
	}
	pattern := rule.Account.Pattern
	if rule.Account.Phone {
		return phone(country, pattern, number, func(p *phonenumbers.PhoneNumber) string {
			return phonenumbers.Format(p, phonenumbers.E164)
		})
	}
	account, reason := bankAccount(country, pattern, strings.ToUpper(number))
	if account == "" && reason == "" && rule.Channel == core.MobileMoney && walletsByBankCode[country] {
		return phone(country, pattern, number, phonenumbers.GetNationalSignificantNumber)
	}
	if account == "" {
		return "", "has " + core.Private(number).Composition() + reason
	}
	return account, ""
}

func checkLength(sent core.Private) string {
	if n := utf8.RuneCountInString(sent.Reveal()); n > maxNumber {
		return fmt.Sprintf("has %d characters; at most %d are accepted", n, maxNumber)
	}
	if compact(sent) == "" {
		return "is required"
	}
	return ""
}

// compact removes spaces and hyphens.
func compact(sent core.Private) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-\u2010\u2011\u2012\u2013\u2212", r) {
			return -1
		}
		return r
	}, sent.Reveal())
}

// phone returns a mobile number of the country in the given format.
func phone(
	country string, pattern *regexp.Regexp, number string, format func(*phonenumbers.PhoneNumber) string,
) (core.Private, string) {
	number = strings.NewReplacer("(", "", ")", "", ".", "").Replace(number)
	if rest, ok := strings.CutPrefix(number, "00"); ok { // the usual way to write "+", whatever the country dials
		number = "+" + rest
	}
	digits := strings.TrimPrefix(number, "+")
	if digits == "" || strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return "", "has " + core.Private(number).Composition()
	}
	has := "has " + core.Private(digits).Composition() + " and"
	parsed, err := phonenumbers.Parse(number, country)
	if err != nil {
		return "", has + " is not a phone number"
	}
	if calling := int(parsed.GetCountryCode()); calling != phonenumbers.GetCountryCodeForRegion(country) {
		where := fmt.Sprintf("calling code +%d", calling)
		if region := phonenumbers.GetRegionCodeForNumber(parsed); isLetters(region, 2) {
			where = fmt.Sprintf("%s (+%d)", region, calling)
		}
		return "", fmt.Sprintf("%s is a phone number of %s, not of %s", has, where, country)
	}
	if text := format(parsed); isMobile(country, parsed) && pattern.MatchString(text) {
		return core.Private(text), ""
	}
	return "", has + " is not a mobile number of " + country
}

// isMobile reports whether a number is a mobile one of the country. The numbering plans of the
// library lag behind its own list of operators (it rejects 025 in Ghana and 0724 in Uganda), so a
// number of the right length with the prefix of an operator is also accepted.
func isMobile(country string, number *phonenumbers.PhoneNumber) bool {
	if phonenumbers.IsValidNumberForRegion(number, country) {
		kind := phonenumbers.GetNumberType(number)
		return kind == phonenumbers.MOBILE || kind == phonenumbers.FIXED_LINE_OR_MOBILE
	}
	return phonenumbers.IsPossibleNumberWithReason(number) == phonenumbers.IS_POSSIBLE &&
		operatorByPrefix(country, phonenumbers.GetNationalSignificantNumber(number)) != nil
}

// bankAccount returns the number of a bank account. Where accounts are RIBs, an IBAN is read as the
// RIB in it. A RIB with a wrong key is rejected: a character is mistyped, and the account would be
// another person's.
func bankAccount(country string, pattern *regexp.Regexp, number string) (core.Private, string) {
	iban := ibanForm.MatchString(number) && len(number) == ibanLengths[number[:2]] && mod97(number[4:]+number[:4]) == 1
	if iban && number[:2] == country && ribs[country] {
		number = number[4:]
	}
	switch {
	case !pattern.MatchString(number) && iban:
		return "", fmt.Sprintf(" and is an IBAN of %s, not an account number of %s", number[:2], country)
	case !pattern.MatchString(number):
		return "", ""
	case ribs[country] && mod97(ribDigits(number)) != 0:
		return "", " and is a RIB whose key, the last 2 digits, does not fit the rest: please check each character"
	}
	return core.Private(number), ""
}

// mod97 returns the remainder of a number, in which A to Z are 10 to 35 (ISO 13616).
func mod97(s string) int {
	rest := 0
	for _, c := range []byte(s) {
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest
}

// ribDigits replaces the letters of a RIB: A to I and J to R by 1 to 9, S to Z by 2 to 9. The
// result is a multiple of 97 if the key is right. Source: the examples of CI, CM, NE,
// SN and TG in the IBAN registry (github:globalcitizen/php-iban registry.txt, 2025-12).
func ribDigits(rib string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'S':
			return r - 'S' + '2'
		case r >= 'A':
			return (r-'A')%9 + '1'
		default:
			return r
		}
	}, rib)
}

// operatorByPrefix returns the operator with the longest prefix of a national number, or nil.
func operatorByPrefix(country, national string) *operator {
	var found *operator
	length := 0
	for i, o := range operators[country] {
		for _, prefix := range o.prefixes {
			if len(prefix) > length && strings.HasPrefix(national, prefix) {
				found, length = &operators[country][i], len(prefix)
			}
		}
	}
	return found
}

// nationalNumber returns a phone number without the calling code of its country.
func nationalNumber(country string, number core.Private) string {
	return strings.TrimPrefix(number.Reveal(), fmt.Sprint("+", phonenumbers.GetCountryCodeForRegion(country)))
}

// warnings returns what is unusual about a valid number. The check digit is verified for commercial
// banks only: other institutions derive account numbers from phone numbers, or have codes that the
// standard does not cover.
func warnings(q core.AccountQuery) []core.AccountWarning {
	var out []core.AccountWarning
	if holds, known := core.NUBAN(q.Bank, q.Number); known && !holds && q.Bank.Type == core.CommercialBank {
		out = append(out, core.CheckDigit)
	}
	if q.Channel == core.MobileMoney {
		is := func(o operator) bool { return slices.ContainsFunc(o.codes, q.Bank.Known) }
		o := operatorByPrefix(q.Country, nationalNumber(q.Country, q.Number))
		if o != nil && !is(*o) && slices.ContainsFunc(operators[q.Country], is) {
			out = append(out, core.OperatorPrefix)
		}
	}
	if usual, ok := usualLengths[bankKey{q.Country, q.Bank.Code}]; ok && q.Channel == core.BankTransfer {
		if n := len(q.Number); n < usual.min || n > usual.max {
			out = append(out, core.AccountLength)
		}
	}
	return out
}
