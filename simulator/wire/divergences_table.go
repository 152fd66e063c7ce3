package wire

import "slices"

// Divergence is a known difference between the simulated providers and the real ones.
type Divergence struct {
	Provider string `json:"provider"` // "all" where none is meant alone
	What     string `json:"what"`     // is different
	Why      string `json:"why"`
	Test     string `json:"test"` // that shows it: the folder and the function
}

// Divergences lists what is known to differ from the real providers, those that all have first, then by provider.
func Divergences() []Divergence { return slices.Clone(divergences) }

const (
	everybody = "all"

	goldens     = "simulator/wire.TestGolden"
	shapes      = "simulator/wire.TestAnswersHaveTheDocumentedShape"
	unread      = "Nobody here reads it."
	notRecorded = "the documentation does not say, and nothing was called live: it is general knowledge"
)

var divergences = []Divergence{
	{everybody, "There are no limits of requests and no daily caps.", "A sandbox that throttles makes tests flaky: what a throttled provider says is had by the account numbers that end in 429, by outcomes and by faults.", "simulator/wire.TestProviders_NoThrottling"},
	{everybody, "Every key of the right shape is taken, none is ever revoked, and all have the same rights.", "There are no accounts of ours at a simulated provider.", "simulator/wire.TestEveryKeyOfTheRightShapeIsTaken"},
	{everybody, "Only what the service asks is there: no trading, no payouts, no accounts of ours, no history.", "Nothing else could be tested with it.", "simulator/wire.TestProviders_ReturnRequestedItems"},
	{everybody, "Holders of accounts have names such as TEST OKAFOR 0192; 92 % of the numbers are found, 5 % are unknown, 3 % are dormant.", "Nobody may take one for a person, and tests need all three.", "simulator.TestAccountsOfRealBanks"},
	{everybody, "The institutions 001 (Simulated Bank) and SIM (Simulated Wallet) are known, and the last three digits of a number there say what happens.", "Every outcome must be within reach of a request.", "simulator/wire.TestMagicInstitutionsAreKnown"},
	{everybody, "Prices and sizes are made up, from a dated table on, and of a market there is its best bid and ask alone.", "They are a function of seed and time, so that tests can be repeated; nobody asks for more of a book.", "simulator.TestAnyInstantInAnyOrder"},
	{everybody, "Hosts that no provider has are not found: there is no rest of the internet.", "A sandbox asks nobody else.", "simulator/wire.TestUnknownHostIsNotFound"},

	{Afriex, "The magic institutions are on the list where there are no others.", "An empty list would be taken for a failure.", "simulator/wire.TestAfriexListsMagicInstitutionsWhereThereAreNoOthers"},
	{Afriex, "Which failures a closed account, an unknown institution, or a phone number of another country give.", notRecorded, goldens},
	{Afriex, "An empty friendlyMessage is left out, as empty members are elsewhere; an example of the documentation has one.", "The documentation contradicts itself.", shapes},
	{Binance, "X-MBX-USED-WEIGHT-1M tells of the one request alone.", "Nothing is remembered between requests.", "simulator/wire.TestUsageIsNotCounted"},
	{Binance, "The socket tells of books that changed four times a second at the most, at fixed moments.", "A world is looked at in steps; the real one tells of each change as it happens.", "simulator/wire.TestBinanceSocketTellsWhatChanged"},
	{Binance, "The socket is hung up, and nobody let in, while the venue is down, or a rule is about its answers; and when a market that it tells of is not traded any more.", "What is done to a world befalls questions: whoever streams must ask meanwhile.", "simulator/wire.TestNoSocketHidesWhatIsDoneToAVenue"},
	{Busha, "Texts of failures, fields of an institution, and at which of them wallets, pay bills and tills are.", notRecorded, goldens},
	{Busha, "A pair has its prices and the smallest amounts, and neither names nor decimals of its currencies, nor amounts in the other currency; it has the smallest amount of a sale, too.", unread, shapes},
	{Busha, "Failures have no request_id.", unread, shapes},
	{Bybit, "The list of all tickers has the sandbox's markets, and not some 600.", "No other market is priced.", "simulator/wire.TestOKXAndBybitShowEveryBook"},
	{CoinGecko, "Prices are made at every full minute, all at once.", "Real ones are as old as each coin's last trade; the cache of a minute is what matters to who asks.", "simulator/wire.TestCoinGeckoIsUpToAMinuteOld"},
	{CoinGecko, "A refused key is told without a time.", unread, shapes},
	{Coinbase, "A ticker has no rfq_volume and no conversions_volume.", unread, shapes},
	{Coinbase, "A quiet market goes without a trade for half a minute at the most.", "Real ones may be quiet for hours; the age of the last trade is no age of the book either way.", "simulator/wire.TestCoinbaseShowsABookThatIsNewerThanItsLastTrade"},
	{Daraja, "A token is the instant of its making: one that was never handed out is taken while it would be alive, and a new one ends no older one.", "Nothing is remembered between requests.", "simulator/wire.TestTokensAreNotRemembered"},
	{Daraja, "How closed pay bills and tills are worded.", notRecorded, goldens},
	{Flutterwave, "A test key is answered about every bank of Nigeria, and not about Access Bank (044) alone.", "The test mode's limit says nothing about production, and nothing could be tested.", "simulator/wire.TestFlutterwaveTestKeysAskAboutEveryBank"},
	{Flutterwave, "Bodies of refused keys and unknown paths, and how closed and dormant accounts are worded.", notRecorded, goldens},
	{Frankfurter, "All central banks publish at the same time, on working days; none is ever silent for longer.", "What a silent bank looks like is had by pausing a market, or by a fault.", "simulator/wire.TestFrankfurterPublishesOnWorkingDays"},
	{Korapay, "Statuses of failures, and how closed and dormant accounts are worded.", notRecorded, goldens},
	{Kraken, "The socket tells of books that changed four times a second at the most, at fixed moments.", "A world is looked at in steps; the real one tells of each change as it happens.", "simulator/wire.TestKrakenSocketTellsWhatChanged"},
	{Kraken, "The socket is hung up, and nobody let in, while the venue is down, or a rule is about its answers; and when a market that it tells of is not traded any more.", "What is done to a world befalls questions: whoever streams must ask meanwhile.", "simulator/wire.TestNoSocketHidesWhatIsDoneToAVenue"},
	{Monnify, "A token is the instant of its login: one that was never handed out is taken while it would be alive, and a new login ends no older one.", "Nothing is remembered between requests.", "simulator/wire.TestTokensAreNotRemembered"},
	{Monnify, "Statuses, fields of the list, and texts other than that of an invalid account.", notRecorded, goldens},
	{OKX, "The list of all tickers has the sandbox's markets, and not some 700.", "No other market is priced.", "simulator/wire.TestOKXAndBybitShowEveryBook"},
	{OpenExchangeRates, "Rates change at every full hour; usage.json says that nothing was used.", "Nothing is remembered between requests.", "simulator/wire.TestUsageIsNotCounted"},
	{Paystack, "The test mode's cap of three real accounts a day is not there.", "It makes continuous integration flaky.", "simulator/wire.TestProviders_NoThrottling"},
	{Paystack, "Of South Africa's banks all take part in the validation but those whose code ends in 000.", "Which do is in no document; that some do not has to be met.", "adapters/providers/paystack.TestWhoTakesPartOverTheSimulatedWire"},
	{Paystack, "The validation refuses the number of an account that does not exist.", "How the real one answers is in no document.", "simulator/wire.TestPaystackRefusesToValidateWhatDoesNotExist"},
	{Paystack, "How closed and dormant accounts are worded.", notRecorded, goldens},
	{Paystack, "Every failure but those of keys and paths has meta, type and code, as the specification says; some that were recorded lack them.", "What is decided on must be the text.", shapes},
	{Quidax, "One listed market never has orders.", "An empty side has to be met in every world.", "simulator/wire.TestQuidaxShowsEveryBookAndOneThatIsEmpty"},
}
