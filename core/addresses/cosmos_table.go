package addresses

import (
	"strings"

	"causeway/core"
)

// cosmosRows are the chains of the Cosmos family. Source of the prefixes:
// github.com/cosmos/chain-registry; of the memo, x/auth of the Cosmos SDK (MaxMemoCharacters, which
// counts bytes). Test networks mostly use the prefix of the main one.
var cosmosRows = []network{
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
		Network: core.Network{
			Code: "RUNE", Name: "THORChain", OtherNames: names("THORCHAIN"), Checksum: true,
			Formats: formats("account", "thor1w508d6qejxtdg4y5r3zarvary0c5xw7ku6wp68"),
		},
		read: bech32Kinds{
			{prefix: "thor", lengths: [2]int{20}, format: "account", environment: core.Mainnet},
			{prefix: "sthor", lengths: [2]int{20}, format: "account", environment: core.Testnet},
		}.read,
		memo: textMemo(250, true), shape: bech32Shape, source: "docs.thorchain.org; constants of THORNode (memo of 250 bytes)", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "CACAO", Name: "Maya Protocol", OtherNames: names("MAYACHAIN MAYA"), Checksum: true,
			Formats: formats("account", "maya1w508d6qejxtdg4y5r3zarvary0c5xw7kudsdvh"),
		},
		read: bech32Kinds{
			{prefix: "maya", lengths: [2]int{20}, format: "account", environment: core.Mainnet},
			{prefix: "smaya", lengths: [2]int{20}, format: "account", environment: core.Testnet},
		}.read,
		memo: textMemo(250, true), shape: bech32Shape, source: "docs.mayaprotocol.com", checked: "2026-11",
	},
	{
		Network: core.Network{
			Code: "BNBBEACON", Name: "BNB Beacon Chain", OtherNames: names("BNB-BEACON BEP2 BEP-2"), Checksum: true,
			Formats: formats("account", "bnb1w508d6qejxtdg4y5r3zarvary0c5xw7kcegkwk"),
		},
		read: bech32Kinds{
			{prefix: "bnb", lengths: [2]int{20}, format: "account", environment: core.Mainnet},
			{prefix: "tbnb", lengths: [2]int{20}, format: "account", environment: core.Testnet},
		}.read,
		memo: textMemo(128, true), shape: bech32Shape, retired: "it was shut down at the end of 2024; BNB Smart Chain (BSC) replaced it",
		source: "BEP-333; docs.bnbchain.org", checked: "2026-11",
	},
}

// cosmos makes the row of a chain of the Cosmos family. test is the prefix of its test network
// where that has its own.
func cosmos(code, name, otherNames, prefix, test, example string) network {
	kinds := bech32Kinds{{prefix: prefix, lengths: [2]int{20, 32}, format: "account", environment: core.Mainnet}}
	if test != "" {
		kinds = append(kinds, bech32Kind{prefix: test, lengths: [2]int{20, 32}, format: "account", environment: core.Testnet})
	}
	return network{
		Network: core.Network{Code: code, Name: name, OtherNames: names(otherNames), Checksum: true, Formats: formats("account", example)},
		read:    kinds.read, memo: textMemo(256, true), shape: bech32Shape, starts: initials(prefix, test),
		source: "cosmos/chain-registry, " + prefix + "; ADR-028; x/auth", checked: "2026-11",
	}
}

// initials are the first letters of a prefix and of that of the test network, in both cases.
func initials(prefix, test string) string {
	letters := prefix[:1] + test[:min(1, len(test))]
	return letters + strings.ToUpper(letters)
}
