package control

import (
	"strconv"
	"time"

	"causeway/core"
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
	return m, c.numbers(&m)
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
