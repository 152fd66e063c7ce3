package contract_test

import (
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
)

type usedSource struct {
	Source, Family, Bid, Ask, Age string
}

type sources struct {
	Used     []usedSource
	Excluded []struct{ Source, Reason string }
}

type leg struct {
	Base, Quote, Mid string
	Confidence       string
	Peg              string
	Sources          sources
}

type price struct {
	ID         string
	Status     string
	Reason     string
	AsOf       time.Time `json:"as_of"`
	Age        string
	Mid        string
	BuyPrice   money `json:"buy_price"`
	SellPrice  money `json:"sell_price"`
	Margin     string
	Confidence string
	Route      []leg
	Sources    sources
}

// explained is a pair with the explanation of its price, both of one snapshot.
func explained(t *testing.T, id string) (pair, price) {
	t.Helper()
	for range 200 {
		p, why := data[pair](t, get(t, "/v1/pairs/"+id)), data[price](t, get(t, "/v1/pairs/"+id+"/price"))
		if p.BuyPrice == why.BuyPrice && p.SellPrice == why.SellPrice {
			return p, why
		}
	}
	t.Fatalf("%s: the pair and its explanation never had one price", id)
	return pair{}, price{}
}

// TestPrice_Derivation does what the description of explain-price says, for every pair on offer.
func TestPrice_Derivation(t *testing.T) {
	t.Parallel()
	legs, inverted, pegged := map[int]int{}, 0, map[string]int{}
	for _, listed := range pairs(t, "") {
		p, why := explained(t, listed.ID)
		legs[len(why.Route)]++
		mid, doubt, turned := recross(t, p, why)
		if turned {
			inverted++
		}
		for _, l := range why.Route {
			if l.Peg != "" {
				pegged[l.Base+"/"+l.Quote]++
			}
		}
		// The product and the inverse keep 34 significant digits, confidences 12, rounded up.
		if !near(rat(t, why.Mid), mid, 30) {
			t.Errorf("%s: mid %s, made again %s", p.ID, why.Mid, mid.FloatString(20))
		}
		if got := rat(t, why.Confidence); got.Cmp(doubt) < 0 || !near(got, doubt, 10) {
			t.Errorf("%s: confidence %s, made again %s", p.ID, why.Confidence, doubt.FloatString(20))
		}
		requote(t, p, why)
	}
	if legs[1] == 0 || legs[2] == 0 || legs[1]+legs[2] < 40 || inverted == 0 {
		t.Errorf("of the prices %v have so many legs, and %d an inverted one: not much was shown", legs, inverted)
	}
	if len(pegged) != 2 || pegged["EUR/XOF"] < 3 || pegged["EUR/XAF"] < 3 {
		t.Errorf("pegged routes: %v, want the routes of the two francs", pegged)
	}
}

// recross makes the mid and the confidence of a pair from the votes of its sources.
func recross(t *testing.T, p pair, why price) (mid, doubt *big.Rat, inverted bool) {
	t.Helper()
	at, mid, ratios := p.Base, big.NewRat(1, 1), new(big.Rat)
	for _, l := range why.Route {
		rate, width := count(t, l)
		if got, doubt := rat(t, l.Mid), rat(t, l.Confidence); got.Cmp(rate) != 0 || doubt.Cmp(width) != 0 {
			t.Errorf("%s: the leg %s/%s is at %s ± %s, its votes at %s ± %s", p.ID, l.Base, l.Quote, l.Mid, l.Confidence, rate.FloatString(20), width.FloatString(20))
		}
		switch at {
		case l.Base:
			at, mid = l.Quote, mid.Mul(mid, rate)
		case l.Quote:
			at, mid, inverted = l.Base, mid.Quo(mid, rate), true
		default:
			t.Errorf("%s: the leg %s/%s leads away from %s", p.ID, l.Base, l.Quote, at)
		}
		ratios.Add(ratios, width.Quo(width, rate))
	}
	if at != p.Counter {
		t.Errorf("%s: the route ends at %s", p.ID, at)
	}
	return mid, new(big.Rat).Mul(mid, ratios), inverted
}

