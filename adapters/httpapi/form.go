package httpapi

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"causeway/core/addresses"
)

// form is what a text of a client may be, as far as that is checked while it is read.
type form struct {
	limit    int    // in characters
	list     bool   // of codes, separated by commas
	free     bool   // it may say anything and is not repeated; any other is a code, where a secret has no business
	accepted string // the closed list of what it may be; "" where there is none
	see      string // the path of the operation that lists what it may be, or ""
}

// formOf reads the form of a field from its tags: maxLength and enum, which the documentation shows too, `list:"true"`,
// `free:"true"` and `see:"/v1/…"`.
func formOf(f reflect.StructField) form {
	return form{
		limit: limitOf(f), list: f.Tag.Get("list") != "", free: f.Tag.Get("free") != "",
		accepted: strings.ReplaceAll(f.Tag.Get("enum"), ",", ", "), see: f.Tag.Get("see"),
	}
}

// fault says what is wrong with a text, or nothing.
func (f *form) fault(value string) string {
	if !f.free && f.hasSecret(value) {
		return "looks like a private key or recovery phrase, which is not repeated here; never send it to anybody"
	}
	n := utf8.RuneCountInString(value)
	if n <= f.limit {
		return ""
	}
	long := fmt.Sprintf("is %d characters long; at most %d are accepted", n, f.limit)
	switch {
	case f.free:
		return long
	case f.accepted != "":
		return "is " + given(value) + "; accepted: " + f.accepted
	case f.see != "":
		long += ". See GET " + f.see
	}
	return given(value) + " " + long
}

// hasSecret looks at every code of a list by itself: several codes are no phrase.
func (f *form) hasSecret(value string) bool {
	if !f.list {
		return addresses.Secret(value)
	}
	for code := range strings.SplitSeq(value, ",") {
		if addresses.Secret(code) {
			return true
		}
	}
	return false
}
