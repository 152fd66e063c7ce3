package market_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/seed"
)

var venues = []string{market.Kraken, market.Binance, market.Coinbase, market.OKX, market.Bybit}

func pairOf(text string) core.Pair {
	base, counter, _ := strings.Cut(text, "/")
	return core.Pair{Base: base, Counter: counter}
}

// same compares the values of two books or summaries.
func same(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// float is for statistics alone.
func float(t testing.TB, a decimal.Decimal) float64 {
	t.Helper()
	f, err := strconv.ParseFloat(a.String(), 64)
	if err != nil || f <= 0 {
		t.Fatalf("%s is no price", a)
	}
	return f
}

func reference(t testing.TB, m *market.Market, pair core.Pair, at time.Time) float64 {
	t.Helper()
	p, ok := m.Reference(pair, at)
	if !ok {
		t.Fatalf("%s has no reference price", pair)
	}
	return float(t, p)
}

// volatility is the annualised standard deviation of the logarithm's change over a lag, over ten years.
func volatility(t testing.TB, m *market.Market, pair core.Pair, lag time.Duration) float64 {
	t.Helper()
	const n = 3000
	var sum float64
	for i := range n {
		at := noon.Add(time.Duration(i) * (29*time.Hour + 1371*time.Millisecond)) // at no fixed phase of any layer
		x := math.Log(reference(t, m, pair, at.Add(lag)) / reference(t, m, pair, at))
		sum += x * x
	}
	return math.Sqrt(sum / n / (lag.Hours() / (365.25 * 24)))
}

func TestMarket_Volatility(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pair      string
		low, high float64
	}{{"BTC/USD", 0.42, 0.58}, {"ETH/USD", 0.54, 0.74}, {"EUR/USD", 0.055, 0.085}, {"USD/NGN", 0.06, 0.14}} {
		t.Run(c.pair, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "volatility")
			for _, lag := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour} {
				if got := volatility(t, m, pairOf(c.pair), lag); got < c.low || got > c.high {
					t.Errorf("over %v it is %.1f %%, want %.0f to %.0f %%", lag, 100*got, 100*c.low, 100*c.high)
				}
			}
		})
	}
}

func TestMarket_Bounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pair      string
		low, high float64 // of what the table says
		par       float64
	}{
		{"BTC/USD", 0.75, 1.30, 67000},
		{"SOL/USD", 0.55, 1.80, 85},
		{"USD/NGN", 0.88, 1.12, 1370 * 1.01},
		{"USDT/USD", 0.998, 1.002, 1},
		{"EURC/EUR", 0.998, 1.002, 1},
	} {
		t.Run(c.pair, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, "bounds")
			low, high := math.Inf(1), 0.0
			for at := noon; at.Before(noon.AddDate(10, 0, 0)); at = at.Add(5 * time.Hour) {
				p := reference(t, m, pairOf(c.pair), at) / c.par
				low, high = min(low, p), max(high, p)
			}
			if low < c.low || high > c.high {
				t.Errorf("it ran from %.4f to %.4f of its start, want within %.3f to %.3f", low, high, c.low, c.high)
			}
			if high-low < (c.high-c.low)/5 {
				t.Errorf("it hardly moved: %.5f to %.5f", low, high)
			}
		})
	}
}

func TestMarket_Correlation(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "beta")
	var xy, xx, yy float64
	for i := range 2000 {
		at := noon.Add(time.Duration(i) * 7 * time.Hour)
		x := math.Log(reference(t, m, pairOf("BTC/USD"), at.Add(time.Hour)) / reference(t, m, pairOf("BTC/USD"), at))
		y := math.Log(reference(t, m, pairOf("ETH/USD"), at.Add(time.Hour)) / reference(t, m, pairOf("ETH/USD"), at))
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if r := xy / math.Sqrt(xx*yy); r < 0.6 || r > 0.95 {
		t.Errorf("the correlation of BTC and ETH is %.2f, want 0.6 to 0.95", r)
	}
}

func TestMarket_Assets(t *testing.T) {
	t.Parallel()
	const wanted = `BTC ETH USDT USDC BNB SOL XRP DOGE ADA TRX TON AVAX SHIB DOT LINK BCH LTC XLM NEAR UNI POL ATOM ETC AAVE FIL ALGO
		APT ARB OP INJ SUI DAI PYUSD EURC CNGN XTZ EOS HBAR ICP VET NGN GHS KES ZAR XOF XAF UGX TZS RWF EUR GBP USD`
	m := newMarket(t, "causeway")
	codes := m.Codes()
	for code := range strings.FieldsSeq(wanted) {
		if !slices.Contains(codes, code) {
			t.Errorf("%s is not in the table", code)
			continue
		}
		reference(t, m, core.Pair{Base: code, Counter: "USD"}, noon)
	}
	slices.Sort(codes)
	if n := len(slices.Compact(slices.Clone(codes))); n != len(codes) {
		t.Errorf("the table has a code twice: %v", codes)
	}
	if p, ok := m.Reference(core.Pair{Base: "NOPE", Counter: "USD"}, noon); ok {
		t.Errorf("an unknown asset has the price %s", p)
	}
}

