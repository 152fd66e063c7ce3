// Package blockbook simulates Blockbook servers, one back end for each network of Bitcoin's family: the status, hashes
// of blocks, and blocks with their transactions in pages. Blocks have a coinbase and unrelated transactions too: some
// with an output that is no address, or that belongs to two addresses.
//
// API: github:trezor/blockbook (a83486e, 2026-07-23), docs/api.md and server/public_test.go. A page beyond the last one
// is the last one again.
package blockbook

import (
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/simulator/chain"
	"causeway/simulator/wire/format"
)

// addresses are examples of each network: of a miner, and of a stranger.
var addresses = map[string][2]string{
	"BTC":  {"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"},
	"LTC":  {"LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9", "MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441"},
	"DOGE": {"DHKM6NDUUv9kaHAGi1QU7MRBNKfQiAdP3F", "A7JjzK9k9x5b2MkkQzqt91WZsuu7wTu6iS"},
	"BCH": {
		"bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
	},
	"DASH": {"XoAAqv3oUYZ6xRjX3brfbf9PotrGanS6Th", "7gks9gWVmGeir7m4MhsSxMzXC2eXXAuuRD"},
}

// Descriptors are the back ends of all networks.
var Descriptors = format.Nodes("blockbook", []string{"BTC", "LTC", "DOGE", "BCH", "DASH"}, respond,
	format.Operation{Name: "status", Path: statusPath, Member: "blockbook.bestHeight", Chain: format.TipFaults},
	format.Operation{Name: "block-index", Path: indexPath + "*", Member: "blockHash", Chain: format.TipFaults},
	format.Operation{Name: "block", Path: blockPath + "*", Member: "hash", Chain: format.BlockFaults},
)

const (
	statusPath = "/api/"
	indexPath  = "/api/v2/block-index/"
	blockPath  = "/api/v2/block/"

	pageSize  = 1_000
	firstTime = 1231006505 // of the first block
)

// server is a chain as Blockbook shows it.
type server struct{ format.Node }

func respond(n format.Node) format.Reply {
	if n.Method != http.MethodGet {
		return format.Text(http.StatusMethodNotAllowed, "method not allowed\n")
	}
	s := server{n}
	path := n.URL.Path
	if path == statusPath {
		return s.status()
	}
	if id, ok := strings.CutPrefix(path, indexPath); ok {
		height, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			height = s.Tip()
		}
		return format.Answer(http.StatusOK, map[string]any{"blockHash": s.hashAt(height)})
	}
	if id, ok := strings.CutPrefix(path, blockPath); ok && !strings.Contains(id, "/") {
		return s.page(id)
	}
	return format.Text(http.StatusNotFound, "404 page not found\n")
}

func (s server) status() format.Reply {
	height := s.Tip()
	return format.Answer(http.StatusOK, map[string]any{
		"blockbook": map[string]any{
			"coin": s.Network, "host": "blockbook", "version": "0.5.0", "syncMode": true, "initialSync": false, "inSync": true,
			"bestHeight": height, "inSyncMempool": true, "mempoolSize": 0, "decimals": s.Assets[0].Decimals,
		},
		"backend": map[string]any{"chain": "main", "blocks": height, "headers": height, "bestBlockHash": s.hashAt(height)},
	})
}

// hashAt returns the hash of the block with a height; empty if there is none.
func (s server) hashAt(height int64) string {
	if height == 0 {
		return s.ID
	}
	if b, ok := s.At(height); ok {
		return s.Text(b.Hash)
	}
	return ""
}

// find returns a block by its height or its hash. The first block has only the ID of the network.
func (s server) find(id string) (b chain.Block, hash string, ok bool) {
	height, err := strconv.ParseInt(id, 10, 64)
	var sum chain.Hash
	switch {
	case id == s.ID || err == nil && height == 0:
		return chain.Block{Time: time.Unix(firstTime, 0)}, s.ID, true
	case err == nil:
		b, ok = s.Block(height, s.Now)
	case len(id) == hex.EncodedLen(len(sum)):
		if _, err := hex.Decode(sum[:], []byte(id)); err != nil {
			return chain.Block{}, "", false
		}
		b, ok = s.Find(sum, s.Now)
	}
	return b, s.Text(b.Hash), ok && b.Height <= s.Tip()
}

