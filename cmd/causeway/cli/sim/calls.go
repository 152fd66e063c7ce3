package sim

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator/accounts"
	"causeway/simulator/catalog"
	"causeway/simulator/faults"
	"causeway/simulator/incidents"
	"causeway/simulator/journal"
	"causeway/simulator/market"
	"causeway/simulator/wire"
	"causeway/simulator/world"
)

// call is a command that makes one call of the control API and prints the response.
type call struct {
	use, short, long, example string

	args     cobra.PositionalArgs // nil: no arguments
	request  string               // method and path; {world} and {} stand for the world and the next argument
	named    bool                 // an argument may name the world instead of the flag
	complete completer            // of the arguments; nil: none
	query    encoder              // of the arguments after the path's; zero: none
	body     encoder              // likewise
	member   string               // of the response, to print; empty: all of it
	view     cli.View             // of the table
}

// members returns the names that the call takes as name=value.
func (c call) members() []string { return append(c.query.names(), c.body.names()...) }

// group is a command with commands.
type group struct {
	name, short string
	commands    []call
}

// worldBody has the members of a world that its table shows.
type worldBody struct {
	ID, Seed                          string
	Clock                             world.ClockState
	Markets, Accounts, Faults, Queued int
	Journal                           journal.State
}

// playedBody has the members of a scenario that was started that its table shows.
type playedBody struct {
	Scenario string
	Clock    world.ClockState
	Verdicts []incidents.Verdict
}

var (
	worldView = cli.NewView("WORLD,SEED,TIME,FROZEN,RATE,MARKETS,ACCOUNTS,FAULTS,QUEUED,JOURNAL",
		func(t *cli.Table, w worldBody) {
			t.Row(w.ID, w.Seed, w.Clock.Now, w.Clock.Frozen, w.Clock.Rate, w.Markets, w.Accounts, w.Faults, w.Queued,
				w.Journal.Entries)
		}).Optional("QUEUED", "MARKETS", "ACCOUNTS", "RATE", "JOURNAL", "FAULTS", "SEED")
	deletedView = cli.NewView("DELETED", func(t *cli.Table, w idBody) { t.Row(w.ID) })
	clockView   = cli.NewView("TIME,FROZEN,RATE,NEXT EVENT", func(t *cli.Table, c world.ClockState) {
		t.Row(c.Now, c.Frozen, c.Rate, c.NextEvent)
	})
	marketView = cli.NewView("PAIR,REFERENCE,VENUE,STATE,BID,ASK,SETTING", func(t *cli.Table, p market.PairView) {
		for _, v := range p.Venues {
			t.Row(p.Pair, p.Reference, v.Venue, v.State, v.Bid, v.Ask, p.Setting)
		}
	}).Optional("SETTING")
	accountView = cli.NewView("COUNTRY,BANK,NUMBER,OUTCOME,NAME,SOURCE", func(t *cli.Table, a accounts.View) {
		t.Row(a.Country, a.Bank, a.Number, a.Outcome, a.AccountName, a.Why)
	})
	faultView = cli.NewView("FAULT,EFFECT,MATCH,WHEN,HITS,OF,BY,UNTIL", func(t *cli.Table, f faults.Fault) {
		t.Row(f.ID, f.Rule.Effect, f.Rule.Match, f.Rule.When, f.Hits, f.Matched,
			cli.Words(f.HitProvider, f.HitOperation), f.Until)
	})
	queueView = cli.NewView("OPERATION,NEXT", func(t *cli.Table, q accounts.Queued) { t.Row(q.Operation, q.Outcomes) })
)

type (
	idBody struct {
		ID string `json:"id"`
	}
	countryQuery struct {
		Country string `json:"country"`
	}
)

