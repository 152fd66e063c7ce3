package addresses

import (
	"causeway/core"
	"causeway/core/addresses/base58"
	"causeway/core/addresses/bech32"
)

// accountRows are the networks with a format of their own and a checksum in it.
var accountRows = []row{
	{
		code: "ADA", name: "Cardano", aliases: "CARDANO",
		formats: formats(
			"base", "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
			"enterprise", "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
			"pointer", "addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k",
			"byron", "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
		),
		read: readCardano, least: 50, most: 180,
		source: "CIP-19; the Byron specification of addresses",
	},
	{
		code: "XMR", name: "Monero", aliases: "MONERO",
		formats: formats(
			"standard", "48bWuoDG75CXMDHbmPEvUF2hm1vLDic7ZJ7hqRkL65QR9p13AQAX4eEACXNk4YP115Q4KRVZnAvmMBHrcGfv9FvKPZnH6vH",
			"subaddress", "88WB4JKdQVhWfkc8cBT9EEJ6vejSAqKJHbV1dXBAXdpgQovtNDNRxfKCS7wB8rHQ5D5zH2Pd1YkyMNNQDie6ZfeZ311fPgn",
			"integrated",
			"4Gd4DLiXzBmbVX2FZZ3Cvu6fUaWACup1qDowprUCje1kSP4FmbftiJMSfV8kWZXNqmVwj4m52xqtgFNUudVmsmGkGvkLcCibWfVUfUFVB7",
		),
		read: readMonero, least: 95, most: 106,
		memo: memoRule{
			MemoRule: core.MemoRule{Rule: "This network has no memo. A payment id is part of an integrated address and " +
				"cannot be sent apart."},
			check: checkPaymentID,
		},
		source: "docs.getmonero.org, Public address; cryptonote_config.h",
	},
	{
		code: "XNO", name: "Nano", aliases: "NANO",
		formats: formats("account", "nano_1nanode8ngaakzbck8smq6ru9bethqwyehomf79sae1k7xd47dkidjqzffeg"),
		read:    readNano, least: 64, most: 65,
		source: "docs.nano.org, The basics: account public address",
	},
	{
		code: "XEM", name: "NEM", aliases: "NEM",
		formats: formats("base32", "NC64UFOWRO6AVMWFV2BFX2NT6W2GURK2EOX6FFMZ"),
		read:    nem{}.read, memo: textMemo(1024, true), starts: "NT", least: 40, most: 46,
		source: "NEM technical reference, 3.1; message of 1024 bytes",
	},
	{
		code: "XYM", name: "Symbol", aliases: "SYMBOL",
		formats: formats("base32", "NACNYTZ5WDQ5LTWXBFEC3R5YNLPG4FVAKD6SRVQ"),
		read:    nem{symbol: true}.read, memo: textMemo(1023, true), starts: "NT", least: 39, most: 45,
		source: "docs.symbol.dev, Account: address; message of 1024 bytes, the first of which is its type",
	},
	{
		code: "STX", name: "Stacks", aliases: "STACKS",
		formats: formats(
			"p2pkh", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7",
			"p2sh", "SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G",
		),
		read: readStacks, memo: textMemo(34, true), starts: "S", least: 28, most: 128,
		source: "SIP-005 of Stacks: c32check, memo of 34 bytes",
	},
	{
		code: "ALGO", name: "Algorand", aliases: "ALGORAND",
		formats: formats("account", "GONISIUAYDOMHM7VURRAAAP5H6OAWRRBCPXEIOZO3QI7TZKR5GTAQ7WK7Y"),
		read:    readAlgorand, memo: textMemo(1024, false), least: 58, most: 58,
		source: "dev.algorand.co, Accounts: addresses; note of 1024 bytes",
	},
}

