package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/httpapi"
	"causeway/core"
	"causeway/core/addresses"
	"causeway/core/transactions"
)

var _ httpapi.Transactions = (*transactions.Service)(nil)

// ledger is a fake of core/transactions with two transactions a page at most.
type ledger struct {
	items   []transactions.Item
	delayed []string
	queries []transactions.Query
	err     error
}

const (
	tokenContract = "0x55d398326f99059fF775485246999027B3197955"
	bscAddress    = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
	bscHash       = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b"
	xrpAddress    = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
)

func chains() map[string]core.Chain {
	return map[string]core.Chain{
		"BSC": {
			Network: "BSC", Confirmations: 15, Finality: true, TransactionLink: "https://bscscan.com/tx/{hash}",
			AddressLink: "https://bscscan.com/address/{address}",
			Assets:      []core.Asset{{Currency: "BNB", Decimals: 18}, {Currency: "USDT", Contract: tokenContract, Decimals: 18}},
		},
		"BTC": {Network: "BTC", Confirmations: 3, Assets: []core.Asset{{Currency: "BTC", Decimals: 8}}},
		"XRP": {Network: "XRP", Confirmations: 1, Assets: []core.Asset{{Currency: "XRP", Decimals: 6}}},
	}
}

// received returns a pending transaction of the user without a key or profile.
func received(network, currency, hash, units string, changes ...func(*transactions.Item)) transactions.Item {
	chain := chains()[network]
	asset, _ := chain.AssetOf(currency)
	item := transactions.Item{Chain: chain, Transaction: core.Transaction{
		ID: core.TransactionID(network, hash, 1), Network: network, Hash: hash, Index: 1, Currency: currency,
		User: core.DepositUser{Account: "public"}, Address: core.DepositAddress{Address: bscAddress},
		Units: dec(units), Decimals: asset.Decimals, Status: core.Pending, Revision: 1,
		Block: core.BlockID{Height: 100, Hash: "b"}, Created: noon, Updated: noon,
	}}
	for _, change := range changes {
		change(&item)
	}
	return item
}

func completed(t *transactions.Item) {
	t.Status, t.Revision, t.Confirmations = core.Completed, 2, t.Chain.Confirmations
	t.Updated = noon.Add(time.Minute)
	t.Completed = t.Updated
}

func newLedger() *ledger {
	return &ledger{delayed: []string{"BSC"}, items: []transactions.Item{
		received("BSC", "USDT", bscHash, "25000000000000000001", func(t *transactions.Item) { t.Confirmations = 3 }),
		received("BTC", "BTC", "c0ffee", "150000000", completed, func(t *transactions.Item) {
			t.Address.Address = "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"
		}),
		received("XRP", "XRP", "E3FE", "2500000", func(t *transactions.Item) {
			t.Address = core.DepositAddress{Address: xrpAddress, Memo: "4711"}
			t.Reason, t.Revision, t.Block = core.Reorganized, 3, core.BlockID{}
		}),
		received("BTC", "BTC", "dead", "1", func(t *transactions.Item) {
			t.Status, t.Reason, t.Revision = core.Failed, core.Dropped, 3
		}),
		received("BTC", "BTC", "beef", "700", func(t *transactions.Item) { t.User.Profile = "user-2" }),
	}}
}

func (l *ledger) Chain(network string) (core.Chain, bool) {
	chain, ok := chains()[network]
	return chain, ok
}

func (l *ledger) Detects(currency, network string) bool {
	_, ok := chains()[network].AssetOf(currency)
	return ok
}

