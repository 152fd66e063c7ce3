package wire_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/publicapi"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// under sends a question for the sake of a call.
func under(t *testing.T, w *wire.Wire, call *world.Request, q question) said {
	t.Helper()
	r := q.request(t, "https://"+hosts[q.provider])
	return hear(t, w, r.WithContext(world.WithRequest(r.Context(), call)))
}

func callTo(t *testing.T, w *world.World, scenario string) *world.Request {
	t.Helper()
	call, err := w.NewCall(publicapi.ResolveAccount, scenario)
	if err != nil {
		t.Fatal(err)
	}
	return call
}

// TestEveryProviderOfAccountsDoesWhatACallAsksFor asks each about an account that is found.
func TestEveryProviderOfAccountsDoesWhatACallAsksFor(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{}
	for _, q := range questions {
		if q.name != "magic_found" && q.name != "validated" {
			continue
		}
		asked[q.provider] = true
		world := newWorld(t)
		w := wire.New(world)
		id, err := world.Faults().Add(faults.Rule{Match: faults.Match{Provider: q.provider}, Effect: faults.Effect{Kind: faults.Status, Status: 418}}, noon)
		if err != nil {
			t.Fatal(err)
		}
		call := callTo(t, world, "")
		if got := under(t, w, call, q); got.status != 418 || call.Applied() != "fault:"+id {
			t.Errorf("%s: a fault: %d by %s", q.provider, got.status, call.Applied())
		}
		call = callTo(t, world, "closed")
		closed := under(t, w, call, q)
		if closed.status == 418 || call.Applied() != "scenario:closed" {
			t.Errorf("%s: what was asked for: %d by %s", q.provider, closed.status, call.Applied())
		}
		if hits := world.Faults().List()[0].Hits; hits != 1 {
			t.Errorf("%s: the fault befell %d questions", q.provider, hits)
		}
		if err := world.Faults().Remove(id); err != nil {
			t.Fatal(err)
		}
		call = callTo(t, world, "")
		if found := under(t, w, call, q); found.status == closed.status && bytes.Equal(found.body, closed.body) || call.Applied() != "magic:200" {
			t.Errorf("%s: a closed account and one that is found are told alike, by %s: %s", q.provider, call.Applied(), found.body)
		}
		if got := under(t, w, callTo(t, world, "reset"), q); got.err == nil {
			t.Errorf("%s: the connection does not break", q.provider)
		}
	}
	for _, provider := range []string{"paystack", "flutterwave", "korapay", "monnify", "afriex", "daraja", "busha"} {
		if !asked[provider] {
			t.Errorf("%s was not asked", provider)
		}
	}
}

// TestWorldsShareWhatTheyDoNotDifferIn asks worlds of two seeds everything, at the same time: those of one seed say the same, byte for byte.
func TestWorldsShareWhatTheyDoNotDifferIn(t *testing.T) {
	t.Parallel()
	const each = 3
	var sums [2 * each][sha256.Size]byte
	var all sync.WaitGroup
	for registry := range each {
		worlds, err := world.NewRegistry(world.Shared{Clock: func() time.Time { return noon }, Banks: institutions(), Offers: wire.Offers()})
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range []string{"a", "b"} {
			all.Go(func() {
				sim, err := worlds.Use(id)
				if err != nil {
					t.Error(err)
					return
				}
				w, sum := wire.New(sim), sha256.New()
				for _, q := range questions {
					sum.Write(inProcess(t, w, q))
				}
				sum.Sum(sums[2*registry+i][:0])
			})
		}
	}
	all.Wait()
	for i, sum := range sums {
		if sum != sums[i%2] {
			t.Errorf("two worlds %s differ", []string{"a", "b"}[i%2])
		}
	}
	if sums[0] == sums[1] {
		t.Error("two seeds say the same: nothing is compared")
	}
}

// TestMagicPairsAreOnTheWireOfTheirVenues looks for them in the lists, with the age that they say they have.
func TestMagicPairsAreOnTheWireOfTheirVenues(t *testing.T) {
	t.Parallel()
	worlds, err := world.NewRegistry(world.Shared{Clock: func() time.Time { return noon }, Banks: institutions(), Offers: wire.Offers()})
	if err != nil {
		t.Fatal(err)
	}
	sim, err := worlds.Create(world.Options{ID: "a", MagicPairs: true})
	if err != nil {
		t.Fatal(err)
	}
	w := wire.New(sim)
	for target, want := range map[string]string{
		"/exchange-open-api/api/v1/markets/tickers/tflatngn":  fmt.Sprintf(`{"status":"success","message":"Successful","data":{"at":%d,"ticker":{"buy":"99.75","sell":"100.25"`, noon.Unix()),
		"/exchange-open-api/api/v1/markets/tickers/tstalengn": fmt.Sprintf(`{"at":%d,`, noon.Unix()-90),
		"/v1/pairs?base=TWIDE":                                `"buy_price":{"amount":"104","currency":"NGN"},"sell_price":{"amount":"96","currency":"NGN"}`,
	} {
		provider := "quidax"
		if target[:4] == "/v1/" {
			provider = "busha"
		}
		if got := say(t, w, provider, target); got.status != http.StatusOK || !bytes.Contains(got.body, []byte(want)) {
			t.Errorf("%s: %d %s", target, got.status, got.body)
		}
	}
	if got := say(t, wire.New(newWorld(t)), "quidax", "/exchange-open-api/api/v1/markets/tickers/tflatngn"); got.status != http.StatusNotFound {
		t.Errorf("in a world without them: %d %s", got.status, got.body)
	}
}

// TestAnAccountThatIsSetShowsAtEveryProvider sets one by an alias and asks by the code of each.
func TestAnAccountThatIsSetShowsAtEveryProvider(t *testing.T) {
	t.Parallel()
	for _, q := range questions {
		if q.name != "resolved" || q.provider == "daraja" {
			continue
		}
		world := newWorld(t)
		name := "TEST SET BY HAND"
		if err := world.SetAccount("gtbingla", "0123456789", accounts.Overlay{AccountName: &name}); err != nil {
			t.Fatal(err)
		}
		call := callTo(t, world, "")
		if got := under(t, wire.New(world), call, q); !bytes.Contains(got.body, []byte(name)) || call.Applied() != "none" {
			t.Errorf("%s: %s, by %s", q.provider, got.body, call.Applied())
		}
	}
}
