package market

import (
	"time"

	"causeway/simulator/seed"
)

// The noise is value noise: a layer has a random value at each multiple of its period and runs smoothly
// from one to the next. Layers double in period, and their amplitude grows with the square root of the
// period, so that the sum moves like a random walk at every scale up to the longest period and stays
// bounded beyond. Every instant costs the same and depends on no other.

const (
	layerShift   = 20 // binary digits of an instant within the shortest period
	shortest     = 250 * time.Millisecond
	halfRange    = 1 << 19 // values of a layer lie in [-halfRange, halfRange)
	noiseBits    = 40      // a logarithm of 1 is 1<<noiseBits
	instantShift = int64(1) << 52
)

// amplitudes of the layers, in 2^-noiseBits: sqrt(period / (1.6262 × 365.25 days)) for periods of
// 0.25 s × 2^layer, from 0.25 s to 12 days, which gives walk 100 % annualised volatility. 1.6262 is the
// variance that one layer adds at a scale, summed over all layers.
var amplitudes = [...]int64{
	76742261, 108529946, 153484522, 217059892, 306969044, 434119785, 613938088, 868239570,
	1227876175, 1736479140, 2455752350, 3472958280, 4911504700, 6945916559, 9823009401, 13891833118,
	19646018802, 27783666236, 39292037604, 55567332473, 78584075208, 111134664946, 157168150416,
}

// Layers by their uses.
const (
	allLayers   = len(amplitudes) - 1
	pegLayer    = 15 // 2.3 h: a stablecoin returns to its peg
	regimeLayer = 21 // 6 days: calm and restless phases of a currency
	streetLayer = 20 // 3 days: the street premium
	noiseLayer  = 5  // 8 s: the private noise of a venue
	lagLayer    = 8  // 64 s: the lag of a venue
)

// instant is a time in units of 2^-layerShift of the shortest period, from an origin far in the past.
type instant uint64

// instantOf is exact to the microsecond from the year 1827 on.
func instantOf(t time.Time) instant {
	us := uint64(t.UnixMicro() + instantShift)
	period := uint64(shortest / time.Microsecond)
	return instant(us/period<<layerShift | (us%period)<<layerShift/period)
}

// timeOf is the inverse of instantOf, exact to the microsecond.
func timeOf(t instant) time.Time {
	period := uint64(shortest / time.Microsecond)
	part := uint64(t) & (1<<layerShift - 1)
	us := uint64(t)>>layerShift*period + (part*period+1<<layerShift-1)>>layerShift
	return time.UnixMicro(int64(us) - instantShift).UTC()
}

// noise is one path.
type noise struct{ key uint64 }

// walk sums the layers up to top: a logarithm, in 2^-noiseBits, with 100 % annualised volatility at scales up
// to the period of the top layer.
func (n noise) walk(t instant, top int) int64 {
	var sum int64
	for layer := range top + 1 {
		sum += amplitudes[layer] * n.layer(t, layer) / halfRange
	}
	return sum
}

// layer returns the value of one layer, in [-halfRange, halfRange).
func (n noise) layer(t instant, layer int) int64 {
	index := uint64(t) >> (layerShift + layer)
	f := int64(uint64(t)>>layer) & (1<<layerShift - 1) //nolint:gosec // masked to layerShift bits
	ease := (f * f >> layerShift) * (3<<layerShift - 2*f) >> layerShift
	from, to := n.lattice(index, layer), n.lattice(index+1, layer)
	return from + (to-from)*ease>>layerShift
}

func (n noise) lattice(index uint64, layer int) int64 {
	h := seed.Mix(n.key + (index<<5|uint64(layer))*0x9E3779B97F4A7C15) //nolint:gosec // a small index
	return int64(h>>44) - halfRange
}
