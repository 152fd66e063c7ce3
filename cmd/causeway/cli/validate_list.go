package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"causeway/core"
	"causeway/core/addresses"
)

const (
	maxLine       = 1 << 20  // of a JSON list, in bytes
	byteOrderMark = "\ufeff" // that some spreadsheets write first
	hidden        = "****"   // instead of a secret
)

// verdictLine is a verdict as the list shows it: the fields of the answer of POST /v1/validate that are not in the question.
type verdictLine struct {
	Valid            *bool    `json:"valid,omitzero"` // nil: it cannot be judged, which is not invalid
	Network          string   `json:"network,omitzero"`
	Reason           string   `json:"reason,omitzero"`
	Message          string   `json:"message,omitzero"`
	Warnings         []string `json:"warnings,omitempty"`
	Format           string   `json:"format,omitzero"`
	Environment      string   `json:"environment,omitzero"`
	Normalized       string   `json:"normalized,omitzero"`
	PossibleNetworks []string `json:"possible_networks,omitempty"`
	Error            string   `json:"error,omitzero"` // instead of all else: the line asks what cannot be judged
}

func newVerdict(v core.Verdict) verdictLine {
	return verdictLine{
		Valid: &v.Valid, Network: v.Network, Reason: v.Reason, Message: v.Message, Warnings: v.Warnings, Format: v.Format,
		Environment: string(v.Environment), Normalized: v.Normalized, PossibleNetworks: v.PossibleNetworks,
	}
}

// judgeLine judges one line of a list. shown is the address to write back: a secret is not repeated.
func judgeLine(judge *addresses.Service, q core.AddressQuery) (line verdictLine, shown string) {
	if addresses.Secret(q.Currency) {
		return verdictLine{Error: "currency holds what may be a secret key, not a code"}, q.Address.Reveal()
	}
	q.Currency = strings.ToUpper(strings.TrimSpace(q.Currency))
	verdict, err := judge.Validate(q)
	if err != nil {
		if addresses.Secret(q.Address.Reveal()) {
			q.Address = hidden
		}
		return verdictLine{Error: clientError(err).Error()}, q.Address.Reveal()
	}
	return newVerdict(verdict), verdict.Address.Reveal()
}

// csvVerdict are the columns that a CSV list gains.
var csvVerdict = []string{ //nolint:gochecknoglobals // an immutable table
	"valid", "judged_network", "reason", "message", "warnings", "format", "environment", "normalized", "possible_networks", "error",
}

func (l verdictLine) columns() []string {
	valid := ""
	if l.Valid != nil {
		valid = strconv.FormatBool(*l.Valid)
	}
	return []string{
		valid, l.Network, l.Reason, l.Message, strings.Join(l.Warnings, " "), l.Format, l.Environment, l.Normalized,
		strings.Join(l.PossibleNetworks, " "), l.Error,
	}
}

// csvColumns are the places of the question's fields in a CSV list; -1: the list has no such column.
type csvColumns struct{ currency, address, network, memo, memoType int }

func readHeader(header []string) (csvColumns, error) {
	at := func(name string) int {
		return slices.IndexFunc(header, func(column string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(column, byteOrderMark)), name)
		})
	}
	c := csvColumns{at("currency"), at("address"), at("network"), at("memo"), at("memo_type")}
	if c.currency < 0 || c.address < 0 {
		return c, fmt.Errorf("the header %q lacks the columns currency and address; columns are separated by commas",
			strings.TrimPrefix(strings.Join(header, ","), byteOrderMark))
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
		Currency: cell(c.currency), Address: core.Private(cell(c.address)), Network: cell(c.network), MemoType: cell(c.memoType),
	}
	if memo := cell(c.memo); memo != "" {
		q.Memo = &memo
	}
	return q
}

// judgeCSV judges a CSV list with a header; the columns may come in any order, unknown ones are kept.
func judgeCSV(judge *addresses.Service, in io.Reader, out io.Writer, seen *progress) error {
	reader := csv.NewReader(in)
	reader.ReuseRecord, reader.FieldsPerRecord = true, -1 // a row of another length is answered like any other
	writer := csv.NewWriter(out)
	header, err := reader.Read()
	if err != nil {
		return fmt.Errorf("the header cannot be read: %w", err)
	}
	columns, err := readHeader(header)
	if err != nil {
		return err
	}
	if err := writer.Write(slices.Concat(header, csvVerdict)); err != nil {
		return err
	}
	width := len(header)
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return flushed(writer)
		}
		var line verdictLine
		switch {
		case errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote):
			record, line = make([]string, width), verdictLine{Error: "the row cannot be read: " + err.Error()}
		case err != nil:
			return errors.Join(err, flushed(writer))
		case len(record) > width:
			record, line = record[:width], verdictLine{Error: fmt.Sprintf("the row has %d fields, the header %d", len(record), width)}
		default:
			record = append(record, make([]string, width-len(record))...)
			line, record[columns.address] = judgeLine(judge, columns.query(record))
		}
		if err := writer.Write(append(masked(record), line.columns()...)); err != nil {
			return err
		}
		seen.step()
	}
}

// masked hides secrets in whatever column they stand, in place.
func masked(record []string) []string {
	for i, cell := range record {
		if addresses.Secret(cell) {
			record[i] = hidden
		}
	}
	return record
}

func flushed(w *csv.Writer) error {
	w.Flush()
	return w.Error()
}

// question is a line of a JSON list.
type question struct {
	Currency string  `json:"currency"`
	Address  string  `json:"address"`
	Network  string  `json:"network"`
	Memo     *string `json:"memo"`
	MemoType string  `json:"memo_type"`
}

// judgeJSON judges a list of one JSON object a line. What each line had stays, and "verdict" comes after it.
func judgeJSON(judge *addresses.Service, in io.Reader, out io.Writer, seen *progress) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 1<<16), maxLine)
	for lines.Scan() {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		judged, err := judgeObject(judge, text)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(judged, '\n')); err != nil {
			return err
		}
		seen.step()
	}
	return lines.Err()
}

// judgeObject adds the verdict to one object. A line that is no such object is answered with an error of its own.
func judgeObject(judge *addresses.Service, text []byte) ([]byte, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return json.Marshal(struct {
			Verdict verdictLine `json:"verdict"`
		}{verdictLine{Error: "the line is not a JSON object with texts for currency and address"}})
	}
	line, shown := judgeLine(judge, core.AddressQuery{
		Currency: q.Currency, Address: core.Private(q.Address), Network: q.Network, Memo: q.Memo, MemoType: q.MemoType,
	})
	if shown != q.Address || addresses.Secret(q.Currency) || addresses.Secret(q.Network) || q.Memo != nil && addresses.Secret(*q.Memo) {
		row := masked([]string{q.Currency, shown})
		return json.Marshal(struct {
			Currency string      `json:"currency"`
			Address  string      `json:"address"`
			Verdict  verdictLine `json:"verdict"`
		}{row[0], row[1], line})
	}
	verdict, err := json.Marshal(line)
	if err != nil {
		return nil, err
	}
	object := jsontext.Value(bytes.Clone(text))
	comma := []byte(",")
	if bytes.Equal(bytes.TrimSpace(object[1:len(object)-1]), nil) {
		comma = nil
	}
	return slices.Concat(object[:len(object)-1], comma, []byte(`"verdict":`), verdict, []byte("}")), nil
}
