package control

import (
	"net/http"
	"time"

	"causeway/core"
	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/input"
	"causeway/simulator/journal"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

const (
	exampleID   = "req_5f0c2v7q9k3m1"
	exampleName = "TestCheckout/pays"
)

// exampleNoon is when the examples are.
func exampleNoon() time.Time { return time.Date(2026, time.November, 16, 12, 0, 0, 0, time.UTC) }

func exampleOptions() world.Options {
	return world.Options{
		ID: exampleName, Seed: "checkout", Clock: world.ClockOptions{Now: new(exampleNoon()), Frozen: true}, TTL: input.Duration(time.Hour), MagicPairs: true,
	}
}

func exampleState() world.ClockState {
	return world.ClockState{Now: exampleNoon(), Frozen: true, Rate: 1}
}

func exampleClock() clockView {
	return clockView{ClockState: exampleState(), NextEvent: new(exampleNoon().Add(10 * time.Minute))}
}

func exampleFreeze() world.ClockSetting {
	return world.ClockSetting{Now: new(exampleNoon()), Frozen: new(true)}
}

func exampleWorld() worldView {
	return worldView{
		ID: exampleName, Seed: "checkout", Clock: exampleClock(), TTL: "1h0m0s", MagicPairs: true, CreatedAt: exampleNoon(), UsedAt: exampleNoon(),
		Journal: journal.State{Limits: journal.Usual(), Keeps: true},
	}
}

func exampleDocument() world.Document {
	return world.Document{
		Format: 1, Dataset: "2026-11-20-0123456789abcdef", World: exampleOptions(), Clock: exampleState(), Market: []market.SettingState{},
		Faults: faults.SetState{Rules: []faults.RuleState{}}, Accounts: []accounts.Setting{exampleAccountSetting()}, Next: []accounts.Queued{},
	}
}

func exampleSetting() market.Setting {
	return market.Setting{
		Pin: "1400.50", SpreadBPS: 20,
		Venues: map[string]market.VenueSetting{"quidax": {OffsetBPS: -150, LagMS: new(int64(2000))}, "busha": {State: market.Down}},
	}
}

func exampleMarket() marketView {
	return marketView{
		Pair: "USDT/NGN", ID: "USDTNGN", Reference: "1400.5", Setting: new(exampleSetting()),
		Venues: []venueView{{Venue: "busha", State: market.Down, Bid: "1399.1", Ask: "1401.9"}, {Venue: "quidax", State: market.Up, Bid: "1378.09", Ask: "1380.9"}},
	}
}

func examplePlayed() played {
	return played{
		Scenario: "dai-2020", Title: "A stablecoin above its peg", From: exampleNoon(), Until: exampleNoon().Add(time.Hour), Clock: exampleClock(),
		Verdicts: []incidents.Verdict{{
			Pair: "DAIUSD", From: input.Duration(10 * time.Minute), Until: input.Duration(20 * time.Minute), Status: []string{"halted"}, Reason: []string{"depegged"},
		}},
	}
}

func exampleBank() bankView {
	return bankView{
		Country: "NG", Code: "000013", Name: "Guaranty Trust Bank", Type: core.CommercialBank, Currency: "NGN", Channels: []core.Channel{core.BankTransfer},
		Aliases: []string{"058", "GTBINGLA"},
	}
}

func exampleOverlay() accounts.Overlay {
	return accounts.Overlay{AccountName: new("TEST ADA OKAFOR")}
}

func exampleAccountSetting() accounts.Setting {
	return accounts.Setting{Bank: "000013", Number: "0123456789", Overlay: accounts.Overlay{AccountName: new("TEST ADA OKAFOR"), Country: "NG"}}
}

func exampleAccount() accounts.View {
	return accounts.View{Bank: "000013", Country: "NG", Number: "0123456789", Outcome: "found", AccountName: new("TEST ADA OKAFOR"), Why: "set"}
}

func exampleRule() faults.Rule {
	return faults.Rule{
		Match: faults.Match{Plane: faults.Upstream, Provider: "kraken"}, Effect: faults.Effect{Kind: faults.Inverted}, When: faults.When{MaxHits: 2},
	}
}

func exampleFault() ordered {
	r := exampleRule()
	return ordered{Match: r.Match, Effect: &r.Effect, When: r.When}
}

func exampleFaultView() faults.Fault {
	return faults.Fault{ID: "f1", Rule: exampleRule(), From: exampleNoon(), Matched: 3, Hits: 2, HitProvider: map[string]uint64{"kraken": 2}}
}

func exampleEntry() journal.Entry {
	return journal.Entry{
		ID: exampleID, Seq: 1, At: exampleNoon(), World: exampleName, Operation: "get-pair", Applied: "none", Cache: journal.Uncached, Took: 0.4,
		Request:  journal.Request{Method: http.MethodGet, Path: "/v1/pairs/BTCUSDT", Query: []journal.Field{}, Headers: []journal.Field{{Name: "Accept", Value: "*/*"}}},
		Attempts: []journal.Attempt{},
		Votes: []journal.Vote{
			{Market: "BTC/USDT", Source: "binance", Family: "binance", Bid: "64999.1", Ask: "65001.2", Age: "1.2", Used: true},
			{Market: "BTC/USDT", Source: "kraken", Reason: "outlier"},
		},
		Answer: journal.Answer{Status: http.StatusOK, Fields: []string{}, ContentType: contentJSON, Bytes: 812},
	}
}

func exampleJournal() journalView {
	return journalView{Entries: []journal.Entry{exampleEntry()}, State: journal.State{Entries: 1, Bytes: 1200, Limits: journal.Usual(), Last: 1, Keeps: true}}
}

func exampleAssertion() journal.Assertion {
	return journal.Assertion{
		Match: journal.Match{Operation: "resolve-account"}, Count: new(2),
		Order: []journal.Match{{Status: http.StatusNotFound}, {Status: http.StatusOK, Provider: "paystack"}},
	}
}

func exampleReport() journal.Report {
	return journal.Report{Pass: true, Message: "1 entry of 1 match", Matched: 1, Looked: 1, Entries: []journal.Entry{exampleEntry()}, Differences: []journal.Difference{}}
}

// exampleCatalog is the beginning of each list of the catalog.
func exampleCatalog() any {
	c := catalog.New()
	c.Operations = c.Operations[:1]
	c.Accounts, c.Pairs, c.Outcomes, c.Errors = c.Accounts[:1], c.Pairs[:1], c.Outcomes[:1], c.Errors[:1]
	c.Addresses, c.Faults, c.Presets, c.Scenarios = c.Addresses[:1], c.Faults[:1], c.Presets[:1], c.Scenarios[:1]
	return c
}

func exampleFaultyField() error {
	return core.InvalidField("effect.kind", "\"invert\"; accepted: inverted, times_10, …")
}
