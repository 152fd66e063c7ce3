package tron_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/shopspring/decimal"

	"causeway/adapters/chains"
	"causeway/adapters/chains/backend/backendtest"
	"causeway/adapters/chains/tron"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
)

const (
	usdt = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	ours = "TDpBe64DqirkKWj6HWuR1pWgmnhw2wDacE" // 412a2b…

	tip = 16 // height in trx.json
)

func hash(digit string) string { return strings.Repeat(digit, 64) }

func units(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func trx() core.Chain {
	return core.Chain{Network: "TRX", ID: hash("e"), Finality: true, Assets: []core.Asset{
		{Currency: "TRX", Decimals: 6}, {Currency: "USDT", Contract: usdt, Decimals: 6},
	}}
}

// node answers like a node whose newest blocks are in a fixture.
type node struct {
	First  string // ID of the first block
	Final  int64  // height
	Blocks []struct {
		Block map[string]any
		Infos json.RawMessage
	}
}

func (n *node) result(request string, num int64) any {
	if request == "wallet/getblockbynum" && num == 0 {
		return map[string]any{"blockID": n.First}
	}
	newest := map[string]int{"wallet/getblock": len(n.Blocks) - 1, "walletsolidity/getblock": 0}
	if i, ok := newest[request]; ok {
		short := map[string]any{"blockID": n.Blocks[i].Block["blockID"], "block_header": n.Blocks[i].Block["block_header"]}
		return short
	}
	for _, b := range n.Blocks {
		raw := b.Block["block_header"].(map[string]any)["raw_data"].(map[string]any)
		if int64(raw["number"].(float64)) != num {
			continue
		}
		if request == "wallet/gettransactioninfobyblocknum" {
			return b.Infos
		}
		return b.Block
	}
	if request == "wallet/gettransactioninfobyblocknum" {
		return []any{}
	}
	return map[string]any{}
}

func (n *node) respond(r *http.Request) (request string, status int, response string, err error) {
	var q struct {
		Num    int64
		Detail *bool
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, json.Unmarshal(body, &q)); err != nil || q.Detail != nil && *q.Detail {
		return "", 0, "", fmt.Errorf("bad request %s: %w", body, err)
	}
	request = strings.TrimPrefix(r.URL.Path, "/planted/")
	text, err := json.Marshal(n.result(request, q.Num))
	return request, http.StatusOK, string(text), err
}

var kind = backendtest.Kind{
	Text: "tron:https://node.example/planted", Method: http.MethodPost, URL: "https://node.example/planted/wallet",
	Chain: trx(), Fixture: "trx.json", Tip: tip, Address: ours,
	Read: backendtest.Servers((*node).respond),
}

// transfers of the block at the tip of trx.json.
func transfers() []core.Transfer {
	return []core.Transfer{
		{Hash: hash("1"), Address: ours, Units: units("1000000000000000")},
		{Hash: hash("2"), Index: 1, Contract: usdt, Address: ours, Units: units("2500000")},
		{Hash: hash("2"), Index: 3, Contract: usdt, Address: ours, Units: units("1")},
		{Hash: hash("3"), Index: 1_000_000, Address: ours, Units: units("405000000")},
		{Hash: hash("3"), Index: 1_000_004, Address: ours, Units: units("12")},
		{Hash: hash("3"), Index: 1_000_005, Address: ours, Units: units("3")},
	}
}

// TestContract runs the suite with recorded blocks, and with made ones.
func TestContract(t *testing.T) {
	chain := func(change func(*core.Chain)) core.Chain {
		c := trx()
		change(&c)
		return c
	}
	first := core.BlockID{Height: tip - 1, Hash: hash("a")}
	private := core.BlockID{Height: 165, Hash: "00000000000000a568a725352ccd7fbad4e65f56ed11d420a505c21f2230145d"}
	public := core.BlockID{Height: 67674988, Hash: "000000000408a36cd32a8e674045e96f895b7708b85fa5141f3c8fd92eb497a8"}
	const (
		token    = "TVQfSR7vRFnv78LrMoxDfAwLcyfhSxg54N"
		receiver = "TW7UGGx4xhcxBSu2LKBYxR5hz7GPKXsZbP"
	)
	kind.Contract(t, hash("f"), map[string]backendtest.Blocks{
		"trx.json": {Chain: trx(), Blocks: []core.Block{
			{BlockID: first, Parent: hash("9"), Time: time.UnixMilli(1770000000000).UTC()},
			{
				BlockID: core.BlockID{Height: tip, Hash: hash("b")}, Parent: hash("a"), Time: time.UnixMilli(1770000003000).UTC(),
				Transfers: transfers(),
			},
		}, Final: first},
		"java-tron.json": {Chain: chain(func(c *core.Chain) { c.Finality = false }), Blocks: []core.Block{{
			BlockID: private, Parent: "00000000000000a4b0ef6ad98a02403ebb86833716c2350b6338a6ee79df2dfc",
			Time: time.Date(2026, 10, 1, 14, 38, 30, 0, time.UTC),
		}}},
		// The block has the transfer of TRX; the token and the contract that pays are of another network.
		"mainnet.json": {Chain: chain(func(c *core.Chain) {
			c.ID, c.Assets[1].Contract = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc", token
		}), Blocks: []core.Block{{
			BlockID: public, Parent: "000000000408a36b033d241520fd155cb0351a27bce043ddb7799ec2790ca1ee",
			Time: time.Date(2024, 12, 8, 16, 29, 6, 0, time.UTC), Transfers: []core.Transfer{
				{
					Hash:    "baa42c87b7c764c548fa37e61e9764415fd4a79d7e073d4f92a456698002016b",
					Address: "TTpdrtf3h8yNZk5r8HcPozKerRUbGZuxYK", Units: units("6"),
				},
				{
					Hash: "0ca17a0da65cb2df52be4e5edd8654358f7ad2b6f083180e719784ff8ff1c8ae", Index: 1, Contract: token,
					Address: receiver, Units: units("1000000"),
				},
				{
					Hash: "7c44d197b2dcdc7452663f1d7fab7636e06aeb29393f7cd32074a39dde9d4139", Index: 1_000_000,
					Address: receiver, Units: units("1"),
				},
			},
		}}, Final: public},
	})
}

func traps() []backendtest.Trap {
	const block, infos = "wallet/getblockbynum", "wallet/gettransactioninfobyblocknum"
	all := transfers()
	tx := `"txID":"` + hash("1")
	trap := backendtest.NewTrap
	return []backendtest.Trap{
		trap("missing block is {}", block, "", "{}", nil, ports.ErrNoBlock),
		trap("missing block is {}", infos, "", "{}", nil, ports.ErrNoBlock),
		trap("missing block is {}", infos, "", "[]", nil, ports.ErrIncomplete),
		trap("missing block is {}", block, `"number":16,`, ``, nil, ports.ErrIncomplete),
		trap("missing block is {}", block, `"parentHash"`, `"other"`, nil, ports.ErrIncomplete),
		trap("lite node", block, "", "this API is closed because this node is a lite fullnode", nil, nil),
		trap("lite node", infos, "", "this API is closed because this node is a lite fullnode", nil, nil),
		trap("errors have status 200", block, "", `{"Error":"class java.lang.Exception : planted"}`, nil, nil),
		trap("errors have status 200", infos, "", `{"Error":"class java.lang.Exception : planted"}`, nil, nil),
		trap("limits", block, "", `{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}`, nil, nil),
		trap("milliseconds", block, `"timestamp":1770000003000`, `"timestamp":1770000003`, nil, ports.ErrIncomplete),
		trap("milliseconds", block, `"timestamp":1770000003000`, `"other":1`, nil, ports.ErrIncomplete),
		trap("no transactions", block, `"transactions"`, `"other"`, nil, ports.ErrIncomplete),
		trap("results of the same block", infos, `"blockTimeStamp":1770000003000`, `"blockTimeStamp":1770000006000`, nil, ports.ErrIncomplete),
		trap("results of the same block", infos, `"blockNumber":16`, `"blockNumber":15`, nil, ports.ErrIncomplete),
		trap("results of the same block", infos, `"id":"`+hash("1"), `"id":"`+hash("2"), nil, ports.ErrIncomplete),
		trap("results of the same block", block, tx, `"txID":"`+hash("7"), nil, ports.ErrIncomplete),
		trap("results of the same block", block, tx, `"txID":"`, nil, ports.ErrIncomplete),
		trap("native transfer", block, `"contractRet":"SUCCESS"`, `"contractRet":"OUT_OF_ENERGY"`, backendtest.Without(all, 0), nil),
		trap("native transfer", block, `"contractRet":"SUCCESS"`, `"code":"SUCESS"`, backendtest.Without(all, 0), nil), //nolint:misspell // java-tron writes it so
		trap("native transfer", block, `"ret":[{"contractRet":"SUCCESS"}]`, `"other":1`, nil, ports.ErrIncomplete),
		trap("native transfer", block, `"type":"TransferContract"`, `"other":1`, nil, ports.ErrIncomplete),
		trap("native transfer", block, `"to_address"`, `"other"`, nil, ports.ErrIncomplete),
		trap("native transfer", block, `"amount":1000000000000000`, `"other":1`, nil, ports.ErrIncomplete),
		trap("TRC-10 is no TRX", block, `"type":"TransferContract"`, `"type":"TransferAssetContract"`, backendtest.Without(all, 0), nil),
		trap("TRC-10 is no TRX", block, `"type":"TransferContract"`, `"type":"DelegateResourceContract"`, backendtest.Without(all, 0), nil),
		trap("exact amounts", block, `"amount":1000000000000000`, `"amount":9223372036854775807`, backendtest.With(all, 0, func(t *core.Transfer) {
			t.Units = units("9223372036854775807")
		}), nil),
		trap("exact amounts", block, `"amount":1000000000000000`, `"amount":1.5`, nil, ports.ErrIncomplete),
		trap("exact amounts", block, `"amount":1000000000000000`, `"amount":"1000000000000000"`, nil, ports.ErrIncomplete),
		trap("exact amounts", block, `"amount":1000000000000000`, `"amount":-5`, nil, ports.ErrIncomplete),
		trap("logs of a success", infos, `"result":"SUCCESS"`, `"result":"OUT_OF_TIME"`, backendtest.Without(all, 1, 2), nil),
		trap("logs of a success", infos, `"contract_address":`, `"result":"FAILED","contract_address":`, backendtest.Without(all, 1, 2), nil),
		trap("addresses of logs", infos, `"address":"a614`, `"address":"A614`, all, nil),
		trap("addresses of logs", infos, `"address":"a614`, `"address":"41a614`, nil, nil),
		trap("allowed contracts", infos, `"address":"a614`, `"address":"a615`, backendtest.Without(all, 1), nil),
		trap("Transfer has three topics", infos, `"topics":["ddf2`, `"topics":["`+hash("0")+`","ddf2`, backendtest.Without(all, 1), nil),
		trap("Transfer has three topics", infos, `"topics":["ddf2`, `"topics":["ddf3`, backendtest.Without(all, 1), nil),
		trap("Transfer has three topics", infos, `"data":"`+strings.Repeat("0", 58)+"2625a0", `"data":"`, backendtest.Without(all, 1), nil),
		trap("nothing is sent", infos, strings.Repeat("0", 58)+"2625a0", hash("0"), backendtest.Without(all, 1), nil),
		trap("internal transactions", infos, `"callValue":405000000`, `"tokenId":"1","callValue":405000000`, backendtest.Without(all, 3), nil),
		trap("internal transactions", infos, `"note":"63616c6c"`, `"note":"63616c6c","rejected":true`, backendtest.Without(all, 3), nil),
		trap("internal transactions", infos, `"note":"63616c6c"`, `"note":"766f74655769746e657373"`, backendtest.Without(all, 3), nil),
		trap("internal transactions", infos, `"note":"63616c6c"`, `"other":""`, backendtest.Without(all, 3), nil),
		trap("internal transactions", infos, `"transferTo_address":"41`, `"transferTo_address":"a0`, nil, nil),
		trap("missing block is {}", block, "", "<html>planted</html>", nil, nil),
	}
}

func TestTraps(t *testing.T) { kind.Traps(t, traps()) }

// TestClient_Requests checks that two requests read a block, of the node's own API.
func TestClient_Requests(t *testing.T) {
	kind.Requests(t, []string{"wallet/getblockbynum", "wallet/gettransactioninfobyblocknum"},
		[]string{"getblockbynum ok", "gettransactioninfobyblocknum ok"})
}

// TestClient_Limits checks that limits count as such, whatever their status.
func TestClient_Limits(t *testing.T) {
	t.Parallel()
	for response, c := range map[string]struct {
		status int
		want   string
	}{
		`{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}`: {200, "throttled"},
		`{"Error":"planted"}`: {429, "throttled"},
		"planted":             {403, "refused"},
	} {
		chain, w := kind.Connect(t, upstreamtest.Text(c.status, response), kind.Chain)
		if _, err := chain.Block(t.Context(), tip); core.CodeOf(err) != core.Unavailable {
			t.Errorf("%s: got %v", response, err)
		}
		if got := w.Outcomes(t); !slices.Equal(got, []string{"getblockbynum " + c.want}) {
			t.Errorf("%s: got the metrics %v", response, got)
		}
	}
}

// TestClient_Key checks that the key of TronGrid is in its header, and that other users log in as usual.
func TestClient_Key(t *testing.T) {
	t.Parallel()
	for user, want := range map[string][2]string{
		"TRON-PRO-API-KEY:planted": {"planted", ""}, "u:p": {"", "Basic dTpw"},
	} {
		mock := httpmock.NewMockTransport()
		mock.RegisterNoResponder(func(r *http.Request) (*http.Response, error) {
			if got := [2]string{r.Header.Get("Tron-Pro-Api-Key"), r.Header.Get("Authorization")}; got != want {
				t.Errorf("%s: got %q, want %q", user, got, want)
			}
			return httpmock.NewStringResponse(http.StatusOK, `{"blockID":"`+hash("e")+`"}`), nil
		})
		w := upstreamtest.Open(t, mock)
		c, err := chains.New(w.Factory, trx(), 1, "tron:https://"+user+"@node.example")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(t.Context()); err != nil || strings.Contains(w.Printed(t), "planted") {
			t.Errorf("%s: got %v", user, err)
		}
	}
}

// TestClient_Check checks that a back end is of another network only if its first block says so.
func TestClient_Check(t *testing.T) {
	kind.Check(t, map[string]error{
		`{"blockID":"` + hash("e") + `"}`: nil, `{"blockID":"` + hash("f") + `"}`: ports.ErrOtherNetwork,
	}, `{"blockID":""}`, `{"blockID":5}`, `{"other":1}`, `{"Error":"planted"}`, "<html>", "",
		"this API is closed because this node is a lite fullnode")
}

// TestClient_Tip checks the final block.
func TestClient_Tip(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status   int
		response string
		final    core.BlockID
		fails    bool
	}{
		"final block":       {final: core.BlockID{Height: tip - 1, Hash: hash("a")}},
		"not served":        {status: 404, response: `{"Error":"this API is unavailable due to config"}`},
		"none yet":          {status: 200, response: "{}"},
		"too many requests": {status: 200, response: `{"Error":"lack of computing resources"}`, fails: true},
		"down":              {status: 503, response: "planted", fails: true},
		"no time":           {status: 200, response: `{"blockID":"` + hash("a") + `"}`, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain, _ := kind.Open(t, func(request, _ string) (int, string) {
				if request == "walletsolidity/getblock" {
					return c.status, c.response
				}
				return 0, ""
			})
			got, err := chain.Tip(t.Context())
			if (err != nil) != c.fails || got.Final != c.final || err == nil && got.Height != tip {
				t.Errorf("got %+v, %v, want the final block %+v", got, err, c.final)
			}
		})
	}
}

func TestEvidence(t *testing.T) {
	backendtest.Evidence(t, tron.Descriptor.Evidence, traps(), "check", "finalized", "requests")
}
