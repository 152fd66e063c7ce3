package sim

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"causeway/simulator/accounts"
	"causeway/simulator/faults"
	"causeway/simulator/market"
	"causeway/simulator/world"
)

// call is a command that makes one call of the control API and prints the response.
type call struct {
	use, short, long, example string

	args     cobra.PositionalArgs // nil: no arguments
	request  string               // method and path; {world} and {} stand for the world and the next argument
	named    bool                 // an argument may name the world instead of the flag
	complete completer            // of the arguments; nil: none
	query    encoder              // of the arguments after those in the path; nil: none
	body     encoder              // likewise
	member   string               // of the response, to print; empty: all of it
	columns  string               // of the table; see cli.JSONTable
}

// encoder makes a JSON object of arguments.
type encoder func(args []string) (json.RawMessage, error)

// group is a command with commands.
type group struct {
	name, short string
	commands    []call
}

const (
	worldColumns = "WORLD=id SEED=seed TIME=clock.now FROZEN=clock.frozen RATE=clock.rate MARKETS=markets " +
		"ACCOUNTS=accounts FAULTS=faults QUEUED=queued JOURNAL=journal.entries"
	clockColumns   = "TIME=now FROZEN=frozen RATE=rate NEXT_EVENT=next_event"
	marketColumns  = "*=venues PAIR=pair REFERENCE=reference VENUE=venue STATE=state BID=bid ASK=ask SETTING=setting"
	accountColumns = "COUNTRY=country BANK=bank NUMBER=number OUTCOME=outcome NAME=account_name SOURCE=why"
	faultColumns   = "FAULT=id EFFECT=rule.effect MATCH=rule.match WHEN=rule.when HITS=hits OF=matched " +
		"BY=hits_by_provider+hits_by_operation UNTIL=until"
	queueColumns = "OPERATION=operation NEXT=outcomes"
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
		{use: "list", short: "List the worlds", request: "GET /worlds", columns: worldColumns},
		{use: "show", named: true, short: "Show a world", request: "GET /worlds/{world}", columns: worldColumns},
		{
			use: "create NAME [name=value…]", short: "Create a world", args: cobra.MinimumNArgs(1),
			request: "POST /worlds", body: members[world.Options]("id"), columns: worldColumns,
			example: "  causeway sim world create TestCheckout clock.now=2026-11-16T12:00:00Z clock.frozen=true\n" +
				"  causeway sim world create TestCheckout seed=checkout ttl=1h magic_pairs=true",
		},
		{
			use: "reset", named: true, short: "Reset a world to its beginning",
			request: "POST /worlds/{world}/reset", columns: worldColumns,
		},
		{
			use: "stop", short: "End all faults, market settings and scenarios, and drop queued outcomes",
			request: "POST /worlds/{world}/stop", columns: worldColumns,
		},
		{
			use: "fork NAME", short: "Create a copy of the world", args: cobra.ExactArgs(1),
			request: "POST /worlds/{world}/fork", body: members[idBody]("id"), columns: worldColumns,
		},
		{use: "delete", named: true, short: "Delete a world", request: "DELETE /worlds/{world}", columns: "DELETED=id"},
	}},
	{"clock", "Show, stop, set, speed up and advance the clock of a world", []call{
		{
			use: "show", short: "Show the clock and the time of the next known event",
			request: "GET /worlds/{world}/clock", columns: clockColumns,
		},
		{
			use:   "advance DURATION | TIME | next-event",
			short: "Advance the clock and wait for everything that is due on the way",
			example: "  causeway sim clock advance 37s\n" +
				"  causeway sim clock advance 2026-11-16T13:00:00Z\n" +
				"  causeway sim clock advance next-event",
			args: cobra.ExactArgs(1), request: "POST /worlds/{world}/clock/advance", body: advance, columns: clockColumns,
		},
		{
			use: "freeze", short: "Stop the clock",
			request: "PUT /worlds/{world}/clock", body: fixed(`{"frozen":true}`), columns: clockColumns,
		},
		{
			use: "run", short: "Start the clock",
			request: "PUT /worlds/{world}/clock", body: fixed(`{"frozen":false}`), columns: clockColumns,
		},
		{
			use: "set [now=TIME] [frozen=true] [rate=60]", short: "Set the clock, forward only, or its rate",
			args: cobra.MinimumNArgs(1), request: "PUT /worlds/{world}/clock", body: members[world.ClockSetting](),
			columns: clockColumns,
		},
	}},
	{"market", "Show and set the market of a pair, venue by venue", []call{
		{use: "list", short: "List the pairs with a setting", request: "GET /worlds/{world}/market", columns: marketColumns},
		{
			use: "show PAIR", short: "Show the market of a pair", args: cobra.ExactArgs(1),
			request: "GET /worlds/{world}/market/{}", columns: marketColumns,
		},
		{
			use: "set PAIR name=value…", short: "Replace the setting of a pair", args: cobra.MinimumNArgs(2),
			example: "  causeway sim market set USDTNGN pin=1400.50\n" +
				"  causeway sim market set BTCUSDT venues.kraken.state=down venues.okx.offset_bps=250",
			request: "PUT /worlds/{world}/market/{}", body: members[market.Setting](), columns: marketColumns,
		},
		{
			use: "lift PAIR", short: "Remove the setting of a pair", args: cobra.ExactArgs(1),
			request: "DELETE /worlds/{world}/market/{}", columns: marketColumns,
		},
	}},
	{"account", "Show and set accounts: their holders and the responses of providers", []call{
		{
			use: "list", short: "List the accounts that were set",
			request: "GET /worlds/{world}/accounts", columns: accountColumns,
		},
		{
			use: "show BANK NUMBER [country=NG]", short: "Show an account", args: cobra.RangeArgs(2, 3),
			request: "GET /worlds/{world}/accounts/{}/{}", query: members[countryQuery](), columns: accountColumns,
		},
		{
			use: "set BANK NUMBER name=value…", short: "Set an account", args: cobra.MinimumNArgs(3),
			example: "  causeway sim account set 000013 0123456789 account_name='TEST ADA OKAFOR'\n" +
				"  causeway sim account set 058 0123456789 outcome=unknown",
			request: "PUT /worlds/{world}/accounts/{}/{}", body: members[accounts.Overlay](), columns: accountColumns,
		},
		{
			use: "remove BANK NUMBER [country=NG]", short: "Remove the setting of an account", args: cobra.RangeArgs(2, 3),
			request: "DELETE /worlds/{world}/accounts/{}/{}", query: members[countryQuery](), columns: accountColumns,
		},
	}},
	{"fault", "Add, list and remove faults", []call{
		{use: "list", short: "List the faults and their hits", request: "GET /worlds/{world}/faults", columns: faultColumns},
		{
			use: "add preset=NAME | name=value…", short: "Add a fault", args: cobra.MinimumNArgs(1),
			long: "Adds a fault between the service and a provider (match.plane=upstream, the default), or between\n" +
				"clients and the service (match.plane=edge). See causeway sim catalog faults and causeway sim catalog presets.",
			example: "  causeway sim fault add match.provider=kraken effect.kind=inverted when.max_hits=2\n" +
				"  causeway sim fault add preset=provider_down:kraken\n" +
				"  causeway sim fault add match.plane=edge match.operation=resolve-account " +
				"effect.kind=status effect.status=503 when.probability=0.2",
			request: "POST /worlds/{world}/faults", body: members[faultBody](), columns: faultColumns,
		},
		{
			use: "remove FAULT", short: "Remove a fault", args: cobra.ExactArgs(1),
			request: "DELETE /worlds/{world}/faults/{}", columns: faultColumns,
		},
		{use: "clear", short: "Remove all faults", request: "DELETE /worlds/{world}/faults", columns: faultColumns},
	}},
	{"catalog", "List everything that a sandbox can simulate; with -o json each entry has an example", []call{
		catalogList("operations", "operations of the public API", "OPERATION=."),
		catalogList("accounts", "magic account numbers",
			"SUFFIX=suffix OUTCOME=outcome DESCRIPTION=title RESPONSE=try.want.status+try.want.error"),
		catalogList("pairs", "magic pairs", "PAIR=id STATUS=status REASON=reason DESCRIPTION=title"),
		catalogList("outcomes", "outcomes of requests", "OUTCOME=name PLANE=plane DESCRIPTION=title "+
			"RESPONSE=try.want.status+try.want.error OPERATIONS=operations"),
		catalogList("errors", "errors of the public API",
			"ERROR=name STATUS=status TRY=try.request.method+try.request.path"),
		catalogList("addresses", "addresses for every verdict", "CODE=code WARNING=warning TRY=try.request.body"),
		catalogList("faults", "kinds of faults", "KIND=kind PLANES=planes MEMBERS=takes DESCRIPTION=title"),
		catalogList("presets", "presets of faults", "PRESET=name DESCRIPTION=title"),
		catalogList("scenarios", "incidents", "SCENARIO=name DURATION=lasts DESCRIPTION=title SOURCE=source"),
		{
			use: "divergences", short: "List where simulated providers differ from the real ones", request: "GET /divergences",
			columns: "PROVIDER=provider WHAT=what WHY=why TEST=test",
		},
	}},
}

