package httpapi

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/httpapi/apierror/envelope"
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

// normalizeQuery trims the values of query parameters and drops those that are empty, since huma
// binds them as they are. A query that cannot be decoded stays as it is, for checkQuery.
func normalizeQuery(raw string) string {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return raw
	}
	for name, values := range query {
		for i := range values {
			values[i] = strings.TrimSpace(values[i])
		}
		query[name] = slices.DeleteFunc(values, func(value string) bool { return value == "" })
	}
	return query.Encode()
}

// checkQuery reports the documented query parameters that cannot be read: given more than once,
// unless they are lists, or not text. Resolve methods of inputs with query parameters return it.
func checkQuery(ctx huma.Context, lists ...string) []error {
	u := ctx.URL()
	if u.RawQuery == "" {
		return nil
	}
	var errs []error
	seen := map[string]bool{}
	for item := range strings.SplitSeq(u.RawQuery, "&") {
		escaped, value, _ := strings.Cut(item, "=")
		name, _ := url.QueryUnescape(escaped)
		if !slices.Contains(requestFrom(ctx.Context()).operation.query, name) {
			continue
		}
		decoded, err := url.QueryUnescape(value)
		reason := ""
		switch {
		case err != nil:
			reason = "is not percent-encoded correctly: write a % as %25"
		case !utf8.ValidString(decoded):
			reason = "is not text in UTF-8"
		case strings.IndexByte(decoded, 0) >= 0:
			reason = "contains a NUL character; only text is accepted"
		case seen[name] && !slices.Contains(lists, name):
			reason = "is given more than once; give it one value"
		}
		if seen[name] = true; reason != "" {
			errs = append(errs, core.InvalidField(name, "%s", reason))
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
