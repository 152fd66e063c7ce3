package app

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"

	"causeway/core/pairs"
)

// along fails unless the quote is an ordinary fresh one along so many legs.
func along(t *testing.T, s *pairs.Service, id string, legs int) *pairs.Quote {
	t.Helper()
	q := s.Snapshot().Quote(id)
	if q.Status != pairs.Fresh || q.Reason != "" || len(q.Legs) != legs {
		t.Errorf("%s: %s %q along %d legs, want it fresh along %d", id, q.Status, q.Reason, len(q.Legs), legs)
	}
	return q
}

// near fails unless two prices of a pair differ by less than a part of one.
func near(t *testing.T, id string, a, b decimal.Decimal, part string) {
	t.Helper()
	if a.Sub(b).Abs().GreaterThan(b.Mul(decimal.RequireFromString(part))) {
		t.Errorf("%s: %s and %s", id, a, b)
	}
}

func TestBitcoinInNairaFallsBackOnItsCross(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, network := lied(t, "www.quidax.com", "BTC", "ETH", "USDT", "USD", "EUR", "NGN")
		pass(t, s, 10)
		direct := along(t, s, "BTCNGN", 1)
		if rate := direct.Legs[0].Rate; len(rate.Used) != 2 || rate.Quorum != 2 || rate.Class != "dealer" {
			t.Errorf("made of %d votes of a quorum of %d, as %s", len(rate.Used), rate.Quorum, rate.Class)
		}
		network.lie = func(body string) string { // as if it had stopped trading this one market
			var all struct {
				Status  string                     `json:"status"`
				Message string                     `json:"message"`
				Data    map[string]json.RawMessage `json:"data"`
			}
			if err := json.Unmarshal([]byte(body), &all); err != nil {
				t.Errorf("the test does not understand Quidax: %v", err)
			}
			delete(all.Data, "btcngn")
			text, _ := json.Marshal(all)
			return string(text)
		}
		pass(t, s, 130) // its last vote counts for two minutes
		cross := along(t, s, "BTCNGN", 2)
		near(t, "BTCNGN", cross.Mid, s.Snapshot().Quote("BTCUSDT").Mid.Mul(s.Snapshot().Quote("USDTNGN").Mid), "0.000001")
		along(t, s, "ETHNGN", 2)
		network.lie = nil
		pass(t, s, 10)
		near(t, "BTCNGN", along(t, s, "BTCNGN", 1).Mid, cross.Mid, "0.01")
	})
}

func TestADollarBookThatLosesAVenueFallsBackOnTether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, network := priced(t)
		pass(t, s, 10)
		along(t, s, "BTCUSD", 1)
		along(t, s, "SOLUSD", 1)
		network.hosts = []string{"api.exchange.coinbase.com"}
		pass(t, s, 130) // the last votes of a tail market count for two minutes
		for _, id := range []string{"BTCUSD", "ETHUSD", "SOLUSD", "ADAUSD"} {
			along(t, s, id, 2)
		}
		along(t, s, "USDCUSD", 1)
		along(t, s, "USDTEUR", 1)
		bitcoin := along(t, s, "BTCGBP", 2)
		near(t, "BTCGBP", bitcoin.Mid, s.Snapshot().Quote("BTCUSD").Mid.Div(s.Snapshot().Quote("GBPUSD").Mid), "0.02") // official rates are hours old
		along(t, s, "BTCKES", 2)
		along(t, s, "DAIUSD", 2)
		if q := s.Snapshot().Quote("GBPNGN"); q.Status != pairs.Halted || q.Reason != pairs.NoQuorum {
			t.Errorf("GBPNGN has no third family and no other cross: %s %q", q.Status, q.Reason)
		}
	})
}

// TestTheOneVenueOfEurosAndDollarsIsNotBelievedAlone has Kraken lie about EUR/USD by 5 %: enough to make money of, too little for a jump.
func TestTheOneVenueOfEurosAndDollarsIsNotBelievedAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, network := lied(t, "api.kraken.com")
		pass(t, s, 10)
		before := along(t, s, "EURUSD", 1)
		network.lie = krakenTimes("ZEURZUSD", "1.05")
		pass(t, s, 60)
		near(t, "EURUSD", along(t, s, "EURUSD", 2).Mid, before.Mid, "0.005")
		if leg := along(t, s, "EURKES", 2).Legs[0].Rate; leg.Pair.String() != "USD/EUR" || leg.Class != "official" {
			t.Errorf("EURKES, of which it is a leg, goes along %s of %s", leg.Class, leg.Pair)
		}
		along(t, s, "GBPUSD", 1)
		along(t, s, "BTCEUR", 1)
		if got := s.Stats(); got.Kept != 0 {
			t.Errorf("%d snapshots were kept back", got.Kept)
		}
	})
}
