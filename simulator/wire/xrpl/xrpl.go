// Package xrpl simulates servers with the XRP Ledger's JSON-RPC API, version 1: the network ID, and
// validated ledgers with their transactions. Ledgers have unrelated transactions too: failed and
// partial payments, tokens and offers.
//
// API: github:XRPLF/xrpl-dev-portal (cca6e61, 2026-08-21). A missing ledger is the error lgrNotFound.
package xrpl

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"causeway/simulator/chain"
	"causeway/simulator/wire/format"
)

const (
	serverInfo = "server_info"
	ledger     = "ledger"

	epoch = 946_684_800 // Unix time of the first second of 2000

	partialPayment = 131072 // flag

	// Accounts of the examples of the documentation.
	sender   = "rf1BiGeXwwQoi8Z2ueFYTEXSwuJYfV2Jpn"
	stranger = "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY"
	issuer   = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
)

// Descriptors are the back ends of all networks.
var Descriptors = format.Nodes("xrpl", []string{"XRP"}, respond,
	format.Operation{Name: serverInfo, RPC: true, Member: "result.info.network_id", Chain: format.TipFaults},
	format.Operation{Name: ledger, RPC: true, Member: "result.ledger.ledger_hash", Chain: format.BlockFaults},
)

// server is a chain as a server shows it.
type server struct{ format.Node }

type params struct {
	Index        json.RawMessage `json:"ledger_index"`
	Transactions bool            `json:"transactions"`
	Expand       bool            `json:"expand"`
}

func respond(n format.Node) format.Reply {
	if n.Method != http.MethodPost {
		return format.Text(http.StatusForbidden, "Forbidden")
	}
	var q struct {
		Method string   `json:"method"`
		Params []params `json:"params"`
	}
	if !n.ReadJSON(&q) || q.Method == "" {
		return format.Text(http.StatusBadRequest, "Unable to parse request")
	}
	q.Params = append(q.Params, params{})
	s := server{n}
	var result map[string]any
	switch q.Method {
	case serverInfo:
		result = s.info()
	case ledger:
		result = s.ledger(q.Params[0])
	default:
		result = failure("unknownCmd", "Unknown method.", 32)
	}
	if result["status"] == nil {
		result["status"] = "success"
	}
	return format.Answer(http.StatusOK, map[string]any{"result": result})
}

func failure(name, text string, code int) map[string]any {
	return map[string]any{"error": name, "error_code": code, "error_message": text, "status": "error"}
}

func (s server) info() map[string]any {
	network, _ := strconv.Atoi(s.ID)
	b, _ := s.At(s.Tip())
	return map[string]any{"info": map[string]any{
		"build_version": "2.6.1", "complete_ledgers": "32570-" + strconv.FormatInt(b.Height, 10), "network_id": network,
		"server_state": "full", "peers": 22, "validation_quorum": 28, "validated_ledger": map[string]any{
			"age": 1, "base_fee_xrp": json.Number("0.00001"), "hash": s.Text(b.Hash), "reserve_base_xrp": 1, "seq": b.Height,
		},
	}}
}

// ledger returns a validated ledger.
func (s server) ledger(q params) map[string]any {
	height, err := strconv.ParseInt(string(q.Index), 10, 64)
	switch {
	case string(q.Index) == `"validated"`:
		height = s.Tip()
	case err != nil:
		return failure("invalidParams", "Invalid field 'ledger_index', not string or number.", 31)
	}
	b, ok := s.At(height)
	if !ok {
		return failure("lgrNotFound", "ledgerNotFound", 21)
	}
	closed := b.Time.Unix() - epoch
	document := map[string]any{
		"account_hash": s.Text(b.Hash.Derive("accounts")), "close_flags": 0, "close_time": closed,
		"close_time_human": b.Time.UTC().Format("2006-Jan-02 15:04:05.000000000 UTC"), "close_time_resolution": 10,
		"close_time_iso": b.Time.UTC().Format("2006-01-02T15:04:05Z"), "closed": true, "ledger_hash": s.Text(b.Hash),
		"ledger_index": strconv.FormatInt(b.Height, 10), "parent_close_time": closed - 4, "parent_hash": s.Text(b.Parent),
		"total_coins": "99985738467416092", "transaction_hash": s.Text(b.Hash.Derive("transactions")),
	}
	if q.Transactions {
		list := []any{}
		for _, t := range b.Transactions {
			if s.Lacks(t) {
				continue
			}
			made := s.transaction(len(list), t)
			if q.Expand {
				list = append(list, made)
			} else {
				list = append(list, made["hash"])
			}
		}
		document["transactions"] = list
	}
	return map[string]any{
		"ledger": document, "ledger_hash": document["ledger_hash"], "ledger_index": b.Height, "validated": true,
	}
}

// transaction returns a payment, or an offer for an unrelated transaction of no value.
func (s server) transaction(position int, t chain.Transaction) map[string]any {
	first := t.Outputs[0]
	meta := map[string]any{"AffectedNodes": []any{}, "TransactionIndex": position, "TransactionResult": "tesSUCCESS"}
	out := map[string]any{
		"hash": s.Text(t.Hash), "Account": sender, "Fee": "10", "Flags": 0, "Sequence": int(t.Hash[4]),
		"SigningPubKey": strings.Repeat("0", 66), "TransactionType": "Payment",
		"TxnSignature": s.Text(t.Hash.Derive("signature")),
		"metaData":     meta,
	}
	if first.Units.IsZero() {
		out["TransactionType"], out["TakerGets"], out["TakerPays"] = "OfferCreate", "1000000", token("0.5")
		return out
	}
	if t.Failed {
		meta["TransactionResult"] = "tecUNFUNDED_PAYMENT"
	}
	var amount, delivered any = first.Units.String(), first.Delivered.String()
	out["Destination"] = stranger
	if first.To != "" {
		out["Destination"] = first.To
	} else if t.Hash[5]%4 == 0 {
		amount, delivered = token("25"), token("25")
	}
	if tag, err := strconv.ParseUint(first.Memo, 10, 32); err == nil {
		out["DestinationTag"] = tag
	}
	out["Amount"], out["DeliverMax"] = amount, amount
	if !first.Delivered.Equal(first.Units) {
		out["Flags"], meta["DeliveredAmount"] = partialPayment, delivered
	}
	if !t.Failed {
		meta["delivered_amount"] = delivered
	}
	return out
}

// token returns an amount of a token that has the code of a currency.
func token(value string) map[string]any {
	return map[string]any{"currency": "USD", "issuer": issuer, "value": value}
}
