package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"causeway/core"
	"causeway/core/addresses"
)

const (
	maxLine       = 1 << 20 // bytes of a JSON line
	bufferSize    = 1 << 16
	gcPercent     = 400      // the live heap is small and every line is garbage: collect less often
	byteOrderMark = "\ufeff" // some spreadsheets write it first
	mask          = "****"
)

// verdictColumns are the columns that a CSV list gains.
var verdictColumns = []string{
	"valid", "judged_network", "reason", "message", "warnings", "format", "environment",
	"normalized", "possible_networks", "error", "payment_amount", "payment_memo", "payment_label",
}

// verdictLine is a verdict as lists show it: the members of the response of POST /v1/validate that the line lacks.
type verdictLine struct {
	Valid            *bool    `json:"valid,omitzero"` // nil if there is an error
	Network          string   `json:"network,omitzero"`
	Reason           string   `json:"reason,omitzero"`
	Message          string   `json:"message,omitzero"`
	Warnings         []string `json:"warnings,omitempty"`
	Format           string   `json:"format,omitzero"`
	Environment      string   `json:"environment,omitzero"`
	Normalized       string   `json:"normalized,omitzero"`
	PossibleNetworks []string `json:"possible_networks,omitempty"`
	Error            string   `json:"error,omitzero"` // the line makes no sense; contains nothing of it

	Payment paymentLine `json:"payment,omitzero"`
}

// paymentLine is what a payment link asks for that is in place of the address.
type paymentLine struct {
	Address  string `json:"address"`
	Network  string `json:"network"`
	Currency string `json:"currency"`
	Amount   string `json:"amount,omitzero"`
	Memo     string `json:"memo,omitzero"`
	Label    string `json:"label,omitzero"`
}

func newVerdictLine(v core.Verdict) verdictLine {
	valid := v.Valid // a copy, because &v.Valid would move all of v to the heap
	line := verdictLine{
		Valid: &valid, Network: v.Network, Reason: v.Reason, Message: v.Message, Warnings: v.Warnings, Format: v.Format,
		Environment: string(v.Environment), Normalized: v.Normalized, PossibleNetworks: v.PossibleNetworks,
	}
	if p := v.Payment; p != nil {
		line.Payment = paymentLine{
			Address: p.Address.Reveal(), Network: p.Network, Currency: p.Currency,
			Memo: p.Memo.Reveal(), Label: p.Label.Reveal(),
		}
		if p.Amount != nil {
			line.Payment.Amount = p.Amount.String()
		}
	}
	return line
}

// appendCells appends the columns of a CSV list to row.
func (l verdictLine) appendCells(row []string) []string {
	valid := ""
	if l.Valid != nil {
		valid = strconv.FormatBool(*l.Valid)
	}
	return append(row,
		valid, l.Network, l.Reason, l.Message, strings.Join(l.Warnings, " "), l.Format, l.Environment, l.Normalized,
		strings.Join(l.PossibleNetworks, " "), l.Error, l.Payment.Amount, l.Payment.Memo, l.Payment.Label,
	)
}

// progressBar shows on out which part of a file was read.
type progressBar struct {
	io.Reader

	out                 io.Writer
	size, read, percent int64
}

// Read implements io.Reader.
func (p *progressBar) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.read += int64(n)
	if percent := min(100*p.read/p.size, 100); percent != p.percent { // the file may grow
		p.percent = percent
		_, _ = fmt.Fprintf(p.out, "\r[%-50s] %3d %%", strings.Repeat("#", int(percent/2)), percent)
	}
	return n, err
}

// validateList checks the lines of a file, or of standard input if the name is "-". It shows a progress bar if standard
// error is a terminal and the results go elsewhere.
func validateList(cmd *cobra.Command, service *addresses.Service, name string) error {
	in, out := cmd.InOrStdin(), cmd.OutOrStdout()
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		in = file
		info, err := file.Stat()
		if err == nil && info.Size() > 0 && terminalWidth(cmd.ErrOrStderr()) > 0 && terminalWidth(out) == 0 {
			in = &progressBar{Reader: file, out: cmd.ErrOrStderr(), size: info.Size()}
			defer cmd.PrintErrln()
		}
	}
	debug.SetGCPercent(gcPercent)
	reader, writer := bufio.NewReaderSize(in, bufferSize), bufio.NewWriterSize(out, bufferSize)
	first, err := reader.Peek(1)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty", name)
	}
	if err != nil {
		return err
	}
	if ext := filepath.Ext(name); first[0] == '{' || strings.HasPrefix(ext, ".json") || ext == ".ndjson" {
		err = validateJSON(service, reader, writer)
	} else {
		err = validateCSV(service, reader, writer)
	}
	return errors.Join(err, writer.Flush())
}

// validateLine checks one line and returns the address to write back: a secret key is masked.
func validateLine(service *addresses.Service, q core.AddressQuery) (line verdictLine, address string) {
	if addresses.Secret(q.Currency) {
		return verdictLine{Error: "currency may be a secret key"}, maskSecret(q.Address.Reveal())
	}
	q.Currency = strings.ToUpper(strings.TrimSpace(q.Currency))
	verdict, err := service.Validate(q)
	if err != nil {
		return verdictLine{Error: withoutValue(err)}, maskSecret(q.Address.Reveal())
	}
	return newVerdictLine(verdict), verdict.Address.Reveal()
}

