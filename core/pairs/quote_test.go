package pairs_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/core"
	"causeway/core/pairs"
)

func TestQuote_Fields(t *testing.T) {
	t.Parallel()
	limit := func(base, counter string) pairs.Limit { return pairs.Limit{Base: dec(base), Counter: dec(counter)} }
	want := pairs.Quote{
		ID: "BTCUSD", Pair: pair("BTC/USD"), BaseName: "Bitcoin", CounterName: "US Dollar", Type: core.Crypto, Rank: 1,
		BaseDecimals: 8, CounterDecimals: 2,
		Mid: dec("100000"), Buy: dec("101510"), Sell: dec("98490"),
		MinBuy: limit("0.00005", "5.08"), MaxBuy: limit("0.1", "10151"),
		MinSell: limit("0.00005", "4.93"), MaxSell: limit("0.1", "9849"),
		Status: pairs.Fresh, UpdatedAt: noon, FreshUntil: noon.Add(10 * time.Second), StaleUntil: noon.Add(time.Minute),
		Class: "crypto", BuyMargin: dec("0.015"), SellMargin: dec("0.015"), Low: dec("100000"), High: dec("100000"), Confidence: dec("10"),
	}
	got := *start(t, config()).quote(t, "BTCUSD")
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(pairs.Quote{}, "Legs")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

func TestQuote_Routes(t *testing.T) {
	t.Parallel()
	s := start(t, config())
	btc := s.quote(t, "BTCEUR") // 100000 ± 10 times 0.8
	same(t, "BTC/EUR", btc.Mid, "80000")
	same(t, "its confidence", btc.Confidence, "8")
	if l := btc.Legs; len(l) != 2 || l[0].Rate.Pair != pair("BTC/USD") || l[0].Inverted || l[1].Rate.Pair != pair("USD/EUR") || l[1].Inverted {
		t.Errorf("got legs %+v", l)
	}
	if s.quote(t, "BTCUSD").Legs[0].Rate != btc.Legs[0].Rate {
		t.Error("a market is computed more than once")
	}
	euro := s.quote(t, "EURUSD") // 1/0.8
	same(t, "EUR/USD", euro.Mid, "1.25")
	if !euro.Legs[0].Inverted {
		t.Error("the leg is not marked as inverted")
	}
	peg := s.quote(t, "EURXOF")
	same(t, "EUR/XOF", peg.Mid, "655.957")
	same(t, "its confidence", peg.Confidence, "0")
	same(t, "USD/XOF", s.quote(t, "USDXOF").Mid, "524.7656")
	s.venues["bank"].set("USD/EUR", "0.82", "0.826")
	s.step(t, time.Hour)
	// 1/0.823 to 34 digits; the relative confidence 0.003/0.823 to 12 digits, rounded up.
	same(t, "EUR/USD later", s.quote(t, "EURUSD").Mid, "1.215066828675577156743620899149453")
	same(t, "its confidence", s.quote(t, "EURUSD").Confidence, "0.00442916219445")
}

func TestQuote_Precision(t *testing.T) {
	t.Parallel()
	s := openQuoted(t, config())
	for _, step := range []struct {
		price string
		want  int32
	}{
		{"0.00001235", 10}, // sells at 0.0000121…
		{"0.0000102", 10},  // sells at 0.000010047
		{"0.000010", 11},   // sells at 0.00000985: needs one more
		{"0.1", 7},         // sells at 0.0985
		{"1.9", 5},         // sells at 1.87
		{"2100", 2},        // never fewer than the currency's own
		{"0.0000000000011", 17},
		{"0.0000000000000011", 18}, // never more
	} {
		s.venues["alpha"].set("SHIB/USD", step.price)
		s.step(t, 11*time.Second)
		q := s.quote(t, "SHIBUSD")
		if q.Reason != "" || q.CounterDecimals != step.want {
			t.Errorf("at %s got %d decimals, want %d (%s)", step.price, q.CounterDecimals, step.want, q.Reason)
		}
	}
}

func TestQuote_OneUnitApart(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.ListingClasses[2].MarginBPS = 0
	s := open(t, cfg)
	s.venues["bank"].set("USD/EUR", "0.8")
	s.Tick(t.Context())
	q := s.quote(t, "EURUSD")
	same(t, "buy", q.Buy, "1.25001")
	same(t, "sell", q.Sell, "1.24999")
}

// world lists C/K at random: a market C/K, sized by a fixed K/USD.
type world struct {
	bid, ask                     decimal.Decimal
	baseDecimals, counterDecimal int32
	margin                       int64
	worth                        decimal.Decimal // of one K, in USD
	fixture                      *fixture
}

// drawWorld draws prices and precisions of any magnitude, for many of which there is no price.
func drawWorld(t *rapid.T) world {
	exponent, worth := rapid.IntRange(-18, 6).Draw(t, "exponent"), rapid.IntRange(-9, 3).Draw(t, "worth's exponent")
	bid := decimal.New(rapid.Int64Range(1_000_000, 9_999_999).Draw(t, "bid"), int32(exponent))
	w := world{
		bid: bid, ask: bid.Mul(dec("1").Add(decimal.New(rapid.Int64Range(0, 90).Draw(t, "spread"), -4))),
		baseDecimals:   int32(rapid.IntRange(0, 18).Draw(t, "base decimals")),
		counterDecimal: int32(rapid.IntRange(0, 18).Draw(t, "counter decimals")),
		margin:         rapid.Int64Range(0, 3300).Draw(t, "margin"),
		worth:          decimal.New(rapid.Int64Range(1, 9999).Draw(t, "worth"), int32(worth)),
	}
	cfg := config()
	cfg.Currencies = []core.Currency{
		{Code: "C", Type: core.Crypto, Decimals: w.baseDecimals},
		{Code: "K", Type: core.Fiat, Decimals: w.counterDecimal},
		{Code: "USD", Type: core.Fiat, Decimals: 2},
	}
	cfg.Markets = []core.Market{
		{Pair: pair("K/USD"), Class: "peg", Fixed: w.worth},
		{Pair: pair("C/K"), Class: "major", Sources: []string{"alpha"}},
	}
	cfg.ListingClasses[0].MarginBPS = w.margin
	cfg.Listings = []core.Listing{{Pair: pair("C/K"), Class: "crypto"}, {Pair: pair("K/C"), Class: "crypto"}, {Pair: pair("C/USD"), Via: "K", Class: "crypto"}, {Pair: pair("USD/C"), Via: "K", Class: "crypto"}}
	w.fixture = open(t, cfg)
	w.fixture.venues["alpha"].set("C/K", w.bid.String(), w.ask.String())
	return w
}

func fraction(d decimal.Decimal, margin decimal.Decimal) *big.Rat {
	return new(big.Rat).Mul(d.Rat(), new(big.Rat).Add(big.NewRat(1, 1), margin.Rat()))
}

// checkQuote checks a quote whose exact mid is known.
func checkQuote(t tb, q *pairs.Quote, mid *big.Rat) {
	t.Helper()
	if !q.Sell.IsPositive() || !q.Sell.LessThan(q.Mid) || !q.Mid.LessThan(q.Buy) {
		t.Fatalf("%s: 0 < %s < %s < %s does not hold", q.ID, q.Sell, q.Mid, q.Buy)
	}
	// The mid is exact to 33 digits, being made of numbers of 34; prices never lie on the customer's
	// side of the exact ones.
	near := new(big.Rat).Quo(new(big.Rat).Sub(q.Mid.Rat(), mid), mid)
	if q.Mid.NumDigits() > 35 {
		t.Fatalf("%s: mid %s has more than 35 digits", q.ID, q.Mid)
	}
	if near.Abs(near).Cmp(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(32), nil))) > 0 {
		t.Fatalf("%s: mid is %s, want %s", q.ID, q.Mid, mid.FloatString(40))
	}
	up, down := fraction(q.Mid, q.BuyMargin), fraction(q.Mid, q.BuyMargin.Neg())
	if q.Buy.Rat().Cmp(up.Add(up, q.Confidence.Rat())) < 0 || q.Sell.Rat().Cmp(down.Sub(down, q.Confidence.Rat())) > 0 {
		t.Fatalf("%s: %s and %s are in the customer's favour", q.ID, q.Buy, q.Sell)
	}
	tick := decimal.New(1, -q.CounterDecimals).Rat()
	if over := new(big.Rat).Sub(q.Buy.Rat(), up); over.Cmp(tick) > 0 {
		t.Fatalf("%s: buy %s is more than a tick above %s", q.ID, q.Buy, up.FloatString(40))
	}
	if under := new(big.Rat).Sub(down, q.Sell.Rat()); under.Cmp(tick) > 0 {
		t.Fatalf("%s: sell %s is more than a tick below %s", q.ID, q.Sell, down.FloatString(40))
	}
}

