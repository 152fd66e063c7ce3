package simulator

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// The noise is value noise: a layer has a random value at each multiple of its period and runs smoothly
// from one to the next. Layers double in period, and their amplitude grows with the square root of the
// period, so that the sum moves like a random walk at every scale up to the longest period and stays
// bounded beyond. Any instant costs the same and none depends on another. Integers only: a floating-point
// walk gave different paths for GOAMD64=v1 and v3 (fused multiply-add).

const (
	layerShift   = 20 // binary digits of an instant within the shortest period
	shortest     = 250 * time.Millisecond
	halfRange    = 1 << 19 // values of a layer lie in [-halfRange, halfRange)
	noiseBits    = 40      // a logarithm of 1 is 1<<noiseBits
	instantShift = int64(1) << 52
)

// instant is a time in units of 2^-layerShift of the shortest period, from an origin far in the past.
type instant uint64

// instantOf is exact to the microsecond from the year 1827 on.
func instantOf(t time.Time) instant {
	us := uint64(t.UnixMicro() + instantShift)
	period := uint64(shortest / time.Microsecond)
	return instant(us/period<<layerShift | (us%period)<<layerShift/period)
}

// timeOf is the time of an instant, exact to the microsecond.
func timeOf(t instant) time.Time {
	period := uint64(shortest / time.Microsecond)
	part := uint64(t) & (1<<layerShift - 1)
	us := uint64(t)>>layerShift*period + (part*period+1<<layerShift-1)>>layerShift
	return time.UnixMicro(int64(us) - instantShift).UTC()
}

// noise is one path, told from others by its key.
type noise struct{ key uint64 }

// walk sums the layers up to top: a logarithm, in 2^-noiseBits, of a path with 100 % annualised volatility
// at scales up to the period of the top layer.
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
	h := mix(n.key + (index<<5|uint64(layer))*0x9E3779B97F4A7C15) //nolint:gosec // a layer is a small index
	return int64(h>>44) - halfRange
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xBF58476D1CE4E5B9
	x ^= x >> 27
	x *= 0x94D049BB133111EB
	return x ^ x>>31
}

// digest turns texts into 64 bits; no two lists of texts are confused.
func digest(texts ...string) uint64 {
	h := sha256.New()
	var size [8]byte
	for _, text := range texts {
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		h.Write([]byte(text))
	}
	return binary.BigEndian.Uint64(h.Sum(nil))
}

// subKey derives the key of one thing of a world from the world's seed.
func subKey(seed uint64, texts ...string) uint64 { return mix(seed ^ digest(texts...)) }
