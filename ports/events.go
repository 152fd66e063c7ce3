package ports

import (
	"context"
	"time"

	"causeway/core"
)

// EventQuery selects events of an account.
type EventQuery struct {
	Account string
	After   int64          // number of the event before the first one
	Type    core.EventType // empty: all
	Limit   int
}

// EventRange says which events of an account are stored: those with the numbers above Pruned, up to Last.
type EventRange struct {
	Pruned, Last int64
}

// EventStore keeps the events of accounts. TransactionStore.Commit writes an event for each transaction of a batch,
// in the same transaction of the database: numbers follow each other without gaps, and an event is visible when all
// events of the account with lower numbers are. An event belongs to the account that the transaction has after it.
//
// Range returns which events of an account are stored; both numbers are 0 for an account without events. Events
// returns events in the order of their numbers, and Find returns an event of an account, or core.NotFound. Prune
// removes the oldest events of each account, up to the first one that did not happen before a time, with their
// deliveries, and returns their number.
//
// A database that cannot be reached is core.Unavailable. All methods are safe for concurrent use and return promptly
// when ctx is done.
type EventStore interface {
	Range(ctx context.Context, account string) (EventRange, error)
	Events(ctx context.Context, query EventQuery) ([]core.Event, error)
	Find(ctx context.Context, account, id string) (core.Event, error)
	Prune(ctx context.Context, before time.Time) (events int64, err error)
}