// checkDigits checks the precision of a quote.
func checkDigits(t tb, q *pairs.Quote) {
	t.Helper()
	shown := q.Sell
	if q.BuyMargin.IsZero() && q.Confidence.IsZero() {
		shown = shown.Add(decimal.New(1, -q.CounterDecimals)) // what keeps it apart from the mid may take it just below a power of ten
	}
	if q.CounterDecimals > 18 || q.CounterDecimals < 18 && shown.Shift(q.CounterDecimals).LessThan(dec("100000")) {
		t.Fatalf("%s: %s shows fewer than 6 digits at %d decimals", q.ID, q.Sell, q.CounterDecimals)
	}
	for _, d := range []decimal.Decimal{q.Buy, q.Sell, q.MinBuy.Counter, q.MaxBuy.Counter, q.MinSell.Counter, q.MaxSell.Counter} {
		if !d.Equal(d.RoundDown(q.CounterDecimals)) {
			t.Fatalf("%s: %s has more than %d decimals", q.ID, d, q.CounterDecimals)
		}
	}
}

// checkSide checks the limits on one side of a quote whose base is worth so much
// in USD.
func checkSide(t tb, q *pairs.Quote, price decimal.Decimal, least, most pairs.Limit, worth *big.Rat) {
	t.Helper()
	if !least.Base.IsPositive() || !least.Counter.IsPositive() || !least.Base.LessThan(most.Base) || !least.Counter.LessThan(most.Counter) {
		t.Fatalf("%s: %v is not below %v", q.ID, least, most)
	}
	if least.Counter.LessThan(least.Base.Mul(price)) || most.Counter.GreaterThan(most.Base.Mul(price)) {
		t.Fatalf("%s: the counter amounts of %v and %v at %s are in the customer's favour", q.ID, least, most, price)
	}
	low, high := new(big.Rat).Mul(least.Base.Rat(), worth), new(big.Rat).Mul(most.Base.Rat(), worth)
	if low.Cmp(big.NewRat(5, 1)) < 0 || high.Cmp(big.NewRat(10000, 1)) > 0 {
		t.Fatalf("%s: orders from %s to %s USD are outside of 5 and 10000", q.ID, low.FloatString(9), high.FloatString(9))
	}
	for _, d := range []decimal.Decimal{least.Base, most.Base} {
		if !d.Equal(d.RoundDown(q.BaseDecimals)) || d.Normalize().NumDigits() > 2 {
			t.Fatalf("%s: %s is no steady amount of %d decimals", q.ID, d, q.BaseDecimals)
		}
	}
}

