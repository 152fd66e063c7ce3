package memory

import (
	"cmp"
	"container/heap"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Deliveries are the deliveries of events in memory.
type Deliveries struct{ transactions *Transactions }

var _ ports.DeliveryStore = Deliveries{}

// Deliveries returns the deliveries of the events.
func (t *Transactions) Deliveries() ports.DeliveryStore { return Deliveries{t} }

// endpointKey identifies an endpoint.
type endpointKey struct{ name, account string }

// queue holds the deliveries of an endpoint, by the numbers of their events and without the events.
type queue struct {
	planned    int64 // number of the last event that was planned
	deliveries map[int64]core.Delivery
	due        dueHeap
}

// dueHeap orders pending deliveries for container/heap, those that are due first at the front. It also has entries
// of deliveries that became due at another time, or are no longer pending.
type dueHeap []dueDelivery

type dueDelivery struct {
	at     time.Time
	number int64
}

func (h dueHeap) Len() int { return len(h) }
func (h dueHeap) Less(i, j int) bool {
	return cmp.Or(h[i].at.Compare(h[j].at), cmp.Compare(h[i].number, h[j].number)) < 0
}
func (h dueHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)   { *h = append(*h, x.(dueDelivery)) } //nolint:forcetypeassert // put adds no other type
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	popped := (*h)[last]
	*h = (*h)[:last]
	return popped
}

// put stores the delivery of an event.
func (q *queue) put(number int64, d core.Delivery) {
	q.deliveries[number] = d
	if d.Status == core.DeliveryPending {
		heap.Push(&q.due, dueDelivery{d.Due, number})
	}
}

// next returns the pending delivery that is due first.
func (q *queue) next() (first dueDelivery, ok bool) {
	for len(q.due) > 0 {
		first = q.due[0]
		if d := q.deliveries[first.number]; d.Status == core.DeliveryPending && d.Due.Equal(first.at) {
			return first, true
		}
		heap.Pop(&q.due)
	}
	return first, false
}

// claim makes the pending delivery that is due first due at another time, with one try more.
func (q *queue) claim(now, until time.Time) (number int64, ok bool) {
	first, ok := q.next()
	if !ok || first.at.After(now) {
		return 0, false
	}
	d := q.deliveries[first.number]
	d.Due, d.Tries = until, d.Tries+1
	q.put(first.number, d)
	return first.number, true
}

// forget removes the deliveries of events.
func (q *queue) forget(events []core.Event) {
	for _, e := range events {
		delete(q.deliveries, e.Number)
	}
}

func (q *queue) clone() *queue {
	return &queue{q.planned, maps.Clone(q.deliveries), slices.Clone(q.due)}
}

// plan adds deliveries for the events after the last call, and returns the deliveries of the endpoint.
func (t *Transactions) plan(endpoint ports.WebhookEndpoint, now time.Time) (q *queue, added int) {
	to, l := endpointKey{endpoint.Name, endpoint.Account}, t.log(endpoint.Account)
	q = t.queues[to]
	if q == nil {
		q = &queue{planned: l.last(), deliveries: map[int64]core.Delivery{}}
		t.queues[to] = q
	}
	for _, e := range l.after(q.planned) {
		if receives(endpoint, e) {
			q.put(e.Number, core.Delivery{Status: core.DeliveryPending, Planned: now, Due: now})
			added++
		}
	}
	q.planned = l.last()
	return q, added
}

func receives(endpoint ports.WebhookEndpoint, e core.Event) bool {
	return len(endpoint.Types) == 0 || slices.Contains(endpoint.Types, e.Type)
}

// Plan implements ports.DeliveryStore.
func (d Deliveries) Plan(ctx context.Context, endpoint ports.WebhookEndpoint, now time.Time) (int, error) {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	_, added := d.transactions.plan(endpoint, micros(now))
	return added, nil
}

