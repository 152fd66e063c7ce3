package simulator

import (
	"sync"
	"time"
)

// tablesDate is when the tables of the market were made.
const tablesDate = "2026-08"

// amplitudes of the layers of noise, in 2^-noiseBits: sqrt(period) scaled so that walk has 100 % annualised
// volatility, that is sqrt(period / (1.6262 × 365.25 days)), the periods being 0.25 s × 2^layer: 0.25 s to
// 12 days. 1.6262 is the sum over all layers of the variance that one adds at a scale.
var amplitudes = [...]int64{
	76742261, 108529946, 153484522, 217059892, 306969044, 434119785, 613938088, 868239570,
	1227876175, 1736479140, 2455752350, 3472958280, 4911504700, 6945916559, 9823009401, 13891833118,
	19646018802, 27783666236, 39292037604, 55567332473, 78584075208, 111134664946, 157168150416,
}

// Layers by what they are used for.
const (
	allLayers   = len(amplitudes) - 1
	pegLayer    = 15 // 2.3 h: a stablecoin is back at its peg within hours
	regimeLayer = 21 // 6 days: how long a currency is calm or restless
	streetLayer = 20 // 3 days: how the street premium wanders
	noiseLayer  = 5  // 8 s: the private noise of a venue
	lagLayer    = 8  // 64 s: how fast a venue falls behind and catches up
)

// one unit.
var one = number{coef: e17, exp: -17}

// kind says how the price of an asset comes about.
type kind int

const (
	crypto kind = iota // reference in USD, moves with the common factor and on its own
	stable             // reverts to one unit of its peg
	fiat               // reference in units per USD
	pegged             // fiat at a rate fixed by treaty
	magic              // a magic pair's: reference in its peg, priced by the pair's rule
)

// asset is one row of the market. Prices are illustrative: rounded by hand to what such assets cost in
// August 2026, a place to start from and no record of any market.
type asset struct {
	code string
	kind kind
	ref  string // crypto: USD for one; fiat: units for one USD; pegged: units for one of peg
	peg  string // stable and pegged: what it is tied to; magic: what it is priced in
	// beta is how far it follows the common factor, own how volatile it is besides (annualised); both in per cent.
	beta, own int64
	spread    int64 // bid to ask at a venue of average depth, in tenths of a basis point
	kraken    string
	binance   string // what it is quoted in there
	magic     *MagicPair
}

// The boards: one without the magic pairs, one with them. All worlds share them.
var (
	plainBoard = sync.OnceValues(func() (*board, error) { return newBoard(nil) })
	magicBoard = sync.OnceValues(func() (*board, error) { return newBoard(magicPairs) })
)

const (
	commonVolatility = 45 // per cent a year
	pegVolatility    = 3
)

// The counters at Kraken and Binance, by how widely an asset is traded.
const (
	krakenMajor = "USD EUR GBP XBT USDT"
	krakenWide  = "USD EUR GBP XBT"
	krakenTail  = "USD EUR"
	binanceWide = "USDT BTC USDC"
	binanceBTC  = "USDT BTC"
	binanceTail = "USDT"
)

