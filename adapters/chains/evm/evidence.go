package evm

import "causeway/adapters/chains/backend"

const (
	executionAPIs = "github:ethereum/execution-apis 033ca6e, 2026-08-07, tests/"
	multichain    = "fystack/multichain-indexer issue 114, 2026-09-21; go-ethereum issue 26098, 2022"
)

// evidence lists the facts in the order in which a block is read.
var evidence = []backend.Evidence{
	{Fact: "eth_chainId returns the chain ID in hexadecimal.", Source: executionAPIs + "eth_chainId", Test: "check"},
	{
		Fact: "eth_getBlockByNumber with true returns number, hash, parentHash, timestamp, and transactions with hash, " +
			"to and value.",
		Source: executionAPIs + "eth_getBlockByNumber", Test: "requests",
	},
	{
		Fact: "A block that the node does not have is null, also on a node that lags behind others. " +
			"Some services return error -32001 or -39001 instead.",
		Source: executionAPIs + "get-block-notfound, get-block-receipts-not-found; " +
			"INFURA issue 43, 2017; EIP-1474; execution-apis, error codes",
		Test: "missing block is null",
	},
	{
		Fact:   "A block without transactions has an empty list of them.",
		Source: executionAPIs + "get-genesis, get-block-receipts-0", Test: "no transactions are an empty list",
	},
	{
		Fact: "eth_getBlockReceipts takes the hash of the block, so that a reorganization between both requests is seen. " +
			"Each receipt has blockHash and transactionHash.",
		Source: executionAPIs + "get-block-receipts-by-hash", Test: "receipts by hash",
	},
	{
		Fact: "There is one receipt for each transaction. Polygon's state-sync transaction is in both lists of Bor; " +
			"nodes that leave it out of one of them cannot be read.",
		Source: "0xPolygon/bor pull 93, 2020, and issue 1654, 2025-07-23; 0xPolygon/erigon issue 64, 2025-11-03",
		Test:   "one receipt per transaction",
	},
	{
		Fact: "Logs of eth_getLogs lag at the head of the chain, and are then missing without an error; " +
			"BNB's public servers do not have the method. The logs of receipts are read instead.",
		Source: multichain + "; docs.bnbchain.org, JSON-RPC endpoint", Test: "requests",
	},
	{
		Fact:   "A transaction sends its value if to is not null and the status of its receipt is 0x1.",
		Source: executionAPIs + "get-block-receipts-latest", Test: "native transfer",
	},
	{
		Fact: "A receipt from before 2017 has root instead of status. Whether the transaction succeeded is unknown, " +
			"so that only its logs are read.",
		Source: executionAPIs + "get-block-receipts-n; EIP-658", Test: "receipt with root",
	},
	{
		Fact: "Any contract can emit Transfer with any name. Only contracts of the catalog count; " +
			"their case does not matter.",
		Source: "EIP-20", Test: "allowed contracts",
	},
	{
		Fact: "A transfer of ERC-20 has exactly three topics. One of ERC-721 has the same first topic, a fourth one " +
			"and no data.",
		Source: "EIP-20, EIP-721; openethereum issue 9983", Test: "Transfer has three topics",
	},
	{Fact: "The amount is the data of the log, 32 bytes.", Source: "EIP-20", Test: "Transfer has 32 bytes of data"},
	{
		Fact:   "The receiver is in the last 20 bytes of the third topic.",
		Source: "EIP-20", Test: "receiver in the last 20 bytes",
	},
	{
		Fact: "logIndex counts through the block, and changes in a reorganization. " +
			"The position in the logs of the receipt does not.",
		Source: executionAPIs + "get-block-receipts-latest", Test: "index in the receipt",
	},
	{Fact: "A transfer may send nothing.", Source: "EIP-20", Test: "nothing is sent"},
	{Fact: "Amounts have up to 256 bits and are hexadecimal texts.", Source: executionAPIs, Test: "exact amounts"},
	{
		Fact: "The tag finalized names the newest final block. Nodes that do not know the tag, or have no final block yet, " +
			"return an error or null.",
		Source: executionAPIs + "get-finalized; the error is assumed", Test: "finalized",
	},
	{
		Fact:   "The tip may be ahead of the blocks and go back, because a service has several nodes.",
		Source: "go-ethereum issue 27353, 2023; firehose-ethereum issue 198, 2026-08", Test: "missing block is null",
	},
	{
		Fact:   "Errors have the status 200 and the member error with a code.",
		Source: "JSON-RPC 2.0", Test: "errors have status 200",
	},
	{
		Fact:   "Error -32005 means too many requests. Others say so with status 429, or with a text that is no JSON-RPC.",
		Source: "EIP-1474; the text of TRON's nodes: tronprotocol/documentation-en 8f3209e, 2026-07-21", Test: "limits",
	},
	{Fact: "A response has the id of its request.", Source: "JSON-RPC 2.0", Test: "answers that are not JSON-RPC"},
	{
		Fact:   "ETH that a contract sends (an internal transaction) is in no receipt, and is not seen. Traces have it.",
		Source: executionAPIs + "debug_traceBlockByHash",
	},
	{Fact: "A token with a fee on transfer delivers less than its log says. None of the catalog is known to have one."},
	{Fact: "safe can be 1 or 2 slots behind the head, and is not used.", Source: "Ankr, Alchemy: documentation (undated)"},
}
