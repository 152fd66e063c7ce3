package addresses

import (
	"causeway/core"
	"causeway/core/addresses/bech32"
)

// coinRows are the coins that took over Bitcoin's formats with versions and prefixes of their own.
// Versions of the test networks follow the versions of the main network.
var coinRows = []row{
	{
		code: "DOGE", name: "Dogecoin", aliases: "DOGECOIN",
		formats: formats(
			"p2pkh", "DHKM6NDUUv9kaHAGi1QU7MRBNKfQiAdP3F",
			"p2sh", "A7JjzK9k9x5b2MkkQzqt91WZsuu7wTu6iS",
		),
		read: bitcoinLike(versions{"\x1e", "\x16", ""}, versions{"\x71", "\xc4", ""}), shape: checkShape,
		source: "chainparams.cpp of Dogecoin Core 1.14",
	},
	{
		code: "DASH", name: "Dash",
		formats: formats(
			"p2pkh", "XoAAqv3oUYZ6xRjX3brfbf9PotrGanS6Th",
			"p2sh", "7gks9gWVmGeir7m4MhsSxMzXC2eXXAuuRD",
		),
		read: bitcoinLike(versions{"\x4c", "\x10", ""}, versions{"\x8c", "\x13", ""}), shape: checkShape,
		source: "chainparams.cpp of Dash Core 22",
	},
	{
		code: "BTG", name: "Bitcoin Gold", aliases: "BITCOIN-GOLD BITCOINGOLD",
		formats: formats(
			"p2wpkh", "btg1qtesn92ddy8m5yvypgsdtft3zj5qldj9g2u52sk",
			"p2pkh", "GSNFPRsdaM3MXrU5HW1AxgFwmUQC8HXK9F",
			"p2sh", "AQRA16uKrFpxzR17yidYtJDn2t287dc1XY",
		),
		read: bitcoinLike(versions{"\x26", "\x17", "btg"}, versions{"\x6f", "\xc4", "tbtg"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Bitcoin Gold 0.17",
	},
	{
		code: "ZEN", name: "Horizen", aliases: "HORIZEN",
		formats: formats(
			"p2pkh", "znc3p7CFNTsz1s6CceskrTxKevQLPoDK4cK",
			"p2sh", "zshX5BAgUvNgM1VoBVKZyFVVozTDjjJvRxJ",
		),
		read: bitcoinLike(versions{"\x20\x89", "\x20\x96", ""}, versions{"\x20\x98", "\x20\x92", ""}), shape: checkShape,
		source: "chainparams.cpp of zen 5",
	},
	{
		code: "KMD", name: "Komodo", aliases: "KOMODO",
		formats: formats(
			"p2pkh", "R9R5HirAzqDcWrWGiJEL115dpV3QB3hobH",
		),
		read: bitcoinLike(versions{"\x3c", "\x55", ""}, versions{}), shape: checkShape,
		source: "chainparams.cpp of Komodo",
	},
	{
		code: "RVN", name: "Ravencoin", aliases: "RAVENCOIN",
		formats: formats(
			"p2pkh", "RHoCwPc2FCQqwToYnSiAb3SrCET4zEHsbS",
			"p2sh", "rGtwTfEisPQ7k8KNggmT4kq2vHpbEV6evU",
		),
		read: bitcoinLike(versions{"\x3c", "\x7a", ""}, versions{"\x6f", "\xc4", ""}), shape: checkShape,
		source: "chainparams.cpp of Ravencoin 4",
	},
	{
		code: "FLUX", name: "Flux", aliases: "ZELCASH",
		formats: formats(
			"p2pkh", "t1XWTigDqS5Dy9McwQc752ShtZV1ffTMJB3",
			"p2sh", "t3c51GjrkUg7pUiS8bzNdTnW2hD25egWUih",
		),
		read: bitcoinLike(versions{"\x1c\xb8", "\x1c\xbd", ""}, versions{"\x1d\x25", "\x1c\xba", ""}), shape: checkShape,
		source: "chainparams.cpp of fluxd",
	},
	{
		code: "DGB", name: "DigiByte", aliases: "DIGIBYTE",
		formats: formats(
			"p2wpkh", "dgb1q3p2nf26ac6qtdrv4czh5nmp2eshfj9wyn9vv3d",
			"p2pkh", "DJ53hTyLBdZp2wMi5BsCS3rtEL1ioYUkva",
			"p2sh", "SiEgX2mSYJjVN9YGuC23uckE6BS1ZSHcGD",
		),
		read: bitcoinLike(versions{"\x1e", "\x3f", "dgb"}, versions{"\x7e", "\x8c", "dgbt"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of DigiByte Core 8",
	},
	{
		code: "QTUM", name: "Qtum",
		formats: formats(
			"p2wpkh", "qc1qn9gjawre2t6xmcv5gyqkujqhd8cfvvyx0rx2mp",
			"p2pkh", "QQYySVc5WEe3g6PnNFYmspqG5CfSG8rnma",
			"p2sh", "MCgyroQse81wuv5RwPpY5DXDNxeafzLFJ8",
		),
		read: bitcoinLike(versions{"\x3a", "\x32", "qc"}, versions{"\x78", "\x6e", "tq"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Qtum Core",
	},
	{
		code: "MONA", name: "MonaCoin", aliases: "MONACOIN",
		formats: formats(
			"p2wsh", "mona1qp8f842ywwr9h5rdxyzggex7q3trvvvaarfssxccju52rj6htfzfsqr79j2",
			"p2tr", "mona1p9twm9k0kflpzvjrzv4z05fpxtpc39e7nm4fy2q4uy6vyfgrs43pq03g3f5",
			"p2pkh", "MHxgS2XMXjeJ4if2PRRbWYcdwZPWfdwaDT",
			"p2sh", "PHjTKtgYLTJ9D2Bzw2f6xBB41KBm2HeGfg",
		),
		read:   bitcoinLike(versions{"\x32", "\x37", "mona"}, versions{"\x6f", "\x75", "tmona"}),
		shape:  checkShape | bech32Shape,
		source: "chainparams.cpp of Monacoin Core 0.20",
	},
	{
		code: "VTC", name: "Vertcoin", aliases: "VERTCOIN",
		formats: formats(
			"p2wpkh", "vtc1qhy8eqwqxpyryz4wctus36yl2uu60t0z6ecrvtc",
			"p2pkh", "VmhHwXr3J8xMZpy62WuBGpu3xVvThWzcTQ",
			"p2sh", "3PgeyhEJEnS5CeBu3iFcu3JHVKemeHx1AW",
		),
		read: bitcoinLike(versions{"\x47", "\x05", "vtc"}, versions{"\x4a", "\xc4", "tvtc"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Vertcoin Core",
	},
	{
		code: "VIA", name: "Viacoin", aliases: "VIACOIN",
		formats: formats(
			"p2wpkh", "via1qhkfq3zahaqkkzx5mjnamwjsfpq2jk7z09y9mn2",
			"p2pkh", "Vw6bJFaF5Hyiveko7dpqRjVvcTAsjz7eYa",
			"p2sh", "EYg9j8ieF6BQzS9doHnjg3Faj7SdAhfqnV",
		),
		read: bitcoinLike(versions{"\x47", "\x21", "via"}, versions{"\x7f", "\xc4", "tvia"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Viacoin Core",
	},
	{
		code: "SYS", name: "Syscoin", aliases: "SYSCOIN",
		formats: formats(
			"p2wpkh", "sys1q42jdpqq4369ze73rskkrncplcv7mtejhdkxj90",
			"p2wsh", "sys1q9twm9k0kflpzvjrzv4z05fpxtpc39e7nm4fy2q4uy6vyfgrs43pqkg5lw0",
			"p2pkh", "SdQRVkLTiYCA75o4hE4TMjMCJL8CytF31G",
			"p2sh", "328iYgjiewRTU9Zcpapt9h7ziwu5de1NEQ",
		),
		read: bitcoinLike(versions{"\x3f", "\x05", "sys"}, versions{"\x41", "\xc4", "tsys"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Syscoin Core",
	},
	{
		code: "FIRO", name: "Firo", aliases: "ZCOIN XZC",
		formats: formats(
			"p2pkh", "aJpBLBFFkxY1iGfBmZCTWQQABPqakQwWZ3",
		),
		read: bitcoinLike(versions{"\x52", "\x07", ""}, versions{"\x41", "\xb2", ""}), shape: checkShape,
		source: "chainparams.cpp of Firo",
	},
	{
		code: "PIVX", name: "PIVX",
		formats: formats(
			"p2pkh", "DDeCGR3QSgqsBxVR23bJvteiyYE34ZmxAc",
		),
		read: bitcoinLike(versions{"\x1e", "\x0d", ""}, versions{"\x8b", "\x13", ""}), shape: checkShape,
		source: "chainparams.cpp of PIVX Core 5",
	},
	{
		code: "PPC", name: "Peercoin", aliases: "PEERCOIN",
		formats: formats(
			"p2pkh", "PUULeHrJL2WujJkorc2RsUAR3SardKUauu",
			"p2sh", "pNms4CaWqgZUxbNZaA1yP2gPr3BYnez9EM",
		),
		read: bitcoinLike(versions{"\x37", "\x75", "pc"}, versions{"\x6f", "\xc4", "tpc"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Peercoin",
	},
	{
		code: "NMC", name: "Namecoin", aliases: "NAMECOIN",
		formats: formats(
			"p2wpkh", "nc1qqnwy70dsu82ua4cffqku0wr2mehpdgzszfhd0d",
			"p2pkh", "NFY9aw1RXLGtWpeqgNQXprnUcZXyKNinTh",
		),
		read: bitcoinLike(versions{"\x34", "\x0d", "nc"}, versions{"\x6f", "\xc4", "tn"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Namecoin Core",
	},
	{
		code: "XVG", name: "Verge", aliases: "VERGE",
		formats: formats(
			"p2wpkh", "vg1qujpe553lzgyg95g7k0w6zwscuy0ae022h4q4zg",
			"p2pkh", "DRyNFvJaybnF22UfMS6NR1Qav3mqxPj86E",
			"p2sh", "EHbc7j5nXzPzNHU3WL9ojCk2M57VVdZZmr",
		),
		read: bitcoinLike(versions{"\x1e", "\x21", "vg"}, versions{"\x73", "\xc6", "vt"}), shape: checkShape | bech32Shape,
		source: "chainparams.cpp of Verge",
	},
}

// versions are the version bytes and the prefix of witness programs of a coin on one of its
// networks.
type versions struct{ p2pkh, p2sh, witness string }

// bitcoinLike reads the addresses of a coin with its versions on the main and on the test network.
func bitcoinLike(main, test versions) decoder {
	c := coin{base58: base58Kinds{p2pkh(main.p2pkh), p2sh(main.p2sh)}}
	if test.p2pkh != "" {
		c.base58 = append(c.base58, p2pkh(test.p2pkh).test(), p2sh(test.p2sh).test())
	}
	if main.witness != "" {
		c.segwit = []segwitPrefix{{main.witness, core.Mainnet}, {test.witness, core.Testnet}}
	}
	return c.read
}

// cashRows are the networks with the checksum of cashaddr, and Bitcoin SV, which gave it up.
var cashRows = []row{
	{
		code: "BCH", name: "Bitcoin Cash", aliases: "BITCOIN-CASH BITCOINCASH BCHN",
		formats: formats(
			"p2pkh", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
			"p2sh", "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
			"token-p2pkh", "bitcoincash:zqzdcneakrsatnkhp9yzm3acdt0xu94q2q44v802rw",
		),
		read: cashCoin{
			prefixes: []cashPrefix{{"bitcoincash", core.Mainnet}, {"bchtest", core.Testnet}, {"bchreg", core.Testnet}}, types: 4,
			legacy: bitcoinKinds,
		}.read, starts: "1mn23bqpzrBQPZR", least: 26, most: 124,
		source: "reference.cash, CashAddr; CHIP-2022-02 (tokens), CHIP-2022-05 (32-byte scripts)",
	},
	{
		code: "XEC", name: "eCash", aliases: "ECASH",
		formats: formats(
			"p2pkh", "ecash:qqzdcneakrsatnkhp9yzm3acdt0xu94q2qtjtj6k62",
			"p2sh", "ecash:pqx578nanz2h2estzmkr53zqdg6qt8xyqvh683mrz0",
		),
		read: cashCoin{
			prefixes: []cashPrefix{{"ecash", core.Mainnet}, {"ectest", core.Testnet}, {"ecreg", core.Testnet}}, types: 2,
			legacy: bitcoinKinds,
		}.read, starts: "1mn23eqpEQP", least: 26, most: 124,
		source: "github.com/Bitcoin-ABC, doc/standards/cashaddr.md",
	},
	{
		code: "BSV", name: "Bitcoin SV", aliases: "BITCOIN-SV BITCOINSV",
		formats: formats("p2pkh", "1Ax4gZtb7gAit2TivwejZHYtNNLT18PUXJ"),
		read: base58Kinds{
			p2pkh("\x00"), p2pkh("\x6f").test(),
			p2sh("\x05").refusedAs(NotPayable, "Bitcoin SV cannot spend from script hashes since Genesis (February 2020): "+
				"what is sent there is lost."),
		}.read, shape: checkShape,
		source: "Genesis upgrade specification of Bitcoin SV",
	},
	{
		code: "KAS", name: "Kaspa", aliases: "KASPA",
		formats: formats(
			"schnorr", "kaspa:qr5ln3lfh8y323x6a2le5nraj7p334wezjc5ctt0kd6phlype9qng8tfmwmf8",
			"ecdsa", "kaspa:qypz4hdjm8myls3xfp3x2386ysn9sugjulfa65j9q27zdxzy5pc2cssv7s28g6n",
			"script", "kaspa:pq4dmvke7e8uyfjgvfj5f73yyev8zyh860w4y3gzhsnfs39qwzkyyrq472k5u",
		),
		read: readKaspa, starts: "k", least: 60, most: 90,
		source: "rusty-kaspa, crypto/addresses",
	},
}

// kaspaPrefixes are the networks of Kaspa.
var kaspaPrefixes = map[string]core.NetworkKind{
	"kaspa": core.Mainnet, "kaspatest": core.Testnet, "kaspadev": core.Testnet, "kaspasim": core.Testnet,
}

// kaspaKinds are the kinds of addresses of Kaspa by their version, with their size in bytes, the
// version included.
var kaspaKinds = map[byte]struct {
	name string
	size int
}{0: {"schnorr", 33}, 1: {"ecdsa", 34}, 8: {"script", 33}}

// base58Rows are the networks with base58 and rules that no other coin shares.
var base58Rows = []row{
	{
		code: "ZEC", name: "Zcash", aliases: "ZCASH",
		formats: formats(
			"p2pkh", "t1UYsZVJkLPeMjxEtACvSxfWuNmddpWfxzs",
			"p2sh", "t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd",
			"tex", "tex1auz6gx89x2wcku6gswdvaz2nf9x3seex6px6v0",
			"sapling", "zs1wkejr23wqa9ptpvv73ch3wr96lh8gnyx3689skmyttljy4nyfj69eyclukwkxrhr3rrkgxvnur0",
			"unified",
			"u1l8xunezsvhq8fgzfl7404m450nwnd76zshscn6nfys7vyz2ywyh4cc5daaq0c7q2su5lqfh23sp7fkf3kt27ve5948mzpfdvckzaect2jtte308mkwlycj2u0eac077wu70vqcetkxf",
		),
		read: readZcash, long: true, starts: "tuzTUZ", least: 35, most: maxBytes,
		memo: memoRule{
			MemoRule: core.MemoRule{Supported: true, Kinds: []string{kindText}, Rule: "Text of at most 512 bytes of UTF-8, " +
				"to shielded addresses (u1…, zs1…) only."},
			check: checkZcashMemo,
		},
		source: "Zcash protocol specification, Address encodings; ZIP-173, ZIP-211, ZIP-316, ZIP-320",
	},
	{
		code: "DCR", name: "Decred", aliases: "DECRED",
		formats: formats("p2pkh", "DsmcYVbP1Nmag2H4AS17UTvmWXmGeA7nLDx", "p2sh", "Dcur2mcGjmENx4DhNqDctW5wJCVyT3Qeqkx"),
		read:    readDecred, starts: "DT", least: 35, most: 36,
		source: "docs.decred.org, Addresses; chaincfg of dcrd",
	},
	{
		code: "XTZ", name: "Tezos", aliases: "TEZOS",
		formats: formats(
			"tz1", "tz1L5jKG7VjcrMgPZKD1DqmAnhURvZmitUZS", "tz2", "tz28kwHUi59yn7KFqVFqtUjRLGjSSTAFS3RH",
			"tz3", "tz3LmkEobwHXAjmZFkL6tSBo9dcxDHELxMTs", "tz4", "tz49SxD2CWht6VQRXvNwZ5A3hCsxjAgMy84B",
			"contract", "KT192UBubMc9wHtUkDWmGCTBdFp3f7Yq9Hn5",
		),
		read: tezosKinds.read, shape: checkShape,
		source: "octez.tezos.com, src/lib_crypto/base58.ml; test networks write the same",
	},
	{
		code: "NEO", name: "Neo N3", aliases: "NEO3 N3 NEON3",
		formats: formats("base58check", "NLMfou3YjbfWixFmzipBRiBkwAGMkgEfuK"),
		read:    base58Kinds{shared("\x35", 20)}.read, shape: checkShape,
		source: "developers.neo.org, Neo N3: address version 53",
	},
	{
		code: "NEOLEGACY", name: "Neo Legacy", aliases: "NEO2",
		formats: formats("base58check", "AGDaGe6uSBmEBx5BG8pcsx2A42Y4QphdX9"),
		read:    base58Kinds{shared("\x17", 20)}.read, shape: checkShape,
		retired: "its tokens moved to Neo N3 (NEO), which replaced it",
		source:  "developers.neo.org, Neo Legacy: address version 23",
	},
	{
		code: "OMNI", name: "Omni Layer", aliases: "OMNILAYER",
		formats: formats("p2pkh", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "p2sh", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"),
		read:    base58Kinds{p2pkh("\x00"), p2sh("\x05")}.read, shape: neverShape,
		retired: "Tether stopped redeeming USDT there in 2023; TRON (TRX) and Ethereum (ETH) replaced it",
		source:  "tether.to, Supported protocols: transition of August 2023",
	},
	{
		code: "ONT", name: "Ontology", aliases: "ONTOLOGY",
		formats: formats("base58check", "AXu57dhdNDnA5drqJUM2KfoMqgaLwmZwoP"),
		read:    base58Kinds{shared("\x17", 20)}.read, shape: checkShape,
		source: "docs.ont.io, Account: address version 23",
	},
	{
		code: "WAVES", name: "Waves",
		formats: formats("base58", "3P7WTh6kLKa8pAY4ynrSHm8TN8PVrdR7M1Q"),
		read:    readWaves, memo: textMemo(140, false), starts: "3", least: 35, most: 36,
		source: "docs.waves.tech, Address binary format; attachment of 140 bytes",
	},
}

// zcashKinds are the addresses of Zcash in base58check.
var zcashKinds = base58Kinds{
	p2pkh("\x1c\xb8"), p2sh("\x1c\xbd"), p2pkh("\x1d\x25").test(), p2sh("\x1c\xba").test(),
	{prefix: "\x16\x9a", length: 64, refuse: NotPayable, hint: "Sprout addresses cannot be paid since the Canopy " +
		"upgrade (ZIP-211, November 2020)."},
}

// zcashPrefixes are the addresses of Zcash in bech32 and bech32m.
var zcashPrefixes = map[string]zcashPrefix{
	"zs": {"sapling", bech32.Plain, core.Mainnet}, "ztestsapling": {"sapling", bech32.Plain, core.Testnet},
	"u": {"unified", bech32.Modified, core.Mainnet}, "utest": {"unified", bech32.Modified, core.Testnet},
	"tex": {"tex", bech32.Modified, core.Mainnet}, "textest": {"tex", bech32.Modified, core.Testnet},
}

// unifiedSizes are the sizes of the receivers of ZIP-316 by their type: two transparent ones,
// Sapling, Orchard.
var unifiedSizes = map[int]int{0: 20, 1: 20, 2: 43, 3: 43}

// decredKinds are the addresses of Decred.
var decredKinds = base58Kinds{p2pkh("\x07\x3f"), p2sh("\x07\x1a"), p2pkh("\x0f\x21").test(), p2sh("\x0e\xfc").test()}

// tezosKinds are the addresses of Tezos, and its kinds of keys and rollups that look alike.
var tezosKinds = base58Kinds{
	{prefix: "\x06\xa1\x9f", length: 20, format: "tz1", environment: core.AnyNetworkKind},
	{prefix: "\x06\xa1\xa1", length: 20, format: "tz2", environment: core.AnyNetworkKind},
	{prefix: "\x06\xa1\xa4", length: 20, format: "tz3", environment: core.AnyNetworkKind},
	{prefix: "\x06\xa1\xa6", length: 20, format: "tz4", environment: core.AnyNetworkKind},
	{prefix: "\x02\x5a\x79", length: 20, format: "contract", environment: core.AnyNetworkKind, warnings: contractLike},
	{prefix: "\x06\x7c\x75", length: 20, refuse: NotPayable, hint: "This is a smart rollup of Tezos, which cannot " +
		"receive a transfer of tez."},
	{prefix: "\x0d\x0f\x25\xd9", length: 32, refuse: NotPayable, hint: "This is a public key of Tezos (edpk), not an " +
		"address. Addresses start with tz or KT1."},
}
