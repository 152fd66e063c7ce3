package accounts

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"causeway/adapters/web/apierror"
	"causeway/core"
	"causeway/simulator/faults"
	"causeway/simulator/input"
)

// SlowDelay is the delay of a Slow response.
const SlowDelay = 2500 * time.Millisecond

// Outcome is how a provider responds to a request for an account.
type Outcome string

// The outcomes. All but the first four are failures of the provider and say nothing about the account.
const (
	Found         Outcome = "found"
	Unknown       Outcome = "unknown"        // no such account
	Closed        Outcome = "closed"         // the account was closed
	Dormant       Outcome = "dormant"        // the account accepts no payments
	Slow          Outcome = "slow"           // found, after SlowDelay
	Truncated     Outcome = "truncated"      // the connection ends in the middle of the response
	WrongPage     Outcome = "html"           // an HTML page with status 200
	Throttled     Outcome = "throttled"      // too many requests
	Failed        Outcome = "first_fails"    // an internal error of the provider
	Down          Outcome = "all_down"       // every provider is down
	Hanging       Outcome = "hang"           // no provider responds
	Reset         Outcome = "reset"          // the request was processed, then the connection breaks
	RenamedSecond Outcome = "renamed_second" // found; the second provider returns a different name
)

// finds reports whether at least one provider returns the holder's name.
func (o Outcome) finds() bool {
	return !slices.Contains([]Outcome{Unknown, Closed, Dormant, Down, Hanging}, o)
}

// firstOnly reports whether the outcome is a failure of the first provider alone.
func (o Outcome) firstOnly() bool {
	return slices.Contains([]Outcome{Truncated, WrongPage, Throttled, Failed, Reset}, o)
}

// Account is what providers know about an account number.
type Account struct {
	Outcome Outcome
	Name    string // of the holder, if the outcome has one
}

// Reply is how providers respond to requests for an account.
type Reply struct {
	Outcome Outcome
	Holder  *string // name of the holder, may be empty; nil: the name derives from the number
}

// apply returns the account with the outcome, and with the name of the holder if the outcome finds one.
func (r Reply) apply(a Account) Account {
	a.Outcome = r.Outcome
	switch {
	case !r.Outcome.finds():
		a.Name = ""
	case r.Holder != nil:
		a.Name = *r.Holder
	}
	return a
}

// Scripted is an outcome that a test requests: with a magic account number, the header Sim-Scenario, or for one of
// the next requests.
//
// On the plane Upstream, the providers respond like that, so that retries and fallbacks act as usual. Only account
// resolution has such outcomes: all requests of a world share prices and bank lists. On the plane Edge, the
// response is an error of the public API.
type Scripted struct {
	Name       string        `json:"name" doc:"Name, as in Sim-Scenario" example:"unknown"`
	Title      string        `json:"title" doc:"What happens"`
	Plane      faults.Plane  `json:"plane" doc:"upstream: what providers do; edge: the response itself" example:"upstream"`
	Operations []string      `json:"operations" doc:"Operations that have the outcome, sorted" example:"resolve-account"`
	Suffix     string        `json:"-"` // last three digits of the magic numbers with this outcome; empty: none
	Reply      Reply         `json:"-"` // of providers, on the plane Upstream
	Status     int           `json:"-"` // of the response
	Error      string        `json:"-"` // name of the error of the response; empty: none
	RetryAfter time.Duration `json:"-"` // 0: as usual
}

//go:embed magic_numbers.csv
var magicCSV []byte

// outcomes are the outcomes of magic numbers in the order of their suffixes, those without a number, then the errors.
var outcomes = func() (out []Scripted) {
	for _, r := range records(magicCSV) {
		s := Scripted{
			Reply: Reply{Outcome: Outcome(r[2])}, Suffix: r[0], Name: r[1], Title: r[6], Plane: faults.Upstream,
			Operations: []string{core.OpResolveAccount}, Status: apierror.Name(r[3]).Status(), Error: r[3],
		}
		if r[4] != "" {
			s.Reply.Holder = &r[5]
		}
		out = append(out, s)
	}
	for _, name := range apierror.Names() {
		out = append(out, Scripted{
			Name: "error:" + string(name), Title: fmt.Sprintf("the response is %d %s", name.Status(), name),
			Plane: faults.Edge, Operations: core.OperationIDs(), Status: name.Status(), Error: string(name),
		})
	}
	return out
}()

// Outcomes returns every outcome that can be requested.
func Outcomes() []Scripted { return slices.Clone(outcomes) }

