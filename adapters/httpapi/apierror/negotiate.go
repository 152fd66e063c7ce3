package apierror

import (
	"strconv"
	"strings"
)

// Weight returns the weight that an Accept or Accept-Encoding header gives to a name, or -1 if it
// does not list the name.
func Weight(header, name string) float64 {
	for item := range strings.SplitSeq(header, ",") {
		listed, params, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(listed), name) {
			continue
		}
		for param := range strings.SplitSeq(params, ";") {
			if q, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(param)), "q="); ok {
				weight, err := strconv.ParseFloat(q, 64) //nolint:forbidigo // a weight is no money
				if err != nil || weight < 0 || weight > 1 {
					return 0
				}
				return weight
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
	problem := Weight(header, "application/problem+json")
	return problem > 0 && problem >= Weight(header, "application/json")
}