var assets = []asset{
	{code: "BTC", ref: "67000", beta: 100, own: 22, spread: 4, kraken: "USD EUR GBP USDT USDC", binance: "USDT USDC EUR"},
	{code: "ETH", ref: "2000", beta: 125, own: 32, spread: 6, kraken: krakenMajor, binance: "USDT BTC USDC EUR"},
	{code: "USDT", kind: stable, peg: "USD", spread: 4, kraken: "USD EUR GBP", binance: "USD"},
	{code: "USDC", kind: stable, peg: "USD", spread: 4, kraken: "USD EUR GBP USDT", binance: "USD USDT"},
	{code: "BNB", ref: "620", beta: 95, own: 28, spread: 10, kraken: krakenTail, binance: binanceWide},
	{code: "SOL", ref: "85", beta: 135, own: 42, spread: 8, kraken: krakenMajor, binance: binanceWide},
	{code: "XRP", ref: "1.35", beta: 110, own: 48, spread: 8, kraken: krakenMajor, binance: binanceWide},
	{code: "DOGE", ref: "0.095", beta: 130, own: 50, spread: 12, kraken: krakenMajor, binance: binanceTail},
	{code: "ADA", ref: "0.26", beta: 125, own: 45, spread: 14, kraken: krakenMajor, binance: binanceBTC},
	{code: "TRX", ref: "0.31", beta: 70, own: 30, spread: 14, kraken: krakenTail, binance: binanceBTC},
	{code: "TON", ref: "1.30", beta: 110, own: 48, spread: 20, kraken: krakenTail, binance: binanceTail},
	{code: "AVAX", ref: "9.20", beta: 135, own: 45, spread: 16, kraken: krakenMajor, binance: binanceBTC},
	{code: "SHIB", ref: "0.0000058", beta: 130, own: 50, spread: 30, kraken: krakenTail, binance: binanceTail},
	{code: "DOT", ref: "1.30", beta: 125, own: 42, spread: 18, kraken: krakenMajor, binance: binanceBTC},
	{code: "LINK", ref: "8.80", beta: 125, own: 42, spread: 14, kraken: krakenMajor, binance: binanceBTC},
	{code: "BCH", ref: "450", beta: 105, own: 40, spread: 16, kraken: krakenMajor, binance: binanceBTC},
	{code: "LTC", ref: "54", beta: 105, own: 35, spread: 14, kraken: krakenMajor, binance: binanceBTC},
	{code: "XLM", ref: "0.155", beta: 110, own: 45, spread: 20, kraken: krakenWide, binance: binanceTail},
	{code: "NEAR", ref: "1.35", beta: 135, own: 50, spread: 24, kraken: krakenTail, binance: binanceTail},
	{code: "UNI", ref: "3.50", beta: 130, own: 50, spread: 24, kraken: krakenTail, binance: binanceTail},
	{code: "POL", ref: "0.095", beta: 130, own: 48, spread: 30, kraken: krakenTail, binance: binanceTail},
	{code: "ATOM", ref: "1.80", beta: 125, own: 42, spread: 24, kraken: krakenWide, binance: binanceTail},
	{code: "ETC", ref: "8.50", beta: 115, own: 40, spread: 24, kraken: krakenTail, binance: binanceTail},
	{code: "AAVE", ref: "110", beta: 135, own: 50, spread: 24, kraken: krakenTail, binance: binanceBTC},
	{code: "FIL", ref: "0.95", beta: 130, own: 48, spread: 30, kraken: krakenTail, binance: binanceTail},
	{code: "ALGO", ref: "0.11", beta: 120, own: 45, spread: 30, kraken: krakenWide, binance: binanceTail},
	{code: "APT", ref: "0.95", beta: 135, own: 50, spread: 34, kraken: krakenTail, binance: binanceTail},
	{code: "ARB", ref: "0.105", beta: 140, own: 50, spread: 34, kraken: krakenTail, binance: binanceTail},
	{code: "OP", ref: "0.12", beta: 140, own: 52, spread: 34, kraken: krakenTail, binance: binanceTail},
	{code: "INJ", ref: "3.00", beta: 135, own: 52, spread: 34, kraken: krakenTail, binance: binanceTail},
	{code: "SUI", ref: "0.95", beta: 140, own: 52, spread: 20, kraken: krakenTail, binance: binanceTail},
	{code: "DAI", kind: stable, peg: "USD", spread: 12, kraken: "USD EUR USDT", binance: binanceTail},
	{code: "PYUSD", kind: stable, peg: "USD", spread: 12, kraken: krakenTail, binance: binanceTail},
	{code: "EURC", kind: stable, peg: "EUR", spread: 14, kraken: krakenTail, binance: binanceTail},
	{code: "CNGN", kind: stable, peg: "NGN", spread: 60}, // on the street alone; it is redeemed at the street rate
	{code: "XTZ", ref: "0.36", beta: 125, own: 42, spread: 34, kraken: krakenTail, binance: binanceTail},
	{code: "EOS", ref: "0.085", beta: 125, own: 45, spread: 44, kraken: krakenTail, binance: binanceTail},
	{code: "HBAR", ref: "0.092", beta: 125, own: 50, spread: 24, kraken: krakenTail, binance: binanceTail},
	{code: "ICP", ref: "2.40", beta: 130, own: 50, spread: 30, kraken: krakenTail, binance: binanceTail},
	{code: "VET", ref: "0.0075", beta: 130, own: 48, spread: 40, kraken: krakenTail, binance: binanceTail},

	{code: "USD", kind: pegged, ref: "1", peg: "USD"},
	{code: "EUR", kind: fiat, ref: "0.855", own: 7, spread: 4, kraken: "USD GBP", binance: binanceTail},
	{code: "GBP", kind: fiat, ref: "0.745", own: 8, spread: 4, kraken: "USD"},
	{code: "NGN", kind: fiat, ref: "1370", own: 9},
	{code: "GHS", kind: fiat, ref: "10.9", own: 9},
	{code: "KES", kind: fiat, ref: "129", own: 3},
	{code: "ZAR", kind: fiat, ref: "16.5", own: 13},
	{code: "XOF", kind: pegged, ref: "655.957", peg: "EUR"}, // treaty
	{code: "XAF", kind: pegged, ref: "655.957", peg: "EUR"}, // treaty
	{code: "UGX", kind: fiat, ref: "3600", own: 4},
	{code: "TZS", kind: fiat, ref: "2550", own: 6},
	{code: "RWF", kind: fiat, ref: "1455", own: 3},
}

