package httpapi

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/envelope"
	"causeway/core"
	"causeway/core/addresses"
)

// normalizeCode trims a code and makes it upper case.
func normalizeCode(sent string) string { return strings.ToUpper(strings.TrimSpace(sent)) }

func normalizeCodes(codes ...*string) {
	for _, c := range codes {
		*c = normalizeCode(*c)
	}
}

// parseQuery returns the parameters of a query that have a value, trimmed, and what is wrong with
// unreadable parameters.
func parseQuery(raw string) (values url.Values, unreadable map[string]string) {
	values, unreadable = url.Values{}, map[string]string{}
	for item := range strings.SplitSeq(raw, "&") {
		escapedName, escapedValue, _ := strings.Cut(item, "=")
		name, _ := url.QueryUnescape(escapedName)
		value, err := url.QueryUnescape(escapedValue)
		value = strings.TrimSpace(value)
		switch {
		case err != nil:
			unreadable[name] = "is not percent-encoded correctly: write a % as %25"
		case !utf8.ValidString(value):
			unreadable[name] = "is not text in UTF-8"
		case strings.Contains(value, "\x00"):
			unreadable[name] = "contains a NUL character; only text is accepted"
		case value != "":
			values.Add(name, value)
		}
	}
	return values, unreadable
}

// checkQuery reports the documented query parameters that cannot be read, or are given more than
// once unless they are lists. Resolve methods of inputs with query parameters return it.
func checkQuery(ctx huma.Context, lists ...string) []error {
	var errs []error
	q := requestFrom(ctx.Context())
	for _, name := range q.operation.query {
		if reason, ok := q.unreadable[name]; ok {
			errs = append(errs, core.InvalidField(name, "%s", reason))
		} else if len(q.query[name]) > 1 && !slices.Contains(lists, name) {
			errs = append(errs, core.InvalidField(name, "is given more than once; give it one value"))
		}
	}
	return errs
}

// namedValue is a value that a client sent, with the name of its field.
type namedValue struct {
	name  string
	value *string
}

// rejectSecrets reports the values that are secrets and clears them, so that nothing repeats them.
func rejectSecrets(values ...namedValue) []error {
	var errs []error
	for _, v := range values {
		if addresses.Secret(*v.value) {
			errs = append(errs, core.InvalidField(v.name, "%s", envelope.Secret))
			*v.value = ""
		}
	}
	return errs
}

// splitList splits a comma-separated list.
func splitList(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// orEmpty returns list, or an empty list for nil: lists are never null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
