package chain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"causeway/core"
	"causeway/simulator/chain"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

var bsc = core.Chain{
	Network: "BSC", ID: "56", Confirmations: 15, Finality: true, Assets: []core.Asset{
		{Currency: "BNB", Decimals: 18}, {Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18},
	},
}

const payee = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// newSet returns the chains of a world with a record of its blocks with payments.
func newSet(seed uint64) (*chain.Set, *[]string) {
	var record []string
	return chain.NewSet(chain.Config{Chains: []core.Chain{
		bsc,
		{Network: "ETH", ID: "1", Finality: true},
		{Network: "XRP", ID: "0", Confirmations: 1, Assets: []core.Asset{{Currency: "XRP", Decimals: 6}}},
		{Network: "BTC", ID: "aa", Confirmations: 3, Assets: []core.Asset{{Currency: "BTC", Decimals: 8}}},
		{Network: "TRX", ID: "aa", Confirmations: 20, Assets: []core.Asset{{Currency: "TRX", Decimals: 6}}},
	}, Seed: seed, Began: noon, Record: recordIn(&record)}), &record
}

func recordIn(record *[]string) func(*chain.Chain, chain.Block, int) {
	return func(c *chain.Chain, b chain.Block, empty int) {
		*record = append(*record, fmt.Sprint(c.Network, " ", b.Height, " ", empty))
	}
}

