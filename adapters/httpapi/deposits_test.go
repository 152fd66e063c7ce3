package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/adapters/httpapi"
	"causeway/adapters/memory"
	"causeway/adapters/wallets"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/deposits"
	"causeway/ports"
)

// depositService is the service of a simulated world.
func depositService(t testing.TB) *deposits.Service {
	t.Helper()
	return depositServiceOn(t, memory.NewDeposits(time.Now))
}

func depositServiceOn(t testing.TB, store ports.DepositStore) *deposits.Service {
	t.Helper()
	validator, err := addresses.New(currencies(), addresses.Policy{Testnet: true})
	if err != nil {
		t.Fatal(err)
	}
	all := wallets.Sandbox("test", false)
	service, err := deposits.New(deposits.Config{
		Sources: map[string]ports.AddressSource{"BTC": all["BTC"], "XRP": all["XRP"]}, Store: store,
		Addresses: validator, Currencies: currencies(), Clock: func() time.Time { return noon },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wallet := range []string{"BTC", "XRP"} {
		if _, err := service.Confirm(t.Context(), wallet); err != nil {
			t.Fatal(err)
		}
	}
	return service
}

// withDepositKeys makes the operations of deposit addresses need a key.
func withDepositKeys(c *httpapi.Config, _ *httpapi.Services) {
	key := func(id string, scopes ...string) core.Key {
		return core.Key{ID: id, Account: id + "-1", Scopes: scopes}
	}
	c.Sandbox = false
	c.Auth = httpapi.Auth{
		Operations: []string{"list-addresses", "get-addresses", "get-address-qr", "regenerate-address", "find-address-owner"},
		Keys: ring{
			"alice": key("alice", "addresses:read", "addresses:write"), "bob": key("bob", "addresses:read"),
			"all": key("all", "*"), "desk": key("desk", "addresses:owner"),
			"alice2": {ID: "rotated", Account: "alice-1", Scopes: []string{"get-addresses"}},
		},
	}
}

type depositItem struct {
	ID, Currency, Network, Chain, Address, Account string
	CurrencyID                                     string `json:"currency_id"`
	ProfileID                                      string `json:"profile_id"`
	PaymentURI                                     string `json:"payment_uri"`
	Memo                                           *string
	Current                                        bool
	Warnings                                       []string
}

// items sends a request and returns the items of its response.
func (w *world) items(t *testing.T, target string, header ...string) []depositItem {
	t.Helper()
	return dataOf[[]depositItem](t, w.get(target, header...))
}

func TestDeposits_SameAddressPerUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.items(t, "/v1/addresses"); len(got) != 0 {
		t.Errorf("a new user has %+v", got)
	}
	first := w.items(t, "/v1/addresses/btc")[0]
	if first.CurrencyID != "BTC" || first.Chain != "BTC" || !first.Current || first.Memo != nil || first.Warnings[0] != "simulated_address" {
		t.Errorf("got %+v", first)
	}
	seen := map[string]string{}
	for name, header := range map[string]string{
		"default user": "X-None: 1", "user a": "X-BU-PROFILE-ID: a", "user A": "X-BU-PROFILE-ID: A", "token": "Authorization: Bearer x",
		"another token": "Authorization: Bearer y",
	} {
		address := w.items(t, "/v1/addresses/BTC?network=bitcoin", header)[0].Address
		if again := w.items(t, "/v1/addresses/BTC", header)[0].Address; again != address {
			t.Errorf("%s: got %s, and then %s", name, address, again)
		}
		if other, ok := seen[address]; ok {
			t.Errorf("%s and %s have the same address", name, other)
		}
		seen[address] = name
	}
	if seen[first.Address] != "default user" {
		t.Error("the default user changed")
	}
	memo := w.items(t, "/v1/addresses/XRP")[0]
	if memo.Memo == nil || *memo.Memo == "" || memo.Warnings[0] != "memo_required" {
		t.Errorf("got %+v", memo)
	}
	if got := w.items(t, "/v1/addresses"); len(got) != 2 || got[0].ID != first.ID {
		t.Errorf("list: %+v", got)
	}
}

func TestDeposits_Regenerate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.items(t, "/v1/addresses/BTC")[0]
	renew := func(header ...string) depositItem {
		t.Helper()
		return dataOf[depositItem](t, w.post("/v1/addresses/regenerate", `{"currency":"btc"}`, header...))
	}
	once, again := renew("Idempotency-Key: k"), renew("Idempotency-Key: k")
	if once.ID != again.ID || once.Address == before.Address {
		t.Errorf("got %s, %s", once.Address, again.Address)
	}
	all := w.items(t, "/v1/addresses?include=previous")
	if len(all) != 2 || all[0].Address != once.Address || all[1].Address != before.Address || all[1].Current {
		t.Errorf("got %+v", all)
	}
	if got := w.items(t, "/v1/addresses/BTC?include=previous"); len(got) != 2 {
		t.Errorf("got %+v", got)
	}
	if got := w.items(t, "/v1/addresses/BTC"); len(got) != 1 || got[0].Address != once.Address {
		t.Errorf("got %+v", got)
	}
	if next := renew(); next.Address == once.Address {
		t.Error("a request without a key got the same address")
	}
}

