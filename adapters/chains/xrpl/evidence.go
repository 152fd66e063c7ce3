package xrpl

import "causeway/adapters/chains/backend"

const (
	docs     = "github:XRPLF/xrpl-dev-portal cca6e61, 2026-08-21, "
	recorded = "github:XRPLF/xrpl4j 2a4aefb, 2026-07-21, recorded ledgers"
)

// evidence lists the facts in the order in which a ledger is read.
var evidence = []backend.Evidence{
	{
		Fact: "server_info has network_id, 0 for the main network. It is left out by a server without [network_id] in its " +
			"settings, and by a Clio that does not reach its rippled. Such a server cannot be used. The setting is the " +
			"operator's word: which validators a server trusts decides what it follows.",
		Source: docs + "_api-examples/server_info, server_info-clio", Test: "check",
	},
	{
		Fact: "The ledger with the index validated is the newest one that will not be undone. validated must be true: " +
			"other ledgers may still change.",
		Source: docs + "ledger", Test: "validated",
	},
	{
		Fact: "A ledger that the server does not have is the error lgrNotFound with status 200, also an old one that it " +
			"dropped.",
		Source: docs + "ledger", Test: "missing ledger",
	},
	{
		Fact:   "Errors have the status 200 and the member error in the result.",
		Source: docs + "error formatting", Test: "errors have status 200",
	},
	{
		Fact:   "A server under load returns status 503 with plain text, or slowDown.",
		Source: docs + "rate limiting", Test: "limits",
	},
	{
		Fact:   "A ledger has no pages, and does not say how many transactions it has.",
		Source: docs + "ledger", Test: "requests",
	},
	{Fact: "close_time counts seconds since 2000.", Source: docs + "ledger; " + recorded, Test: "seconds since 2000"},
	{
		Fact: "ledger_index inside the ledger is a text in version 1 of the API and a number in version 2; outside of it, " +
			"always a number.",
		Source: recorded + "; " + docs + "_api-examples/ledger", Test: "versions",
	},
	{
		Fact: "In version 1 a transaction has its fields, hash and metaData in one object; in version 2 it has tx_json, " +
			"meta and hash, and Amount is DeliverMax.",
		Source: docs + "ledger", Test: "versions",
	},
	{
		Fact:   "Each transaction has its result. One that failed with a tec code is in the ledger too.",
		Source: recorded + " 90150378, tecUNFUNDED_PAYMENT", Test: "results",
	},
	{
		Fact:   "A partial payment delivers less than its Amount. delivered_amount counts.",
		Source: docs + "partial-payments; " + recorded + " 90150378", Test: "delivered_amount",
	},
	{
		Fact: "Older servers have only DeliveredAmount, and only for partial payments. A payment without either is " +
			"incomplete.",
		Source: "XRPLF/rippled issue 3431", Test: "DeliveredAmount",
	},
	{
		Fact:   "delivered_amount is unavailable for partial payments from before 2014-01-20. Such an amount is unknown.",
		Source: docs + "metadata", Test: "unavailable",
	},
	{Fact: "Ledgers 90150378 and 90156059 have delivered amounts of -1.", Source: recorded, Test: "-1"},
	{
		Fact: "An amount that is an object is of a token, whose issuer counts and not its code. XRP is a text in drops " +
			"(10^-6 XRP). Tokens are not read.",
		Source: docs + "currency formats; " + recorded, Test: "tokens",
	},
	{
		Fact:   "AccountDelete pays the rest of an account, with a tag. Older servers have only DeliveredAmount.",
		Source: docs + "accountdelete; XRPLF/rippled issue 3394", Test: "AccountDelete",
	},
	{
		Fact: "EscrowFinish, which anyone may send, pays the amount of the escrow that it deletes, with the tag of the " +
			"escrow.",
		Source: docs + "escrowfinish, escrow", Test: "EscrowFinish",
	},
	{
		Fact:   "CheckCash pays its sender, who owns the address, and a check has no destination tag. It is left out.",
		Source: docs + "checkcash", Test: "left out",
	},
	{
		Fact:   "PaymentChannelClaim pays the difference of two balances of the channel. It is left out.",
		Source: docs + "paymentchannelclaim", Test: "left out",
	},
	{
		Fact:   "A destination tag has 32 bits. 0 is a tag, and differs from none.",
		Source: docs + "source and destination tags", Test: "tag 0",
	},
	{
		Fact:   "X-addresses do not occur in ledgers: an address and its tag are apart.",
		Source: "XLS-5d; " + docs + "payment", Test: "tag 0",
	},
	{
		Fact:   "Ripple's servers and xrplcluster.com are not for business use. Operate your own, or rent one.",
		Source: docs + "public servers",
	},
}
