package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func banksCommand() *cobra.Command {
	parent := &cobra.Command{
		Use: "banks", Short: "Say something to the registry of banks of a running process", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var said struct {
		Directory string `json:"directory"`
		Country   string `json:"country"`
	}
	var operator string
	accept := &cobra.Command{
		Use:   "accept --directory NAME --country CODE",
		Short: "Take over a list that is held back because too much is missing",
		Long: `A list of banks that lacks more than a tenth of what its provider has listed is held back: the last good one stays. Look at what
is missing on /debug/banks of the operator's listener, then accept the list here, or wait for a better one.

It is written to the log of the process. What is missing stays on the list of banks, but that provider is not asked about it any more; what
nobody but providers knew leaves the list.`,
		Example: "  causeway banks accept --directory paystack --country NG\n  causeway banks accept --directory korapay --country KE --operator 10.0.0.5:9099",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			answered, err := tell(cmd.Context(), operator, "/banks/accept", said)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), answered)
			return err
		},
	}
	accept.Flags().StringVar(&said.Directory, "directory", "", "whose list, for example paystack")
	accept.Flags().StringVar(&said.Country, "country", "", "of which country, for example NG")
	accept.Flags().StringVar(&operator, "operator", "127.0.0.1:9099", "address of the operator's listener of the process (its operator_listen)")
	_, _ = accept.MarkFlagRequired("directory"), accept.MarkFlagRequired("country")
	parent.AddCommand(accept)
	return parent
}
