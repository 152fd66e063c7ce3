package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"causeway/core/pairs"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// newMagicFixture is newMarketFixture with magic pairs.
func newMagicFixture(t *testing.T, at time.Time, currencies ...string) *marketFixture {
	t.Helper()
	worlds, err := world.NewRegistry(world.RegistryConfig{
		Clock: time.Now, Banks: loadCatalog(t).Banks,
		Providers: wire.Offers(),
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := worlds.Create(world.Options{
		ID: "magic", Clock: world.ClockSetting{Now: &at, Frozen: new(true)},
		MagicPairs: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	mf := newMarketFixtureOf(t, w, onlyCurrencies(loadCatalog(t), currencies))
	mf.world.OnAdvance(func(ctx context.Context, _ time.Time) error {
		mf.Tick(ctx)
		return nil
	})
	if err := mf.world.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return mf
}

func (mf *marketFixture) advance(t *testing.T, by time.Duration) {
	t.Helper()
	if _, err := mf.world.Advance(t.Context(), by); err != nil {
		t.Fatal(err)
	}
}

// TestMagicPairs checks the documented status of every magic pair at the start of a world and
// three minutes later, and which prices move.
func TestMagicPairs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mf := newMagicFixture(t, time.Date(2026, 11, 16, 12, 9, 0, 0, time.UTC), "USDT", "USD", "NGN")
		look := func() {
			for _, p := range market.MagicPairs() {
				q := mf.want(t, p.ID, pairs.Status(p.Status), pairs.Reason(p.Reason))
				if q.Mid.LessThan(dec("79.9")) || q.Mid.GreaterThan(dec("120.1")) && p.Code != "TUP" {
					t.Errorf("%s: %s is at %s", mf.world.Now(), p.ID, q.Mid)
				}
			}
		}
		look()
		flat, up := *mf.Snapshot().Quote("TFLATNGN"), mf.Snapshot().Quote("TUPNGN").Mid
		stale, wide, split, halt := mf.Snapshot().Quote("TSTALENGN"), mf.Snapshot().Quote("TWIDENGN"),
			mf.Snapshot().Quote("TSPLITNGN"), mf.Snapshot().Quote("THALTNGN")
		near(t, "TFLATNGN", flat.Mid, dec("100"), "0")
		near(t, "THALTNGN", halt.Mid, dec("80"), "0")
		near(t, "TSPLITNGN, the last price", split.Mid, dec("100"), "0")
		near(t, "TWIDENGN, half the spread", wide.Confidence, dec("4"), "0.001")
		if age := mf.world.Now().Sub(stale.Legs[0].Rate.AsOf); age != 90*time.Second || !stale.Mid.Equal(dec("100")) {
			t.Errorf("TSTALENGN is at %s, %s old", stale.Mid, age)
		}
		for range 2 {
			mf.advance(t, time.Minute)
			now := mf.Snapshot().Quote("TUPNGN").Mid
			near(t, "TUPNGN after a minute", now, up.Mul(dec("1.01")), "0.001") // polled up to 3 s apart
			up = now
		}
		if q := mf.Snapshot().Quote("TFLATNGN"); !q.Buy.Equal(flat.Buy) || !q.Sell.Equal(flat.Sell) {
			t.Errorf("TFLATNGN went from %s/%s to %s/%s", flat.Buy, flat.Sell, q.Buy, q.Sell)
		}
		for _, name := range []string{"TFLATNGN", "TSPLITNGN", "TSTALENGN", "TUPNGN"} {
			if q := mf.Snapshot().Quote(name); q.Legs[0].Rate.Jumped {
				t.Errorf("%s jumped", name)
			}
		}
		mf.advance(t, time.Minute)
		look()
	})
}

// TestMagicPairs_Jump lets TJUMPNGN jump with both venues, and with one.
func TestMagicPairs_Jump(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		at := time.Date(2026, 11, 16, 12, 9, 50, 0, time.UTC)
		mf := newMagicFixture(t, at, "USDT", "USD", "NGN")
		before := mf.Snapshot().Quote("TJUMPNGN").Mid
		if next, err := mf.world.AdvanceToNext(t.Context()); err != nil ||
			!next.Equal(at.Truncate(time.Minute).Add(time.Minute)) {
			t.Fatalf("the next event is %s, %v", next, err)
		}
		mf.advance(t, 3*time.Second)
		q := mf.want(t, "TJUMPNGN", pairs.Fresh, "")
		if move := q.Mid.Div(before).Sub(dec("1")).Abs(); !q.Legs[0].Rate.Jumped || move.LessThan(dec("0.16")) {
			t.Errorf("from %s to %s: confirmed is %t", before, q.Mid, q.Legs[0].Rate.Jumped)
		}
		before = q.Mid
		mf.addFault(t, "busha", faults.Effect{Kind: faults.Refuse})
		mf.world.Freeze(mf.world.Now().Add(7*time.Minute + 15*time.Second)) // busha's last price is too old by then
		mf.advance(t, 90*time.Second)
		mf.want(t, "TJUMPNGN", pairs.Halted, pairs.NoQuorum)
		mf.advance(t, 85*time.Second)
		if q := mf.want(t, "TJUMPNGN", pairs.Halted, pairs.NoQuorum); !q.Mid.Equal(before) {
			t.Errorf("held back, it is at %s, and was at %s", q.Mid, before)
		}
	})
}