func (l *ledger) List(_ context.Context, q transactions.Query) (transactions.Page, error) {
	l.queries = append(l.queries, q)
	page, skip := transactions.Page{Delayed: l.delayed}, 0
	switch q.Cursor {
	case "":
	case "page-2":
		skip, page.Previous = 2, "page-1"
	default:
		return page, core.InvalidField("cursor", "is not a cursor of this list")
	}
	for _, t := range l.items {
		if t.User != q.User || q.Currency != "" && t.Currency != q.Currency || q.Network != "" && t.Network != q.Network ||
			q.Status != "" && t.Status != q.Status {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if len(page.Items) == 2 {
			page.Next = "page-2"
			break
		}
		page.Items = append(page.Items, t)
	}
	return page, l.err
}

func (l *ledger) Get(_ context.Context, user core.DepositUser, id string) (transactions.Item, error) {
	for _, t := range l.items {
		if t.User == user && t.ID == id {
			return t, l.err
		}
	}
	return transactions.Item{}, core.Errorf(core.NotFound, "There is no such transaction of this user")
}

func (l *ledger) Balances(_ context.Context, user core.DepositUser) ([]core.Balance, error) {
	byCode := map[string]core.Balance{}
	for _, t := range l.items {
		if t.User == user {
			b := byCode[t.Currency]
			b.User, b.Currency = user, t.Currency
			byCode[t.Currency] = b.Replace(core.Transaction{}, t.Transaction)
		}
	}
	var out []core.Balance
	for _, b := range byCode {
		out = append(out, b)
	}
	return out, l.err
}

func (l *ledger) Delayed(context.Context) ([]string, error) { return l.delayed, l.err }

// Events lists an event of each transaction, in pages of two.
func (l *ledger) Events(_ context.Context, q transactions.EventQuery) (transactions.EventPage, error) {
	skip := 0
	switch q.After {
	case "":
	case "page-2":
		skip = 2
	case "old":
		return transactions.EventPage{}, core.Errorf(core.CursorExpired, "Events after this cursor are older than 30 days")
	default:
		return transactions.EventPage{}, core.InvalidField("after", "is not a cursor of this account")
	}
	page := transactions.EventPage{Next: "page-3"}
	for _, t := range l.items {
		e := core.NewEvent("", t.Transaction, 0)
		if t.User.Account != q.Account || q.Type != "" && e.Type != q.Type {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if len(page.Items) == 2 {
			page.Next, page.More = "page-2", true
			break
		}
		page.Items = append(page.Items, transactions.EventItem{Event: e, Item: t})
	}
	return page, l.err
}

func (l *ledger) Event(e core.Event) transactions.EventItem {
	return transactions.EventItem{Event: e, Item: transactions.Item{Transaction: e.Transaction}}
}

// reading returns a world that reads BSC, BTC and XRP but not SOL.
func reading(l *ledger) func(*httpapi.Config, *httpapi.Services) {
	return func(_ *httpapi.Config, s *httpapi.Services) {
		s.Transactions = l
		s.Currencies = append(currencies(),
			core.Currency{Code: "KES", Name: "Kenyan Shilling", Type: core.Fiat, Decimals: 2},
			core.Currency{Code: "USDT", Name: "Tether", Type: core.Stablecoin, Decimals: 6, DefaultNetwork: "BSC", Networks: []string{"BSC"}},
			core.Currency{Code: "SOL", Name: "Solana", Type: core.Crypto, Decimals: 9, DefaultNetwork: "SOL", Networks: []string{"SOL"}})
		var err error
		if s.Addresses, err = addresses.New(s.Currencies, addresses.Policy{Testnet: true}); err != nil {
			panic(err) // the currencies are constant
		}
	}
}

func depositCases() []goldenCase {
	one := "/v1/transactions/" + core.TransactionID("XRP", "E3FE", 1)
	cases := []goldenCase{
		{name: "transactions/all", target: "/v1/transactions"},
		{name: "transactions/second_page", target: "/v1/transactions?cursor=page-2"},
		{name: "transactions/filtered", target: "/v1/transactions?currency=usdt&network=bep20&status=pending&sort=asc&limit=1"},
		{name: "transactions/one", target: one},
		{name: "transactions/of_another_user", target: one, header: []string{"X-BU-PROFILE-ID: user-2"}},
		{name: "transactions/all_faults_at_once", target: "/v1/transactions?currency=NOPE&status=done&sort=up&limit=0&cursor="},
		{name: "balances/all", target: "/v1/balances?fiat=NGN"},
		{name: "balances/one", target: "/v1/balances/btc?fiat=ngn"},
		{name: "balances/nothing_received", target: "/v1/balances/SOL", header: []string{"X-BU-PROFILE-ID: user-3"}},
		{name: "balances/unknown", target: "/v1/balances/NOPE"},
		{name: "events/all", target: "/v1/events"},
		{name: "events/second_page", target: "/v1/events?after=page-2"},
		{name: "events/of_a_type", target: "/v1/events?type=transaction.completed"},
		{name: "events/all_faults_at_once", target: "/v1/events?type=transfer.done&limit=101"},
		{name: "events/unknown_cursor", target: "/v1/events?after=nope"},
		{name: "events/old_cursor", target: "/v1/events?after=old"},
		{name: "currencies/deposits", target: "/v1/currencies/USDT"},
	}
	for i := range cases {
		cases[i].world = reading(newLedger())
	}
	return append(cases, goldenCase{name: "transactions/none", target: "/v1/transactions"})
}

func TestTransactions_Query(t *testing.T) {
	t.Parallel()
	l := newLedger()
	w := newWorld(t, reading(l))
	user := core.DepositUser{Account: "public", Profile: "user-2"}
	for _, c := range []struct {
		query string
		want  transactions.Query
	}{
		{"", transactions.Query{Limit: 20}},
		{"?currency=&network=&status=&sort=&limit=&cursor=", transactions.Query{Limit: 20}},
		{"?currency=%20usdt", transactions.Query{Limit: 20, Currency: "USDT"}},
		{"?network=BNB%20smart%20chain", transactions.Query{Limit: 20, Network: "BSC"}},
		{"?currency=USDT&network=BEP20", transactions.Query{Limit: 20, Currency: "USDT", Network: "BSC"}},
		{"?status=failed&sort=asc&limit=100", transactions.Query{Limit: 100, Status: core.Failed, Oldest: true}},
		{"?sort=desc&limit=1&cursor=page-2", transactions.Query{Limit: 1, Cursor: "page-2"}},
	} {
		t.Run(c.query, func(t *testing.T) {
			rec := w.get("/v1/transactions"+c.query, "X-BU-PROFILE-ID: user-2")
			c.want.User = user
			if got := l.queries[len(l.queries)-1]; rec.Code != http.StatusOK || got != c.want {
				t.Errorf("got %d, %+v, want %+v", rec.Code, got, c.want)
			}
		})
	}
}

func TestTransactions_InvalidRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t, reading(newLedger()))
	for _, c := range []struct {
		target, field string
		header        []string
	}{
		{target: "/v1/transactions?currency=NOPE", field: "currency"},
		{target: "/v1/transactions?currency=NGN", field: "currency"},
		{target: "/v1/transactions?network=NOPE", field: "network"},
		{target: "/v1/transactions?currency=USDT&network=BTC", field: "network"},
		{target: "/v1/transactions?network=BTC&network=BSC", field: "network"},
		{target: "/v1/transactions?status=done", field: "status"},
		{target: "/v1/transactions?sort=newest", field: "sort"},
		{target: "/v1/transactions?limit=0", field: "limit"},
		{target: "/v1/transactions?limit=101", field: "limit"},
		{target: "/v1/transactions?limit=many", field: "limit"},
		{target: "/v1/transactions?cursor=garbage", field: "cursor"},
		{target: "/v1/transactions?cursor=" + strings.Repeat("a", 513), field: "cursor"},
		{target: "/v1/transactions", field: "X-BU-PROFILE-ID", header: []string{"X-BU-PROFILE-ID: a,b"}},
		{target: "/v1/transactions/tx_1", field: "X-BU-PROFILE-ID", header: []string{"X-BU-PROFILE-ID: a,b"}},
		{target: "/v1/balances?currency=NOPE", field: "currency"},
		{target: "/v1/balances?fiat=NOPE", field: "fiat"},
		{target: "/v1/balances/BTC?fiat=USDT", field: "fiat"},
		{target: "/v1/balances/BTC?fiat=NGN&fiat=KES", field: "fiat"},
		{target: "/v1/balances/BTC", field: "X-BU-PROFILE-ID", header: []string{"X-BU-PROFILE-ID:"}},
	} {
		wantFault(t, c.target, w.get(c.target, c.header...), c.field)
	}
	for _, target := range []string{
		"/v1/transactions/tx_unknown", "/v1/transactions/" + strings.Repeat("t", 65), "/v1/balances/NGN",
		"/v1/balances/" + strings.Repeat("B", 65),
	} {
		if rec := w.get(target); rec.Code != http.StatusNotFound || errorOf(t, rec.Body.Bytes()).Error.Name != "not_found" {
			t.Errorf("%s: got %d %s, want 404", target, rec.Code, rec.Body)
		}
	}
}

