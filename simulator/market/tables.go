package market

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/simulator/seed"
)

// The venues.
const (
	Kraken   = "kraken"
	Binance  = "binance"
	Quidax   = "quidax"
	Busha    = "busha" // an operator that quotes its own prices
	Coinbase = "coinbase"
	OKX      = "okx"
	Bybit    = "bybit"
	Bitstamp = "bitstamp"
	Gemini   = "gemini"
	Luno     = "luno"
	VALR     = "valr"
	Paycrest = "paycrest" // dealers that quote their own prices
)

// venues are the venues with their limits of decimal places. depth is the spread of a venue in percent of the
// asset's; 0: the venue has a fixed retail spread instead.
var venues = []struct {
	name                 string
	minPlaces, maxPlaces int
	depth                int64
}{
	{Kraken, 1, 10, 120},
	{Binance, 2, 8, 70},
	{Quidax, 1, 8, 4000},
	{Busha, 2, 8, 0},
	{Coinbase, 2, 8, 100},
	{OKX, 1, 10, 80},
	{Bybit, 2, 10, 90},
	{Bitstamp, 0, 8, 150},
	{Gemini, 2, 8, 200},
	{Luno, 0, 6, 1500},
	{VALR, 0, 6, 1500},
	{Paycrest, 2, 8, 0},
}

const (
	priceDigits = 6 // significant digits of a price at the reference price

	commonVolatility = 45 // percent a year
	pegVolatility    = 3

	// Retail spreads of Busha in tenths of a basis point, measured by third parties in August 2026.
	retailStable = 1200
	retailCoin   = 5000

	// The street rate of the naira is above the official rate by this premium, in parts per billion.
	streetPremium = 100 * bp
	streetRange   = 50 * bp // either way
)

// Version is the date of the tables of the market.
const Version = "2026-08"

//go:embed assets.csv
var assetsCSV []byte

// Fingerprint returns the data that prices depend on besides the seed and the settings.
func Fingerprint() []byte { return fmt.Append(slices.Clone(assetsCSV), venues, amplitudes) }

// kind is the way in which the price of an asset is computed.
type kind string

const (
	crypto kind = "crypto" // reference in USD
	stable kind = "stable" // reverts to its peg
	fiat   kind = "fiat"   // reference in units per USD
	pegged kind = "pegged" // reference in units per peg, fixed by treaty
	magic  kind = "magic"  // reference in its peg, priced by the rule of a magic pair
)

// asset is a row of assets.csv.
type asset struct {
	code, peg         string
	kind              kind
	reference         number
	beta, own, spread int64

	magic  *MagicPair
	rank   int    // of two assets, the asset with the higher rank moves when the price of their pair is set
	par    number // reference price in USD
	digest uint64
}

func (a *asset) isFiat() bool { return a.kind == fiat || a.kind == pegged }

// freedom ranks kinds of assets by how freely they move.
func (a *asset) freedom() int {
	switch {
	case a.code == "USD":
		return 0
	case a.kind == stable && a.peg == "USD":
		return 1
	case a.isFiat():
		return 2
	case a.kind == stable:
		return 3
	default:
		return 4
	}
}

// tables are the assets and books of a market. All markets share them, and they never change.
type tables struct {
	assets map[string]*asset
	books  map[string]map[core.Pair]*book // by venue
	pairs  map[string][]core.Pair         // of books, sorted
	magic  bool
}

// book is a market at a venue.
type book struct {
	base, counter *asset
	places        int
	half          int64  // half the spread, in parts per billion
	steady        bool   // without private noise and lag
	apart         int64  // offset after the world began, in parts per billion
	digest        uint64 // part of the key of its noise

	volume decimal.Decimal // of the base in a day
	trades int64           // in a day
}

var (
	plainTables = sync.OnceValue(func() *tables { return newTables(nil) })
	magicTables = sync.OnceValue(func() *tables { return newTables(magicPairs) })
)

