package addresses

import "causeway/core"

// accountRows are the networks with a format of their own and a checksum in it.
var accountRows = []network{
	{
		Network: core.Network{
			Code: "ADA", Name: "Cardano", OtherNames: names("CARDANO"), Checksum: true,
			Formats: formats(
				"base", "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
				"enterprise", "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
				"pointer", "addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k",
				"byron", "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
			),
		},
		read: readCardano, memo: noMemo(), least: 50, most: 180,
		source: "CIP-19; the Byron specification of addresses", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XMR", Name: "Monero", OtherNames: names("MONERO"), Checksum: true,
			Formats: formats(
				"standard", "48bWuoDG75CXMDHbmPEvUF2hm1vLDic7ZJ7hqRkL65QR9p13AQAX4eEACXNk4YP115Q4KRVZnAvmMBHrcGfv9FvKPZnH6vH",
				"subaddress", "88WB4JKdQVhWfkc8cBT9EEJ6vejSAqKJHbV1dXBAXdpgQovtNDNRxfKCS7wB8rHQ5D5zH2Pd1YkyMNNQDie6ZfeZ311fPgn",
				"integrated", "4Gd4DLiXzBmbVX2FZZ3Cvu6fUaWACup1qDowprUCje1kSP4FmbftiJMSfV8kWZXNqmVwj4m52xqtgFNUudVmsmGkGvkLcCibWfVUfUFVB7",
			),
		},
		read: readMonero, least: 95, most: 106,
		memo: memoRule{
			MemoRule: core.MemoRule{Rule: "This network has no memo. A payment id is part of an integrated address and cannot be sent apart."},
			check:    checkPaymentID,
		},
		source: "docs.getmonero.org, Public address; cryptonote_config.h", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XNO", Name: "Nano", OtherNames: names("NANO"), Checksum: true,
			Formats: formats("account", "nano_1nanode8ngaakzbck8smq6ru9bethqwyehomf79sae1k7xd47dkidjqzffeg"),
		},
		read: readNano, memo: noMemo(), least: 64, most: 65,
		source: "docs.nano.org, The basics: account public address", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XEM", Name: "NEM", OtherNames: names("NEM"), Checksum: true,
			Formats: formats("base32", "NC64UFOWRO6AVMWFV2BFX2NT6W2GURK2EOX6FFMZ"),
		},
		read: nem{}.read, memo: textMemo(1024, true), starts: "NT", least: 40, most: 46,
		source: "NEM technical reference, 3.1; message of 1024 bytes", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XYM", Name: "Symbol", OtherNames: names("SYMBOL"), Checksum: true,
			Formats: formats("base32", "NACNYTZ5WDQ5LTWXBFEC3R5YNLPG4FVAKD6SRVQ"),
		},
		read: nem{symbol: true}.read, memo: textMemo(1023, true), starts: "NT", least: 39, most: 45,
		source: "docs.symbol.dev, Account: address; message of 1024 bytes, the first of which is its type", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "STX", Name: "Stacks", OtherNames: names("STACKS"), Checksum: true,
			Formats: formats("p2pkh", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7", "p2sh", "SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G"),
		},
		read: readStacks, memo: textMemo(34, true), starts: "S", least: 28, most: 128,
		source: "SIP-005 of Stacks: c32check, memo of 34 bytes", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ALGO", Name: "Algorand", OtherNames: names("ALGORAND"), Checksum: true,
			Formats: formats("account", "GONISIUAYDOMHM7VURRAAAP5H6OAWRRBCPXEIOZO3QI7TZKR5GTAQ7WK7Y"),
		},
		read: readAlgorand, memo: textMemo(1024, false), least: 58, most: 58,
		source: "dev.algorand.co, Accounts: addresses; note of 1024 bytes", checked: "2026-11",
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