func TestTransactions_Unavailable(t *testing.T) {
	t.Parallel()
	l := newLedger()
	l.err = core.Errorf(core.Unavailable, "The database cannot be reached")
	w := newWorld(t, reading(l))
	for _, target := range []string{"/v1/transactions", "/v1/transactions/" + l.items[0].ID, "/v1/balances", "/v1/balances/BTC"} {
		if rec := w.get(target); rec.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d %s, want 503", target, rec.Code, rec.Body)
		}
	}
}

// A response names the delayed networks that it is about.
func TestTransactions_Delayed(t *testing.T) {
	t.Parallel()
	l := newLedger()
	l.delayed = []string{"BSC", "XRP"}
	w := newWorld(t, reading(l))
	for target, want := range map[string]string{
		"/v1/transactions": "BSC XRP", "/v1/transactions?network=BSC": "BSC", "/v1/transactions?currency=XRP": "XRP",
		"/v1/transactions?network=BTC": "", "/v1/balances": "BSC XRP", "/v1/balances?currency=USDT": "BSC",
		"/v1/balances/XRP": "XRP", "/v1/balances/BTC": "",
	} {
		var body struct {
			Warnings []struct{ Code, Network, Message string }
		}
		if err := json.Unmarshal(w.get(target).Body.Bytes(), &body); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, warning := range body.Warnings {
			if got = append(got, warning.Network); warning.Code != "deposits_delayed" || warning.Message == "" {
				t.Errorf("%s: got %+v", target, warning)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: warns about %v, want %s", target, got, want)
		}
	}
}

func TestTransactions_Scopes(t *testing.T) {
	t.Parallel()
	l := newLedger()
	l.items[0].User = core.DepositUser{Account: "reader-1"}
	key := func(id string, scopes ...string) core.Key {
		return core.Key{ID: id, Account: id + "-1", Scopes: scopes}
	}
	w := newWorld(t, reading(l), func(c *httpapi.Config, _ *httpapi.Services) {
		c.Sandbox = false
		c.Auth = httpapi.Auth{
			Operations: []string{"list-transactions", "get-transaction", "list-balances", "get-balance"},
			Keys: ring{
				"reader": key("reader", "transactions:read"), "accountant": key("accountant", "balances:read"), "all": key("all", "*"),
				"addresses": key("addresses", "addresses:read"),
			},
		}
	})
	for _, c := range []struct {
		key    string
		status [4]int
	}{
		{"", [4]int{401, 401, 401, 401}},
		{"reader", [4]int{200, 200, 403, 403}},
		{"accountant", [4]int{403, 403, 200, 200}},
		{"all", [4]int{200, 404, 200, 200}}, // of another account
		{"addresses", [4]int{403, 403, 403, 403}},
	} {
		var got [4]int
		for i, target := range []string{"/v1/transactions", "/v1/transactions/" + l.items[0].ID, "/v1/balances", "/v1/balances/BTC"} {
			rec := w.get(target, "Authorization: Bearer "+c.key)
			if got[i] = rec.Code; rec.Code == http.StatusOK && rec.Header().Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s: Cache-Control is %s", target, rec.Header().Get("Cache-Control"))
			}
		}
		if got != c.status {
			t.Errorf("%q: got %v, want %v", c.key, got, c.status)
		}
	}
}

