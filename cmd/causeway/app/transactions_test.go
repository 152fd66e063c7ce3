package app

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"

	"causeway/config"
	"causeway/simulator/catalog"
	"causeway/simulator/control"
)

// chainWorld is a world with a clock that stands, and a user who receives a currency on a network.
type chainWorld struct {
	*sandboxFixture

	id, network, currency string
}

// received is what the API says about the user's deposits.
type received struct {
	Data []struct {
		ID, Status, Reason, Amount string
		Revision                   int
	}
	Warnings []struct{ Code, Network string }
}

func (s *sandboxFixture) chainWorld(id, network, currency string) chainWorld {
	s.t.Helper()
	s.control(http.MethodPost, "/worlds", `{"id":"`+id+`",`+frozenClock+`}`)
	return chainWorld{s, id, network, currency}
}

// change calls an operation of the control API, such as mine, on the chain.
func (w chainWorld) change(what, body string) {
	w.t.Helper()
	w.control(http.MethodPost, "/worlds/"+w.id+"/chains/"+w.network+"/"+what, body)
}

func (w chainWorld) pay(amount string) {
	w.t.Helper()
	w.change("transfers", `{"profile_id":"payee","currency":"`+w.currency+`","amount":"`+amount+`"}`)
}

func (w chainWorld) mine(blocks int) {
	w.t.Helper()
	w.change("mine", fmt.Sprintf(`{"blocks":%d}`, blocks))
}

func (w chainWorld) advance(by string) {
	w.t.Helper()
	w.control(http.MethodPost, "/worlds/"+w.id+"/clock/advance", `{"by":"`+by+`"}`)
}

func (w chainWorld) get(path string, into any) {
	w.t.Helper()
	rec := w.ask(http.MethodGet, path, "", "Sim-World", w.id, "X-BU-PROFILE-ID", "payee")
	if err := json.Unmarshal(rec.Body.Bytes(), into); err != nil || rec.Code != http.StatusOK {
		w.t.Errorf("%s in %s: %d %s", path, w.id, rec.Code, rec.Body)
	}
}

// brief returns the transactions and the balance of the user, and the warnings.
func (w chainWorld) brief() string {
	w.t.Helper()
	var (
		all     received
		balance struct {
			Data struct{ Pending, Available struct{ Amount string } }
		}
		out []string
	)
	w.get("/v1/transactions?sort=asc", &all)
	for _, one := range all.Data {
		out = append(out, strings.TrimSpace(one.Amount+" "+one.Status+" "+one.Reason))
	}
	slices.Sort(out) // transactions of the same time have no order
	w.get("/v1/balances/"+w.currency, &balance)
	out = append(out, balance.Data.Pending.Amount+"/"+balance.Data.Available.Amount)
	for _, warning := range all.Warnings {
		out = append(out, warning.Code+" "+warning.Network)
	}
	return strings.Join(out, ", ")
}

func (w chainWorld) expect(what, want string) {
	w.t.Helper()
	if got := w.brief(); got != want {
		w.t.Errorf("%s, %s: got %q, want %q", w.id, what, got, want)
	}
}

