package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func pricesCommand() *cobra.Command {
	parent := &cobra.Command{
		Use: "prices", Short: "Say something to the price engine of a running process", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var operator string
	acknowledge := &cobra.Command{
		Use:   "acknowledge CURRENCY|MARKET",
		Short: "Let a stablecoin be traded although it is off its peg, or take a rate's jump for real",
		Long: `A stablecoin that is further from its peg than its class allows (5 % by default) is shown and not traded, and neither is what is
priced by way of it. This lets it be traded at the price that it has.

It holds until the coin is back within half that limit (2.5 %), or the process ends: whoever breaks its peg again is to be
acknowledged again.

An official rate that only one source tells, and that jumps by more than its class allows, is not believed: what is priced by way of it is halted, since a
mistake looks the same. Where it is real, such as a devaluation, acknowledge the market (USD/GHS).

It is written to the log of the process. /debug/prices on the same listener shows which coins wait for it.`,
		Example: "  causeway prices acknowledge USDT\n  causeway prices acknowledge USDC --operator 10.0.0.5:9099\n  causeway prices acknowledge USD/GHS",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("give one stablecoin, such as USDT, or one market, such as USD/GHS")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			said, err := tell(cmd.Context(), operator, "/prices/acknowledge", map[string]string{"currency": args[0]})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			return err
		},
	}
	acknowledge.Flags().StringVar(&operator, "operator", "127.0.0.1:9099", "address of the operator's listener of the process (its operator_listen)")
	parent.AddCommand(acknowledge)
	return parent
}
