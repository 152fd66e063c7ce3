package control

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"causeway/adapters/httpapi/apierror"
	"causeway/core"
	"causeway/simulator/input"
	"causeway/simulator/journal"
)

// journalView is a page of a journal.
type journalView struct {
	Entries []journal.Entry `json:"entries"`
	State   journal.State   `json:"state"`
	Note    string          `json:"note,omitempty"`
}

// unseen is what is said where something may be missing that nobody was there to look for.
const unseen = "Plain reads that name no world are recorded up to the first 1000, and all of them from the first use of the control API on the world default on: others before this call are not here"

const (
	usualPage = 50
	mostPage  = 1000
	usualWait = 10 * time.Second
	mostWait  = 60 * time.Second
)

func aboutJournals() []operation {
	const tag = "Journal"
	return []operation{
		{
			id: "read-journal", method: http.MethodGet, path: "/worlds/{id}/journal", tag: tag, summary: "Read what happened", said: "Journal", gives: exampleJournal(),
			doc: "The newest `limit` entries that meet all conditions, oldest first; with `after` the first ones behind that entry, so that one page follows the other. Each is a tree: the request, what the cache " +
				"did, every attempt at a provider, the votes of a price, the answer. Values about people are masked. `format=bundle` gives a repro bundle of the whole world, " +
				"in which requests are as they were sent, but for those that hold what looks like a private key or a recovery phrase: they are left out, and counted in `left_out`.",
			query: append(filters(), parameter{name: "limit", doc: "At most so many entries: 1 to 1000; 50 where it is left out", example: "20"},
				parameter{name: "format", doc: "`bundle`: a repro bundle instead of the envelope", example: "bundle", enum: []string{"json", "bundle"}}),
			formats: []string{contentJSON}, handle: readJournal,
		},
		{
			id: "assert-journal", method: http.MethodPost, path: "/worlds/{id}/journal/assert", tag: tag, summary: "Say whether something happened", said: "Assertion looked at",
			takes: exampleAssertion(), more: []example{{"never", map[string]any{"match": map[string]any{"status": 503}, "never": true}}}, gives: exampleReport(),
			doc: "The answer is 200 either way: `pass` says whether it is so. If not, `message` says why, `closest` is the entry that meets the most conditions, and `differences` are those that it does not " +
				"meet. Without a number, `never` and `order`, one entry at least must match.",
			handle: func(c *call) (any, error) {
				a, err := read[journal.Assertion](c.body)
				if err != nil {
					return nil, err
				}
				if err := c.assertable(a); err != nil {
					return nil, err
				}
				return c.reported(c.world.Journal().Assert(a))
			},
		},
		{
			id: "wait-journal", method: http.MethodGet, path: "/worlds/{id}/journal/wait", tag: tag, summary: "Wait for something to happen", said: "Waited", gives: exampleReport(), takesLong: true,
			doc: "Returns as soon as `count` entries meet all conditions, those that are there already included, or when `timeout` is over: `pass` tells which. A test that waits like this never sleeps.",
			query: append(filters(), parameter{name: "count", doc: "So many entries; 1 where it is left out", example: "2"},
				parameter{name: "timeout", doc: "By the machine's clock: up to 60s; 10s where it is left out", example: "30s"}),
			handle: waitJournal,
		},
	}
}

func readJournal(c *call) (any, error) {
	m, err := c.match()
	if err != nil {
		return nil, err
	}
	if c.query["format"] == "bundle" {
		return c.bundle()
	}
	limit, err := c.whole("limit", usualPage, 1, mostPage)
	if err != nil {
		return nil, err
	}
	found, err := c.world.Journal().Find(m, limit)
	if err != nil {
		return nil, err
	}
	v := journalView{Entries: found, State: c.world.Journal().State()}
	if c.unseen && !m.Control {
		v.Note = unseen
	}
	return v, nil
}

// reported is a report, with what it cannot know of.
func (c *call) reported(r journal.Report, err error) (journal.Report, error) {
	if c.unseen && err == nil {
		r.Message += "; " + unseen
	}
	return r, err
}

// bundle is everything that makes the world's answers again elsewhere.
func (c *call) bundle() (any, error) {
	o := c.world.Options()
	began := c.world.Born().UTC()
	if o.Clock.Now != nil {
		began = o.Clock.Now.UTC()
	}
	b, err := c.world.Journal().Bundle(journal.Origin{
		Build: c.api.Version, Dataset: c.api.worlds.Dataset(), World: o.ID, Seed: o.Seed, Options: apierror.Encode(o),
		Clock: journal.Clock{Now: began, Frozen: o.Clock.Frozen, Rate: int(o.Clock.Rate)},
	})
	if err != nil {
		return nil, err
	}
	text, err := b.Encode()
	return file{contentType: contentJSON, name: "bundle.json", body: text}, err
}

func waitJournal(c *call) (any, error) {
	m, err := c.match()
	if err != nil {
		return nil, err
	}
	count, err := c.whole("count", 1, 1, mostPage)
	if err != nil {
		return nil, err
	}
	wait := usualWait
	if given := c.query["timeout"]; given != "" {
		var d input.Duration
		if d.UnmarshalText([]byte(given)) != nil || d <= 0 || time.Duration(d) > mostWait {
			return nil, core.InvalidField("timeout", "%s; accepted: a duration up to %s, such as 30s", core.Quoted(given), mostWait)
		}
		wait = time.Duration(d)
	}
	ctx, cancel := context.WithTimeout(c.r.Context(), wait)
	defer cancel()
	return c.reported(c.world.Journal().Wait(ctx, m, count))
}

// whole reads a number of the query.
func (c *call) whole(field string, usual, least, most int) (int, error) {
	given := c.query[field]
	if given == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(given)
	if err != nil || n < least || n > most {
		return 0, core.InvalidField(field, "%s; accepted: %d to %d", core.Quoted(given), least, most)
	}
	return n, nil
}
