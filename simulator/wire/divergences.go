package wire

import (
	"cmp"
	"slices"

	"causeway/simulator/wire/all"
	"causeway/simulator/wire/provider"
)

// Divergences returns the known differences from the real providers: those of all providers first,
// then those of each provider by name.
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
		What:     "There are no request limits and no daily caps.",
		Why: "A sandbox that throttles makes tests flaky. Throttled responses come from account numbers that end in " +
			"429, from outcomes and from faults.",
		Test: "simulator/wire.TestNoThrottling",
	},
	{
		Provider: everyProvider,
		What:     "Every key of the right form is accepted, no key is ever revoked, and all have the same rights.",
		Why:      "A simulated provider has no accounts of its clients.",
		Test:     "simulator/wire.TestKeys_Form",
	},
	{
		Provider: everyProvider,
		What:     "Only the operations that Causeway calls exist: no trading, no payouts, no history.",
		Why:      "No other operation could be tested with it.",
		Test:     "simulator/wire.TestOtherOperations_NotFound",
	},
	{
		Provider: everyProvider,
		What: "Holders of accounts have names such as TEST OKAFOR 0192. Of the account numbers, 92 % are found, 5 " +
			"% are unknown and 3 % are dormant.",
		Why:  "The names must not look like those of people, and tests need all three outcomes.",
		Test: "simulator/accounts.TestStore_RealBanks",
	},
	{
		Provider: everyProvider,
		What: "The institutions 001 (Simulated Bank) and SIM (Simulated Wallet) exist. There, the last three digits " +
			"of an account number select the outcome.",
		Why:  "Every outcome must be within reach of a request.",
		Test: "simulator/wire.TestMagicInstitutions",
	},
	{
		Provider: everyProvider,
		What:     "Prices and sizes are made up from a dated table, and a market has only its best bid and ask.",
		Why:      "They are a function of seed and time, so that tests can be repeated.",
		Test:     "simulator/market.TestMarket_AnyOrder",
	},
	{
		Provider: everyProvider,
		What:     "Other hosts do not exist.",
		Why:      "A sandbox calls nothing outside of its process.",
		Test:     "simulator/wire.TestUnknownHost",
	},
}