func TestDeposits_InvalidRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ target, header, field string }{
		{"/v1/addresses/NOPE", "", "currency"},
		{"/v1/addresses/NGN", "", "currency"},
		{"/v1/addresses/" + strings.Repeat("B", 65), "", "currency"},
		{"/v1/addresses/BTC?network=NOPE", "", "network"},
		{"/v1/addresses/BTC?network=XRP", "", "network"},
		{"/v1/addresses/BTC?network=BTC&network=BTC", "", "network"},
		{"/v1/addresses?include=all", "", "include"},
		{"/v1/addresses", "X-BU-PROFILE-ID:", "X-BU-PROFILE-ID"},
		{"/v1/addresses/BTC", "X-BU-PROFILE-ID: " + strings.Repeat("a", 65), "X-BU-PROFILE-ID"},
		{"/v1/addresses/BTC", "X-BU-PROFILE-ID: a\tb", "X-BU-PROFILE-ID"},
		{"/v1/addresses/BTC", "X-BU-PROFILE-ID: \xff", "X-BU-PROFILE-ID"},
		{"/v1/addresses/BTC", "X-BU-PROFILE-ID: a, b", "X-BU-PROFILE-ID"},
		{"/v1/addresses", "X-BU-PROFILE-ID: a,b", "X-BU-PROFILE-ID"},
		{"/v1/addresses/owner", "", "network"},
		{"/v1/addresses/owner?network=BTC", "", "address"},
		{"/v1/addresses/owner?network=NOPE&address=x", "", "network"},
	} {
		var header []string
		if c.header != "" {
			header = []string{c.header}
		}
		wantFault(t, c.target+", "+c.header, w.get(c.target, header...), c.field)
	}
	if rec := w.get("/v1/addresses/BTC", "X-BU-PROFILE-ID: a", "X-BU-PROFILE-ID: b"); rec.Code != http.StatusBadRequest {
		t.Errorf("two profiles: got %d", rec.Code)
	}
	for body, field := range map[string]string{
		`{}`: "currency", `{"currency":"NOPE"}`: "currency", `{"currency":"BTC","network":"XRP"}`: "network", `{"currency":5}`: "currency",
	} {
		wantFault(t, body, w.post("/v1/addresses/regenerate", body), field)
	}
	if rec := w.post("/v1/addresses/regenerate", `{"currency":"BTC"}`, "Idempotency-Key: "+strings.Repeat("k", 129)); rec.Code != http.StatusBadRequest {
		t.Errorf("a long key: got %d", rec.Code)
	}
	two := []string{"Idempotency-Key: a", "Idempotency-Key: b"}
	if rec := w.post("/v1/addresses/regenerate", `{"currency":"BTC"}`, two...); rec.Code != http.StatusBadRequest {
		t.Errorf("two keys: got %d", rec.Code)
	}
	if rec := w.get("/v1/pairs", "X-BU-PROFILE-ID: a, b", "X-BU-PROFILE-ID: c"); rec.Code != http.StatusOK {
		t.Errorf("where no profile is read: got %d", rec.Code)
	}
}

