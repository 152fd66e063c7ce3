package addresses

import (
	"strconv"
	"strings"

	"causeway/core"
)

// majorRows are the most used networks, apart from the Ethereum family.
var majorRows = []row{
	{
		code: "BTC", name: "Bitcoin", aliases: "BITCOIN XBT SEGWIT",
		formats: formats(
			"p2wpkh", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
			"p2tr", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
			"p2wsh", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
			"p2sh", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
			"p2pkh", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
		),
		read: coin{
			base58: bitcoinKinds,
			segwit: []segwitPrefix{{"bc", core.Mainnet}, {"tb", core.Testnet}, {"bcrt", core.Testnet}},
		}.read, shape: checkShape | bech32Shape,
		source: "BIP-13, BIP-141, BIP-173, BIP-350; chainparams.cpp of Bitcoin Core 29 (signet uses tb, regtest bcrt)",
	},
	{
		code: "TRX", name: "TRON", aliases: "TRON TRC20 TRC-20",
		formats: formats("base58check", "TDpBe64DqirkKWj6HWuR1pWgmnhw2wDacE"),
		read:    readTron, shape: checkShape,
		source: "developers.tron.network, Account: address format",
	},
	{
		code: "SOL", name: "Solana", aliases: "SOLANA SPL", unchecked: true,
		formats: formats("account", "5oNDL3swdJJF1g9DzJiZ4ynHXgszjAEpUkxVYejchzrY"),
		read:    readSolana, least: 32, most: 44,
		source: "solana.com/docs, Accounts; the cookbook's \"verify address\"",
	},
	{
		code: "XRP", name: "XRP Ledger", aliases: "RIPPLE XRPL",
		formats: formats(
			"classic", "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
			"x-address", "XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2gYsjNFQLKYW33DzBm",
		),
		read: readRipple, memo: tagMemo(), starts: "rXT", least: 25, most: 48,
		source: "xrpl.org, Base58 encodings; XLS-5d",
	},
	{
		code: "XLM", name: "Stellar", aliases: "STELLAR",
		formats: formats(
			"account", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
			"muxed", "MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ",
			"contract", "CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA",
		),
		read: readStellar, memo: stellarMemo(), starts: "GMC", least: 56, most: 69,
		source: "SEP-23; CAP-27",
	},
	{
		code: "TON", name: "TON", aliases: "TONCOIN THEOPENNETWORK GRAM",
		formats: formats(
			"non-bounceable", "UQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorhqg",
			"bounceable", "EQCKhieGGl3ZbJ2zzggHsSLaXtRzk0znVopbSxw2HLsorkdl",
		),
		read: readTON, memo: tonMemo(), starts: "EUk0", least: 48, most: 48,
		source: "TEP-2",
	},
	{
		code: "LTC", name: "Litecoin", aliases: "LITECOIN",
		formats: formats(
			"p2wpkh", "ltc1qhkfq3zahaqkkzx5mjnamwjsfpq2jk7z0tamvsu",
			"p2tr", "ltc1p9twm9k0kflpzvjrzv4z05fpxtpc39e7nm4fy2q4uy6vyfgrs43pq9nl5he",
			"p2sh", "MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441",
			"p2pkh", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9",
			"mweb",
			"ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf",
		),
		read: litecoin{coin{
			base58: base58Kinds{
				p2pkh("\x30"), p2sh("\x32"), p2sh("\x05").old("\x32"),
				p2pkh("\x6f").test(), p2sh("\x3a").test(), p2sh("\xc4").test().old("\x3a"),
			},
			segwit: []segwitPrefix{{"ltc", core.Mainnet}, {"tltc", core.Testnet}, {"rltc", core.Testnet}},
		}}.read, shape: checkShape | bech32Shape,
		source: "chainparams.cpp and key_io.cpp of Litecoin Core 0.21; LIP-2, LIP-3",
	},
}

// bitcoinKinds are the addresses of Bitcoin in base58check, which its forks kept.
var bitcoinKinds = base58Kinds{p2pkh("\x00"), p2sh("\x05"), p2pkh("\x6f").test(), p2sh("\xc4").test()}

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
var tronKinds = base58Kinds{shared("\x41", 20)}

