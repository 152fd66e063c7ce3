package sim

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/cli"
	"causeway/simulator"
	"causeway/simulator/journal"
)

// simWorld is a world as the control API shows it.
type simWorld struct {
	ID       string
	Seed     string
	Clock    simClock
	Markets  int
	Accounts int
	Faults   int
	Queued   int
	Journal  journal.State
}

// simClock is its clock.
type simClock struct {
	simulator.ClockState

	Next time.Time `json:"next_event"`
}

// runs says how a clock goes.
func (c simClock) runs() string {
	switch {
	case c.Frozen:
		return "frozen"
	case c.Rate > 1:
		return "×" + json.Number(itoa(c.Rate)).String()
	}
	return "runs"
}

func oneWorld(w simWorld) cli.Table { return allWorlds([]simWorld{w}) }

func allWorlds(all []simWorld) cli.Table {
	t := cli.Table{Head: []string{"WORLD", "SEED", "TIME", "CLOCK", "MARKETS", "ACCOUNTS", "FAULTS", "QUEUED", "JOURNAL"}}
	for _, w := range all {
		t.Row(w.ID, w.Seed, instant(w.Clock.Now), w.Clock.runs(), w.Markets, w.Accounts, w.Faults, w.Queued, w.Journal.Entries)
	}
	return t
}

// newWorld is what a world is made with.
func newWorld(args []string) (json.RawMessage, error) {
	return bodyOf[simulator.Options](append([]string{"id=" + args[0]}, args[1:]...))
}

func (s *sim) worlds() *cobra.Command {
	one := []cobra.PositionalArgs{cobra.ExactArgs(1)}
	return cli.Group("world", "List, create, show, reset, fork, export, import and delete worlds",
		ask[[]simWorld]{use: "list", short: "List the worlds that are alive", args: cobra.NoArgs, method: http.MethodGet, path: func([]string) string { return "/worlds" }, table: allWorlds}.command(s),
		ask[simWorld]{use: "show", short: "Show the world of --world", args: cobra.NoArgs, method: http.MethodGet, path: s.at(), table: oneWorld}.command(s),
		ask[simWorld]{
			use: "create NAME [seed=… clock.now=… clock.frozen=true ttl=1h magic_pairs=true …]", short: "Create a world", args: cobra.MinimumNArgs(1), method: http.MethodPost,
			path: func([]string) string { return "/worlds" }, body: newWorld, table: oneWorld,
			example: "  causeway sim world create TestCheckout clock.now=2026-11-16T12:00:00Z clock.frozen=true",
		}.command(s),
		ask[simWorld]{use: "reset", short: "Begin the world of --world anew", args: cobra.NoArgs, method: http.MethodPost, path: s.at("reset"), table: oneWorld}.command(s),
		ask[simWorld]{
			use: "fork NAME", short: "Make a world in the state of that of --world", args: one[0], method: http.MethodPost, path: s.at("fork"), table: oneWorld,
			body: func(args []string) (json.RawMessage, error) { return json.Marshal(map[string]string{"id": args[0]}) },
		}.command(s),
		s.exportWorld(),
		ask[simWorld]{
			use: "import FILE", short: "Make the world of --world of a document that export wrote; - is standard input", args: one[0], method: http.MethodPost, path: s.at("import"), table: oneWorld,
			body: func(args []string) (json.RawMessage, error) { return readFile(args[0]) },
		}.command(s),
		ask[simWorld]{
			use: "delete", short: "End the world of --world", args: cobra.NoArgs, method: http.MethodDelete, path: s.at(),
			table: func(w simWorld) cli.Table { return cli.Table{Head: []string{"ENDED"}, Rows: [][]string{{w.ID}}} },
		}.command(s),
	)
}

func (s *sim) exportWorld() *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Print the world of --world as a document for import", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := s.fetch(cmd.Context(), http.MethodGet, s.worldPath("export")+"?format=file", nil)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}

// readFile reads a file, or standard input where it is called "-".
func readFile(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(name) //nolint:gosec // the file that the caller names
}
