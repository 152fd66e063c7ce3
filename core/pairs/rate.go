package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Rate is what the sources of one market, taken together, say it costs. It is never changed.
//
// Mid is the median of the three votes (bid, mid, ask) of every family in use; the mean of the two middle votes where their count is
// even. Confidence is the larger distance from it to the votes at the 25 % and the 75 % quantile (of n sorted
// votes those with n/4, rounded down, below respectively above them), and at least half the median spread.
type Rate struct {
	Pair       core.Pair
	Class      string          // of MarketClass
	Mid        decimal.Decimal // in Pair.Counter
	Bid, Ask   decimal.Decimal // medians of the bids and of the asks
	Confidence decimal.Decimal // in Pair.Counter; zero for a rate fixed by treaty
	AsOf       time.Time       // of the newest vote; zero for a rate fixed by treaty
	Used       []*Vote         // what it is made of, one vote a family, by name of source; empty for a rate fixed by treaty
	Excluded   []Exclusion     // by name of source
	Quorum     int             // families that must agree; zero for a rate fixed by treaty
	Reason     Reason          // what is the matter with it, apart from its age; empty: nothing. Any but Degraded: Used is from before that
	Jumped     bool            // it is a jump from the one before, confirmed, or stood by for longer than the last good price could be held

	octaves octaves // of Mid
}

// Exclusion says why a source of a market has no vote in its rate.
type Exclusion struct {
	Source string
	Reason Reason
}