func TestMarket_CrossRates(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	codes := m.Codes()
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.SampledFrom(codes).Draw(rt, "a"), rapid.SampledFrom(codes).Draw(rt, "b")
		at := noon.Add(time.Duration(rapid.Int64Range(0, int64(10*365*24*time.Hour)).Draw(rt, "after")))
		ratio := reference(t, m, core.Pair{Base: a, Counter: "USD"}, at) / reference(t, m, core.Pair{Base: b, Counter: "USD"}, at)
		cross := reference(t, m, core.Pair{Base: a, Counter: b}, at)
		if math.Abs(cross/ratio-1) > 1e-9 {
			rt.Fatalf("%s/%s is %.12g, by way of USD %.12g", a, b, cross, ratio)
		}
	})
}

func TestMarket_Books(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	rapid.Check(t, func(rt *rapid.T) {
		venue := rapid.SampledFrom(venues).Draw(rt, "venue")
		pair := rapid.SampledFrom(m.Listed(venue)).Draw(rt, "pair")
		at := noon.Add(time.Duration(rapid.Int64Range(-int64(24*time.Hour), int64(10*365*24*time.Hour)).Draw(rt, "after")))
		b, ok := m.Book(venue, pair, at)
		if !ok {
			rt.Fatal("listed without a book")
		}
		if again, _ := newMarket(t, "causeway").Book(venue, pair, at); !same(again, b) {
			rt.Fatalf("another world of the same seed has %+v, this one %+v", again, b)
		}
		if fault := bookFault(b); fault != "" {
			rt.Fatalf("%s: %+v", fault, b)
		}
		// 8 bps of noise, 4 of spread, 3 s of lag and two ticks.
		tick := 2 / float64(b.Bid.CoefficientInt64())
		truth := reference(t, m, pair, at)
		for _, side := range []decimal.Decimal{b.Bid, b.Ask} {
			if off := math.Abs(float(t, side)/truth - 1); off > 0.004+tick {
				rt.Fatalf("%s is %.2f %% off the reference %.8g", side, 100*off, truth)
			}
		}
	})
}

func bookFault(b market.Book) string {
	for _, size := range []decimal.Decimal{b.BidSize, b.AskSize, b.LastSize, b.Volume} {
		if size.IsZero() {
			return "a size of nothing"
		}
	}
	switch {
	case b.Bid.IsZero() || !b.Bid.LessThan(b.Ask):
		return "bid and ask"
	case b.Last.LessThan(b.Bid) || b.Last.GreaterThan(b.Ask):
		return "the last price is outside the book"
	case b.Bid.Exponent() != b.Ask.Exponent():
		return "not whole ticks"
	}
	return ""
}

func TestMarket_Venues(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	pair := pairOf("ETH/USDT")
	differ := 0
	for i := range 200 {
		at := noon.Add(time.Duration(i) * time.Minute)
		a, _ := m.Book(market.Kraken, pair, at)
		b, _ := m.Book(market.Binance, pair, at)
		if !a.Bid.Equal(b.Bid) {
			differ++
		}
		if off := math.Abs(float(t, a.Bid)/float(t, b.Bid) - 1); off > 0.003 {
			t.Errorf("at %v they are %.2f %% apart", at, 100*off)
		}
	}
	if differ < 150 {
		t.Errorf("of 200 bids %d differ", differ)
	}
}

func TestMarket_Continuous(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	pair := pairOf("BTC/USD")
	last := reference(t, m, pair, noon)
	for at := noon; at.Before(noon.Add(20 * time.Second)); at = at.Add(time.Millisecond) {
		p := reference(t, m, pair, at)
		if math.Abs(p/last-1) > 0.00002 {
			t.Fatalf("a jump from %.2f to %.2f at %v", last, p, at)
		}
		last = p
	}
}

func TestMarket_AnyOrder(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	pair := pairOf("SOL/BTC")
	forward := map[time.Duration]market.Book{}
	for s := range 100 {
		forward[time.Duration(s)*time.Second], _ = m.Book(market.Kraken, pair, noon.Add(time.Duration(s)*time.Second))
	}
	for s := 99; s >= 0; s-- {
		d := time.Duration(s) * time.Second
		if b, _ := m.Book(market.Kraken, pair, noon.Add(d)); !same(b, forward[d]) {
			t.Fatalf("%v later it was %+v, asked backwards %+v", d, forward[d], b)
		}
	}
	if b, ok := m.Book(market.Kraken, pair, time.Date(1890, 1, 1, 0, 0, 0, 0, time.UTC)); !ok || b.Bid.IsZero() {
		t.Errorf("in 1890 it is %+v", b)
	}
}