// onChain returns the sum of the payments that are in a block.
func (w chainWorld) onChain() string {
	w.t.Helper()
	rec := w.send(catalog.Request{Method: http.MethodGet, Path: control.Prefix + "/worlds/" + w.id + "/chains"})
	var got struct {
		Data []struct {
			Transfers []struct {
				Amount decimal.Decimal
				Height int64
			}
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		w.t.Error(err)
	}
	sum := decimal.Zero
	for _, c := range got.Data {
		for _, sent := range c.Transfers {
			if sent.Height > 0 {
				sum = sum.Add(sent.Amount)
			}
		}
	}
	return sum.String()
}

var depositWorlds = flag.Int("worlds", 20, "number of worlds that receive deposits at once")

// TestTransactions_EveryNetwork pays a coin and a token of each network, and replaces its block twice: first
// without the payments, then with them. It ends with one transaction and one credit of each.
func TestTransactions_EveryNetwork(t *testing.T) {
	t.Parallel()
	s := newSandboxFixture(t, "USDT") // of prices
	shared, err := config.LoadCatalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range shared.Chains {
		var paid []chainWorld // the world of the network, for a coin and a token
		for _, asset := range c.Assets[:min(len(c.Assets), 2)] {
			paid = append(paid, chainWorld{s, "every-" + c.Network, c.Network, asset.Currency})
		}
		expect := func(what, transaction, balance string) {
			for _, w := range paid {
				w.expect(what, strings.Repeat(transaction+", ", len(paid))+balance)
			}
		}
		w := s.chainWorld(paid[0].id, c.Network, paid[0].currency)
		const finalAfter = 12 // in a simulated chain without a number of confirmations
		confirmed := int(cmp.Or(c.Confirmations, finalAfter))
		for _, w := range paid {
			w.pay("5")
		}
		w.mine(1)
		expect("in a block", "5 pending", "5/0")
		w.mine(confirmed)
		expect("confirmed", "5 completed", "0/5")
		w.change("reorganize", fmt.Sprintf(`{"depth":%d,"drop":true}`, confirmed+1))
		if c.Confirmations <= 3 { // the new branch is long enough to show that the payments are dropped
			expect("without it", "5 failed dropped", "0/0")
		} else {
			expect("without it", "5 pending reorganized", "5/0")
		}
		w.change("reorganize", `{"depth":1}`)
		w.mine(confirmed)
		expect("again", "5 completed", "0/5")
		if got, want := w.onChain(), fmt.Sprint(5*len(paid)); got != want {
			t.Errorf("%s: the chain has %s, want %s", w.id, got, want)
		}
	}
}

// TestTransactions_ParallelWorlds lets many worlds receive, reorganize and complete deposits at once. Each
// has its own balances only.
func TestTransactions_ParallelWorlds(t *testing.T) {
	t.Parallel()
	s := newSandboxFixture(t, "USDT")
	var all sync.WaitGroup
	for n := range *depositWorlds {
		all.Go(func() {
			w := s.chainWorld(fmt.Sprint("parallel", n), "BSC", "USDT")
			kept, dropped := fmt.Sprintf("%d.000000000000000001", 2000+n), fmt.Sprint(1000+n)
			w.pay(kept)
			w.mine(1)
			w.pay(dropped)
			w.mine(1)
			w.expect("in blocks", dropped+" pending, "+kept+" pending, "+
				decimal.RequireFromString(kept).Add(decimal.RequireFromString(dropped)).String()+"/0")
			w.change("reorganize", `{"depth":1,"drop":true}`)
			w.mine(12)
			w.expect("reorganized", dropped+" pending reorganized, "+kept+" completed, "+dropped+"/"+kept)
			if got := w.onChain(); got != kept {
				t.Errorf("the chain of world %d has %s, want %s", n, got, kept)
			}
		})
	}
	all.Wait()
}

// TestTransactions_Faults pays while the back end has a fault, and afterwards. No fault credits anything
// that is not on the chain, and nothing is lost when the fault ends.
func TestTransactions_Faults(t *testing.T) {
	t.Parallel()
	const (
		pending   = "5 pending, 5/0"
		completed = "5 completed, 0/5"
		delayed   = ", deposits_delayed BSC"
	)
	synctest.Test(t, func(t *testing.T) { // in virtual time, for slow responses
		s := newSandboxFixture(t, "USDT")
		for name, c := range map[string]struct {
			effect string
			seen   bool   // the payment is in a block that is read before the fault begins
			during string // after the confirmations, and three minutes
		}{
			"incomplete-head":         {`{"kind":"incomplete"}`, false, ""},
			"incomplete-verification": {`{"kind":"incomplete"}`, true, pending + delayed},
			"lagging":                 {`{"kind":"lagging","blocks":30}`, true, pending + delayed},
			"lagging-head":            {`{"kind":"lagging","blocks":30}`, false, "0/0" + delayed},
			"other-network":           {`{"kind":"other_network"}`, true, pending + delayed},
			"other-network-head":      {`{"kind":"other_network"}`, false, "0/0" + delayed},
			"slow":                    {`{"kind":"latency","ms":1500}`, false, completed},
			"down":                    {`{"kind":"status","status":503}`, true, pending + delayed},
			"refused":                 {`{"kind":"refuse"}`, false, "0/0" + delayed},
			"truncated":               {`{"kind":"truncate"}`, true, pending + delayed},
			"malformed":               {`{"kind":"malformed"}`, false, "0/0" + delayed},
		} {
			w := s.chainWorld(name, "BSC", "USDT")
			faults := "/worlds/" + name + "/faults"
			if w.pay("5"); c.seen {
				w.mine(1)
			}
			s.control(http.MethodPost, faults, `{"match":{"provider":"evm-bsc"},"effect":`+c.effect+`}`)
			if w.mine(1); c.during != "" {
				w.mine(14)
				w.advance("3m")
				w.expect("during the fault", c.during)
			}
			s.control(http.MethodDelete, faults, "")
			w.mine(14)
			w.advance("2m")
			w.expect("after the fault", completed)
		}
	})
}

// TestTransactions_Fork checks that a fork has the addresses, transactions and chains of its origin, apart from which
// both go on, and that a reset removes them.
func TestTransactions_Fork(t *testing.T) {
	t.Parallel()
	s := newSandboxFixture(t, "USDT")
	origin, fork := s.chainWorld("origin", "BSC", "USDT"), chainWorld{s, "fork", "BSC", "USDT"}
	address := func(w chainWorld) string {
		var got struct{ Data []struct{ Address string } }
		w.get("/v1/addresses", &got) // assigns nothing
		if len(got.Data) == 0 {
			return ""
		}
		return got.Data[0].Address
	}
	origin.pay("5")
	origin.mine(15)
	assigned := address(origin)
	s.control(http.MethodPost, "/worlds/origin/fork", `{"id":"fork"}`)
	if got := address(fork); got != assigned || got == "" {
		t.Errorf("the fork has the address %q, want %q", got, assigned)
	}
	fork.expect("after the fork", "5 completed, 0/5")
	fork.change("reorganize", `{"depth":15,"drop":true}`)
	fork.pay("6")
	fork.mine(1)
	fork.expect("after a reorganization of the fork", "5 pending reorganized, 6 pending, 11/0")
	origin.mine(1)
	origin.expect("after a reorganization of the fork", "5 completed, 0/5")
	s.control(http.MethodPost, "/worlds/fork/reset", "")
	if got := address(fork); got != "" || fork.onChain() != "0" {
		t.Errorf("after the reset: address %q, %s on the chain", got, fork.onChain())
	}
	fork.expect("after the reset", "0/0")
	fork.pay("7")
	fork.mine(15)
	fork.expect("after the reset", "7 completed, 0/7")
	origin.expect("after the reset of the fork", "5 completed, 0/5")
}
