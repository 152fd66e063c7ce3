package tron

import "causeway/adapters/chains/backend"

const (
	docs      = "github:tronprotocol/documentation-en 8f3209e, 2026-07-21, docs/api/"
	queries   = docs + "http/block-and-tx-query/"
	chainData = "github:coinbase/chainstorage, tests, recorded block 67674988 of 2024-12-08"
)

// evidence lists the facts in the order in which a block is read.
var evidence = []backend.Evidence{
	{
		Fact: "Through the Ethereum-compatible endpoint, value is the amount of any contract: a TRC-10 token, frozen or " +
			"delegated TRX, votes. A worthless token looks like TRX. Only the HTTP API is used.",
		Source: "github:tronprotocol/java-tron 1e35f79, 2025-05-12, JsonRpcApiUtil.getTransactionAmount; " +
			docs + "json-rpc/",
		Test: "requests",
	},
	{
		Fact:   "The first block, getblockbynum with num 0, tells the network.",
		Source: queries + "getblockbynum; the ID of the first block: chains.yaml", Test: "check",
	},
	{
		Fact: "getblock without a number and with detail false returns the newest block without its transactions; " +
			"below /walletsolidity the newest final one, which 19 of the 27 producers built on.",
		Source: queries + "getblock", Test: "finalized",
	},
	{
		Fact:   "A node or service that does not serve /walletsolidity returns status 404.",
		Source: docs + "http/index, disabledApiList", Test: "finalized",
	},
	{
		Fact:   "A block that the node does not have is {} with status 200, and a list of no block too.",
		Source: queries + "getblockbynum, gettransactioninfobyblocknum", Test: "missing block is {}",
	},
	{
		Fact:   "A lite node returns a bare text that is no JSON, with status 200, for blocks by number.",
		Source: docs + "http/index, LiteFnQueryHttpFilter", Test: "lite node",
	},
	{
		Fact:   "Errors have the status 200 and the member Error, also too many requests: lack of computing resources.",
		Source: docs + "http/index", Test: "errors have status 200",
	},
	{
		Fact: "TronGrid limits by key, day and second, with status 403 or 429. The key is in the header TRON-PRO-API-KEY: " +
			"tron:https://TRON-PRO-API-KEY:KEY@api.trongrid.io",
		Source: "developers.tron.network, rate limits (undated)", Test: "limits",
	},
	{Fact: "Times are in milliseconds.", Source: queries + "getnowblock", Test: "milliseconds"},
	{
		Fact:   "A block without transactions lacks the member transactions, and has an empty list of results.",
		Source: queries + "gettransactioninfobyblocknum; that the member is left out: " + queries + "getblock",
		Test:   "no transactions",
	},
	{
		Fact: "Results are requested by height. Each has the ID of its transaction, and the height and the time of its " +
			"block, which differ after a reorganization.",
		Source: queries + "gettransactioninfobyblocknum", Test: "results of the same block",
	},
	{
		Fact: "A TransferContract sends TRX, in sun (10^-6 TRX), if contractRet is SUCCESS. A failed transaction is in " +
			"the block too.",
		Source: chainData + "; " + docs + "http/, amounts", Test: "native transfer",
	},
	{
		Fact: "Old blocks do not say whether a transaction succeeded. Its transfers are left out.",
		Test: "native transfer",
	},
	{
		Fact:   "A TransferAssetContract sends a TRC-10 token, which anyone can create. Only TransferContract sends TRX.",
		Source: "github:tronprotocol/java-tron 1e35f79, 2025-05-12, TransferAssetContract", Test: "TRC-10 is no TRX",
	},
	{
		Fact:   "Contracts that delegate or freeze TRX have amounts, and receivers who receive nothing.",
		Source: chainData + ", UnDelegateResourceContract", Test: "TRC-10 is no TRX",
	},
	{Fact: "Amounts are numbers of up to 64 bits.", Source: docs + "http/index, int64_as_string", Test: "exact amounts"},
	{
		Fact:   "Logs are read only if the transaction succeeded.",
		Source: queries + "gettransactioninfobyblocknum", Test: "logs of a success",
	},
	{
		Fact: "Addresses of logs have 20 bytes, without the first byte 41 and without 0x; topics and data have no 0x " +
			"either.",
		Source: "github:sxwebdev/gotron, tests, recorded from java-tron 4.8.2, 2026-10-01", Test: "addresses of logs",
	},
	{
		Fact:   "Any contract can emit Transfer with any name. Only contracts of the catalog count.",
		Source: "TRC-20", Test: "allowed contracts",
	},
	{
		Fact:   "A transfer of TRC-20 has three topics and 32 bytes of data; TRC-721 has four topics and no data.",
		Source: "TRC-20, TRC-721", Test: "Transfer has three topics",
	},
	{Fact: "A transfer may send nothing.", Source: "TRC-20", Test: "nothing is sent"},
	{
		Fact: "TRX that a contract sends is an internal transaction with the note call, or suicide, in hexadecimal. " +
			"It may be rejected, and its value may be of a TRC-10 token.",
		Source: chainData + "; github:sxwebdev/gotron, tests, recorded from java-tron 4.8.2, 2026-10-01",
		Test:   "internal transactions",
	},
	{
		Fact: "Internal transactions with other notes, such as delegateResourceOfEnergy, have a value that nobody " +
			"receives.",
		Source: "tronprotocol, documentation of Stake 2.0 in the TVM (undated)", Test: "internal transactions",
	},
	{
		Fact: "A node records internal transactions only with vm.saveInternalTx. Without it, TRX that contracts send is " +
			"not seen, and back ends that differ in this setting disagree.",
		Source: "tronprotocol, InternalTransaction (undated)",
	},
}
