package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/upstream"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/simulator/journal"
	"causeway/simulator/world"
)

// recordTry keeps the outcome of a request to a provider until the attempt that it belongs to is
// recorded.
func recordTry(ctx context.Context, t upstream.Attempt) {
	if call := world.RequestFrom(ctx); call != nil {
		call.AddAttempt(t.Provider, world.Attempt{
			Operation: t.Op, Outcome: string(t.Outcome), Number: t.Number, Status: t.Status, Breaker: t.Breaker,
			Ended: time.Now(),
		}, t.Urgent)
	}
}

// journalEvents records attempts and resolutions in the journal of the request's world, and passes
// them on to e.
func journalEvents(e recipients.Events) recipients.Events {
	attempt, resolution := e.Attempt, e.Resolution
	e.Attempt = func(ctx context.Context, a recipients.Attempt) {
		if call := world.RequestFrom(ctx); call != nil {
			recordAttempts(call, a)
		}
		if attempt != nil {
			attempt(ctx, a)
		}
	}
	e.Resolution = func(ctx context.Context, r recipients.Resolution) {
		if call := world.RequestFrom(ctx); call != nil {
			call.Entry.Cache(map[bool]journal.Cache{true: journal.Hit, false: journal.Miss}[r.Cached])
		}
		if resolution != nil {
			resolution(ctx, r)
		}
	}
	return e
}

// recordAttempts records every try of an attempt that has ended. The outcome of the attempt is that
// of the last try.
func recordAttempts(call *world.Request, a recipients.Attempt) {
	made := call.TakeAttempts(a.Provider)
	if len(made) == 0 {
		made = []world.Attempt{{Operation: "resolve"}}
	}
	last := len(made) - 1
	now := time.Now()
	made[last].Outcome, made[last].Ended = string(a.Outcome), now
	began := now.Add(-a.Latency)
	for _, t := range made {
		call.Entry.Attempt(journal.Attempt{
			Provider: a.Provider, Operation: t.Operation, Attempt: t.Number, Outcome: t.Outcome, Status: t.Status,
			Breaker: t.Breaker, Fault: t.Fault, Took: journal.Millis(t.Ended.Sub(began)), Hedged: a.Hedged,
		})
		began = t.Ended
	}
}

// votesOf returns the votes behind the price that a request explains; nil for other requests.
func votesOf(book *pairs.Service, operation string, r *http.Request) []journal.Vote {
	if operation != "get-pair" && operation != "explain-price" || book == nil {
		return nil
	}
	s := book.Snapshot()
	if s == nil {
		return nil
	}
	const place = 3 // in /v1/pairs/{id}/price
	parts := strings.Split(r.URL.Path, "/")
	if len(parts) <= place {
		return nil
	}
	q := s.Quote(strings.ToUpper(parts[place]))
	if q == nil {
		return nil
	}
	return votesBehind(s, q)
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