// quotedValue matches the value at the beginning of a reason.
var quotedValue = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|\(a value with [^)]*\)|` +
	`a value that looks like a private key or recovery phrase) `)

// withoutValue is the text of an error that begins with the value of a field, without that value.
func withoutValue(err error) string {
	e, ok := errors.AsType[*core.Error](err)
	if !ok || len(e.Fields) == 0 {
		return "the line cannot be checked"
	}
	return e.Fields[0].Field + " " + quotedValue.ReplaceAllString(e.Fields[0].Reason, "")
}

func maskSecret(text string) string {
	if addresses.Secret(text) {
		return mask
	}
	return text
}

// csvColumns are the indexes of the columns of a list; -1 if there is none.
type csvColumns struct{ currency, address, network, memo, memoType int }

// readHeader finds the columns. Its errors show nothing of the header: a list without one begins with an address.
func readHeader(header []string) (csvColumns, error) {
	at := func(name string) int {
		return slices.IndexFunc(header, func(column string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(column, byteOrderMark)), name)
		})
	}
	c := csvColumns{at("currency"), at("address"), at("network"), at("memo"), at("memo_type")}
	if c.currency < 0 || c.address < 0 {
		return c, errors.New("the first line lacks the columns currency and address; separate columns by commas")
	}
	for _, name := range verdictColumns {
		if at(name) >= 0 {
			return c, fmt.Errorf("the list has a column %s, as the output does; rename it or remove it", name)
		}
	}
	return c, nil
}

func (c csvColumns) query(record []string) core.AddressQuery {
	cell := func(i int) string {
		if i < 0 {
			return ""
		}
		return record[i]
	}
	q := core.AddressQuery{
		Currency: cell(c.currency), Address: core.Private(cell(c.address)),
		Network: cell(c.network), MemoType: cell(c.memoType),
	}
	if memo := cell(c.memo); memo != "" {
		q.Memo = &memo
	}
	return q
}

// validateCSV checks a list with a header. The columns stay, and the columns of the verdict follow.
func validateCSV(service *addresses.Service, in io.Reader, out io.Writer) error {
	reader, writer := csv.NewReader(in), csv.NewWriter(out)
	reader.ReuseRecord, reader.FieldsPerRecord = true, -1 // a row of another length gets an error of its own
	header, err := reader.Read()
	if err != nil {
		return fmt.Errorf("the header cannot be read: %w", err)
	}
	columns, err := readHeader(header)
	if err != nil {
		return err
	}
	width := len(header)
	var row []string // reused for all lines
	for i, column := range header {
		header[i] = maskSecret(column)
	}
	if err := writer.Write(slices.Concat(header, verdictColumns)); err != nil {
		return err
	}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			writer.Flush()
			return writer.Error()
		}
		var line verdictLine
		address := ""
		switch {
		case errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote):
			record, line.Error = make([]string, width), "the row cannot be read: "+err.Error()
		case err != nil:
			writer.Flush()
			return errors.Join(err, writer.Error())
		case len(record) > width:
			line.Error = fmt.Sprintf("the row has %d fields, the header %d", len(record), width)
			record = record[:width]
			address = maskSecret(record[columns.address])
		default:
			record = append(record, make([]string, width-len(record))...)
			line, address = validateLine(service, columns.query(record))
		}
		row = row[:0]
		for i, cell := range record {
			if i == columns.address {
				row = append(row, address) // already masked if it is a secret
			} else {
				row = append(row, maskSecret(cell))
			}
		}
		row = line.appendCells(row)
		if err := writer.Write(row); err != nil {
			return err
		}
	}
}

// jsonQuery holds the members of a JSON line that are checked.
type jsonQuery struct {
	Currency string         `json:"currency"`
	Address  string         `json:"address"`
	Network  string         `json:"network"`
	Memo     *string        `json:"memo"`
	MemoType string         `json:"memo_type"`
	Verdict  jsontext.Value `json:"verdict"`
}

// validateJSON checks a list of one JSON object per line. The members stay, and "verdict" follows.
func validateJSON(service *addresses.Service, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, bufferSize), maxLine)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := validateObject(service, text, out); err != nil {
			return fmt.Errorf("line %d %w", n, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line is longer than %d bytes", maxLine)
	}
	return lines.Err()
}

// validateObject writes an object with its verdict, on one line. A line that is no such object is replaced by an error.
func validateObject(service *addresses.Service, text []byte, out io.Writer) error {
	var q jsonQuery
	if err := json.Unmarshal(text, &q); err != nil || text[0] != '{' {
		_, err := io.WriteString(out,
			`{"verdict":{"error":"the line is not a JSON object with texts for currency and address"}}`+"\n")
		return err
	}
	if q.Verdict != nil {
		return errors.New("has a member verdict, as the output does; rename it or remove it")
	}
	line, address := validateLine(service, core.AddressQuery{
		Currency: q.Currency, Address: core.Private(q.Address), Network: q.Network, Memo: q.Memo, MemoType: q.MemoType,
	})
	in := jsontext.NewDecoder(bytes.NewReader(text))
	to := jsontext.NewEncoder(out, jsontext.AllowDuplicateNames(true)) // several names may be masked
	for {
		token, err := in.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case in.StackDepth() == 0: // the end of the object
			err = errors.Join(to.WriteToken(jsontext.String("verdict")), json.MarshalEncode(to, line))
		case token.Kind() == '"' && token.String() == q.Address: // validateLine masked it if it is a secret
			token = jsontext.String(address)
		case token.Kind() == '"':
			token = jsontext.String(maskSecret(token.String()))
		}
		if err := errors.Join(err, to.WriteToken(token)); err != nil {
			return err
		}
	}
}
