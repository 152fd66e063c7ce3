package evm

import (
	"encoding/hex"
	"math/big"
	"strconv"
	"strings"

	"golang.org/x/crypto/sha3"

	"causeway/simulator/chain"
)

const (
	gasPrice = 0x44103f3
	coinGas  = 21_000
	tokenGas = 46_000

	// noUncles is the hash of an empty list of uncles.
	noUncles = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
	// transferTopic is the hash of Transfer(address,address,uint256).
	transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
	// transferMethod is the beginning of transfer(address,uint256).
	transferMethod = "0xa9059cbb"
)

// transaction is a transaction with what its receipt needs.
type transaction struct {
	document map[string]any
	status   string
	gas      int64
	logs     []map[string]any
}

// newTransaction returns a transaction at a position in its block, after a number of logs.
func newTransaction(c *chain.Chain, b chain.Block, position, logsBefore int, t chain.Transaction) transaction {
	from, first := address(t.Hash, "from"), t.Outputs[0]
	to, contract := receiver(t, 0), strings.ToLower(t.Asset.Contract)
	out := transaction{status: "0x1", gas: coinGas, logs: []map[string]any{}}
	value, input := hexOf(first.Units.BigInt()), "0x"
	if t.Fake {
		contract = fakeContract(t.Asset)
	}
	if contract != "" {
		out.gas = tokenGas * int64(len(t.Outputs))
		input = transferMethod + word(to) + word(value)
		to, value = contract, "0x0"
	}
	out.document = map[string]any{
		"blockHash": c.Text(b.Hash), "blockNumber": quantity(b.Height), "transactionIndex": quantity(int64(position)),
		"hash": c.Text(t.Hash), "from": from, "to": to, "value": value, "input": input, "type": "0x2",
		"gas": quantity(out.gas), "gasPrice": quantity(gasPrice), "maxFeePerGas": quantity(gasPrice),
		"maxPriorityFeePerGas": "0x1", "nonce": quantity(int64(t.Hash[4])), "accessList": []any{},
		"chainId": quantity(number(c.ID)), "v": "0x0", "yParity": "0x0",
		"r": c.Text(t.Hash.Derive("r")), "s": c.Text(t.Hash.Derive("s")),
	}
	if t.Failed {
		out.status = "0x0"
		return out
	}
	if contract == "" {
		return out
	}
	for i, o := range t.Outputs {
		log := map[string]any{
			"address": contract, "topics": []string{transferTopic, "0x" + word(from), "0x" + word(receiver(t, i))},
			"data":      "0x" + word(hexOf(o.Units.BigInt())),
			"blockHash": out.document["blockHash"], "blockNumber": out.document["blockNumber"],
			"blockTimestamp": quantity(b.Time.Unix()), "transactionHash": out.document["hash"],
			"transactionIndex": out.document["transactionIndex"], "logIndex": quantity(int64(logsBefore + i)), "removed": false,
		}
		if !t.Paid && t.Hash[5]%4 == 0 { // a token that is unique has its number as the last topic, and no data
			log["address"] = address(t.Hash, "collection")
			log["topics"] = append(log["topics"].([]string), "0x"+word(hexOf(o.Units.BigInt()))) //nolint:forcetypeassert // above
			log["data"], out.document["to"] = "0x", log["address"]
		}
		out.logs = append(out.logs, log)
	}
	return out
}

// receiver returns the address of an output.
func receiver(t chain.Transaction, output int) string {
	if to := t.Outputs[output].To; to != "" {
		return strings.ToLower(to)
	}
	return address(t.Hash, "to "+strconv.Itoa(output))
}

// address returns an address that a hash decides.
func address(from chain.Hash, kind string) string {
	const length = 20
	digest := from.Derive(kind)
	return "0x" + hex.EncodeToString(digest[:length])
}

func quantity(n int64) string { return "0x" + strconv.FormatInt(n, 16) }

func hexOf(n *big.Int) string { return "0x" + n.Text(16) }

// number parses a chain ID.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64) // the network would not be of this kind
	return n
}

// word returns 32 bytes without the prefix 0x.
func word(text string) string {
	const digits = 64
	text = strings.TrimPrefix(text, "0x")
	return strings.Repeat("0", digits-len(text)) + text
}

// bloom is the filter of the addresses and topics of logs: 2,048 bits (Ethereum Yellow Paper, section 4.3.1).
type bloom [256]byte

func (f *bloom) addLogs(logs []map[string]any) {
	for _, log := range logs {
		topics, _ := log["topics"].([]string)
		address, _ := log["address"].(string)
		for _, text := range append([]string{address}, topics...) {
			f.add(text)
		}
	}
}

func (f *bloom) add(text string) {
	value, _ := hex.DecodeString(strings.TrimPrefix(text, "0x")) // made above
	h := sha3.NewLegacyKeccak256()
	_, _ = h.Write(value)
	sum := h.Sum(nil)
	for i := 0; i < 6; i += 2 {
		bit := (int(sum[i])<<8 | int(sum[i+1])) % (8 * len(f))
		f[len(f)-1-bit/8] |= 1 << (bit % 8)
	}
}

func (f *bloom) text() string { return "0x" + hex.EncodeToString(f[:]) }
