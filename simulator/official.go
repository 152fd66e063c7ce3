package simulator

import (
	"time"

	"causeway/core"
)

// Digits of the prices that are made of others: what a source shows of them is its own affair.
const (
	referenceDigits = 12
	fixingDigits    = 12
	aggregateDigits = 15
)

// Fixing is the official rate between two fiat currencies at an instant, to 12 significant digits: how many of counter one base is
// worth. It is false for what is no fiat currency.
func (m *Market) Fixing(pair core.Pair, at time.Time) (Amount, bool) {
	base, counter := m.fiat(pair.Base), m.fiat(pair.Counter)
	if base == nil || counter == nil {
		return Amount{}, false
	}
	t := instantOf(at)
	return m.perUSD(counter, t).over(m.perUSD(base, t)).amount(fixingDigits), true
}

// Aggregate is the middle price of a coin as a collector of prices shows it, to 15 significant digits: what it is worth in USD
// everywhere, converted into fiat at the official rate of the full hour, which is not that of the street. It is false
// for a base that is no coin, and for an unknown counter.
func (m *Market) Aggregate(pair core.Pair, at time.Time) (Amount, bool) {
	base, counter := m.assets[pair.Base], m.assets[pair.Counter]
	if base == nil || counter == nil || base.kind == fiat || base.kind == pegged {
		return Amount{}, false
	}
	t, line := instantOf(at), m.line.Load()
	price := m.price(line, base, t)
	if m.fiat(pair.Counter) != nil {
		return price.times(m.perUSD(counter, instantOf(at.Truncate(time.Hour)))).amount(aggregateDigits), true
	}
	return price.over(m.price(line, counter, t)).amount(aggregateDigits), true
}

// fiat is a fiat currency; nil for anything else.
func (m *Market) fiat(code string) *quoted {
	if q := m.assets[code]; q != nil && (q.kind == fiat || q.kind == pegged) {
		return q
	}
	return nil
}

// amount is the number to so many significant digits, cut.
func (n number) amount(digits int) Amount {
	places := max(0, digits-1-n.magnitude())
	return Amount{Units: n.units(places, false), Places: places}
}
