package addresses

import "causeway/core"

// evmRows are the networks of the Ethereum family. Chains that write EIP-55 and nothing else are
// made by ethereumLike.
var evmRows = []network{
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
		Network: core.Network{
			Code: "RBTC", Name: "Rootstock", OtherNames: names("ROOTSTOCK RSK"), Checksum: true,
			Formats: formats("eip1191", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD", "hex", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"),
		},
		read:   evm{chains: []evmChain{{"30", core.Mainnet}, {"31", core.Testnet}}}.read,
		memo:   noMemo(),
		shape:  hexShape,
		source: "ERC-1191: chain 30 is the main network, 31 the test network; wallets write EIP-55 too", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XDC", Name: "XDC Network", OtherNames: names("XINFIN"), Checksum: true,
			Formats: formats("eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "hex", "xdc5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"),
		},
		read: evm{alias: "xdc"}.read, memo: noMemo(), starts: "0xX", least: 42, most: 43,
		source: "docs.xdc.network: xdc stands for 0x", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "RON", Name: "Ronin", OtherNames: names("RONIN"), Checksum: true,
			Formats: formats("eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "hex", "ronin:5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"),
		},
		read: evm{alias: "ronin:"}.read, memo: noMemo(), starts: "0rR", least: 42, most: 46,
		source: "docs.roninchain.com: ronin: stands for 0x", checked: "2026-11",
	},
}

func ethereumLike(code, name, otherNames, source string) network {
	return network{
		Network: core.Network{
			Code: code, Name: name, OtherNames: names(otherNames), Checksum: true,
			Formats: formats("eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "hex", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"),
		},
		read: evm{}.read, memo: noMemo(), shape: hexShape,
		source: source + "; ERC-55; test networks write the same", checked: "2026-11",
	}
}
