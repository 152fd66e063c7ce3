package pairs

import "github.com/shopspring/decimal"

const (
	// maxPlaces is the most digits after the point that anything is shown with.
	maxPlaces = 18
	// shown is the number of significant digits that a price shows at least.
	shown = 6
)

// places is the number of digits after the point with which a price shows its significant digits.
func places(price decimal.Decimal) int32 { return min(shown-magnitude(price), maxPlaces) }

// steadyPlaces is the precision of a pair whose lower price is sell: the counter currency's own, or more where the price needs it.
// It grows at once, and shrinks only when the price is at twice the power of ten that asks for it, so that a price that
// wobbles around a power of ten keeps its precision. It depends on the precision so far (0: none).
func steadyPlaces(sofar int32, sell decimal.Decimal, own int32) int32 {
	if !sell.IsPositive() {
		return max(sofar, own)
	}
	need := max(places(sell), own)
	if need >= sofar {
		return need
	}
	return min(sofar, max(places(half(sell)), own))
}
