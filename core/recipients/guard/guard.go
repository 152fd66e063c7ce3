// Package guard limits how many account names one caller can look up, so that names cannot be
// harvested.
//
// It remembers for 24 hours which numbers a caller looked up, and stops a caller whose lookups look
// like a search: many numbers in one block, one number at many banks, many numbers that do not
// exist, or many names claimed for one number. A daily budget bounds what remains: a caller who
// spreads lookups evenly over numbers known to exist is not noticed, but gets no more names than
// the budget. docs/recipients.md shows what each strategy yields, and TestStrategies keeps it true.
//
// The memory holds no account number, only numbers shifted by a secret of the caller. Processes
// pass on what they remember in sealed records: replicas through a shared log, before each decision
// about a new number, and later processes through a database. Without these, each process counts
// alone.
package guard

import (
	"container/list"
	"context"
	"net/netip"
	"sync"
	"time"

	"causeway/core"
	"causeway/ports"
)

// Reason is why a lookup is refused.
type Reason string

// The reasons. All but Budget are patterns of a search.
const (
	Budget  Reason = "budget"    // the daily budget is spent
	Density Reason = "density"   // many numbers in one block
	Banks   Reason = "banks"     // one number at many banks
	Misses  Reason = "not_found" // many numbers that do not exist
	Claims  Reason = "claims"    // many names claimed for one number
)

// Lookup is an account that a caller wants to look up.
type Lookup struct {
	Caller  string       // opaque ID; appears in alarms
	Key     string       // ID of the caller's API key; empty if it has none
	Network netip.Prefix // of a caller without a key, if known
	Account core.AccountQuery
	Claim   core.Private // the name that the caller expects
	Hidden  bool         // the caller learns only whether the claim is right
}

// Decision is what Admit decides on a Lookup.
type Decision struct {
	Reason   Reason        // why the lookup is refused; empty if it is not
	Wait     time.Duration // until a refused lookup may be repeated
	HideName bool          // the caller may only have a claim confirmed

	entries []entry
}

// entry is a lookup in a state.
type entry struct {
	state  *state
	point  point
	member uint8 // of a group: 1 + the bit of the network
	added  bool  // the number is new
	fresh  bool  // the lookup is new, so its outcome has a price
}

// Outcome is the result of an admitted lookup.
type Outcome int

// The outcomes. A lookup without any of them, such as an outage, is not settled.
const (
	Named Outcome = iota + 1
	Missing
	Matched
	CloselyMatched
	NotMatched
)

// price returns what an outcome costs, in units of the daily budget. A wrong guess costs as much as
// 20 names, so that guessing is not worth it. A close match costs more than a match: the caller did
// not know the name, and learns part of it.
func (o Outcome) price() int {
	switch o {
	case CloselyMatched:
		return 5
	case Missing, NotMatched:
		return 20
	default:
		return 1
	}
}

// Alarm reports a caller who seems to search.
type Alarm struct {
	At     time.Time
	Caller string
	Key    string
	Reason Reason
	Until  time.Time // when the caller may continue
	Mode   Mode
}

const (
	block      = 15 * time.Minute // after the first alarm; doubled by each further one within a day
	maxBlock   = 24 * time.Hour
	maxStrikes = 7 // that lengthen a block
	busy       = 8 // active /64 networks from which on a /48 is one caller

	maxBytes    = 40_000_000 // of all callers together
	callerBytes = 512
	numberBytes = 20
)

// Config configures a Guard.
type Config struct {
	Settings Settings
	Clock    core.Clock
	Hash     func(parts ...string) [32]byte // keyed with a secret
	Alarm    func(Alarm)                    // called when a caller is stopped

	Shared ports.LookupLog     // for other replicas; nil: none
	Saved  ports.LookupLog     // for later processes; nil: none
	Seal   func([]byte) []byte // encrypts records
	Open   func([]byte) []byte // returns nil unless a record was sealed with the same secret
	// Failed is called when a log, "shared" or "saved", cannot be used. Lookups are then counted
	// locally.
	Failed func(log string, err error)
}

// Guard decides which lookups are admitted. It is safe for concurrent use.
type Guard struct {
	cfg      Config
	allowed  map[string][]accounts // by key ID
	maxBytes int

	mu       sync.Mutex
	states   map[[16]byte]*list.Element // of *state, by name, in one of the following lists
	recent   *list.List                 // callers without an alarm, latest in front
	alarmed  *list.List                 // callers with one, latest in front
	numbers  int                        // in all states
	merged   int                        // records of others that changed something
	outbox   []record                   // of the call that holds mu
	unshared []record                   // which could not be shared
	unsaved  []record
	position string // in the shared log
	restored bool   // the saved log was read
}

