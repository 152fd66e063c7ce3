package simulator

import "strings"

// vector is an address with the verdict that it gets.
type vector struct {
	code              string // the reason, or the warning
	valid             bool   // then code is a warning
	currency, network string
	address           string
	memo              string // empty: none is sent
	memoType          string
	mainnetOnly       bool // in a world that is
}

// vectors has one for each reason and each warning of the verdicts on addresses, in the order in which addresses.md lists them. They are published
// vectors: of BIPs, CIPs, SEPs, HIPs, XRPL, Solana, Tezos and Zcash documents, and made from them where a document has none. The secrets are those documents' own, and
// nobody's money.
var vectors = []vector{
	{code: "empty", currency: "ETH", network: "ETH", address: ""},
	{code: "too_long", currency: "EOS", network: "EOS", address: strings.Repeat("binancecleos", 20)},
	{code: "not_ascii", currency: "EOS", network: "EOS", address: "binanсecleos"}, // a Cyrillic с
	{code: "whitespace", currency: "EOS", network: "EOS", address: " binancecleos"},
	{code: "bad_character", currency: "EOS", network: "EOS", address: "alice_1"},
	{code: "bad_length", currency: "BTC", network: "BTC", address: "bc1gmk9yu"},
	{code: "bad_case", currency: "FIL", network: "FIL", address: "f2gfvuyh7v2sx3patm5k23wdzmhyhtmqctasbr23Y"},
	{code: "bad_checksum", currency: "BTC", network: "BTC", address: "bc1rw5uspcuh"},
	{code: "bad_version", currency: "FLOW", network: "FLOW", address: "1654653399040a61"},
	{code: "bad_encoding", currency: "HBAR", network: "HBAR", address: "0.00.123"},
	{code: "wrong_network", currency: "NIM", network: "NIM", address: "0.0.1-dfkxr"},
	{code: "wrong_environment", currency: "BTC", network: "BTC", address: "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", mainnetOnly: true},
	{code: "not_payable", currency: "ADA", network: "ADA", address: "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"},
	{code: "secret_key", currency: "XRP", network: "XRP", address: "sn259rEFXrQrWyx3Q7XneWcwV6dfL"},
	{code: "payment_uri", currency: "BTC", network: "BTC", address: "bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
	{code: "lightning_invoice", currency: "BTC", network: "BTC", address: "satoshi@walletofsatoshi.com"},
	{code: "name_not_address", currency: "ETH", network: "ETH", address: "vitalik.eth"},
	{
		code: "extended_public_key", currency: "BTC", network: "BTC",
		address: "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8",
	},
	{code: "unsupported_format", currency: "ETH", network: "ETH", address: "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS"},
	{code: "memo_not_a_number", currency: "XRP", network: "XRP", address: "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf", memo: "-1"},
	{code: "memo_out_of_range", currency: "XRP", network: "XRP", address: "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf", memo: "4294967296"},
	{code: "memo_too_long", currency: "XLM", network: "XLM", address: stellar, memo: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", memoType: "text"},
	{code: "memo_bad_encoding", currency: "XLM", network: "XLM", address: stellar, memo: strings.Repeat("z", 64), memoType: "hash"},
	{code: "memo_conflict", currency: "XRP", network: "XRP", address: "XVLhHMPHU98es4dbozjVtdWzVrDjtV8xvjGQTYPiAx6gwDC", memo: "2"},

	{code: "checksum_absent", valid: true, currency: "NEAR", network: "NEAR", address: "alice.near"},
	{code: "memo_ignored", valid: true, currency: "BTC", network: "BTC", address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", memo: "12345"},
	{code: "memo_recommended", valid: true, currency: "XRP", network: "XRP", address: "rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf"},
	{code: "burn_address", valid: true, currency: "ETH", network: "ETH", address: "0x000000000000000000000000000000000000dEaD"},
	{code: "zero_address", valid: true, currency: "ETH", network: "ETH", address: "0x0000000000000000000000000000000000000000"},
	{code: "contract_like_address", valid: true, currency: "SOL", network: "SOL", address: "So11111111111111111111111111111111111111112"},
	{code: "off_curve", valid: true, currency: "SOL", network: "SOL", address: "4BJXYkfvg37zEmBbsacZjeQDpTNx91KppxFJxRqrz48e"},
	{code: "nonstandard_witness", valid: true, currency: "BTC", network: "BTC", address: "BC1SW50QGDZ25J"},
	{code: "legacy_format", valid: true, currency: "BCH", network: "BCH", address: "1KXrWXciRDZUpQwQmuM1DbwsKDLYAYsVLR"},
	{code: "reserved_name", valid: true, currency: "HBAR", network: "HBAR", address: "0.0.1-dfkxr"},
	{
		code: "shielded_address", valid: true, currency: "ZEC", network: "ZEC",
		address: "zs1qqqsyqcyq5rqwzqfpg9scrgwpugpzysnzs23v9ccrydpk8qarc0jqgfzyvjz2f389q5j5ctfvp5",
	},
	{code: "unusual_format", valid: true, currency: "HBAR", network: "HBAR", address: "1.23.456-adpbr"},
}

const stellar = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"
