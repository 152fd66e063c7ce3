// Package market simulates a market of cryptocurrencies, stablecoins and fiat currencies at several venues.
//
// A price is a pure function of the seed, the settings and the time, so any instant can be requested in any
// order. It is computed with integers only: floating-point results differ between architectures.
package market

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/seed"
)

const bp = 100_000 // a basis point in parts per billion

// Market is the market of one world. It is safe for concurrent use.
type Market struct {
	*tables

	seed   uint64
	began  time.Time // the split of a magic pair begins here
	common noise     // factor that all crypto assets share
	regime noise     // how volatile the naira is
	street noise     // premium of the street rate of the naira

	changing sync.Mutex // serializes changes of the timeline
	timeline atomic.Pointer[timeline]
}

// New returns the market of a world that begins at the given time, with or without the magic pairs.
func New(worldSeed uint64, magicPairs bool, began time.Time) *Market {
	t := plainTables()
	if magicPairs {
		t = magicTables()
	}
	m := &Market{
		tables: t, seed: worldSeed, began: began,
		common: noise{seed.Derive(worldSeed, "common")},
		regime: noise{seed.Derive(worldSeed, "regime")},
		street: noise{seed.Derive(worldSeed, "street")},
	}
	m.timeline.Store(&timeline{})
	return m
}

// Clone returns an independent market with the same settings, which begins at the given time.
func (m *Market) Clone(began time.Time) *Market {
	out := &Market{tables: m.tables, seed: m.seed, began: began, common: m.common, regime: m.regime, street: m.street}
	out.timeline.Store(m.timeline.Load())
	return out
}

// Began returns the time at which the market began.
func (m *Market) Began() time.Time { return m.began }

// path returns the noise that moves one asset.
func (m *Market) path(a *asset) noise { return noise{seed.Mix(m.seed ^ a.digest)} }

// price returns the street price of an asset in USD.
func (m *Market) price(line *timeline, a *asset, t instant) number {
	if v := line.move(a.code, t); v != nil {
		return v.price(m, line, t)
	}
	return m.natural(line, a, t)
}

// natural returns the price of an asset without its own settings.
func (m *Market) natural(line *timeline, a *asset, t instant) number {
	switch a.kind {
	case crypto:
		common := m.common.walk(t, allLayers) * commonVolatility / 100 * a.beta / 100
		return a.reference.grown(common + m.path(a).walk(t, allLayers)*a.own/100)
	case stable:
		return m.price(line, m.assets[a.peg], t).grown(m.path(a).walk(t, pegLayer) * pegVolatility / 100)
	case magic:
		return a.magic.price(timeOf(t)).times(m.price(line, m.assets[a.peg], t))
	case fiat, pegged:
		if line.move(a.peg, t) != nil {
			return m.price(line, m.assets[a.peg], t).over(a.reference)
		}
		return one.over(m.perUSD(a, t).shifted(m.premium(a, t)))
	}
	return one
}

// perUSD returns the official rate of a fiat currency.
func (m *Market) perUSD(a *asset, t instant) number {
	if a.code == a.peg {
		return one
	}
	if a.kind == pegged {
		return a.reference.times(m.perUSD(m.assets[a.peg], t))
	}
	x := m.path(a).walk(t, allLayers) * a.own / 100
	if a.code == "NGN" { // calm and restless days alternate: 0.25 to 1.75 of its volatility
		x += x * 3 / 4 * m.regime.layer(t, regimeLayer) / halfRange
	}
	return a.reference.grown(x)
}

// premium returns how much more a dollar costs on the street than officially, in parts per billion.
func (m *Market) premium(a *asset, t instant) int64 {
	if a.code != "NGN" {
		return 0
	}
	return streetPremium + streetRange*m.street.layer(t, streetLayer)/halfRange
}

// cross returns the price of one unit of base in counter.
func (m *Market) cross(line *timeline, base, counter *asset, t instant) number {
	if pin, ok := line.pinned(base, counter, t); ok {
		return pin
	}
	if base.kind == magic && base.peg == counter.code && line.move(base.code, t) == nil {
		return base.magic.price(timeOf(t)) // exact
	}
	if counter.code == counter.peg { // USD
		return m.price(line, base, t)
	}
	return m.price(line, base, t).over(m.price(line, counter, t))
}

// Significant digits of derived prices. The sources round them further.
const (
	referenceDigits = 12
	officialDigits  = 12
	aggregateDigits = 15
)

// Reference returns the price around which all venues quote, to 12 significant digits. ok is false if one of
// the assets is unknown.
func (m *Market) Reference(pair core.Pair, at time.Time) (price decimal.Decimal, ok bool) {
	base, counter := m.assets[pair.Base], m.assets[pair.Counter]
	if base == nil || counter == nil {
		return decimal.Decimal{}, false
	}
	return m.cross(m.timeline.Load(), base, counter, instantOf(at)).amount(referenceDigits), true
}

// Official returns the official rate between two fiat currencies, to 12 significant digits.
func (m *Market) Official(pair core.Pair, at time.Time) (rate decimal.Decimal, ok bool) {
	base, counter := m.fiat(pair.Base), m.fiat(pair.Counter)
	if base == nil || counter == nil {
		return decimal.Decimal{}, false
	}
	t := instantOf(at)
	return m.perUSD(counter, t).over(m.perUSD(base, t)).amount(officialDigits), true
}

// Aggregate returns the price of a coin at a price aggregator, to 15 significant digits: its dollar price,
// converted to fiat at the official rate of the full hour.
func (m *Market) Aggregate(pair core.Pair, at time.Time) (price decimal.Decimal, ok bool) {
	base, counter := m.assets[pair.Base], m.assets[pair.Counter]
	if base == nil || counter == nil || base.isFiat() {
		return decimal.Decimal{}, false
	}
	t, line := instantOf(at), m.timeline.Load()
	dollars := m.price(line, base, t)
	if counter.isFiat() {
		return dollars.times(m.perUSD(counter, instantOf(at.Truncate(time.Hour)))).amount(aggregateDigits), true
	}
	return dollars.over(m.price(line, counter, t)).amount(aggregateDigits), true
}

// Fiat returns the currencies that have an official rate, sorted.
func (m *Market) Fiat() []string {
	var out []string
	for code, a := range m.assets {
		if a.isFiat() {
			out = append(out, code)
		}
	}
	slices.Sort(out)
	return out
}

func (m *Market) fiat(code string) *asset {
	if a := m.assets[code]; a != nil && a.isFiat() {
		return a
	}
	return nil
}
