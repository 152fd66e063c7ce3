package xrpl_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/chains/backend/backendtest"
	"causeway/adapters/chains/xrpl"
	"causeway/core"
	"causeway/ports"
)

const (
	ours = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"

	tip = 16 // height in xrp.json
)

func hash(digit string) string { return strings.Repeat(digit, 64) }

func units(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func xrp() core.Chain {
	return core.Chain{Network: "XRP", ID: "0", Assets: []core.Asset{{Currency: "XRP", Decimals: 6}}}
}

// server answers like a server whose newest ledgers are in a fixture.
type server struct {
	NetworkID int `json:"network_id"`
	Ledgers   []json.RawMessage
}

func (s *server) result(method string, index any) json.RawMessage {
	if method == "server_info" {
		return fmt.Appendf(nil, `{"info":{"network_id":%d},"status":"success"}`, s.NetworkID)
	}
	for i, text := range s.Ledgers {
		var l struct {
			Index float64 `json:"ledger_index"`
		}
		if err := json.Unmarshal(text, &l); err != nil {
			panic(err)
		}
		if index == l.Index || index == "validated" && i == len(s.Ledgers)-1 {
			return text
		}
	}
	return json.RawMessage(`{"error":"lgrNotFound","error_code":21,"error_message":"ledgerNotFound","status":"error"}`)
}

func (s *server) respond(r *http.Request) (method string, status int, response string, err error) {
	var q struct {
		Method string
		Params []map[string]any
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, json.Unmarshal(body, &q)); err != nil || len(q.Params) != 1 {
		return "", 0, "", fmt.Errorf("bad request %s: %w", body, err)
	}
	text, err := json.Marshal(map[string]any{"result": s.result(q.Method, q.Params[0]["ledger_index"])})
	return q.Method, http.StatusOK, string(text), err
}

var kind = backendtest.Kind{
	Text: "xrpl:https://node.example/planted", Method: http.MethodPost, URL: "https://node.example/planted$",
	Chain: xrp(), Fixture: "xrp.json", Tip: tip, Address: ours,
	Read: backendtest.Servers((*server).respond),
}

// transfers of the ledger at the tip of xrp.json.
func transfers() []core.Transfer {
	return []core.Transfer{
		{Hash: hash("1"), Address: ours, Memo: "7", Units: units("25000000")},
		{Hash: hash("2"), Address: ours, Memo: "0", Units: units("3")},
		{Hash: hash("3"), Address: ours, Units: units("100000000000000000")},
		{Hash: hash("6"), Address: ours, Memo: "4294967295", Units: units("19998000")},
		{Hash: hash("7"), Address: ours, Memo: "23480", Units: units("10000")},
	}
}

// TestContract runs the suite with a recorded ledger, and with made ones.
func TestContract(t *testing.T) {
	kind.Contract(t, "1", map[string]backendtest.Blocks{
		"xrp.json": {Chain: xrp(), Blocks: []core.Block{
			{BlockID: core.BlockID{Height: tip - 1, Hash: hash("A")}, Parent: hash("9"), Time: time.Unix(1746684800, 0).UTC()},
			{
				BlockID: core.BlockID{Height: tip, Hash: hash("B")}, Parent: hash("A"), Time: time.Unix(1746684804, 0).UTC(),
				Transfers: transfers(),
			},
		}},
		"mainnet.json": {Chain: xrp(), Blocks: []core.Block{{
			BlockID: core.BlockID{Height: 90150378, Hash: "9804C2A3DF946979C3E01756FA24F5993297B2DBB33596E12A0CF4934A67BA31"},
			Parent:  "6B6F4F23670F5241D49AF7FE0C769981CF640E5A8C9D871D184BC1F4607B57CC",
			Time:    time.Date(2024, 8, 18, 23, 21, 42, 0, time.UTC), Transfers: []core.Transfer{
				{
					Hash:    "0EF308B718E6238E68E37CF85A5E37F7985ABD8CF657F25EE78750F10091C3B6",
					Address: "rEzdn46Gjxh8YJNAZrmMUsFh1QDfT8uuTs", Memo: "5000157", Units: units("87"),
				},
				{
					Hash:    "BDB443F83282FA5BBAD7550330F7BED45A74ACA2A0BE2E434274FEAC8B3766F6",
					Address: "rapido5rxPmP4YkMZZEeXSHqWefxHEkqv6", Units: units("1443"),
				},
			},
		}}},
	})
}

func traps() []backendtest.Trap {
	all := transfers()
	failure := func(name string) string { return `{"result":{"error":"` + name + `","status":"error"}}` }
	const (
		first = `"delivered_amount":"25000000"`
		last  = `"delivered_amount":"100000000000000000"`
	)
	version2 := `{"result":{"ledger_index":16,"validated":true,"ledger":{"ledger_index":16,"ledger_hash":"` + hash("B") +
		`","parent_hash":"` + hash("A") + `","close_time":800000004,"transactions":[{"hash":"` + hash("1") +
		`","tx_json":{"TransactionType":"Payment","DeliverMax":"90000000","Destination":"` + ours +
		`","DestinationTag":7},"meta":{"TransactionResult":"tesSUCCESS","delivered_amount":"25000000"}}]}}}`
	trap := func(name, old, with string, want []core.Transfer, err error) backendtest.Trap {
		return backendtest.NewTrap(name, "ledger", old, with, want, err)
	}
	return []backendtest.Trap{
		trap("validated", `"validated":true`, `"validated":false`, nil, ports.ErrNoBlock),
		trap("validated", `"validated":true`, `"other":true`, nil, ports.ErrNoBlock),
		trap("missing ledger", "", failure("lgrNotFound"), nil, ports.ErrNoBlock),
		trap("missing ledger", `"ledger_index":16`, `"ledger_index":17`, nil, ports.ErrIncomplete),
		trap("missing ledger", `"parent_hash"`, `"other"`, nil, ports.ErrIncomplete),
		trap("missing ledger", `"transactions"`, `"other"`, nil, ports.ErrIncomplete),
		trap("errors have status 200", "", failure("planted"), nil, nil),
		trap("errors have status 200", "", failure(""), nil, nil),
		trap("errors have status 200", "", failure("noNetwork"), nil, nil),
		trap("errors have status 200", "", `{}`, nil, nil),
		trap("errors have status 200", "", `{"result":"planted"}`, nil, nil),
		trap("errors have status 200", "", `<html>planted</html>`, nil, nil),
		trap("limits", "", failure("slowDown"), nil, nil),
		{Name: "limits", Request: "ledger", Status: 503, With: "planted"},
		trap("seconds since 2000", `"close_time":800000004`, `"other":1`, nil, ports.ErrIncomplete),
		trap("versions", "", version2, all[:1], nil),
		trap("versions", "", strings.Replace(version2, `"meta":`, `"other":`, 1), nil, ports.ErrIncomplete),
		trap("versions", "", strings.Replace(version2, `"hash":`, `"other":`, 1), nil, ports.ErrIncomplete),
		trap("versions", `"metaData"`, `"other"`, nil, ports.ErrIncomplete),
		trap("versions", `"TransactionType"`, `"other"`, nil, ports.ErrIncomplete),
		trap("versions", `"Destination"`, `"other"`, nil, ports.ErrIncomplete),
		trap("versions", `"transactions":[`, `"transactions":["`+hash("1")+`",`, nil, nil),
		trap("results", `"tesSUCCESS"`, `"tecUNFUNDED_PAYMENT"`, backendtest.Without(all, 0), nil),
		trap("results", `"TransactionResult":"tesSUCCESS"`, `"other":1`, nil, ports.ErrIncomplete),
		trap("delivered_amount", first, `"delivered_amount":"1"`, backendtest.With(all, 0, func(t *core.Transfer) { t.Units = units("1") }), nil),
		trap("delivered_amount", `"Amount":"25000000"`, `"Amount":"1"`, all, nil),
		trap("delivered_amount", first, `"delivered_amount":25000000`, nil, ports.ErrIncomplete),
		trap("delivered_amount", first, `"delivered_amount":"2.5"`, nil, ports.ErrIncomplete),
		trap("delivered_amount", first, `"delivered_amount":"0"`, backendtest.Without(all, 0), nil),
		trap("DeliveredAmount", `"delivered_amount":"3",`, ``, all, nil),
		trap("DeliveredAmount", first, `"other":1`, nil, ports.ErrIncomplete),
		trap("unavailable", last, `"delivered_amount":"unavailable"`, backendtest.Without(all, 2), nil),
		trap("-1", last, `"delivered_amount":"-1"`, backendtest.Without(all, 2), nil),
		trap("tokens", last, `"delivered_amount":{"currency":"XRP","issuer":"planted","value":"1"}`, backendtest.Without(all, 2), nil),
		trap("tokens", last, `"delivered_amount":{"mpt_issuance_id":"00","value":"1"}`, backendtest.Without(all, 2), nil),
		trap("AccountDelete", `"DeliveredAmount":"19998000",`, ``, all, nil),
		trap("AccountDelete", `,"delivered_amount":"19998000"`, ``, all, nil),
		trap("EscrowFinish", `"Amount":"10000"`, `"Amount":{"currency":"USD","issuer":"planted","value":"1"}`, backendtest.Without(all, 4), nil),
		trap("EscrowFinish", `"Amount":"10000"`, `"other":1`, nil, ports.ErrIncomplete),
		trap("EscrowFinish", `"DeletedNode"`, `"ModifiedNode"`, nil, ports.ErrIncomplete),
		trap("left out", `"PaymentChannelClaim"`, `"CheckCash"`, all, nil),
		trap("tag 0", `,"DestinationTag":7`, ``, backendtest.With(all, 0, func(t *core.Transfer) { t.Memo = "" }), nil),
		trap("tag 0", `"DestinationTag":7`, `"DestinationTag":0`, backendtest.With(all, 0, func(t *core.Transfer) { t.Memo = "0" }), nil),
		trap("tag 0", `"DestinationTag":7`, `"DestinationTag":4294967296`, nil, nil),
	}
}

func TestTraps(t *testing.T) { kind.Traps(t, traps()) }

// TestClient_Requests checks that one request reads a ledger.
func TestClient_Requests(t *testing.T) { kind.Requests(t, []string{"ledger"}, []string{"ledger ok"}) }

// TestClient_Check checks that a back end is of another network only if it says so.
func TestClient_Check(t *testing.T) {
	result := func(id string) string { return `{"result":{"info":{` + id + `},"status":"success"}}` }
	kind.Check(t, map[string]error{
		result(`"network_id":0`): nil, result(`"network_id":"0"`): nil,
		result(`"network_id":1`): ports.ErrOtherNetwork, result(`"network_id":21337`): ports.ErrOtherNetwork,
	}, result(""), result(`"network_id":null`), result(`"network_id":"planted"`), result(`"network_id":{}`), "<html>", "",
		`{"result":{"error":"noNetwork","status":"error"}}`)
}

func TestEvidence(t *testing.T) {
	backendtest.Evidence(t, xrpl.Descriptor.Evidence, traps(), "check", "requests")
}
