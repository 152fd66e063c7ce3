package guard

const (
	memory     = 24      // hours for which numbers are remembered, at least
	watched    = 50      // latest results that misses are counted in
	maxMisses  = 15      // of these; payouts to people have few
	maxBanks   = 7       // banks that one number may be tried at
	maxClaims  = 4       // names that may be claimed for one number
	maxNumbers = 100_000 // remembered of one caller: 2 MB at most
)

// densities are the numbers that a caller may look up in one block of a bank's numbers.
//
// A block of 100 Nigerian numbers has 10 valid check digits, and up to 60 % of the valid numbers of
// a dense block exist, so these limits are a sixth of what a block of 1,000 holds, and a hundredth
// of a block of 100,000. Payouts come near them by chance only: 10,000 payees among the 50,000,000
// subscribers of a wallet operator are 20 in each block of 100,000, and 20 colleagues whose
// accounts were opened on one day are a run of 20.
var densities = []struct {
	block uint64
	limit int
}{{100, 20}, {1000, 30}, {10_000, 40}, {100_000, 60}}
