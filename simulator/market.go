package simulator

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"causeway/core"
)

// The venues of the market.
const (
	Kraken   = "kraken"
	Binance  = "binance"
	Coinbase = "coinbase"
	OKX      = "okx"
	Bybit    = "bybit"
	Bitstamp = "bitstamp"
	Gemini   = "gemini"
)

const bp = 100_000 // a basis point in parts per billion

// Market prices assets. All of it is a pure function of the seed, the settings and the time; it is safe for concurrent use.
type Market struct {
	*board

	seed   uint64
	began  time.Time // of the world: see MagicPair
	common noise
	regime noise
	street noise

	changing sync.Mutex               // held by whoever makes a new timeline
	line     atomic.Pointer[timeline] // what is done to it; nil: nothing yet
}

func newMarket(seed uint64, b *board, began time.Time) *Market {
	return &Market{
		board: b, seed: seed, began: began,
		common: noise{subKey(seed, "common")}, regime: noise{subKey(seed, "regime")}, street: noise{subKey(seed, "street")},
	}
}

// path is how an asset moves on its own.
func (m *Market) path(q *quoted) noise { return noise{mix(m.seed ^ q.digest)} }

// price is what one unit is worth in USD on the street.
func (m *Market) price(line *timeline, q *quoted, t instant) number {
	if v := line.move(q.code, t); v != nil {
		return v.price(m, line, t)
	}
	return m.natural(line, q, t)
}

// natural is the price of an asset that nothing is done to.
func (m *Market) natural(line *timeline, q *quoted, t instant) number {
	switch q.kind {
	case crypto:
		common := m.common.walk(t, allLayers) * commonVolatility / 100 * q.beta / 100
		return q.reference.grown(common + m.path(q).walk(t, allLayers)*q.own/100)
	case stable:
		return m.price(line, m.assets[q.peg], t).grown(m.path(q).walk(t, pegLayer) * pegVolatility / 100)
	case magic:
		return q.magic.price(timeOf(t)).times(m.price(line, m.assets[q.peg], t))
	case fiat, pegged:
		if line.move(q.peg, t) != nil {
			return m.price(line, m.assets[q.peg], t).over(q.reference)
		}
		return one.over(m.perUSD(q, t).shifted(m.premium(q, t)))
	}
	return one
}

// perUSD is how many units of a fiat currency one USD is worth officially.
func (m *Market) perUSD(q *quoted, t instant) number {
	if q.code == q.peg {
		return one
	}
	if q.kind == pegged {
		return q.reference.times(m.perUSD(m.assets[q.peg], t))
	}
	x := m.path(q).walk(t, allLayers) * q.own / 100
	if q.code == "NGN" { // calm for days, then restless for days: 0.25 to 1.75 of its volatility
		x += x * 3 / 4 * m.regime.layer(t, regimeLayer) / halfRange
	}
	return q.reference.grown(x)
}

// premium is what the street asks for a dollar above the official rate, in parts per billion.
func (m *Market) premium(q *quoted, t instant) int64 {
	if q.code != "NGN" {
		return 0
	}
	return streetPremium + streetRange*m.street.layer(t, streetLayer)/halfRange
}

// Reference is the true price of one base in counter at an instant, the same everywhere, to 12 significant
// digits: what venues quote around. It is false for an asset without a known price.
func (m *Market) Reference(pair core.Pair, at time.Time) (Amount, bool) {
	base, counter := m.assets[pair.Base], m.assets[pair.Counter]
	if base == nil || counter == nil {
		return Amount{}, false
	}
	return m.cross(m.line.Load(), base, counter, instantOf(at)).amount(referenceDigits), true
}

// cross is what one base is worth in counter.
func (m *Market) cross(line *timeline, base, counter *quoted, t instant) number {
	if pin, ok := line.pinned(base, counter, t); ok {
		return pin
	}
	if base.kind == magic && base.peg == counter.code && line.move(base.code, t) == nil {
		return base.magic.price(timeOf(t)) // to the digit
	}
	if counter.code == counter.peg { // USD
		return m.price(line, base, t)
	}
	return m.price(line, base, t).over(m.price(line, counter, t))
}

// Official is the official rate: how many units of a currency one USD is worth, to the given decimal places.
// It steps at every full hour. It is false for what is no fiat currency.
func (m *Market) Official(currency string, at time.Time, places int) (Amount, bool) {
	q := m.assets[currency]
	if q == nil || q.kind != fiat && q.kind != pegged {
		return Amount{}, false
	}
	rate := m.perUSD(q, instantOf(at.Truncate(time.Hour)))
	return Amount{Units: rate.units(places, false), Places: places}, true
}

// Fiat lists the currencies that have an official rate, sorted.
func (m *Market) Fiat() []string {
	var out []string
	for code, q := range m.assets {
		if q.kind == fiat || q.kind == pegged {
			out = append(out, code)
		}
	}
	slices.Sort(out)
	return out
}
