package addresses

import "causeway/core"

// cashRows are the networks with the checksum of cashaddr, and Bitcoin SV, which gave it up.
var cashRows = []network{
	{
		Network: core.Network{
			Code: "BCH", Name: "Bitcoin Cash", OtherNames: names("BITCOIN-CASH BITCOINCASH BCHN"), Checksum: true,
			Formats: formats(
				"p2pkh", "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
				"p2sh", "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
				"token-p2pkh", "bitcoincash:zqzdcneakrsatnkhp9yzm3acdt0xu94q2q44v802rw",
			),
		},
		read: cashaddr{
			prefixes: []cashPrefix{{"bitcoincash", core.Mainnet}, {"bchtest", core.Testnet}, {"bchreg", core.Testnet}}, types: 4,
			legacy: base58Kinds{p2pkh("\x00"), p2sh("\x05"), p2pkh("\x6f").test(), p2sh("\xc4").test()},
		}.read,
		memo: noMemo(), starts: "1mn23bqpzrBQPZR", least: 26, most: 124,
		source: "reference.cash, CashAddr; CHIP-2022-02 (tokens), CHIP-2022-05 (32-byte scripts)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XEC", Name: "eCash", OtherNames: names("ECASH"), Checksum: true,
			Formats: formats(
				"p2pkh", "ecash:qqzdcneakrsatnkhp9yzm3acdt0xu94q2qtjtj6k62",
				"p2sh", "ecash:pqx578nanz2h2estzmkr53zqdg6qt8xyqvh683mrz0",
			),
		},
		read: cashaddr{
			prefixes: []cashPrefix{{"ecash", core.Mainnet}, {"ectest", core.Testnet}, {"ecreg", core.Testnet}}, types: 2,
			legacy: base58Kinds{p2pkh("\x00"), p2sh("\x05"), p2pkh("\x6f").test(), p2sh("\xc4").test()},
		}.read,
		memo: noMemo(), starts: "1mn23eqpEQP", least: 26, most: 124,
		source: "github.com/Bitcoin-ABC, doc/standards/cashaddr.md", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "BSV", Name: "Bitcoin SV", OtherNames: names("BITCOIN-SV BITCOINSV"), Checksum: true,
			Formats: formats("p2pkh", "1Ax4gZtb7gAit2TivwejZHYtNNLT18PUXJ"),
		},
		read: base58Kinds{
			p2pkh("\x00"), p2pkh("\x6f").test(),
			p2sh("\x05").refusedAs(NotPayable, "Bitcoin SV cannot spend from script hashes since Genesis (February 2020): what is sent there is lost."),
		}.read,
		memo: noMemo(), shape: checkShape,
		source: "Genesis upgrade specification of Bitcoin SV", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "KAS", Name: "Kaspa", OtherNames: names("KASPA"), Checksum: true,
			Formats: formats(
				"schnorr", "kaspa:qr5ln3lfh8y323x6a2le5nraj7p334wezjc5ctt0kd6phlype9qng8tfmwmf8",
				"ecdsa", "kaspa:qypz4hdjm8myls3xfp3x2386ysn9sugjulfa65j9q27zdxzy5pc2cssv7s28g6n",
				"script", "kaspa:pq4dmvke7e8uyfjgvfj5f73yyev8zyh860w4y3gzhsnfs39qwzkyyrq472k5u",
			),
		},
		read: readKaspa, memo: noMemo(), starts: "k", least: 60, most: 90,
		source: "rusty-kaspa, crypto/addresses", checked: "2026-11",
	},
}

// kaspaPrefixes are the networks of Kaspa.
var kaspaPrefixes = map[string]core.Environment{
	"kaspa": core.Mainnet, "kaspatest": core.Testnet, "kaspadev": core.Testnet, "kaspasim": core.Testnet,
}

// kaspaKinds are the kinds of addresses of Kaspa by their version, with their size in bytes, the
// version included.
var kaspaKinds = map[byte]struct {
	name string
	size int
}{0: {"schnorr", 33}, 1: {"ecdsa", 34}, 8: {"script", 33}}
