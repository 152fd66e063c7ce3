package sim

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"causeway/cmd/causeway/app"
	"causeway/core"
	"causeway/simulator/control"
	"causeway/simulator/world"
)

// newChainLab is causeway sim in front of a control API whose worlds have chains. Its service is a block behind.
func newChainLab(t *testing.T) simLab {
	t.Helper()
	usdt := core.Asset{Currency: "USDT", Contract: "0x55d398326f99059fF775485246999027B3197955", Decimals: 18}
	worlds, err := world.NewRegistry(world.RegistryConfig{Clock: time.Now, Chains: []core.Chain{
		{Network: "BSC", ID: "56", Confirmations: 3, Finality: true, Assets: []core.Asset{{Currency: "BNB", Decimals: 18}, usdt}},
		{Network: "ETH", ID: "1", Confirmations: 65, Finality: true, Assets: []core.Asset{usdt}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(control.New(worlds, control.Config{
		Entropy: app.SystemEntropy,
		DepositAddress: func(_ context.Context, _ *world.World, _, profile, _, _ string) (string, string, error) {
			return "0x" + strings.Repeat(profile, 40), "", nil
		},
		Synced: func(_ context.Context, w *world.World, network string) (int64, string) {
			c, _ := w.Chains().Find(network)
			return c.Height(w.Now()) - 1, "a fault at the node"
		},
	}))
	t.Cleanup(server.Close)
	return simLab{t: t, operator: strings.TrimPrefix(server.URL, "http://")}
}

func TestSimDeposit(t *testing.T) {
	t.Parallel()
	l := newChainLab(t)
	l.shows("world create still clock.now=2026-11-16T12:00:00Z clock.frozen=true")
	l.shows("world create fast clock.rate=3600")
	for line, to := range map[string]string{"--profile a --world still": "a", "--to 0x" + strings.Repeat("b", 40) + " --mine": "b"} {
		out, code, said := l.run(strings.Fields("deposit --currency usdt --network bsc --amount 10.5 " + line)...)
		if code != 0 || strings.Count(out, "\n") != 5 || !strings.Contains(said, "not read the block: a fault") {
			t.Errorf("%s: %d %s\n%s", line, code, said, out)
		}
		for _, words := range []string{"Sent 10.5 USDT to 0x" + to, ": 0 of 3 confirmations", ": 1 of 3 ", ": 2 of 3 ", ": 3 of 3 "} {
			if !strings.Contains(out, words) {
				t.Errorf("%s: no %q in\n%s", line, words, out)
			}
		}
	}
	l.shows("deposit --currency BNB --amount 1 --profile c --world fast", "Sent 1 BNB", "3 of 3 confirmations")
	l.shows("deposit --currency BNB --amount 1 --profile c --world still -o json", `"confirmations": 4`)
	l.fails("deposit --currency USDT --amount 1 --profile a", 2, "BSC, ETH")
	l.fails("deposit --currency DOGE --amount 1 --profile a", 2, "DOGE", "chain list")
	l.fails("deposit --currency BNB --amount 1,5 --profile a", 2, "amount")
	l.fails("deposit --currency BNB --amount 1 --profile a --to b", 2, "profile", "to")
	l.fails("deposit --currency BNB --amount 1", 2, "profile", "to")
}

func TestSimChain(t *testing.T) {
	t.Parallel()
	l := newChainLab(t)
	l.shows("chain list", "BSC", "BNB, USDT", "ETH")
	l.shows("chain mine BSC 4", "READ", "a fault at the node")
	l.shows("chain reorganize BSC 2 drop=true", "READ")
	l.fails("chain reorganize BSC 0", 2, "DEPTH")
	l.fails("chain mine TON", 2, "not_found", "BSC, ETH")
}