// Nothing but the response names the addresses, memos and profiles.
func TestTransactions_Privacy(t *testing.T) {
	t.Parallel()
	l := newLedger()
	for i := range l.items {
		l.items[i].User.Profile = "planted-profile"
		l.items[i].Address = core.DepositAddress{Address: "planted-address", Memo: "planted-memo"}
	}
	w := newWorld(t, reading(l))
	for _, target := range []string{
		"/v1/transactions", "/v1/transactions?cursor=planted-cursor", "/v1/transactions/" + l.items[0].ID, "/v1/transactions/planted-id",
		"/v1/balances", "/v1/balances/BTC",
	} {
		w.get(target, "X-BU-PROFILE-ID: planted-profile")
		l.err = fmt.Errorf("failed: %v", l.items[0].Transaction)
		w.get(target, "X-BU-PROFILE-ID: planted-profile")
		l.err = nil
	}
	var text strings.Builder
	for _, entry := range w.logs.All() {
		fmt.Fprintln(&text, entry.Message, entry.ContextMap())
	}
	text.WriteString(scrape(t, w))
	if !strings.Contains(text.String(), "list-transactions") {
		t.Fatal("nothing was logged")
	}
	for _, planted := range []string{"planted-profile", "planted-address", "planted-memo", "planted-id", "planted-cursor"} {
		if strings.Contains(text.String(), planted) {
			t.Errorf("%s is in a log or a metric:\n%s", planted, text.String())
		}
	}
}

