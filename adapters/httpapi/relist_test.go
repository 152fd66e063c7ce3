package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/adapters/httpapi"
	"causeway/core"
)

// A list of currencies that is replaced is shown as a whole, with a new ETag.
func TestRelist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.get("/v1/currencies")
	if before.Code != http.StatusOK || w.get("/v1/currencies/NGN").Code != http.StatusOK {
		t.Fatalf("before: %d %s", before.Code, before.Body)
	}
	w.api.Relist([]core.Currency{{Code: "XYZ", Name: "Ecksypsilon", Type: core.Fiat, Decimals: 2}})
	after := w.get("/v1/currencies")
	if !strings.Contains(after.Body.String(), "Ecksypsilon") || strings.Contains(after.Body.String(), "NGN") || after.Header().Get("ETag") == before.Header().Get("ETag") {
		t.Errorf("after: %s", after.Body)
	}
	if one, gone := w.get("/v1/currencies/XYZ"), w.get("/v1/currencies/NGN"); one.Code != http.StatusOK || gone.Code != http.StatusNotFound {
		t.Errorf("one %d, one that is gone %d", one.Code, gone.Code)
	}
}

// Other worlds go on with the currencies that their prices and rules know, whether they were made before or after.
func TestRelistLeavesOtherRealmsAlone(t *testing.T) {
	t.Parallel()
	list := currencies()
	w := newWorld(t, func(_ *httpapi.Config, s *httpapi.Services) { s.Currencies = list })
	world := func() *httpapi.Realm {
		book := &pairBook{known: map[string]bool{}}
		book.publish(snapshot())
		return w.api.In(httpapi.Services{Pairs: book, Banks: w.banks, Recipients: newResolver(), Addresses: w.addresses, Currencies: list, Countries: countries()},
			httpapi.Seams{Clock: func() time.Time { return noon }, Entropy: func() uint64 { return 7 }})
	}
	before := world()
	want := at(t, before, "/v1/currencies").Body.String()
	w.api.Relist([]core.Currency{{Code: "XYZ", Name: "Ecksypsilon", Type: core.Fiat, Decimals: 2}})
	for name, realm := range map[string]*httpapi.Realm{"before": before, "after": world()} {
		if got := at(t, realm, "/v1/currencies").Body.String(); got != want {
			t.Errorf("a world that was made %s lists %s", name, got)
		}
	}
}

// While nobody can tell whether a key is one of ours, whoever sends it is told to come back, not that the key is wrong.
func TestKeysThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, production, func(c *httpapi.Config, _ *httpapi.Services) { c.Auth.Keys = away{} })
	const question = `{"currency_id":"NGN","country_id":"NG","channel":"bank_transfer","bank_code":"000013","account_number":"0123456789"}`
	got := w.post("/v1/recipients/resolve-bank-account", question, "Authorization: Bearer ck_1")
	if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
		t.Errorf("with a key: %d %s", got.Code, got.Body)
	}
	if got := w.post("/v1/recipients/resolve-bank-account", question); got.Code != http.StatusUnauthorized {
		t.Errorf("without a key: %d %s", got.Code, got.Body)
	}
	if got := w.get("/v1/banks", "Authorization: Bearer ck_1"); got.Code != http.StatusOK {
		t.Errorf("what is public: %d %s", got.Code, got.Body)
	}
}

// away is a ring that cannot be reached.
type away struct{}

func (away) Find(context.Context, core.Secret) (core.Key, error) {
	return core.Key{}, core.Errorf(core.Unavailable, "away").Retry(time.Second)
}
