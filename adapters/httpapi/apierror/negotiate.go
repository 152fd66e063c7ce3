package apierror

import (
	"strconv"
	"strings"
)

// weight returns the weight that an Accept header gives to a name, or -1 if it does not list it.
func weight(header, name string) float64 {
	for item := range strings.SplitSeq(header, ",") {
		listed, params, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(listed), name) {
			continue
		}
		for param := range strings.SplitSeq(params, ";") {
			if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(param)), "q="); ok {
				value, err := strconv.ParseFloat(q, 64) //nolint:forbidigo // a weight is no money
				if err != nil || value < 0 || value > 1 {
					return 0
				}
				return value
			}
		}
		return 1
	}
	return -1
}

// wantsProblem reports whether Accept lists problem+json, and application/json with no more weight.
// Wildcards do not count.
func wantsProblem(accept []string) bool {
	header := strings.Join(accept, ",")
	problem := weight(header, "application/problem+json")
	return problem > 0 && problem >= weight(header, "application/json")
}