// count makes the mid and the confidence of a leg. A peg has no votes, and no other leg has none.
func count(t *testing.T, l leg) (mid, doubt *big.Rat) {
	t.Helper()
	var votes, spreads []*big.Rat
	families := map[string]bool{}
	for _, s := range l.Sources.Used {
		bid, ask := rat(t, s.Bid), rat(t, s.Ask)
		votes = append(votes, bid, half(new(big.Rat).Add(bid, ask)), ask)
		spreads = append(spreads, new(big.Rat).Sub(ask, bid))
		if families[s.Family] || s.Family == "" || s.Source == "" || rat(t, s.Age).Sign() < 0 {
			t.Errorf("%s/%s: the vote %+v", l.Base, l.Quote, s)
		}
		families[s.Family] = true
	}
	if (l.Peg != "") != (len(votes) == 0) || l.Peg != "" && len(l.Sources.Excluded) > 0 {
		t.Errorf("%s/%s: %d votes, the peg %q", l.Base, l.Quote, len(votes), l.Peg)
	}
	if l.Peg != "" {
		return rat(t, l.Peg), new(big.Rat)
	}
	mid, quarter := middle(votes), len(votes)/4
	doubt = half(middle(spreads))
	for _, far := range []*big.Rat{new(big.Rat).Sub(mid, votes[quarter]), new(big.Rat).Sub(votes[len(votes)-1-quarter], mid)} {
		if far.Cmp(doubt) > 0 {
			doubt = far
		}
	}
	return mid, doubt
}

// requote makes the prices from mid, margin and confidence.
func requote(t *testing.T, p pair, why price) {
	t.Helper()
	tick := decimal.New(1, -places(p))
	mid, margin, doubt := decimal.RequireFromString(why.Mid), decimal.RequireFromString(why.Margin), decimal.RequireFromString(why.Confidence)
	buy := mid.Add(mid.Mul(margin)).Add(doubt).RoundCeil(places(p))
	sell := mid.Sub(mid.Mul(margin)).Sub(doubt).RoundFloor(places(p))
	if !buy.GreaterThan(mid) {
		buy = buy.Add(tick)
	}
	if !sell.LessThan(mid) {
		sell = sell.Sub(tick)
	}
	if buy.String() != p.BuyPrice.Amount || sell.String() != p.SellPrice.Amount {
		t.Errorf("%s: bought at %s and sold at %s, made again %s and %s", p.ID, p.BuyPrice.Amount, p.SellPrice.Amount, buy, sell)
	}
}

func middle(of []*big.Rat) *big.Rat {
	slices.SortFunc(of, (*big.Rat).Cmp)
	return half(new(big.Rat).Add(of[(len(of)-1)/2], of[len(of)/2]))
}

func half(x *big.Rat) *big.Rat { return x.Mul(x, big.NewRat(1, 2)) }

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	return number(t, "a number", text, "100").Rat()
}

// near reports whether two numbers agree to so many significant digits.
func near(a, b *big.Rat, digits int64) bool {
	off := new(big.Rat).Sub(a, b)
	bound := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil))
	return off.Abs(off).Cmp(bound.Mul(bound, new(big.Rat).Abs(b))) <= 0
}

func TestPrice_Age(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"BTCNGN", "USDTNGN", "BTCUSD", "ETHNGN"} {
		p, why := explained(t, id)
		oldest := new(big.Rat)
		var all sources
		for _, l := range why.Route {
			ages := make([]*big.Rat, 0, len(l.Sources.Used))
			for _, s := range l.Sources.Used {
				ages = append(ages, rat(t, s.Age))
			}
			slices.SortFunc(ages, (*big.Rat).Cmp)
			if completes := ages[min(1, len(ages)-1)]; completes.Cmp(oldest) > 0 { // the quorum of these markets is 2
				oldest = completes
			}
			all.Used, all.Excluded = append(all.Used, l.Sources.Used...), append(all.Excluded, l.Sources.Excluded...)
		}
		if rat(t, why.Age).Cmp(oldest) != 0 || why.AsOf.IsZero() || why.AsOf.After(time.Now()) {
			t.Errorf("%s: %s old, of %s; its legs are %s old", id, why.Age, why.AsOf, oldest.FloatString(3))
		}
		if !reflect.DeepEqual(all.Used, why.Sources.Used) || len(all.Excluded) != len(why.Sources.Excluded) {
			t.Errorf("%s: the sources at the top are not the sources of the legs: %+v", id, why.Sources)
		}
		if why.ID != id || why.Status != p.Status || (why.Reason != "") != (why.Status != "fresh") {
			t.Errorf("%s: %+v", id, why)
		}
	}
}
