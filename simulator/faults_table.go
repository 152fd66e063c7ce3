package simulator

// Kind names what goes wrong.
type Kind string

// The kinds. Those of numbers and of times change every price, or every time, of an answer with a status of success.
const (
	FaultStatus   Kind = "status"  // an answer with a status of failure
	FaultLatency  Kind = "latency" // the answer comes late
	FaultHang     Kind = "hang"    // nothing comes
	FaultReset    Kind = "reset"   // the connection breaks
	FaultRefuse   Kind = "refuse"  // nobody is there. A server sees a question only once it is connected: it breaks the connection unread
	FaultRedirect Kind = "redirect"

	FaultSlowHeaders Kind = "slow_headers" // the header of the answer comes line by line
	FaultDribble     Kind = "dribble"      // the body of the answer comes in small pieces

	FaultHTML             Kind = "html" // a page, with the status of success
	FaultEmpty            Kind = "empty"
	FaultTruncate         Kind = "truncate"  // half a body
	FaultMalformed        Kind = "malformed" // a whole body, which is no JSON: its last bracket is missing
	FaultWrongContentType Kind = "wrong_content_type"
	FaultHugeBody         Kind = "huge_body"            // the answer behind megabytes of blanks
	FaultDuplicate        Kind = "duplicate"            // the answer twice in one body
	FaultUnknownFields    Kind = "unknown_extra_fields" // members that nobody announced

	FaultTimes10          Kind = "times_10"
	FaultTimes100         Kind = "times_100"
	FaultTimes1000        Kind = "times_1000"
	FaultTimes10000       Kind = "times_10000"
	FaultTimes100000      Kind = "times_100000"
	FaultTimes1000000     Kind = "times_1000000"
	FaultTimes10000000    Kind = "times_10000000"
	FaultTimes100000000   Kind = "times_100000000"
	FaultInverted         Kind = "inverted"     // one over the price, each side in its place
	FaultSwappedPair      Kind = "swapped_pair" // every pair has the price of another one
	FaultZero             Kind = "zero"
	FaultNegative         Kind = "negative"
	FaultCommaDecimal     Kind = "comma_decimal"
	FaultNaN              Kind = "nan"
	FaultMissingField     Kind = "missing_field" // what matters most is not there: of prices what is asked for a unit, of an account its holder; of ours, see Operation.Member
	FaultChangedType      Kind = "changed_type"  // a list where that was
	FaultStaleTimestamp   Kind = "stale_timestamp"
	FaultFutureTimestamp  Kind = "future_timestamp"
	FaultSecondsForMillis Kind = "seconds_for_milliseconds" // and milliseconds where seconds were
)

// needs says what an answer must have for an effect to fit it.
type needs int

const (
	needNothing needs = iota
	needPrices
	needMember // that matters most: a price, or one of Offer.Members
	needTimes
	needCounts // times that are numbers
)

// kinds are all kinds. Each can befall providers; what our own answers have nothing for, or what only one who is asked from here can do, does not fit
// the plane Edge.
var kinds = map[Kind]trait{
	FaultStatus:  {edge: true, takes: []string{"status", "code", "retry_after"}},
	FaultLatency: {edge: true, takes: drawn}, FaultSlowHeaders: {edge: true, slows: true, takes: drawn}, FaultDribble: {edge: true, slows: true, takes: drawn},
	FaultHang: {edge: true}, FaultReset: {edge: true}, FaultRefuse: {}, FaultRedirect: {edge: true}, FaultHTML: {edge: true}, FaultEmpty: {edge: true},

	FaultTruncate: spoiled, FaultMalformed: spoiled, FaultWrongContentType: spoiled, FaultHugeBody: {edge: true, spoils: true, takes: []string{"bytes"}},
	FaultDuplicate: spoiled, FaultUnknownFields: spoiled,

	FaultTimes10: priced, FaultTimes100: priced, FaultTimes1000: priced, FaultTimes10000: priced, FaultTimes100000: priced,
	FaultTimes1000000: priced, FaultTimes10000000: priced, FaultTimes100000000: priced, FaultInverted: priced, FaultSwappedPair: priced, FaultZero: priced,
	FaultNegative: priced, FaultCommaDecimal: priced, FaultNaN: priced,
	FaultMissingField: {edge: true, spoils: true, needs: needMember}, FaultChangedType: {edge: true, spoils: true, needs: needMember},

	FaultStaleTimestamp:   {spoils: true, needs: needTimes, takes: []string{"by"}},
	FaultFutureTimestamp:  {spoils: true, needs: needTimes, takes: []string{"by"}},
	FaultSecondsForMillis: {spoils: true, needs: needCounts},
}

// trait is what is known of a kind of effect.
type trait struct {
	edge   bool // it fits our answers to clients, too
	spoils bool // it changes an answer that was made
	slows  bool // it changes how fast an answer comes once it begins to
	needs  needs
	takes  []string // the fields of Effect that it reads
}

// Traits that several kinds have.
var (
	priced  = trait{spoils: true, needs: needPrices} // it changes prices
	spoiled = trait{edge: true, spoils: true}
	drawn   = []string{"ms", "max_ms", "distribution"}
)
