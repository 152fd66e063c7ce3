package addresses

import "causeway/core"

// bech32Rows are the other networks with bytes in bech32 or bech32m.
var bech32Rows = []network{
	{
		Network: core.Network{
			Code: "EGLD", Name: "MultiversX", OtherNames: names("MULTIVERSX ELROND"), Checksum: true,
			Formats: formats("account", "erd1qyu5wthldzr8wx5c9ucg8kjagg0jfs53s8nr3zpz3hypefsdd8ssycr6th"),
		},
		read: bech32Kinds{{prefix: "erd", lengths: [2]int{32}, format: "account", environment: core.AnyEnvironment}}.read,
		memo: dataMemo("Data field: text in UTF-8. Few recipients need one."), shape: bech32Shape,
		source: "docs.multiversx.com, Accounts: the prefix is the same on every network", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "IOTX", Name: "IoTeX", OtherNames: names("IOTEX"), Checksum: true,
			Formats: formats("bech32", "io1w508d6qejxtdg4y5r3zarvary0c5xw7ky0jpnm", "eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
		},
		read:   orEVM{bech32Kinds{{prefix: "io", lengths: [2]int{20}, format: "bech32", environment: core.AnyEnvironment}}}.read,
		memo:   noMemo(),
		shape:  bech32Shape | hexShape,
		source: "docs.iotex.io, Account: io1 and 0x are the same account", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ONE", Name: "Harmony", OtherNames: names("HARMONY"), Checksum: true,
			Formats: formats("bech32", "one1w508d6qejxtdg4y5r3zarvary0c5xw7k4uemy8", "eip55", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
		},
		read:   orEVM{bech32Kinds{{prefix: "one", lengths: [2]int{20}, format: "bech32", environment: core.AnyEnvironment}}}.read,
		memo:   noMemo(),
		shape:  bech32Shape | hexShape,
		source: "docs.harmony.one, Address format: one1 and 0x are the same account", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ZIL", Name: "Zilliqa", OtherNames: names("ZILLIQA"), Checksum: true,
			Formats: formats("bech32", "zil1w508d6qejxtdg4y5r3zarvary0c5xw7kv67lf8"),
		},
		read:   readZilliqa,
		memo:   noMemo(),
		shape:  bech32Shape,
		source: "ZIP-1 of Zilliqa; the 0x accounts of Zilliqa 2.0 are another form that exchanges do not pay to", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "AVAXX", Name: "Avalanche X-Chain", OtherNames: names("AVALANCHE-X XCHAIN"), Checksum: true,
			Formats: formats("bech32", "X-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9"),
		},
		read: avalancheKinds("X-").read, memo: noMemo(), starts: "X", least: 43, most: 90,
		source: "build.avax.network, Cryptographic primitives: addresses", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "AVAXP", Name: "Avalanche P-Chain", OtherNames: names("AVALANCHE-P PCHAIN"), Checksum: true,
			Formats: formats("bech32", "P-avax1w508d6qejxtdg4y5r3zarvary0c5xw7k0l6nk9"),
		},
		read: avalancheKinds("P-").read, memo: noMemo(), starts: "P", least: 43, most: 90,
		source: "build.avax.network, Cryptographic primitives: addresses", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ROSE", Name: "Oasis", OtherNames: names("OASIS"), Checksum: true,
			Formats: formats("account", "oasis1qp0cnmkjl22gky6p6qeghjytt4v7dkxsrsmueweh"),
		},
		read: bech32Kinds{{prefix: "oasis", lead: "\x00", lengths: [2]int{20}, format: "account", environment: core.AnyEnvironment}}.read,
		memo: noMemo(), shape: bech32Shape,
		source: "docs.oasis.io, Staking: address, version 0", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "XCH", Name: "Chia", OtherNames: names("CHIA"), Checksum: true,
			Formats: formats("puzzle-hash", "xch1f0ryxk6qn096hefcwrdwpuph2hm24w69jnzezhkfswk0z2jar7aq5zzpfj"),
		},
		read: bech32Kinds{
			{prefix: "xch", variant: bech32M, lengths: [2]int{32}, format: "puzzle-hash", environment: core.Mainnet},
			{prefix: "txch", variant: bech32M, lengths: [2]int{32}, format: "puzzle-hash", environment: core.Testnet},
		}.read,
		memo: noMemo(), shape: bech32Shape,
		source: "docs.chia.net, Coins: addresses (bech32m)", checked: "2026-11",
	},
}

// avalancheKinds are the addresses of a chain of Avalanche that has its own alias.
func avalancheKinds(alias string) bech32Kinds {
	return bech32Kinds{
		{alias: alias, prefix: "avax", lengths: [2]int{20}, format: "bech32", environment: core.Mainnet},
		{alias: alias, prefix: "fuji", lengths: [2]int{20}, format: "bech32", environment: core.Testnet},
	}
}

// zilliqaKinds is the one kind of address of Zilliqa, the same on every network.
var zilliqaKinds = bech32Kinds{{prefix: "zil", lengths: [2]int{20}, format: "bech32", environment: core.AnyEnvironment}}
