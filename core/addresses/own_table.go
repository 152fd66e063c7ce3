package addresses

import "causeway/core"

// ownRows are the remaining networks with a format of their own and a checksum in it.
var ownRows = []network{
	{
		Network: core.Network{
			Code: "FIL", Name: "Filecoin", OtherNames: names("FILECOIN"), Checksum: true,
			Formats: formats(
				"f1", "f1xtwapqc6nh4si2hcwpr3656iotzmlwumogqbuaa", "f2", "f2gfvuyh7v2sx3patm5k23wdzmhyhtmqctasbr23y",
				"f3", "f3u5zgwa4ael3vuocgc5mfgygo4yuqocrntuuhcklf4xzg5tcaqwbyfabxetwtj4tsam3pbhnwghyhijr5mixa", "f0", "f01024",
			),
		},
		read: readFilecoin, memo: noMemo(), starts: "ft", least: 3, most: 120,
		source: "spec.filecoin.io, Address; FIP-48 (f4)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ICP", Name: "Internet Computer", OtherNames: names("DFINITY"), Checksum: true,
			Formats: formats(
				"account-id", "6c5066261553064a8d4fa8f30fa9d587d9887bce69601cdb5b6cac8780fc8899",
				"principal", "mglk4-25zez-he5uh-lsy2a-bontn-pfarj-offxd-5teb2-icnpp-scmni-zae",
			),
		},
		read: readICP, memo: numberMemo(64, true, "A whole number from 0 to 18446744073709551615, digits only."), least: 11, most: 64, keys: prefixedKeys,
		source: "internetcomputer.org, Ledger: account identifiers; the interface specification of principals", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "MINA", Name: "Mina", OtherNames: names("MINAPROTOCOL"), Checksum: true,
			Formats: formats("base58check", "B62qjteidnxC4Np4H9TL2ETjJUQRNz8GHwxGunoqqcenLcCgsEr2gjd"),
		},
		read: readMina, memo: textMemo(32, true), shape: checkShape,
		source: "docs.minaprotocol.com; RFC 0024 (memo of 32 bytes)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "CSPR", Name: "Casper", OtherNames: names("CASPER"), Checksum: true,
			Formats: formats(
				"public-key", "016470AE57b0a3aD5A679d2e0422909Bfb9dEd445e20cbE6B4c9806f844c94d401",
				"account-hash", "account-hash-2addb2d9f64fc22648626544fa2426587112e7d3dd524502bc269844a070ac42",
			),
		},
		read: readCasper, memo: numberMemo(64, true, "Transfer id: a whole number from 0 to 18446744073709551615, digits only."), starts: "0a", least: 66, most: 77, keys: prefixedKeys,
		source: "docs.casper.network, Accounts; CEP-57", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "ERG", Name: "Ergo", OtherNames: names("ERGO"), Checksum: true,
			Formats: formats("p2pk", "9eYMpbGgBf42bCcnB2nG3wQdqPzpCCw5eB1YaWUUen9uCaW3wwm"),
		},
		read: readErgo, memo: noMemo(), least: 30, most: maxBase58,
		source: "docs.ergoplatform.com, Address encoding", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "AE", Name: "æternity", OtherNames: names("AETERNITY"), Checksum: true,
			Formats: formats("base58check", "ak_22ZPJTLbSDpAUfJbBJvqvXFuFe2RoP1ZEd7K9qaHJWF92MgnWm"),
		},
		read: readAeternity, memo: noMemo(), starts: "a", least: 35, most: 56,
		source: "docs.aeternity.com, API encoding", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "NIM", Name: "Nimiq", OtherNames: names("NIMIQ"), Checksum: true,
			Formats: formats("user-friendly", "NQ862H8FYGU5RM77QSN9LYLHC56ACYYR0MLA"),
		},
		read: readNimiq, memo: textMemo(64, false), starts: "N", least: 36, most: 44, spaced: true,
		source: "nimiq.com/developers, Addresses; extra data of 64 bytes", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "SC", Name: "Sia", OtherNames: names("SIA SIACOIN"), Checksum: true,
			Formats: formats("account", "1acc2bc035b6606bd612b6114efea1102bd4499c0edf559469de7f40076f1c54e4eed3c5f1ac"),
		},
		read: readSia, memo: noMemo(), least: 76, most: 76,
		source: "types.UnlockHash of siad", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "CKB", Name: "Nervos CKB", OtherNames: names("NERVOS"), Checksum: true,
			Formats: formats(
				"full", "ckb1qq4dmvke7e8uyfjgvfj5f73yyev8zyh860w4y3gzhsnfs39qwzkyyqt4remwsxv3jm29f9qughgm8ger79pnh4sthefj3",
				"short", "ckb1qyqvfdgvtjxswncx8mq2wl0dp6hlp7nmvhdqcecnt6",
			),
		},
		read: readNervos, memo: noMemo(), shape: bech32Shape,
		source: "RFC 21 of nervosnetwork/rfcs", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "CFX", Name: "Conflux Core", OtherNames: names("CONFLUX"), Checksum: true,
			Formats: formats("user", "cfx:aamr2x370du7nx01bfec5v72rntg6fzamar60euu6h"),
		},
		read: readConflux, memo: noMemo(), starts: "cC", least: 46, most: 65,
		source: "CIP-37", checked: "2026-11",
	},
}

// confluxPrefixes are the networks of Conflux Core Space.
var confluxPrefixes = map[string]core.Environment{"cfx": core.Mainnet, "cfxtest": core.Testnet}

// confluxKinds are the kinds of accounts by the first four bits.
var confluxKinds = map[byte]string{0: "builtin", 1: "user", 8: "contract"}

// minaKinds is the one kind of address of Mina.
var minaKinds = base58Kinds{{prefix: "\xcb\x01\x01", length: 33, format: "base58check", environment: core.AnyEnvironment}}

// aeternityKinds is the one kind of address of æternity, after ak_.
var aeternityKinds = base58Kinds{{length: 32, format: "base58check", environment: core.AnyEnvironment}}
