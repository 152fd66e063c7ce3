package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"causeway/core"
)

// mostQueued are the outcomes that wait in a world for their requests.
const mostQueued = 10_000

// queue is what will happen to the next requests, by operation.
type queue struct {
	mu    sync.Mutex
	lines map[string][]*Scripted
	count int
	times int // that outcomes were forgotten
}

// Queued is what waits for the next requests for an operation, in order.
type Queued struct {
	Operation string   `json:"operation" doc:"Operation of the public API" example:"resolve-account"`
	Outcomes  []string `json:"outcomes" doc:"Outcomes of the next requests, in order; the catalog lists them" example:"unknown,all_down"`
}

// QueueNext has outcomes befall the next requests for an operation: one each, once, in order, behind those that wait already. The error names everything
// that is not accepted, and then nothing is queued.
func (w *World) QueueNext(operation string, outcomes ...string) error {
	var c checker
	c.need(slices.Contains(operationNames(), operation), "operation", shown(operation), strings.Join(operationNames(), ", "))
	if len(c.faults) > 0 {
		return c.err()
	}
	c.need(len(outcomes) > 0, "outcomes", "none", "one at least")
	line := make([]*Scripted, 0, len(outcomes))
	for i, name := range outcomes {
		s := outcomeOf(operation, name)
		if s == nil {
			c.faults = append(c.faults, noOutcome(fmt.Sprintf("outcomes.%d", i), operation, name))
			break // the rest would say the same again
		}
		line = append(line, s)
	}
	if len(c.faults) > 0 {
		return c.err()
	}
	return w.next.add(operation, line)
}

func (q *queue) add(operation string, line []*Scripted) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.count+len(line) > mostQueued {
		return core.InvalidField("outcomes", "are %d beside %d that wait; accepted: %d in all", len(line), q.count, mostQueued)
	}
	if q.lines == nil {
		q.lines = map[string][]*Scripted{}
	}
	q.lines[operation] = append(q.lines[operation], line...)
	q.count += len(line)
	return nil
}

// take is the outcome whose turn it is; nil where none waits. Back puts it in front of the line again, unless somebody emptied it meanwhile.
func (q *queue) take(operation string) (s *Scripted, back func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[operation]
	if len(line) == 0 {
		return nil, nil
	}
	if q.lines[operation] = line[1:]; len(line) == 1 {
		delete(q.lines, operation)
	}
	q.count--
	taken, times := line[0], q.times
	return taken, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.times != times {
			return
		}
		if q.lines == nil {
			q.lines = map[string][]*Scripted{}
		}
		q.lines[operation] = slices.Insert(q.lines[operation], 0, taken)
		q.count++
	}
}

// Pending returns what waits for the next requests, by operation. The caller owns it.
func (w *World) Pending() []Queued {
	w.next.mu.Lock()
	defer w.next.mu.Unlock()
	out := []Queued{}
	for _, operation := range slices.Sorted(maps.Keys(w.next.lines)) {
		waiting := Queued{Operation: operation}
		for _, s := range w.next.lines[operation] {
			waiting.Outcomes = append(waiting.Outcomes, s.Name)
		}
		out = append(out, waiting)
	}
	return out
}

// ForgetNext empties the line of an operation, or all of them where it is empty.
func (w *World) ForgetNext(operation string) {
	w.next.mu.Lock()
	defer w.next.mu.Unlock()
	w.next.times++
	if operation == "" {
		w.next.lines, w.next.count = nil, 0
		return
	}
	w.next.count -= len(w.next.lines[operation])
	delete(w.next.lines, operation)
}
