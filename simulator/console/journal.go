package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"causeway/core"
	"causeway/simulator/journal"
)

// maxEntries is how many entries of the journal a page shows.
const maxEntries = 100

// entryRow is an entry of the journal with its request as it was sent.
type entryRow struct {
	journal.Entry
	Sent     journal.Sent
	Response string // the beginning of its body
	Whole    bool   // Response is all of the body
	Kept     bool   // Sent and Response are known
}

// Target returns the path and query of the request, or which block the entry is about.
func (e entryRow) Target() string {
	switch {
	case e.Kept:
		return e.Sent.Path
	case e.Block != nil:
		return fmt.Sprintf("%s block %d", e.Block.Network, e.Block.Height)
	}
	return e.Request.Path
}

// StatusText returns the status of the response; a dash if the connection ended without one.
func (e entryRow) StatusText() string {
	if e.Answer.Status == 0 {
		return "–"
	}
	return strconv.Itoa(e.Answer.Status)
}

// Class returns the class of the status for the style sheet.
func (e entryRow) Class() string {
	switch status := e.Answer.Status; {
	case e.Block != nil:
		return "good"
	case status == 0 || status >= 500:
		return "bad"
	case status >= 400:
		return "warn"
	}
	return "good"
}

func newEntryRow(j *journal.Journal, e journal.Entry) entryRow {
	row := entryRow{Entry: e}
	row.Sent, row.Response, row.Kept = j.Exchange(e.Seq)
	row.Whole = int64(len(row.Response)) == e.Answer.Bytes
	return row
}

// journalData is the journal with the entry that is shown next to it.
type journalData struct {
	State journal.State
	Rows  []entryRow
	Entry *entryDetail
}

// entryDetail is an entry with everything that it caused.
type entryDetail struct {
	entryRow
	Attempts []attemptBar
	Curl     string
}

// attemptBar is an attempt with its place in the waterfall, in parts of 1000.
type attemptBar struct {
	journal.Attempt
	Start, Width int
}

// Bad reports whether the attempt failed.
func (a attemptBar) Bad() bool {
	return a.Fault != "" || !slices.Contains([]string{"found", "not_found", "closed", "ok"}, a.Outcome)
}

func (c *Console) journal(f *frame, _ *http.Request) (any, error) {
	j := f.World.Journal()
	match := journal.Match{
		Operation: f.Query("operation"), Applied: f.Query("applied"),
		Control: f.Query("kind") == "control",
	}
	if text := f.Query("status"); text != "" {
		var err error
		if match.Status, err = strconv.Atoi(text); err != nil || match.Status < 100 || match.Status > 599 {
			return nil, core.Errorf(core.Invalid, "There is no status %s; accepted: 100 to 599.", core.Quoted(text))
		}
	}
	entries, err := j.Find(match, 0)
	if err != nil {
		return nil, err
	}
	d := journalData{State: j.State()}
	search := strings.ToLower(f.Query("q"))
	for _, e := range slices.Backward(entries) {
		row := newEntryRow(j, e)
		text := strings.Join([]string{row.Target(), row.Sent.Body, e.ID, e.Answer.Error}, " ")
		if strings.Contains(strings.ToLower(text), search) && len(d.Rows) < maxEntries {
			d.Rows = append(d.Rows, row)
		}
	}
	seq, _ := strconv.ParseUint(f.Query("entry"), 10, 64) // 0 is no entry
	if entry, found := j.Entry(seq); found {
		d.Entry = newEntryDetail(f, newEntryRow(j, entry))
	}
	return d, nil
}

func newEntryDetail(f *frame, row entryRow) *entryDetail {
	d := &entryDetail{entryRow: row}
	var end, start float64
	var starts []float64
	for i, a := range row.Attempts {
		if i > 0 && !a.Hedged {
			start = end
		}
		starts = append(starts, start)
		end = max(end, start+a.Took)
	}
	total := max(end, row.Took, 0.001)
	for i, a := range row.Attempts {
		d.Attempts = append(d.Attempts, attemptBar{a, int(1000 * starts[i] / total), max(4, int(1000*a.Took/total))})
	}
	origin := f.Public
	if row.Control {
		origin = ""
	}
	headers := []string{}
	for _, h := range row.Sent.Headers {
		headers = append(headers, h.Name+": "+h.Value)
	}
	d.Curl = curl(row.Sent.Method, origin+row.Sent.Path, headers, row.Sent.Body)
	return d
}

// Pretty returns a text indented if it is JSON.
func (entryRow) Pretty(text string) string {
	var v json.RawMessage
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	indented, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return text
	}
	return string(indented)
}

// errorCount is how often requests ended with an error.
type errorCount struct {
	Name       string
	Count      int
	Operations []string
	Last       entryRow
}

// overviewData is the state of a world at a glance.
type overviewData struct {
	Prices   map[string]int // by status
	Pairs    int
	Problem  string // why there are no prices
	State    journal.State
	Requests int
	Classes  map[string]int
	Errors   []errorCount
	Rows     []entryRow // the latest
	Example  string
}

func (c *Console) overview(f *frame, r *http.Request) (any, error) {
	d := overviewData{Prices: map[string]int{}, Classes: map[string]int{}, State: f.World.Journal().State()}
	prices, err := c.worldPrices(r.Context(), f.World)
	if err != nil {
		d.Problem = message(err)
	}
	for _, p := range prices {
		d.Pairs++
		d.Prices[p.Status]++
	}
	j := f.World.Journal()
	entries, err := j.Find(journal.Match{}, 0)
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(entries) {
		row := newEntryRow(j, e)
		d.Requests++
		d.Classes[row.Class()]++
		if len(d.Rows) < 8 {
			d.Rows = append(d.Rows, row)
		}
		if row.Class() == "good" {
			continue
		}
		name := cmp.Or(e.Answer.Error, "status "+row.StatusText())
		i := slices.IndexFunc(d.Errors, func(c errorCount) bool { return c.Name == name })
		if i < 0 {
			i = len(d.Errors)
			d.Errors = append(d.Errors, errorCount{Name: name, Last: row})
		}
		d.Errors[i].Count++
		if !slices.Contains(d.Errors[i].Operations, e.Operation) {
			d.Errors[i].Operations = append(d.Errors[i].Operations, e.Operation)
		}
	}
	slices.SortStableFunc(d.Errors, func(a, b errorCount) int { return b.Count - a.Count })
	for _, a := range f.Catalog().Accounts {
		if a.Suffix == "500" {
			d.Example = f.Curl(a.Try.Request)
		}
	}
	return d, nil
}
