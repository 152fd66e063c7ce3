package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core"
	"causeway/core/pairs"
	"causeway/simulator"
	"causeway/simulator/wire"
)

// enchanted is a sandbox in a world with magic pairs, whose clock stands still. Where currencies are named there are no others in its catalog but the
// magic ones.
func enchanted(t *testing.T, at time.Time, currencies ...string) *theatre {
	t.Helper()
	worlds, err := simulator.NewWorlds(simulator.Shared{Clock: time.Now, Banks: loadCatalog(t).Banks, Offers: wire.Offers()})
	if err != nil {
		t.Fatal(err)
	}
	world, err := worlds.Create(simulator.Options{ID: "magic", Clock: simulator.StartOptions{Now: &at, Frozen: true}, MagicPairs: true})
	if err != nil {
		t.Fatal(err)
	}
	th := newTheatre(t, world, among(loadCatalog(t), currencies))
	th.world.OnAdvance(func(ctx context.Context, _ time.Time) error {
		th.Tick(ctx)
		return nil
	})
	if err := th.world.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return th
}

func (th *theatre) advance(t *testing.T, by time.Duration) {
	t.Helper()
	if _, err := th.world.Advance(t.Context(), by); err != nil {
		t.Fatal(err)
	}
}

// TestMagicPairsComeOutAsTheirTableSays looks at the first moment of a world, before any time passed, and at two hours of it.
func TestMagicPairsComeOutAsTheirTableSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := enchanted(t, time.Date(2026, 11, 16, 12, 3, 0, 0, time.UTC), "USDT", "USD", "NGN")
		look := func() {
			for _, p := range simulator.MagicPairs() {
				q := th.want(t, p.ID, pairs.Status(p.Status), pairs.Reason(p.Reason))
				if q.Mid.LessThan(dec("79.9")) || q.Mid.GreaterThan(dec("120.1")) && p.Code != "TUP" {
					t.Errorf("%s: %s is at %s", th.world.Now(), p.ID, q.Mid)
				}
			}
		}
		look()
		for range 3 {
			th.advance(t, 20*time.Minute)
			look()
		}
		if gain := profit(th.Snapshot().Quotes); gain > 1e-9 {
			t.Errorf("going round makes e^%g of 1", gain)
		}
	})
}

// TestMagicPairsComeOutAtOnceWhileTheClockRuns asks a world whose clock runs before it did anything, in real time: there venues are asked microseconds apart.
func TestMagicPairsComeOutAtOnceWhileTheClockRuns(t *testing.T) {
	t.Parallel()
	g := newPlayground(t, "USDT", "USD", "NGN")
	g.does(http.MethodPost, "/worlds", `{"id":"running","magic_pairs":true}`)
	rec := g.send(simulator.Request{Method: http.MethodGet, Path: "/v1/pairs/TSPLITNGN/price", Headers: map[string]string{"Sim-World": "running"}})
	if body := rec.Body.String(); !strings.Contains(body, `"status":"halted","reason":"disputed"`) || !strings.Contains(body, `"mid":"100"`) {
		t.Errorf("%d %s", rec.Code, body)
	}
}

// TestMagicPricesDoWhatTheyAreFor looks at what moves and what does not.
func TestMagicPricesDoWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := enchanted(t, time.Date(2026, 11, 16, 12, 9, 0, 0, time.UTC))
		flat, up := *th.Snapshot().Quote("TFLATNGN"), th.Snapshot().Quote("TUPNGN").Mid
		stale, wide, split, halt := th.Snapshot().Quote("TSTALENGN"), th.Snapshot().Quote("TWIDENGN"), th.Snapshot().Quote("TSPLITNGN"), th.Snapshot().Quote("THALTNGN")
		near(t, "TFLATNGN", flat.Mid, dec("100"), "0")
		near(t, "THALTNGN", halt.Mid, dec("80"), "0")
		near(t, "TSPLITNGN, the last price", split.Mid, dec("100"), "0")
		near(t, "TWIDENGN, half the spread", wide.Confidence, dec("4"), "0.001")
		if age := th.world.Now().Sub(stale.Legs[0].Rate.AsOf); age != 90*time.Second || !stale.Mid.Equal(dec("100")) {
			t.Errorf("TSTALENGN is at %s, %s old", stale.Mid, age)
		}
		for range 4 {
			th.advance(t, time.Minute)
			now := th.Snapshot().Quote("TUPNGN").Mid
			near(t, "TUPNGN after a minute", now, up.Mul(dec("1.01")), "0.00001")
			up = now
		}
		if q := th.Snapshot().Quote("TFLATNGN"); !q.Buy.Equal(flat.Buy) || !q.Sell.Equal(flat.Sell) {
			t.Errorf("TFLATNGN went from %s/%s to %s/%s", flat.Buy, flat.Sell, q.Buy, q.Sell)
		}
		for _, name := range []string{"TFLATNGN", "TSPLITNGN", "TSTALENGN", "TUPNGN"} {
			if q := th.Snapshot().Quote(name); q.Legs[0].Rate.Jumped {
				t.Errorf("%s jumped", name)
			}
		}
	})
}

// TestAMagicJumpIsConfirmedByTwoAndHeldBackForOne lets TJUMPNGN jump with both venues there, and with one.
func TestAMagicJumpIsConfirmedByTwoAndHeldBackForOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := time.Date(2026, 11, 16, 12, 9, 50, 0, time.UTC)
		th := enchanted(t, at, "USDT", "USD", "NGN")
		before := th.Snapshot().Quote("TJUMPNGN").Mid
		if next, err := th.world.AdvanceToNext(t.Context()); err != nil || !next.Equal(at.Truncate(time.Minute).Add(time.Minute)) {
			t.Fatalf("the next event is %s, %v", next, err)
		}
		th.advance(t, 3*time.Second)
		q := th.want(t, "TJUMPNGN", pairs.Fresh, "")
		if move := q.Mid.Div(before).Sub(dec("1")).Abs(); !q.Legs[0].Rate.Jumped || move.LessThan(dec("0.16")) {
			t.Errorf("from %s to %s: confirmed is %t", before, q.Mid, q.Legs[0].Rate.Jumped)
		}
		before = q.Mid
		th.befall(t, "busha", simulator.Effect{Kind: simulator.FaultRefuse})
		th.advance(t, 8*time.Minute+45*time.Second) // busha's last word is too old by then
		th.want(t, "TJUMPNGN", pairs.Halted, pairs.NoQuorum)
		th.advance(t, 85*time.Second)
		if q := th.want(t, "TJUMPNGN", pairs.Halted, pairs.Jump); !q.Mid.Equal(before) {
			t.Errorf("held back, it is at %s, and was at %s", q.Mid, before)
		}
	})
}

// TestOnlyAWorldThatAsksHasMagicPairs looks at the market and the wire of one that does not.
func TestOnlyAWorldThatAsksHasMagicPairs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := stage(t, "causeway")
		th.run(t, 5*time.Second, time.Second, nil)
		for _, p := range simulator.MagicPairs() {
			if th.Snapshot().Quote(p.ID) != nil {
				t.Errorf("%s is listed", p.ID)
			}
			for _, venue := range p.Venues {
				if slices.Contains(th.world.Market().Listed(venue), core.Pair{Base: p.Code, Counter: "NGN"}) {
					t.Errorf("%s is traded at %s", p.ID, venue)
				}
			}
		}
	})
}
