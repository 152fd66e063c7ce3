package simulator

import (
	"fmt"
	"slices"
	"strings"
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
)

const bp = 100_000 // a basis point in parts per billion

// Market prices assets. All of it is a pure function of the seed, the settings and the time; it is safe for concurrent use.
type Market struct {
	assets map[string]*quoted
	common noise
	regime noise
	street noise
	venues map[string]*trading

	changing sync.Mutex               // held by whoever makes a new timeline
	line     atomic.Pointer[timeline] // what is done to it; nil: nothing yet
}

// quoted is an asset with what was worked out for it once.
type quoted struct {
	asset
	free      int // of two assets the one with the larger number moves against the other
	reference number
	path      noise
}

// trading is a venue with the books that it keeps.
type trading struct {
	venue
	books map[core.Pair]*book
	pairs []core.Pair // of books, sorted
}

// book is one market of a venue.
type book struct {
	base, counter *quoted
	places        int
	half          int64 // half the spread, in parts per billion
	amplitude     int64 // of the venue's noise, in parts per billion
	noise         noise
	lag           noise
	size          uint64 // tells apart what is drawn about sizes and volumes
}

func newMarket(seed uint64) (*Market, error) {
	m := &Market{
		assets: make(map[string]*quoted, len(assets)),
		common: noise{subKey(seed, "common")},
		regime: noise{subKey(seed, "regime")},
		street: noise{subKey(seed, "street")},
		venues: make(map[string]*trading, len(venues)),
	}
	for i, a := range assets {
		q := &quoted{asset: a, free: a.freedom()*len(assets) + i, reference: one, path: noise{subKey(seed, "asset", a.code)}}
		if a.ref != "" {
			var err error
			if q.reference, err = parseNumber(a.ref); err != nil {
				return nil, fmt.Errorf("reference of %s: %w", a.code, err)
			}
		}
		m.assets[a.code] = q
	}
	for _, v := range venues {
		t, err := m.open(seed, v)
		if err != nil {
			return nil, err
		}
		m.venues[v.name] = t
	}
	return m, nil
}

// open makes the books of a venue from what it lists.
func (m *Market) open(seed uint64, v venue) (*trading, error) {
	t := &trading{venue: v, books: map[core.Pair]*book{}}
	for _, a := range assets {
		for code := range strings.FieldsSeq(v.counters(a)) {
			if code == "XBT" {
				code = "BTC"
			}
			base, counter := m.assets[a.code], m.assets[code]
			if counter == nil {
				return nil, fmt.Errorf("%s quotes %s in %s, which has no reference price", v.name, a.code, code)
			}
			pair := core.Pair{Base: a.code, Counter: code}
			key := subKey(seed, v.name, pair.ID())
			if base.spread == 0 {
				return nil, fmt.Errorf("%s quotes %s, which has no spread", v.name, a.code)
			}
			par := base.par(m).over(counter.par(m))
			t.books[pair] = &book{
				base: base, counter: counter,
				places:    min(max(v.digits-1-par.magnitude(), v.minPlaces), v.maxPlaces),
				half:      v.half(base, counter),
				amplitude: minNoise + int64(mix(key)>>32)*(maxNoise-minNoise)>>32,
				noise:     noise{mix(key + 1)}, lag: noise{mix(key + 2)}, size: mix(key + 3),
			}
			t.pairs = append(t.pairs, pair)
		}
	}
	slices.SortFunc(t.pairs, func(a, b core.Pair) int { return strings.Compare(a.String(), b.String()) })
	return t, nil
}

// half is half the spread of a market, in parts per billion.
func (v venue) half(base, counter *quoted) int64 {
	if v.retail != nil {
		return v.retail(base.asset) * bp / (2 * 10)
	}
	return max(base.spread, counter.spread) * v.depth * bp / (2 * 10 * 100)
}

// par is the reference price in USD, before anything moves.
func (q *quoted) par(m *Market) number {
	switch q.kind {
	case crypto:
		return q.reference
	case stable:
		return m.assets[q.peg].par(m)
	case fiat:
		return one.over(q.reference)
	case pegged:
		if q.code == q.peg {
			return one
		}
		return m.assets[q.peg].par(m).over(q.reference)
	}
	return one
}

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
		return q.reference.grown(common + q.path.walk(t, allLayers)*q.own/100)
	case stable:
		return m.price(line, m.assets[q.peg], t).grown(q.path.walk(t, pegLayer) * pegVolatility / 100)
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
	x := q.path.walk(t, allLayers) * q.own / 100
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
	for _, a := range assets {
		if a.kind == fiat || a.kind == pegged {
			out = append(out, a.code)
		}
	}
	slices.Sort(out)
	return out
}
