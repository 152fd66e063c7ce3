package wire_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"causeway/core"
	"causeway/ports"
	"causeway/simulator/chain"
	"causeway/simulator/faults"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// TestChains_Documented compares responses with documented and recorded ones: Blockbook's are of
// server/public_test.go (apiGetBlock, apiBlockIndex) and server/public_tron_test.go of trezor/blockbook a83486e.
// Responses of TRON and the XRP Ledger are recorded in adapters/chains. Responses of Ethereum are in the tests of
// ethereum/execution-apis, read 2026-11-23: eth_getBlockByNumber/get-latest,
// eth_getBlockReceipts/get-block-receipts-latest with the log of eth_getLogs/filter-with-blockHash, and
// eth_getBlockByNumber/get-block-notfound.
func TestChains_Documented(t *testing.T) {
	t.Parallel()
	w := wire.New(newWorld(t))
	const evm = `^lacks \.result\.(withdrawals|withdrawalsRoot|blobGasUsed|excessBlobGas|parentBeaconBlockRoot|totalDifficulty)$`
	for name, c := range map[string]struct{ document, known string }{
		"evm/block_latest":             {"block", evm},
		"evm/block_by_hash":            {"block", evm},
		"evm/block_missing":            {"missing", evm},
		"evm/receipts_latest":          {"receipts", evm},
		"evm/receipts_by_hash":         {"receipts", evm},
		"evm/receipts_missing":         {"missing", evm},
		"blockbook/block_latest":       {"block", `^adds \.(previousBlockHash|txs\.\*\.vin\.\*)$|^lacks \.(nextBlockHash|txs\.\*\.vout\.\*\.spent)$`},
		"blockbook/block_missing":      {"missing", ""},
		"blockbook/block_unknown_hash": {"missing", ""},
		"blockbook/block_index":        {"index", ""},
		"tron/block_latest":            {"block", `^adds \.transactions\.\*\.raw_data\.contract\.\*\.parameter\.value\.(asset_name|contract_address|data)$`},
		"tron/newest":                  {"newest", ""},
		"tron/block_missing":           {"missing", ""},
		"xrpl/server_info":             {"server_info", ""},
		"xrpl/ledger_latest":           {"ledger", ""},
		"xrpl/ledger_validated":        {"validated", ""},
		"xrpl/ledger_missing":          {"missing", ""},
		"tron/infos_latest":            {"infos", `^adds \.\*\.(result|internal_transactions\.\*\.rejected)$|^lacks \.\*\.(fee|receipt\.energy_(fee|usage_total))$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, exchange := filepath.Split(name)
			text, err := os.ReadFile(filepath.Join(folder, "testdata", "documented", c.document+".json"))
			if err != nil {
				t.Fatal(err)
			}
			known := regexp.MustCompile(c.known)
			r := send(w, golden(t, filepath.Clean(folder), exchange).request(t, ""))
			for _, what := range differences(shapeOf(t, string(text), nil), shapeOf(t, string(r.body), nil)) {
				if c.known == "" || !known.MatchString(what) {
					t.Errorf("%s", what)
				}
			}
			if c.known == evm {
				compareDigits(t, "", decoded(t, text), decoded(t, r.body))
			}
		})
	}
}

// under returns a function that runs a check while a provider has a fault.
func under(t *testing.T, sim *world.World, provider string) func(e faults.Effect, check func()) {
	t.Helper()
	return func(e faults.Effect, check func()) {
		t.Helper()
		if _, err := sim.Faults().Add(rule(provider, e), noon); err != nil {
			t.Fatal(err)
		}
		check()
		sim.Faults().Reset()
	}
}

// adapter returns a back end that reads the chain of a network of a world.
func adapter(t *testing.T, sim *world.World, provider string) (ports.Chain, *chain.Chain) {
	t.Helper()
	kind, network, _ := strings.Cut(provider, "-")
	c, err := sim.Chains().Find(strings.ToUpper(network))
	if err != nil {
		t.Fatal(err)
	}
	return backend(t, sim, c.Chain, kind+":https://"+host(provider)), c
}

// TestChains_Adapters reads every kind of back end by its adapter, well and with each fault: exactly the payments that
// arrived are seen.
func TestChains_Adapters(t *testing.T) {
	t.Parallel()
	for _, provider := range backEnds {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			sim := newWorld(t)
			b, c := adapter(t, sim, provider)
			tip, err := b.Tip(t.Context())
			if err != nil || tip.Height != c.Height(sim.Now()) || (tip.Final.Height > 0) != c.Finality {
				t.Fatalf("got the tip %+v, %v", tip, err)
			}
			if err := b.Check(t.Context()); err != nil {
				t.Errorf("check: %v", err)
			}
			all := received(t, b, c, tip.Height)
			if diff := cmp.Diff(expected(c, sim), all); diff != "" {
				t.Errorf("the payments differ: %s", diff)
			}
			if _, err := b.Block(t.Context(), tip.Height+1); !errors.Is(err, ports.ErrNoBlock) {
				t.Errorf("beyond the tip: got %v, want %v", err, ports.ErrNoBlock)
			}
			with := under(t, sim, provider)
			with(faults.Effect{Kind: faults.Incomplete}, func() {
				if got := received(t, b, c, tip.Height); len(got) > 0 {
					t.Errorf("incomplete: got %v", got)
				}
			})
			with(faults.Effect{Kind: faults.Lagging, Blocks: 1}, func() {
				if got, err := b.Tip(t.Context()); err != nil || got.Height != tip.Height-1 {
					t.Errorf("lagging: got the tip %+v, %v", got, err)
				}
				if _, err := b.Block(t.Context(), tip.Height); !errors.Is(err, ports.ErrNoBlock) {
					t.Errorf("lagging: got %v, want %v", err, ports.ErrNoBlock)
				}
			})
			with(faults.Effect{Kind: faults.OtherNetwork}, func() {
				if err := b.Check(t.Context()); !errors.Is(err, ports.ErrOtherNetwork) {
					t.Errorf("another network: got %v, want %v", err, ports.ErrOtherNetwork)
				}
			})
			reorganized(t, sim, b, c, tip.Height, all)
		})
	}
}

// reorganized checks that payments keep their identity in another block.
func reorganized(t *testing.T, sim *world.World, b ports.Chain, c *chain.Chain, height int64, before []core.Transfer) {
	t.Helper()
	old, err := b.Block(t.Context(), height)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reorganize(1, false, sim.Now()); err != nil {
		t.Fatal(err)
	}
	block, err := b.Block(t.Context(), height)
	if err != nil || block.Hash == old.Hash || block.Parent != old.Parent {
		t.Errorf("got %+v, %v in place of %s", block.BlockID, err, old.Hash)
	}
	if diff := cmp.Diff(before, received(t, b, c, height+1)); diff != "" {
		t.Errorf("the payments changed: %s", diff)
	}
}

// received returns the transfers of payments in a block.
func received(t *testing.T, b ports.Chain, c *chain.Chain, height int64) (out []core.Transfer) {
	t.Helper()
	block, err := b.Block(t.Context(), height)
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{}
	for _, p := range payments[c.Network] {
		for _, to := range p.Payees {
			ours[strings.ToLower(to.To)] = true
		}
	}
	for _, transfer := range block.Transfers {
		if ours[strings.ToLower(transfer.Address.Reveal())] {
			transfer.Address = core.Private(strings.ToLower(transfer.Address.Reveal()))
			out = append(out, transfer)
		}
	}
	return out
}

// expected returns the transfers of the payments that arrived.
func expected(c *chain.Chain, sim *world.World) (out []core.Transfer) {
	for _, s := range c.Payments(sim.Now()) {
		for i, o := range s.Outputs {
			index := int64(i)
			if s.Asset.Contract != "" {
				index++
			}
			if !s.Fake && !s.Failed && o.Delivered.IsPositive() {
				out = append(out, core.Transfer{
					Hash: c.Text(s.Hash), Index: index, Contract: s.Asset.Contract,
					Address: core.Private(strings.ToLower(o.To)), Memo: core.Private(o.Memo), Units: o.Delivered,
				})
			}
		}
	}
	return out
}

// TestBlockbook_Pages sends more payments than a page has. A page beyond the last one is the last one again.
func TestBlockbook_Pages(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	b, c := adapter(t, sim, "blockbook-btc")
	const many = 2_500
	for range many {
		if _, err := c.Pay(payments["BTC"][0], sim.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Mine(1, sim.Now()); err != nil {
		t.Fatal(err)
	}
	height := c.Height(sim.Now())
	got := received(t, b, c, height)
	seen := map[string]bool{}
	for _, transfer := range got {
		seen[transfer.Hash] = transfer.Units.Equal(decimal.NewFromInt(546))
	}
	if len(got) != many || len(seen) != many {
		t.Errorf("got %d transfers of %d transactions, want %d", len(got), len(seen), many)
	}
	last := get("blockbook-btc", "/api/v2/block/"+decimal.NewFromInt(height).String()+"?page=9")
	var page struct{ Page, TotalPages int }
	if err := json.Unmarshal(send(wire.New(sim), last.request(t, "")).body, &page); err != nil || page.Page != 3 || page.TotalPages != 3 {
		t.Errorf("beyond the last page: got %+v, %v", page, err)
	}
}