// MagicNumbers returns the outcomes of magic account numbers, in the order of their suffixes.
func MagicNumbers() []Scripted {
	return slices.DeleteFunc(Outcomes(), func(s Scripted) bool { return s.Suffix == "" })
}

// magicNumber returns the outcome of an account number at a magic institution, or nil.
func magicNumber(bank core.Bank, number string) *Scripted {
	i := slices.IndexFunc(outcomes, func(s Scripted) bool { return s.Suffix != "" && strings.HasSuffix(number, s.Suffix) })
	if i < 0 || !IsMagic(bank) {
		return nil
	}
	return &outcomes[i]
}

// Find returns an outcome of an operation on one of the planes, or on any if none is given, by its name. The error
// is one of the field.
func Find(field, operation, name string, planes ...faults.Plane) (*Scripted, error) {
	var accepted []string
	for i := range outcomes {
		s := &outcomes[i]
		if !slices.Contains(s.Operations, operation) || len(planes) > 0 && !slices.Contains(planes, s.Plane) {
			continue
		}
		if s.Name == name {
			return s, nil
		}
		accepted = append(accepted, s.Name)
	}
	if len(accepted) == 0 {
		return nil, core.InvalidField(field, "%s cannot be requested: %s is not an operation of the catalog; accepted: none",
			input.Quoted(name), input.Quoted(operation))
	}
	return nil, core.InvalidField(field, "%s is not an outcome of %s; accepted: %s", input.Quoted(name), operation,
		strings.Join(accepted, ", "))
}

// maxQueued is how many outcomes a world queues.
const maxQueued = 10_000

// Queue holds the outcomes of the next requests of a world, by operation. It is safe for concurrent use.
type Queue struct {
	mu      sync.Mutex
	lines   map[string][]*Scripted
	cleared int // times that outcomes were removed
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{lines: map[string][]*Scripted{}} }

// Clone returns an independent queue with the same outcomes.
func (q *Queue) Clone() *Queue {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := NewQueue()
	for operation, line := range q.lines {
		out.lines[operation] = slices.Clone(line)
	}
	return out
}

// Queued are the queued outcomes of an operation, in order.
type Queued struct {
	Operation string   `json:"operation" doc:"Operation of the public API" example:"resolve-account"`
	Outcomes  []string `json:"outcomes" doc:"Outcomes of the next requests, in order; the catalog lists them" example:"unknown,all_down"`
}

// Add queues outcomes for the next requests of an operation: all of them, or none if one is invalid.
func (q *Queue) Add(operation string, names ...string) error {
	if _, known := core.FindOperation(operation); !known {
		return core.InvalidField("operation", "%s; accepted: %s", input.Quoted(operation),
			strings.Join(core.OperationIDs(), ", "))
	}
	if len(names) == 0 {
		return core.InvalidField("outcomes", "none; accepted: at least one")
	}
	var line []*Scripted
	for i, name := range names {
		s, err := Find(fmt.Sprintf("outcomes.%d", i), operation, name)
		if err != nil {
			return err
		}
		line = append(line, s)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	queued := 0
	for _, line := range q.lines {
		queued += len(line)
	}
	if queued+len(line) > maxQueued {
		return core.InvalidField("outcomes", "are %d and %d are queued; accepted: %d in all", len(line), queued, maxQueued)
	}
	q.lines[operation] = append(q.lines[operation], line...)
	return nil
}

// Take removes and returns the next outcome of an operation, or nil. If the request did not use it, putBack
// puts it back in front, unless the queue was cleared meanwhile.
func (q *Queue) Take(operation string) (s *Scripted, putBack func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[operation]
	if len(line) == 0 {
		return nil, nil
	}
	taken, cleared := line[0], q.cleared
	q.lines[operation] = line[1:]
	return taken, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.cleared == cleared {
			q.lines[operation] = slices.Insert(q.lines[operation], 0, taken)
		}
	}
}

// List returns the queued outcomes, by operation.
func (q *Queue) List() []Queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := []Queued{}
	for _, operation := range slices.Sorted(maps.Keys(q.lines)) {
		if len(q.lines[operation]) == 0 {
			continue
		}
		queued := Queued{Operation: operation}
		for _, s := range q.lines[operation] {
			queued.Outcomes = append(queued.Outcomes, s.Name)
		}
		out = append(out, queued)
	}
	return out
}

// Clear removes the outcomes of an operation, or of all if it is empty.
func (q *Queue) Clear(operation string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cleared++
	if operation == "" {
		clear(q.lines)
	}
	delete(q.lines, operation)
}
