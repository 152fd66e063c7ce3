package market_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"causeway/simulator/market"
	_ "causeway/test/fixedseed"
)

func TestMagicPairs_Prices(t *testing.T) {
	t.Parallel()
	var markets []*market.Market
	for _, name := range []string{"a", "b"} {
		markets = append(markets, newMagicMarket(t, name))
	}
	for at, want := range map[time.Time]map[string]string{
		noon: {
			"TFLAT/NGN": "100", "TUP/NGN": "1292.37671158", "TJUMP/NGN": "100", "TWIDE/NGN": "100", "TSTALE/NGN": "100", "TSPLIT/NGN": "100", "THALT/NGN": "80",
		},
		noon.Add(10 * time.Minute):      {"TJUMP/NGN": "120", "TUP/NGN": "1427.58790998"},
		noon.Add(20*time.Minute - 1):    {"TJUMP/NGN": "120"},
		noon.Add(20 * time.Minute):      {"TJUMP/NGN": "100"},
		noon.Add(30 * time.Minute):      {"TJUMP/NGN": "80"},
		noon.Add(-12 * time.Hour):       {"TUP/NGN": "1"},
		noon.Add(-12*time.Hour + 6e10):  {"TUP/NGN": "1.01"},
		noon.Add(-12*time.Hour + 3e10):  {"TUP/NGN": "1.00498756211"},
		noon.Add(1000 * 24 * time.Hour): {"TFLAT/NGN": "100", "TUP/NGN": "1292.37671158"},
	} {
		for _, m := range markets {
			for pair, price := range want {
				if got := priced(t, m, pair, at); got != price {
					t.Errorf("%s: %s is at %s, want %s", at, pair, got, price)
				}
			}
		}
	}
}

func TestMagicPairs_Books(t *testing.T) {
	t.Parallel()
	m := newMagicMarket(t, "default")
	for _, c := range []struct {
		venue, pair string
		at          time.Time
		bid, ask    string
	}{
		{"quidax", "TFLAT/NGN", noon, "99.75", "100.25"},
		{"busha", "TFLAT/NGN", noon.Add(77 * time.Minute), "99.75", "100.25"},
		{"busha", "TWIDE/NGN", noon, "96", "104"},
		{"quidax", "TSPLIT/NGN", noon.Add(-time.Millisecond), "99.75", "100.25"},
		{"busha", "TSPLIT/NGN", noon.Add(-time.Hour), "99.75", "100.25"},
		{"quidax", "TSPLIT/NGN", noon, "94.762", "95.238"},
		{"busha", "TSPLIT/NGN", noon, "104.737", "105.263"},
		{"quidax", "TJUMP/NGN", noon.Add(10*time.Minute - time.Millisecond), "99.75", "100.25"},
		{"quidax", "TJUMP/NGN", noon.Add(10 * time.Minute), "119.7", "120.3"},
	} {
		book, there := m.Book(c.venue, pairOf(c.pair), c.at)
		if !there || book.Bid.String() != c.bid || book.Ask.String() != c.ask {
			t.Errorf("%s %s at %s: %s and %s, want %s and %s", c.venue, c.pair, c.at, book.Bid, book.Ask, c.bid, c.ask)
		}
	}
	for pair, age := range map[string]time.Duration{"TSTALE/NGN": 90 * time.Second, "BTC/NGN": 0} {
		if book, _ := m.Book("quidax", pairOf(pair), noon); noon.Sub(book.Made) != age {
			t.Errorf("%s is of %s", pair, book.Made)
		}
	}
	if slices.Contains(m.Listed("busha"), pairOf("TSTALE/NGN")) {
		t.Error("TSTALE has a second venue, which does not tell the age of its prices")
	}
}

// TestMagicPairs_OtherPairs compares worlds with and without them.
func TestMagicPairs_OtherPairs(t *testing.T) {
	t.Parallel()
	plain, magic := newMarket(t, "s"), newMagicMarket(t, "s")
	for _, venue := range []string{"kraken", "quidax", "busha", "okx"} {
		for _, pair := range plain.Listed(venue) {
			a, _ := plain.Book(venue, pair, noon)
			b, there := magic.Book(venue, pair, noon)
			if !same(a, b) || !there {
				t.Errorf("%s %s: %v and %v", venue, pair, a, b)
			}
		}
	}
	extra := len(magic.Listed("quidax")) - len(plain.Listed("quidax"))
	if extra != len(market.MagicPairs()) {
		t.Errorf("%d pairs more", extra)
	}
}

func TestMagicPairs_Pinned(t *testing.T) {
	t.Parallel()
	m := newMagicMarket(t, "default")
	put(t, m, "TFLAT/NGN", market.Setting{Pin: "123.45"}, noon)
	if got := priced(t, m, "TFLAT/NGN", noon.Add(time.Hour)); got != "123.45" {
		t.Errorf("it is at %s", got)
	}
	put(t, m, "TUP/NGN", market.Setting{JumpBPS: 10_000}, noon)
	if got := priced(t, m, "TUP/NGN", noon); got[:6] != "2584.7" {
		t.Errorf("twice the price is %s", got)
	}
}

// TestInstant_RoundTrip is about the instants that prices are computed from.
func TestInstant_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(-1e15, 7e15).Draw(rt, "at")).UTC()
		if got := market.RoundTrip(at); !got.Equal(at) {
			rt.Fatalf("%s comes back as %s", at, got)
		}
	})
}
