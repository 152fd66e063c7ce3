package transactions_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/core/transactions"
)

// hashes describes the transactions of a page.
func hashes(p transactions.Page) string {
	var out []string
	for _, i := range p.Items {
		out = append(out, i.Hash)
	}
	return strings.Join(out, " ")
}

func TestList_Pages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	for i := range 7 {
		w.ledger.mine(pays(fmt.Sprint(i), 0, alice, 1), pays(fmt.Sprint("bob", i), 0, bob, 1))
		w.now = w.now.Add(time.Second)
		w.sync(t)
	}
	list := func(q transactions.Query) transactions.Page {
		t.Helper()
		page, err := w.List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	for _, c := range []struct {
		query transactions.Query
		pages []string
	}{
		{transactions.Query{Limit: 3}, []string{"6 5 4", "3 2 1", "0"}},
		{transactions.Query{Limit: 3, Oldest: true}, []string{"0 1 2", "3 4 5", "6"}},
		{transactions.Query{Limit: 7, Network: bsc, Currency: "USDT"}, []string{"6 5 4 3 2 1 0"}},
		{transactions.Query{Limit: 2, Status: core.Completed}, []string{"4 3", "2 1", "0"}},
		{transactions.Query{Limit: 2, Status: core.Pending}, []string{"6 5"}},
		{transactions.Query{Limit: 2, Currency: "BNB"}, []string{""}},
		{transactions.Query{Limit: 2, Network: "ETH"}, []string{""}},
	} {
		q := c.query
		q.User = person("alice")
		var page transactions.Page
		for i, want := range c.pages {
			page = list(q)
			if got := hashes(page); got != want || (page.Previous == "") != (i == 0) || (page.Next == "") != (i == len(c.pages)-1) {
				t.Errorf("%+v, page %d: got %s, previous %q, next %q, want %s", c.query, i, got, page.Previous, page.Next, want)
			}
			q.Cursor = page.Next
		}
		for i := len(c.pages) - 2; i >= 0; i-- {
			q.Cursor = page.Previous
			page = list(q)
			if got := hashes(page); got != c.pages[i] || (page.Previous == "") != (i == 0) || page.Next == "" {
				t.Errorf("%+v, back to page %d: got %s, want %s", c.query, i, got, c.pages[i])
			}
		}
	}
}

