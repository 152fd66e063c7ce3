package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
)

// ErrInvalidAddress ends the command with exit code 1, after the verdict was printed.
var ErrInvalidAddress = errors.New("the address is not valid")

// validation holds the flags of the command.
type validation struct {
	query   core.AddressQuery
	memo    string
	file    string
	testnet bool
	output  string
}

func validateCommand() *cobra.Command {
	var v validation
	cmd := &cobra.Command{
		Use:   "validate CURRENCY ADDRESS | --file LIST",
		Short: "Check whether a crypto address can be paid, or a whole list of them",
		Long: `Checks currency, network, address and memo together, as POST /v1/validate does. Nothing is sent anywhere.

A list is CSV with a header (currency and address; network, memo and memo_type if wanted), or one
JSON object per line with the same members; "-" reads standard input. It is written to standard
output, each line with its verdict. Secret keys are masked.

Exit code: 0 valid (or the list was read), 1 not valid, 2 usage error.`,
		Example: `  causeway validate BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4
  causeway validate USDT TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t --network TRC20
  causeway validate --file payouts.csv > checked.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if wanted := 2; v.file == "" && len(args) != wanted {
				return UsageError("give a currency and an address, or --file")
			}
			if v.file != "" && len(args) > 0 {
				return UsageError("give either a currency and an address, or --file, not both")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("memo") {
				v.query.Memo = &v.memo
			}
			err := v.run(cmd.OutOrStdout(), cmd.InOrStdin(), args)
			if err != nil && !errors.Is(err, ErrInvalidAddress) {
				return UsageError("%w", err)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&v.query.Network, "network", "",
		"network, by its code or another usual name (default: the currency's own)")
	flags.StringVar(&v.memo, "memo", "", "memo, tag or comment of the payment")
	flags.StringVar(&v.query.MemoType, "memo-type", "", "kind of the memo: text, id, hash or return")
	flags.StringVar(&v.file, "file", "", "list to check: CSV with a header, or JSON lines; - is standard input")
	flags.BoolVar(&v.testnet, "testnet", false, "accept addresses of test networks, as a sandbox does")
	OutputFlag(flags, &v.output)
	cmd.MarkFlagsMutuallyExclusive("file", "output")
	return cmd
}

func (v validation) run(out io.Writer, in io.Reader, args []string) error {
	catalog, err := config.LoadCatalog()
	if err != nil {
		return err
	}
	service, err := addresses.New(catalog.Currencies, addresses.Policy{Testnet: v.testnet})
	if err != nil {
		return err
	}
	if v.file != "" {
		return validateList(service, v.file, in, out)
	}
	if addresses.Secret(args[0]) {
		return errors.New("the currency may be a secret key and is not repeated; the order is CURRENCY ADDRESS")
	}
	v.query.Currency, v.query.Address = strings.ToUpper(strings.TrimSpace(args[0])), core.Private(args[1])
	verdict, err := service.Validate(v.query)
	if err != nil {
		return plainError(err)
	}
	if err := v.print(out, verdict); err != nil {
		return err
	}
	if !verdict.Valid {
		return ErrInvalidAddress
	}
	return nil
}

// print writes the verdict on one address.
func (v validation) print(out io.Writer, verdict core.Verdict) error {
	if v.output == "json" {
		return PrintJSON(out, newVerdictLine(verdict))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			_, _ = fmt.Fprintf(table, "%s\t%s\n", name, value)
		}
	}
	state := "valid"
	if !verdict.Valid {
		state = "NOT valid: " + verdict.Reason
	}
	row("verdict", state)
	row("", verdict.Message)
	row("network", verdict.Network)
	row("format", verdict.Format)
	row("environment", string(verdict.Environment))
	row("normalized", verdict.Normalized)
	row("warnings", strings.Join(verdict.Warnings, ", "))
	row("belongs to", strings.Join(verdict.PossibleNetworks, ", "))
	return table.Flush()
}

// plainError returns the message that a client may see.
func plainError(err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return errors.New(e.Message)
	}
	return err
}
