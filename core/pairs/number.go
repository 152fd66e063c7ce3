package pairs

import "github.com/shopspring/decimal"

// significant is the number of digits that an inverse, or a product of two rates, keeps: far more than any price has, so that the
// one rounding that shows is the last one, to the pair's own precision.
const significant = 34

// magnitude is the number of digits before the point: 3 for 123.4, 0 for 0.5, -1 for 0.05.
func magnitude(d decimal.Decimal) int32 {
	return int32(d.NumDigits()) + d.Exponent() //nolint:gosec // a number of digits, bounded by admission
}

// inverse is 1/d to the significant digits or one more, without trailing zeros. d is above zero.
func inverse(d decimal.Decimal) decimal.Decimal {
	return decimal.New(1, 0).DivRound(d, significant-(1-magnitude(d))).Normalize()
}

// product is a×b, exact as long as it fits the significant digits.
func product(a, b decimal.Decimal) decimal.Decimal {
	p := a.Mul(b)
	if p.NumDigits() <= significant {
		return p
	}
	return p.Round(significant - magnitude(p))
}

// ratioUp is a/b to 12 significant digits, rounded up: for confidences, where more is safer and 12 digits say enough.
func ratioUp(a, b decimal.Decimal) decimal.Decimal {
	if a.IsZero() {
		return decimal.Zero
	}
	return upTo12(ceilQuotient(a, b, 12-(magnitude(a)-magnitude(b))), decimal.New(1, 0))
}

// upTo12 is a×b, rounded up to 12 significant digits.
func upTo12(a, b decimal.Decimal) decimal.Decimal {
	if p, ok := productOf(a, b); ok && !a.IsZero() && !b.IsZero() {
		whole, _ := p.magnitude()
		if d, ok := p.rounded(min(12-whole, -p.exponent), true); ok {
			return d
		}
	}
	d := a.Mul(b)
	if d.NumDigits() <= 12 {
		return d
	}
	return d.RoundCeil(12 - magnitude(d))
}

// half is d/2, exact.
func half(d decimal.Decimal) decimal.Decimal { return times(d, decimal.New(5, -1)) }

// short is coefficient × 10^exponent without trailing zeros, which would make the arithmetic slower.
func short(coefficient int64, exponent int32) decimal.Decimal {
	for coefficient != 0 && coefficient%10 == 0 {
		coefficient, exponent = coefficient/10, exponent+1
	}
	return decimal.New(coefficient, exponent)
}

// percentage is by how many per cent to differs from from, to 2 decimals. Neither is zero or below.
func percentage(from, to decimal.Decimal) decimal.Decimal {
	if x, y, _, ok := aligned(to, from); ok {
		if p, ok := partsOf(x-y, y, 100*100); ok {
			return decimal.New(p, -2)
		}
	}
	return to.Sub(from).Shift(2).DivRound(from, 2)
}

// ceilQuotient is a/b rounded up to a number of places, floorQuotient the same rounded down. Both numbers are above zero.
func ceilQuotient(a, b decimal.Decimal, places int32) decimal.Decimal {
	if q, rest, ok := shortQuotient(a, b, places); ok {
		if rest {
			q++
		}
		return decimal.New(q, -places)
	}
	q, rest := a.QuoRem(b, places)
	if !rest.IsZero() {
		q = q.Add(decimal.New(1, -places))
	}
	return q
}

func floorQuotient(a, b decimal.Decimal, places int32) decimal.Decimal {
	if q, _, ok := shortQuotient(a, b, places); ok {
		return decimal.New(q, -places)
	}
	q, _ := a.QuoRem(b, places)
	return q
}

// ceilProduct is a×b rounded up to a number of places, floorProduct the same rounded down.
func ceilProduct(a, b decimal.Decimal, places int32) decimal.Decimal {
	if p, ok := productOf(a, b); ok {
		if up, ok := p.rounded(places, true); ok {
			return up
		}
	}
	return a.Mul(b).RoundCeil(places)
}

func floorProduct(a, b decimal.Decimal, places int32) decimal.Decimal {
	if p, ok := productOf(a, b); ok {
		if down, ok := p.rounded(places, false); ok {
			return down
		}
	}
	return a.Mul(b).RoundFloor(places)
}
