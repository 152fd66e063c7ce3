package bybit

import "causeway/adapters/upstream"

// faults are the codes that may come to a question that needs no account. What is not in the table is an outage to us.
// Source: https://bybit-exchange.github.io/docs/v5/error (read 2026-10).
var faults = map[int]upstream.Failure{
	10000: {Outcome: upstream.Unavailable, Reason: "a time-out of theirs"},
	10001: {Outcome: upstream.Undecided, Reason: "they do not understand the question"},
	10005: {Outcome: upstream.Refused, Reason: "permission denied"},
	10006: {Outcome: upstream.Throttled, Reason: "too many visits"},
	10009: {Outcome: upstream.Refused, Reason: "address banned"},
	10016: {Outcome: upstream.Unavailable, Reason: "internal error of theirs"},
	10018: {Outcome: upstream.Throttled, Reason: "rate limit of the address exceeded"},
	10024: {Outcome: upstream.Refused, Reason: "compliance rules"},
}

// fault reads a code; nil for success.
func fault(code *int) error {
	if code == nil {
		return upstream.Fail(upstream.Malformed, "no code")
	}
	if *code == 0 {
		return nil
	}
	if f, ok := faults[*code]; ok {
		return upstream.Fail(f.Outcome, f.Reason)
	}
	return upstream.Fail(upstream.Unavailable, "a code that is not in the table")
}
