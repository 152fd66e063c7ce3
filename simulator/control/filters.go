package control

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"causeway/core"
	"causeway/simulator/catalog"
	"causeway/simulator/journal"
)

// filters are the conditions of a journal.Match as parameters. The rest of it goes into "match".
func filters() []parameter {
	return []parameter{
		{name: "match", doc: "All conditions as one JSON object, as in `assert`: for those of headers, parameters and members of the body. Those beside it are added", example: `{"body":{"account_number":"0123456789"}}`},
		{name: "after", doc: "Only entries with a higher `seq`", example: "12"},
		{name: "control", doc: "`true`: calls of the control API that changed the world, instead of requests to the product", example: "false", enum: []string{"true", "false"}},
		{name: "id", doc: "The id of a request, as in `X-Request-Id`", example: exampleID},
		{name: "operation", doc: "As the catalog names them", example: "resolve-account"},
		{name: "method", doc: "The method", example: "POST"},
		{name: "path", doc: "The path; `*` is anything but a slash", example: "/v1/pairs/*"},
		{name: "status", doc: "The status of the answer", example: "404"},
		{name: "error", doc: "The name of the error", example: "not_found"},
		{name: "field", doc: "A field that was at fault", example: "bank_code"},
		{name: "applied", doc: "What `Sim-Applied` begins with", example: "fault"},
		{name: "cache", doc: "What the cache did", example: "hit", enum: []string{string(journal.Hit), string(journal.Miss), string(journal.Uncached)}},
		{name: "provider", doc: "A provider that was asked", example: "paystack"},
		{name: "outcome", doc: "What came of asking it", example: "timeout"},
		{name: "fault", doc: "The fault that befell it", example: "f1"},
		{name: "breaker", doc: "The state of its circuit breaker before", example: "open"},
		{name: "source", doc: "A source that had a vote in the price", example: "kraken"},
		{name: "since", doc: "Begun then or later, by the world's clock", example: "2026-11-16T12:00:00Z"},
		{name: "until", doc: "Begun before, by the world's clock", example: "2026-11-16T13:00:00Z"},
	}
}

// match reads the conditions of the query.
func (c *call) match() (journal.Match, error) {
	var m journal.Match
	if given := c.query["match"]; given != "" {
		var err error
		if m, err = read[journal.Match]([]byte(given)); err != nil {
			return m, err
		}
	}
	for name, to := range map[string]*string{
		"id": &m.ID, "operation": &m.Operation, "method": &m.Method, "path": &m.Path, "error": &m.Error, "field": &m.Field, "applied": &m.Applied,
		"provider": &m.Provider, "outcome": &m.Outcome, "fault": &m.Fault, "breaker": &m.Breaker, "source": &m.Source,
	} {
		if given := c.query[name]; given != "" {
			*to = given
		}
	}
	if given := c.query["cache"]; given != "" {
		m.Cache = journal.Cache(given)
	}
	m.Control = m.Control || c.query["control"] == "true"
	if err := c.told(m); err != nil {
		return m, err
	}
	if faults := c.names("", m); len(faults) > 0 {
		return m, core.InvalidFields(faults...)
	}
	return m, c.numbers(&m)
}

// told refuses a match of entries that a journal never has where there is no API.
func (c *call) told(m journal.Match) error {
	if m.Control {
		return nil
	}
	return c.onlyProviders("control", "a journal without control=true", "true, for the calls that changed the world")
}

// assertable refuses an assertion about what there is not: it would pass, or fail, for the wrong reason.
func (c *call) assertable(a journal.Assertion) error {
	if err := c.told(a.Match); err != nil {
		return err
	}
	faults := c.names("match.", a.Match)
	for i, step := range a.Order {
		step.Control = a.Match.Control
		faults = append(faults, c.names("order["+strconv.Itoa(i)+"].", step)...)
	}
	if len(faults) > 0 {
		return core.InvalidFields(faults...)
	}
	return nil
}

// names are the names of a match that nothing has here, each with those that there are.
func (c *call) names(prefix string, m journal.Match) (faults []core.FieldError) {
	operations := catalog.New().Operations
	if m.Control {
		operations = c.api.changing()
	}
	providers := slices.Sorted(maps.Keys(c.world.Faults().Offers()))
	for _, n := range []struct {
		field, given string
		accepted     []string
	}{{"operation", m.Operation, operations}, {"provider", m.Provider, providers}} {
		if n.given != "" && !slices.Contains(n.accepted, n.given) {
			faults = append(faults, core.FieldError{Field: prefix + n.field, Reason: core.Quoted(n.given) + "; accepted: " + strings.Join(n.accepted, ", ")})
		}
	}
	if made := c.world.Faults().Made(); m.Fault != "" && !madeFault(m.Fault, made) {
		reason := core.Quoted(m.Fault) + "; accepted: none, since the world has had no fault"
		if made > 0 {
			reason = fmt.Sprintf("%s; accepted: f1 to f%d, those that the world has had", core.Quoted(m.Fault), made)
		}
		faults = append(faults, core.FieldError{Field: prefix + "fault", Reason: reason})
	}
	return faults
}

// madeFault reports whether an id is that of one of so many faults.
func madeFault(id string, made uint64) bool {
	n, err := strconv.ParseUint(strings.TrimPrefix(id, "f"), 10, 64)
	return err == nil && n >= 1 && n <= made && id == "f"+strconv.FormatUint(n, 10)
}

// changing are the operations of the control API that change something: what a journal has of it.
func (a *api) changing() []string {
	var out []string
	for _, o := range a.places {
		if o.method != http.MethodGet {
			out = append(out, o.id)
		}
	}
	slices.Sort(out)
	return out
}

// numbers reads the conditions that are no texts.
func (c *call) numbers(m *journal.Match) error {
	var err error
	if m.Status, err = c.whole("status", m.Status, 100, 599); err != nil {
		return err
	}
	if given := c.query["after"]; given != "" {
		if m.After, err = strconv.ParseUint(given, 10, 63); err != nil {
			return core.InvalidField("after", "%s; accepted: the seq of an entry", core.Quoted(given))
		}
	}
	for name, to := range map[string]*time.Time{"since": &m.Since, "until": &m.Until} {
		if given := c.query[name]; given != "" {
			if *to, err = time.Parse(time.RFC3339Nano, given); err != nil {
				return core.InvalidField(name, "%s; accepted: an instant such as 2026-11-16T12:00:00Z", core.Quoted(given))
			}
		}
	}
	return nil
}
