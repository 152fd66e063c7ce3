package addresses

import "causeway/core"

// plainRows are the networks whose addresses have no checksum: a typing mistake is an address too.
var plainRows = []network{
	{
		Network: core.Network{
			Code: "APT", Name: "Aptos", OtherNames: names("APTOS"),
			Formats: formats("account", "0x2addb2d9f64fc22648626544fa2426587112e7d3dd524502bc269844a070ac42", "special", "0x1"),
		},
		read: move{short: true}.read, memo: noMemo(), starts: "0", least: 66, most: 66, keys: noKeys,
		source: "AIP-40", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "SUI", Name: "Sui", OtherNames: names("SUINETWORK"),
			Formats: formats("account", "0x21dcef5bbc5ec6d1789e8b92d3cb2c4d6855da09bd8197f8b256ca15714a7c47"),
		},
		read: move{}.read, memo: noMemo(), starts: "0", least: 66, most: 66, keys: noKeys,
		source: "docs.sui.io, Address", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "NEAR", Name: "NEAR", OtherNames: names("NEARPROTOCOL"), Checksum: false,
			Formats: formats(
				"implicit", "917b3d268d4b58f7fec1b150bd68d69be3ee5d4cc39855e341538465bb77860d",
				"named", "alice.near", "eth-implicit", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
			),
		},
		read: readNEAR, memo: noMemo(), named: true, least: 2, most: 64, keys: prefixedKeys,
		source: "nomicon.io, Account ID; NEP-518", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "IOTA", Name: "IOTA", OtherNames: names("IOTAREBASED"),
			Formats: formats("account", "0x53e4567ccafa5f36ce84c80aa8bc9be64e0d5ae796884274aef3005ae6733809"),
		},
		read: move{}.read, memo: noMemo(), starts: "0", least: 66, most: 66, keys: noKeys,
		source: "docs.iota.org, Address (since Rebased, May 2025)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "STRK", Name: "Starknet", OtherNames: names("STARKNET"),
			Formats: formats("felt", "0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"),
		},
		read: readStarknet, memo: noMemo(), starts: "0", least: 62, most: 66, keys: noKeys,
		source: "docs.starknet.io, Contract address", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "HBAR", Name: "Hedera", OtherNames: names("HEDERA"), Checksum: true,
			Formats: formats("account", "0.0.123-vfmkw", "evm-alias", "0x5891906fef64a5ae924c7fc5ed48c0f64a55fce1"),
		},
		read: readHedera, memo: textMemo(100, true), starts: "0123456789", least: 5, most: 66,
		source: "HIP-15, HIP-583; TransactionBody.memo (100 bytes)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "EOS", Name: "EOS (Vaulta)", OtherNames: names("VAULTA"),
			Formats: formats("name", "binancecleos"),
		},
		read: readAntelope, memo: textMemo(256, true), shape: neverShape, named: true,
		source: "name.hpp of Antelope; eosio.token (memo of 256 bytes)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "WAXP", Name: "WAX", OtherNames: names("WAX"),
			Formats: formats("name", "abcdefghijkl"),
		},
		read: readAntelope, memo: textMemo(256, true), shape: neverShape, named: true,
		source: "name.hpp of Antelope; eosio.token (memo of 256 bytes)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "FLOW", Name: "Flow", OtherNames: names("FLOWBLOCKCHAIN"),
			Formats: formats("account", "0xf233dcee88fe0abe"),
		},
		read: hexAccount{prefixes: []string{"0x"}, digits: 16, hint: "An address of Flow is 0x and 16 hexadecimal digits."}.read,
		memo: noMemo(), starts: "0", least: 18, most: 18,
		source: "developers.flow.com, Accounts; the linear code of the numbers is not asked", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ICX", Name: "ICON", OtherNames: names("ICON"),
			Formats: formats("account", "hx4728fc65c31728f0d3538b8783b5394b31a136b9", "contract", "cxa4524257b3511fb9574009785c1f1e73cf4097e7"),
		},
		read: hexAccount{prefixes: []string{"hx", "cx"}, digits: 40, lower: true, hint: "An address of ICON is hx and 40 hexadecimal digits."}.read,
		memo: noMemo(), starts: "hc", least: 42, most: 42,
		source: "docs.icon.community, Accounts", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "AION", Name: "Aion", OtherNames: names("THEOAN"),
			Formats: formats("account", "0xa0c24fbbecf42184d1ca8e9401ddaa2a99f69f3560e3d6c673de3c8a0be2a8eb"),
		},
		read: hexAccount{prefixes: []string{"0xa0"}, digits: 62, hint: "An address of Aion is 0xa0 and 62 hexadecimal digits."}.read,
		memo: noMemo(), starts: "0", least: 66, most: 66, keys: noKeys,
		source: "docs.theoan.com, Accounts", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "AR", Name: "Arweave", OtherNames: names("ARWEAVE"),
			Formats: formats("base64url", "Kt2y2fZPwiZIYmVE-iQmWHES59PdUkUCvCaYRKBwrEI"),
		},
		read: readArweave, memo: noMemo(), least: 43, most: 43,
		source: "docs.arweave.org, Key format", checked: "2026-11",
	},
}

// antelopeSystem are the system accounts of EOS and WAX.
var antelopeSystem = map[string]warnings{
	"eosio": reservedName, "eosio.token": reservedName, "eosio.null": burnAddress, "eosio.ram": reservedName,
	"eosio.stake": reservedName, "eosio.names": reservedName, "core.vaulta": reservedName,
}