// evmRows are the networks of the Ethereum family. Chains that write EIP-55 and nothing else are
// made by ethereumLike.
var evmRows = []row{
	ethereumLike("ETH", "Ethereum", "ETHEREUM ERC20 ERC-20 MAINNET", "ERC-55"),
	ethereumLike("BSC", "BNB Smart Chain", "BEP20 BEP-20 BNBSMARTCHAIN BNB BINANCE", "docs.bnbchain.org"),
	ethereumLike("MATIC", "Polygon PoS", "POLYGON POL", "docs.polygon.technology"),
	ethereumLike("ARBITRUM", "Arbitrum One", "ARB ARBITRUMONE", "docs.arbitrum.io"),
	ethereumLike("OPTIMISM", "OP Mainnet", "OP", "docs.optimism.io"),
	ethereumLike("BASE", "Base", "ETH-BASE", "docs.base.org"),
	ethereumLike("AVAXC", "Avalanche C-Chain", "AVALANCHE-C AVAX CCHAIN AVALANCHE", "build.avax.network"),
	ethereumLike("LINEA", "Linea", "", "docs.linea.build"),
	ethereumLike("CELO", "Celo", "", "docs.celo.org"),
	ethereumLike("ETC", "Ethereum Classic", "ETHEREUM-CLASSIC ETHEREUMCLASSIC", "ethereumclassic.org"),
	ethereumLike("S", "Sonic", "SONIC", "docs.soniclabs.com"),
	ethereumLike("FTM", "Fantom Opera", "FANTOM", "docs.fantom.foundation"),
	ethereumLike("HYPE", "HyperEVM", "HYPEREVM HYPERLIQUID", "hyperliquid.gitbook.io"),
	ethereumLike("VET", "VeChain", "VECHAIN", "docs.vechain.org"),
	ethereumLike("THETA", "Theta", "", "docs.thetatoken.org"),
	{
		code: "RBTC", name: "Rootstock", aliases: "ROOTSTOCK RSK",
		formats: formats(
			"eip1191", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD",
			"hex", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		),
		read:   evmAccount{chains: []evmChain{{"30", core.Mainnet}, {"31", core.Testnet}}}.read,
		shape:  hexShape,
		source: "ERC-1191: chain 30 is the main network, 31 the test network; wallets write EIP-55 too",
	},
	{
		code: "XDC", name: "XDC Network", aliases: "XINFIN",
		formats: formats(
			"eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
			"hex", "xdc5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		),
		read: evmAccount{alias: "xdc"}.read, starts: "0xX", least: 42, most: 43,
		source: "docs.xdc.network: xdc stands for 0x",
	},
	{
		code: "RON", name: "Ronin", aliases: "RONIN",
		formats: formats(
			"eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
			"hex", "ronin:5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		),
		read: evmAccount{alias: "ronin:"}.read, starts: "0rR", least: 42, most: 46,
		source: "docs.roninchain.com: ronin: stands for 0x",
	},
}

func ethereumLike(code, name, otherNames, source string) row {
	return row{
		code: code, name: name, aliases: otherNames,
		formats: formats(
			"eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
			"hex", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
		),
		read: evmAccount{}.read, shape: hexShape,
		source: source + "; ERC-55; test networks write the same",
	}
}

// cosmosRows are the chains of the Cosmos family. Source of the prefixes:
// github.com/cosmos/chain-registry; of the memo, x/auth of the Cosmos SDK (MaxMemoCharacters, which
// counts bytes). Test networks mostly use the prefix of the main one.
var cosmosRows = []row{
	cosmos("ATOM", "Cosmos Hub", "COSMOSHUB COSMOS", "cosmos", "", "cosmos1w508d6qejxtdg4y5r3zarvary0c5xw7k6ah60c"),
	cosmos("OSMO", "Osmosis", "OSMOSIS", "osmo", "", "osmo1w508d6qejxtdg4y5r3zarvary0c5xw7kjxy2e2"),
	cosmos("TIA", "Celestia", "CELESTIA", "celestia", "", "celestia1w508d6qejxtdg4y5r3zarvary0c5xw7kthx244"),
	cosmos("DYDX", "dYdX Chain", "", "dydx", "", "dydx1w508d6qejxtdg4y5r3zarvary0c5xw7knye700"),
	cosmos("INJ", "Injective", "INJECTIVE", "inj", "", "inj1w508d6qejxtdg4y5r3zarvary0c5xw7ks5q7aq"),
	cosmos("SEI", "Sei", "", "sei", "", "sei1w508d6qejxtdg4y5r3zarvary0c5xw7kh3xvfe"),
	cosmos("KAVA", "Kava", "", "kava", "", "kava1w508d6qejxtdg4y5r3zarvary0c5xw7kxgr8el"),
	cosmos("AXL", "Axelar", "AXELAR", "axelar", "", "axelar1w508d6qejxtdg4y5r3zarvary0c5xw7k7npjye"),
	cosmos("NTRN", "Neutron", "NEUTRON", "neutron", "", "neutron1w508d6qejxtdg4y5r3zarvary0c5xw7k7z7c4l"),
	cosmos("STRD", "Stride", "STRIDE", "stride", "", "stride1w508d6qejxtdg4y5r3zarvary0c5xw7kekhxm5"),
	cosmos("JUNO", "Juno", "", "juno", "", "juno1w508d6qejxtdg4y5r3zarvary0c5xw7kv05pgy"),
	cosmos("AKT", "Akash", "AKASH", "akash", "", "akash1w508d6qejxtdg4y5r3zarvary0c5xw7khx6akz"),
	cosmos("SCRT", "Secret Network", "SECRET", "secret", "", "secret1w508d6qejxtdg4y5r3zarvary0c5xw7kccrnjy"),
	cosmos("BAND", "Band", "", "band", "", "band1w508d6qejxtdg4y5r3zarvary0c5xw7krjhchs"),
	cosmos("FET", "Fetch.ai", "FETCH", "fetch", "", "fetch1w508d6qejxtdg4y5r3zarvary0c5xw7kfq77d0"),
	cosmos("ZETA", "ZetaChain", "ZETACHAIN", "zeta", "", "zeta1w508d6qejxtdg4y5r3zarvary0c5xw7kvee04g"),
	cosmos("CRO", "Cronos POS", "CRONOS-POS CRYPTOORG", "cro", "tcro", "cro1w508d6qejxtdg4y5r3zarvary0c5xw7kzxlrnf"),
	cosmos("LUNA", "Terra", "TERRA", "terra", "", "terra1w508d6qejxtdg4y5r3zarvary0c5xw7kued6dc"),
	cosmos("BLD", "Agoric", "AGORIC", "agoric", "", "agoric1w508d6qejxtdg4y5r3zarvary0c5xw7kgq49lw"),
	cosmos("STARS", "Stargaze", "STARGAZE", "stars", "", "stars1w508d6qejxtdg4y5r3zarvary0c5xw7kwpq8yf"),
	cosmos("DYM", "Dymension", "DYMENSION", "dym", "", "dym1w508d6qejxtdg4y5r3zarvary0c5xw7kgqmu2k"),
	cosmos("XPRT", "Persistence", "PERSISTENCE", "persistence", "", "persistence1w508d6qejxtdg4y5r3zarvary0c5xw7k533fpu"),
	cosmos("COREUM", "Coreum", "", "core", "testcore", "core1w508d6qejxtdg4y5r3zarvary0c5xw7kfn0pgr"),
	cosmos("BABY", "Babylon", "BABYLON", "bbn", "", "bbn1w508d6qejxtdg4y5r3zarvary0c5xw7kdrxtsp"),
	cosmos("INIT", "Initia", "INITIA", "init", "", "init1w508d6qejxtdg4y5r3zarvary0c5xw7k5thfy6"),
	cosmos("NOBLE", "Noble", "", "noble", "", "noble1w508d6qejxtdg4y5r3zarvary0c5xw7kj7zjhk"),
	cosmos("EVMOS", "Evmos", "", "evmos", "", "evmos1w508d6qejxtdg4y5r3zarvary0c5xw7kcux54s"),
	{
		code: "RUNE", name: "THORChain", aliases: "THORCHAIN",
		formats: formats("account", "thor1w508d6qejxtdg4y5r3zarvary0c5xw7ku6wp68"),
		read:    bech32Account{prefix: "thor", test: "sthor", size: 20}.read, memo: textMemo(250, true), shape: bech32Shape,
		source: "docs.thorchain.org; constants of THORNode (memo of 250 bytes)",
	},
	{
		code: "CACAO", name: "Maya Protocol", aliases: "MAYACHAIN MAYA",
		formats: formats("account", "maya1w508d6qejxtdg4y5r3zarvary0c5xw7kudsdvh"),
		read:    bech32Account{prefix: "maya", test: "smaya", size: 20}.read, memo: textMemo(250, true), shape: bech32Shape,
		source: "docs.mayaprotocol.com",
	},
	{
		code: "BNBBEACON", name: "BNB Beacon Chain", aliases: "BNB-BEACON BEP2 BEP-2",
		formats: formats("account", "bnb1w508d6qejxtdg4y5r3zarvary0c5xw7kcegkwk"),
		read:    bech32Account{prefix: "bnb", test: "tbnb", size: 20}.read, memo: textMemo(128, true), shape: bech32Shape,
		retired: "it was shut down at the end of 2024; BNB Smart Chain (BSC) replaced it",
		source:  "BEP-333; docs.bnbchain.org",
	},
}

// cosmos makes the row of a chain of the Cosmos family. test is the prefix of its test network
// where that has its own.
func cosmos(code, name, otherNames, prefix, test, example string) row {
	account := bech32Account{prefix: prefix, test: test, size: 20, contract: 32}
	return row{
		code: code, name: name, aliases: otherNames, formats: formats("account", example),
		read: account.read, memo: textMemo(256, true), shape: bech32Shape, starts: initials(prefix, test),
		source: "cosmos/chain-registry, " + prefix + "; ADR-028; x/auth",
	}
}

// initials are the first letters of a prefix and of the test network's prefix, in both cases.
func initials(prefix, test string) string {
	letters := prefix[:1] + test[:min(1, len(test))]
	return letters + strings.ToUpper(letters)
}

// substrateRows are the networks of the Polkadot family. Source of the prefixes:
// github.com/paritytech/ss58-registry. Test networks use the prefix of the main one, or 42.
var substrateRows = []row{
	substrate("DOT", "Polkadot", "POLKADOT", 0, "1yCsRhE6YPwqhWK2bqMHbsnXaFYVh4SeHmLr8SueBRqY8Jw"),
	substrate("KSM", "Kusama", "KUSAMA", 2, "DYXPQn2s89Q9pKEqfbQ3QQdpYY8c4KV2Asc5VjWZtcp6ouN"),
	substrate("TAO", "Bittensor", "BITTENSOR", 42, "5D2uj6SAEm8UQAVo4xnM9T3dfxFtoPWJZo2rgqTZ66QKMoWW"),
	substrate("POLYX", "Polymesh", "POLYMESH", 12, "2DR7yLC4i2tfiQMstzPdpR4tHPy59tcguaQvELAXCSZgv6sD"),
	substrate("ACA", "Acala", "ACALA", 10, "21qoTM7FwT9DQHYx5vdb4cY2zRgV3XMeXhJezxsvGjNiMcZ5"),
	substrate("ASTR", "Astar", "ASTAR", 5, "WuWAPQF1zmaczXdZGEUB7Cukzy1mcD3azXzvYfQxTQGwokf"),
	substrate("CFG", "Centrifuge", "CENTRIFUGE", 36, "4cJxB9Bjw1t7Tp51dmWCt3T5o3Q8UHjBS9i4zjbkJxqPfjB9"),
	substrate("HDX", "Hydration", "HYDRATION HYDRADX", 63, "7JZm9vodJsVjgPzY69Fr5NdZF9G4xEjEXYfccBxsp3tZGVz7"),
	substrate("ZTG", "Zeitgeist", "ZEITGEIST", 73, "dDyzMWx8YUbz6Tfi271DU9wfExTH48dFxTGXwBx2axjcyPPgk"),
}

func substrate(code, name, otherNames string, prefix uint16, example string) row {
	return row{
		code: code, name: name, aliases: otherNames, formats: formats("ss58", example),
		read: substrateAccount{prefix}.read, least: 46, most: 50,
		source: "paritytech/ss58-registry, prefix " + strconv.Itoa(int(prefix)),
	}
}
