package okx

import "causeway/adapters/upstream"

// success is the code of an answer that is none of the faults.
const success = "0"

// faults are the codes that may come to a question that needs no account. What is not in the table is an outage to us.
// Source: https://www.okx.com/docs-v5/en/#error-code-rest-api-public, read in a copy at cloudquant.github.io/bt_api_py (2026-10).
var faults = map[string]upstream.Failure{
	"50001": {Outcome: upstream.Unavailable, Reason: "service temporarily unavailable"},
	"50004": {Outcome: upstream.Unavailable, Reason: "a time-out of theirs"},
	"50005": {Outcome: upstream.Unavailable, Reason: "the API is offline"},
	"50011": {Outcome: upstream.Throttled, Reason: "rate limit reached"},
	"50013": {Outcome: upstream.Unavailable, Reason: "system busy"},
	"50026": {Outcome: upstream.Unavailable, Reason: "system error"},
	"50030": {Outcome: upstream.Refused, Reason: "no permission for the endpoint"},
	"51000": {Outcome: upstream.Undecided, Reason: "they do not understand the question"},
}

// fault reads a code.
func fault(code string) error {
	if f, ok := faults[code]; ok {
		return upstream.Fail(f.Outcome, f.Reason)
	}
	return upstream.Fail(upstream.Unavailable, "a code that is not in the table")
}