// newTables panics if assets.csv, which is part of the program, is invalid.
func newTables(pairs []MagicPair) *tables {
	reader := csv.NewReader(bytes.NewReader(assetsCSV))
	reader.Comment = '#'
	rows, err := reader.ReadAll()
	if err != nil {
		panic(err)
	}
	const fixed = 7 // columns before the columns of the venues
	header, rows := rows[0], rows[1:]
	t := &tables{
		assets: map[string]*asset{}, books: map[string]map[core.Pair]*book{}, pairs: map[string][]core.Pair{},
		magic: len(pairs) > 0,
	}
	var all []*asset
	listed := map[[2]string]string{} // counters by venue and asset
	for _, row := range rows {
		a := &asset{code: row[0], kind: kind(row[1]), peg: row[3], reference: one}
		if row[2] != "" {
			if a.reference, err = parseNumber(row[2]); err != nil {
				panic(err)
			}
		}
		for i, to := range []*int64{&a.beta, &a.own, &a.spread} {
			*to, _ = strconv.ParseInt(row[4+i], 10, 64) // empty: 0
		}
		for i, counters := range row[fixed:] {
			listed[[2]string{header[fixed+i], a.code}] = counters
		}
		all = append(all, a)
	}
	for i := range pairs {
		p := &pairs[i]
		all = append(all, &asset{code: p.Code, kind: magic, peg: magicCounter, reference: p.at, magic: p})
		for _, v := range p.Venues {
			listed[[2]string{v, p.Code}] = magicCounter
		}
	}
	for i, a := range all {
		a.rank, a.digest = a.freedom()*len(all)+i, seed.Hash("asset", a.code)
		t.assets[a.code] = a
	}
	for _, a := range all {
		a.par = t.worth(a)
	}
	for i, v := range venues {
		t.books[v.name] = map[core.Pair]*book{}
		for _, base := range all {
			for code := range strings.FieldsSeq(listed[[2]string{v.name, base.code}]) {
				counter := t.assets[code]
				if counter == nil || base.spread == 0 && base.magic == nil {
					panic(v.name + " lists " + base.code + "/" + code + " without a price or a spread")
				}
				pair := core.Pair{Base: base.code, Counter: code}
				t.books[v.name][pair] = newBook(i, base, counter)
				t.pairs[v.name] = append(t.pairs[v.name], pair)
			}
		}
		slices.SortFunc(t.pairs[v.name], func(a, b core.Pair) int { return strings.Compare(a.String(), b.String()) })
	}
	return t
}

// worth returns the reference price of an asset in USD.
func (t *tables) worth(a *asset) number {
	switch a.kind {
	case stable:
		return t.worth(t.assets[a.peg])
	case fiat:
		return one.over(a.reference)
	case pegged:
		if a.code == a.peg {
			return one
		}
		return t.worth(t.assets[a.peg]).over(a.reference)
	case magic:
		return t.worth(t.assets[a.peg]).times(a.reference)
	case crypto:
	}
	return a.reference
}

func newBook(venue int, base, counter *asset) *book {
	v := venues[venue]
	par := base.par.over(counter.par)
	b := &book{
		base: base, counter: counter, digest: seed.Hash(v.name, base.code+counter.code),
		places: min(max(priceDigits-1-par.magnitude(), v.minPlaces), v.maxPlaces),
	}
	switch {
	case base.magic != nil:
		b.steady, b.half, b.apart = true, base.magic.spread*bp/2, base.magic.apart[v.name]
	case v.depth > 0:
		b.half = max(base.spread, counter.spread) * v.depth * bp / (2 * 10 * 100)
	case base.kind == stable:
		b.half = retailStable * bp / (2 * 10)
	default:
		b.half = retailCoin * bp / (2 * 10)
	}
	const ticket = 400                   // USD per trade
	turnover := 20_000_000 / b.half * bp // USD per day: a book with a tight spread is busy
	b.volume, b.trades = b.worth(turnover), turnover/ticket
	return b
}