func TestDeposits_Scopes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withDepositKeys)
	as := func(key string) string { return "Authorization: Bearer " + key }
	for _, c := range []struct {
		key    string
		status [3]int // of reading, regenerating and finding the owner
	}{
		{"", [3]int{401, 401, 401}},
		{"mallory", [3]int{401, 401, 401}},
		{"alice", [3]int{200, 200, 403}},
		{"bob", [3]int{404, 403, 403}}, // only reads
		{"desk", [3]int{403, 403, 404}},
		{"all", [3]int{200, 200, 404}},
	} {
		got := [3]int{
			w.get("/v1/addresses/BTC", as(c.key)).Code, w.post("/v1/addresses/regenerate", `{"currency":"BTC"}`, as(c.key)).Code,
			w.get("/v1/addresses/owner?network=BTC&address=nothing", as(c.key)).Code,
		}
		if got != c.status {
			t.Errorf("%q: got %v, want %v", c.key, got, c.status)
		}
		if rec := w.get("/v1/addresses/BTC/qr", as(c.key)); rec.Code != c.status[0] {
			t.Errorf("%q: the code of an address gets %d, want %d as the address", c.key, rec.Code, c.status[0])
		}
	}
	alice := w.items(t, "/v1/addresses/BTC", as("alice"))[0]
	if all := w.items(t, "/v1/addresses/BTC", as("all"))[0]; all.Address == alice.Address {
		t.Error("two keys share a user")
	}
	rec := w.get("/v1/addresses/BTC", as("bob"))
	if rec.Code != http.StatusNotFound || !strings.Contains(rec.Body.String(), "addresses:write") {
		t.Errorf("a key that only reads: got %d %s, want 404 with the scope that assigns", rec.Code, rec.Body)
	}
	if rotated := w.items(t, "/v1/addresses/BTC", as("alice2"))[0]; rotated.Address != alice.Address {
		t.Error("a rotated key lost its users")
	}
	owner := "/v1/addresses/owner?network=BTC&address=" + alice.Address
	if got := dataOf[depositItem](t, w.get(owner, as("desk"))); got.Account != "alice-1" {
		t.Errorf("got %+v", got)
	}
	if rec := w.get(owner, as("all")); rec.Code != http.StatusNotFound {
		t.Errorf("the scope * finds users of other keys: %d %s", rec.Code, rec.Body)
	}
}

func TestDeposits_Owner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	item := w.items(t, "/v1/addresses/XRP", "X-BU-PROFILE-ID: user 1")[0]
	owner := "/v1/addresses/owner?network=XRP&address=" + item.Address
	if got := dataOf[depositItem](t, w.get(owner+"&memo="+*item.Memo)); got.ProfileID != "user 1" || !strings.HasPrefix(item.ID, got.ID) {
		t.Errorf("got %+v", got)
	}
	for _, query := range []string{"", "&memo=4711", "&memo=garbage"} {
		if rec := w.get(owner + query); rec.Code != http.StatusNotFound {
			t.Errorf("%s: got %d %s", query, rec.Code, rec.Body)
		}
	}
}

// A list names the networks whose wallets are stopped.
func TestDeposits_StoppedWallet(t *testing.T) {
	t.Parallel()
	store := memory.NewDeposits(time.Now)
	service := depositServiceOn(t, store)
	w := newWorld(t, func(_ *httpapi.Config, s *httpapi.Services) { s.Deposits = service })
	w.items(t, "/v1/addresses/BTC")
	w.items(t, "/v1/addresses/XRP")
	if err := store.Stop(t.Context(), "XRP", "tampered"); err != nil {
		t.Fatal(err)
	}
	service.Refresh(t.Context())
	var body struct {
		Data, Unavailable []struct{ Currency, Network, Message string }
	}
	rec := w.get("/v1/addresses")
	if err := json.Unmarshal(rec.Body.Bytes(), &body); err != nil || len(body.Data) != 1 || len(body.Unavailable) != 1 ||
		body.Unavailable[0].Network != "XRP" || !strings.Contains(body.Unavailable[0].Message, "XRP on XRP") {
		t.Errorf("got %d %s, want XRP among the unavailable", rec.Code, rec.Body)
	}
}
