// Package xrpl reads validated ledgers of the XRP Ledger from a server, rippled or Clio, by its JSON-RPC API.
//
// API: POST {url}. A ledger takes one request, and has no pages. A transaction pays one address, so that
// the index of a transfer is always 0. The memo is the destination tag in decimal.
//
// Payments, deleted accounts and finished escrows are read. Checks are not, because only their receiver
// cashes them, nor are payment channels, whose amount is the difference of two balances.
package xrpl

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/chains/backend"
	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/ports"
)

const (
	// Name of the kind of back end.
	Name = "xrpl"

	epoch   = 946_684_800 // Unix time of the first second of 2000
	success = "tesSUCCESS"
)

// Descriptor describes back ends with the JSON-RPC API of the XRP Ledger.
var Descriptor = backend.Descriptor{
	Name: Name, Title: "XRP Ledger JSON-RPC", Networks: []string{"XRP"},
	New:      func(c *upstream.Client, chain core.Chain) ports.Chain { return &client{c, chain.ID} },
	Evidence: evidence,
}

// client implements ports.Chain.
type client struct {
	*upstream.Client

	id string // of the network
}

// Check implements ports.Chain.
func (c *client) Check(ctx context.Context) error {
	s, err := call[server](ctx, c, "server_info", map[string]any{})
	id := strings.Trim(string(s.Info.Network), `"`)
	switch _, invalid := strconv.ParseUint(id, 10, 32); {
	case err != nil:
		return err
	case invalid != nil: // says nothing about the network
		return backend.Undecided(c.Client, "server_info", "there is no network ID")
	case id != c.id:
		return ports.ErrOtherNetwork
	}
	return nil
}

// Tip implements ports.Chain.
func (c *client) Tip(ctx context.Context) (core.Tip, error) {
	l, err := c.ledger(ctx, "validated", false)
	if err != nil {
		return core.Tip{}, err
	}
	return core.Tip{BlockID: l.id(), Time: l.time()}, nil
}

// Block implements ports.Chain.
func (c *client) Block(ctx context.Context, height int64) (core.Block, error) {
	l, err := c.ledger(ctx, height, true)
	if err != nil {
		return core.Block{}, err
	}
	if l.Index != height || l.Ledger.Transactions == nil {
		return core.Block{}, ports.ErrIncomplete
	}
	out := core.Block{BlockID: l.id(), Parent: string(l.Ledger.Parent), Time: l.time()}
	for _, t := range l.Ledger.Transactions {
		var ok bool
		if out.Transfers, ok = t.appendTransfer(out.Transfers); !ok {
			return core.Block{}, ports.ErrIncomplete
		}
	}
	return out, nil
}

// ledger returns a validated ledger, with its transactions or without. Others are not there yet.
func (c *client) ledger(ctx context.Context, index any, whole bool) (ledger, error) {
	l, err := call[ledger](ctx, c, "ledger", map[string]any{
		"ledger_index": index, "transactions": whole, "expand": whole, "api_version": 1,
	})
	switch {
	case err != nil:
		return ledger{}, err
	case !l.Validated:
		return ledger{}, ports.ErrNoBlock
	case l.Index <= 0 || l.Ledger.Hash == "" || l.Ledger.Parent == "" || l.Ledger.Closed <= 0:
		return ledger{}, ports.ErrIncomplete
	}
	return l, nil
}

// call sends a request and decodes its result.
func call[T any](ctx context.Context, c *client, method string, params map[string]any) (out T, err error) {
	body, err := json.Marshal(map[string]any{"method": method, "params": []any{params}})
	if err != nil {
		return out, err
	}
	request := upstream.Request{Op: method, Method: http.MethodPost, Body: body}
	err = c.Do(ctx, request, func(r upstream.Response) error {
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		if err := r.Decode(&answer); err != nil {
			return err
		}
		var failed struct {
			Status string `json:"status"`
			Error  string `json:"error"`
		}
		var result T
		if upstream.Decode(answer.Result, &failed) != nil {
			return upstream.Fail(upstream.Malformed, "there is no result")
		}
		if failed.Error != "" || failed.Status == "error" {
			return failure(failed.Error)
		}
		if upstream.Decode(answer.Result, &result) != nil {
			return upstream.Fail(upstream.Malformed, "the result is not as documented")
		}
		out = result
		return nil
	})
	return out, err
}

// failure judges an error, which has the status 200.
func failure(name string) error {
	switch name {
	case "lgrNotFound":
		return ports.ErrNoBlock
	case "slowDown", "tooBusy":
		return upstream.Fail(upstream.Throttled, "too many requests")
	case "noNetwork", "noCurrent", "noClosed", "notReady", "notSynced", "amendmentBlocked", "internal":
		return upstream.Fail(upstream.Unavailable, "the server is not ready")
	default:
		return upstream.Fail(upstream.Undecided, "the server returned an error")
	}
}

