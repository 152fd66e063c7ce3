package pairs

import (
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
)

// Status says what a price is good for.
type Status string

// The statuses.
const (
	Fresh  Status = "fresh"
	Stale  Status = "stale"  // tradable, at a larger margin
	Halted Status = "halted" // listed with the last price, not tradable
)

// Reasons for the status of a price.
const (
	Arbitrage    Reason = "arbitrage"
	Depegged     Reason = "depegged"
	OffBounds    Reason = "off_bounds"
	Disputed     Reason = "disputed"
	Jump         Reason = "jump"
	Refused      Reason = "refused"
	Expired      Reason = "expired"
	NoQuorum     Reason = "no_quorum"
	Degraded     Reason = "degraded"
	Aging        Reason = "aging"
	MarketClosed Reason = "market_closed"
)

// input is everything that decides the status of a price. Conditions of a leg hold for the price if
// they hold for any leg of its route; of several deadlines the earliest counts, and the zero time
// is none.
type input struct {
	now   time.Time
	rules *core.PriceRules

	freshUntil    time.Time         // last instant at which every leg is fresh
	staleUntil    time.Time         // last instant at which no leg has expired
	ahead         bool              // a leg is from the future: the clock was set back
	closed        bool              // an official leg is from before a day without official rates
	disputed      bool              // half or more of the families of a leg are outliers
	crossed       time.Time         // since when routes of the pair contradict each other; zero: they do not
	apartUntil    time.Time         // the price covers both routes and is used until then; zero: it does not end
	others        []decimal.Decimal // mids of the other routes
	acknowledged  bool              // an operator acknowledged a dispute of a leg, or of routes
	offBounds     bool              // a leg is outside its bounds
	loneJump      bool              // a leg jumped, and only one family says so
	jumpUntil     time.Time         // despite an unconfirmed jump, the last good rate of a leg is used until then
	degradedUntil time.Time         // a leg is below its quorum and used until then
	strayed       bool              // a leg is below its quorum and too far from its last rate with a quorum
	depegged      bool              // a stablecoin is off its peg, not acknowledged
	uncertainty   decimal.Decimal   // the confidence as a part of the price
	unsound       bool              // the price breaks an invariant
	arbitrage     bool              // the pair is the least certain one on a profitable cycle
}

// rule is a row of the table that decides the status.
type rule struct {
	Reason  Reason
	Status  Status
	Margin  string // of the configured margin
	Meaning string
	applies func(in *input) bool
}

// rules are checked in order; the first match wins. docs/pairs.md shows this table, and
// TestRules_Docs keeps them equal.
var rules = []rule{
	{
		Arbitrage, Halted, "",
		"The pair is the least certain one on a cycle of conversions that would return a profit.",
		func(in *input) bool { return in.arbitrage },
	},
	{
		OffBounds, Halted, "",
		"The newest rate of a leg is outside the range of its market, or too far from the route that bounds it.",
		func(in *input) bool { return in.offBounds },
	},
	{
		Disputed, Halted, "",
		"Half or more of the families of a leg are too far from their median, or another route contradicts the price " +
			"for longer than `dispute_hold`.",
		func(in *input) bool { return in.disputed || !in.apartUntil.IsZero() && in.now.After(in.apartUntil) },
	},
	{
		Jump, Halted, "",
		"The rate of a leg jumped, and a single family says so, or nothing confirmed it within `jump_hold`.",
		func(in *input) bool { return in.loneJump || !in.jumpUntil.IsZero() && in.now.After(in.jumpUntil) },
	},
	{
		Refused, Halted, "",
		"The newest price breaks an invariant: 0 < sell < mid < buy, 0 < minimum < maximum.",
		func(in *input) bool { return in.unsound },
	},
	{
		NoQuorum, Halted, "",
		"A leg is below its quorum, and its rate is further than its band from the last one with a quorum.",
		func(in *input) bool { return in.strayed },
	},
	{
		Expired, Halted, "",
		"A leg is older than its listing class counts as stale, or from the future.",
		func(in *input) bool { return in.ahead || !in.staleUntil.IsZero() && in.now.After(in.staleUntil) },
	},
	{
		NoQuorum, Halted, "",
		"A leg is below its quorum for longer than `degraded_for`.",
		func(in *input) bool { return !in.degradedUntil.IsZero() && in.now.After(in.degradedUntil) },
	},
	{
		Depegged, Halted, "",
		"A stablecoin is off its peg, and no operator has acknowledged it at this price within 24 hours.",
		func(in *input) bool { return in.depegged },
	},
	{
		Wide, Halted, "",
		"The confidence is a larger part of the price than `wide`.",
		func(in *input) bool { return in.uncertainty.GreaterThan(in.rules.Wide) && !in.acknowledged },
	},
	{
		Disputed, Stale, "× 2",
		"An operator acknowledged a dispute, or it is one of routes within `dispute_hold`: " +
			"the price covers both sides of it.",
		func(in *input) bool { return in.acknowledged || !in.apartUntil.IsZero() },
	},
	{
		Jump, Stale, "× 2",
		"The rate of a leg jumped, unconfirmed: the price covers both the old and the new rate.",
		func(in *input) bool { return !in.jumpUntil.IsZero() },
	},
	{
		Degraded, Stale, "× `degraded_margin`",
		"A leg is below its quorum: the price covers both its rate and the last one with a quorum. " +
			"The margin also applies if there are other reasons.",
		func(in *input) bool { return !in.degradedUntil.IsZero() },
	},
	{
		Aging, Stale, "× 2",
		"A leg is older than its listing class counts as fresh.",
		func(in *input) bool { return !in.freshUntil.IsZero() && in.now.After(in.freshUntil) },
	},
	{
		MarketClosed, Fresh, "× 1",
		"An official leg is from before a weekend or holiday. The margin covers its age.",
		func(in *input) bool { return in.closed },
	},
}

// verdict is the decision about a price.
type verdict struct {
	status     Status
	reason     Reason
	margin     int64     // times the configured one
	freshUntil time.Time // last instant at which the price is fresh if nothing new comes; zero: no limit
	staleUntil time.Time // last instant at which it is tradable if nothing new comes; zero: no limit
}

// judge decides the status of a price. It is the only function that does.
func judge(in *input) verdict {
	v := verdict{status: Fresh, margin: 1}
	for _, r := range rules {
		if r.applies(in) {
			v.status, v.reason = r.Status, r.Reason
			break
		}
	}
	if v.status == Stale {
		v.margin = 2
		if !in.degradedUntil.IsZero() {
			v.margin = max(v.margin, in.rules.DegradedMargin)
		}
	}
	v.freshUntil = earlier(in.freshUntil, in.apartUntil)
	if v.status != Fresh {
		v.freshUntil = earlier(v.freshUntil, in.now)
	}
	v.staleUntil = earlier(earlier(earlier(in.staleUntil, in.jumpUntil), in.degradedUntil), in.apartUntil)
	return v
}

// severity orders verdicts for the choice of a route: fresh, stale, halted by a peg (the price
// itself is known), halted.
func (v *verdict) severity() int {
	switch {
	case v.status == Fresh:
		return 0
	case v.status == Stale:
		return 1
	case v.reason == Depegged:
		return 2
	}
	return 3
}
