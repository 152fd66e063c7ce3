package blockbook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"causeway/adapters/chains/backend/backendtest"
	"causeway/adapters/chains/blockbook"
	"causeway/adapters/upstream/upstreamtest"
	"causeway/core"
	"causeway/ports"
)

const (
	ours = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	bare = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"

	tip = 16 // height in btc.json
)

func hash(digit string) string { return strings.Repeat(digit, 64) }

func units(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// btc has the first block of the fixture as its ID.
func btc() core.Chain {
	return core.Chain{Network: "BTC", ID: hash("a"), Assets: []core.Asset{{Currency: "BTC", Decimals: 8}}}
}

// server answers like Blockbook with the blocks of a fixture, each with its pages.
type server struct{ Blocks [][]map[string]any }

func (s *server) respond(r *http.Request) (request string, status int, body string, err error) {
	request, id, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/planted/api/"), "v2/"), "/")
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	status = http.StatusBadRequest
	response := any(map[string]any{"error": "Block not found"})
	if request == "" {
		request, status, response = "status", http.StatusOK, map[string]any{"blockbook": map[string]any{"inSync": true}}
	}
	for i, pages := range s.Blocks {
		height := fmt.Sprint(pages[0]["height"])
		switch isLast := i == len(s.Blocks)-1; {
		case request == "block-index" && (id == height || id == "" && isLast):
			status, response = http.StatusOK, map[string]any{"blockHash": pages[0]["hash"]}
		case request == "block" && (id == height || id == pages[0]["hash"]):
			status, response = http.StatusOK, pages[min(page, len(pages))-1]
		}
	}
	text, err := json.Marshal(response)
	if request == "block" {
		request += " " + id + " " + strconv.Itoa(page)
	}
	return request, status, string(text), err
}

var kind = backendtest.Kind{
	Text: "blockbook:https://blocks.example/planted", Method: http.MethodGet, URL: "https://blocks.example/planted/",
	Chain: btc(), Fixture: "btc.json", Tip: tip, Address: ours,
	Read: backendtest.Servers((*server).respond),
}

// transfers of the block at the tip of btc.json.
func transfers() []core.Transfer {
	return []core.Transfer{
		{Hash: hash("1"), Address: bare, Units: units("700")},
		{Hash: hash("1"), Index: 1, Address: ours, Units: units("1000000000000")},
		{Hash: hash("1"), Index: 3, Address: ours, Units: units("546")},
		{Hash: hash("2"), Index: 1, Address: bare, Units: units("500")},
		{Hash: hash("3"), Address: ours, Units: units("2099999997690000")},
	}
}

func TestContract(t *testing.T) {
	blocks := []core.Block{
		{BlockID: core.BlockID{Height: tip - 1, Hash: hash("a")}, Parent: hash("9"), Time: time.Unix(1770000000, 0).UTC()},
		{
			BlockID: core.BlockID{Height: tip, Hash: hash("b")}, Parent: hash("a"), Time: time.Unix(1770000600, 0).UTC(),
			Transfers: transfers(),
		},
	}
	kind.Contract(t, hash("f"), map[string]backendtest.Blocks{"btc.json": {Chain: btc(), Blocks: blocks}})
}

// TestClient_Recorded reads a recorded block, which lacks the hash of its parent.
func TestClient_Recorded(t *testing.T) {
	t.Parallel()
	s := backendtest.ReadFixture[server](t, "recorded.json")
	chain, _ := kind.Connect(t, backendtest.Respond(s.respond, nil), btc())
	if _, err := chain.Block(t.Context(), 225493); !errors.Is(err, ports.ErrIncomplete) {
		t.Errorf("without a parent: got %v, want %v", err, ports.ErrIncomplete)
	}
	s.Blocks[0][0]["previousBlockHash"] = hash("0")
	const tx = "effd9ef509383d536b1c8af5bf434c8efbf521a4f2befd4022bbd68694b4ac75"
	want := []core.Transfer{
		{Hash: tx, Address: "mv9uLThosiEnGRbVPS7Vhyw6VssbVRsiAw", Units: units("1234567890123")},
		{Hash: tx, Index: 1, Address: "2MzmAKayJmja784jyHvRUW1bXPget1csRRG", Units: units("1")},
		{Hash: tx, Index: 2, Address: "2NEVv9LJmAnY99W1pFoc5UJjVdypBqdnvu1", Units: units("9876")},
	}
	got, err := chain.Block(t.Context(), 225493)
	if err != nil || !cmp.Equal(got.Transfers, want) || !got.Time.Equal(time.Date(2018, 3, 20, 3, 3, 46, 0, time.UTC)) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func traps() []backendtest.Trap {
	one, two := "block 16 1", "block "+hash("b")+" 2"
	all := transfers()
	trap := backendtest.NewTrap
	incomplete := func(name, request, old, with string) backendtest.Trap {
		return trap(name, request, old, with, nil, ports.ErrIncomplete)
	}
	failure := func(name, request string, status int, response string, err error) backendtest.Trap {
		return backendtest.Trap{Name: name, Request: request, Status: status, With: response, Err: err}
	}
	third := `"txid":"` + hash("3") + `"`
	const value = `"value":"1000000000000"`
	return []backendtest.Trap{
		failure("missing block", one, 400, `{"error":"Block not found"}`, ports.ErrNoBlock),
		failure("missing block", one, 400, `{"error":"Block not found, Block not found"}`, ports.ErrNoBlock),
		failure("missing block", two, 400, `{"error":"Block not found"}`, ports.ErrNoBlock),
		failure("missing block", one, 400, `{"error":"Block not found, Post planted: timeout"}`, nil),
		failure("missing block", one, 400, `{"error":"planted"}`, nil),
		incomplete("complete block", one, `"hash"`, `"other"`),
		incomplete("complete block", one, `"previousBlockHash"`, `"other"`),
		incomplete("complete block", one, `"time"`, `"other"`),
		incomplete("complete block", one, `"height":16`, `"height":17`),
		incomplete("complete block", one, `"txs"`, `"other"`),
		incomplete("complete block", one, `"vout":[{"addresses":["`+bare, `"other":[{"addresses":["`+bare),
		incomplete("complete block", one, `"txid"`, `"other"`),
		trap("complete block", one, "", `{}`, nil, ports.ErrIncomplete),
		incomplete("pages", one, `"txCount":4`, `"txCount":5`),
		incomplete("pages", one, `"totalPages":2`, `"totalPages":1`),
		incomplete("pages", two, `"page":2`, `"page":1`),
		incomplete("pages", two, `"totalPages":2`, `"totalPages":3`),
		incomplete("pages", two, `"txs":[`, `"txs":[],"other":[`),
		incomplete("pages by hash", two, `"hash":"`+hash("b"), `"hash":"`+hash("c")),
		incomplete("block of a transaction", two, `"blockHash":"`+hash("b"), `"blockHash":"`+hash("a")),
		incomplete("block of a transaction", two, `"blockHeight":16`, `"blockHeight":-1`),
		incomplete("first transaction", one, `"vin":[{"isAddress":false`, `"vin":[{"isAddress":true`),
		trap("first transaction", one, `"value":"312500000"`, `"value":"5000000000"`, all, nil),
		trap("no address", two, `"isAddress":true,"n":0,"value":"20`, `"isAddress":false,"n":0,"value":"20`, backendtest.Without(all, 4), nil),
		trap("several addresses", two, `["`+ours+`"]`, `["`+ours+`","`+bare+`"]`, backendtest.Without(all, 4), nil),
		trap("several addresses", two, `["`+ours+`"]`, `[]`, backendtest.Without(all, 4), nil),
		trap("exact amounts", one, value, `"value":"1000000000001"`, backendtest.With(all, 1, func(t *core.Transfer) {
			t.Units = units("1000000000001")
		}), nil),
		incomplete("exact amounts", one, value, `"value":"10000.5"`),
		incomplete("exact amounts", one, value, `"value":"-1000"`),
		incomplete("exact amounts", one, value, `"value":"1e12"`),
		incomplete("exact amounts", one, value, `"other":"1000"`),
		trap("exact amounts", one, value, `"value":1000000000000`, nil, nil),
		trap("nothing is sent", one, value, `"value":"0"`, backendtest.Without(all, 1), nil),
		trap("spent", one, `"spent":true`, `"spent":false`, all, nil),
		incomplete("index is the output", one, `"n":3`, `"n":1`),
		trap("prefix of Bitcoin Cash", two, ours, "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", backendtest.With(all, 4, func(t *core.Transfer) {
			t.Address = "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
		}), nil),
		failure("limits", one, 429, `{"error":"rate limit exceeded"}`, nil),
		failure("limits", two, 403, "planted", nil),
		trap("complete block", two, third, `"txid":"planted"`, nil, nil),
		trap("complete block", one, "", "<html>planted</html>", nil, nil),
	}
}

func TestTraps(t *testing.T) { kind.Traps(t, traps()) }

// TestClient_Requests checks that the first page is requested by height, and the others by hash.
func TestClient_Requests(t *testing.T) {
	kind.Requests(t, []string{"block 16 1", "block " + hash("b") + " 2"}, []string{"block ok ×2"})
}

// TestClient_RetryAfter checks that a limit says when to try again.
func TestClient_RetryAfter(t *testing.T) {
	t.Parallel()
	chain, _ := kind.Connect(t, upstreamtest.Text(429, `{"error":"rate limit exceeded"}`, "Retry-After", "41"), btc())
	_, err := chain.Block(t.Context(), tip)
	failure, ok := errors.AsType[*core.Error](err)
	if !ok || failure.RetryAfter != 41*time.Second {
		t.Errorf("got %+v, want 41s", err)
	}
}

// TestClient_Check checks that a back end is of another network only if it is sure to lack a block.
func TestClient_Check(t *testing.T) {
	t.Parallel()
	index := func(digit string) string { return `{"blockHash":"` + hash(digit) + `"}` }
	page := "block " + hash("a") + " 1"
	for name, c := range map[string]struct {
		request  string
		status   int
		response string
		want     error // nil: none, or core.Unavailable if the response is not usable
		fails    bool
	}{
		"main chain":               {},
		"no such block":            {page, 400, `{"error":"Block not found"}`, ports.ErrOtherNetwork, true},
		"fork":                     {"block-index", 200, index("d"), ports.ErrOtherNetwork, true},
		"another block":            {page, 200, `{"hash":"` + hash("d") + `","height":15}`, nil, true},
		"node behind it is down":   {page, 400, `{"error":"Block not found, planted"}`, nil, true},
		"index is down":            {"block-index", 500, `{"error":"planted"}`, nil, true},
		"other service":            {page, 404, "planted", nil, true},
		"other service, JSON":      {page, 200, "{}", nil, true},
		"other service, HTML page": {page, 200, "<html>", nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, synced := range []bool{true, false} {
				chain, _ := kind.Open(t, func(request, _ string) (int, string) {
					switch {
					case request == "status" && !synced:
						return 200, `{"blockbook":{"inSync":false}}`
					case request == c.request:
						return c.status, c.response
					}
					return 0, ""
				})
				err := chain.Check(t.Context())
				want := c.want
				if !synced {
					want = nil
				}
				if errors.Is(err, ports.ErrOtherNetwork) != (want != nil) || (err != nil) != c.fails ||
					c.fails && want == nil && core.CodeOf(err) != core.Unavailable {
					t.Errorf("in sync %t: got %v, want %v", synced, err, want)
				}
			}
		})
	}
}

// TestClient_Tip checks a tip whose block is not there.
func TestClient_Tip(t *testing.T) {
	t.Parallel()
	for response, want := range map[string]error{
		`{"blockHash":""}`: ports.ErrNoBlock, `{}`: ports.ErrNoBlock, `{"blockHash":"` + hash("d") + `"}`: ports.ErrNoBlock,
		`{"blockHash":"planted"}`: nil,
	} {
		chain, _ := kind.Open(t, func(request, _ string) (int, string) {
			if request == "block-index" {
				return 200, response
			}
			return 0, ""
		})
		if _, err := chain.Tip(t.Context()); err == nil || want != nil && !errors.Is(err, want) || want == nil && core.CodeOf(err) != core.Unavailable {
			t.Errorf("%s: got %v, want %v", response, err, want)
		}
	}
}

func TestEvidence(t *testing.T) {
	backendtest.Evidence(t, blockbook.Descriptor.Evidence, traps(), "check", "tip")
}