func TestList_Cursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 1), pays("b", 0, alice, 1))
	w.sync(t)
	q := transactions.Query{User: person("alice"), Limit: 1}
	page, err := w.List(t.Context(), q)
	if err != nil || page.Next == "" {
		t.Fatalf("got %+v, %v", page, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(page.Next)
	if err != nil {
		t.Fatal(err)
	}
	raw[9]++
	q.Cursor = page.Next
	for name, edit := range map[string]func(*transactions.Query){
		"garbage":          func(q *transactions.Query) { q.Cursor = "garbage" },
		"not base64":       func(q *transactions.Query) { q.Cursor = "§" },
		"short":            func(q *transactions.Query) { q.Cursor = q.Cursor[:4] },
		"changed":          func(q *transactions.Query) { q.Cursor = base64.RawURLEncoding.EncodeToString(raw) },
		"another user":     func(q *transactions.Query) { q.User = person("bob") },
		"another account":  func(q *transactions.Query) { q.User.Account = "b" },
		"another currency": func(q *transactions.Query) { q.Currency = "USDT" },
		"another network":  func(q *transactions.Query) { q.Network = bsc },
		"another status":   func(q *transactions.Query) { q.Status = core.Pending },
		"another order":    func(q *transactions.Query) { q.Oldest = true },
	} {
		wrong := q
		edit(&wrong)
		_, err := w.List(t.Context(), wrong)
		e, ok := errors.AsType[*core.Error](err)
		if !ok || e.Code != core.Invalid || e.Fields[0].Field != "cursor" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	q.Limit = 100 // may change from page to page
	if page, err := w.List(t.Context(), q); err != nil || len(page.Items) != 1 || page.Next != "" {
		t.Errorf("got %+v, %v", page, err)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.sync(t)
	w.ledger.mine(pays("a", 0, alice, 1))
	w.sync(t)
	id := core.TransactionID(bsc, "a", 0)
	for _, want := range []int64{1, 2, 3, 3} {
		item, err := w.Get(t.Context(), person("alice"), id)
		if err != nil || item.Confirmations != want || item.Chain.Confirmations != 3 {
			t.Errorf("got %d confirmations, want %d, %v", item.Confirmations, want, err)
		}
		w.mine(t, 1)
	}
	w.ledger.fork(5)
	w.mine(t, 7)
	if item, err := w.Get(t.Context(), person("alice"), id); err != nil || item.Confirmations != 0 {
		t.Errorf("got %d confirmations of a transaction in no block, %v", item.Confirmations, err)
	}
	for _, c := range []struct {
		user core.DepositUser
		id   string
	}{{person("bob"), id}, {person("alice"), "tx_unknown"}} {
		if _, err := w.Get(t.Context(), c.user, c.id); core.CodeOf(err) != core.NotFound {
			t.Errorf("got %v", err)
		}
	}
	if !w.Detects("USDT", bsc) || w.Detects("BTC", bsc) || w.Detects("USDT", "ETH") {
		t.Error("got other currencies than the assets of the chains that are read")
	}
	if _, ok := w.Chain(bsc); !ok || strings.Join(w.Networks(), " ") != bsc {
		t.Errorf("got networks %v", w.Networks())
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	down := core.Errorf(core.Unavailable, "It is down")
	for name, c := range map[string]struct {
		do   func(*testing.T, *world)
		want string
	}{
		"in time":       {func(*testing.T, *world) {}, ""},
		"quiet network": {func(t *testing.T, w *world) { w.now = w.now.Add(time.Hour); w.sync(t) }, ""},
		"not seen":      {func(_ *testing.T, w *world) { w.now = w.now.Add(121 * time.Second) }, "no back end showed the newest block since 2026-11-23T12:00:00Z"},
		"seen again":    {func(t *testing.T, w *world) { w.now = w.now.Add(121 * time.Second); w.sync(t) }, ""},
		"behind": {func(t *testing.T, w *world) {
			w.nodes[0].behind, w.nodes[1].behind = 9, 9
			w.now = w.now.Add(121 * time.Second)
			w.sync(t)
		}, "no back end showed the newest block since 2026-11-23T12:00:00Z"},
		"few blocks": {func(t *testing.T, w *world) {
			w.now = w.now.Add(time.Hour)
			w.ledger.empty(3)
			w.missing(201, down)
			_ = w.Sync(t.Context(), bsc)
		}, ""},
		"many blocks": {func(t *testing.T, w *world) {
			w.now = w.now.Add(time.Hour)
			w.ledger.empty(4)
			w.missing(201, down)
			_ = w.Sync(t.Context(), bsc)
		}, "4 blocks are not read yet"},
		"not verified": {func(t *testing.T, w *world) {
			w.ledger.empty(150)
			w.nodes[1].failure = down
			_ = w.Sync(t.Context(), bsc)
		}, "149 confirmed blocks are not verified yet"},
		"stopped": {func(t *testing.T, w *world) {
			w.ledger.fork(5)
			w.ledger.empty(6)
			_ = w.Sync(t.Context(), bsc)
		}, "stopped: it replaced block 200, and no block before it is stored"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			w.sync(t)
			c.do(t, w)
			if got := w.problem(t); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	w := newWorld(t, 1)
	w.now = w.now.Add(time.Hour)
	w.nodes[0].failure = down
	for range 2 { // before the first Sync, which fails, and after it
		if got, err := w.Delayed(t.Context()); err != nil || len(got) != 0 {
			t.Errorf("a network that was not read yet: got %v, %v", got, err)
		}
		_ = w.Sync(t.Context(), bsc)
	}
	w.now = w.now.Add(time.Hour)
	if page, err := w.List(t.Context(), transactions.Query{User: person("alice"), Limit: 1}); err != nil || len(page.Delayed) != 1 {
		t.Errorf("a network that could not be read: got %v, %v", page, err)
	}
}

// Back ends that answer, but get no new blocks, show no deposits. The chains of a simulated world sleep.
func TestStatus_Stuck(t *testing.T) {
	t.Parallel()
	for _, simulated := range []bool{false, true} {
		w := newWorld(t, 2, func(c *transactions.Config) { c.Serial = simulated })
		w.sync(t)
		for _, c := range []struct {
			after time.Duration
			late  bool
		}{{29 * time.Minute, false}, {2 * time.Minute, !simulated}} {
			w.now = w.now.Add(c.after)
			w.sync(t)
			if got := w.problem(t); (got != "") != c.late {
				t.Errorf("simulated %t: got %q", simulated, got)
			}
		}
		w.mine(t, 1)
		if got := w.problem(t); got != "" {
			t.Errorf("simulated %t: got %q", simulated, got)
		}
	}
}

// Where only finality completes a deposit, nothing is completed while no block becomes final, such as
// with a back end that does not know which blocks are.
func TestStatus_NotFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(c *transactions.Config) {
		c.Chains[0].Confirmations, c.Chains[0].BlockTime = 0, time.Minute
	})
	w.sync(t)
	for _, c := range []struct {
		blocks int
		final  int64
		late   bool
	}{{60, 0, false}, {1, 0, true}, {1, 210, false}, {8, 210, false}, {1, 210, true}} {
		w.nodes[0].set(func(n *node) { n.final = c.final })
		w.mine(t, c.blocks)
		if got := w.problem(t); (got != "") != c.late {
			t.Errorf("%+v: got %q", c, got)
		}
	}
}
