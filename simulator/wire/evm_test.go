package wire_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"causeway/simulator/faults"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

func decoded(t *testing.T, text []byte) (document any) {
	t.Helper()
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// compareDigits checks that values of a documented length have that length, and that quantities have no leading zero.
func compareDigits(t *testing.T, place string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		got, _ := got.(map[string]any)
		for name, inside := range want {
			if got[name] != nil {
				compareDigits(t, place+"."+name, inside, got[name])
			}
		}
	case []any:
		for _, inside := range got.([]any) {
			if len(want) > 0 {
				compareDigits(t, place+".*", want[0], inside)
			}
		}
	case string:
		text, _ := got.(string)
		const shortest = 18 // a nonce; quantities are shorter
		fixed := len(want) >= shortest
		data := strings.HasSuffix(place, ".data") || strings.HasSuffix(place, ".input") || strings.HasSuffix(place, ".topics.*")
		quantity := regexp.MustCompile(`^0x(0|[1-9a-f][0-9a-f]*)$`).MatchString(text)
		if fixed && !data && len(text) != len(want) || !fixed && !data && strings.HasPrefix(want, "0x") && want != "0x" && !quantity {
			t.Errorf("%s is %s, documented is such as %s", place, text, want)
		}
	}
}

// rpc is a block of the simulated BSC as a client decodes it.
type rpc struct {
	Error  *struct{ Code int }
	Result struct {
		Number, Hash string
		Transactions []struct{ Hash string }
	}
}

type receipts struct {
	Result []struct {
		TransactionHash string
		Logs            []struct{ LogIndex string }
	}
}

// ask calls a method of the simulated BSC.
func ask[T any](t *testing.T, w *wire.Wire, method, params string) (out T) {
	t.Helper()
	e := golden(t, "evm", "chain_id")
	e.body = `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	r := send(w, e.request(t, ""))
	if err := json.Unmarshal(r.body, &out); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return out
}

// TestEVM_Reorganized follows a payment through a reorganization: its hash stays, its place among the logs changes, and
// the replaced block can still be read.
func TestEVM_Reorganized(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	w := wire.New(sim)
	before, logs := ask[rpc](t, w, "eth_getBlockByNumber", `["latest",true]`), ask[receipts](t, w, "eth_getBlockReceipts", `["latest"]`)
	c, err := sim.Chains().Find("BSC")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reorganize(1, false, sim.Now()); err != nil {
		t.Fatal(err)
	}
	old, after := ask[rpc](t, w, "eth_getBlockByHash", `["`+before.Result.Hash+`",true]`), ask[receipts](t, w, "eth_getBlockReceipts", `["latest"]`)
	if old.Result.Number != before.Result.Number {
		t.Errorf("the replaced block is %+v", old)
	}
	places := func(all receipts, usdt string) (out []string) {
		for _, r := range all.Result {
			for _, log := range r.Logs {
				if r.TransactionHash == usdt {
					out = append(out, log.LogIndex)
				}
			}
		}
		return out
	}
	usdt := c.Text(c.Payments(sim.Now())[1].Hash)
	if was, is := places(logs, usdt), places(after, usdt); len(was) != 2 || len(is) != 2 || slices.Equal(was, is) {
		t.Errorf("the logs were at %v, and are at %v", was, is)
	}
}

// TestEVM_Faults checks what clients see of the effects on a chain besides payments and heights, which TestChains_Adapters
// reads: an incomplete block has the hash of the whole one, and a node that lags does not know newer blocks by hash.
func TestEVM_Faults(t *testing.T) {
	t.Parallel()
	sim := newWorld(t)
	w := wire.New(sim)
	with := under(t, sim, "evm-bsc")
	latest := func() rpc { return ask[rpc](t, w, "eth_getBlockByNumber", `["latest",true]`) }
	plain := latest()
	with(faults.Effect{Kind: faults.Incomplete}, func() {
		block, all := latest(), ask[receipts](t, w, "eth_getBlockReceipts", `["latest"]`)
		if block.Result.Hash != plain.Result.Hash || len(block.Result.Transactions) != len(plain.Result.Transactions)-1 || len(all.Result) != len(block.Result.Transactions) {
			t.Errorf("incomplete: %+v", block)
		}
	})
	with(faults.Effect{Kind: faults.Lagging, Blocks: 1}, func() {
		if got := ask[rpc](t, w, "eth_getBlockByHash", `["`+plain.Result.Hash+`",true]`); got.Error != nil || got.Result.Hash != "" {
			t.Errorf("lagging: it has %+v", got)
		}
	})
	with(faults.Effect{Kind: faults.OtherNetwork}, func() {
		if got := latest(); got.Result.Hash == plain.Result.Hash {
			t.Errorf("another network: %+v", got)
		}
	})
	for _, kind := range []faults.Kind{faults.Incomplete, faults.Lagging, faults.OtherNetwork} {
		if _, err := sim.Faults().Add(rule("kraken", faults.Effect{Kind: kind}), noon); err == nil {
			t.Errorf("%s fits kraken", kind)
		}
	}
}

func TestEVM_NoChain(t *testing.T) {
	t.Parallel()
	alone, err := world.New(world.RegistryConfig{Clock: newWorld(t).Now, Providers: wire.Offers()})
	if err != nil {
		t.Fatal(err)
	}
	if r := send(wire.New(alone), golden(t, "evm", "chain_id").request(t, "")); r.StatusCode != 404 {
		t.Errorf("got %d %s", r.StatusCode, r.body)
	}
}