// venue is a place where assets are traded in a book.
type venue struct {
	name string
	// A price has so many significant digits at the reference price, within the decimal places given.
	digits, minPlaces, maxPlaces int
	depth                        int64 // its spreads in per cent of the asset's
	// retail is the spread of an operator's own quote, in tenths of a basis point; nil for a book, which has a depth instead.
	retail   func(asset) int64
	counters func(asset) string
}

var venues = []venue{
	{name: Kraken, digits: 6, minPlaces: 1, maxPlaces: 10, depth: 120, counters: func(a asset) string { return a.kraken }},
	{name: Binance, digits: 6, minPlaces: 2, maxPlaces: 8, depth: 70, counters: func(a asset) string { return a.binance }},
	{name: Quidax, digits: 6, minPlaces: 1, maxPlaces: 8, depth: 4000, counters: func(a asset) string { return quidaxCounters[a.code] }},
	{name: Busha, digits: 6, minPlaces: 2, maxPlaces: 8, retail: retail, counters: func(a asset) string { return bushaCounters[a.code] }},
	{name: Coinbase, digits: 6, minPlaces: 2, maxPlaces: 8, depth: 100, counters: func(a asset) string { return coinbaseBooks[a.code] }},
	{name: OKX, digits: 6, minPlaces: 1, maxPlaces: 10, depth: 80, counters: func(a asset) string { return okxBooks[a.code] }},
	{name: Bybit, digits: 6, minPlaces: 2, maxPlaces: 10, depth: 90, counters: func(a asset) string { return bybitBooks[a.code] }},
	{name: Bitstamp, digits: 6, minPlaces: 0, maxPlaces: 8, depth: 150, counters: func(a asset) string { return bitstampBooks[a.code] }},
	{name: Gemini, digits: 6, minPlaces: 2, maxPlaces: 8, depth: 200, counters: func(a asset) string { return geminiBooks[a.code] }},
	{name: Luno, digits: 6, minPlaces: 0, maxPlaces: 6, depth: 1500, counters: func(a asset) string { return lunoBooks[a.code] }},
}

// Limits of what a venue does to the reference price.
const (
	minNoise = 2 * bp // private noise of a venue, either way
	maxNoise = 8 * bp
	maxLag   = 3 * time.Second // how far it falls behind
)

// The street premium: what a dollar costs in naira on the street above the official rate.
const (
	streetPremium = 100 * bp
	streetRange   = 50 * bp // either way
)