// Claim implements ports.DeliveryStore.
func (d Deliveries) Claim(
	ctx context.Context, endpoint ports.WebhookEndpoint, now, until time.Time, limit int,
) ([]core.Delivery, error) {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	to := endpointKey{endpoint.Name, endpoint.Account}
	q := d.transactions.queues[to]
	if q == nil || ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var numbers []int64
	for len(numbers) < limit {
		number, ok := q.claim(micros(now), micros(until))
		if !ok {
			break
		}
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	var claimed []core.Delivery
	for _, number := range numbers {
		claimed = append(claimed, d.delivery(to, number))
	}
	return claimed, nil
}

// delivery returns a stored delivery with its event.
func (d Deliveries) delivery(to endpointKey, number int64) core.Delivery {
	found := d.transactions.queues[to].deliveries[number]
	found.Endpoint, found.Event = to.name, d.transactions.log(to.account).find(number)
	return found
}

// Next implements ports.DeliveryStore.
func (d Deliveries) Next(ctx context.Context, endpoint ports.WebhookEndpoint) (time.Time, error) {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	q := d.transactions.queues[endpointKey{endpoint.Name, endpoint.Account}]
	if q == nil || ctx.Err() != nil {
		return time.Time{}, ctx.Err()
	}
	first, ok := q.next()
	if !ok {
		return time.Time{}, nil
	}
	return first.at, nil
}

// Settle implements ports.DeliveryStore.
func (d Deliveries) Settle(ctx context.Context, deliveries []core.Delivery) error {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, settled := range deliveries {
		q := d.transactions.queues[endpointKey{settled.Endpoint, settled.Event.Transaction.User.Account}]
		if q == nil {
			continue
		}
		stored, ok := q.deliveries[settled.Event.Number]
		if !ok || stored.Tries != settled.Tries || !stored.Planned.Equal(micros(settled.Planned)) {
			continue
		}
		stored.Status, stored.Due, stored.Updated, stored.Problem =
			settled.Status, micros(settled.Due), micros(settled.Updated), settled.Problem
		q.put(settled.Event.Number, stored)
	}
	return nil
}

// Replay implements ports.DeliveryStore. With the time of each replay, Settle knows claims from before it.
func (d Deliveries) Replay(
	ctx context.Context, endpoint ports.WebhookEndpoint, since, now time.Time,
) (replayed int64, err error) {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	now = micros(now)
	q, _ := d.transactions.plan(endpoint, now)
	for _, e := range d.transactions.log(endpoint.Account).since(micros(since)) {
		if !receives(endpoint, e) {
			continue
		}
		planned := now
		if before := q.deliveries[e.Number].Planned; !planned.After(before) {
			planned = before.Add(time.Microsecond)
		}
		q.put(e.Number, core.Delivery{Status: core.DeliveryPending, Planned: planned, Due: now})
		replayed++
	}
	return replayed, nil
}

// Deliveries implements ports.DeliveryStore.
func (d Deliveries) Deliveries(ctx context.Context, query ports.DeliveryQuery) (found []core.Delivery, err error) {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	for to, q := range d.transactions.queues {
		if query.Endpoint != "" && query.Endpoint != to.name {
			continue
		}
		newest := 0
		for _, e := range slices.Backward(d.transactions.log(to.account).events) {
			delivery, ok := q.deliveries[e.Number]
			if newest == query.Limit {
				break
			}
			if ok && (query.Status == "" || query.Status == delivery.Status) {
				found = append(found, d.delivery(to, e.Number))
				newest++
			}
		}
	}
	slices.SortFunc(found, newestFirst)
	return found[:min(query.Limit, len(found))], ctx.Err()
}

// newestFirst compares deliveries by the time of their events.
func newestFirst(a, b core.Delivery) int {
	return cmp.Or(b.Event.Transaction.Updated.Compare(a.Event.Transaction.Updated),
		cmp.Compare(b.Event.Number, a.Event.Number), strings.Compare(a.Endpoint, b.Endpoint),
		strings.Compare(a.Event.Transaction.User.Account, b.Event.Transaction.User.Account))
}

// Backlog implements ports.DeliveryStore.
func (d Deliveries) Backlog(ctx context.Context, endpoint ports.WebhookEndpoint) (b core.Backlog, err error) {
	d.transactions.mu.Lock()
	defer d.transactions.mu.Unlock()
	q := d.transactions.queues[endpointKey{endpoint.Name, endpoint.Account}]
	if q == nil {
		return b, ctx.Err()
	}
	var tried time.Time
	for _, e := range d.transactions.log(endpoint.Account).events {
		switch delivery := q.deliveries[e.Number]; delivery.Status {
		case core.DeliveryPending:
			if b.Pending++; b.Pending == 1 {
				b.Oldest = e.Transaction.Updated
			}
			if delivery.Problem != "" && !delivery.Updated.Before(tried) {
				b.Problem, tried = delivery.Problem, delivery.Updated
			}
		case core.DeliveryExpired:
			b.Expired++
		case core.DeliveryDelivered:
		}
	}
	return b, ctx.Err()
}
