package simulator

import (
	"sync"
	"time"
)

// Try is what a journal tells of one time that a provider was asked for the sake of a call.
type Try struct {
	Operation string
	Outcome   string
	Number    int    // from 1; 0: it was not asked
	Status    int    // of the answer; 0: there was none
	Breaker   string // as it was before
	Fault     string // id of the rule that befell it; empty: none
	Ended     time.Time
}

// tries are those of a call that nobody took yet, by provider. Providers may be asked at the same time, and each once at a time.
type tries struct {
	mu     sync.Mutex
	faults map[string]string
	made   map[string][]Try
}

// Befell takes down which rule befalls the question that a provider is asked just now.
func (c *Call) Befell(provider, fault string) {
	if c == nil {
		return
	}
	c.tries.mu.Lock()
	defer c.tries.mu.Unlock()
	if c.tries.faults == nil {
		c.tries.faults = map[string]string{}
	}
	c.tries.faults[provider] = fault
}

// Tried takes down how a provider was asked, with the rule that befell that. What nobody waits for, such as a price that is polled, is forgotten.
func (c *Call) Tried(provider string, t Try, urgent bool) {
	c.tries.mu.Lock()
	defer c.tries.mu.Unlock()
	t.Fault = c.tries.faults[provider]
	delete(c.tries.faults, provider)
	if !urgent {
		return
	}
	if c.tries.made == nil {
		c.tries.made = map[string][]Try{}
	}
	c.tries.made[provider] = append(c.tries.made[provider], t)
}

// TakeTries returns how a provider was asked for the sake of the call since it was called last, the oldest first.
func (c *Call) TakeTries(provider string) []Try {
	c.tries.mu.Lock()
	defer c.tries.mu.Unlock()
	made := c.tries.made[provider]
	delete(c.tries.made, provider)
	return made
}
