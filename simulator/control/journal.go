package control

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// journalBody is a page of a journal.
type journalBody struct {
	Entries []journal.Entry `json:"entries" doc:"Entries, oldest first"`
	State   journal.State   `json:"state" doc:"Size of the journal"`
}

type readJournalInput struct {
	WorldPath
	journal.Match

	Limit int `query:"limit" default:"50" minimum:"1" maximum:"1000" doc:"Maximum number of entries" example:"20"`
}

type waitJournalInput struct {
	WorldPath
	journal.Match

	Count   int    `query:"count" default:"1" minimum:"1" maximum:"500" doc:"Number of entries to wait for" example:"2"`
	Timeout string `query:"timeout" default:"10s" doc:"By the clock of the machine, at most 60s" example:"30s"`
}

type assertJournalInput struct {
	WorldPath

	Body journal.Assertion
}

type bundleOutput struct {
	Disposition string `header:"Content-Disposition" doc:"Name of the file"`
	Body        journal.Bundle
}

const maxWait = time.Minute

func (a *api) registerJournals() {
	tags := []string{"Journal"}
	registerInWorld(a, huma.Operation{
		OperationID: "read-journal", Method: http.MethodGet, Path: "/journal", Tags: tags, Summary: "Read the journal",
		Description: "Returns the newest `limit` entries that meet all conditions, oldest first; with `after` the first " +
			"ones after that entry. An entry is a tree: the request, the cache, every attempt at a provider, the votes " +
			"of a price, the response. Private values are masked.",
	}, "Journal", func(_ context.Context, w *world.World, in *readJournalInput) (journalBody, error) {
		if err := a.checkMatch(w, "", in.Match); err != nil {
			return journalBody{}, err
		}
		found, err := w.Journal().Find(in.Match, in.Limit)
		return journalBody{Entries: found, State: w.Journal().State()}, err
	})
	registerInWorld(a, huma.Operation{
		OperationID: "assert-journal", Method: http.MethodPost, Path: "/journal/assert", Tags: tags,
		Summary: "Check the journal",
		Description: "The status is 200 either way; `pass` is the result. If it is false, `message` says why, `closest` is " +
			"the entry that meets most conditions, and `differences` are those that it does not meet. Without a count, " +
			"`never` and `order`, at least one entry must match.",
	}, "Assertion checked", func(_ context.Context, w *world.World, in *assertJournalInput) (journal.Report, error) {
		if err := a.checkAssertion(w, in.Body); err != nil {
			return journal.Report{}, err
		}
		return w.Journal().Assert(in.Body)
	})
	registerInWorld(a, huma.Operation{
		OperationID: "wait-journal", Method: http.MethodGet, Path: "/journal/wait", Tags: tags,
		Summary: "Wait for an entry",
		Description: "Returns as soon as the journal has `count` entries that meet all conditions, or when `timeout` is " +
			"over; `pass` is the result. Tests that wait like this need no sleep.",
	}, "Waited", func(ctx context.Context, w *world.World, in *waitJournalInput) (journal.Report, error) {
		defer a.worlds.Hold(w)()
		if err := a.checkMatch(w, "", in.Match); err != nil {
			return journal.Report{}, err
		}
		timeout, err := time.ParseDuration(in.Timeout)
		if err != nil || timeout <= 0 || timeout > maxWait {
			return journal.Report{}, core.InvalidField("timeout", "is %s; accepted: a duration up to %s",
				core.Quoted(in.Timeout), maxWait)
		}
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return w.Journal().Wait(ctx, in.Match, in.Count)
	})
	registerRaw(a, huma.Operation{
		OperationID: "export-bundle", Method: http.MethodGet, Path: "/worlds/{id}/journal/bundle", Tags: tags,
		Summary: "Export a repro bundle",
		Description: "Returns a file for `causeway sim replay`, without the envelope. Requests are not masked. Those that " +
			"hold what looks like a private key or a recovery phrase are left out and counted in `left_out`.",
	}, func(_ context.Context, in *WorldPath) (*bundleOutput, error) {
		w, err := a.worlds.Find(in.ID)
		if err != nil {
			return nil, err
		}
		bundle := w.Journal().Bundle(journal.Origin{
			Build: a.Version, Dataset: a.worlds.Dataset(), World: apierror.Encode(w.Origin()),
		})
		return &bundleOutput{`attachment; filename="bundle.json"`, bundle}, nil
	})
}

func (a *api) checkAssertion(w *world.World, assertion journal.Assertion) error {
	if err := a.checkMatch(w, "match.", assertion.Match); err != nil {
		return err
	}
	for i, step := range assertion.Order {
		step.Control = assertion.Match.Control
		if err := a.checkMatch(w, "order["+strconv.Itoa(i)+"].", step); err != nil {
			return err
		}
	}
	return nil
}

// checkMatch rejects names that nothing in the world has: a misspelled name would never match.
func (a *api) checkMatch(w *world.World, prefix string, m journal.Match) error {
	if !m.Control {
		if err := a.rejectWithoutAPI("control", "true, for the calls that changed the world"); err != nil {
			return err
		}
	}
	operations := core.OperationIDs()
	if m.Control {
		operations = a.changes
	}
	providers := slices.Sorted(maps.Keys(w.Faults().Providers()))
	for _, name := range []struct {
		field, given string
		accepted     []string
	}{{"operation", m.Operation, operations}, {"provider", m.Provider, providers}} {
		if name.given != "" && !slices.Contains(name.accepted, name.given) {
			return core.InvalidField(prefix+name.field, "is %s; accepted: %s", core.Quoted(name.given),
				strings.Join(name.accepted, ", "))
		}
	}
	return nil
}
