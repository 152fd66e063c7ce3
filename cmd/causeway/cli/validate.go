package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
)

// ErrInvalidAddress ends the command with exit code 1, after the verdict was printed.
var ErrInvalidAddress = errors.New("the address is not valid")

// exitNoVerdict is the exit code if the server does not check the address.
const exitNoVerdict = 3

// validation holds the flags of the command.
type validation struct {
	query   core.AddressQuery
	memo    string
	file    string
	testnet bool
	remote  Client // with a server if the check is made there
}

func validateCommand() *cobra.Command {
	var v validation
	cmd := &cobra.Command{
		Use:   "validate CURRENCY ADDRESS | --file LIST",
		Short: "Check whether a crypto address can be paid, or a whole list of them",
		Long: `Checks currency, network, address and memo together, as POST /v1/validate does. Nothing is sent
anywhere, unless --server names a server that checks the address by its own rules. A payment link
in place of the address is read, and the address in it is checked.

A list is CSV with a header (currency and address; network, memo and memo_type if wanted), or one
JSON object per line with the same members; "-" reads standard input. It is written to standard
output, each line with its verdict. Secret keys are masked.

Exit code: 0 valid (or the list was read), 1 not valid, 2 usage error, 3 no verdict of the server.`,
		Example: `  causeway validate BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4
  causeway validate USDT TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t --network TRC20
  causeway validate BTC 'bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.1'
  causeway validate --file payouts.csv > checked.csv
  causeway validate BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4 --server http://localhost:8080`,
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
			if v.file == "" && isCurrency(args[1]) && !isCurrency(args[0]) {
				return UsageError("the order is CURRENCY ADDRESS, but the second argument is a currency")
			}
			if v.remote.Server != "" {
				return v.runRemote(cmd, args)
			}
			err := v.run(cmd, args)
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
	OutputFlag(flags)
	for flag, field := range map[string]string{"network": "network", "memo": "memo", "memo-type": "memo_type"} {
		SetField(cmd, flag, field)
	}
	v.remote.addServerFlags(flags, "", "URL of a server that checks the address, such as "+defaultServer)
	cmd.MarkFlagsMutuallyExclusive("file", "output")
	cmd.MarkFlagsMutuallyExclusive("server", "file")
	cmd.MarkFlagsMutuallyExclusive("server", "testnet")
	return cmd
}

// isCurrency reports whether the catalog has a currency.
func isCurrency(code string) bool {
	catalog, err := config.LoadCatalog()
	return err == nil && slices.ContainsFunc(catalog.Currencies, func(c core.Currency) bool {
		return strings.EqualFold(c.Code, code)
	})
}

func (v validation) run(cmd *cobra.Command, args []string) error {
	catalog, err := config.LoadCatalog()
	if err != nil {
		return err
	}
	service, err := addresses.New(catalog.Currencies, addresses.Policy{Testnet: v.testnet})
	if err != nil {
		return err
	}
	if v.file != "" {
		return validateList(cmd, service, v.file)
	}
	if addresses.Secret(args[0]) {
		return errors.New("the currency may be a secret key and is not repeated; the order is CURRENCY ADDRESS")
	}
	v.query.Currency, v.query.Address = strings.ToUpper(strings.TrimSpace(args[0])), core.Private(args[1])
	verdict, err := service.Validate(v.query)
	if err != nil {
		return plainError(cmd, err)
	}
	return printVerdict(cmd, newVerdictLine(verdict))
}

// runRemote checks an address at the server.
func (v validation) runRemote(cmd *cobra.Command, args []string) error {
	if addresses.Secret(args[0]) || addresses.Secret(args[1]) {
		return UsageError("the currency or the address may be a secret key and is not sent; the order is CURRENCY ADDRESS")
	}
	body := map[string]any{"type": "address", "currency": args[0], "address": args[1]}
	if v.query.Memo != nil {
		body["memo"] = v.memo
	}
	for name, value := range map[string]string{"network": v.query.Network, "memo_type": v.query.MemoType} {
		if value != "" {
			body[name] = value
		}
	}
	var verdict verdictLine
	data, err := v.remote.Data(cmd.Context(), Call{
		Wording: NewWording(cmd, nil), Method: http.MethodPost, Path: "/v1/validate", Body: body,
	})
	if err == nil && (json.Unmarshal(data, &verdict) != nil || verdict.Valid == nil) {
		err = errOtherVersion
	}
	if err != nil && ExitCode(err) != exitUsage {
		return &ExitError{exitNoVerdict, err}
	}
	if err != nil {
		return err
	}
	return printVerdict(cmd, verdict)
}

// printVerdict writes the verdict on one address. Its error is ErrInvalidAddress if the address is
// not valid.
func printVerdict(cmd *cobra.Command, verdict verdictLine) error {
	out, result := cmd.OutOrStdout(), ErrInvalidAddress
	if *verdict.Valid {
		result = nil
	}
	if WantsJSON(cmd) {
		return cmp.Or(PrintJSON(out, verdict), result)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" {
			_, _ = fmt.Fprintf(table, "%s\t%s\n", name, value)
		}
	}
	state := statusText(out, "valid")
	if result != nil {
		state = statusText(out, "NOT valid") + ": " + verdict.Reason
	}
	row("verdict", state)
	row("", verdict.Message)
	row("network", verdict.Network)
	row("format", verdict.Format)
	row("environment", verdict.Environment)
	row("normalized", verdict.Normalized)
	row("warnings", strings.Join(verdict.Warnings, ", "))
	row("belongs to", strings.Join(verdict.PossibleNetworks, ", "))
	row("link: amount", verdict.Payment.Amount)
	row("link: memo", verdict.Payment.Memo)
	row("link: label", verdict.Payment.Label)
	return cmp.Or(table.Flush(), result)
}

// plainError returns the message that a client may see, in the words of the command.
func plainError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return errors.New(NewWording(cmd, nil).text(e.Message))
	}
	return err
}