// moneroKinds are the kinds of addresses by their network byte.
var moneroKinds = map[byte]formatKind{
	18: {"standard", core.Mainnet}, 19: {"integrated", core.Mainnet}, 42: {"subaddress", core.Mainnet},
	53: {"standard", core.Testnet}, 54: {"integrated", core.Testnet}, 63: {"subaddress", core.Testnet},
	24: {"standard", core.Testnet}, 25: {"integrated", core.Testnet}, 36: {"subaddress", core.Testnet}, // stagenet
}

// stacksKinds are the kinds of addresses by their version.
var stacksKinds = map[byte]formatKind{
	22: {"p2pkh", core.Mainnet}, 20: {"p2sh", core.Mainnet}, 26: {"p2pkh", core.Testnet}, 21: {"p2sh", core.Testnet},
}

// bech32Rows are the other networks with bytes in bech32 or bech32m.
var bech32Rows = []row{
	{
		code: "EGLD", name: "MultiversX", aliases: "MULTIVERSX ELROND",
		formats: formats("account", "erd1qyu5wthldzr8wx5c9ucg8kjagg0jfs53s8nr3zpz3hypefsdd8ssycr6th"),
		read:    bech32Account{prefix: "erd", size: 32, shared: true}.read,
		memo:    dataMemo("Data field: text in UTF-8. Few recipients need one."), shape: bech32Shape,
		source: "docs.multiversx.com, Accounts: the prefix is the same on every network",
	},
	{
		code: "IOTX", name: "IoTeX", aliases: "IOTEX",
		formats: formats(
			"bech32", "io1w508d6qejxtdg4y5r3zarvary0c5xw7ky0jpnm",
			"eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		),
		read:   orEVM{bech32Account{prefix: "io", size: 20, shared: true, format: "bech32"}}.read,
		shape:  bech32Shape | hexShape,
		source: "docs.iotex.io, Account: io1 and 0x are the same account",
	},
	{
		code: "ONE", name: "Harmony", aliases: "HARMONY",
		formats: formats(
			"bech32", "one1w508d6qejxtdg4y5r3zarvary0c5xw7k4uemy8",
			"eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		),
		read:   orEVM{bech32Account{prefix: "one", size: 20, shared: true, format: "bech32"}}.read,
		shape:  bech32Shape | hexShape,
		source: "docs.harmony.one, Address format: one1 and 0x are the same account",
	},
	{
		code: "ZIL", name: "Zilliqa", aliases: "ZILLIQA",
		formats: formats("bech32", "zil1w508d6qejxtdg4y5r3zarvary0c5xw7kv67lf8"),
		read:    readZilliqa,
		shape:   bech32Shape,
		source:  "ZIP-1 of Zilliqa; the 0x accounts of Zilliqa 2.0 are another form that exchanges do not pay to",
	},
	{
		code: "AVAXX", name: "Avalanche X-Chain", aliases: "AVALANCHE-X XCHAIN",
		formats: formats("bech32", "X-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9"),
		read:    avalanche("X-"), starts: "X", least: 43, most: 90,
		source: "build.avax.network, Cryptographic primitives: addresses",
	},
	{
		code: "AVAXP", name: "Avalanche P-Chain", aliases: "AVALANCHE-P PCHAIN",
		formats: formats("bech32", "P-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9"),
		read:    avalanche("P-"), starts: "P", least: 43, most: 90,
		source: "build.avax.network, Cryptographic primitives: addresses",
	},
	{
		code: "ROSE", name: "Oasis", aliases: "OASIS",
		formats: formats("account", "oasis1qp0cnmkjl22gky6p6qeghjytt4v7dkxsrsmueweh"),
		read:    bech32Account{prefix: "oasis", lead: "\x00", size: 20, shared: true}.read, shape: bech32Shape,
		source: "docs.oasis.io, Staking: address, version 0",
	},
	{
		code: "XCH", name: "Chia", aliases: "CHIA",
		formats: formats("puzzle-hash", "xch1f0ryxk6qn096hefcwrdwpuph2hm24w69jnzezhkfswk0z2jar7aq5zzpfj"),
		read:    bech32Account{prefix: "xch", test: "txch", variant: bech32.Modified, size: 32, format: "puzzle-hash"}.read,
		shape:   bech32Shape,
		source:  "docs.chia.net, Coins: addresses (bech32m)",
	},
}

// avalanche reads the addresses of a chain of Avalanche, which have its alias in front.
func avalanche(alias string) decoder {
	return bech32Account{alias: alias, prefix: "avax", test: "fuji", size: 20, format: "bech32"}.read
}

// zilliqaAccount is the address of Zilliqa, the same on every network.
var zilliqaAccount = bech32Account{prefix: "zil", size: 20, shared: true, format: "bech32"}

// ownRows are the remaining networks with a format of their own and a checksum in it.
var ownRows = []row{
	{
		code: "FIL", name: "Filecoin", aliases: "FILECOIN",
		formats: formats(
			"f1", "f1xtwapqc6nh4si2hcwpr3656iotzmlwumogqbuaa", "f2", "f2gfvuyh7v2sx3patm5k23wdzmhyhtmqctasbr23y",
			"f3", "f3u5zgwa4ael3vuocgc5mfgygo4yuqocrntuuhcklf4xzg5tcaqwbyfabxetwtj4tsam3pbhnwghyhijr5mixa", "f0", "f01024",
		),
		read: readFilecoin, starts: "ft", least: 3, most: 120,
		source: "spec.filecoin.io, Address; FIP-48 (f4)",
	},
	{
		code: "ICP", name: "Internet Computer", aliases: "DFINITY",
		formats: formats(
			"account-id", "6c5066261553064a8d4fa8f30fa9d587d9887bce69601cdb5b6cac8780fc8899",
			"principal", "mglk4-25zez-he5uh-lsy2a-bontn-pfarj-offxd-5teb2-icnpp-scmni-zae",
		),
		read: readICP, memo: numberMemo(64, true, "A whole number from 0 to 18446744073709551615, digits only."), least: 11,
		most: 64, keys: prefixedKeys,
		source: "internetcomputer.org, Ledger: account identifiers; the interface specification of principals",
	},
	{
		code: "MINA", name: "Mina", aliases: "MINAPROTOCOL",
		formats: formats("base58check", "B62qjteidnxC4Np4H9TL2ETjJUQRNz8GHwxGunoqqcenLcCgsEr2gjd"),
		read:    readMina, memo: textMemo(32, true), shape: checkShape,
		source: "docs.minaprotocol.com; RFC 0024 (memo of 32 bytes)",
	},
	{
		code: "CSPR", name: "Casper", aliases: "CASPER",
		formats: formats(
			"public-key", "016470AE57b0a3aD5A679d2e0422909Bfb9dEd445e20cbE6B4c9806f844c94d401",
			"account-hash", "account-hash-2addb2d9f64fc22648626544fa2426587112e7d3dd524502bc269844a070ac42",
		),
		read: readCasper,
		memo: numberMemo(64, true, "Transfer id: a whole number from 0 to 18446744073709551615, digits only."), starts: "0a",
		least: 66, most: 77, keys: prefixedKeys,
		source: "docs.casper.network, Accounts; CEP-57",
	},
	{
		code: "ERG", name: "Ergo", aliases: "ERGO",
		formats: formats("p2pk", "9eYMpbGgBf42bCcnB2nG3wQdqPzpCCw5eB1YaWUUen9uCaW3wwm"),
		read:    readErgo, least: 30, most: base58.MaxText,
		source: "docs.ergoplatform.com, Address encoding",
	},
	{
		code: "AE", name: "æternity", aliases: "AETERNITY",
		formats: formats("base58check", "ak_22ZPJTLbSDpAUfJbBJvqvXFuFe2RoP1ZEd7K9qaHJWF92MgnWm"),
		read:    readAeternity, starts: "a", least: 35, most: 56,
		source: "docs.aeternity.com, API encoding",
	},
	{
		code: "NIM", name: "Nimiq", aliases: "NIMIQ",
		formats: formats("user-friendly", "NQ862H8FYGU5RM77QSN9LYLHC56ACYYR0MLA"),
		read:    readNimiq, memo: textMemo(64, false), starts: "N", least: 36, most: 44, spaced: true,
		source: "nimiq.com/developers, Addresses; extra data of 64 bytes",
	},
	{
		code: "SC", name: "Sia", aliases: "SIA SIACOIN",
		formats: formats("account", "1acc2bc035b6606bd612b6114efea1102bd4499c0edf559469de7f40076f1c54e4eed3c5f1ac"),
		read:    readSia, least: 76, most: 76,
		source: "types.UnlockHash of siad",
	},
	{
		code: "CKB", name: "Nervos CKB", aliases: "NERVOS",
		formats: formats(
			"full", "ckb1qq4dmvke7e8uyfjgvfj5f73yyev8zyh860w4y3gzhsnfs39qwzkyyqt4remwsxv3jm29f9qughgm8ger79pnh4sthefj3",
			"short", "ckb1qyqvfdgvtjxswncx8mq2wl0dp6hlp7nmvhdqcecnt6",
		),
		read: readNervos, shape: bech32Shape,
		source: "RFC 21 of nervosnetwork/rfcs",
	},
	{
		code: "CFX", name: "Conflux Core", aliases: "CONFLUX",
		formats: formats("user", "cfx:aamr2x370du7nx01bfec5v72rntg6fzamar60euu6h"),
		read:    readConflux, starts: "cC", least: 46, most: 65,
		source: "CIP-37",
	},
}

// confluxPrefixes are the networks of Conflux Core Space.
var confluxPrefixes = map[string]core.NetworkKind{"cfx": core.Mainnet, "cfxtest": core.Testnet}

// confluxKinds are the kinds of accounts by the first four bits.
var confluxKinds = map[byte]string{0: "builtin", 1: "user", 8: "contract"}

// minaKinds is the one kind of address of Mina.
var minaKinds = base58Kinds{shared("\xcb\x01\x01", 33)}

// aeternityKinds is the one kind of address of æternity, after ak_.
var aeternityKinds = base58Kinds{shared("", 32)}

// plainRows are the networks whose addresses have no checksum: a typing mistake is an address too.
var plainRows = []row{
	{
		code: "APT", name: "Aptos", aliases: "APTOS", unchecked: true,
		formats: formats("account", "0x2addb2d9f64fc22648626544fa2426587112e7d3dd524502bc269844a070ac42", "special", "0x1"),
		read:    move{short: true}.read, starts: "0", least: 66, most: 66, keys: noKeys,
		source: "AIP-40",
	},
	{
		code: "SUI", name: "Sui", aliases: "SUINETWORK", unchecked: true,
		formats: formats("account", "0x21dcef5bbc5ec6d1789e8b92d3cb2c4d6855da09bd8197f8b256ca15714a7c47"),
		read:    move{}.read, starts: "0", least: 66, most: 66, keys: noKeys,
		source: "docs.sui.io, Address",
	},
	{
		code: "NEAR", name: "NEAR", aliases: "NEARPROTOCOL", unchecked: true,
		formats: formats(
			"implicit", "917b3d268d4b58f7fec1b150bd68d69be3ee5d4cc39855e341538465bb77860d",
			"named", "alice.near", "eth-implicit", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		),
		read: readNEAR, named: true, least: 2, most: 64, keys: prefixedKeys,
		source: "nomicon.io, Account ID; NEP-518",
	},
	{
		code: "IOTA", name: "IOTA", aliases: "IOTAREBASED", unchecked: true,
		formats: formats("account", "0x53e4567ccafa5f36ce84c80aa8bc9be64e0d5ae796884274aef3005ae6733809"),
		read:    move{}.read, starts: "0", least: 66, most: 66, keys: noKeys,
		source: "docs.iota.org, Address (since Rebased, May 2025)",
	},
	{
		code: "STRK", name: "Starknet", aliases: "STARKNET", unchecked: true,
		formats: formats("felt", "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"),
		read:    readStarknet, starts: "0", least: 62, most: 66, keys: noKeys,
		source: "docs.starknet.io, Contract address",
	},
	{
		code: "HBAR", name: "Hedera", aliases: "HEDERA",
		formats: formats("account", "0.0.123-vfmkw", "evm-alias", "0x5891906fef64a5ae924c7fc5ed48c0f64a55fce1"),
		read:    readHedera, memo: textMemo(100, true), starts: "0123456789", least: 5, most: 66,
		source: "HIP-15, HIP-583; TransactionBody.memo (100 bytes)",
	},
	{
		code: "EOS", name: "EOS (Vaulta)", aliases: "VAULTA", unchecked: true,
		formats: formats("name", "binancecleos"),
		read:    readAntelope, memo: textMemo(256, true), shape: neverShape, named: true,
		source: "name.hpp of Antelope; eosio.token (memo of 256 bytes)",
	},
	{
		code: "WAXP", name: "WAX", aliases: "WAX", unchecked: true,
		formats: formats("name", "abcdefghijkl"),
		read:    readAntelope, memo: textMemo(256, true), shape: neverShape, named: true,
		source: "name.hpp of Antelope; eosio.token (memo of 256 bytes)",
	},
	{
		code: "FLOW", name: "Flow", aliases: "FLOWBLOCKCHAIN", unchecked: true,
		formats: formats("account", "0xf233dcee88fe0abe"),
		read: fixedHex{prefixes: []string{"0x"}, digits: 16, hint: "An address of Flow is 0x and 16 hexadecimal " +
			"digits."}.read, starts: "0", least: 18, most: 18,
		source: "developers.flow.com, Accounts; the linear code of the numbers is not asked",
	},
	{
		code: "ICX", name: "ICON", aliases: "ICON", unchecked: true,
		formats: formats(
			"account", "hx4728fc65c31728f0d3538b8783b5394b31a136b9",
			"contract", "cxa4524257b3511fb9574009785c1f1e73cf4097e7",
		),
		read: fixedHex{prefixes: []string{"hx", "cx"}, digits: 40, lower: true, hint: "An address of ICON is hx and 40 " +
			"hexadecimal digits."}.read, starts: "hc", least: 42, most: 42,
		source: "docs.icon.community, Accounts",
	},
	{
		code: "AION", name: "Aion", aliases: "THEOAN", unchecked: true,
		formats: formats("account", "0xa0c24fbbecf42184d1ca8e9401ddaa2a99f69f3560e3d6c673de3c8a0be2a8eb"),
		read: fixedHex{prefixes: []string{"0xa0"}, digits: 62, hint: "An address of Aion is 0xa0 and 62 hexadecimal " +
			"digits."}.read, starts: "0", least: 66, most: 66, keys: noKeys,
		source: "docs.theoan.com, Accounts",
	},
	{
		code: "AR", name: "Arweave", aliases: "ARWEAVE", unchecked: true,
		formats: formats("base64url", "Kt2y2fZPwiZIYmVE-iQmWHES59PdUkUCvCaYRKBwrEI"),
		read:    readArweave, least: 43, most: 43,
		source: "docs.arweave.org, Key format",
	},
}

// antelopeSystem are the system accounts of EOS and WAX.
var antelopeSystem = map[string]warnings{
	"eosio": reservedName, "eosio.token": reservedName, "eosio.null": burnAddress, "eosio.ram": reservedName,
	"eosio.stake": reservedName, "eosio.names": reservedName, "core.vaulta": reservedName,
}
