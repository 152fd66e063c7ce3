package addresses

import "causeway/core"

// base58Rows are the networks with base58 and rules that no other coin shares.
var base58Rows = []network{
	{
		Network: core.Network{
			Code: "ZEC", Name: "Zcash", OtherNames: names("ZCASH"), Checksum: true,
			Formats: formats(
				"p2pkh", "t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs",
				"p2sh", "t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd",
				"tex", "tex1auz6gx89x2wcku6gswdvaz2nf9x3seex6px6v0",
				"sapling", "zs1wkejr23wqa9ptpvv73ch3wr96lh8gnyx3689skmyttljy4nyfj69eyclukwkxrhr3rrkgxvnur0",
				"unified", "u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf",
			),
		},
		read: readZcash, long: true, starts: "tuzTUZ", least: 35, most: maxBytes,
		memo: memoRule{
			MemoRule: core.MemoRule{Supported: true, Kinds: []string{kindText}, Rule: "Text of at most 512 bytes of UTF-8, to shielded addresses (u1…, zs1…) only."},
			check:    checkZcashMemo,
		},
		source: "Zcash protocol specification, Address encodings; ZIP-173, ZIP-211, ZIP-316, ZIP-320", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "DCR", Name: "Decred", OtherNames: names("DECRED"), Checksum: true,
			Formats: formats("p2pkh", "DsmcYVbP1Nmag2H4AS17UTvmWXmGeA7nLDx", "p2sh", "Dcur2mcGjmENx4DhNqDctW5wJCVyT3Qeqkx"),
		},
		read: readDecred, memo: noMemo(), starts: "DT", least: 35, most: 36,
		source: "docs.decred.org, Addresses; chaincfg of dcrd", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XTZ", Name: "Tezos", OtherNames: names("TEZOS"), Checksum: true,
			Formats: formats(
				"tz1", "tz1L5jKG7VjcrMgPZKD1DqmAnhURvZmitUZS", "tz2", "tz28kwHUi59yn7KFqVFqtUjRLGjSSTAFS3RH",
				"tz3", "tz3LmkEobwHXAjmZFkL6tSBo9dcxDHELxMTs", "tz4", "tz49SxD2CWht6VQRXvNwZ5A3hCsxjAgMy84B",
				"contract", "KT192UBubMc9wHtUkDWmGCTBdFp3f7Yq9Hn5",
			),
		},
		read: tezosKinds.read, memo: noMemo(), shape: checkShape,
		source: "octez.tezos.com, src/lib_crypto/base58.ml; test networks write the same", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "NEO", Name: "Neo N3", OtherNames: names("NEO3 N3 NEON3"), Checksum: true,
			Formats: formats("base58check", "NLMfou3YjbfWixFmzipBRiBkwAGMkgEfuK"),
		},
		read: base58Kinds{{prefix: "\x35", length: 20, format: "base58check", environment: core.AnyEnvironment}}.read,
		memo: noMemo(), shape: checkShape,
		source: "developers.neo.org, Neo N3: address version 53", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "NEOLEGACY", Name: "Neo Legacy", OtherNames: names("NEO2"), Checksum: true,
			Formats: formats("base58check", "AGDaGe6uSBmEBx5BG8pcsx2A42Y4QphdX9"),
		},
		read: base58Kinds{{prefix: "\x17", length: 20, format: "base58check", environment: core.AnyEnvironment}}.read,
		memo: noMemo(), shape: checkShape, retired: "its tokens moved to Neo N3 (NEO), which replaced it",
		source: "developers.neo.org, Neo Legacy: address version 23", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "OMNI", Name: "Omni Layer", OtherNames: names("OMNILAYER"), Checksum: true,
			Formats: formats("p2pkh", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "p2sh", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"),
		},
		read: base58Kinds{p2pkh("\x00"), p2sh("\x05")}.read,
		memo: noMemo(), shape: neverShape, retired: "Tether stopped redeeming USDT there in 2023; TRON (TRX) and Ethereum (ETH) replaced it",
		source: "tether.to, Supported protocols: transition of August 2023", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ONT", Name: "Ontology", OtherNames: names("ONTOLOGY"), Checksum: true,
			Formats: formats("base58check", "AXu57dhdNDnA5drqJUM2KfoMqgaLwmZwoP"),
		},
		read: base58Kinds{{prefix: "\x17", length: 20, format: "base58check", environment: core.AnyEnvironment}}.read,
		memo: noMemo(), shape: checkShape,
		source: "docs.ont.io, Account: address version 23", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "WAVES", Name: "Waves", OtherNames: names(""), Checksum: true,
			Formats: formats("base58", "3P7WTh6kLKa8pAY4ynrSHm8TN8PVrdR7M1Q"),
		},
		read: readWaves, memo: textMemo(140, false), starts: "3", least: 35, most: 36,
		source: "docs.waves.tech, Address binary format; attachment of 140 bytes", checked: "2026-11",
	},
}

// zcashKinds are the addresses of Zcash in base58check.
var zcashKinds = base58Kinds{
	p2pkh("\x1c\xb8"), p2sh("\x1c\xbd"), p2pkh("\x1d\x25").test(), p2sh("\x1c\xba").test(),
	{prefix: "\x16\x9a", length: 64, refuse: NotPayable, hint: "Sprout addresses cannot be paid since the Canopy upgrade (ZIP-211, November 2020)."},
}

// zcashPrefixes are the addresses of Zcash in bech32 and bech32m.
var zcashPrefixes = map[string]zcashPrefix{
	"zs": {"sapling", bech32Plain, core.Mainnet}, "ztestsapling": {"sapling", bech32Plain, core.Testnet},
	"u": {"unified", bech32M, core.Mainnet}, "utest": {"unified", bech32M, core.Testnet},
	"tex": {"tex", bech32M, core.Mainnet}, "textest": {"tex", bech32M, core.Testnet},
}

// unifiedSizes are the sizes of the receivers of ZIP-316 by their type: two transparent ones,
// Sapling, Orchard.
var unifiedSizes = map[int]int{0: 20, 1: 20, 2: 43, 3: 43}

// decredKinds are the addresses of Decred.
var decredKinds = base58Kinds{p2pkh("\x07\x3f"), p2sh("\x07\x1a"), p2pkh("\x0f\x21").test(), p2sh("\x0e\xfc").test()}

// tezosKinds are the addresses of Tezos, and its kinds of keys and rollups that look alike.
var tezosKinds = base58Kinds{
	{prefix: "\x06\xa1\x9f", length: 20, format: "tz1", environment: core.AnyEnvironment},
	{prefix: "\x06\xa1\xa1", length: 20, format: "tz2", environment: core.AnyEnvironment},
	{prefix: "\x06\xa1\xa4", length: 20, format: "tz3", environment: core.AnyEnvironment},
	{prefix: "\x06\xa1\xa6", length: 20, format: "tz4", environment: core.AnyEnvironment},
	{prefix: "\x02\x5a\x79", length: 20, format: "contract", environment: core.AnyEnvironment, warnings: contractLike},
	{prefix: "\x06\x7c\x75", length: 20, refuse: NotPayable, hint: "This is a smart rollup of Tezos, which cannot receive a transfer of tez."},
	{prefix: "\x0d\x0f\x25\xd9", length: 32, refuse: NotPayable, hint: "This is a public key of Tezos (edpk), not an address. Addresses start with tz or KT1."},
}
