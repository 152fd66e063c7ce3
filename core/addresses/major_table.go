package addresses

import "causeway/core"

// majorRows are the most used networks, apart from the Ethereum family.
var majorRows = []network{
	{
		Network: core.Network{
			Code: "BTC", Name: "Bitcoin", OtherNames: names("BITCOIN XBT SEGWIT"), Checksum: true,
			Formats: formats(
				"p2wpkh", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
				"p2tr", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
				"p2wsh", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
				"p2sh", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
				"p2pkh", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
			),
		},
		read: coin{
			base58: base58Kinds{p2pkh("\x00"), p2sh("\x05"), p2pkh("\x6f").test(), p2sh("\xc4").test()},
			segwit: []segwitPrefix{{"bc", core.Mainnet}, {"tb", core.Testnet}, {"bcrt", core.Testnet}},
		}.read,
		memo: noMemo(), shape: checkShape | bech32Shape,
		source: "BIP-13, BIP-141, BIP-173, BIP-350; chainparams.cpp of Bitcoin Core 29 (signet uses tb, regtest bcrt)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "TRX", Name: "TRON", OtherNames: names("TRON TRC20 TRC-20"), Checksum: true,
			Formats: formats("base58check", "TDpBe64DqirkKWj6HWuR1pWgmnhw2wDacE"),
		},
		read: readTron, memo: noMemo(), shape: checkShape,
		source: "developers.tron.network, Account: address format", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "SOL", Name: "Solana", OtherNames: names("SOLANA SPL"),
			Formats: formats("account", "5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzrY"),
		},
		read: readSolana, memo: noMemo(), least: 32, most: 44,
		source: "solana.com/docs, Accounts; the cookbook's \"verify address\"", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XRP", Name: "XRP Ledger", OtherNames: names("RIPPLE XRPL"), Checksum: true,
			Formats: formats(
				"classic", "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
				"x-address", "XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2gYsjNFQLKYW33DzBm",
			),
		},
		read: readRipple, memo: tagMemo(), starts: "rXT", least: 25, most: 48,
		source: "xrpl.org, Base58 encodings; XLS-5d", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XLM", Name: "Stellar", OtherNames: names("STELLAR"), Checksum: true,
			Formats: formats(
				"account", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
				"muxed", "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ",
				"contract", "CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA",
			),
		},
		read: readStellar, memo: stellarMemo(), starts: "GMC", least: 56, most: 69,
		source: "SEP-23; CAP-27", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "TON", Name: "TON", OtherNames: names("TONCOIN THEOPENNETWORK GRAM"), Checksum: true,
			Formats: formats(
				"non-bounceable", "UQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorhqg",
				"bounceable", "EQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorkdl",
			),
		},
		read: readTON, memo: tonMemo(), starts: "EUk0", least: 48, most: 48,
		source: "TEP-2", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "LTC", Name: "Litecoin", OtherNames: names("LITECOIN"), Checksum: true,
			Formats: formats(
				"p2wpkh", "ltc1qhkfq3zahaqkkzx5mjnamwjsfpq2jk7z0tamvsu",
				"p2tr", "ltc1p9twm9k0kflpzvjrzv4z05fpxtpc39e7nm4fy2q4uy6vyfgrs43pq9nl5he",
				"p2sh", "MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441",
				"p2pkh", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9",
				"mweb", "ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf",
			),
		},
		read: litecoin{coin{
			base58: base58Kinds{
				p2pkh("\x30"), p2sh("\x32"), p2sh("\x05").old("\x32"),
				p2pkh("\x6f").test(), p2sh("\x3a").test(), p2sh("\xc4").test().old("\x3a"),
			},
			segwit: []segwitPrefix{{"ltc", core.Mainnet}, {"tltc", core.Testnet}, {"rltc", core.Testnet}},
		}}.read,
		memo: noMemo(), shape: checkShape | bech32Shape,
		source: "chainparams.cpp and key_io.cpp of Litecoin Core 0.21; LIP-2, LIP-3", checked: "2026-11",
	},
}

// solanaPrograms are well-known accounts of Solana that are no wallets: programs, the wrapped SOL,
// the largest tokens. Source: solana.com/docs, 2026-11.
var solanaPrograms = map[string]warnings{
	"11111111111111111111111111111111":             contractLike,
	"1nc1nerator11111111111111111111111111111111":  burnAddress,
	"So11111111111111111111111111111111111111112":  contractLike,
	"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA":  contractLike,
	"TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb":  contractLike,
	"ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL": contractLike,
	"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": contractLike,
	"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB": contractLike,
}

// tronKinds is the one kind of address of TRON.
var tronKinds = base58Kinds{{prefix: "\x41", length: 20, format: "base58check", environment: core.AnyEnvironment}}