func TestQuotes_Invariants(t *testing.T) {
	t.Parallel()
	published := 0
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.fixture.Tick(t.Context())
		mid := new(big.Rat).Add(w.bid.Rat(), w.ask.Rat())
		mid.Quo(mid, big.NewRat(2, 1))
		inverse, cross := new(big.Rat).Inv(mid), new(big.Rat).Mul(mid, w.worth.Rat())
		missing := uint64(0)
		for id, of := range map[string]struct{ mid, worth *big.Rat }{"CK": {mid, cross}, "KC": {inverse, w.worth.Rat()}, "CUSD": {cross, cross}, "USDC": {new(big.Rat).Inv(cross), big.NewRat(1, 1)}} {
			var q *pairs.Quote
			if s := w.fixture.Snapshot(); s != nil {
				q = s.Quote(id)
			}
			if q == nil {
				missing++
				continue
			}
			published++
			checkQuote(t, q, of.mid)
			checkDigits(t, q)
			checkSide(t, q, q.Buy, q.MinBuy, q.MaxBuy, of.worth)
			checkSide(t, q, q.Sell, q.MinSell, q.MaxSell, of.worth)
		}
		if refused := w.fixture.Stats().Refused; refused != missing {
			t.Fatalf("%d quotes are missing, and %d refused", missing, refused)
		}
	})
	if published < 50 {
		t.Errorf("only %d quotes were published: the property says too little", published)
	}
}
