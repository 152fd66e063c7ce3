package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/adapters/upstream"
	"causeway/core/pairs"
	"causeway/core/recipients"
	"causeway/simulator"
	"causeway/simulator/journal"
)

// tried keeps what came of a question to a provider until it is noted what became of it.
func tried(ctx context.Context, t upstream.Try) {
	if call := simulator.CallOf(ctx); call != nil {
		call.Tried(t.Provider, simulator.Try{
			Operation: t.Op, Outcome: string(t.Outcome), Number: t.Number, Status: t.Status, Breaker: t.Breaker, Ended: time.Now(),
		}, t.Urgent)
	}
}

// noted writes what becomes of a question about an account into the journal of its world, beside what else is done with it.
func noted(e recipients.Events) recipients.Events {
	attempt, resolution := e.Attempt, e.Resolution
	e.Attempt = func(ctx context.Context, a recipients.Attempt) {
		if call := simulator.CallOf(ctx); call != nil {
			noteTries(call, a)
		}
		if attempt != nil {
			attempt(ctx, a)
		}
	}
	e.Resolution = func(ctx context.Context, r recipients.Resolution) {
		if call := simulator.CallOf(ctx); call != nil {
			call.Resolved(r.Account, r.Cached)
			call.Entry.Cache(map[bool]journal.Cache{true: journal.Hit, false: journal.Miss}[r.Cached])
		}
		if resolution != nil {
			resolution(ctx, r)
		}
	}
	return e
}

// noteTries writes down every try of a question that has ended. What came of the question came of the last one.
func noteTries(call *simulator.Call, a recipients.Attempt) {
	made := call.TakeTries(a.Provider)
	if len(made) == 0 {
		made = []simulator.Try{{Operation: "resolve"}}
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

// votesOf are those behind the price of the pair that a request is about.
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

// votesBehind are the votes of every market on the way to a price.
func votesBehind(s *pairs.Snapshot, q *pairs.Quote) []journal.Vote {
	var out []journal.Vote
	for _, leg := range q.Legs {
		market := leg.Rate.Pair.String()
		for _, v := range leg.Rate.Used {
			out = append(out, journal.Vote{
				Market: market, Source: v.Source, Family: v.Family, Bid: v.Bid.String(), Ask: v.Ask.String(), Age: ageOf(s.At.Sub(v.At)), Used: true,
			})
		}
		for _, x := range leg.Rate.Excluded {
			out = append(out, journal.Vote{Market: market, Source: x.Source, Reason: string(x.Reason)})
		}
	}
	return out
}

// ageOf is a duration in seconds, as a decimal.
func ageOf(d time.Duration) string { return decimal.New(d.Milliseconds(), -3).String() }
