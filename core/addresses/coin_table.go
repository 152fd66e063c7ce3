package addresses

import "causeway/core"

// coinRows are the coins that took over Bitcoin's formats with versions and prefixes of their own.
// Versions of the test networks follow those of the main one.
var coinRows = []network{
	bitcoinLike(
		"DOGE", "Dogecoin", "DOGECOIN",
		versions{"\x1e", "\x16", ""}, versions{"\x71", "\xc4", ""},
		formats(
			"p2pkh", "DHKM6NDUUv9kaHAGi1QU7MRBNKfQiAdP3F",
			"p2sh", "A7JjzK9k9x5b2MkkQzqt91WZsuu7wTu6iS",
		), "chainparams.cpp of Dogecoin Core 1.14",
	),
	bitcoinLike(
		"DASH", "Dash", "",
		versions{"\x4c", "\x10", ""}, versions{"\x8c", "\x13", ""},
		formats(
			"p2pkh", "XoAAqv3oUYZ6xRjX3brfbf9PotrGanS6Th",
			"p2sh", "7gks9gWVmGeir7m4MhsSxMzXC2eXXAuuRD",
		), "chainparams.cpp of Dash Core 22",
	),
	bitcoinLike(
		"BTG", "Bitcoin Gold", "BITCOIN-GOLD BITCOINGOLD",
		versions{"\x26", "\x17", "btg"}, versions{"\x6f", "\xc4", "tbtg"},
		formats(
			"p2wpkh", "btg1qtesn92ddy8m5yvypgsdtft3zj5qldj9g2u52sk",
			"p2pkh", "GSNFPRsdaM3MXrU5HW1AxgFwmUQC8HXK9F",
			"p2sh", "AQRA16uKrFpxzR17yidYtJDn2t287dc1XY",
		), "chainparams.cpp of Bitcoin Gold 0.17",
	),
	bitcoinLike(
		"ZEN", "Horizen", "HORIZEN",
		versions{"\x20\x89", "\x20\x96", ""}, versions{"\x20\x98", "\x20\x92", ""},
		formats(
			"p2pkh", "znc3p7CFNTsz1s6CceskrTxKevQLPoDK4cK",
			"p2sh", "zshX5BAgUvNgM1VoBVKZyFVVozTDjjJvRxJ",
		), "chainparams.cpp of zen 5",
	),
	bitcoinLike(
		"KMD", "Komodo", "KOMODO",
		versions{"\x3c", "\x55", ""}, versions{},
		formats(
			"p2pkh", "R9R5HirAzqDcWrWGiJEL115dpV3QB3hobH",
		), "chainparams.cpp of Komodo",
	),
	bitcoinLike(
		"RVN", "Ravencoin", "RAVENCOIN",
		versions{"\x3c", "\x7a", ""}, versions{"\x6f", "\xc4", ""},
		formats(
			"p2pkh", "RHoCwPc2FCQqwToYnSiAb3SrCET4zEHsbS",
			"p2sh", "rGtwTfEisPQ7k8KNggmT4kq2vHpbEV6evU",
		), "chainparams.cpp of Ravencoin 4",
	),
	bitcoinLike(
		"FLUX", "Flux", "ZELCASH",
		versions{"\x1c\xb8", "\x1c\xbd", ""}, versions{"\x1d\x25", "\x1c\xba", ""},
		formats(
			"p2pkh", "t1XWTigDqS5Dy9McwQc752ShtZV1ffTMJB3",
			"p2sh", "t3c51GjrkUg7pUiS8bzNdTnW2hD25egWUih",
		), "chainparams.cpp of fluxd",
	),
	bitcoinLike(
		"DGB", "DigiByte", "DIGIBYTE",
		versions{"\x1e", "\x3f", "dgb"}, versions{"\x7e", "\x8c", "dgbt"},
		formats(
			"p2wpkh", "dgb1q3p2nf26ac6qtdrv4czh5nmp2eshfj9wyn9vv3d",
			"p2pkh", "DJ53hTyLBdZp2wMi5BsCS3rtEL1ioYUkva",
			"p2sh", "SiEgX2mSYJjVN9YGuC23uckE6BS1ZSHcGD",
		), "chainparams.cpp of DigiByte Core 8",
	),
	bitcoinLike(
		"QTUM", "Qtum", "",
		versions{"\x3a", "\x32", "qc"}, versions{"\x78", "\x6e", "tq"},
		formats(
			"p2wpkh", "qc1qn9gjawre2t6xmcv5gyqkujqhd8cfvvyx0rx2mp",
			"p2pkh", "QQYySVc5WEe3g6PnNFYmspqG5CfSG8rnma",
			"p2sh", "MCgyroQse81wuv5RwPpY5DXDNxeafzLFJ8",
		), "chainparams.cpp of Qtum Core",
	),
	bitcoinLike(
		"MONA", "MonaCoin", "MONACOIN",
		versions{"\x32", "\x37", "mona"}, versions{"\x6f", "\x75", "tmona"},
		formats(
			"p2wsh", "mona1qp8f842ywwr9h5rdxyzggex7q3trvvvaarfssxccju52rj6htfzfsqr79j2",
			"p2tr", "mona1p9twm9k0kflpzvjrzv4z05fpxtpc39e7nm4fy2q4uy6vyfgrs43pq03g3f5",
			"p2pkh", "MHxgS2XMXjeJ4if2PRRbWYcdwZPWfdwaDT",
			"p2sh", "PHjTKtgYLTJ9D2Bzw2f6xBB41KBm2HeGfg",
		), "chainparams.cpp of Monacoin Core 0.20",
	),
	bitcoinLike(
		"VTC", "Vertcoin", "VERTCOIN",
		versions{"\x47", "\x05", "vtc"}, versions{"\x4a", "\xc4", "tvtc"},
		formats(
			"p2wpkh", "vtc1qhy8eqwqxpyryz4wctus36yl2uu60t0z6ecrvtc",
			"p2pkh", "VmhHwXr3J8xMZpy62WuBGpu3xVvThWzcTQ",
			"p2sh", "3PgeyhEJEnS5CeBu3iFcu3JHVKemeHx1AW",
		), "chainparams.cpp of Vertcoin Core",
	),
	bitcoinLike(
		"VIA", "Viacoin", "VIACOIN",
		versions{"\x47", "\x21", "via"}, versions{"\x7f", "\xc4", "tvia"},
		formats(
			"p2wpkh", "via1qhkfq3zahaqkkzx5mjnamwjsfpq2jk7z09y9mn2",
			"p2pkh", "Vw6bJFaF5Hyiveko7dpqRjVvcTAsjz7eYa",
			"p2sh", "EYg9j8ieF6BQzS9doHnjg3Faj7SdAhfqnV",
		), "chainparams.cpp of Viacoin Core",
	),
	bitcoinLike(
		"SYS", "Syscoin", "SYSCOIN",
		versions{"\x3f", "\x05", "sys"}, versions{"\x41", "\xc4", "tsys"},
		formats(
			"p2wpkh", "sys1q42jdpqq4369ze73rskkrncplcv7mtejhdkxj90",
			"p2wsh", "sys1q9twm9k0kflpzvjrzv4z05fpxtpc39e7nm4fy2q4uy6vyfgrs43pqkg5lw0",
			"p2pkh", "SdQRVkLTiYCA75o4hE4TMjMCJL8CytF31G",
			"p2sh", "328iYgjiewRTU9Zcpapt9h7ziwu5de1NEQ",
		), "chainparams.cpp of Syscoin Core",
	),
	bitcoinLike(
		"FIRO", "Firo", "ZCOIN XZC",
		versions{"\x52", "\x07", ""}, versions{"\x41", "\xb2", ""},
		formats(
			"p2pkh", "aJpBLBFFkxY1iGfBmZCTWQQABPqakQwWZ3",
		), "chainparams.cpp of Firo",
	),
	bitcoinLike(
		"PIVX", "PIVX", "",
		versions{"\x1e", "\x0d", ""}, versions{"\x8b", "\x13", ""},
		formats(
			"p2pkh", "DDeCGR3QSgqsBxVR23bJvteiyYE34ZmxAc",
		), "chainparams.cpp of PIVX Core 5",
	),
	bitcoinLike(
		"PPC", "Peercoin", "PEERCOIN",
		versions{"\x37", "\x75", "pc"}, versions{"\x6f", "\xc4", "tpc"},
		formats(
			"p2pkh", "PUULeHrJL2WujJkorc2RsUAR3SardKUauu",
			"p2sh", "pNms4CaWqgZUxbNZaA1yP2gPr3BYnez9EM",
		), "chainparams.cpp of Peercoin",
	),
	bitcoinLike(
		"NMC", "Namecoin", "NAMECOIN",
		versions{"\x34", "\x0d", "nc"}, versions{"\x6f", "\xc4", "tn"},
		formats(
			"p2wpkh", "nc1qqnwy70dsu82ua4cffqku0wr2mehpdgzszfhd0d",
			"p2pkh", "NFY9aw1RXLGtWpeqgNQXprnUcZXyKNinTh",
		), "chainparams.cpp of Namecoin Core",
	),
	bitcoinLike(
		"XVG", "Verge", "VERGE",
		versions{"\x1e", "\x21", "vg"}, versions{"\x73", "\xc6", "vt"},
		formats(
			"p2wpkh", "vg1qujpe553lzgyg95g7k0w6zwscuy0ae022h4q4zg",
			"p2pkh", "DRyNFvJaybnF22UfMS6NR1Qav3mqxPj86E",
			"p2sh", "EHbc7j5nXzPzNHU3WL9ojCk2M57VVdZZmr",
		), "chainparams.cpp of Verge",
	),
}

// versions are the version bytes and the prefix of witness programs of a coin on one of its
// networks.
type versions struct{ p2pkh, p2sh, witness string }

func bitcoinLike(code, name, otherNames string, main, test versions, list []core.NetworkFormat, source string) network {
	c := coin{base58: base58Kinds{p2pkh(main.p2pkh), p2sh(main.p2sh)}}
	if test.p2pkh != "" {
		c.base58 = append(c.base58, p2pkh(test.p2pkh).test(), p2sh(test.p2sh).test())
	}
	shape := checkShape
	if main.witness != "" {
		shape |= bech32Shape
		c.segwit = []segwitPrefix{{main.witness, core.Mainnet}, {test.witness, core.Testnet}}
	}
	return network{
		Network: core.Network{Code: code, Name: name, OtherNames: names(otherNames), Checksum: true, Formats: list},
		read:    c.read, memo: noMemo(), shape: shape, source: source, checked: "2026-11",
	}
}
