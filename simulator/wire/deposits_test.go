package wire_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/chains"
	"causeway/adapters/memory"
	"causeway/core"
	"causeway/core/transactions"
	"causeway/ports"
	"causeway/ports/porttest"
	"causeway/simulator/chain"
	"causeway/simulator/faults"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// backend returns a back end over the simulated wire.
func backend(t *testing.T, sim *world.World, spec core.Chain, text string) ports.Chain {
	t.Helper()
	c, err := chains.New(serial(t, sim), spec, 1, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEVM_Contract runs the suite of ports.Chain over the simulated wire.
func TestEVM_Contract(t *testing.T) {
	t.Parallel()
	sim, other := newWorld(t), bsc
	other.ID = "97"
	const bscHost = "evm:https://evm-bsc.chains.example"
	reader := backend(t, sim, bsc, bscHost)
	c, err := sim.Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	tip := c.Height(sim.Now())
	var blocks []core.Block
	for height := tip - 20; height <= tip; height++ {
		b, err := reader.Block(t.Context(), height)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
	final := blocks[len(blocks)-int(c.Depth())]
	porttest.Chain(t, porttest.ChainSuite{
		Chain: reader, Blocks: blocks, Final: final.BlockID, Other: backend(t, sim, other, bscHost),
		Down: backend(t, sim, bsc, "evm:https://nowhere.chains.example"),
	})
	paid, payee := 0, "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
	for _, transfer := range blocks[len(blocks)-1].Transfers {
		if string(transfer.Address) == payee {
			paid++
		}
	}
	if paid != 3 { // of the coin, and two of a token
		t.Errorf("the last block has %d transfers to %s: %+v", paid, payee, blocks[len(blocks)-1])
	}
}

// owner has one address.
type owner struct{ address string }

// Match implements transactions.Owners.
func (o owner) Match(_ context.Context, _ string, addresses []core.DepositAddress) ([]core.DepositMatch, error) {
	out := make([]core.DepositMatch, len(addresses))
	for i, a := range addresses {
		if strings.EqualFold(string(a.Address), o.address) {
			out[i] = core.DepositMatch{Ours: true, Deposit: core.Deposit{
				ID: "d1", User: core.DepositUser{Profile: "user-1"}, DepositAddress: core.DepositAddress{Address: a.Address},
			}}
		}
	}
	return out, nil
}

var randomChains = flag.Uint64("chains", 2, "random chains in TestDeposits_EndAsTheChain")

// TestDeposits_EndAsTheChain lets random things happen to a chain while the service reads it, some of them under faults.
// In the end the balances are those that the chain says.
func TestDeposits_EndAsTheChain(t *testing.T) {
	t.Parallel()
	for seed := range *randomChains {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			draw := rand.New(rand.NewPCG(seed, 1))
			at := noon
			worlds, err := world.NewRegistry(world.RegistryConfig{Clock: func() time.Time { return noon }, Chains: []core.Chain{bsc}, Providers: wire.Offers()})
			if err != nil {
				t.Fatal(err)
			}
			sim, err := worlds.Create(world.Options{ID: "w", Seed: fmt.Sprint(seed), Clock: world.ClockSetting{Now: &at, Frozen: new(true)}})
			if err != nil {
				t.Fatal(err)
			}
			c, err := sim.Chains().Find("BSC")
			if err != nil {
				t.Fatal(err)
			}
			const ours, stranger = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x1111111111111111111111111111111111111111"
			service, err := transactions.New(transactions.Config{
				Chains: []core.Chain{bsc}, Backends: map[string][]ports.Chain{"BSC": {backend(t, sim, bsc, "evm:https://evm-bsc.chains.example")}},
				Store: memory.NewTransactions(), Owners: owner{ours}, Clock: sim.Now, Holder: "test", Serial: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			sync := func() error { return service.Sync(t.Context(), "BSC") }
			if err := sync(); err != nil {
				t.Fatal(err)
			}
			start := c.Height(sim.Now())
			for range 60 {
				var err error
				switch draw.IntN(8) {
				case 0, 1, 2:
					p := chain.Payment{Currency: "USDT", Fake: draw.IntN(8) == 0, Failed: draw.IntN(8) == 0, Payees: []chain.Payee{{To: ours, Amount: "1.5"}}}
					if draw.IntN(4) == 0 {
						p.Payees = append(p.Payees, p.Payees[0], chain.Payee{To: stranger, Amount: "7"})
					}
					if draw.IntN(3) == 0 {
						p = chain.Payment{Currency: "BNB", Payees: p.Payees[:1]}
					}
					_, err = c.Pay(p, sim.Now())
				case 3, 4:
					err = c.Mine(draw.Int64N(20)+1, sim.Now())
				case 5:
					if depth := min(c.Height(sim.Now())-start, draw.Int64N(20)+1); depth > 0 {
						err = c.Reorganize(depth, draw.IntN(3) == 0, sim.Now())
					}
				case 6:
					_, err = sim.Advance(t.Context(), time.Duration(draw.IntN(60)+1)*time.Second)
				default:
					effect := []faults.Effect{{Kind: faults.Incomplete}, {Kind: faults.Lagging, Blocks: 3}, {Kind: faults.OtherNetwork}, {Kind: faults.Truncate}}[draw.IntN(4)]
					_, err = sim.Faults().Add(faults.Rule{Match: faults.Match{Provider: "evm-bsc"}, Effect: effect, When: faults.When{MaxHits: 2}}, sim.Now())
				}
				if err != nil {
					t.Fatal(err)
				}
				_ = sync() // fails under faults
			}
			sim.Faults().Reset()
			for range 5 {
				if _, err = sim.Advance(t.Context(), time.Minute); err == nil {
					err = c.Mine(20, sim.Now())
				}
				if err != nil {
					t.Fatal(err)
				}
				err = sync()
			}
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]decimal.Decimal{}
			for _, p := range c.Payments(sim.Now()) {
				for _, o := range p.Outputs {
					if o.To == ours && p.Height > 0 && !p.Failed && !p.Fake {
						want[p.Asset.Currency] = want[p.Asset.Currency].Add(o.Units.Shift(-p.Asset.Decimals))
					}
				}
			}
			balances, err := service.Balances(t.Context(), core.DepositUser{Profile: "user-1"})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range balances {
				if !b.Pending.IsZero() || !b.Available.Equal(want[b.Currency]) {
					t.Errorf("%s: pending %s, available %s, want %s", b.Currency, b.Pending, b.Available, want[b.Currency])
				}
				delete(want, b.Currency)
			}
			for currency, amount := range want {
				if !amount.IsZero() {
					t.Errorf("%s: nothing of %s was credited", currency, amount)
				}
			}
		})
	}
}
