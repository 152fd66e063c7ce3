package pairs

const (
	// maxPlaces is the most digits after the point that anything is shown with.
	maxPlaces = 18
	// shown is the number of significant digits that a price shows at least.
	shown = 6
)

// placesAt is the number of digits after the point with which a price of a magnitude shows its significant digits.
func placesAt(magnitude int32) int32 { return min(shown-magnitude, maxPlaces) }

// steadyPlaces is the precision of a pair whose lower price has a magnitude, and half of it another one: the counter currency's own, or more
// where the price needs it. It grows at once, and shrinks only when the price is at twice the power of ten that asks for it, so that a price that
// wobbles around a power of ten keeps its precision. It depends on the precision so far (0: none).
func steadyPlaces(sofar, whole, half, own int32) int32 {
	need := max(placesAt(whole), own)
	if need >= sofar {
		return need
	}
	return min(sofar, max(placesAt(half), own))
}
