package simulator

import (
	"math/bits"
	"time"
)

// move is what a setting does to the price of one asset from an instant on. It is never changed but for its end.
//
// It knows what it begins with, so that any instant can be asked by itself: where the price was when the setting was made, or what it is pinned
// to. A setting that is made later and begins earlier does not change that.
type move struct {
	asset       *quoted
	from, until instant // until: 0 is never
	drift       int64   // of the asset, in basis points a minute

	// Either the asset goes its own way at so many times the height, or it is worth so much of another one.
	height     number // ref is nil
	ref        *quoted
	worth      number // in ref
	volatility int64  // around worth, in per cent a year

	base *quoted // of the setting's pair
	pin  number  // of the pair as it was written; the zero number: none
}

// price is the asset's price at an instant of the move.
func (v *move) price(m *Market, line *timeline, t instant) number {
	x := v.drifted(t)
	if v.ref == nil {
		return v.kept(m.natural(line, v.asset, t).times(v.height).far(x))
	}
	if v.volatility != 0 {
		x += (m.path(v.asset).walk(t, allLayers) - m.path(v.asset).walk(v.from, allLayers)) * v.volatility / 100
	}
	return v.kept(m.price(line, v.ref, t).times(v.worth).far(x))
}

// kept is a price that is no further from the one that the world began with than the limit.
func (v *move) kept(p number) number {
	par := v.asset.par
	if low := par.over(normal(most, 0)); p.less(low) {
		return low
	}
	if high := par.times(normal(most, 0)); high.less(p) {
		return high
	}
	return p
}

// still reports whether a pin is all there is to the move.
func (v *move) still() bool { return v.pin != (number{}) && v.drift == 0 && v.volatility == 0 }

// drifted is how far the drift has led, as a logarithm in 2^-noiseBits: to the limit of prices and no further.
func (v *move) drifted(t instant) int64 {
	const (
		coarse  = 10 // binary digits of an instant that do not matter
		second  = uint64(time.Second/shortest) << (layerShift - coarse)
		longest = 30 * 24 * 3600 * second
		limit   = 20 << noiseBits // e^20 is beyond any two prices
	)
	rate := uint64(max(v.drift, -v.drift)) //nolint:gosec // not below zero
	hi, lo := bits.Mul64(rate*min(uint64(t-v.from)>>coarse, longest), 1<<noiseBits)
	quotient, _ := bits.Div64(hi, lo, 60*second*10_000) // hi is far below: a month at the largest drift
	x := int64(min(quotient, limit))
	if v.drift < 0 {
		return -x
	}
	return x
}

// far multiplies by e^x, x in 2^-noiseBits, however far that leads.
func (n number) far(x int64) number {
	const step = 1 << noiseBits
	for ; x > step; x -= step {
		n = n.grown(step)
	}
	for ; x < -step; x += step {
		n = n.grown(-step)
	}
	if x == 0 {
		return n
	}
	return n.grown(x)
}

// less reports whether n is below m.
func (n number) less(m number) bool {
	if n.exp != m.exp {
		return n.exp < m.exp
	}
	return n.coef < m.coef
}
