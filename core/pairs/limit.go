package pairs

import (
	"github.com/shopspring/decimal"
)

// Limit is an amount of the base currency and what it comes to in the counter currency at the shown price.
type Limit struct {
	Base    decimal.Decimal
	Counter decimal.Decimal
}

// usd is the currency that the sizes of orders are configured in.
const usd = "USD"

// steadyDigits is the number of significant digits of a limit in base currency: few, so that limits stay put and read well.
const steadyDigits = 2

// valuation is what one unit of a currency is worth in USD, for the size of limits only.
type valuation struct {
	routes []route // to try in turn: the shorter first, then by the currency in the middle
	usd    decimal.Decimal
	known  bool
}

// refresh takes the first route that has its rates, however old these are.
func (v *valuation) refresh() {
	for _, r := range v.routes {
		if r.known() {
			v.usd, v.known = r.mid(), true
			return
		}
	}
}

// size is the smallest and the largest order of the listings that share a class and a base currency, in the latter.
type size struct {
	valuation *valuation
	tariff    *tariff
	decimals  int32 // of the base currency
	min, max  decimal.Decimal
}

// refresh turns the notional in USD into amounts: the smallest order rounded up, the largest down.
func (s *size) refresh() {
	if !s.valuation.known {
		return
	}
	s.min, s.max = s.steady(s.tariff.MinUSD, true), s.steady(s.tariff.MaxUSD, false)
}

// steady is so much USD as an amount of a few digits, rounded up or down.
func (s *size) steady(notional decimal.Decimal, up bool) decimal.Decimal {
	worth := s.valuation.usd
	// A quotient has as many digits before the point as the difference, or one more; the spare digit is then rounded the same way.
	places := min(s.decimals, steadyDigits+1-(magnitude(notional)-magnitude(worth)))
	if q, rest, ok := shortQuotient(notional, worth, places); ok && q > 0 {
		if up && rest {
			q++
		}
		amount := long{low: uint64(q), exponent: -places}
		whole, _ := amount.magnitude()
		if d, ok := amount.rounded(min(s.decimals, steadyDigits-whole), up); ok {
			return d
		}
	}
	quotient, round := floorQuotient, floor
	if up {
		quotient, round = ceilQuotient, ceil
	}
	amount := quotient(notional, worth, places)
	return round(amount, min(s.decimals, steadyDigits-magnitude(amount)))
}

// at returns the limits at a price: what the smallest order comes to rounded up, the largest down.
func (s *size) at(price decimal.Decimal, places int32) (least, most Limit) {
	least = Limit{Base: s.min, Counter: ceilProduct(s.min, price, places)}
	most = Limit{Base: s.max, Counter: floorProduct(s.max, price, places)}
	return least, most
}
