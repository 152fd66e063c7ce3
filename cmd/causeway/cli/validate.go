package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"causeway/config"
	"causeway/core"
	"causeway/core/addresses"
)

// ErrInvalidAddress ends the command with exit code 1 after the verdict was printed; a question that cannot be
// judged ends it with 2, so that a script can tell them apart.
var ErrInvalidAddress = errors.New("the address is not valid")

// validation is what the flags of the command say.
type validation struct {
	query   core.AddressQuery
	memo    string
	file    string
	testnet bool
	asJSON  bool
}

func validateCommand() *cobra.Command {
	var v validation
	cmd := &cobra.Command{
		Use:   "validate CURRENCY ADDRESS | --file LIST",
		Short: "Say whether a crypto address can be paid, or judge a whole list of them",
		Long: `Judges currency, network, address and memo together, as POST /v1/validate does. Nothing is sent anywhere.

A list is CSV with a header (currency and address; network, memo and memo_type if wanted), or one JSON object a line with
the same fields; "-" reads standard input. It is written to standard output line by line with the verdict beside what it had.

Exit code: 0 valid (or the list was read), 1 not valid, 2 the question cannot be judged.`,
		Example: `  causeway validate BTC bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4
  causeway validate USDT TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t --network TRC20
  causeway validate --file payouts.csv > judged.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if wanted := 2; v.file == "" && len(args) != wanted {
				return asked(errors.New("give a currency and an address, or --file"))
			}
			if v.file != "" && len(args) > 0 {
				return asked(errors.New("give either a currency and an address, or --file, not both"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("memo") {
				v.query.Memo = &v.memo
			}
			return asked(v.run(cmd.OutOrStdout(), cmd.InOrStdin(), args))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&v.query.Network, "network", "", "network, by our code or another usual name (default: the currency's own)")
	flags.StringVar(&v.memo, "memo", "", "memo, tag or comment of the payment")
	flags.StringVar(&v.query.MemoType, "memo-type", "", "kind of the memo: text, id, hash or return")
	flags.StringVar(&v.file, "file", "", "list to judge: CSV with a header, or JSON lines; - is standard input")
	flags.BoolVar(&v.testnet, "testnet", false, "judge addresses of test networks valid, as a sandbox does")
	flags.BoolVar(&v.asJSON, "json", false, "print the verdict of one address as JSON")
	return cmd
}

// asked gives an error that is not a verdict the exit code of a question that cannot be judged.
func asked(err error) error {
	if err == nil || errors.Is(err, ErrInvalidAddress) {
		return err
	}
	return &ExitError{Code: 2, Err: err}
}

func (v validation) run(out io.Writer, in io.Reader, args []string) error {
	catalog, err := config.LoadCatalog()
	if err != nil {
		return err
	}
	judge, err := addresses.New(catalog.Currencies, addresses.Policy{Testnet: v.testnet})
	if err != nil {
		return err
	}
	if v.file != "" {
		return v.list(judge, out, in)
	}
	if addresses.Secret(args[0]) {
		return errors.New("the currency may be a secret key, and is not repeated; the order is CURRENCY ADDRESS")
	}
	v.query.Currency, v.query.Address = strings.ToUpper(strings.TrimSpace(args[0])), core.Private(args[1])
	verdict, err := judge.Validate(v.query)
	if err != nil {
		return clientError(err)
	}
	if err := v.print(out, verdict); err != nil {
		return err
	}
	if !verdict.Valid {
		return ErrInvalidAddress
	}
	return nil
}

// list judges the file, or standard input.
func (v validation) list(judge *addresses.Service, out io.Writer, in io.Reader) error {
	name := v.file
	if v.file != "-" {
		file, err := os.Open(v.file)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	reader := bufio.NewReaderSize(in, 1<<16)
	first, err := reader.Peek(1)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty", name)
	}
	if err != nil {
		return err
	}
	seen := newProgress(os.Stderr)
	if first[0] == '{' || strings.HasPrefix(filepath.Ext(name), ".json") || filepath.Ext(name) == ".ndjson" {
		err = judgeJSON(judge, reader, buffered, seen)
	} else {
		err = judgeCSV(judge, reader, buffered, seen)
	}
	return errors.Join(err, buffered.Flush(), seen.end())
}

// print shows one verdict, for people or for programs.
func (v validation) print(out io.Writer, verdict core.Verdict) error {
	if v.asJSON {
		text, err := json.Marshal(newVerdict(verdict))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(out, string(text))
		return err
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

// clientError is what a client may see of an error, for the terminal.
func clientError(err error) error {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return errors.New(e.Message)
	}
	return err
}