func find(t *testing.T, s *chain.Set, network string) *chain.Chain {
	t.Helper()
	c, err := s.Find(network)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pay(t *testing.T, c *chain.Chain, now time.Time) chain.Transaction {
	t.Helper()
	tx, err := c.Pay(chain.Payment{Currency: "USDT", Payees: []chain.Payee{{To: payee, Amount: "10.5"}}}, now)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// story pays, lets time pass, reorganizes and mines.
func story(t *testing.T, c *chain.Chain) {
	t.Helper()
	pay(t, c, noon.Add(time.Second))
	c.Height(noon.Add(time.Minute))
	pay(t, c, noon.Add(61*time.Second))
	for _, err := range []error{
		c.Reorganize(3, false, noon.Add(70*time.Second)), c.Mine(2, noon.Add(71*time.Second)), c.Reorganize(20, true, noon.Add(72*time.Second)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	pay(t, c, noon.Add(73*time.Second))
}

// blocks describes all blocks above a height.
func blocks(t *testing.T, c *chain.Chain, from int64, now time.Time) string {
	t.Helper()
	var out strings.Builder
	parent := chain.Hash{}
	for height := from; height <= c.Height(now); height++ {
		b, ok := c.Block(height, now)
		if again, found := c.Find(b.Hash, now); !ok || !found || fmt.Sprint(again) != fmt.Sprint(b) {
			t.Fatalf("block %d is there: %t, and by its hash: %t", height, ok, found)
		}
		if height > from && b.Parent != parent {
			t.Errorf("block %d does not follow its parent", height)
		}
		parent = b.Hash
		fmt.Fprintf(&out, "%+v\n", b)
	}
	return out.String()
}

func TestChain_Deterministic(t *testing.T) {
	t.Parallel()
	var told []string
	for _, seed := range []uint64{1, 1, 2} {
		s, record := newSet(seed)
		c := find(t, s, "BSC")
		story(t, c)
		told = append(told, fmt.Sprint(blocks(t, c, c.Height(noon)-60, noon.Add(time.Hour)), c.Payments(noon.Add(time.Hour)), *record))
	}
	if told[0] != told[1] || told[0] == told[2] {
		t.Error("the same seed and facts give other blocks, or another seed gives the same")
	}
}

// TestChain_Sleeps checks how many blocks a day has: none, or those until a payment has its confirmations and the block
// after them.
func TestChain_Sleeps(t *testing.T) {
	t.Parallel()
	day := noon.Add(24 * time.Hour)
	for network, depth := range map[string]int64{"BSC": 15, "XRP": 1} {
		s, record := newSet(1)
		c := find(t, s, network)
		began := c.Height(noon)
		if c.Height(day) != began || !c.Next(day).IsZero() {
			t.Errorf("%s: %d blocks in a day without payments", network, c.Height(day)-began)
		}
		p := chain.Payment{Currency: c.Assets[0].Currency, Payees: []chain.Payee{{To: payee, Amount: "1"}}}
		if _, err := c.Pay(p, day); err != nil {
			t.Fatal(err)
		}
		if added, left := c.Added(40, day), c.Remaining(day); len(added) != 0 || left != depth+1 {
			t.Errorf("%s: %d blocks were added and %d remain", network, len(added), left)
		}
		events := 0
		for at := c.Next(day); !at.IsZero(); at = c.Next(at) {
			if events++; !at.Equal(day.Add(time.Duration(events) * 5 * time.Second)) {
				t.Errorf("%s: block %d comes at %s", network, events, at)
			}
			if got := c.Height(at); got > began+int64(events) {
				t.Errorf("%s: %d blocks at %s", network, got-began, at)
			}
		}
		later := day.Add(24 * time.Hour)
		if paid := c.Payments(later)[0]; c.Height(later) != began+depth+1 || paid.Confirmations != depth+1 || paid.Height != began+1 {
			t.Errorf("%s: %d blocks, %+v", network, c.Height(later)-began, paid)
		}
		if added, left := c.Added(2, later), c.Remaining(later); len(added) != 2 || added[1].Height != began+depth+1 || left != 0 {
			t.Errorf("%s: the last blocks are %v and %d remain", network, added, left)
		}
		if want := fmt.Sprintf("[%s %d 0]", network, began+1); fmt.Sprint(*record) != want {
			t.Errorf("recorded %v, want %s", *record, want)
		}
	}
}

func TestChain_Reorganize(t *testing.T) {
	t.Parallel()
	s, record := newSet(1)
	c := find(t, s, "BSC")
	first := pay(t, c, noon)
	if err := c.Mine(20, noon); err != nil {
		t.Fatal(err)
	}
	tip := c.Height(noon)
	before, _ := c.Block(tip-19, noon)
	state := func() chain.State { return c.Payments(noon)[0] }
	if p := state(); p.Confirmations != 20 || p.Block != before.Hash {
		t.Errorf("mined: %+v", p)
	}
	reorganize := func(depth int64, drop bool) {
		t.Helper()
		if err := c.Reorganize(depth, drop, noon); err != nil {
			t.Fatal(err)
		}
	}
	reorganize(19, false)
	if p := state(); p.Block != before.Hash || c.Height(noon) != tip+1 {
		t.Errorf("a reorganization above the payment: %+v", p)
	}
	reorganize(21, false)
	if p := state(); p.Hash != first.Hash || p.Height != tip+2 || p.Confirmations != 1 {
		t.Errorf("reorganized: %+v, at height %d", p, c.Height(noon))
	}
	if b, ok := c.Find(before.Hash, noon); !ok || b.Height != before.Height {
		t.Error("the replaced block cannot be read")
	}
	reorganize(3, true)
	if p := state(); !p.Dropped || p.Height != 0 || p.Confirmations != 0 {
		t.Errorf("dropped: %+v", p)
	}
	if need := tip + 2 - 3 + 1 + 2*15; c.Height(noon.Add(time.Hour)) < need {
		t.Errorf("the chain sleeps at %d before %d, where a reader knows that the payment is lost", c.Height(noon.Add(time.Hour)), need)
	}
	reorganize(1, false)
	if p := state(); p.Dropped || p.Confirmations != 1 {
		t.Errorf("it came again: %+v", p)
	}
	reorganize(500, true) // far below the beginning of the world
	blocks(t, c, tip-600, noon)
	if got := fmt.Sprint(*record); strings.Count(got, "BSC") != 3 {
		t.Errorf("recorded %s", got)
	}
	for _, depth := range []int64{-1, 0, 5000} {
		if err := c.Reorganize(depth, false, noon); core.CodeOf(err) != core.Invalid {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
	for _, n := range []int64{-1, 0, 100_000} {
		if err := c.Mine(n, noon); core.CodeOf(err) != core.Invalid {
			t.Errorf("%d blocks: %v", n, err)
		}
	}
}

func TestSet_Clone(t *testing.T) {
	t.Parallel()
	s, _ := newSet(1)
	c, later := find(t, s, "BSC"), noon.Add(time.Hour)
	pay(t, c, noon)
	c.Height(noon.Add(7 * time.Second))
	var record []string
	forked := s.Clone(recordIn(&record))
	fork := find(t, forked, "BSC")
	from := c.Height(noon) - 10
	before := blocks(t, c, from, noon.Add(7*time.Second))
	pay(t, fork, noon.Add(8*time.Second))
	if err := fork.Reorganize(1, true, noon.Add(9*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := blocks(t, c, from, noon.Add(7*time.Second)); got != before {
		t.Error("a change of the copy changed the original")
	}
	again := find(t, s.Clone(recordIn(&record)), "BSC")
	if blocks(t, again, from, later) != blocks(t, c, from, later) {
		t.Error("the copy goes on in another way")
	}
	if len(record) == 0 || len(c.Payments(later)) != 1 || len(fork.Payments(later)) != 2 {
		t.Errorf("the copy recorded %v", record)
	}
}

func TestChain_RejectedPayments(t *testing.T) {
	t.Parallel()
	s, _ := newSet(1)
	good := chain.Payee{To: payee, Amount: "1"}
	with := func(change func(*chain.Payee)) []chain.Payee {
		p := good
		change(&p)
		return []chain.Payee{p}
	}
	for _, c := range []struct {
		network string
		payment chain.Payment
		want    string
	}{
		{"BSC", chain.Payment{Currency: "DOGE", Payees: []chain.Payee{good}}, "currency"},
		{"ETH", chain.Payment{Currency: "ETH", Payees: []chain.Payee{good}}, "currency"},
		{"BSC", chain.Payment{Currency: "BNB", Fake: true, Payees: []chain.Payee{good}}, "contract"},
		{"BSC", chain.Payment{Currency: "BNB", Payees: []chain.Payee{good, good}}, "outputs"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.To = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t" })}, "to"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.Memo = "1" })}, "memo"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.Delivered = "1" })}, "delivered"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.Amount = "0.0000000000000000001" })}, "amount"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.Amount = "-1" })}, "amount"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.Amount = "1e3" })}, "amount"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: with(func(p *chain.Payee) { p.Amount = "100000000000000000000000" })}, "amount"},
		{"BSC", chain.Payment{Currency: "USDT", Payees: append(with(func(*chain.Payee) {}), chain.Payee{To: payee})}, "outputs.0.amount"},
		{"XRP", chain.Payment{Currency: "XRP", Payees: with(func(p *chain.Payee) { p.Delivered = "0.0000001" })}, "delivered"},
		{"XRP", chain.Payment{Currency: "XRP", Payees: with(func(p *chain.Payee) { p.Memo = "4294967296" })}, "memo"},
		{"XRP", chain.Payment{Currency: "XRP", Payees: []chain.Payee{good, good}}, "outputs"},
		{"TRX", chain.Payment{Currency: "TRX", Payees: []chain.Payee{good, good}}, "outputs"},
		{"TRX", chain.Payment{Currency: "TRX", Payees: []chain.Payee{good}}, "to"},
		{"BTC", chain.Payment{Currency: "BTC", Failed: true, Payees: []chain.Payee{good}}, "failed"},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Parallel()
			_, err := find(t, s, c.network).Pay(c.payment, noon)
			if core.CodeOf(err) != core.Invalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	partial := chain.Payment{Currency: "XRP", Payees: with(func(p *chain.Payee) { p.Delivered, p.Memo = "0.5", "0" })}
	if tx, err := find(t, s, "XRP").Pay(partial, noon); err != nil || tx.Outputs[0].Units.String() != "1000000" || tx.Outputs[0].Delivered.String() != "500000" {
		t.Errorf("a partial payment: %+v, %v", tx, err)
	}
	if _, err := s.Find("TON"); core.CodeOf(err) != core.NotFound || !strings.Contains(err.Error(), "BSC, ETH, XRP, BTC, TRX") {
		t.Errorf("an unknown network: %v", err)
	}
}

// TestChain_Other checks that the chain of another network has an ID of its form.
func TestChain_Other(t *testing.T) {
	t.Parallel()
	s, _ := newSet(1)
	for network, length := range map[string]int{"BSC": 4, "BTC": 64, "TRX": 64, "XRP": 4} {
		c := find(t, s, network)
		if other := c.Other(); other.ID == c.ID || len(other.ID) != length || other.EVM() != c.EVM() {
			t.Errorf("%s: got the ID %s", network, other.ID)
		}
	}
}