// New returns a guard.
func New(cfg Config) (*Guard, error) {
	allowed, err := cfg.Settings.ranges()
	if err != nil {
		return nil, err
	}
	return &Guard{
		cfg: cfg, allowed: allowed, maxBytes: maxBytes,
		states: make(map[[16]byte]*list.Element), recent: list.New(), alarmed: list.New(), restored: cfg.Saved == nil,
	}, nil
}

// Admit decides whether a caller may look up an account, and remembers the lookup if so.
func (g *Guard) Admit(ctx context.Context, l Lookup) Decision {
	if g.cfg.Settings.Mode == Off {
		return Decision{}
	}
	var d Decision
	var merged int
	records := g.change(func(now time.Time) (alarm *Alarm) {
		d, alarm = g.decide(l, now)
		merged = g.merged
		return alarm
	})
	if sent := g.send(ctx, records); d.Reason != "" || !sent {
		return d
	}
	g.receive(ctx)
	g.send(ctx, g.change(func(now time.Time) *Alarm {
		if g.merged == merged {
			return nil
		}
		return g.review(&d, l.Hidden, now)
	}))
	return d
}

// change calls f, raises its alarm, and returns the records that f made.
func (g *Guard) change(f func(now time.Time) *Alarm) []record {
	g.mu.Lock()
	alarm := f(g.cfg.Clock())
	records := g.outbox
	g.outbox = nil
	g.mu.Unlock()
	if alarm != nil {
		g.cfg.Alarm(*alarm)
	}
	return records
}

func (g *Guard) decide(l Lookup, now time.Time) (d Decision, alarm *Alarm) {
	d.entries = g.entriesOf(l, now)
	for _, e := range d.entries {
		if !e.state.enforced() {
			continue
		}
		one, raised := g.decideFor(e.state, e.point, l.Hidden, now)
		if raised != nil {
			alarm = raised
		}
		if one.Reason != "" {
			return one, alarm
		}
		d.HideName = d.HideName || one.HideName
	}
	g.remember(&d, l.Hidden || d.HideName, now)
	return d, alarm
}

// decideFor decides on a lookup by one state.
func (g *Guard) decideFor(s *state, p point, hidden bool, now time.Time) (Decision, *Alarm) {
	stopped := now.Before(s.until)
	if stopped && s.refused {
		return Decision{Reason: s.reason, Wait: s.until.Sub(now)}, nil
	}
	reason, wait := s.judge(p, hidden, g.cfg.Settings.Daily)
	if reason == Budget {
		return Decision{Reason: Budget, Wait: wait}, nil
	}
	if reason == "" || stopped && reason != Claims {
		return Decision{HideName: stopped}, nil
	}
	alarm := g.stop(s, reason, now)
	if s.refused {
		return Decision{Reason: reason, Wait: s.until.Sub(now)}, alarm
	}
	return Decision{HideName: true}, alarm
}

// remember adds an admitted lookup to the memory.
func (g *Guard) remember(d *Decision, hidden bool, now time.Time) {
	for i := range d.entries {
		e := &d.entries[i]
		before := len(e.state.numbers)
		if e.added, e.fresh = e.state.remember(e.point, hidden); e.fresh {
			g.note(*e)
		}
		g.numbers += len(e.state.numbers) - before
	}
	g.evict(len(d.entries), now)
}

// review decides again on a lookup that was remembered, now that the lookups of other replicas are
// known: of two lookups at one time, the later one finds the earlier one.
func (g *Guard) review(d *Decision, hidden bool, now time.Time) (alarm *Alarm) {
	for _, e := range d.entries {
		mine, known := e.state.get(e.point)
		if !known || !e.fresh || !e.state.enforced() {
			continue
		}
		before := mine
		before.claims &^= e.point.claim
		before.addUnits(-Named.price())
		if e.added {
			before.result = elsewhere
		}
		if e.state.remove(mine); !e.added || before.claims != 0 {
			e.state.put(before)
		}
		one, raised := g.decideFor(e.state, e.point, hidden, now)
		if raised != nil {
			alarm = raised
		}
		if one.Reason != "" && mine.result == unknown {
			mine.result = elsewhere
		}
		e.state.put(mine)
		if one.Reason != "" {
			*d = one
			return alarm
		}
		d.HideName = d.HideName || one.HideName
	}
	return alarm
}

