package pairs

import "github.com/shopspring/decimal"

// Arithmetic is what is done in 64 bits where the numbers fit.
type Arithmetic struct{}

// Compare, and the rest, are the package's own.
func (Arithmetic) Compare(a, b decimal.Decimal) int { return compare(a, b) }

// Plus is a+b.
func (Arithmetic) Plus(a, b decimal.Decimal) decimal.Decimal { return plus(a, b) }

// Minus is a-b.
func (Arithmetic) Minus(a, b decimal.Decimal) decimal.Decimal { return minus(a, b) }

// Times is a×b.
func (Arithmetic) Times(a, b decimal.Decimal) decimal.Decimal { return times(a, b) }

// Spread is a×b + c, or a×b - c.
func (Arithmetic) Spread(a, b decimal.Decimal, sign int64, c decimal.Decimal) decimal.Decimal {
	return spread(a, b, sign, c)
}

// Ceil and Floor round to a number of places.
func (Arithmetic) Ceil(d decimal.Decimal, places int32) decimal.Decimal { return ceil(d, places) }

// Floor rounds down.
func (Arithmetic) Floor(d decimal.Decimal, places int32) decimal.Decimal { return floor(d, places) }

// CeilProduct and FloorProduct are a×b, rounded.
func (Arithmetic) CeilProduct(a, b decimal.Decimal, places int32) decimal.Decimal {
	return ceilProduct(a, b, places)
}

// FloorProduct rounds down.
func (Arithmetic) FloorProduct(a, b decimal.Decimal, places int32) decimal.Decimal {
	return floorProduct(a, b, places)
}

// CeilQuotient and FloorQuotient are a/b, rounded.
func (Arithmetic) CeilQuotient(a, b decimal.Decimal, places int32) decimal.Decimal {
	return ceilQuotient(a, b, places)
}

// FloorQuotient rounds down.
func (Arithmetic) FloorQuotient(a, b decimal.Decimal, places int32) decimal.Decimal {
	return floorQuotient(a, b, places)
}

// Percentage is a change in per cent.
func (Arithmetic) Percentage(from, to decimal.Decimal) decimal.Decimal { return percentage(from, to) }