func TestMarket_Listed(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	for venue, c := range map[string]struct{ yes, no string }{
		market.Kraken:   {"BTC/USD BTC/EUR BTC/GBP BTC/USDT ETH/BTC USDT/USD EUR/USD GBP/USD USDT/GBP DAI/USD BNB/USD", "CNGN/USD USD/NGN USDT/NGN NOPE/USD USD/BTC"},
		market.Binance:  {"BTC/USDT ETH/USDT ETH/BTC SOL/BTC USDC/USDT SHIB/USDT", "BTC/USD CNGN/USDT USDT/NGN USDT/USDT"},
		market.Coinbase: {"BTC/USD BTC/EUR BTC/GBP ETH/BTC USDT/USD USDC/EUR SOL/USD PYUSD/USD", "USDC/USD USDC/USDT BTC/USDC TRX/USD EUR/USD CNGN/USD USDT/NGN"},
		market.OKX:      {"BTC/USDT ETH/USDT USDC/USDT ETH/BTC TRX/USDT DAI/USDT", "BTC/USD USDT/USD VET/USDT USDT/NGN"},
		market.Bybit:    {"BTC/USDT ETH/USDT USDC/USDT ETH/BTC SOL/BTC LTC/BTC VET/USDT PYUSD/USDT", "BTC/USD USDT/USD EURC/USDT USDT/NGN"},
	} {
		listed := m.Listed(venue)
		for text := range strings.FieldsSeq(c.yes) {
			if !slices.Contains(listed, pairOf(text)) {
				t.Errorf("%s does not list %s", venue, text)
			}
		}
		for text := range strings.FieldsSeq(c.no) {
			_, booked := m.Book(venue, pairOf(text), noon)
			if slices.Contains(listed, pairOf(text)) || booked {
				t.Errorf("%s lists %s", venue, text)
			}
		}
	}
	if got := m.Listed("nowhere"); got != nil {
		t.Errorf("an unknown venue lists %v", got)
	}
}

func TestMarket_Official(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	if a, b := official(t, m, "USD/NGN", noon), official(t, m, "USD/NGN", noon.Add(time.Hour)); a == b {
		t.Errorf("after an hour it is still %g", b)
	}
	if parity := official(t, m, "EUR/XOF", noon); math.Abs(parity-655.957) > 1e-5 {
		t.Errorf("a euro is %.6f francs, by treaty 655.957", parity)
	}
	for _, pair := range []string{"USD/BTC", "BTC/USD", "USD/USDT", "USD/NOPE", "NOPE/USD"} {
		if rate, ok := m.Official(pairOf(pair), noon); ok {
			t.Errorf("%s has the official rate %s", pair, rate)
		}
	}
}

func official(t testing.TB, m *market.Market, pair string, at time.Time) float64 {
	t.Helper()
	rate, _ := m.Official(pairOf(pair), at)
	return float(t, rate)
}

func TestMarket_StreetPremium(t *testing.T) {
	t.Parallel()
	m := newMarket(t, "causeway")
	for d := range 365 {
		at := noon.Truncate(time.Hour).AddDate(0, 0, d)
		premium := reference(t, m, pairOf("USD/NGN"), at)/official(t, m, "USD/NGN", at) - 1
		if premium < 0.005 || premium > 0.015 {
			t.Fatalf("%v: a dollar costs %.2f %% more on the street, want 0.5 to 1.5 %%", at, 100*premium)
		}
		if coin := reference(t, m, pairOf("CNGN/NGN"), at); math.Abs(coin-1) > 0.002 {
			t.Fatalf("%v: a CNGN is %.5f naira", at, coin)
		}
	}
}

func BenchmarkReference(b *testing.B) {
	m := newMarket(b, "causeway")
	for b.Loop() {
		m.Reference(core.Pair{Base: "BTC", Counter: "USD"}, noon)
	}
}

func BenchmarkBook(b *testing.B) {
	m := newMarket(b, "causeway")
	for b.Loop() {
		m.Book(market.Kraken, core.Pair{Base: "BTC", Counter: "USD"}, noon)
	}
}

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

func newMarket(t testing.TB, name string) *market.Market { return newMarketOf(t, name, false) }

func newMagicMarket(t testing.TB, name string) *market.Market { return newMarketOf(t, name, true) }

func newMarketOf(t testing.TB, name string, magic bool) *market.Market {
	t.Helper()
	return market.New(seed.Hash(name), magic, noon)
}