// page returns a page of a block.
func (s server) page(id string) format.Reply {
	b, hash, ok := s.find(id)
	if !ok {
		text := "Block not found"
		if _, err := strconv.ParseUint(id, 10, 32); err == nil {
			text += ", " + text
		}
		return format.Answer(http.StatusBadRequest, map[string]any{"error": text})
	}
	all := s.transactions(b)
	number, _ := strconv.Atoi(s.URL.Query().Get("page"))
	pages := (len(all)-1)/pageSize + 1
	number = min(max(number, 1), pages)
	list := []any{}
	for _, t := range all[(number-1)*pageSize : min(number*pageSize, len(all))] {
		list = append(list, s.document(b, hash, t))
	}
	out := map[string]any{
		"page": number, "totalPages": pages, "itemsOnPage": pageSize, "hash": hash, "height": b.Height,
		"confirmations": s.Tip() - b.Height + 1, "size": 285 + 250*len(all), "time": b.Time.Unix(),
		"version": 536870912, "merkleRoot": s.Text(b.Hash.Derive("merkle")), "nonce": "0", "bits": "1d00ffff",
		"difficulty": "1",
		"txCount":    len(all), "txs": list,
	}
	if b.Height > 0 {
		out["previousBlockHash"] = s.Text(b.Parent)
	}
	if next := s.hashAt(b.Height + 1); next != "" && b.Height > 0 {
		out["nextBlockHash"] = next
	}
	return format.Answer(http.StatusOK, out)
}

// transaction is a transaction with its outputs; a coinbase has no sender.
type transaction struct {
	id      string
	from    string
	outputs []map[string]any
}

// transactions returns the transactions of a block. A server whose blocks are incomplete lacks the payments.
func (s server) transactions(b chain.Block) []transaction {
	const subsidy = "312500000"
	pair := addresses[s.Network]
	out := []transaction{{id: s.Text(b.Hash.Derive("coinbase")), outputs: []map[string]any{
		output(0, subsidy, pair[0]), nothing(1, "OP_RETURN aa21a9ed"+s.Text(b.Hash.Derive("witness"))),
	}}}
	for _, t := range b.Transactions {
		if t.Failed || s.Lacks(t) { // a block has no failed transactions
			continue
		}
		made := transaction{id: s.Text(t.Hash), from: pair[1]}
		for i, o := range t.Outputs {
			to := o.To
			if to == "" {
				to = pair[0]
			}
			made.outputs = append(made.outputs, output(i, o.Units.String(), to))
		}
		change := len(made.outputs)
		made.outputs = append(made.outputs, output(change, strconv.Itoa(546+int(t.Hash[6])), pair[1]))
		switch t.Hash[7] % 4 {
		case 0:
			made.outputs = append(made.outputs, nothing(change+1, "OP_RETURN (simulated)"))
		case 1: // of two owners
			made.outputs = append(made.outputs, map[string]any{
				"value": "1000", "n": change + 1, "addresses": pair[:], "isAddress": true,
			})
		}
		out = append(out, made)
	}
	return out
}

func output(n int, value, address string) map[string]any {
	return map[string]any{"value": value, "n": n, "addresses": []string{address}, "isAddress": true}
}

// nothing returns an output that is no address.
func nothing(n int, text string) map[string]any {
	return map[string]any{"value": "0", "n": n, "addresses": []string{text}, "isAddress": false}
}

// document returns a transaction of a block.
func (s server) document(b chain.Block, hash string, t transaction) map[string]any {
	input := map[string]any{"n": 0, "isAddress": false, "value": "0"}
	if t.from != "" {
		input = map[string]any{"n": 0, "addresses": []string{t.from}, "isAddress": true, "value": "100000000"}
	}
	return map[string]any{
		"txid": t.id, "vin": []any{input}, "vout": slices.Clone(t.outputs), "blockHash": hash, "blockHeight": b.Height,
		"confirmations": s.Tip() - b.Height + 1, "blockTime": b.Time.Unix(), "value": "100000000",
		"valueIn": input["value"], "fees": "0",
	}
}
