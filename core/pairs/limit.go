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
	worth := s.valuation.usd
	least, most := s.tariff.MinUSD, s.tariff.MaxUSD
	// A quotient has as many digits before the point as the difference, or one more; the spare digit is then rounded the same way.
	s.min = ceilQuotient(least, worth, min(s.decimals, steadyDigits+1-(magnitude(least)-magnitude(worth))))
	s.min = ceil(s.min, min(s.decimals, steadyDigits-magnitude(s.min)))
	s.max = floorQuotient(most, worth, min(s.decimals, steadyDigits+1-(magnitude(most)-magnitude(worth))))
	s.max = floor(s.max, min(s.decimals, steadyDigits-magnitude(s.max)))
}

// at returns the limits at a price: what the smallest order comes to rounded up, the largest down.
func (s *size) at(price decimal.Decimal, places int32) (least, most Limit) {
	least = Limit{Base: s.min, Counter: ceilProduct(s.min, price, places)}
	most = Limit{Base: s.max, Counter: floorProduct(s.max, price, places)}
	return least, most
}