type server struct {
	Info struct {
		Network json.RawMessage `json:"network_id"` // a number, or a text of Clio
	} `json:"info"`
}

type ledger struct {
	Validated bool  `json:"validated"`
	Index     int64 `json:"ledger_index"`
	Ledger    struct {
		Hash         hash          `json:"ledger_hash"`
		Parent       hash          `json:"parent_hash"`
		Closed       int64         `json:"close_time"` // seconds since 2000
		Transactions []transaction `json:"transactions"`
	} `json:"ledger"`
}

func (l ledger) id() core.BlockID { return core.BlockID{Height: l.Index, Hash: string(l.Ledger.Hash)} }

func (l ledger) time() time.Time { return time.Unix(l.Ledger.Closed+epoch, 0).UTC() }

// transaction is a transaction of version 1 of the API, which has its fields and its hash in one object, or of
// version 2.
type transaction struct {
	payment

	Hash    hash     `json:"hash"`
	Meta    *meta    `json:"metaData"`
	Fields2 *payment `json:"tx_json"`
	Meta2   *meta    `json:"meta"`
}

// payment has the fields of a transaction that pays.
type payment struct {
	Type string `json:"TransactionType"`
	party
}

// party is a receiver.
type party struct {
	Address string  `json:"Destination"`
	Tag     *uint32 `json:"DestinationTag"` // 0 is a tag
}

type meta struct {
	Result    string          `json:"TransactionResult"`
	Delivered json.RawMessage `json:"delivered_amount"`
	// DeliveredAmount is part of the ledger, for partial payments only. Older servers show nothing else.
	DeliveredAmount json.RawMessage `json:"DeliveredAmount"`
	Nodes           []struct {
		Deleted struct {
			Type  string          `json:"LedgerEntryType"`
			Final json.RawMessage `json:"FinalFields"`
		} `json:"DeletedNode"`
	} `json:"AffectedNodes"`
}

// appendTransfer appends the transfer of a transaction that pays XRP. It is not ok if a part is missing.
func (t transaction) appendTransfer(to []core.Transfer) (all []core.Transfer, ok bool) {
	fields, result := t.payment, t.Meta
	if t.Fields2 != nil {
		fields, result = *t.Fields2, t.Meta2
	}
	if t.Hash == "" || fields.Type == "" || result == nil || result.Result == "" {
		return nil, false
	}
	if result.Result != success {
		return to, true
	}
	receiver, amount := fields.party, result.Delivered
	switch fields.Type {
	case "Payment", "AccountDelete":
		if amount == nil {
			amount = result.DeliveredAmount
		}
	case "EscrowFinish":
		if receiver, amount, ok = result.escrow(); !ok {
			return nil, false
		}
	default:
		return to, true
	}
	drops, known, ok := read(amount)
	if !ok || receiver.Address == "" {
		return nil, false
	}
	if known {
		to = append(to, core.Transfer{
			Hash: string(t.Hash), Address: core.Private(receiver.Address), Memo: receiver.memo(), Units: drops,
		})
	}
	return to, true
}

func (p party) memo() core.Private {
	if p.Tag == nil {
		return ""
	}
	return core.Private(strconv.FormatUint(uint64(*p.Tag), 10))
}

// escrow returns the receiver and the amount of the escrow that was finished: the one that was deleted.
func (m meta) escrow() (receiver party, amount json.RawMessage, ok bool) {
	for _, n := range m.Nodes {
		if n.Deleted.Type != "Escrow" {
			continue
		}
		var final struct {
			party

			Amount json.RawMessage `json:"Amount"`
		}
		if ok || upstream.Decode(n.Deleted.Final, &final) != nil {
			return party{}, nil, false
		}
		receiver, amount, ok = final.party, final.Amount, true
	}
	return receiver, amount, ok
}

// read parses an amount, in drops (10^-6 XRP). It is not known if it is of a token, whose form is an
// object; if the server cannot tell, from before 2014-01-20; and if it is not above zero, as in two
// ledgers of 2024 with -1. It is not ok if it is missing or malformed.
func read(amount json.RawMessage) (drops decimal.Decimal, known, ok bool) {
	var text string
	if upstream.Decode(amount, &text) != nil {
		return drops, false, len(amount) > 0 && amount[0] == '{'
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return decimal.NewFromInt(n), err == nil && n > 0, err == nil || text == "unavailable"
}

// hash is 32 bytes in upper case, as the network writes them. Empty: none.
type hash string

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *hash) UnmarshalText(text []byte) error {
	var lower backend.Hash
	err := lower.UnmarshalText(text)
	*h = hash(strings.ToUpper(string(lower)))
	return err
}
