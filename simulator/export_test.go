package simulator

import "time"

// Exponential is e^x in 2^-60, for x in 2^-40.
func Exponential(x int64) uint64 { return exponential(x) }

// Codes are all assets of the table.
func Codes() []string {
	var out []string
	for _, a := range assets {
		out = append(out, a.code)
	}
	return out
}

// ThereAndBack is the time of the instant of a time.
func ThereAndBack(at time.Time) time.Time { return timeOf(instantOf(at)) }
