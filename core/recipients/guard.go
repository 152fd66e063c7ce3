package recipients

import (
	"container/list"
	"sync"
	"time"

	"causeway/core"
)

const longestBlock = 24 * time.Hour

// guard stops callers who search through account numbers. Each has a bucket of tokens, which a wrong guess empties twenty times as
// fast as a right one, and what it asked lately is looked at (see history). Remembered answers cost the same: else the balance would tell
// what is remembered.
//
// Callers are known by keyed hashes. Only the latest ones are watched; one that was forgotten begins anew.
type guard struct {
	cfg     GuardSettings
	clock   core.Clock
	noticed func(Search)

	mu      sync.Mutex
	callers map[string]*list.Element // of *caller
	recent  *list.List               // the one seen last in front
}

// caller is what is known of one who asks.
type caller struct {
	id      string
	key     string // id of the key that the caller has, for the operator
	seen    time.Time
	bucket  bucket
	full    time.Time // when the bucket is full again, now at the earliest: the later, the fewer tokens are in it
	until   time.Time // a search is stopped until then
	strikes int       // searches in a row, each within a day of the one before it
	history
}

func newGuard(cfg GuardSettings, clock core.Clock, noticed func(Search)) *guard {
	return &guard{cfg: cfg, clock: clock, noticed: noticed, callers: make(map[string]*list.Element), recent: list.New()}
}

// permit is what the guard says to a question.
type permit struct {
	hide   bool   // the caller may learn no name now
	reason Reason // why it is refused; empty: it is not
	wait   time.Duration
}

// bucket is how many tokens a caller has at most, and how long one takes to come back.
type bucket struct {
	capacity int
	token    time.Duration
}

// bucketFor is the bucket of a caller who may call so often: what is promised to a key must not be refused for want of tokens, so that both
// of its measures are the larger ones. What looks like a search is stopped all the same, whatever the rate.
func (g *guard) bucketFor(rate core.RateLimit) bucket {
	b := bucket{g.cfg.Capacity, time.Minute / time.Duration(g.cfg.PerMinute)}
	if !rate.None() {
		b.capacity = max(b.capacity, rate.Calls)
		b.token = min(b.token, max(rate.Per/time.Duration(rate.Calls), 1))
	}
	return b
}

// admit says whether a caller may ask, and takes one token if so. A caller may go into debt later, when the question turns out to cost more:
// who asks many at once pays for all of them before the next.
func (g *guard) admit(id string, req Request, p probe) permit {
	if g.cfg.Mode == GuardOff {
		return permit{}
	}
	g.mu.Lock()
	out, search := g.judge(id, req, p)
	g.mu.Unlock()
	if search != nil {
		g.noticed(*search)
	}
	return out
}

func (g *guard) judge(id string, req Request, p probe) (permit, *Search) {
	now := g.clock()
	c := g.caller(id, now)
	c.key = req.Key
	c.changes(g.bucketFor(req.Rate), now)
	stopped := now.Before(c.until)
	if stopped && g.cfg.Mode == GuardBlock {
		return permit{reason: c.reason, wait: c.until.Sub(now)}, nil
	}
	if debt := c.full.Sub(now) - time.Duration(c.bucket.capacity-1)*c.bucket.token; debt > 0 {
		return permit{reason: Spent, wait: debt}, nil
	}
	c.charge(1)
	if stopped {
		return permit{hide: true}, nil
	}
	reason := c.ask(p, g.cfg, now.Unix())
	if reason == "" {
		return permit{}, nil
	}
	search := g.stop(c, reason, now)
	if g.cfg.Mode == GuardBlock {
		return permit{reason: reason, wait: c.until.Sub(now)}, search
	}
	return permit{hide: true}, search
}

// settle takes what a question cost beyond its first token. A wrong guess at a name costs as much as one at a number, where
// names are only confirmed. Wrong banks of a number that is found after all are given back: its owner did not know the bank.
func (g *guard) settle(id string, p probe, o Outcome, wrongName bool) {
	if g.cfg.Mode == GuardOff || o != Found && o != Missing {
		return
	}
	g.mu.Lock()
	search := g.account(id, p, o, wrongName)
	g.mu.Unlock()
	if search != nil {
		g.noticed(*search)
	}
}

func (g *guard) account(id string, p probe, o Outcome, wrongName bool) *Search {
	now := g.clock()
	c := g.caller(id, now)
	if o == Missing || wrongName {
		c.charge(g.cfg.NotFoundCost - 1)
	}
	wrong := c.tell(p, o == Found, now.Unix())
	c.charge(-wrong * (g.cfg.NotFoundCost - 1))
	if c.tooManyMisses(g.cfg) && !now.Before(c.until) {
		return g.stop(c, Misses, now)
	}
	return nil
}

// caller returns the one of an id, the last one seen from now on.
func (g *guard) caller(id string, now time.Time) *caller {
	e, ok := g.callers[id]
	if !ok {
		for g.recent.Len() >= g.cfg.Callers {
			oldest, _ := g.recent.Remove(g.recent.Back()).(*caller)
			delete(g.callers, oldest.id)
		}
		e = g.recent.PushFront(&caller{id: id, bucket: g.bucketFor(core.RateLimit{})})
		g.callers[id] = e
	}
	g.recent.MoveToFront(e)
	c, _ := e.Value.(*caller)
	if now.Before(c.seen) { // a world's clock was set back: what was remembered is in its future
		*c = caller{id: id, bucket: c.bucket}
	}
	c.seen = now
	if c.full.Before(now) {
		c.full = now
	}
	return c
}

func (c *caller) charge(tokens int) {
	c.full = c.full.Add(time.Duration(tokens) * c.bucket.token)
}

// changes gives a caller another bucket, if its rate is another one by now. As many tokens are missing in it as in the old one.
func (c *caller) changes(to bucket, now time.Time) {
	if missing := c.full.Sub(now); to.token != c.bucket.token {
		c.full = now.Add(time.Duration(float64(missing) / float64(c.bucket.token) * float64(to.token)))
	}
	c.bucket = to
}

// stop ends a search for a while: each time within a day for twice as long.
func (g *guard) stop(c *caller, reason Reason, now time.Time) *Search {
	if now.Sub(c.until) > longestBlock {
		c.strikes = 0
	}
	wait := g.cfg.Block
	for range c.strikes {
		wait = min(2*wait, longestBlock)
	}
	c.strikes++
	c.until = now.Add(wait)
	c.history = history{reason: reason}
	return &Search{At: now, Caller: c.id, Key: c.key, Reason: reason, Until: c.until, Mode: g.cfg.Mode}
}

// refusal is what a refused caller is told. It does not say what gave the search away.
func (p permit) refusal() error {
	wait := max(p.wait, time.Second)
	if p.reason == Spent {
		return core.Errorf(core.TooMany, "Too many account lookups; please try again in %s", seconds(wait)).Retry(wait)
	}
	return core.Errorf(core.TooMany, "Too many lookups that look like a search through account numbers; please try again in %s",
		seconds(wait)).Retry(wait)
}
