package httpapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"causeway/core"
)

// param is a query parameter that an operation knows. Others are ignored. A list that is given several times is joined; anything else
// that is given twice is a fault.
type param struct {
	form
	name string
	code bool // a code: upper case
}

// readQuery puts the trimmed values of the known parameters into values, by their place in params. An empty parameter counts
// as absent. It returns every fault.
func readQuery(raw string, params []param, values []string) []core.FieldError {
	var faults []core.FieldError
	for raw != "" {
		var item string
		item, raw, _ = strings.Cut(raw, "&")
		name, value, _ := strings.Cut(item, "=")
		i := known(params, name)
		if i < 0 || value == "" {
			continue
		}
		p := &params[i]
		value, reason := p.read(value)
		switch {
		case reason != "":
			faults = append(faults, core.FieldError{Field: p.name, Reason: reason})
		case value == "":
		case values[i] == "":
			values[i] = value
		case p.list:
			values[i] += "," + value
		default:
			faults = append(faults, core.FieldError{Field: p.name, Reason: "is given more than once; give it one value"})
		}
	}
	return faults
}

// known returns the place of a parameter, or -1. Names are compared as they are meant, after decoding.
func known(params []param, name string) int {
	if strings.ContainsAny(name, "%+") {
		name, _ = url.QueryUnescape(name)
	}
	for i := range params {
		if params[i].name == name {
			return i
		}
	}
	return -1
}

// read decodes and checks one value. The second result says what is wrong with it.
func (p *param) read(value string) (string, string) {
	if strings.ContainsAny(value, "%+") {
		decoded, err := url.QueryUnescape(value)
		if err != nil {
			return "", "is not percent-encoded correctly: write a % as %25"
		}
		value = decoded
	}
	switch {
	case !utf8.ValidString(value):
		return "", "is not text in UTF-8"
	case strings.IndexByte(value, 0) >= 0:
		return "", "has a NUL character in it; only text is accepted"
	}
	value = strings.TrimSpace(value)
	if reason := p.fault(value); reason != "" {
		return "", reason
	}
	if p.code {
		value = strings.ToUpper(value)
	}
	return value, ""
}

// invalid makes one error of all faults, or nil where there is none.
func invalid(faults []core.FieldError) error {
	if len(faults) == 0 {
		return nil
	}
	return core.InvalidFields(faults...)
}

// oneOf checks a value against a closed list. An empty value passes.
func oneOf(field, value string, accepted ...string) []core.FieldError {
	if value == "" || slices.Contains(accepted, value) {
		return nil
	}
	return []core.FieldError{{Field: field, Reason: fmt.Sprintf("is %s; accepted: %s", given(value), strings.Join(accepted, ", "))}}
}