// groups are the commands that make one call each.
var groups = []group{
	{"world", "List, create, show, reset, fork and delete worlds", []call{
		{use: "list", short: "List the worlds", request: "GET /worlds", view: worldView},
		{use: "show", named: true, short: "Show a world", request: "GET /worlds/{world}", view: worldView},
		{
			use: "create NAME [name=value…]", short: "Create a world", args: cobra.MinimumNArgs(1),
			request: "POST /worlds", body: members[world.Options]("id"), view: worldView,
			example: "  causeway sim world create TestCheckout clock.now=2026-11-16T12:00:00Z clock.frozen=true\n" +
				"  causeway sim world create TestCheckout seed=checkout ttl=1h magic_pairs=true",
		},
		{
			use: "reset", named: true, short: "Reset a world to its beginning",
			request: "POST /worlds/{world}/reset", view: worldView,
		},
		{
			use: "stop", short: "End all faults, market settings and scenarios, and drop queued outcomes",
			request: "POST /worlds/{world}/stop", view: worldView,
		},
		{
			use: "fork NAME", short: "Create a copy of the world", args: cobra.ExactArgs(1),
			request: "POST /worlds/{world}/fork", body: members[idBody]("id"), view: worldView,
		},
		{use: "delete", named: true, short: "Delete a world", request: "DELETE /worlds/{world}", view: deletedView},
	}},
	{"clock", "Show, stop, set, speed up and advance the clock of a world", []call{
		{
			use: "show", short: "Show the clock and the time of the next known event",
			request: "GET /worlds/{world}/clock", view: clockView,
		},
		{
			use:   "advance DURATION | TIME | next-event",
			short: "Advance the clock and wait for everything that is due on the way",
			example: "  causeway sim clock advance 37s\n" +
				"  causeway sim clock advance 2026-11-16T13:00:00Z\n" +
				"  causeway sim clock advance next-event",
			args: cobra.ExactArgs(1), request: "POST /worlds/{world}/clock/advance", body: encoder{encode: advance},
			view: clockView,
		},
		{
			use: "freeze", short: "Stop the clock",
			request: "PUT /worlds/{world}/clock", body: fixed(`{"frozen":true}`), view: clockView,
		},
		{
			use: "run", short: "Start the clock",
			request: "PUT /worlds/{world}/clock", body: fixed(`{"frozen":false}`), view: clockView,
		},
		{
			use: "set [now=TIME] [frozen=true] [rate=60]", short: "Set the clock, forward only, or its rate",
			args: cobra.MinimumNArgs(1), request: "PUT /worlds/{world}/clock", body: members[world.ClockSetting](),
			view: clockView,
		},
	}},
	{"market", "Show and set the market of a pair, venue by venue", []call{
		{use: "list", short: "List the pairs with a setting", request: "GET /worlds/{world}/market", view: marketView},
		{
			use: "show PAIR", short: "Show the market of a pair", args: cobra.ExactArgs(1),
			request: "GET /worlds/{world}/market/{}", view: marketView,
		},
		{
			use: "set PAIR name=value…", short: "Replace the setting of a pair", args: cobra.MinimumNArgs(2),
			example: "  causeway sim market set USDTNGN pin=1400.50\n" +
				"  causeway sim market set BTCUSDT venues.kraken.state=down venues.okx.offset_bps=250",
			request: "PUT /worlds/{world}/market/{}", body: members[market.Setting](), view: marketView,
		},
		{
			use: "lift PAIR", short: "Remove the setting of a pair", args: cobra.ExactArgs(1),
			request: "DELETE /worlds/{world}/market/{}", view: marketView,
		},
	}},
	{"account", "Show and set accounts: their holders and the responses of providers", []call{
		{
			use: "list", short: "List the accounts that were set",
			request: "GET /worlds/{world}/accounts", view: accountView,
		},
		{
			use: "show BANK NUMBER [country=NG]", short: "Show an account", args: cobra.RangeArgs(2, 3),
			request: "GET /worlds/{world}/accounts/{}/{}", query: members[countryQuery](), view: accountView,
		},
		{
			use: "set BANK NUMBER name=value…", short: "Set an account", args: cobra.MinimumNArgs(3),
			example: "  causeway sim account set 000013 0123456789 account_name='TEST ADA OKAFOR'\n" +
				"  causeway sim account set 058 0123456789 outcome=unknown",
			request: "PUT /worlds/{world}/accounts/{}/{}", body: members[accounts.Overlay](), view: accountView,
		},
		{
			use: "remove BANK NUMBER [country=NG]", short: "Remove the setting of an account", args: cobra.RangeArgs(2, 3),
			request: "DELETE /worlds/{world}/accounts/{}/{}", query: members[countryQuery](), view: accountView,
		},
	}},
	{"fault", "Add, list and remove faults", []call{
		{use: "list", short: "List the faults and their hits", request: "GET /worlds/{world}/faults", view: faultView},
		{
			use: "add preset=NAME | name=value…", short: "Add a fault", args: cobra.MinimumNArgs(1),
			long: "Adds a fault between the service and a provider (match.plane=upstream, the default), or between\n" +
				"clients and the service (match.plane=edge). See causeway sim catalog faults and causeway sim catalog presets.",
			example: "  causeway sim fault add match.provider=kraken effect.kind=inverted when.max_hits=2\n" +
				"  causeway sim fault add preset=provider_down:kraken\n" +
				"  causeway sim fault add match.plane=edge match.operation=resolve-account " +
				"effect.kind=status effect.status=503 when.probability=0.2",
			request: "POST /worlds/{world}/faults", body: members[faultBody](), view: faultView,
		},
		{
			use: "remove FAULT", short: "Remove a fault", args: cobra.ExactArgs(1),
			request: "DELETE /worlds/{world}/faults/{}", view: faultView,
		},
		{use: "clear", short: "Remove all faults", request: "DELETE /worlds/{world}/faults", view: faultView},
	}},
	chainGroup, webhookGroup,
	{"catalog", "List everything that a sandbox can simulate; with -o json each entry has an example", []call{
		catalogList("operations", "operations of the public API", "OPERATION",
			func(t *cli.Table, operation string) { t.Row(operation) }),
		catalogList("accounts", "magic account numbers", "SUFFIX,OUTCOME,RESPONSE,DESCRIPTION",
			func(t *cli.Table, a catalog.AccountEntry) { t.Row(a.Suffix, a.Outcome, response(a.Try), a.Title) }),
		catalogList("pairs", "magic pairs", "PAIR,STATUS,REASON,DESCRIPTION",
			func(t *cli.Table, p catalog.PairEntry) { t.Row(p.ID, p.Status, p.Reason, p.Title) }),
		catalogList("outcomes", "outcomes of requests", "OUTCOME,PLANE,RESPONSE,OPERATIONS,DESCRIPTION",
			func(t *cli.Table, o catalog.OutcomeEntry) {
				t.Row(o.Name, o.Plane, response(o.Try), o.Operations, o.Title)
			}, "OPERATIONS", "PLANE"),
		catalogList("errors", "errors of the public API", "ERROR,STATUS,TRY",
			func(t *cli.Table, e catalog.ErrorEntry) {
				t.Row(e.Name, e.Status, cli.Words(e.Try.Request.Method, e.Try.Request.Path))
			}),
		catalogList("addresses", "addresses for every verdict", "CODE,WARNING,TRY",
			func(t *cli.Table, a catalog.AddressEntry) { t.Row(a.Code, a.Warning, a.Try.Request.Body) }),
		catalogList("faults", "kinds of faults", "KIND,PLANES,MEMBERS,DESCRIPTION",
			func(t *cli.Table, f catalog.FaultEntry) { t.Row(f.Kind, f.Planes, f.Takes, f.Title) }, "PLANES", "MEMBERS"),
		catalogList("presets", "presets of faults", "PRESET,DESCRIPTION",
			func(t *cli.Table, p catalog.PresetEntry) { t.Row(p.Name, p.Title) }),
		catalogList("scenarios", "incidents", "SCENARIO,DURATION,DESCRIPTION,SOURCE",
			func(t *cli.Table, s catalog.ScenarioEntry) { t.Row(s.Name, s.Lasts, s.Title, s.Source) }, "SOURCE"),
		{
			use: "divergences", short: "List where simulated providers differ from the real ones", request: "GET /divergences",
			view: cli.NewView("PROVIDER,WHAT,WHY,TEST", func(t *cli.Table, d wire.Divergence) {
				t.Row(d.Provider, d.What, d.Why, d.Test)
			}),
		},
	}},
}

