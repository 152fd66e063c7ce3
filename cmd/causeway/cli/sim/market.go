package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator"
)

// simMarket is the market of a pair as the control API shows it.
type simMarket struct {
	Pair, Reference string
	Setting         json.RawMessage
	Venues          []struct{ Venue, State, Bid, Ask string }
}

func marketTable(all ...simMarket) cli.Table {
	t := cli.Table{Head: []string{"PAIR", "VENUE", "STATE", "BID", "ASK", "SET"}}
	for _, m := range all {
		t.Row(m.Pair, "reference", "", m.Reference, m.Reference, string(m.Setting))
		for _, v := range m.Venues {
			t.Row(m.Pair, v.Venue, v.State, v.Bid, v.Ask, "")
		}
	}
	return t
}

func (s *sim) market() *cobra.Command {
	one := func(m simMarket) cli.Table { return marketTable(m) }
	pair := func(args []string) string { return s.worldPath("market", args[0]) }
	return cli.Group("market", "Show and set the market of a pair, venue by venue",
		ask[[]simMarket]{
			use: "list", short: "List the pairs that something is done to", args: cobra.NoArgs, method: http.MethodGet, path: s.at("market"),
			table: func(all []simMarket) cli.Table { return marketTable(all...) },
		}.command(s),
		ask[simMarket]{use: "show PAIR", short: "Show the market of a pair", args: cobra.ExactArgs(1), method: http.MethodGet, path: pair, table: one}.command(s),
		ask[simMarket]{
			use: "set PAIR name=value…", short: "Do something to the market of a pair, in place of what was set", args: cobra.MinimumNArgs(minSetting), method: http.MethodPut, path: pair, table: one,
			example: "  causeway sim market set USDTNGN pin=1400.50\n  causeway sim market set BTCUSDT venues.kraken.state=down venues.okx.offset_bps=250",
			body:    func(args []string) (json.RawMessage, error) { return bodyOf[simulator.Setting](args[1:]) },
		}.command(s),
		ask[simMarket]{use: "lift PAIR", short: "Lift what is done to the market of a pair", args: cobra.ExactArgs(1), method: http.MethodDelete, path: pair, table: one}.command(s),
	)
}

// minSetting is a pair and one member.
const minSetting = 2

// simPlayed is an incident that is under way.
type simPlayed struct {
	Scenario    string
	From, Until time.Time
	Verdicts    []simulator.Verdict
}

func (s *sim) play() *cobra.Command {
	return ask[simPlayed]{
		use: "play SCENARIO [speed=60]", short: "Play an incident in the market of a world, from its now on", args: cobra.MinimumNArgs(1), method: http.MethodPost, path: s.at("market", "play"),
		example: "  causeway sim play dai-2020\n  causeway sim clock advance 10m",
		body: func(args []string) (json.RawMessage, error) {
			return bodyOf[struct {
				Scenario string `json:"scenario"`
				Speed    int64  `json:"speed"`
			}](append([]string{"scenario=" + args[0]}, args[1:]...))
		},
		table: func(p simPlayed) cli.Table {
			t := cli.Table{Head: []string{"SCENARIO", "FROM", "UNTIL", "PAIR", "IS", "WHY"}}
			for _, v := range p.Verdicts {
				t.Row(p.Scenario, instant(p.From.Add(time.Duration(v.From))), instant(p.From.Add(time.Duration(v.Until))), v.Pair, strings.Join(v.Status, " or "), strings.Join(v.Reason, " or "))
			}
			return t
		},
	}.command(s)
}

func accountTable(all ...simulator.AccountView) cli.Table {
	t := cli.Table{Head: []string{"COUNTRY", "BANK", "NUMBER", "OUTCOME", "NAME", "WHY"}}
	for _, a := range all {
		name := ""
		if a.AccountName != nil {
			name = fmt.Sprintf("%q", *a.AccountName)
		}
		t.Row(a.Country, a.Bank, a.Number, a.Outcome, name, a.Why)
	}
	return t
}

// accountQuery is the query of an institution's country, where that is given.
func accountQuery(members []string) (string, error) {
	if len(members) == 0 {
		return "", nil
	}
	country, found := strings.CutPrefix(members[0], "country=")
	if !found {
		return "", cli.UsageError("%q is not accepted; accepted: country=NG, where the institution's code is one of several countries", members[0])
	}
	return "?" + url.Values{"country": {country}}.Encode(), nil
}

func (s *sim) accounts() *cobra.Command {
	account := func(args []string) string { return s.worldPath("accounts", args[0], args[1]) }
	one := func(a simulator.AccountView) cli.Table { return accountTable(a) }
	const bankAndNumber = 2
	of := func(args []string) (string, error) { return accountQuery(args[bankAndNumber:]) }
	return cli.Group("account", "Show and set accounts: who holds them, and what the providers do when they are asked",
		ask[[]simulator.AccountView]{
			use: "list", short: "List the accounts that were set", args: cobra.NoArgs, method: http.MethodGet, path: s.at("accounts"),
			table: func(all []simulator.AccountView) cli.Table { return accountTable(all...) },
		}.command(s),
		ask[simulator.AccountView]{
			use: "show BANK NUMBER [country=NG]", short: "Show what the world knows of an account", args: cobra.RangeArgs(bankAndNumber, bankAndNumber+1), method: http.MethodGet, path: account, query: of, table: one,
		}.command(s),
		ask[simulator.AccountView]{
			use: "set BANK NUMBER name=value…", short: "Set an account", args: cobra.MinimumNArgs(bankAndNumber + 1), method: http.MethodPut, path: account, table: one,
			example: "  causeway sim account set 000013 0123456789 account_name='TEST ADA OKAFOR'\n  causeway sim account set 058 0123456789 outcome=unknown",
			body:    func(args []string) (json.RawMessage, error) { return bodyOf[simulator.Overlay](args[bankAndNumber:]) },
		}.command(s),
		ask[simulator.AccountView]{
			use: "remove BANK NUMBER [country=NG]", short: "Forget what was set for an account", args: cobra.RangeArgs(bankAndNumber, bankAndNumber+1), method: http.MethodDelete, path: account, query: of, table: one,
			example: "  causeway sim account remove 001 0123456789 country=NG",
		}.command(s),
	)
}
