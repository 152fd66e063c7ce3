package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// worldAt is a world at a time of its own.
func worldAt(t *testing.T, at time.Time) *world.World {
	t.Helper()
	w, err := world.New(world.Config{Seed: "causeway"}, func() time.Time { return at }, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestQuidaxShowsEveryBookAndOneThatIsEmpty(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	type row struct {
		At     int64
		Ticker struct{ Buy, Sell, Last string }
	}
	var all struct{ Data map[string]row }
	w := wire.New(world)
	ask(t, w, "quidax", "/exchange-open-api/api/v1/markets/tickers", &all)
	listed := world.Market().Listed(market.Quidax)
	if len(all.Data) != len(listed)+1 || len(listed) < 20 {
		t.Fatalf("%d tickers of %d books", len(all.Data), len(listed))
	}
	for _, pair := range listed {
		book, _ := world.Market().Book(market.Quidax, pair, noon)
		name := strings.ToLower(pair.ID())
		var one struct{ Data row }
		ask(t, w, "quidax", "/exchange-open-api/api/v1/markets/tickers/"+name, &one)
		got := all.Data[name]
		if one.Data != got || got.At != noon.Unix() {
			t.Errorf("%s by itself is %v, among all %v", name, one.Data, got)
		}
		for said, meant := range map[string]market.Amount{got.Ticker.Buy: book.Bid, got.Ticker.Sell: book.Ask, got.Ticker.Last: book.Last} {
			if strings.TrimSuffix(said, ".0") != meant.Trimmed() || !strings.Contains(said, ".") {
				t.Errorf("%s: got %s, want %s", name, said, meant)
			}
		}
	}
	if empty := all.Data["dashngn"].Ticker; empty.Buy != "0.0" || empty.Sell != "0.0" {
		t.Errorf("the empty book is %v", empty)
	}
}

func TestBushaSpeaksAsItsCustomers(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	var all struct {
		Data []struct {
			Base, Counter string
			Buy           struct{ Amount, Currency string } `json:"buy_price"`
			Sell          struct{ Amount, Currency string } `json:"sell_price"`
		}
	}
	ask(t, wire.New(world), "busha", "/v1/pairs", &all)
	listed := world.Market().Listed(market.Busha)
	if len(all.Data) != len(listed) || len(listed) < 15 {
		t.Fatalf("%d of %d pairs", len(all.Data), len(listed))
	}
	for i, pair := range listed {
		book, _ := world.Market().Book(market.Busha, pair, noon)
		got := all.Data[i]
		if got.Base != pair.Base || got.Counter != pair.Counter || got.Buy.Currency != pair.Counter || got.Sell.Currency != pair.Counter ||
			got.Buy.Amount != book.Ask.Trimmed() || got.Sell.Amount != book.Bid.Trimmed() {
			t.Errorf("%s: got %+v, want to buy at %s and to sell at %s", pair, got, book.Ask, book.Bid)
		}
	}
}

func TestFrankfurterPublishesOnWorkingDays(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"2026-11-18T14:59:59Z": "2026-11-17",
		"2026-11-18T15:00:00Z": "2026-11-18",
		"2026-11-20T23:59:59Z": "2026-11-20", // Friday
		"2026-11-21T16:00:00Z": "2026-11-20",
		"2026-11-22T16:00:00Z": "2026-11-20",
		"2026-11-23T14:00:00Z": "2026-11-20",
		"2026-11-23T15:00:00Z": "2026-11-23",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		var rows []struct{ Date, Quote string }
		ask(t, wire.New(worldAt(t, at)), "frankfurter", "/v2/rates?base=USD&quotes=NGN", &rows)
		if len(rows) != 1 || rows[0].Date != want || rows[0].Quote != "NGN" {
			t.Errorf("at %s: got %v, want the rate of %s", now, rows, want)
		}
	}
}

func TestFrankfurterRateIsThatOfItsDate(t *testing.T) {
	t.Parallel()
	rate := func(at time.Time) json.Number {
		var rows []struct{ Rate json.Number }
		ask(t, wire.New(worldAt(t, at)), "frankfurter", "/v2/rates?base=USD&quotes=ZAR", &rows)
		return rows[0].Rate
	}
	friday := time.Date(2026, time.November, 20, 15, 0, 0, 0, time.UTC)
	if first, last := rate(friday), rate(friday.Add(72*time.Hour-1)); first != last {
		t.Errorf("over the weekend it went from %s to %s", first, last)
	}
	if before, after := rate(friday), rate(friday.Add(72*time.Hour)); before == after {
		t.Errorf("on Monday it is still %s", before)
	}
}

func TestCoinGeckoIsUpToAMinuteOld(t *testing.T) {
	t.Parallel()
	at := noon.Truncate(time.Minute).Add(59 * time.Second)
	var prices map[string]struct {
		USD  json.Number `json:"usd"`
		Made int64       `json:"last_updated_at"`
	}
	world := worldAt(t, at)
	ask(t, wire.New(world), "coingecko", "/api/v3/simple/price?ids=bitcoin&vs_currencies=usd&include_last_updated_at=true&precision=full", &prices)
	made := at.Truncate(time.Minute)
	want, _ := world.Market().Aggregate(core.Pair{Base: "BTC", Counter: "USD"}, made)
	if got := prices["bitcoin"]; got.Made != made.Unix() || string(got.USD) != want.Trimmed() {
		t.Errorf("got %+v, want %s of %d", got, want, made.Unix())
	}
}
