package wire

import (
	"cmp"
	"slices"

	"causeway/simulator/wire/all"
	"causeway/simulator/wire/provider"
)

// Divergences returns the known differences from the real providers: those of all providers first, then
// those of each provider by name.
func Divergences() []provider.Divergence {
	out := slices.Clone(common)
	for _, d := range slices.SortedFunc(slices.Values(all.Descriptors), func(a, b provider.Descriptor) int {
		return cmp.Compare(a.Name, b.Name)
	}) {
		for _, difference := range d.Divergences {
			difference.Provider = d.Name
			out = append(out, difference)
		}
	}
	return out
}

// everyProvider is the provider of the differences that all have.
const everyProvider = "all"

var common = []provider.Divergence{
	{
		Provider: everyProvider,
		What:     "There are no limits of requests and no daily caps.",
		Why: "A sandbox that throttles makes tests flaky: what a throttled provider says is had by the " +
			"account numbers that end in 429, by outcomes and by faults.",
		Test: "simulator/wire.TestProviders_NoThrottling",
	},
	{
		Provider: everyProvider,
		What:     "Every key of the right shape is taken, none is ever revoked, and all have the same rights.",
		Why:      "There are no accounts of ours at a simulated provider.",
		Test:     "simulator/wire.TestEveryKeyOfTheRightShapeIsTaken",
	},
	{
		Provider: everyProvider,
		What:     "Only what the service asks is there: no trading, no payouts, no accounts of ours, no history.",
		Why:      "Nothing else could be tested with it.",
		Test:     "simulator/wire.TestProviders_ReturnRequestedItems",
	},
	{
		Provider: everyProvider,
		What: "Holders of accounts have names such as TEST OKAFOR 0192; 92 % of the numbers are found, 5 " +
			"% are unknown, 3 % are dormant.",
		Why:  "Nobody may take one for a person, and tests need all three.",
		Test: "simulator.TestAccountsOfRealBanks",
	},
	{
		Provider: everyProvider,
		What: "The institutions 001 (Simulated Bank) and SIM (Simulated Wallet) are known, and the last " +
			"three digits of a number there say what happens.",
		Why:  "Every outcome must be within reach of a request.",
		Test: "simulator/wire.TestMagicInstitutionsAreKnown",
	},
	{
		Provider: everyProvider,
		What: "Prices and sizes are made up, from a dated table on, and of a market there is its best bid " +
			"and ask alone.",
		Why: "They are a function of seed and time, so that tests can be repeated; nobody asks for more " +
			"of a book.",
		Test: "simulator.TestAnyInstantInAnyOrder",
	},
	{
		Provider: everyProvider,
		What:     "Hosts that no provider has are not found: there is no rest of the internet.",
		Why:      "A sandbox asks nobody else.",
		Test:     "simulator/wire.TestUnknownHostIsNotFound",
	},
}
