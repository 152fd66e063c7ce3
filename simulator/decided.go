package simulator

import (
	"strings"
	"sync"
)

// mostDecided are the accounts of which a world knows that their number decided; then it begins anew.
const mostDecided = 10_000

// decided is what the numbers of accounts decided, by a name of the account that says nothing of its number. Who is answered from memory asks no provider, and is told
// by this.
type decided struct {
	mu   sync.Mutex
	what map[string]string
}

// Resolved takes down that an account was looked up: what its number decided is known from then on, also where the answer is remembered (cached) and nobody is
// asked.
func (c *Call) Resolved(account string, cached bool) {
	if c == nil || c.Forced() {
		return
	}
	d := &c.World.decided
	d.mu.Lock()
	defer d.mu.Unlock()
	if cached {
		c.Decide(d.what[account])
		return
	}
	if what := c.Applied(); strings.HasPrefix(what, magicPrefix) {
		if d.what == nil || len(d.what) >= mostDecided {
			d.what = map[string]string{}
		}
		d.what[account] = what
	} else {
		delete(d.what, account)
	}
}