// catalogList returns the command that prints a list of the catalog.
func catalogList(name, title, columns string) call {
	return call{use: name, short: "List the " + title, request: "GET /catalog", member: name, columns: columns}
}

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
		request: "POST /worlds/{world}/next", columns: queueColumns,
		body: func(args []string) (json.RawMessage, error) {
			return json.Marshal(accounts.Queued{Operation: args[0], Outcomes: args[1:]})
		},
	}
	nextList = call{
		use: "list", short: "List the queued outcomes", request: "GET /worlds/{world}/next", columns: queueColumns,
	}
	nextClear = call{
		use: "clear [OPERATION]", short: "Remove queued outcomes", args: cobra.MaximumNArgs(1),
		complete: (*sim).nextOutcomes,
		request:  "DELETE /worlds/{world}/next",
		query: members[struct {
			Operation string `json:"operation"`
		}]("operation"), columns: queueColumns,
	}
	playCommand = call{
		use: "play SCENARIO [speed=60]", short: "Play an incident in the market of the world", args: cobra.RangeArgs(1, 2),
		complete: (*sim).scenarioNames,
		example:  "  causeway sim play dai-2020\n  causeway sim clock advance 10m",
		request:  "POST /worlds/{world}/market/play",
		columns: "*=verdicts SCENARIO=scenario NOW=clock.now FROM=from UNTIL=until PAIR=pair STATUS=status " +
			"REASON=reason",
		body: members[struct {
			Scenario string `json:"scenario"`
			Speed    int64  `json:"speed"`
		}]("scenario"),
	}
)

func fixed(object string) encoder {
	return func([]string) (json.RawMessage, error) { return json.RawMessage(object), nil }
}

// advance encodes a duration, or an instant to advance to.
func advance(args []string) (json.RawMessage, error) {
	member := "to"
	if _, err := time.ParseDuration(args[0]); err == nil {
		member = "by"
	}
	return json.Marshal(map[string]string{member: args[0]})
}