type balanceItem struct {
	ID, Currency, Type        string
	Pending, Available, Total struct {
		Amount, Currency string
		Fiat             *struct{ Amount, Currency string }
	}
}

func (w *world) balance(t *testing.T, target string, header ...string) balanceItem {
	t.Helper()
	return dataOf[balanceItem](t, w.get(target, header...))
}

func TestBalances_Amounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, reading(newLedger()))
	for _, c := range []struct{ target, profile, pending, available, total, fiat string }{
		{"/v1/balances/USDT", "", "25.000000000000000001", "0", "25.000000000000000001", ""},
		{"/v1/balances/BTC", "", "0", "1.5", "1.5", ""},
		{"/v1/balances/BTC?fiat=NGN", "", "0", "1.5", "1.5", "133379703.48"},
		{"/v1/balances/BTC?fiat=NGN", "user-2", "0.000007", "0", "0.000007", "622.43"},                // 622.4386, never rounded up
		{"/v1/balances/USDT?fiat=NGN", "", "25.000000000000000001", "0", "25.000000000000000001", ""}, // the pair is halted
		{"/v1/balances/XRP?fiat=KES", "", "2.5", "0", "2.5", ""},                                      // there is no such pair
		{"/v1/balances/SOL?fiat=NGN", "", "0", "0", "0", ""},
	} {
		header := []string{}
		if c.profile != "" {
			header = append(header, "X-BU-PROFILE-ID: "+c.profile)
		}
		got := w.balance(t, c.target, header...)
		fiat := ""
		if got.Total.Fiat != nil {
			fiat = got.Total.Fiat.Amount
		}
		if got.Pending.Amount != c.pending || got.Available.Amount != c.available || got.Total.Amount != c.total || fiat != c.fiat {
			t.Errorf("%s of %q: got %+v, want %+v", c.target, c.profile, got, c)
		}
		if again := w.balance(t, c.target, header...); again.ID != got.ID || !strings.HasPrefix(got.ID, "bal_") {
			t.Errorf("%s: the ID is %s, and then %s", c.target, got.ID, again.ID)
		}
	}
	if a, b := w.balance(t, "/v1/balances/BTC"), w.balance(t, "/v1/balances/BTC", "X-BU-PROFILE-ID: user-2"); a.ID == b.ID {
		t.Error("the balances of two users have the same ID")
	}
}

// Balances are valued at the price of the moment, and not before there is one.
func TestBalances_PriceOfTheMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, reading(newLedger()), noPrices)
	if got := w.balance(t, "/v1/balances/BTC?fiat=NGN"); got.Total.Fiat != nil {
		t.Errorf("without prices: got %+v", got.Total.Fiat)
	}
	w = newWorld(t, reading(newLedger()))
	s := snapshot()
	s.Quotes[1].Sell = decimal.NewFromInt(2)
	w.pairs.publish(s)
	if got := w.balance(t, "/v1/balances/BTC?fiat=NGN"); got.Total.Fiat == nil || got.Total.Fiat.Amount != "3" {
		t.Errorf("got %+v, want 3", got.Total.Fiat)
	}
}

// Addresses on networks that are not read carry a warning.
func TestDeposits_NotDetected(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]*world{"read": newWorld(t, reading(newLedger())), "not read": newWorld(t)} {
		for _, item := range []depositItem{world.items(t, "/v1/addresses/BTC")[0], world.items(t, "/v1/addresses")[0]} {
			if got := slices.Contains(item.Warnings, "deposits_not_detected"); got != (name == "not read") {
				t.Errorf("%s: warnings are %v", name, item.Warnings)
			}
		}
	}
}
