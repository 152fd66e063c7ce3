package console

import (
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

// Target returns the path and query of the request, or which block or webhook the entry is about.
func (e entryRow) Target() string {
	switch {
	case e.Kept:
		return e.Sent.Path
	case e.Block != nil:
		return fmt.Sprintf("%s block %d", e.Block.Network, e.Block.Height)
	case e.Webhook != nil:
		return e.Webhook.Type + " to " + e.Webhook.Receiver
	}
	return e.Request.Path
}

// status returns the status of the response of Causeway, or of the receiver of a webhook; 0: there was none.
func (e entryRow) status() int {
	if e.Webhook != nil {
		return e.Webhook.Status
	}
	return e.Answer.Status
}

// StatusText returns the status of the response; a dash if the connection ended without one.
func (e entryRow) StatusText() string {
	switch {
	case e.Block != nil:
		return "block"
	case e.status() == 0:
		return "–"
	}
	return strconv.Itoa(e.status())
}

// Trouble returns what a status hides: failures before a successful response, or a fault.
func (e entryRow) Trouble() string {
	if e.Webhook != nil {
		return e.Webhook.Effect
	}
	failures, faulty := 0, strings.HasPrefix(e.Applied, faultPrefix)
	for _, a := range e.Attempts {
		faulty = faulty || a.Fault != ""
		if outcomeOf(a).Class == "bad" {
			failures++
		}
	}
	switch {
	case e.Answer.Status < 200 || e.Answer.Status > 299:
		return ""
	case failures > 0:
		return "after " + plural(failures, "failure")
	case faulty:
		return "with a fault"
	}
	return ""
}

// Class returns the class of the status for the style sheet.
func (e entryRow) Class() string {
	switch status := e.status(); {
	case e.Block != nil:
		return "good"
	case e.Webhook != nil && e.Webhook.Effect != "":
		return "warn"
	case status >= 300 && e.Webhook != nil:
		return "bad" // the event is sent again
	case status == 0 || status >= 500:
		return "bad"
	case status >= 400 || e.Trouble() != "":
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

	Picture picture
	Faults  []actedFault
	Curl    string
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
	if entry, found := findEntry(j, f.Query("entry")); found {
		d.Entry = newEntryDetail(f, newEntryRow(j, entry))
	}
	return d, nil
}

// findEntry returns the entry with a number, or with the ID of its request.
func findEntry(j *journal.Journal, name string) (journal.Entry, bool) {
	if seq, err := strconv.ParseUint(name, 10, 64); err == nil {
		return j.Entry(seq)
	}
	entries, _ := j.Find(journal.Match{}, 0) // a match without conditions is valid
	i := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.ID == name })
	if i < 0 {
		return journal.Entry{}, false
	}
	return entries[i], true
}

func newEntryDetail(f *frame, row entryRow) *entryDetail {
	d := &entryDetail{entryRow: row, Picture: newPicture(row), Faults: actedFaults(f.World, row)}
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