// catalogList returns the command that prints a list of the catalog.
func catalogList[T any](name, title, head string, add func(*cli.Table, T), optional ...string) call {
	return call{
		use: name, short: "List the " + title, request: "GET /catalog", member: name,
		view: cli.NewView(head, add).Optional(optional...),
	}
}

func response(try catalog.Sample) string { return cli.Words(try.Want.Status, try.Want.Error) }

// faultBody is a fault, or the name of a preset.
type faultBody struct {
	Preset string `json:"preset"`

	faults.Rule
}

var (
	nextCommand = call{
		use: "next OPERATION OUTCOME…", short: "Decide the outcome of the next requests for an operation",
		args: cobra.MinimumNArgs(2), complete: (*sim).nextOutcomes,
		long:    "Queues outcomes for the next requests for an operation, one for each. See causeway sim catalog outcomes.",
		example: "  causeway sim next resolve-account unknown all_down",
		request: "POST /worlds/{world}/next", view: queueView,
		body: encoder{encode: func(args []string) (json.RawMessage, error) {
			return json.Marshal(accounts.Queued{Operation: args[0], Outcomes: args[1:]})
		}},
	}
	nextList = call{
		use: "list", short: "List the queued outcomes", request: "GET /worlds/{world}/next", view: queueView,
	}
	nextClear = call{
		use: "clear [OPERATION]", short: "Remove queued outcomes", args: cobra.MaximumNArgs(1),
		complete: (*sim).nextOutcomes,
		request:  "DELETE /worlds/{world}/next",
		query: members[struct {
			Operation string `json:"operation"`
		}]("operation"), view: queueView,
	}
	playCommand = call{
		use: "play SCENARIO [speed=60]", short: "Play an incident in the market of the world", args: cobra.RangeArgs(1, 2),
		complete: (*sim).scenarioNames,
		example:  "  causeway sim play dai-2020\n  causeway sim clock advance 10m",
		request:  "POST /worlds/{world}/market/play",
		view: cli.NewView("SCENARIO,NOW,FROM,UNTIL,PAIR,STATUS,REASON", func(t *cli.Table, p playedBody) {
			for _, v := range p.Verdicts {
				t.Row(p.Scenario, p.Clock.Now, v.From, v.Until, v.Pair, v.Status, v.Reason)
			}
		}),
		body: members[struct {
			Scenario string `json:"scenario"`
			Speed    int64  `json:"speed"`
		}]("scenario"),
	}
)

func fixed(object string) encoder {
	return encoder{encode: func([]string) (json.RawMessage, error) { return json.RawMessage(object), nil }}
}

// advance encodes a duration, or what to advance to.
func advance(args []string) (json.RawMessage, error) {
	text := args[0]
	_, noDuration := time.ParseDuration(text)
	_, noTime := time.Parse(time.RFC3339, text)
	_, noNumber := strconv.ParseFloat(text, 64)
	switch {
	case noDuration == nil && text != "0":
		return json.Marshal(map[string]string{"by": text})
	case noTime == nil || text == "next-event":
		return json.Marshal(map[string]string{"to": text})
	case noNumber == nil:
		return nil, cli.UsageError("%[1]q has no unit; give %[1]ss, %[1]sm or %[1]sh for seconds, minutes or hours", text)
	}
	return nil, cli.UsageError("%q is neither a duration such as 37s or 5m, nor a time such as 2026-11-16T13:00:00Z, "+
		"nor next-event", text)
}
