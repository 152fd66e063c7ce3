package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/upstream"
	"causeway/core"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// recordTry keeps the outcome of a request to a provider until the attempt that it belongs to is
// recorded. Requests that no client waits for, such as polls of prices, are no part of an attempt.
func recordTry(ctx context.Context, t upstream.Attempt) {
	if t.Urgent {
		world.RequestFrom(ctx).Try(journal.Attempt{
			Provider: t.Provider, Operation: t.Op, Attempt: t.Number, Outcome: string(t.Outcome), Status: t.Status,
			Breaker: t.Breaker,
		})
	}
}

// journalEvents records attempts and resolutions in the journal of the request's world, and passes
// them on to e.
func journalEvents(e recipients.Events) recipients.Events {
	attempt, resolution := e.Attempt, e.Resolution
	e.Attempt = func(ctx context.Context, a recipients.Attempt) {
		outcome := string(a.Outcome)
		if a.Outcome == recipients.CannotTell {
			outcome = "" // the request to the provider says why
		}
		world.RequestFrom(ctx).Attempted(a.Provider, outcome, a.Hedged)
		if attempt != nil {
			attempt(ctx, a)
		}
	}
	e.Resolution = func(ctx context.Context, r recipients.Resolution) {
		world.RequestFrom(ctx).Cached(r.Cached)
		if resolution != nil {
			resolution(ctx, r)
		}
	}
	return e
}

// votes returns the votes behind the price that a request explains; nil for other requests.
func (s *sandbox) votes(w *world.World, operation string, r *http.Request) []journal.Vote {
	if operation != core.OpGetPair && operation != core.OpExplainPrice {
		return nil
	}
	one, err := s.open(r.Context(), w)
	if err != nil {
		return nil
	}
	snapshot := one.Pairs.Snapshot()
	const place = 3 // in /v1/pairs/{id}/price
	parts := strings.Split(r.URL.Path, "/")
	if snapshot == nil || len(parts) <= place {
		return nil
	}
	q := snapshot.Quote(strings.ToUpper(parts[place]))
	if q == nil {
		return nil
	}
	return votesBehind(snapshot, q)
}

// votesBehind returns the votes in every market on the route of a price.
func votesBehind(s *pairs.Snapshot, q *pairs.Quote) []journal.Vote {
	var out []journal.Vote
	for _, leg := range q.Legs {
		market := leg.Rate.Pair.String()
		for _, v := range leg.Rate.Used {
			out = append(out, journal.Vote{
				Market: market, Source: v.Source, Family: v.Family, Bid: v.Bid.String(), Ask: v.Ask.String(),
				Age: ageOf(s.At.Sub(v.At)), Used: true,
			})
		}
		for _, x := range leg.Rate.Excluded {
			out = append(out, journal.Vote{Market: market, Source: x.Source, Reason: string(x.Reason)})
		}
	}
	return out
}

// ageOf returns a duration in seconds, as a decimal.
func ageOf(d time.Duration) string { return decimal.New(d.Milliseconds(), -3).String() }
