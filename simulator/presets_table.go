package simulator

import (
	"net/http"
	"time"
)

// preset is a list of rules with a name.
type preset struct {
	name, title string
	rules       []Rule
	narrow      bool // it needs a provider
}

// presets is the table. A rule without a provider is about all of them, unless the preset is narrowed to one.
var presets = []preset{
	{
		name: "provider_down", title: "nobody answers at the provider", narrow: true,
		rules: []Rule{{Effect: Effect{Kind: FaultRefuse}}},
	},
	{
		name: "slow_tail", title: "one answer in ten is late: 1.5 seconds in the median, 8 at most",
		rules: []Rule{{Effect: Effect{Kind: FaultLatency, Distribution: Lognormal, MS: 1500, MaxMS: 8000}, When: When{Probability: "0.1"}}},
	},
	{
		name: "quota_exhausted", title: "every answer is 429 and says to come back in a minute",
		rules: []Rule{{Effect: Effect{Kind: FaultStatus, Status: http.StatusTooManyRequests, Code: "quota_exceeded", RetryAfter: Duration(time.Minute)}}},
	},
	{
		name: "bad_deploy", title: "a broken version went live: a third of the answers are 500, and of the rest some are pages, some lack a field, some have new ones",
		rules: []Rule{
			{Effect: Effect{Kind: FaultStatus, Status: http.StatusInternalServerError}, When: When{Probability: "0.33"}},
			{Effect: Effect{Kind: FaultHTML}, When: When{Probability: "0.1"}},
			{Effect: Effect{Kind: FaultMissingField}, When: When{Probability: "0.2"}},
			{Effect: Effect{Kind: FaultUnknownFields}, When: When{Probability: "0.5"}},
		},
	},
	{
		name: "partial_outage_30", title: "30 % of the answers are 503",
		rules: []Rule{{Effect: Effect{Kind: FaultStatus, Status: http.StatusServiceUnavailable}, When: When{Probability: "0.3"}}},
	},
}

// kindTitles say what each kind of fault is, for people.
var kindTitles = map[Kind]string{
	FaultStatus:           "an answer with a status of failure",
	FaultLatency:          "the answer comes late",
	FaultHang:             "no answer comes",
	FaultReset:            "the connection breaks",
	FaultRefuse:           "nobody is there",
	FaultRedirect:         "the answer sends elsewhere, where nobody is",
	FaultSlowHeaders:      "the header of the answer comes line by line",
	FaultDribble:          "the body of the answer comes in small pieces",
	FaultHTML:             "a page for people, with the status of success",
	FaultEmpty:            "an answer without a body",
	FaultTruncate:         "the answer ends in the middle",
	FaultMalformed:        "the answer is whole and no JSON: its last bracket is missing",
	FaultWrongContentType: "the answer calls itself plain text",
	FaultHugeBody:         "megabytes of blanks before the answer",
	FaultDuplicate:        "the answer twice in one body",
	FaultUnknownFields:    "members that nobody announced",
	FaultTimes10:          "every price is ten times what it is",
	FaultTimes100:         "every price is 100 times what it is: kobo for naira",
	FaultTimes1000:        "every price is 1,000 times what it is",
	FaultTimes10000:       "every price is 10,000 times what it is",
	FaultTimes100000:      "every price is 100,000 times what it is",
	FaultTimes1000000:     "every price is a million times what it is",
	FaultTimes10000000:    "every price is 10 million times what it is",
	FaultTimes100000000:   "every price is 100 million times what it is: satoshi for bitcoin",
	FaultInverted:         "one over every price",
	FaultSwappedPair:      "every pair has the price of another one",
	FaultZero:             "every price is zero",
	FaultNegative:         "every price is below zero",
	FaultCommaDecimal:     "a comma where the point is",
	FaultNaN:              "NaN for every price",
	FaultMissingField:     "what matters most in the answer is missing: of prices what is asked for a unit, of an account its holder",
	FaultChangedType:      "a list where what matters most was: a price, the holder of an account",
	FaultStaleTimestamp:   "the times of prices are an hour ago",
	FaultFutureTimestamp:  "the times of prices are an hour ahead",
	FaultSecondsForMillis: "seconds where milliseconds were, or the other way round",
}
