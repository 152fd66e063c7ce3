package httpapi

import "strings"

// coding is a content coding that documents are kept in.
type coding uint8

const (
	identity coding = iota
	gzipped
	zstandard
	codings
)

// fullWeight is q=1 in thousandths.
const fullWeight = 1000

// chooseCoding picks the coding of an answer from the values of Accept-Encoding. Equal weights go to the smaller coding.
// best is the smallest coding that there is. identity is always possible, even where a client says that it is not: an
// answer is better than none.
func chooseCoding(accept []string, best coding) coding {
	if len(accept) == 0 {
		return identity
	}
	if len(accept) == 1 {
		switch accept[0] { // what most clients send
		case "", "identity":
			return identity
		case "gzip", "gzip, deflate", "gzip, deflate, br", "gzip,deflate", "deflate, gzip":
			return gzipped
		case "gzip, deflate, br, zstd":
			return best
		}
	}
	weights, others := codingWeights(accept)
	chosen, most := identity, max(weights[identity], 0)
	for c := best; c > identity; c-- {
		w := weights[c]
		if w == unset {
			w = others
		}
		if w > most || w == most && w > 0 && chosen == identity {
			chosen, most = c, w
		}
	}
	return chosen
}

// unset is the weight of what a header does not name.
const unset = -1

// codingWeights reads the weight of every coding, and that of the ones that are not named.
func codingWeights(accept []string) (weights [codings]int, others int) {
	weights, others = [codings]int{unset, unset, unset}, unset
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			name, weight := weighted(item)
			switch {
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				weights[gzipped] = weight
			case strings.EqualFold(name, "zstd"):
				weights[zstandard] = weight
			case strings.EqualFold(name, "identity"):
				weights[identity] = weight
			case name == "*":
				others = weight
			}
		}
	}
	return weights, others
}

// wantsProblem reports whether Accept prefers RFC 9457 to the plain form of an error: it names problem+json, and nothing
// else that is JSON with more weight. Wildcards do not ask for it.
func wantsProblem(accept []string) bool {
	problem, plain := 0, 0
	for _, line := range accept {
		for item := range strings.SplitSeq(line, ",") {
			switch name, weight := weighted(item); {
			case strings.EqualFold(name, "application/problem+json"):
				problem = weight
			case strings.EqualFold(name, "application/json"):
				plain = weight
			}
		}
	}
	return problem > 0 && problem >= plain
}

// weighted splits one item of an Accept header into its name and its weight in thousandths. A weight that cannot be read is 0.
func weighted(item string) (string, int) {
	name, params, _ := strings.Cut(item, ";")
	weight := fullWeight
	for params != "" {
		var param string
		param, params, _ = strings.Cut(params, ";")
		key, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.Trim(key, " \t"), "q") {
			weight = thousandths(strings.Trim(value, " \t"))
		}
	}
	return strings.Trim(name, " \t"), weight
}

// thousandths reads a weight between 0 and 1 with at most three decimals.
func thousandths(q string) int {
	if q == "" || q[0] != '0' && q[0] != '1' || len(q) > len("0.000") || len(q) > 1 && q[1] != '.' {
		return 0
	}
	weight := int(q[0]-'0') * fullWeight
	for i, unit := 2, 100; i < len(q); i, unit = i+1, unit/10 {
		if q[i] < '0' || q[i] > '9' {
			return 0
		}
		weight += int(q[i]-'0') * unit
	}
	if weight > fullWeight {
		return 0
	}
	return weight
}

// matches reports whether If-None-Match names the entity tag, or anything. Tags are compared weakly, as RFC 9110 has it.
func matches(noneMatch []string, tag string) bool {
	for _, line := range noneMatch {
		for rest := strings.Trim(line, " \t,"); rest != ""; rest = strings.TrimLeft(rest, " \t,") {
			if rest[0] == '*' {
				return true
			}
			rest = strings.TrimPrefix(rest, "W/")
			if rest == "" || rest[0] != '"' {
				break // not a list of tags
			}
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				break
			}
			if rest[:end+2] == tag {
				return true
			}
			rest = rest[end+2:]
		}
	}
	return false
}
