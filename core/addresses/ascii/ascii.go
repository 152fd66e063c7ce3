// Package ascii has the letter tables and case rules that the decoders share.
package ascii

import "strings"

// Values are the values of the letters of an alphabet, -1 for every other byte.
type Values [256]int8

// NewValues inverts an alphabet. The letters of second, if any, have the same values.
func NewValues(alphabet, second string) Values {
	var values Values
	for i := range values {
		values[i] = -1
	}
	for i := range len(alphabet) {
		values[alphabet[i]] = int8(i)
	}
	for i := range len(second) {
		values[second[i]] = int8(i)
	}
	return values
}

// Contains reports whether every byte of a text is a letter of the alphabet.
func (v *Values) Contains(text string) bool {
	for i := range len(text) {
		if v[text[i]] < 0 {
			return false
		}
	}
	return true
}

// Hex are the values of the hexadecimal digits in either case.
var Hex = NewValues("0123456789abcdef", "0123456789ABCDEF")

// IsHex reports whether a text has hexadecimal digits only, and at least one.
func IsHex(text string) bool { return text != "" && Hex.Contains(text) }

// IsDigits reports whether a text has decimal digits only, and at least one.
func IsDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// IsAlphanumeric reports whether a byte is a letter or a digit.
func IsAlphanumeric(c byte) bool { return classes[c] != 0 }

// classes marks lower-case letters with 1, upper-case letters with 2 and digits with 4.
var classes = newClasses()

func newClasses() [256]byte {
	var marks [256]byte
	for c := byte('a'); c <= 'z'; c++ {
		marks[c], marks[c-'a'+'A'] = 1, 2
	}
	for c := byte('0'); c <= '9'; c++ {
		marks[c] = 4
	}
	return marks
}

// Cases reports which cases of letters a text has.
func Cases(text string) (hasLower, hasUpper bool) {
	seen := byte(0)
	for i := range len(text) {
		seen |= classes[text[i]]
	}
	return seen&1 != 0, seen&2 != 0
}

// Lower returns the lower case of a letter, and any other byte unchanged.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}

// ToLower is strings.ToLower for ASCII.
func ToLower(text string) string {
	if _, hasUpper := Cases(text); hasUpper {
		return strings.ToLower(text)
	}
	return text
}

// HasPrefixFold reports whether text starts with a lower-case prefix, whatever the case of its
// letters.
func HasPrefixFold(text, prefix string) bool {
	if len(text) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if Lower(text[i]) != prefix[i] {
			return false
		}
	}
	return true
}