// Settle records the outcome of an admitted lookup.
func (g *Guard) Settle(ctx context.Context, d Decision, o Outcome) {
	if len(d.entries) == 0 {
		return
	}
	g.send(ctx, g.change(func(now time.Time) (alarm *Alarm) {
		for _, e := range d.entries {
			before, _ := e.state.get(e.point)
			e.state.settle(e.point, e.fresh, o)
			if after, _ := e.state.get(e.point); after != before {
				g.note(e)
			}
			if e.state.enforced() && e.state.missesTooOften() && !now.Before(e.state.until) {
				alarm = g.stop(e.state, Misses, now)
			}
		}
		return alarm
	}))
}

// stop stops a caller: each time within a day for twice as long. What it looked up stays
// remembered, so that it cannot continue in the same block afterwards.
func (g *Guard) stop(s *state, reason Reason, now time.Time) *Alarm {
	if now.Sub(s.until) > maxBlock {
		s.strikes = 0
	}
	wait := min(block<<min(s.strikes, maxStrikes), maxBlock)
	s.strikes++
	s.reason, s.until = reason, now.Add(wait)
	s.refused = g.cfg.Settings.Mode == Block || reason == Claims
	s.results, s.settled = 0, 0
	g.keep(s)
	g.noteStop(s)
	return &Alarm{At: now, Caller: s.id, Key: s.key, Reason: reason, Until: s.until, Mode: g.cfg.Settings.Mode}
}

// entriesOf returns the states that a lookup counts in: the caller's and, for an IPv6 address, that
// of its /48. A client can use every address of its network, and many providers assign whole /48
// networks.
func (g *Guard) entriesOf(l Lookup, now time.Time) []entry {
	own := entry{state: g.stateOf(l.Caller, now), point: g.pointOf(l.Caller, l)}
	own.state.key = l.Key
	if !l.Network.IsValid() || !l.Network.Addr().Is6() {
		return []entry{own}
	}
	const site = 48
	prefix, err := l.Network.Addr().Prefix(site)
	if err != nil {
		return []entry{own}
	}
	id := g.text("network", prefix.String())
	bit := low8(int64(g.bits("member", l.Network.String()) % 64))
	group := entry{state: g.stateOf(id, now), point: g.pointOf(id, l), member: 1 + bit}
	group.state.addMember(bit, now)
	return []entry{own, group}
}

// stateOf returns the state of a caller of this process.
func (g *Guard) stateOf(id string, now time.Time) *state {
	hash := g.cfg.Hash("guard", "state", id)
	s := g.state([16]byte(hash[:16]), now)
	s.id = id
	return s
}

// state returns the state of a caller, which becomes the latest one.
func (g *Guard) state(name [16]byte, now time.Time) *state {
	e, ok := g.states[name]
	if !ok {
		e = g.recent.PushFront(&state{name: name})
		g.states[name] = e
	}
	s, _ := e.Value.(*state)
	if s.alarmed {
		g.alarmed.MoveToFront(e)
	} else {
		g.recent.MoveToFront(e)
	}
	before := len(s.numbers)
	s.advance(now)
	g.numbers += len(s.numbers) - before
	return s
}

// keep lets a caller be forgotten after callers without an alarm.
func (g *Guard) keep(s *state) {
	if !s.alarmed {
		g.recent.Remove(g.states[s.name])
		g.states[s.name], s.alarmed = g.alarmed.PushFront(s), true
	}
}

// evict forgets callers while the memory is full, except callers in use.
func (g *Guard) evict(inUse int, now time.Time) {
	for len(g.states)*callerBytes+g.numbers*numberBytes > g.maxBytes {
		from := g.idlest(inUse, now)
		if from == nil {
			return
		}
		s, _ := from.Remove(from.Back()).(*state)
		delete(g.states, s.name)
		g.numbers -= len(s.numbers)
	}
}

// idlest returns the list whose last caller is forgotten next: one whose alarm is over for a day, then one without an
// alarm, then one with an alarm. It returns nil if there are only callers in use, which are in front.
func (g *Guard) idlest(inUse int, now time.Time) *list.List {
	if g.alarmed.Len() > inUse {
		if s, _ := g.alarmed.Back().Value.(*state); now.Sub(s.until) > maxBlock {
			return g.alarmed
		}
	}
	for _, callers := range []*list.List{g.recent, g.alarmed} {
		if callers.Len() > inUse {
			return callers
		}
	}
	return nil
}
