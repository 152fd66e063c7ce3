package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"causeway/cmd/causeway/operator"
)

func pricesCommand() *cobra.Command {
	var client Client
	acknowledge := &cobra.Command{
		Use:   "acknowledge CURRENCY|MARKET",
		Short: "Trade a stablecoin although it is off its peg, or accept the jump of a rate",
		Long: `A stablecoin further off its peg than its class allows (5 % by default) is shown and not traded, and
neither is what is priced by way of it. This lets it be traded at its price, for 24 hours at most,
until it is back within half that limit (2.5 %) or 5 % further away.

An official rate that has a single source and jumps by more than its class allows is not accepted:
what is priced by way of it is halted, since a mistake looks the same. If the jump is real, such as
a devaluation, acknowledge the market (USD/GHS).

The decision is written to the log of the process. /debug/prices on the operator listener shows what
waits for one.`,
		Example: "  causeway prices acknowledge USDT\n" +
			"  causeway prices acknowledge USDC --operator 10.0.0.5:9099\n" +
			"  causeway prices acknowledge USD/GHS",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return UsageError("give one stablecoin, such as USDT, or one market, such as USD/GHS")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return client.decide(cmd, operator.AcknowledgePath, operator.Acknowledgement{Currency: args[0]})
		},
	}
	client.operatorFlag(acknowledge.Flags(), defaultOperator)
	OutputFlag(acknowledge.Flags())
	return Group("prices", "List pairs with their sources, and decide about prices of a running process",
		listPairsCommand(), acknowledge)
}

func listPairsCommand() *cobra.Command {
	list := &cobra.Command{
		Use:   "list",
		Short: "List the pairs of the catalog with the source families on their routes",
		Long: `Prints the routes of every pair, by preference, each market with its number of independent families of
sources and the quorum that it needs. A family is a set of sources with one owner of the data.`,
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := LoadConfig(cmd.Flags())
			if err != nil {
				return err
			}
			catalog, err := cfg.LoadCatalog()
			if err != nil {
				return err
			}
			table := Table{Head: []string{"PAIR", "CLASS", "ROUTES"}}
			documents := []pairJSON{}
			for _, l := range catalog.Listings {
				p := pairJSON{Pair: l.Pair.String(), Class: l.Class, Routes: catalog.Families(l)}
				documents = append(documents, p)
				table.Row(p.Pair, p.Class, strings.Join(p.Routes, "; or "))
			}
			return table.Print(cmd, documents)
		},
	}
	SettingFlags(list.Flags())
	OutputFlag(list.Flags())
	WideFlag(list.Flags())
	return list
}

// pairJSON is a pair of the catalog with the source families of its routes.
type pairJSON struct {
	Pair   string   `json:"pair"`
	Class  string   `json:"class"`
	Routes []string `json:"routes"`
}
