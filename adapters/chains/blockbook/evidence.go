package blockbook

import "causeway/adapters/chains/backend"

const source = "github:trezor/blockbook a83486e, 2026-07-23, "

// evidence lists the facts in the order in which a block is read.
var evidence = []backend.Evidence{
	{
		Fact: "A block by hash may be of a fork; a block by height, and the hash in block-index, are of the main chain. " +
			"The network has the block of the catalog's ID on its main chain.",
		Source: "trezor/blockbook issue 196; " + source + "api/worker.go, server/public.go", Test: "check",
	},
	{
		Fact:   "The status says whether Blockbook is in sync with its node. Before, it may lack blocks of its network.",
		Source: source + "docs/api.md", Test: "check",
	},
	{
		Fact:   "block-index without a height returns the hash of the best block that is indexed.",
		Source: source + "server/public_test.go, apiBlockIndex", Test: "tip",
	},
	{
		Fact: "A block that Blockbook does not have is status 400 with the error Block not found, which comes twice " +
			"for a height. Another text after it is a failure of the node.",
		Source: source + "server/public_tron_test.go, api/worker.go GetBlock", Test: "missing block",
	},
	{
		Fact:   "A block has hash, height, time and txCount. previousBlockHash is left out if it is unknown.",
		Source: source + "server/public_test.go, apiGetBlock", Test: "complete block",
	},
	{
		Fact:   "A page has at most 1,000 transactions. A page beyond the last one returns the last one again.",
		Source: source + "api/worker.go computePaging", Test: "pages",
	},
	{
		Fact:   "A reorganization between two pages shows only in the hash. Pages after the first one are requested by it.",
		Source: source + "api/worker.go getBlockHashBlockID", Test: "pages by hash",
	},
	{
		Fact: "A transaction names its block. One that is not indexed yet is read from the node, and may name another " +
			"or none.",
		Source: source + "api/worker.go GetBlock, txFromTxAddress", Test: "block of a transaction",
	},
	{
		Fact: "The first transaction is the coinbase, whose input has no address. Its outputs can be spent after 100 " +
			"blocks, and a reorganization destroys them. They are left out.",
		Source: source + "openapi.yaml; Bitcoin Core, COINBASE_MATURITY", Test: "first transaction",
	},
	{
		Fact: "An output has n, value, addresses and isAddress. If isAddress is false, addresses may have a text such " +
			"as OP_RETURN.",
		Source: source + "server/public_test.go, docs/api.md", Test: "no address",
	},
	{
		Fact:   "A bare multisignature output has several addresses, and belongs to none of them alone.",
		Source: source + "bchain/coins/btc/bitcoinlikeparser.go", Test: "several addresses",
	},
	{
		Fact:   "Amounts are texts in the smallest unit.",
		Source: source + "docs/api.md", Test: "exact amounts",
	},
	{Fact: "An output may have no value.", Source: source + "server/public_test.go", Test: "nothing is sent"},
	{Fact: "Whether an output is spent does not matter.", Source: source + "api/types.go", Test: "spent"},
	{
		Fact:   "One transaction may pay an address twice, and change is a transfer too. The index is n.",
		Source: source + "server/public_test.go, apiGetBlock", Test: "index is the output",
	},
	{
		Fact:   "Outputs in a block have no hex, so that the address counts and not the script.",
		Source: source + "server/public_test.go, apiGetBlock", Test: "complete block",
	},
	{
		Fact: "Addresses of Bitcoin Cash have the prefix bitcoincash:. They are passed on as they are; core/addresses " +
			"makes them canonical.",
		Source: source + "configs/coins/bcash.json", Test: "prefix of Bitcoin Cash",
	},
	{
		Fact: "Too many requests are status 429 with Retry-After, by default more than 20 a minute and client outside " +
			"private networks.",
		Source: source + "docs/env.md", Test: "limits",
	},
	{
		Fact:   "Blockbook undoes 300 blocks at most by default. A deeper reorganization needs its operator.",
		Source: "trezor/blockbook issue 213",
	},
	{
		Fact:   "Trezor's servers are for its wallet, and refuse servers with status 403. Operate your own Blockbook.",
		Source: "trezor/blockbook issue 9, 2018, and issue 819, 2022", Test: "limits",
	},
}
