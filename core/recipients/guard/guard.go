// Package guard limits how many account names one caller can look up, so that names cannot be
// harvested.
//
// It remembers for 24 hours which numbers a caller looked up, and stops a caller whose lookups look
// like a search: many numbers in one block, one number at many banks, many numbers that do not
// exist, or many names claimed for one number. A daily budget bounds what remains: a caller who
// spreads lookups evenly over numbers known to exist is not noticed, but gets no more names than
// the budget. docs/accounts.md shows what each strategy yields, and TestStrategies keeps it true.
//
// The memory holds no account number, only numbers shifted by a secret. Each process has its own.
package guard

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"causeway/core"
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

	states []*state
	point  point
	fresh  bool // the lookup is new, so its outcome has a price
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
	maxCallers = 10_000    // remembered at once, the latest ones
	maxTotal   = 2_000_000 // numbers remembered of all callers together: 40 MB, or 20 bytes each
	busy       = 8         // active /64 networks from which on a /48 is one caller
)

// Guard decides which lookups are admitted. It is safe for concurrent use.
type Guard struct {
	settings Settings
	allowed  map[string][]accounts // by key ID
	clock    core.Clock
	hash     func(parts ...string) [32]byte
	alarm    func(Alarm)
	maxTotal int

	mu      sync.Mutex
	states  map[string]*list.Element // of *state, by caller
	recent  *list.List               // latest in front
	numbers int                      // in all states
}

// New returns a guard. hash is keyed with a secret. alarm is called when a caller is stopped.
func New(s Settings, clock core.Clock, hash func(parts ...string) [32]byte, alarm func(Alarm)) (*Guard, error) {
	allowed, err := s.ranges()
	if err != nil {
		return nil, err
	}
	return &Guard{
		settings: s, allowed: allowed, clock: clock, hash: hash, alarm: alarm,
		maxTotal: maxTotal,
		states:   make(map[string]*list.Element), recent: list.New(),
	}, nil
}

// Admit decides whether a caller may look up an account, and remembers the lookup if so.
func (g *Guard) Admit(l Lookup) Decision {
	if g.settings.Mode == Off {
		return Decision{}
	}
	g.mu.Lock()
	d, alarm := g.decide(l)
	g.mu.Unlock()
	if alarm != nil {
		g.alarm(*alarm)
	}
	return d
}

func (g *Guard) decide(l Lookup) (d Decision, alarm *Alarm) {
	now := g.clock()
	d = Decision{states: g.statesOf(l, now), point: g.pointOf(l)}
	for _, s := range d.states {
		if !s.enforced() {
			continue
		}
		one, raised := g.decideFor(s, d.point, l.Hidden, now)
		if raised != nil {
			alarm = raised
		}
		if one.Reason != "" {
			return one, alarm
		}
		d.HideName = d.HideName || one.HideName
	}
	g.remember(&d, l.Hidden || d.HideName)
	return d, alarm
}

// decideFor decides on a lookup by one state.
func (g *Guard) decideFor(s *state, p point, hidden bool, now time.Time) (Decision, *Alarm) {
	stopped := now.Before(s.until)
	if stopped && s.refused {
		return Decision{Reason: s.reason, Wait: s.until.Sub(now)}, nil
	}
	reason, wait := s.judge(p, hidden, g.settings.Daily)
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
func (g *Guard) remember(d *Decision, hidden bool) {
	for _, s := range d.states {
		before := len(s.numbers)
		fresh := s.remember(d.point, hidden)
		d.fresh = d.fresh || fresh
		g.numbers += len(s.numbers) - before
	}
	g.evict(d.states)
}

// Settle records the outcome of an admitted lookup.
func (g *Guard) Settle(d Decision, o Outcome) {
	if len(d.states) == 0 {
		return
	}
	g.mu.Lock()
	now := g.clock()
	var alarm *Alarm
	for _, s := range d.states {
		s.settle(d, o)
		if s.enforced() && s.missesTooOften() && !now.Before(s.until) {
			alarm = g.stop(s, Misses, now)
		}
	}
	g.mu.Unlock()
	if alarm != nil {
		g.alarm(*alarm)
	}
}

// stop stops a caller: each time within a day for twice as long. What it looked up stays
// remembered, so that it cannot continue in the same block afterwards.
func (g *Guard) stop(s *state, reason Reason, now time.Time) *Alarm {
	if now.Sub(s.until) > maxBlock {
		s.strikes = 0
	}
	wait := min(block<<min(s.strikes, 7), maxBlock)
	s.strikes++
	s.reason, s.until = reason, now.Add(wait)
	s.refused = g.settings.Mode == Block || reason == Claims
	s.results, s.settled = 0, 0
	return &Alarm{At: now, Caller: s.id, Key: s.key, Reason: reason, Until: s.until, Mode: g.settings.Mode}
}

// statesOf returns the states that a lookup counts in: the caller's and, for an IPv6 address, that
// of its /48. A client can use every address of its network, and many providers assign whole /48
// networks.
func (g *Guard) statesOf(l Lookup, now time.Time) []*state {
	own := g.state(l.Caller, now)
	own.key = l.Key
	if !l.Network.IsValid() || !l.Network.Addr().Is6() {
		return []*state{own}
	}
	const site = 48
	prefix, err := l.Network.Addr().Prefix(site)
	if err != nil {
		return []*state{own}
	}
	group := g.state(g.text("network", prefix.String()), now)
	group.addMember(g.bits("member", l.Network.String()), now)
	return []*state{own, group}
}

// state returns the state of a caller, which becomes the latest one.
func (g *Guard) state(id string, now time.Time) *state {
	e, ok := g.states[id]
	if !ok {
		e = g.recent.PushFront(&state{id: id})
		g.states[id] = e
	}
	g.recent.MoveToFront(e)
	s, _ := e.Value.(*state)
	before := len(s.numbers)
	s.advance(now)
	g.numbers += len(s.numbers) - before
	return s
}

// evict forgets the callers seen least recently while the memory is full, except those in use.
func (g *Guard) evict(inUse []*state) {
	for g.recent.Len() > len(inUse) && (g.recent.Len() > maxCallers || g.numbers > g.maxTotal) {
		s, _ := g.recent.Remove(g.recent.Back()).(*state)
		delete(g.states, s.id)
		g.numbers -= len(s.numbers)
	}
}
