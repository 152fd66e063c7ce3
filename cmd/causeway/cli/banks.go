package cli

import (
	"github.com/spf13/cobra"

	"causeway/cmd/causeway/operator"
)

func banksCommand() *cobra.Command {
	var (
		client Client
		list   operator.Acceptance
	)
	accept := &cobra.Command{
		Use:   "accept --directory NAME --country CODE",
		Short: "Accept a list that is held back because too much is missing",
		Long: `A list of banks that lacks more than a tenth of what its provider has listed is held back: the last
good one stays. See what is missing on /debug/banks of the operator listener, then accept the list
here, or wait for a better one.

The decision is written to the log of the process. Missing banks that the catalog has stay on the
list, but the provider is not called about them any more; banks that only providers listed are
removed.`,
		Example: "  causeway banks accept --directory paystack --country NG\n" +
			"  causeway banks accept --directory korapay --country KE --operator 10.0.0.5:9099",
		Args: NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if list.Country, err = countryCode(list.Country); err != nil {
				return err
			}
			return client.decide(cmd, operator.AcceptPath, list)
		},
	}
	accept.Flags().StringVar(&list.Directory, "directory", "", "provider of the list, such as paystack")
	accept.Flags().StringVar(&list.Country, "country", "", "country of the list, such as NG")
	_, _ = accept.MarkFlagRequired("directory"), accept.MarkFlagRequired("country")
	client.operatorFlag(accept.Flags(), defaultOperator)
	OutputFlag(accept.Flags())
	banks := listBanks()
	banks.AddCommand(accept)
	return banks
}
