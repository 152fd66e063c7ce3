package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Events are the events of the transactions in memory.
type Events struct{ transactions *Transactions }

var _ ports.EventStore = Events{}

// Events returns the events of the transactions.
func (t *Transactions) Events() ports.EventStore { return Events{t} }

// eventLog holds the stored events of an account. The event with the number n is at the index n-1-pruned.
type eventLog struct {
	pruned  int64
	events  []core.Event // never changed in place: clones share it
	numbers map[string]int64
}

// last returns the number of the newest event.
func (l *eventLog) last() int64 { return l.pruned + int64(len(l.events)) }

// after returns the events with higher numbers.
func (l *eventLog) after(number int64) []core.Event {
	return l.events[min(max(0, number-l.pruned), int64(len(l.events))):]
}

// find returns the event with a number, which is stored.
func (l *eventLog) find(number int64) core.Event { return l.events[number-l.pruned-1] }

// since returns the events that did not happen before a time.
func (l *eventLog) since(at time.Time) (events []core.Event) {
	for _, e := range l.events {
		if !e.Transaction.Updated.Before(at) {
			events = append(events, e)
		}
	}
	return events
}

// add adds an event. The caller holds the lock.
func (t *Transactions) add(e core.Event) {
	account := e.Transaction.User.Account
	l := t.log(account)
	e.Number = l.last() + 1
	l.events = append(l.events, e)
	l.numbers[e.ID] = e.Number
	t.events[account] = l
}

// prune removes the oldest events, up to the first one that did not happen before a time.
func (l *eventLog) prune(before time.Time) (removed []core.Event) {
	kept := slices.IndexFunc(l.events, func(e core.Event) bool { return !e.Transaction.Updated.Before(before) })
	if kept < 0 {
		kept = len(l.events)
	}
	removed = l.events[:kept]
	for _, e := range removed {
		delete(l.numbers, e.ID)
	}
	l.pruned, l.events = l.pruned+int64(kept), slices.Clone(l.events[kept:])
	return removed
}

func (l *eventLog) clone() *eventLog {
	return &eventLog{l.pruned, slices.Clip(l.events), maps.Clone(l.numbers)}
}

// log returns the events of an account. The caller holds the lock.
func (t *Transactions) log(account string) *eventLog {
	if l, ok := t.events[account]; ok {
		return l
	}
	return &eventLog{numbers: map[string]int64{}}
}

// Range implements ports.EventStore.
func (e Events) Range(ctx context.Context, account string) (ports.EventRange, error) {
	e.transactions.mu.Lock()
	defer e.transactions.mu.Unlock()
	l := e.transactions.log(account)
	return ports.EventRange{Pruned: l.pruned, Last: l.last()}, ctx.Err()
}

// Events implements ports.EventStore.
func (e Events) Events(ctx context.Context, q ports.EventQuery) (events []core.Event, err error) {
	e.transactions.mu.Lock()
	defer e.transactions.mu.Unlock()
	for _, event := range e.transactions.log(q.Account).after(q.After) {
		if len(events) == q.Limit {
			break
		}
		if q.Type == "" || q.Type == event.Type {
			events = append(events, event)
		}
	}
	return events, ctx.Err()
}

// Find implements ports.EventStore.
func (e Events) Find(ctx context.Context, account, id string) (core.Event, error) {
	e.transactions.mu.Lock()
	defer e.transactions.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return core.Event{}, err
	}
	l := e.transactions.log(account)
	number, ok := l.numbers[id]
	if !ok {
		return core.Event{}, core.Errorf(core.NotFound, "The account has no event with this ID")
	}
	return l.find(number), nil
}

// Prune implements ports.EventStore.
func (e Events) Prune(ctx context.Context, before time.Time) (count int64, err error) {
	e.transactions.mu.Lock()
	defer e.transactions.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for account, l := range e.transactions.events {
		removed := l.prune(micros(before))
		count += int64(len(removed))
		for to, q := range e.transactions.queues {
			if to.account == account {
				q.forget(removed)
			}
		}
	}
	return count, nil
}
