package sim

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func clockTable(c simClock) cli.Table {
	t := cli.Table{Head: []string{"TIME", "CLOCK", "NEXT EVENT"}}
	t.Row(instant(c.Now), c.runs(), instant(c.Next))
	return t
}

func (s *sim) clock() *cobra.Command {
	setting := func(use, short string, members func(args []string) []string, args cobra.PositionalArgs) *cobra.Command {
		return ask[simClock]{
			use: use, short: short, args: args, method: http.MethodPut, path: s.at("clock"), table: clockTable,
			body: func(args []string) (json.RawMessage, error) { return bodyOf[simulator.ClockSetting](members(args)) },
		}.command(s)
	}
	as := func(member string) func([]string) []string {
		return func([]string) []string { return []string{member} }
	}
	return cli.Group("clock", "Show, stop, set, speed up and advance the clock of a world",
		ask[simClock]{use: "show", short: "Show the clock, and when the next thing happens that the world knows of", args: cobra.NoArgs, method: http.MethodGet, path: s.at("clock"), table: clockTable}.command(s),
		ask[simClock]{
			use: "advance DURATION | TIME | next-event", short: "Move the clock on, and return when all that falls due on the way is done",
			example: "  causeway sim clock advance 37s\n  causeway sim clock advance 2026-11-16T13:00:00Z\n  causeway sim clock advance next-event",
			args:    cobra.ExactArgs(1), method: http.MethodPost, path: s.at("clock", "advance"), body: advancing, table: clockTable,
		}.command(s),
		setting("freeze", "Stop the clock", as("frozen=true"), cobra.NoArgs),
		setting("run", "Let the clock run", as("frozen=false"), cobra.NoArgs),
		setting("set [now=… frozen=true] | [rate=60]", "Set the clock: it is not set back", func(args []string) []string { return args }, cobra.MinimumNArgs(1)),
	)
}

// advancing is how far to go: a duration is by how much, all else is where to.
func advancing(args []string) (json.RawMessage, error) {
	member := "to"
	if _, err := time.ParseDuration(args[0]); err == nil {
		member = "by"
	}
	return json.Marshal(map[string]string{member: args[0]})
}
