package simulator

import "sync"

// Try is what a journal tells of one time that a provider was asked for the sake of a call.
type Try struct {
	Operation string
	Number    int    // from 1; 0: it was not asked
	Status    int    // of the answer; 0: there was none
	Breaker   string // as it was before
	Fault     string // id of the rule that befell it; empty: none
}

// tries are the last ones of a call, by provider. Providers may be asked at the same time, and each once at a time.
type tries struct {
	mu     sync.Mutex
	faults map[string]string
	last   map[string]Try
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
	if c.tries.last == nil {
		c.tries.last = map[string]Try{}
	}
	c.tries.last[provider] = t
}

// LastTry is how a provider was asked last for the sake of the call; the zero Try where it was not.
func (c *Call) LastTry(provider string) Try {
	c.tries.mu.Lock()
	defer c.tries.mu.Unlock()
	return c.tries.last[provider]
}
