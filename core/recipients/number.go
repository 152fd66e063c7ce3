package recipients

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"

	"causeway/core"
)

// longest is how many characters an account number may have, spaces included. The longest in use, an IBAN in groups
// of four, has 42.
const longest = 64

// normalise returns an account number as it is asked for, or the reason why it cannot be one. The reason shows no
// part of the number.
func normalise(country string, rule core.ChannelRule, sent core.Private) (core.Private, string) {
	if reason := tooLong(sent); reason != "" {
		return "", reason
	}
	number := compact(sent)
	if number == "" {
		return "", "is required"
	}
	if otherDigits(number) {
		return "", "has digits of another script or width; only 0 to 9 are read"
	}
	pattern := rule.Account.Pattern
	if rule.Account.Phone {
		return phone(country, pattern, number, func(p *phonenumbers.PhoneNumber) string { return phonenumbers.Format(p, phonenumbers.E164) })
	}
	account, reason := bankAccount(country, pattern, strings.ToUpper(number))
	switch {
	case account != "":
		return account, ""
	case reason == "" && rule.Channel == core.MobileMoney && walletsByBankCode[country]:
		return phone(country, pattern, number, phonenumbers.GetNationalSignificantNumber)
	default:
		return "", "has " + core.Private(number).Composition() + reason
	}
}

// phone returns a phone number in the given spelling, if it is a mobile one of the country whose spelling the pattern accepts.
func phone(country string, pattern *regexp.Regexp, number string, spell func(*phonenumbers.PhoneNumber) string) (core.Private, string) {
	number = strings.NewReplacer("(", "", ")", "", ".", "").Replace(number)
	if after, ok := strings.CutPrefix(number, "00"); ok { // the usual way to write "+", whatever the country itself dials
		number = "+" + after
	}
	if !isDigits(strings.TrimPrefix(number, "+")) {
		return "", "has " + core.Private(number).Composition()
	}
	has := "has " + core.Private(strings.TrimPrefix(number, "+")).Composition() + " and"
	parsed, err := phonenumbers.Parse(number, country)
	if err != nil {
		return "", has + " is not a phone number"
	}
	if calling := int(parsed.GetCountryCode()); calling != phonenumbers.GetCountryCodeForRegion(country) {
		return "", fmt.Sprintf("%s is a phone number of %s, not of %s", has, placeOf(parsed), country)
	}
	normal := spell(parsed)
	if !mobile(country, parsed) || !pattern.MatchString(normal) {
		return "", has + " is not a mobile number of " + country
	}
	return core.Private(normal), ""
}

// placeOf names the country of a phone number, or its calling code where no country has the number.
func placeOf(number *phonenumbers.PhoneNumber) string {
	if region := phonenumbers.GetRegionCodeForNumber(number); letters(region, 2) {
		return fmt.Sprintf("%s (+%d)", region, number.GetCountryCode())
	}
	return fmt.Sprintf("calling code +%d", number.GetCountryCode())
}

// mobile reports whether a number is a mobile one of the country. The library's numbering plans lag behind its own
// list of operators (it refuses 025 in Ghana and 0724 in Uganda), so a number of the right length with a known
// operator's prefix is one too.
func mobile(country string, number *phonenumbers.PhoneNumber) bool {
	if phonenumbers.IsValidNumberForRegion(number, country) {
		kind := phonenumbers.GetNumberType(number)
		return kind == phonenumbers.MOBILE || kind == phonenumbers.FIXED_LINE_OR_MOBILE
	}
	return phonenumbers.IsPossibleNumberWithReason(number) == phonenumbers.IS_POSSIBLE &&
		prefixOf(country, phonenumbers.GetNationalSignificantNumber(number)) != nil
}

// compact returns a number without its spaces and hyphens.
func compact(sent core.Private) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-\u2010\u2011\u2012\u2013\u2212", r) {
			return -1
		}
		return r
	}, sent.Reveal())
}

func tooLong(sent core.Private) string {
	if n := utf8.RuneCountInString(sent.Reveal()); n > longest {
		return fmt.Sprintf("has %d characters; at most %d are read", n, longest)
	}
	return ""
}

func otherDigits(number string) bool {
	return strings.ContainsFunc(number, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsDigit(r) })
}
